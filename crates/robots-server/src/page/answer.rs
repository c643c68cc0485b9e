//! The answers of the page, from evidence: what the sections of each flow are.

use super::comparison::{self, Comparison};
use super::engines::{self, Statements};
use super::findings::LintedFile;
use super::mark::Mark;
use super::plain::{Plain, counted};
use super::request::{self, Requested};
use super::{changes, file, statements};
use crate::problem::Problem;
use crate::site::Omission;
use crate::work::Cancelled;
use maud::{Markup, html};
use robots_answers::engine_name;
use robots_answers::why::evidence::{Evidence, RobotsEvidence};
use robots_answers::why::{Answers, StatementPlaces, headline, headline_of_urls, training};
use robots_meta::Timestamp;
use robots_policy::Decision;
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

/// Returns the answer about a page. `requested` is the request for its robots.txt, if there was one; `robots` is the file, if
/// there is one. `others` has the decisions about further URLs.
pub(super) fn about_page(
    asked: &str,
    evidence: &Evidence,
    answers: &Answers,
    requested: Option<&Requested>,
    robots: Option<&[u8]>,
    others: &[(String, Vec<Decision>)],
    now: Timestamp,
) -> AnswerSections {
    let decisions = &answers.decisions;
    let field = if requested.is_some() { "url" } else { "robots" };
    let mut statements = Statements::of(decisions, &answers.places);
    let omission = requested.and_then(|requested| requested.omission);
    let parsed = robots.filter(|_| omission.is_none());
    let parsed = parsed.map(RobotsTxt::parse);
    if parsed.is_none() {
        statements = statements.without_lines();
    }
    let linted = parsed.as_ref().map(LintedFile::of);
    let mut findings: Vec<Finding> = Vec::new();
    if others.is_empty() {
        findings.push((training(decisions), "engines", "Engine by engine"));
    }
    let of_request = match (&evidence.robots_txt, requested) {
        (RobotsEvidence::Requested(_), Some(requested)) => format!("{} ", requested.sentence()),
        _ => String::new(),
    };
    let of_lint = match &linted {
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
    let headline = if others.is_empty() {
        headline(answers, evidence).text
    } else {
        let others = others.iter().map(|(_, decisions)| &decisions[..]);
        let by_url: Vec<&[Decision]> = iter::once(&decisions[..]).chain(others).collect();
        headline_of_urls(&by_url)
    };
    let content = html! {
        (top(field, asked, &headline, &findings))
        @if !others.is_empty() {
            (urls(&evidence.url, decisions, others))
            p class="note" { "What follows is about the first URL, " (Plain(&evidence.url)) "." }
        }
        (engines::section(decisions, &statements))
        @if let Some(changes) = changes::section(answers) { (changes) }
        section id="robots-txt" aria-labelledby="robots-txt-heading" {
            h2 id="robots-txt-heading" { "robots.txt" }
            (request::facts(evidence, requested))
            @if let Some(omission) = omission {
                (omitted(omission))
            } @else if let (Some(parsed), Some(linted)) = (&parsed, &linted) {
                (text(parsed, &statements, linted))
            }
        }
        (statements::section(&evidence.url, &evidence.page, decisions, now))
    };
    AnswerSections { headline, content }
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
    let content = html! {
        (top("new", asked, &headline, &findings))
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

/// Returns the headline with its findings, and the button for a link to the question, which the form with `field` has.
fn top(field: &str, asked: &str, headline: &str, findings: &[Finding]) -> Markup {
    html! {
        p class="asked" { (Plain(asked)) }
        h1 tabindex="-1" { (Plain(headline)) }
        ul class="findings" {
            @for (text, section, name) in findings {
                li { (Plain(text)) " " a href={ "#" (section) } { (name) } }
            }
        }
        div class="tools" data-needs-script data-link=(field) hidden {
            button class="quiet" type="button" data-copy="link" { "Copy a link to this question" }
            input type="text" readonly hidden aria-label="Link to this question";
            output {}
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
                            @for decision in decisions { th scope="col" { span { (engine_name(&decision.profile)) } } }
                        }
                    }
                    tbody {
                        @for (url, decisions) in first.chain(rest) {
                            tr {
                                th scope="row" { (Plain(url)) }
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
