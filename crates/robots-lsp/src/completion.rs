//! Completion: fields, robots, paths of the file, and preferences about AI.

use crate::client::Client;
use crate::document::{Document, Linted};
use crate::hover::field;
use crate::position::line_span;
use gen_lsp_types::{
    CompletionItem, CompletionItemKind, CompletionItemTextEdit, CompletionList, Position, TextEdit,
};
use robots_policy::profile::AgentTable;
use robots_txt::parse::Field;
use robots_txt::robots_usage::content_usage::UsageCategory;
use std::collections::BTreeSet;
use std::ops::Range;

/// The maximum number of items in an answer. With more, the list is marked as incomplete, and the client asks again as the
/// word grows.
pub const MAX_ITEMS: usize = 1000;

/// The maximum length of a path that is offered, in bytes.
const MAX_PATH: usize = 1024;

/// An offered text.
struct Offer {
    text: String,
    /// The text in the list, without what the completion adds.
    label: String,
    kind: CompletionItemKind,
    detail: String,
}

impl Offer {
    fn new(text: &str, kind: CompletionItemKind, detail: impl Into<String>) -> Self {
        Self {
            text: text.to_owned(),
            label: text.to_owned(),
            kind,
            detail: detail.into(),
        }
    }
}

/// Returns the items for a position. Linear in the document.
pub(crate) fn complete(
    document: &Document,
    linted: &Linted,
    client: &Client,
    position: Position,
) -> CompletionList {
    let at = client.encoding.offset(&document.text, position);
    let line = line_span(&document.text, document.text.byte_to_line(at));
    let before = document.slice(line.start..at.max(line.start));
    let after = document.slice(at..line.end.max(at));
    // The rest of a key, if the line has its colon.
    let rest = after
        .split('#')
        .next()
        .and_then(|after| after.split_once(':'));
    let rest = rest.map(|(key, _)| key.trim_end());
    let mut end = at;
    let (typed, offers) = match before.split_once(':') {
        // Comments and junk have no completion.
        _ if before.contains('#') => ("", Vec::new()),
        None => {
            end = at + rest.unwrap_or_default().len();
            let is_first = line.start == 0;
            let key = before.strip_prefix('\u{feff}').filter(|_| is_first);
            (key.unwrap_or(&before).trim_start(), fields(rest.is_some()))
        }
        Some((name, value)) => {
            let (field, _) = Field::from_name(name.trim().as_bytes());
            let typed = typed_part(field, value);
            (typed, of_field(field, linted, at))
        }
    };
    let typed_span = at - typed.len()..end;
    let begins = |offer: &Offer| {
        let start = offer.label.get(..typed.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(typed))
    };
    let is_long = offers.len() > MAX_ITEMS;
    let offers = offers.into_iter().filter(|offer| !is_long || begins(offer));
    let mut items: Vec<_> = offers
        .take(MAX_ITEMS + 1)
        .map(|offer| item(document, client, &typed_span, offer))
        .collect();
    let is_incomplete = is_long || items.len() > MAX_ITEMS;
    items.truncate(MAX_ITEMS);
    CompletionList {
        is_incomplete,
        item_defaults: None,
        apply_kind: None,
        items,
    }
}

/// Returns the part of a value before the cursor that an item replaces.
fn typed_part(field: Field, value: &str) -> &str {
    let is_separator: fn(char) -> bool = match field {
        // After a path or a comma, another member begins.
        Field::ContentSignal | Field::ContentUsage => |c| c == ',' || c.is_whitespace(),
        _ => char::is_whitespace,
    };
    let start = value.rfind(is_separator);
    let part = start.and_then(|start| value.get(start..));
    let part = part.unwrap_or(value);
    part.trim_start_matches(is_separator)
}

/// Returns the fields, with a colon unless the line has it.
fn fields(has_colon: bool) -> Vec<Offer> {
    let colon = if has_colon { "" } else { ": " };
    let fields = Field::NAMED.iter();
    let fields = fields.map(|field| Offer {
        text: format!("{field}{colon}"),
        ..Offer::new(
            field.name(),
            CompletionItemKind::Field,
            field::meaning(*field),
        )
    });
    fields.collect()
}

/// Returns the values of a field, for a cursor at an offset.
fn of_field(field: Field, linted: &Linted, at: usize) -> Vec<Offer> {
    match field {
        Field::UserAgent => robots(linted, at),
        Field::Allow | Field::Disallow => paths(linted, at),
        Field::ContentSignal => signals(),
        Field::ContentUsage => usages(),
        _ => Vec::new(),
    }
}

/// Returns `*`, the known robots, and the other names in the file.
fn robots(linted: &Linted, at: usize) -> Vec<Offer> {
    let offer = |token: &str, detail: &str| Offer::new(token, CompletionItemKind::Constant, detail);
    let table = AgentTable::built_in();
    let mut offers = vec![offer("*", "every robot that no other group names")];
    offers.extend(table.iter().map(|agent| {
        let purposes = agent.purpose_names().join(", ");
        offer(&agent.token, &format!("{}: {purposes}", agent.operator))
    }));
    let names = values(linted, at, |field| field == Field::UserAgent);
    let others = names
        .into_iter()
        .filter(|name| *name != "*" && table.get(name).is_none());
    offers.extend(others.map(|name| offer(name, "in this file")));
    offers
}

/// Returns `/` and the paths of rules in the file.
fn paths(linted: &Linted, at: usize) -> Vec<Offer> {
    let in_file = values(linted, at, |field| {
        matches!(field, Field::Allow | Field::Disallow)
    });
    let mut paths: BTreeSet<&str> = in_file
        .into_iter()
        .filter(|path| path.starts_with('/'))
        .collect();
    paths.insert("/");
    let paths = paths.into_iter();
    let offers = paths.map(|path| Offer::new(path, CompletionItemKind::Value, ""));
    offers.collect()
}

/// Returns the distinct values of fields in the file, up to [`MAX_PATH`] bytes long. The line with the cursor is left out.
fn values(linted: &Linted, at: usize, is_wanted: impl Fn(Field) -> bool) -> BTreeSet<&str> {
    let lines = linted.robots.lines();
    let other = lines.filter(|line| {
        let span = line.span();
        is_wanted(line.field()) && (at < span.start || span.end < at)
    });
    other
        .map(|line| line.value())
        .filter(|value| (1..=MAX_PATH).contains(&value.len()))
        .filter_map(|value| str::from_utf8(value).ok())
        .collect()
}

/// Returns the members of `Content-Signal` (docs/semantics.md, section 4.5).
fn signals() -> Vec<Offer> {
    let categories = UsageCategory::ALL.into_iter().rev();
    members(categories.map(UsageCategory::signal_key), ["yes", "no"])
}

/// Returns the members of `Content-Usage` (docs/semantics.md, section 4.1).
fn usages() -> Vec<Offer> {
    members(UsageCategory::ALL.map(UsageCategory::label), ["y", "n"])
}

fn members(keys: impl IntoIterator<Item = &'static str>, answers: [&str; 2]) -> Vec<Offer> {
    let members = keys
        .into_iter()
        .flat_map(|key| answers.map(|answer| format!("{key}={answer}")));
    let offers = members.map(|member| Offer::new(&member, CompletionItemKind::EnumMember, ""));
    offers.collect()
}

fn item(
    document: &Document,
    client: &Client,
    typed: &Range<usize>,
    offer: Offer,
) -> CompletionItem {
    let edit = TextEdit {
        range: client.encoding.range(&document.text, typed),
        new_text: offer.text,
    };
    CompletionItem {
        // Clients compare this with the replaced text.
        filter_text: Some(offer.label.clone()),
        label: offer.label,
        kind: Some(offer.kind),
        detail: (!offer.detail.is_empty()).then_some(offer.detail),
        text_edit: Some(CompletionItemTextEdit::TextEdit(edit)),
        ..CompletionItem::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_txt::robots_usage::content_signal;
    use robots_txt::robots_usage::content_usage::Usage;

    #[test]
    fn every_preference_is_one() {
        for signal in signals().into_iter().map(|offer| offer.text) {
            let mut members = content_signal::members(signal.as_bytes());
            let read = members.next().map(|member| member.signal());
            assert!(
                !matches!(read, None | Some(content_signal::Signal::Unknown)),
                "{signal}"
            );
        }
        for usage in usages().into_iter().map(|offer| offer.text) {
            let read = Usage::from_dictionary(usage.as_bytes());
            assert_ne!(read, Some(Usage::default()), "{usage}");
            assert!(read.is_some(), "{usage}");
        }
    }

    #[test]
    fn the_typed_part_is_a_word_or_a_member() {
        for (field, value, expected) in [
            (Field::UserAgent, " Goo", "Goo"),
            (Field::UserAgent, "", ""),
            (Field::Disallow, " /a", "/a"),
            (Field::ContentSignal, " search=yes, ai", "ai"),
            (Field::ContentSignal, " search=yes,ai-t", "ai-t"),
            (Field::ContentUsage, " /blog/ ", ""),
        ] {
            assert_eq!(typed_part(field, value), expected, "{value}");
        }
    }
}
