//! The answers about a page, for people.

use crate::terminal::{counted, grouped, printable, wrapped};
use robots_answers::manner;
use robots_answers::why::evidence::{Evidence, KnownPage, PageEvidence, RobotsEvidence};
use robots_answers::why::{Answers, MAIN_FIELDS, Robot, StatementPlaces};
use robots_policy::Decision;
use robots_policy::decision::Field;
use std::io::{self, Write};

/// Writes the evidence, the answers, and what follows from them.
pub(super) fn write(
    out: &mut impl Write,
    evidence: &Evidence,
    answers: &Answers,
) -> io::Result<()> {
    writeln!(out, "{}", printable(&evidence.url))?;
    writeln!(
        out,
        "  robots.txt  {}",
        printable(&of_robots(&evidence.robots_txt))
    )?;
    writeln!(out, "  page        {}", printable(&of_page(&evidence.page)))?;
    let mut profiles = answers.decisions.iter().map(|decision| &*decision.profile);
    let first = profiles.next().unwrap_or_default();
    let reading = if profiles.all(|profile| profile == first) {
        manner(first)
    } else {
        "as each robot's operator (in parentheses) reads robots.txt".to_owned()
    };
    writeln!(out, "  read        {}", printable(&reading))?;
    let labelled = answers.decisions.iter().map(|decision| {
        let robot = Robot::of(decision);
        (lines(decision, &answers.places), label(&robot))
    });
    for (lines, labels) in grouped(labelled) {
        write!(out, "\n{}", wrapped(&labels, 0))?;
        for line in lines {
            writeln!(out, "  {line}")?;
        }
    }
    let problems = answers.problems.iter();
    list(
        out,
        "Problems",
        problems.map(|problem| (printable(&problem.text).into_owned(), &problem.robots[..])),
        answers,
    )?;
    let changes = answers.changes.iter();
    list(
        out,
        "What would change an answer",
        changes.map(|change| {
            (
                format!("{}: {}", shown_name(change.field), change.text),
                &change.robots[..],
            )
        }),
        answers,
    )?;
    if !answers.expectations.is_empty() {
        writeln!(out, "\nExpected")?;
    }
    for expected in &answers.expectations {
        let verdict = if expected.met { "met" } else { "NOT MET" };
        writeln!(
            out,
            "  {:<9}  {verdict:<7}  {} is {} for {}",
            expected.expect,
            expected.field,
            expected.value,
            label(&expected.robot)
        )?;
    }
    Ok(())
}

/// Writes texts below a heading, each with its robots unless these are all; nothing if there is no text.
fn list<'a>(
    out: &mut impl Write,
    heading: &str,
    texts: impl Iterator<Item = (String, &'a [Robot])>,
    answers: &Answers,
) -> io::Result<()> {
    let mut texts = texts.peekable();
    if texts.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "\n{heading}")?;
    for (text, robots) in texts {
        writeln!(out, "  {text}")?;
        if robots.len() < answers.decisions.len() {
            let labels: Vec<String> = robots.iter().map(label).collect();
            write!(out, "{}", wrapped(&labels, 6))?;
        }
    }
    Ok(())
}

fn label(robot: &Robot) -> String {
    format!("{} ({})", robot.agent, robot.profile)
}

/// Returns a line for each main field, and for each other one that a statement decides: its value, and the statement.
fn lines(decision: &Decision, places: &StatementPlaces) -> Vec<String> {
    let fields = Field::ALL.iter().filter_map(|&field| {
        let reason = decision.deciding_reason(field);
        let is_main = MAIN_FIELDS.contains(&field);
        // `page_layer` is no answer.
        if field == Field::PageLayer || reason.is_none() && !is_main {
            return None;
        }
        let name = shown_name(field);
        let value = match field.text(decision) {
            value if field == Field::MayTrain && value == "unknown" => "not known".to_owned(),
            value => value,
        };
        Some(match reason {
            Some(reason) => format!(
                "{name:<13}  {value:<8}  {}: {}",
                places.text(&reason.source),
                printable(&reason.text)
            ),
            None if field == Field::MayTrain && value == "yes" => {
                format!("{name:<13}  {value:<8}  nothing forbids it")
            }
            None => format!("{name:<13}  {value}"),
        })
    });
    fields.collect()
}

/// Returns the name of a field for people: the conclusion about training is the answer to a question about it.
fn shown_name(field: Field) -> &'static str {
    match field {
        Field::MayTrain => "train",
        field => field.name(),
    }
}

fn of_robots(robots: &RobotsEvidence) -> String {
    match robots {
        RobotsEvidence::File { name, bytes } => {
            format!("{name}, {}", counted(*bytes as u64, "byte"))
        }
        RobotsEvidence::Requested(request) => {
            let url = &request.url;
            let hops = match request.redirects as u64 {
                0 => String::new(),
                hops => format!(" after {}", counted(hops, "redirect")),
            };
            match &request.fault {
                Some((_, fault)) => format!("{url}{hops}: {fault}"),
                None => format!(
                    "{url}{hops}: status {}, {}",
                    request.status.unwrap_or_default(),
                    counted(request.bytes as u64, "byte")
                ),
            }
        }
        // `RobotsEvidence::Unknown`.
        _ => "not known: add --robots".to_owned(),
    }
}

fn of_page(page: &PageEvidence) -> String {
    match page {
        PageEvidence::Unknown(why) => format!("not known: {why}"),
        PageEvidence::Known(page) => of_known(page),
        _ => "not known".to_owned(),
    }
}

fn of_known(page: &KnownPage) -> String {
    let status = page.status.map_or_else(
        || "saved HTML".to_owned(),
        |status| format!("status {status}"),
    );
    let location = page.location().map_or_else(String::new, |location| {
        format!(", to {location} (not followed)")
    });
    let kind = if page.is_html { "" } else { ", not HTML" };
    let bytes = counted(page.body.len() as u64, "byte");
    let cut = if page.is_whole {
        ""
    } else {
        " (the rest was not read)"
    };
    format!("{status}{location}{kind}, {bytes}{cut}")
}
