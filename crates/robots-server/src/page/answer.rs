//! The answers of the page, from evidence: what the sections of each flow are.

use super::ai_robots::AiRobots;
use super::comparison::{self, Comparison};
use super::engines::{self, Statements};
use super::findings::LintedFile;
use super::mark::Mark;
use super::plain::{counted, cut};
use super::request::{self, Requested};
use super::site_page::{SitePage, address};
use super::{changes, file, statements};
use crate::problem::Problem;
use crate::site::Omission;
use crate::work::Cancelled;
use maud::{Markup, html};
use robots_answers::why::evidence::{Evidence, PageEvidence, RobotsEvidence};
use robots_answers::why::{
    Answers, Headline, StatementPlaces, headline, headline_of_urls, meta_tag, training,
};
use robots_answers::{AgentName, manner};
use robots_meta::Timestamp;
use robots_policy::decision::{Effect, Source};
use robots_policy::profile::AgentTable;
use robots_policy::text::printable;
use robots_policy::{Decision, Profile};
use robots_txt::RobotsTxt;
use std::iter;

/// An answer as a part of a page: its headline, and all of it.
#[derive(Debug)]
pub(super) struct AnswerSections {
    pub(super) headline: String,
    pub(super) content: Markup,
}

/// A finding below the headline, and the section that shows it.
type Finding = (String, &'static str, &'static str);

/// The maximum number of characters that are shown of what was asked, of the headline, and of the statement that decides.
const MAX_CHARS: usize = 200;

/// An answer about a page, from which its sections follow.
pub(super) struct PageAnswer<'a> {
    /// What was asked.
    pub(super) asked: &'a str,
    /// The page of a site that was asked about.
    pub(super) question: Option<&'a SitePage>,
    /// The robot that was asked about, if it is not every engine.
    pub(super) robot: Option<&'a AgentName>,
    pub(super) evidence: &'a Evidence,
    pub(super) answers: &'a Answers,
    pub(super) ai_robots: &'a AiRobots,
    /// The request for robots.txt, if there was one.
    pub(super) requested: Option<&'a Requested>,
    /// The robots.txt, if there is one.
    pub(super) robots: Option<&'a [u8]>,
    /// The decisions about further URLs.
    pub(super) others: &'a [(String, Vec<Decision>)],
}

impl PageAnswer<'_> {
    /// Returns the headline and the sections.
    pub(super) fn sections(&self, now: Timestamp) -> AnswerSections {
        let Self {
            evidence,
            answers,
            requested,
            others,
            ..
        } = *self;
        let decisions = &answers.decisions;
        let mut statements = Statements::of(decisions, &answers.places);
        let omission = requested.and_then(|requested| requested.omission);
        let parsed = self.robots.filter(|_| omission.is_none());
        let parsed = parsed.map(RobotsTxt::parse);
        if parsed.is_none() {
            statements = statements.without_lines();
        }
        let linted = parsed.as_ref().map(LintedFile::of);
        let headline = self.headline();
        let top = Top {
            field: if requested.is_some() { "url" } else { "robots" },
            asked: self.asked,
            headline: &headline.text,
            statement: self.statement(&headline, &statements),
            findings: self.findings(linted.as_ref()),
        };
        let content = html! {
            (top.markup())
            (self.next(headline.target.as_deref()))
            @if !others.is_empty() {
                (urls(&evidence.url, decisions, others))
                p class="note" { "What follows is about the first URL, " (printable(&evidence.url)) "." }
            }
            (engines::section(decisions, &statements))
            (self.ai_robots.section())
            @if let Some(changes) = changes::section(answers) { (changes) }
            section aria-labelledby="robots-txt-heading" {
                details class="more" {
                    summary {
                        h2 id="robots-txt-heading" { "robots.txt" }
                        @if let Some(linted) = &linted { span class="note" { (counted(linted.findings, "finding")) } }
                    }
                    div id="robots-txt" {
                        (request::facts(evidence, requested))
                        @if let Some(omission) = omission {
                            (omitted(omission))
                        } @else if let (Some(parsed), Some(linted)) = (&parsed, &linted) {
                            (text(parsed, &statements, linted))
                        }
                    }
                }
            }
            (statements::section(&evidence.url, &evidence.page, decisions, now))
        };
        AnswerSections {
            headline: headline.text,
            content,
        }
    }

    fn headline(&self) -> Headline {
        let (answers, others) = (self.answers, self.others);
        let mut headline = headline(answers, self.evidence);
        if !others.is_empty() {
            let others = others.iter().map(|(_, decisions)| &decisions[..]);
            let by_url: Vec<&[Decision]> =
                iter::once(&answers.decisions[..]).chain(others).collect();
            headline.text = headline_of_urls(&by_url);
            headline.source = None;
            headline.ineffective = None;
            headline.target = None;
        }
        headline
    }

    /// Returns the statement that the headline is about, as it is in its source, with its place.
    fn statement(&self, headline: &Headline, statements: &Statements<'_>) -> Option<Markup> {
        let source = headline.source.or(headline.ineffective)?;
        if let (Source::Meta { offset }, PageEvidence::Known(page)) = (source, &self.evidence.page)
            && let Some(tag) = meta_tag(page, offset)
        {
            return Some(statement(&tag, &statements.place(&source)));
        }
        let mut decisions = self.answers.decisions.iter();
        let mut reasons = decisions.next()?.reasons.iter();
        let reason =
            reasons.find(|reason| reason.source == source && reason.effect == Effect::Decides)?;
        let text = match source {
            Source::Header { name, .. } => format!("{name}: {}", reason.text),
            Source::PageHeader { name, .. } => format!("{name}: {}", reason.text),
            Source::RobotsTxt { .. } | Source::Meta { .. } => reason.text.clone(),
            _ => return None,
        };
        Some(statement(&text, &statements.place(&source)))
    }

    /// Returns the link to the question about the page that this one leads to.
    fn next(&self, target: Option<&str>) -> Markup {
        let address = target.and_then(|target| Some((target, address(target, self.question)?)));
        html! {
            @if let Some((target, address)) = address {
                p { a class="next" href=(address) { "Check " (printable(cut(target, MAX_CHARS).0)) } }
            }
        }
    }

    fn findings(&self, linted: Option<&LintedFile>) -> Vec<Finding> {
        let Self {
            evidence,
            answers,
            requested,
            ..
        } = *self;
        let decisions = &answers.decisions;
        let mut findings: Vec<Finding> = Vec::new();
        if let PageEvidence::Known(page) = &evidence.page
            && let Some(exception) = &page.exception
        {
            findings.push((
                format!("The page was fetched {exception}."),
                "page",
                "The page",
            ));
        }
        if let Some(text) = self.robot.and_then(unknown_robot) {
            findings.push((text, "engines", engines::heading(decisions)));
        }
        if self.others.is_empty() {
            findings.push((training(decisions), "engines", engines::heading(decisions)));
        }
        let of_request = match (&evidence.robots_txt, requested) {
            (RobotsEvidence::Requested(_), Some(requested)) => format!("{} ", requested.sentence()),
            _ => String::new(),
        };
        let of_lint = match linted {
            Some(linted) if linted.findings > 0 => {
                let verb = if linted.findings == 1 {
                    "needs"
                } else {
                    "need"
                };
                format!(
                    "{} in robots.txt {verb} attention.",
                    counted(linted.findings, "finding")
                )
            }
            Some(_) => "No mistake was found in robots.txt.".to_owned(),
            None => String::new(),
        };
        findings.push((format!("{of_request}{of_lint}"), "robots-txt", "robots.txt"));
        if !answers.problems.is_empty() {
            let verb = if answers.problems.len() == 1 {
                "contradicts others or has"
            } else {
                "contradict others or have"
            };
            let text = format!(
                "{} {verb} no effect.",
                counted(answers.problems.len(), "statement")
            );
            findings.push((text, "problems", "Contradictions"));
        }
        findings
    }
}

/// Returns a statement with its place.
fn statement(text: &str, place: &Markup) -> Markup {
    let (text, left_out) = cut(text, MAX_CHARS);
    html! {
        p class="statement" {
            code { (printable(text)) @if left_out > 0 { "…" } }
            span class="where" { (place) }
        }
    }
}

/// Returns the statement that a name is not that of a known robot; nothing if it is.
fn unknown_robot(robot: &AgentName) -> Option<String> {
    let (table, token) = (AgentTable::built_in(), robot.token.as_str());
    if token == "*" || table.get(token).is_some() {
        return None;
    }
    let near = table.near(token);
    let meant = if near.is_empty() {
        String::new()
    } else {
        format!(" Did you mean {}?", near.join(", "))
    };
    let manner = manner(Profile::of_robot(token).name());
    Some(format!(
        "No known robot is called {token}: it is answered for {manner}.{meant}"
    ))
}

/// Returns the answer about two versions of a robots.txt.
pub(super) fn about_versions(
    asked: &str,
    old: &[u8],
    new: &[u8],
    requested: Option<&Requested>,
    cancelled: &Cancelled,
) -> Result<AnswerSections, Problem> {
    let versions = [old, new].map(RobotsTxt::parse);
    let comparison = Comparison::of(&versions, cancelled)?;
    let headline = comparison.headline();
    let [old, new] = versions;
    let statements = Statements::of(&[], &StatementPlaces::default());
    let linted = LintedFile::of(&new);
    let of_lint = match linted.findings {
        0 => "No mistake was found in the new version.".to_owned(),
        number => format!("The new version has {}.", counted(number, "finding")),
    };
    let mut findings = vec![(of_lint, "robots-txt", "The new version")];
    if let Some(requested) = requested {
        findings.insert(0, (requested.sentence(), "lines", "Lines that change"));
    }
    let top = Top {
        field: "new",
        asked,
        headline: &headline,
        statement: None,
        findings,
    };
    let content = html! {
        (top.markup())
        (comparison.section())
        @if let Some(omission) = requested.and_then(|requested| requested.omission) {
            section id="lines" aria-labelledby="lines-heading" {
                h2 id="lines-heading" { "Lines that change" }
                (omitted(omission))
            }
        } @else {
            (comparison::text(&old, &new))
        }
        section id="robots-txt" aria-labelledby="robots-txt-heading" {
            h2 id="robots-txt-heading" { "The new version" }
            (text(&new, &statements, &linted))
        }
    };
    Ok(AnswerSections { headline, content })
}

/// The start of an answer.
struct Top<'a> {
    /// A field of the form that holds the question.
    field: &'a str,
    asked: &'a str,
    headline: &'a str,
    /// The statement that decides.
    statement: Option<Markup>,
    findings: Vec<Finding>,
}

impl Top<'_> {
    /// Returns the headline with what decides it, its findings, and the button for a link to the question.
    fn markup(&self) -> Markup {
        let (asked, asked_rest) = cut(self.asked, MAX_CHARS);
        let (headline, headline_rest) = cut(self.headline, MAX_CHARS);
        html! {
            p class="asked" { (printable(asked)) @if asked_rest > 0 { "…" } }
            h1 tabindex="-1" { (printable(headline)) @if headline_rest > 0 { "…" } }
            @if let Some(statement) = &self.statement { (statement) }
            ul class="findings" {
                @for (text, section, name) in &self.findings {
                    li { (printable(text)) " " a href={ "#" (section) } { (name) } }
                }
            }
            div class="tools" data-needs-script data-link=(self.field) hidden {
                button class="quiet" type="button" data-copy="link" { "Copy a link to this question" }
                input type="text" readonly hidden aria-label="Link to this question";
                output {}
            }
        }
    }
}

/// Returns the statement that a robots.txt is not shown. Its rules apply all the same.
fn omitted(omission: Omission) -> Markup {
    html! {
        p { (omission.sentence()) " Its text is not shown. Its rules apply, and answers name those that decide." }
    }
}

/// Returns a robots.txt with its findings and corrections.
fn text(robots: &RobotsTxt, statements: &Statements<'_>, linted: &LintedFile) -> Markup {
    html! {
        @if robots.body().trim_ascii().is_empty() {
            p { "The file is blank: it allows everything." }
        } @else {
            (file::lines(robots, statements, linted))
            (linted.corrected())
        }
    }
}

/// Returns the table of several URLs: whether each engine may fetch each.
fn urls(first: &str, decisions: &[Decision], others: &[(String, Vec<Decision>)]) -> Markup {
    let first = iter::once((first, decisions));
    let rest = others
        .iter()
        .map(|(url, decisions)| (url.as_str(), decisions.as_slice()));
    html! {
        section id="urls" aria-labelledby="urls-heading" {
            h2 id="urls-heading" { "May it be fetched?" }
            div class="scroll" role="region" aria-label="Answers for each URL" tabindex="0" {
                table class="engines urls" {
                    caption class="unseen" { "Whether each engine may fetch each URL" }
                    thead {
                        tr {
                            th scope="col" { "URL" }
                            @for decision in decisions { th scope="col" { span { (printable(engines::name(decision))) } } }
                        }
                    }
                    tbody {
                        @for (url, decisions) in first.chain(rest) {
                            tr {
                                th scope="row" { (printable(url)) }
                                @for decision in decisions {
                                    td {
                                        @let (mark, word) = super::mark::answer(decision, robots_policy::decision::Field::Fetch);
                                        (mark.with_words(word))
                                    }
                                }
                            }
                        }
                    }
                }
            }
            ul class="keys" { li { (Mark::Yes.with_words("yes")) } li { (Mark::No.with_words("no")) } }
        }
    }
}
