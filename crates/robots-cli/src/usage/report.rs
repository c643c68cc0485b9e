//! The report of what a crawl may be used for.

use super::count::{Answers, RobotUsage, Statement, Usage, Use};
use crate::report::chart::{Chart, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{counted, counted_share};
use crate::report::table::{In, Table, TableOf, Value};
use crate::report::{Report, Section};
use crate::statistics::share::fraction;

/// The names of the tables.
pub(super) const TABLES: &[&str] = &["uses", "statements"];

/// The number of statements of each use that text and HTML show.
const SHOWN_STATEMENTS: usize = 10;

pub(super) fn report(usage: &Usage, inputs: Vec<String>) -> Report {
    let training = of_use(usage, Use::AiTrain);
    Report {
        kind: "What this crawl may be used for",
        made_by: usage.program.clone(),
        headline: format!(
            "{} of {} permit training models; {} refuse it.",
            counted_share(training.permitted, training.all(), "decision"),
            counted(usage.decisions, "decision"),
            counted_share(training.refused, training.all(), "decision"),
        ),
        numbers: vec![
            (usage.decisions.into(), "decisions about a page for a robot"),
            (
                (usage.robots.len() as u64).into(),
                "robots, each under a profile",
            ),
            (
                usage.overridden.into(),
                "decisions with an override, expired ones included",
            ),
            (usage.unreadable.into(), "rows that could not be read"),
        ],
        sections: vec![uses(usage), statements(usage)],
        method: method(usage, inputs),
        notes: if usage.statements_left_out > 0 {
            vec![format!(
                "Statements: {} with other statements are not listed.",
                counted(usage.statements_left_out, "decision")
            )]
        } else {
            Vec::new()
        },
    }
}

/// Returns the answers about a use for all robots together.
fn of_use(usage: &Usage, one: Use) -> Answers {
    let mut sum = Answers::default();
    for answers in usage.robots.iter().filter_map(|robot| robot.uses.get(&one)) {
        sum.permitted += answers.permitted;
        sum.limited += answers.limited;
        sum.refused += answers.refused;
        sum.not_known += answers.not_known;
        sum.not_applicable += answers.not_applicable;
    }
    sum
}

/// Returns what each robot may do.
fn uses(usage: &Usage) -> Section {
    let rows: Vec<(&RobotUsage, Use, Answers)> = usage
        .robots
        .iter()
        .flat_map(|robot| {
            robot
                .uses
                .iter()
                .map(move |(one, answers)| (robot, *one, *answers))
        })
        .collect();
    let mut section = Section::new("uses", "Uses by robot");
    for one in Use::ALL {
        let answers = of_use(usage, one);
        section = section.finding(format!(
            "{} ({}): {} permitted, {} limited, {} refused, {} not known.",
            one.name(),
            one.about(),
            answers.permitted,
            answers.limited,
            answers.refused,
            answers.not_known
        ));
    }
    let charts = Use::ALL.map(|one| {
        let bars = rows.iter().filter(|(_, of, _)| *of == one).take(MAX_ROWS);
        let bars = bars.map(|(robot, _, answers)| {
            let name = format!("{} ({})", robot.agent, robot.profile);
            Row::part(name, answers.permitted, answers.all(), Tone::Main)
        });
        let title = format!("Permitted: {}", one.about());
        Chart::rows(
            &title,
            "share of the decisions".to_owned(),
            Unit::Share,
            bars,
        )
    });
    let share = |part: u64, answers: &Answers| Value::Share(fraction(part, answers.all()));
    if usage.robots.len() > MAX_ROWS {
        section = section.remark(format!(
            "Charts show the first {MAX_ROWS} robots; the table has all."
        ));
    }
    section.charts(charts).table(
        Table::of("uses", "Decisions by robot and use", rows)
            .column(In::ALL, "robot", |row| row.0.agent.clone())
            .column(In::ALL, "profile", |row| row.0.profile.clone())
            .column(In::ALL, "use", |row| row.1.name())
            .column(In::ALL, "permitted", |row| row.2.permitted)
            .column(In::TEXT | In::HTML, "share", |row| {
                share(row.2.permitted, &row.2)
            })
            .column(In::ALL, "limited", |row| row.2.limited)
            .column(In::ALL, "refused", |row| row.2.refused)
            .column(In::ALL, "not_known", |row| row.2.not_known)
            .column(In::CSV, "not_applicable", |row| row.2.not_applicable),
    )
}

/// Returns the statements that refuse or limit uses.
fn statements(usage: &Usage) -> Section {
    let mut section = Section::new("statements", "Statements that refuse or limit a use");
    if usage.statements.is_empty() {
        return section.finding("No statement refuses or limits a use.");
    }
    let of = |one: Use| {
        let statements = usage.statements.iter();
        statements.filter(move |statement| statement.refused_use == one)
    };
    for one in Use::ALL {
        if let Some(most) = of(one).next() {
            section = section.finding(format!(
                "{}: most often \u{201c}{}\u{201d}, in {}.",
                one.name(),
                most.text,
                counted(most.decisions, "decision")
            ));
        }
    }
    let shown: Vec<&Statement> = Use::ALL
        .into_iter()
        .flat_map(|one| of(one).take(SHOWN_STATEMENTS))
        .collect();
    section
        .table(table(
            "",
            "The most frequent statements",
            shown,
            In::TEXT | In::HTML,
        ))
        .table(table(
            "statements",
            "Statements",
            usage.statements.iter().collect(),
            In::CSV,
        ))
}

/// Returns a table of statements for some writers.
fn table<'s>(
    name: &'static str,
    caption: &'static str,
    rows: Vec<&'s Statement>,
    writers: In,
) -> TableOf<&'s Statement> {
    Table::of(name, caption, rows)
        .column(writers, "use", |row| row.refused_use.name())
        .column(writers, "statement", |row| row.text.clone())
        .column(writers, "decisions", |row| row.decisions)
}

fn method(usage: &Usage, inputs: Vec<String>) -> Vec<(&'static str, Vec<String>)> {
    let range = |range: &Option<(String, String)>| match range {
        None => "not known".to_owned(),
        Some((first, last)) if first == last => first.clone(),
        Some((first, last)) => format!("{first} to {last}"),
    };
    let listed = |texts: &std::collections::BTreeSet<String>| {
        texts
            .iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let profiles = usage.robots.iter().map(|robot| {
        let digests = listed(&robot.profile_digests);
        format!("{} under {}: {digests}", robot.agent, robot.profile)
    });
    vec![
        ("Inputs", inputs),
        ("Pages captured", vec![range(&usage.captured_at)]),
        ("Decided", vec![
            format!("{}, by robots {}", range(&usage.decided_at), listed(&usage.decided_by)),
            format!("with the table of robots of {}", listed(&usage.agents_dates)),
        ]),
        ("Robots and digests of their profiles", profiles.collect()),
        ("How pages are decided", vec![
            "Each decision merges the robots.txt that was in force when the page was captured, the tdmrep.json of its site, the licences that it \
             names, the headers of the response, and the META tags in the head of the page, as far as the run read them (docs/limits.md), and as the \
             robot's operator documents that it reads them. The strictest statement about AI counts."
                .to_owned(),
        ]),
        ("Answers", vec![
            "Permitted: nothing that was read refuses the use; for ai-input and ai-search, a statement permits it.".to_owned(),
            "Limited: permitted under conditions, such as a payment, or only the URL of a page.".to_owned(),
            "Refused: a statement refuses it, or the page may not be fetched.".to_owned(),
            "Not known: a source could not be read, or, for ai-input and ai-search, no statement is made.".to_owned(),
        ]),
        ("What this is not", vec![
            "A statement of a site is not a licence, and its absence is not consent. Overrides are counted, and are not applied to the numbers."
                .to_owned(),
        ]),
    ]
}
