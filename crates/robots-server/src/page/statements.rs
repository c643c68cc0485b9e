//! What is known about the page: its response, and the METAs and headers for robots, each with the effect of its directives.
//! The body of the page is never shown.

use super::engines::names;
use super::findings::label;
use super::mark::{COLUMNS, Mark, answer, engine};
use super::plain::{Message, Plain, counted, cut, engines, text};
use indexmap::IndexMap;
use maud::{Markup, html};
use robots_answers::why::StatementPlaces;
use robots_answers::why::evidence::{KnownPage, PageEvidence};
use robots_lint::{FindingKind, PageInput, PageLinter, Severity};
use robots_meta::header::{PageHeader, RobotsHeader};
use robots_meta::page::Meta;
use robots_meta::{HeadOptions, Timestamp};
use robots_policy::Decision;
use robots_policy::decision::{Effect, Source};
use robots_policy::profile::AgentTable;

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
        section id="page" aria-labelledby="page-heading" {
            h2 id="page-heading" { "The page" }
            @match page {
                PageEvidence::Unknown(why) => p {
                    "Its METAs and headers are not known: " (Plain(why)) "."
                },
                PageEvidence::Known(known) => (of_known(url, known, decisions, now)),
                _ => p { "Its METAs and headers are not known." },
            }
        }
    }
}

fn of_known(url: &str, page: &KnownPage, decisions: &[Decision], now: Timestamp) -> Markup {
    let (statements, left_out) = statements(page, decisions);
    html! {
        (facts(page))
        @if statements.is_empty() && !page.has_body {
            p { "It has no header for robots." }
        } @else if statements.is_empty() {
            p { "It has no META and no header for robots: each answer about it is a default." }
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
            @if let Some(status) = page.status { dt { "Status" } dd { (status) } }
            @if let Some(location) = page.location() {
                dt { "Redirects to" }
                dd { (Plain(cut(&location, MAX_CHARS).0)) ", which is another page with answers of its own" }
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
                code { b { (Plain(&self.name)) } ": " (Plain(content)) @if left_out > 0 { "…" } }
                span class="where" { (self.place) }
                ul class="effects" {
                    @for (directive, mark, effect) in &self.effects {
                        li {
                            span class={ "mark " (mark.class()) } { (mark.shape()) }
                            " " (effect) " (" code { (Plain(directive)) } ")"
                        }
                    }
                    @if self.effects.is_empty() { li class="note" { "No answer of the table depends on it." } }
                }
            }
        }
    }
}

/// Returns the METAs and header lines for robots, and the number of those that are not listed.
fn statements(page: &KnownPage, decisions: &[Decision]) -> (Vec<Statement>, usize) {
    let mut all = Vec::new();
    let mut left_out = 0_usize;
    let mut add = |statement: &dyn Fn() -> Statement| {
        if all.len() < MAX_LISTED {
            all.push(statement());
        } else {
            left_out = left_out.saturating_add(1);
        }
    };
    for (index, (name, value)) in page.headers.iter().enumerate() {
        // HTTP libraries write names in lower case: the canonical form is easier to read.
        let canonical = RobotsHeader::from_name(name)
            .map(|header| header.to_string())
            .or_else(|| PageHeader::from_name(name).map(|header| header.to_string()));
        if let Some(canonical) = canonical {
            add(&|| Statement {
                id: format!("header-{index}"),
                place: format!("header line {}", index.saturating_add(1)),
                name: canonical.clone(),
                content: text(value).into_owned(),
                effects: effects(decisions, |source| match source {
                    Source::Header { header, .. } | Source::PageHeader { header, .. } => {
                        *header == index
                    }
                    _ => false,
                }),
            });
        }
    }
    if page.is_html {
        let facts = HeadOptions::new()
            .with_charset(page.charset().unwrap_or_default())
            .read_document(&page.body);
        let names = AgentTable::built_in().meta_names();
        let metas: Vec<_> = facts.robots_metas(&names).collect();
        let places = StatementPlaces::new(page, metas.iter().map(Meta::offset));
        for meta in metas {
            let here = Source::Meta {
                offset: meta.offset(),
            };
            add(&|| Statement {
                id: format!("meta-{}", meta.offset()),
                place: places.text(&here),
                name: meta.name().unwrap_or_default().to_owned(),
                content: meta.content().to_owned(),
                effects: effects(decisions, |source| *source == here),
            });
        }
    }
    (all, left_out)
}

/// Returns what the directives at a place do: for each directive, field and effect the engines.
fn effects(
    decisions: &[Decision],
    is_here: impl Fn(&Source) -> bool,
) -> Vec<(String, Mark, String)> {
    let mut by_effect: IndexMap<(&str, &str, Mark, String), Vec<&str>> = IndexMap::new();
    for decision in decisions {
        for (field, name) in COLUMNS {
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
                let key = (reason.text.as_str(), name, mark, effect);
                by_effect
                    .entry(key)
                    .or_default()
                    .push(engine(&decision.profile));
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
