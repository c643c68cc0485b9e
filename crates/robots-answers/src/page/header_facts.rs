//! Header lines that state facts about a page instead of directives: links, reservations, preferences.

use super::words::quoted;
use super::{HeaderLine, span_of};
use robots_meta::header::{ContentUsage, HeaderFact, HeaderLink, PageHeader, Reservation};
use robots_meta::page_headers;
use robots_meta::robots_usage::Preference;
use robots_meta::robots_usage::content_signal::{ContentUse, Signal};
use robots_meta::robots_usage::content_usage::UsageCategory;
use serde::Serialize;
use std::ops::Range;

/// A fact with its place.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fact<'h> {
    /// The header of its line.
    pub header: PageHeader,
    /// The index of its line among all header lines, from 0.
    pub line: usize,
    /// Its place in the value of the line, in bytes.
    pub span: Range<usize>,
    /// Its meaning, for people.
    pub meaning: String,
    /// Its values, for JSON.
    pub values: FactValues<'h>,
}

/// The values of a fact.
#[derive(Debug, Serialize)]
#[non_exhaustive]
#[serde(untagged)]
pub enum FactValues<'h> {
    /// A link to the canonical URL or the licence.
    Link {
        /// The target, as written.
        href: &'h str,
        /// The relations.
        relations: Vec<String>,
        /// What the link is about, if it is not the page.
        anchor: Option<String>,
        /// The type of the target.
        #[serde(rename = "type")]
        media_type: Option<String>,
    },
    /// A reservation of the rights to text and data mining.
    TdmReservation {
        /// The value as written.
        text: &'h str,
        /// The reservation; `None` if the value is not valid.
        reservation: Option<Reservation>,
    },
    /// The terms of text and data mining.
    TdmPolicy {
        /// The URL of the terms.
        href: &'h str,
    },
    /// A preference about the use of the page.
    ContentUsage {
        /// The statement as written.
        text: &'h str,
        /// The use; `None` if the line is not valid.
        category: Option<UsageCategory>,
        /// The preference; `None` if the line is not valid.
        preference: Option<Preference>,
    },
    /// A content signal.
    ContentSignal {
        /// The signal as written.
        text: &'h str,
        /// The name of the signal, if it is known.
        signal: Option<&'static str>,
        /// The value of the signal, if it is known.
        value: Option<SignalValue>,
    },
}

/// The value of a content signal.
#[derive(Debug, Serialize)]
#[non_exhaustive]
#[serde(untagged)]
pub enum SignalValue {
    /// Whether a use is allowed.
    Preference(Preference),
    /// The extent of use.
    Use(ContentUse),
}

/// Returns the facts in header lines, in order.
pub fn facts<'h>(headers: &'h [HeaderLine<'h>]) -> Vec<Fact<'h>> {
    let page = page_headers(headers.iter().map(HeaderLine::bytes));
    let value_of = |line: usize| headers.get(line).map_or("", |header| &*header.text);
    let links = page
        .links()
        .iter()
        .map(|found| link(found, value_of(found.header_index())));
    let mut facts: Vec<Fact<'_>> = links
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

fn link<'h>(link: &HeaderLink<'h>, value: &str) -> Fact<'h> {
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
        span: span_of(offset, url),
        meaning: format!("{target} of {subject}"),
        values: FactValues::Link {
            href: link.href(),
            relations: link.relations().map(str::to_owned).collect(),
            anchor: link.anchor().map(str::to_owned),
            media_type: link.media_type().map(str::to_owned),
        },
    }
}

/// Returns a fact with its place.
fn placed<'h, M: Copy>(
    header: PageHeader,
    found: &HeaderFact<'h, M>,
    meaning: String,
    values: FactValues<'h>,
) -> Fact<'h> {
    Fact {
        header,
        line: found.header_index(),
        span: span_of(found.offset(), found.text()),
        meaning,
        values,
    }
}

fn reservation<'h>(found: &HeaderFact<'h, Option<Reservation>>) -> Fact<'h> {
    let reservation = found.meaning();
    let meaning = match reservation {
        Some(Reservation::Reserved) => "rights to text and data mining are reserved",
        Some(Reservation::NotReserved) => "rights to text and data mining are not reserved",
        None => "ignored: neither 0 nor 1",
    };
    let text = found.text();
    let values = FactValues::TdmReservation { text, reservation };
    placed(
        PageHeader::TdmReservation,
        found,
        meaning.to_owned(),
        values,
    )
}

fn policy<'h>(found: &HeaderFact<'h, ()>) -> Fact<'h> {
    let meaning = "the terms of text and data mining".to_owned();
    let values = FactValues::TdmPolicy { href: found.text() };
    placed(PageHeader::TdmPolicy, found, meaning, values)
}

fn usage<'h>(usage: &ContentUsage<'h>) -> Vec<Fact<'h>> {
    let categories = [
        (UsageCategory::TrainAi, "training AI"),
        (UsageCategory::Search, "search"),
    ];
    let statements = categories.into_iter().filter_map(|(category, purpose)| {
        let found = usage.statement(category)?;
        let values = FactValues::ContentUsage {
            text: found.text(),
            category: Some(category),
            preference: Some(found.meaning()),
        };
        let meaning = preference_for(purpose, found.meaning());
        Some(placed(PageHeader::ContentUsage, found, meaning, values))
    });
    statements.collect()
}

/// Returns the fact of a line that is not a dictionary. It makes all lines of its name ineffective.
fn unreadable_usage(line: usize, value: &str) -> Fact<'_> {
    Fact {
        header: PageHeader::ContentUsage,
        line,
        span: span_of(0, value),
        meaning: "ignored, like all lines of this name: not a dictionary".to_owned(),
        values: FactValues::ContentUsage {
            text: value,
            category: None,
            preference: None,
        },
    }
}

fn signal<'h>(signal: &HeaderFact<'h, Signal>) -> Fact<'h> {
    let of_use = |name, purpose, preference| {
        let value = SignalValue::Preference(preference);
        (Some((name, value)), preference_for(purpose, preference))
    };
    let (known, meaning) = match signal.meaning() {
        Signal::Search(preference) => of_use("search", "search", preference),
        Signal::AiInput(preference) => of_use("ai-input", "input to AI", preference),
        Signal::AiTrain(preference) => of_use("ai-train", "training AI", preference),
        Signal::Use(extent) => (
            Some(("use", SignalValue::Use(extent))),
            "the extent of use: for information only".to_owned(),
        ),
        _ => (None, "ignored: not a known signal".to_owned()),
    };
    let (name, value) = known.unzip();
    let values = FactValues::ContentSignal {
        text: signal.text(),
        signal: name,
        value,
    };
    placed(PageHeader::ContentSignal, signal, meaning, values)
}

/// Returns a preference in words: `search is allowed`.
fn preference_for(purpose: &str, preference: Preference) -> String {
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
        let values = serde_json::to_value(&found[0].values).unwrap();
        assert_eq!(values["preference"], serde_json::Value::Null);
    }
}
