//! Header lines that state facts about a page instead of directives: links, reservations, preferences.

use super::HeaderLine;
use super::words::quoted;
use robots_meta::header::{ContentUsage, HeaderFact, HeaderLink, PageHeader, Reservation};
use robots_meta::page_headers;
use robots_meta::robots_usage::Preference;
use robots_meta::robots_usage::content_signal::Signal;
use robots_meta::robots_usage::content_usage::UsageCategory;
use serde_json::{Value, json};
use std::ops::Range;

/// A fact with its place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fact {
    /// The header of its line.
    pub header: PageHeader,
    /// The index of its line among all header lines, from 0.
    pub line: usize,
    /// Its place in the value of the line, in bytes.
    pub span: Range<usize>,
    /// Its meaning, for people.
    pub meaning: String,
    /// Its values, for JSON.
    pub values: Value,
}

/// Returns the facts in header lines, in order.
pub fn facts(headers: &[HeaderLine<'_>]) -> Vec<Fact> {
    let page = page_headers(headers.iter().map(HeaderLine::bytes));
    let value_of = |line: usize| headers.get(line).map_or("", |header| &*header.text);
    let links = page
        .links()
        .iter()
        .map(|found| link(found, value_of(found.header_index())));
    let mut facts: Vec<Fact> = links
        .chain(page.tdm_reservations().iter().map(reservation))
        .chain(page.tdm_policies().iter().map(policy))
        .chain(page.content_signals().iter().map(signal))
        .collect();
    if let Some(found) = page.content_usage() {
        facts.extend(usage(found));
        let unreadable = found.invalid_index();
        facts.extend(unreadable.map(|line| unreadable_usage(line, value_of(line))));
    }
    facts.sort_by_key(|fact| (fact.line, fact.span.start));
    facts
}

fn link(link: &HeaderLink<'_>, value: &str) -> Fact {
    let offset = link.offset();
    let rest = value.get(offset..).unwrap_or_default();
    let url = rest.split_inclusive('>').next().unwrap_or_default();
    // `PageHeaders::links` returns only links with one of these two relations.
    let target = match (link.has_relation("canonical"), link.has_relation("license")) {
        (true, true) => "the canonical URL and the licence",
        (true, false) => "the canonical URL",
        _ => "the licence",
    };
    let subject = link.anchor().map_or_else(|| "the page".to_owned(), quoted);
    Fact {
        header: PageHeader::Link,
        line: link.header_index(),
        span: offset..offset + url.len(),
        meaning: format!("{target} of {subject}"),
        values: json!({
            "href": link.href(),
            "relations": link.relations().collect::<Vec<_>>(),
            "anchor": link.anchor(),
            "type": link.media_type(),
        }),
    }
}

/// Returns a fact with its place.
fn placed<M: Copy>(
    header: PageHeader,
    found: &HeaderFact<'_, M>,
    meaning: String,
    values: Value,
) -> Fact {
    Fact {
        header,
        line: found.header_index(),
        span: found.span(),
        meaning,
        values,
    }
}

fn reservation(found: &HeaderFact<'_, Option<Reservation>>) -> Fact {
    let reservation = found.meaning();
    let meaning = match reservation {
        Some(Reservation::Reserved) => "rights to text and data mining are reserved",
        Some(Reservation::NotReserved) => "rights to text and data mining are not reserved",
        None => "ignored: neither 0 nor 1",
    };
    let text = found.text();
    let values = json!({"text": text, "reservation": reservation});
    placed(
        PageHeader::TdmReservation,
        found,
        meaning.to_owned(),
        values,
    )
}

fn policy(found: &HeaderFact<'_, ()>) -> Fact {
    let meaning = "the terms of text and data mining".to_owned();
    let values = json!({"href": found.text()});
    placed(PageHeader::TdmPolicy, found, meaning, values)
}

fn usage(usage: &ContentUsage<'_>) -> Vec<Fact> {
    let categories = UsageCategory::ALL.into_iter();
    let statements = categories.filter_map(|category| {
        let found = usage.statement(category)?;
        let values = json!({
            "text": found.text(),
            "category": category,
            "preference": found.meaning(),
        });
        let meaning = preference_for(category, found.meaning());
        Some(placed(PageHeader::ContentUsage, found, meaning, values))
    });
    statements.collect()
}

/// Returns the fact of a line that is not a dictionary. It makes all lines of its name ineffective.
fn unreadable_usage(line: usize, value: &str) -> Fact {
    Fact {
        header: PageHeader::ContentUsage,
        line,
        span: 0..value.len(),
        meaning: "ignored, like all lines of this name: not a dictionary".to_owned(),
        values: json!({"text": value, "category": null, "preference": null}),
    }
}

fn signal(signal: &HeaderFact<'_, Signal>) -> Fact {
    let (known, meaning) = match signal.meaning() {
        Signal::Preference(category, preference) => (
            Some((category.signal_key(), json!(preference))),
            preference_for(category, preference),
        ),
        Signal::Use(extent) => (
            Some(("use", json!(extent))),
            "the extent of use: for information only".to_owned(),
        ),
        _ => (None, "ignored: not a known signal".to_owned()),
    };
    let (name, value) = known.unzip();
    let values = json!({"text": signal.text(), "signal": name, "value": value});
    placed(PageHeader::ContentSignal, signal, meaning, values)
}

/// Returns a preference in words: `search is allowed`.
fn preference_for(category: UsageCategory, preference: Preference) -> String {
    let purpose = match category {
        UsageCategory::TrainAi => "training AI",
        UsageCategory::AiUse => "input to AI",
        _ => category.label(),
    };
    match preference {
        Preference::Allow => format!("{purpose} is allowed"),
        Preference::Disallow => format!("{purpose} is disallowed"),
        Preference::Unknown => format!("no statement about {purpose}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::header_lines;
    use super::*;

    #[test]
    fn facts_have_places_and_meanings() {
        let headers = [
            ("server", "x"),
            ("content-usage", "search=y, train-ai=n"),
            ("link", "</a>; rel=preload, </b>; rel=canonical"),
            ("tdm-reservation", " 1"),
            ("tdm-policy", "/terms"),
            ("content-signal", "ai-input=no, x"),
        ];
        let found: Vec<(usize, &str, String)> = facts(&header_lines(&headers))
            .into_iter()
            .map(|fact| {
                let text = &headers[fact.line].1[fact.span];
                (fact.line, text, fact.meaning)
            })
            .collect();
        let fact = |line, text, meaning: &str| (line, text, meaning.to_owned());
        assert_eq!(
            found,
            [
                fact(1, "search=y", "search is allowed"),
                fact(1, "train-ai=n", "training AI is disallowed"),
                fact(2, "</b>", "the canonical URL of the page"),
                fact(3, "1", "rights to text and data mining are reserved"),
                fact(4, "/terms", "the terms of text and data mining"),
                fact(5, "ai-input=no", "input to AI is disallowed"),
                fact(5, "x", "ignored: not a known signal"),
            ]
        );
    }

    #[test]
    fn an_unreadable_line_is_a_fact() {
        // A key with a capital letter makes a dictionary invalid.
        let headers = header_lines(&[("content-usage", "Search=y")]);
        let found = facts(&headers);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].span, 0..8);
        assert_eq!(found[0].values["preference"], Value::Null);
    }
}
