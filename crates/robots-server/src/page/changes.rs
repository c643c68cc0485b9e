//! What to change, and statements that contradict others or have no effect.

use super::engines::names;
use super::mark::COLUMNS;
use super::plain::{Plain, capitalised, engines};
use maud::{Markup, html};
use robots_answers::engine_name;
use robots_answers::grouped;
use robots_answers::why::{Answers, Robot};
use robots_policy::decision::Field;

/// Returns the section; nothing if there is nothing to change, and no problem.
pub(super) fn section(answers: &Answers) -> Option<Markup> {
    if answers.changes.is_empty() && answers.problems.is_empty() {
        return None;
    }
    let all = names(&answers.decisions);
    let who = |robots: &[Robot]| {
        let some: Vec<&str> = robots
            .iter()
            .map(|robot| engine_name(&robot.profile))
            .collect();
        engines(&some, &all)
    };
    // One change may concern several fields.
    let changes = answers.changes.iter();
    let changes = grouped(changes.map(|change| (change.text.as_str(), change)));
    Some(html! {
        section id="changes" aria-labelledby="changes-heading" {
            h2 id="changes-heading" { "What to change" }
            @if changes.is_empty() {
                p { "Every answer is a yes, or no statement concerns it." }
            } @else {
                p class="note" { "Where an answer is not the one that you want:" }
                ul class="changes" {
                    @for (text, changes) in &changes {
                        li {
                            (Plain(&capitalised(text)))
                            @for change in changes {
                                span class="who" { b { (column(change.field)) } " for " (who(&change.robots)) }
                            }
                        }
                    }
                }
            }
            @if !answers.problems.is_empty() {
                h3 id="problems" { "Contradictions, and statements without effect" }
                ul class="changes" {
                    @for problem in &answers.problems {
                        li {
                            (Plain(&problem.text))
                            span class="who" { "For " (who(&problem.robots)) }
                        }
                    }
                }
            }
        }
    })
}

/// Returns the name of a field, as the table has it.
fn column(field: Field) -> &'static str {
    let mut columns = COLUMNS.iter();
    let column = columns.find(|(column, _)| *column == field);
    column.map_or(field.name(), |(_, name)| name)
}
