//! What to change, and statements that contradict others or have no effect.

use super::engines::names;
use super::mark::title;
use super::plain::{capitalised, counted, cut, engines};
use maud::{Markup, html};
use robots_answers::why::{Answers, Change, Robot};
use robots_answers::{grouped, robot_name};
use robots_policy::text::printable;

/// The number of changes that are shown before the others are opened.
const MAX_OPEN: usize = 2;

/// The maximum number of characters of a change that are shown before the rest is opened.
const MAX_CHARS: usize = 200;

/// Returns the section; nothing if there is nothing to change, and no problem.
pub(super) fn section(answers: &Answers) -> Option<Markup> {
    if answers.changes.is_empty() && answers.problems.is_empty() {
        return None;
    }
    let all = names(&answers.decisions);
    let who = |robots: &[Robot]| {
        let some: Vec<&str> = robots
            .iter()
            .map(|robot| robot_name(&robot.agent, &robot.profile))
            .collect();
        engines(&some, &all)
    };
    // One change may concern several fields.
    let changes = answers.changes.iter();
    let changes = grouped(changes.map(|change| (change.text.as_str(), change)));
    let (first, rest) = changes.split_at(changes.len().min(MAX_OPEN));
    Some(html! {
        section id="changes" aria-labelledby="changes-heading" {
            h2 id="changes-heading" { "What to change" }
            @if changes.is_empty() {
                p { "Every answer is a yes, or no statement concerns it." }
            } @else {
                p class="note" { "Where an answer is not the one that you want:" }
                ul class="changes" { @for change in first { (item(change, &who)) } }
                @if !rest.is_empty() {
                    details {
                        summary { (counted(rest.len(), "more change")) }
                        ul class="changes" { @for change in rest { (item(change, &who)) } }
                    }
                }
            }
            @if !answers.problems.is_empty() {
                details class="more" {
                    summary { h3 { (counted(answers.problems.len(), "problem")) } }
                    ul id="problems" class="changes" {
                        @for problem in &answers.problems {
                            li {
                                (printable(&problem.text))
                                span class="who" { "For " (who(&problem.robots)) }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Returns a change with the answers that it concerns.
fn item((text, changes): &(&str, Vec<&Change>), who: &impl Fn(&[Robot]) -> String) -> Markup {
    let text = capitalised(text);
    let (start, left_out) = cut(&text, MAX_CHARS);
    html! {
        li {
            @if left_out > 0 {
                details { summary { (printable(start)) "…" } (printable(&text)) }
            } @else {
                (printable(&text))
            }
            @for change in changes {
                span class="who" { b { (title(change.field)) } " for " (who(&change.robots)) }
            }
        }
    }
}
