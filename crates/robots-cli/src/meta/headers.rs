//! What header lines say about a page that is no directive: links, reservations, preferences.

use super::span_of;
use super::words::quoted;
use robots_meta::header::{
    ContentSignal, ContentUsage, HeaderLink, PageHeader, Reservation, TdmPolicy, TdmReservation,
    UsageStatement,
};
use robots_meta::page_headers;
use robots_meta::robots_usage::Preference;
use robots_meta::robots_usage::content_signal::Signal;
use robots_meta::robots_usage::content_usage::UsageCategory;
use serde_json::{Value, json};
use std::ops::Range;

/// A fact with its place.
#[derive(Debug)]
pub(super) struct Fact {
    pub(super) header: PageHeader,
    /// The index of its line among all.
    pub(super) line: usize,
    /// Its place in the value of the line.
    pub(super) span: Range<usize>,
    /// What it says, for people.
    pub(super) meaning: String,
    /// What it says, for programs: an object.
    pub(super) values: Value,
}

/// The facts in these lines, in order.
pub(super) fn facts(headers: &[(&str, &str)]) -> Vec<Fact> {
    let found = page_headers(headers.iter().copied());
    let value_of = |line: usize| headers.get(line).map_or("", |(_, value)| *value);
    let links = found
        .links()
        .iter()
        .map(|found| link(found, value_of(found.line())));
    let mut facts: Vec<Fact> = links
        .chain(found.tdm_reservations().iter().map(reservation))
        .chain(found.tdm_policies().iter().map(policy))
        .chain(found.content_signals().iter().map(signal))
        .collect();
    if let Some(found) = found.content_usage() {
        facts.extend(usage(found));
        let unreadable = found.unreadable_line();
        facts.extend(unreadable.map(|line| unreadable_usage(line, value_of(line))));
    }
    facts.sort_by_key(|fact| (fact.line, fact.span.start));
    facts
}

fn link(found: &HeaderLink<'_>, value: &str) -> Fact {
    let offset = found.offset();
    let behind = value.get(offset..).unwrap_or_default();
    let url = behind.split_inclusive('>').next().unwrap_or_default();
    let what = match (
        found.has_relation("canonical"),
        found.has_relation("license"),
    ) {
        (true, true) => "the canonical URL and the licence",
        (true, false) => "the canonical URL",
        _ => "the licence",
    };
    let of = match found.anchor() {
        Some(anchor) => quoted(anchor),
        None => "the page".to_owned(),
    };
    Fact {
        header: PageHeader::Link,
        line: found.line(),
        span: span_of(offset, url),
        meaning: format!("{what} of {of}"),
        values: json!({
            "href": found.href(),
            "relations": found.relations().collect::<Vec<_>>(),
            "anchor": found.anchor(),
            "type": found.media_type(),
        }),
    }
}

fn reservation(found: &TdmReservation<'_>) -> Fact {
    let meaning = match found.reservation() {
        Some(Reservation::Reserved) => "rights to text and data mining are reserved",
        Some(Reservation::NotReserved) => "rights to text and data mining are not reserved",
        None => "ignored: neither 0 nor 1",
    };
    Fact {
        header: PageHeader::TdmReservation,
        line: found.line(),
        span: span_of(found.offset(), found.text()),
        meaning: meaning.to_owned(),
        values: json!({"text": found.text(), "reservation": found.reservation()}),
    }
}

fn policy(found: &TdmPolicy<'_>) -> Fact {
    Fact {
        header: PageHeader::TdmPolicy,
        line: found.line(),
        span: span_of(found.offset(), found.url()),
        meaning: "the terms of text and data mining".to_owned(),
        values: json!({"href": found.url()}),
    }
}

fn usage(found: &ContentUsage<'_>) -> Vec<Fact> {
    [UsageCategory::TrainAi, UsageCategory::Search]
        .into_iter()
        .filter_map(|category| found.statement(category))
        .map(statement)
        .collect()
}

fn statement(found: &UsageStatement<'_>) -> Fact {
    let what = match found.category() {
        UsageCategory::TrainAi => "training AI",
        UsageCategory::Search => "search",
        _ => "this use",
    };
    Fact {
        header: PageHeader::ContentUsage,
        line: found.line(),
        span: span_of(found.offset(), found.text()),
        meaning: wish(what, found.preference()),
        values: json!({
            "text": found.text(),
            "category": found.category(),
            "preference": found.preference(),
        }),
    }
}

/// A line that is no dictionary: with it, none of its kind counts.
fn unreadable_usage(line: usize, value: &str) -> Fact {
    Fact {
        header: PageHeader::ContentUsage,
        line,
        span: span_of(0, value),
        meaning: "ignored, like all lines of this name: not a dictionary".to_owned(),
        values: json!({"text": value, "category": null, "preference": null}),
    }
}

fn signal(found: &ContentSignal<'_>) -> Fact {
    let (name, value, meaning) = match found.signal() {
        Signal::Search(said) => (json!("search"), json!(said), wish("search", said)),
        Signal::AiInput(said) => (json!("ai-input"), json!(said), wish("input to AI", said)),
        Signal::AiTrain(said) => (json!("ai-train"), json!(said), wish("training AI", said)),
        Signal::Use(said) => {
            let meaning = "the extent of use: for information only".to_owned();
            (json!("use"), json!(said), meaning)
        }
        _ => {
            let meaning = "ignored: not a known signal".to_owned();
            (Value::Null, Value::Null, meaning)
        }
    };
    Fact {
        header: PageHeader::ContentSignal,
        line: found.line(),
        span: span_of(found.offset(), found.text()),
        meaning,
        values: json!({"text": found.text(), "signal": name, "value": value}),
    }
}

fn wish(what: &str, said: Preference) -> String {
    match said {
        Preference::Allow => format!("{what} is allowed"),
        Preference::Disallow => format!("{what} is disallowed"),
        Preference::Unknown => format!("no statement about {what}"),
    }
}

#[cfg(test)]
mod tests {
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
        let found: Vec<(usize, &str, String)> = facts(&headers)
            .into_iter()
            .map(|fact| {
                let text = &headers[fact.line].1[fact.span];
                (fact.line, text, fact.meaning)
            })
            .collect();
        let said = |line, text, meaning: &str| (line, text, meaning.to_owned());
        assert_eq!(
            found,
            [
                said(1, "search=y", "search is allowed"),
                said(1, "train-ai=n", "training AI is disallowed"),
                said(2, "</b>", "the canonical URL of the page"),
                said(3, "1", "rights to text and data mining are reserved"),
                said(4, "/terms", "the terms of text and data mining"),
                said(5, "ai-input=no", "input to AI is disallowed"),
                said(5, "x", "ignored: not a known signal"),
            ]
        );
    }

    #[test]
    fn a_line_that_is_no_dictionary_is_a_fact() {
        let found = facts(&[("content-usage", "Search=y")]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].span, 0..8);
        assert_eq!(found[0].values["preference"], Value::Null);
    }
}
