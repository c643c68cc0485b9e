//! How much files disallow to robots, and the robots that they name.

use super::findings::{closed, everyone, most_closed};
use crate::report::Section;
use crate::report::chart::{AI_KEYS, Chart, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{counted, counted_share};
use crate::report::table::{In, Table, TableOf, Value};
use crate::statistics::share::fraction;
use crate::survey::facts::{Agent, Survey};
use std::cmp::Reverse;
use std::fmt::Write;

/// Returns the shares of files that disallow the whole site, to AI robots and to others.
pub(super) fn closed_sites(survey: &Survey) -> Section {
    let closed_to_everyone = everyone(survey).map_or(0.0, |agent| {
        fraction(agent.all, agent.with_known_restriction())
    });
    let axis = format!(
        "share of {} that disallow the whole site to the robot",
        counted(survey.text_files(), "file")
    );
    let groups = [
        ("AI robots", true, "known AI robots"),
        ("Other robots", false, "other known robots"),
    ];
    let mut most = Vec::new();
    let charts = groups.map(|(title, ai, of)| {
        let mut robots = most_closed(survey, ai);
        robots.retain(|agent| agent.all > 0);
        robots.truncate(MAX_ROWS);
        if let Some(robot) = robots.first() {
            most.push(format!(
                "Of the {of}, {} is closed out most: by {}.",
                robot.name,
                counted_share(robot.all, robot.with_known_restriction(), "file")
            ));
        }
        let bars = robots.iter().map(|agent| {
            let files = agent.with_known_restriction();
            Row::share(&agent.name, agent.all, files, "file", Tone::of_robot(ai))
        });
        let title = format!("{title}: the {} most closed out", robots.len());
        Chart::rows(title, axis.as_str(), Unit::Share, bars)
            .with_keys([("reference", "robots that a file does not name")])
            .with_reference(closed_to_everyone)
    });
    let mut known: Vec<&Agent> = survey.robots.known_agents.iter().collect();
    known.sort_by_key(|agent| Reverse((agent.name == "*", agent.all, agent.files)));
    let mut section = Section::new("closed-sites", "Closed sites");
    if survey.text_files() > 0 {
        section = section.main_finding(closed(survey));
    }
    if !most.is_empty() {
        section = section.finding(most.join(" "));
    }
    let caption = "Files by how much of the site they disallow to each known robot";
    section
        .charts(charts)
        .table(restrictions("known_agents", caption, known, In::HTML))
}

/// Returns a table of restrictions, which `shown` show besides CSV.
fn restrictions<'a>(
    name: &'static str,
    caption: &'static str,
    agents: impl IntoIterator<Item = &'a Agent>,
    shown: In,
) -> TableOf<&'a Agent> {
    let all = In::CSV | shown;
    Table::of(name, caption, agents)
        .column(all, "agent", |agent| &agent.name)
        .column(all, "ai", |agent| agent.ai)
        .column(all, "files", |agent| agent.files)
        .column(all, "none", |agent| agent.none)
        .column(all, "some", |agent| agent.some)
        .column(all, "all_except", |agent| agent.all_except)
        .column(all, "all", |agent| agent.all)
        .column(In::CSV, "unknown", |agent| agent.unknown)
        .column(shown, "share_of_all", |agent| {
            Value::Share(fraction(agent.all, agent.with_known_restriction()))
        })
}

/// Returns the robots that the most files name.
pub(super) fn named_robots(survey: &Survey) -> Section {
    let files = survey.text_files();
    let agents = &survey.robots.agents;
    // Nearly all files have a group for `*`: its bar would hide the differences between the others.
    let named = || agents.iter().filter(|agent| agent.name != "*");
    let bars = named().take(MAX_ROWS).map(|agent| {
        Row::share(
            &agent.name,
            agent.files,
            files,
            "file",
            Tone::of_robot(agent.ai),
        )
    });
    let axis = format!(
        "share of {} with a group for the robot",
        counted(files, "file")
    );
    let title = "The robots that the most files name, without *";
    let chart = Chart::rows(title, axis, Unit::Share, bars).with_keys(AI_KEYS);
    let mut section = Section::new("named-robots", "Named robots");
    if !agents.is_empty() {
        let everyone = agents.iter().find(|agent| agent.name == "*");
        let mut text = format!(
            "{} have a group for *, which applies to all robots without a group.",
            counted_share(everyone.map_or(0, |agent| agent.files), files, "file")
        );
        if let Some(first) = named().next() {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                " {} is named most: in {}.",
                first.name,
                counted_share(first.files, files, "file")
            );
        }
        section = section.finding(text);
    }
    let caption = "Files that name a robot, by how much of the site they disallow to it";
    let table = restrictions("agents", caption, agents, In::HTML | In::TEXT);
    section.charts([chart]).table(table)
}
