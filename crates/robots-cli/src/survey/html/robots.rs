//! How much files disallow to robots, and the robots that they name.

use super::findings::{closed, everyone, most_closed};
use super::{MAX_ROWS, MAX_TABLE_ROWS};
use crate::report::chart::{
    Axis, Caption, Key, Label, Reference, Row, Tone, Unit, rows, side_by_side,
};
use crate::report::number::{counted, counted_share, percent_of, whole};
use crate::report::page::{Page, finding};
use crate::report::table::{Cell, details};
use crate::statistics::share::fraction;
use crate::survey::facts::{Agent, Survey};
use maud::html;
use std::fmt::Write;

/// Adds the shares of files that disallow the whole site, to AI robots and to others.
pub(super) fn closed_sites(page: &mut Page, survey: &Survey) {
    let groups = [
        ("AI robots", most_closed(survey, true), Tone::Accent),
        ("Other robots", most_closed(survey, false), Tone::Main),
    ];
    let closed_to_everyone = everyone(survey).map_or(0.0, |agent| {
        fraction(agent.all, agent.with_known_restriction())
    });
    let charts = groups.map(|(title, robots, tone)| {
        let robots = robots.into_iter().filter(|agent| agent.all > 0);
        let bar = |agent: &Agent| {
            let label = Label::new(agent.name.as_str());
            let files = agent.with_known_restriction();
            Row::share(label, agent.all, files, "file", tone)
        };
        let bars: Vec<Row> = robots.take(MAX_ROWS).map(bar).collect();
        (title, bars)
    });
    // Both charts have one axis, so that they can be compared.
    let values = charts
        .iter()
        .flat_map(|(_, bars)| bars)
        .flat_map(Row::values);
    let axis = Axis::new(Unit::Share, values.chain([closed_to_everyone]));
    let axis_name = format!(
        "share of {} that disallow the whole site to the robot",
        counted(survey.text_files(), "file")
    );
    let keys = [Key::Reference("robots that a file does not name")];
    let charts: Vec<_> = charts
        .iter()
        .filter(|(_, bars)| !bars.is_empty())
        .map(|(title, bars)| {
            let title = format!("{title}: the {} most closed out", bars.len());
            let caption = Caption {
                title: &title,
                axis: &axis_name,
                keys: &keys,
            };
            rows(&caption, &axis, Some(Reference(closed_to_everyone)), bars)
        })
        .collect();
    let most = |ai: bool, others: &str| {
        let robot = most_closed(survey, ai)
            .into_iter()
            .find(|agent| agent.all > 0)?;
        Some(format!(
            "Of the {others}, {} is closed out most: by {}.",
            robot.name,
            counted_share(robot.all, robot.with_known_restriction(), "file")
        ))
    };
    let most: Vec<String> = [
        most(true, "known AI robots"),
        most(false, "other known robots"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut known: Vec<&Agent> = survey.robots.known_agents.iter().collect();
    known.sort_by_key(|agent| std::cmp::Reverse((agent.name == "*", agent.all, agent.files)));
    let table: Vec<Vec<Cell>> = known.into_iter().map(restrictions).collect();
    let content = html! {
        (finding(&closed(survey)))
        @if !most.is_empty() { (finding(&most.join(" "))) }
        (side_by_side(&charts))
        (details("Files by how much of the site they disallow to each known robot", &HEAD, &table))
    };
    page.section("closed-sites", "Closed sites", content);
}

/// The columns of a table of restrictions.
const HEAD: [&str; 8] = [
    "robot",
    "for AI",
    "files that name it",
    "none",
    "some",
    "all but some",
    "all",
    "share of all",
];

fn restrictions(agent: &Agent) -> Vec<Cell> {
    let number = |count: u64| Cell::Number(whole(count));
    vec![
        Cell::Text(agent.name.clone()),
        Cell::Text(if agent.ai { "yes" } else { "no" }.to_owned()),
        number(agent.files),
        number(agent.none),
        number(agent.some),
        number(agent.all_except),
        number(agent.all),
        Cell::Number(percent_of(agent.all, agent.with_known_restriction())),
    ]
}

/// Adds the robots that the most files name.
pub(super) fn named_robots(page: &mut Page, survey: &Survey) {
    let files = survey.text_files();
    let agents = &survey.robots.agents;
    // Nearly all files have a group for `*`: its bar would hide the differences between the others.
    let bar = |agent: &Agent| {
        let tone = if agent.ai { Tone::Accent } else { Tone::Main };
        let label = Label::new(agent.name.as_str());
        Row::share(label, agent.files, files, "file", tone)
    };
    let named = agents.iter().filter(|agent| agent.name != "*");
    let bars: Vec<Row> = named.take(MAX_ROWS).map(bar).collect();
    if agents.is_empty() {
        return;
    }
    let everyone = agents.iter().find(|agent| agent.name == "*");
    let everyone = everyone.map_or(0, |agent| agent.files);
    let mut text = format!(
        "{} have a group for *, which applies to all robots without a group.",
        counted_share(everyone, files, "file")
    );
    if let Some(first) = agents.iter().find(|agent| agent.name != "*") {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            " {} is named most: in {}.",
            first.name,
            counted_share(first.files, files, "file")
        );
    }
    let axis_name = format!(
        "share of {} with a group for the robot",
        counted(files, "file")
    );
    let caption = Caption {
        title: "The robots that the most files name, without *",
        axis: &axis_name,
        keys: &[
            Key::Tone(Tone::Accent, "AI robots"),
            Key::Tone(Tone::Main, "other robots"),
        ],
    };
    let axis = Axis::new(Unit::Share, bars.iter().flat_map(Row::values));
    let table = agents.iter().take(MAX_TABLE_ROWS).map(restrictions);
    let content = html! {
        (finding(&text))
        @if !bars.is_empty() { (rows(&caption, &axis, None, &bars)) }
        (details(
            "Files that name a robot, by how much of the site they disallow to it",
            &HEAD,
            &table.collect::<Vec<_>>(),
        ))
    };
    page.section("named-robots", "Named robots", content);
}
