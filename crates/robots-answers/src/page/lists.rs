//! The directives of a list and its mistakes, with their places.

use crate::json::add;
use robots_lint::list::ListFinding;
use robots_meta::Directive;
use robots_meta::directive::DirectiveValue;
use serde_json::{Value, json};

/// Returns a directive, with its place in the page or the header value; `start` is the offset of its list, if it is known.
pub(super) fn directive(directive: Directive<'_>, start: Option<usize>) -> Value {
    let value = match directive.value() {
        DirectiveValue::Flags(flags) => flags.to_string().into(),
        DirectiveValue::MaxSnippet(limit) | DirectiveValue::MaxVideoPreview(limit) => json!(limit),
        DirectiveValue::MaxImagePreview(size) => json!(size),
        DirectiveValue::UnavailableAfter(time) => json!(time),
        _ => Value::Null,
    };
    json!({
        "text": directive.text(),
        "kind": directive.value().name(),
        "value": value,
        "offset": start.map(|start| start + directive.offset()),
        "length": directive.text().len(),
    })
}

/// Returns a mistake in a list; `start` is the offset of the list, if it is known.
pub(super) fn finding(finding: &ListFinding<'_>, start: Option<usize>) -> Value {
    let placed = |text: &str, offset: usize| {
        let offset = start.map(|start| start + offset);
        json!({"text": text, "offset": offset, "length": text.len()})
    };
    let mut answer = json!({"kind": finding.name()});
    add(&mut answer, placed(finding.text(), finding.span().start));
    if let Some(meant) = finding.meant() {
        answer["meant"] = meant.into();
    }
    if let Some((span, text)) = finding.other_span().zip(finding.other_text()) {
        answer["other"] = placed(text, span.start);
    }
    answer
}
