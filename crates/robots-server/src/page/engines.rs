//! The table of engines, and the statements that decide its answers.
//!
//! Each statement has a number. An answer links to the statement that decides it, and a statement to its place in robots.txt,
//! in the page, or in the headers.

use super::mark::{AI_COLUMNS, Mark, answer, title};
use super::plain::{self, capitalised, counted};
use indexmap::IndexMap;
use maud::{Markup, html};
use robots_answers::why::{MAIN_FIELDS, StatementPlaces};
use robots_answers::{engine_name, manner, robot_name};
use robots_policy::Decision;
use robots_policy::decision::{Field, Source};
use robots_policy::text::printable;

/// The answers that a statement decides: for each field and its word, the engines.
type Decided<'d> = IndexMap<(&'static str, Mark, &'static str), Vec<&'d str>>;

/// The statements that decide answers, each with its place and text, in the order of the table.
#[derive(Debug)]
pub(super) struct Statements<'d> {
    decided: IndexMap<(Source, &'d str), Decided<'d>>,
    /// The names of all engines.
    engines: Vec<&'d str>,
    places: StatementPlaces,
    /// Whether the page shows the lines of robots.txt.
    has_lines: bool,
}

impl<'d> Statements<'d> {
    /// Returns the statements that decide the answers of the table, with their places.
    pub(super) fn of(decisions: &'d [Decision], places: &StatementPlaces) -> Self {
        let mut decided: IndexMap<(Source, &str), Decided<'_>> = IndexMap::new();
        for decision in decisions {
            for field in MAIN_FIELDS {
                let (mark, word) = answer(decision, field);
                // An answer that is not known is decided by no statement.
                if mark == Mark::Open {
                    continue;
                }
                if let Some(reason) = decision.deciding_reason(field) {
                    let statement = decided.entry((reason.source, reason.text.as_str()));
                    let engines = statement.or_default().entry((title(field), mark, word));
                    engines.or_default().push(name(decision));
                }
            }
        }
        Self {
            decided,
            engines: names(decisions),
            places: places.clone(),
            has_lines: true,
        }
    }

    /// Returns the same statements for a page that does not show the lines of robots.txt.
    #[must_use]
    pub(super) fn without_lines(self) -> Self {
        Self {
            has_lines: false,
            ..self
        }
    }

    /// Returns the 1-based number of the statement that decides a field.
    fn number(&self, decision: &Decision, field: Field) -> Option<usize> {
        let reason = decision.deciding_reason(field)?;
        let statement = (reason.source, reason.text.as_str());
        Some(self.decided.get_index_of(&statement)? + 1)
    }

    /// Returns what the line of robots.txt with this number decides, one text for each field and word.
    pub(super) fn of_line(&self, number: usize) -> Vec<(Mark, String)> {
        let of_line = self.decided.iter().filter(
            |((source, _), _)| matches!(source, Source::RobotsTxt { line } if *line == number),
        );
        let mut all = Decided::new();
        for (key, engines) in of_line.flat_map(|(_, decided)| decided) {
            all.entry(*key).or_default().extend(engines);
        }
        let texts = all.iter().map(|((field, mark, word), engines)| {
            let text = format!("{field}: {word} for {}", self.names(engines));
            (*mark, text)
        });
        texts.collect()
    }

    /// Returns the lines of robots.txt that decide an answer.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        self.decided.keys().filter_map(|(source, _)| match source {
            Source::RobotsTxt { line } => Some(*line),
            _ => None,
        })
    }

    fn names(&self, engines: &[&str]) -> String {
        plain::engines(engines, &self.engines)
    }

    /// Returns the place of a statement, as a link if the page shows it.
    pub(super) fn place(&self, source: &Source) -> Markup {
        let name = self.places.text(source);
        match source {
            Source::RobotsTxt { line } if self.has_lines => {
                html! { a href={ "#L" (line) } { (name) } }
            }
            Source::Meta { offset } => html! { a href={ "#meta-" (offset) } { (name) } },
            Source::Header { header, .. } | Source::PageHeader { header, .. } => {
                html! { a href={ "#header-" (header) } { (name) } }
            }
            _ => html! { (name) },
        }
    }

    fn list(&self) -> Markup {
        html! {
            ol class="reasons" {
                @for (index, ((source, text), decided)) in self.decided.iter().enumerate() {
                    @let number = index + 1;
                    li id={ "why-" (number) } {
                        b { (number) }
                        div {
                            @if matches!(source, Source::RobotsFetch | Source::Status | Source::Page | Source::Url) {
                                (printable(&capitalised(text)))
                            } @else {
                                code { (printable(text)) }
                            }
                            span class="where" { (self.place(source)) }
                            ul class="effects" {
                                @for ((field, mark, word), engines) in decided {
                                    li {
                                        span class={ "mark " (mark.class()) } { (mark.shape()) }
                                        " " (field) ": " (word) " for " (self.names(engines))
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the names of the engines of decisions.
pub(super) fn names(decisions: &[Decision]) -> Vec<&str> {
    decisions.iter().map(name).collect()
}

/// Returns the name of a decision's robot.
pub(super) fn name(decision: &Decision) -> &str {
    robot_name(&decision.agent, &decision.profile)
}

/// Returns the product token of an engine's robot, or how another robot reads robots.txt.
fn detail(decision: &Decision) -> String {
    match (decision.agent.as_str(), name(decision)) {
        ("*", name) if name == engine_name(&decision.profile) => "any robot".to_owned(),
        (agent, name) if agent == name || agent == "*" => manner(&decision.profile),
        (agent, _) => agent.to_owned(),
    }
}

/// Returns the heading of the section.
pub(super) fn heading(decisions: &[Decision]) -> &'static str {
    match decisions {
        [_] => "The answers",
        _ => "Engine by engine",
    }
}

/// Returns the section: the table, the meaning of its marks, and the statements.
pub(super) fn section(decisions: &[Decision], statements: &Statements<'_>) -> Markup {
    let own_columns = MAIN_FIELDS.len() - AI_COLUMNS;
    html! {
        section id="engines" aria-labelledby="engines-heading" {
            h2 id="engines-heading" { (heading(decisions)) }
            div class="scroll" role="region" aria-label="Answers for each engine" tabindex="0" {
                table class="engines" {
                    caption class="unseen" { "Answers for each engine" }
                    colgroup span="1" {}
                    colgroup span=(own_columns) {}
                    colgroup span=(AI_COLUMNS) {}
                    thead {
                        tr {
                            th scope="col" rowspan="2" { @if decisions.len() == 1 { "Robot" } @else { "Engine" } }
                            th scope="colgroup" colspan=(own_columns) { "The page itself" }
                            th scope="colgroup" colspan=(AI_COLUMNS) { "Use by AI" }
                        }
                        tr { @for field in MAIN_FIELDS { th scope="col" { span { (title(field)) } } } }
                    }
                    tbody {
                        @for decision in decisions {
                            tr {
                                th scope="row" {
                                    (printable(name(decision)))
                                    small { (printable(&detail(decision))) }
                                }
                                @for field in MAIN_FIELDS { td { (cell(decision, field, statements)) } }
                            }
                        }
                    }
                }
            }
            ul class="keys" {
                li { (Mark::Yes.with_words("yes")) }
                li { (Mark::No.with_words("no")) }
                li { (Mark::Part.with_words("in part, or later")) }
                li { (Mark::Open.with_words("not stated, or not known")) }
                li { "A number is that of the deciding statement below." }
            }
            @if statements.decided.is_empty() {
                p { "No statement concerns these answers: each is the default of its engine." }
            } @else {
                details class="more" {
                    summary { h3 { (counted(statements.decided.len(), "deciding statement")) } }
                    (statements.list())
                    p class="note" { "An answer without a number is the default of its engine." }
                }
            }
        }
    }
}

fn cell(decision: &Decision, field: Field, statements: &Statements<'_>) -> Markup {
    let (mark, word) = answer(decision, field);
    let number = statements.number(decision, field);
    let Some(number) = number.filter(|_| mark != Mark::Open) else {
        return mark.with_words(word);
    };
    html! {
        a class={ "mark " (mark.class()) } href={ "#why-" (number) } {
            (mark.shape())
            span class="word" { (word) }
            span class="unseen" { ", statement " }
            sup { (number) }
        }
    }
}
