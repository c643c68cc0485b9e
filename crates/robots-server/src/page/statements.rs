//! What is known about the page: its response, and the METAs and headers for robots, each with the effect of its directives.
//! The body of the page is never shown.

use super::engines::names;
use super::findings::label;
use super::mark::{Mark, answer, title};
use super::plain::{Message, counted, cut, engines};
use indexmap::IndexMap;
use maud::{Markup, html};
use robots_answers::robot_name;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_answers::why::{MAIN_FIELDS, StatementPlaces};
use robots_lint::{FindingKind, PageInput, PageLinter, Severity};
use robots_meta::header::{PageHeader, RobotsHeader};
use robots_meta::{HeadOptions, Timestamp};
use robots_policy::Decision;
use robots_policy::decision::{Effect, Source};
use robots_policy::profile::AgentTable;
use robots_policy::text::printable;
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of METAs, of header lines and of findings that are shown.
const MAX_LISTED: usize = 100;

/// The maximum number of characters that are shown of a META or a header line.
const MAX_CHARS: usize = 2_000;

/// A META or a header line for robots.
struct Statement {
    id: String,
    place: String,
    name: String,
    content: String,
    /// What its directives do, in the order of the first engine: each directive, and its effect on an answer.
    effects: Vec<(String, Mark, String)>,
}

/// Returns the section about a page.
pub(super) fn section(
    url: &str,
    page: &PageEvidence,
    decisions: &[Decision],
    now: Timestamp,
) -> Markup {
    html! {
        section aria-labelledby="page-heading" {
            details class="more" {
                summary { h2 id="page-heading" { "The page" } span class="note" { (note(page)) } }
                div id="page" {
                    @match page {
                        PageEvidence::Unknown(why) => p {
                            "Its METAs and headers are not known: " (printable(why)) "."
                        },
                        PageEvidence::Known(known) => (of_known(url, known, decisions, now)),
                        _ => p { "Its METAs and headers are not known." },
                    }
                }
            }
        }
    }
}

/// Returns what is known about a page in a few words.
fn note(page: &PageEvidence) -> String {
    match page {
        PageEvidence::Known(page) => match page.status {
            Some(status) => format!("status {status}"),
            None => "as it was given".to_owned(),
        },
        _ => "not known".to_owned(),
    }
}

fn of_known(url: &str, page: &KnownPage, decisions: &[Decision], now: Timestamp) -> Markup {
    let (statements, left_out) = statements(page, decisions);
    html! {
        (facts(page))
        @if statements.is_empty() && !page.has_body {
            p { "It has no header for robots." }
        } @else if statements.is_empty() {
            p {
                @if page.is_whole { "It has no META and no header for robots: each answer about it is a default." }
                @else { "What was read of it has no META, and it has no header for robots." }
            }
        } @else {
            h3 { "METAs and headers for robots" }
            ul class="statements" {
                @for statement in &statements { (statement.item()) }
            }
        }
        @if left_out > 0 { p class="note" { (counted(left_out, "more statement")) " are not listed." } }
        (findings(url, page, now))
    }
}

fn facts(page: &KnownPage) -> Markup {
    html! {
        dl class="facts" {
            @if let Some(exception) = &page.exception { dt { "Fetched" } dd { (printable(exception)) } }
            @if let Some(status) = page.status { dt { "Status" } dd { (status) } }
            @if let Some(location) = page.location() {
                dt { "Redirects to" }
                dd { (printable(cut(&location, MAX_CHARS).0)) ", which is another page with answers of its own" }
            }
            dt { "Body" }
            dd {
                @if !page.has_body {
                    "not given: its METAs are not known"
                } @else {
                    @if !page.is_html { "not HTML, " }
                    (counted(page.body.len(), "byte"))
                    @if !page.is_whole { "; the rest was not read" }
                }
            }
        }
    }
}

impl Statement {
    fn item(&self) -> Markup {
        let (content, left_out) = cut(&self.content, MAX_CHARS);
        html! {
            li id=(self.id) {
                code { b { (printable(&self.name)) } ": " (printable(content)) @if left_out > 0 { "…" } }
                span class="where" { (self.place) }
                ul class="effects" {
                    @for (directive, mark, effect) in &self.effects {
                        li {
                            span class={ "mark " (mark.class()) } { (mark.shape()) }
                            " " (effect) " (" code { (printable(directive)) } ")"
                        }
                    }
                    @if self.effects.is_empty() { li class="note" { "No answer of the table depends on it." } }
                }
            }
        }
    }
}

/// The place of a statement of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// A header line, by its index.
    Header(usize),
    /// A META, by its offset.
    Meta(usize),
}

impl Place {
    fn of(source: &Source) -> Option<Self> {
        match source {
            Source::Header { header, .. } | Source::PageHeader { header, .. } => {
                Some(Self::Header(*header))
            }
            Source::Meta { offset } => Some(Self::Meta(*offset)),
            _ => None,
        }
    }
}

/// Returns the METAs and header lines for robots, and the number of those that are not listed. Those that decide an answer are listed
/// always, as the answer has a link to them.
fn statements(page: &KnownPage, decisions: &[Decision]) -> (Vec<Statement>, usize) {
    let reasons = || {
        decisions
            .iter()
            .flat_map(|decision| decision.reasons.iter())
    };
    let cited: HashSet<Place> = reasons()
        .filter_map(|reason| Place::of(&reason.source))
        .collect();
    let deciding: HashSet<Place> = reasons()
        .filter(|reason| reason.effect == Effect::Decides)
        .filter_map(|reason| Place::of(&reason.source))
        .collect();
    // Each with its name and content.
    let mut found: Vec<(Place, String, Cow<'_, str>)> = Vec::new();
    for (index, (name, value)) in page.headers.iter().enumerate() {
        // HTTP libraries write names in lower case: the canonical form is easier to read.
        let canonical = RobotsHeader::from_name(name)
            .map(|header| header.to_string())
            .or_else(|| PageHeader::from_name(name).map(|header| header.to_string()));
        if let Some(canonical) = canonical {
            found.push((
                Place::Header(index),
                canonical,
                String::from_utf8_lossy(value),
            ));
        }
    }
    let facts = page.is_html.then(|| {
        HeadOptions::new()
            .with_charset(page.charset().unwrap_or_default())
            .read_document(&page.body)
    });
    let mut offsets = Vec::new();
    if let Some(facts) = &facts {
        let names = AgentTable::built_in().meta_names();
        let of_robots: HashSet<usize> = facts
            .robots_metas(&names)
            .map(|meta| meta.offset())
            .collect();
        for meta in facts.metas() {
            let place = Place::Meta(meta.offset());
            // Others are statements, too, if an answer depends on them: `tdm-reservation`.
            if of_robots.contains(&meta.offset()) || cited.contains(&place) {
                let name = meta.name().unwrap_or_default().to_owned();
                found.push((place, name, meta.content().into()));
                offsets.push(meta.offset());
            }
        }
    }
    let places = StatementPlaces::new(page, offsets);
    let is_deciding = |(place, ..): &(Place, String, Cow<'_, str>)| deciding.contains(place);
    let number = found.len();
    let mut room =
        MAX_LISTED.saturating_sub(found.iter().filter(|found| is_deciding(found)).count());
    found.retain(|statement| {
        let is_listed = is_deciding(statement) || room > 0;
        if is_listed && !is_deciding(statement) {
            room -= 1;
        }
        is_listed
    });
    let left_out = number - found.len();
    let listed = found.into_iter().map(|(place, name, content)| {
        let (id, shown_place) = match place {
            Place::Header(index) => (
                format!("header-{index}"),
                format!("header line {}", index + 1),
            ),
            Place::Meta(offset) => (
                format!("meta-{offset}"),
                places.text(&Source::Meta { offset }),
            ),
        };
        Statement {
            id,
            place: shown_place,
            name,
            content: content.into_owned(),
            effects: effects(decisions, |source| Place::of(source) == Some(place)),
        }
    });
    (listed.collect(), left_out)
}

/// Returns what the directives at a place do: for each directive, field and effect the engines.
fn effects(
    decisions: &[Decision],
    is_here: impl Fn(&Source) -> bool,
) -> Vec<(String, Mark, String)> {
    let mut by_effect: IndexMap<(&str, &str, Mark, String), Vec<&str>> = IndexMap::new();
    for decision in decisions {
        for field in MAIN_FIELDS {
            for reason in decision.reasons_for(field) {
                if !is_here(&reason.source) {
                    continue;
                }
                let (mark, word) = answer(decision, field);
                let (mark, effect) = match reason.effect {
                    Effect::Decides => (mark, word.to_owned()),
                    Effect::Agrees => (mark, format!("{word}, as another statement decides,")),
                    Effect::Overruled => (Mark::Open, "overruled".to_owned()),
                    _ => (Mark::Open, "without effect".to_owned()),
                };
                let key = (reason.text.as_str(), title(field), mark, effect);
                by_effect
                    .entry(key)
                    .or_default()
                    .push(robot_name(&decision.agent, &decision.profile));
            }
        }
    }
    let all = names(decisions);
    let effects = by_effect.into_iter();
    effects
        .map(|((directive, field, mark, effect), mut some)| {
            some.dedup();
            let who = engines(&some, &all);
            let (directive, _) = cut(directive, MAX_CHARS);
            let text = format!("{field}: {effect} for {who}");
            (directive.to_owned(), mark, text)
        })
        .collect()
}

/// Returns the findings of the linter on the page and its headers. Their lines of text are not shown.
fn findings(url: &str, page: &KnownPage, now: Timestamp) -> Markup {
    let html: &[u8] = if page.is_html { &page.body } else { &[] };
    let headers = page.headers.iter().cloned();
    let mut input = PageInput::new(html).with_url(url).with_headers(headers);
    if let Some(charset) = page.charset() {
        input = input.with_charset(charset);
    }
    let names = AgentTable::built_in().meta_names();
    let mut linted = PageLinter::new(&names).lint(input, now);
    linted.retain(|kind: FindingKind| kind.severity() >= Severity::Warning);
    let all = linted.findings();
    let left_out = all.len().saturating_sub(MAX_LISTED);
    html! {
        @if !all.is_empty() {
            h3 { "Findings on the page and its headers" }
            ul class="changes" {
                @for finding in all.iter().take(MAX_LISTED) {
                    li {
                        details {
                            summary {
                                (label(finding.kind)) " " (Message(&finding.message))
                                " (" @if finding.location.is_header { "header line " } @else { "line " }
                                (finding.location.line) ")"
                            }
                            div class="explanation" { (super::findings::explanation(finding.kind)) }
                        }
                    }
                }
            }
            @if left_out > 0 { p class="note" { (counted(left_out, "more finding")) " are not listed." } }
        }
    }
}
