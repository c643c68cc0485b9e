//! The report of a survey.
//!
//! [`findings`] has the headline and the findings in words. [`robots`] shows how much is disallowed to robots, [`lint`] the
//! mistakes in files, [`sizes`] the distributions, [`comparison`] the differences from an earlier survey.

mod comparison;
mod findings;
mod lint;
mod robots;
mod sizes;

use super::facts::{Row as Name, Survey};
use crate::report::chart::{Chart, Key, MAX_ROWS, Row, Tone, Unit};
use crate::report::number::{counted, counted_share};
use crate::report::table::{In, Table, TableOf, Value};
use crate::report::{Report, Section};
use crate::statistics::share::fraction;
use std::cmp::Reverse;

/// The names of the tables.
pub(super) const TABLES: &[&str] = &[
    "responses",
    "kinds",
    "webwatch_errors",
    "sizes",
    "curves",
    "fields",
    "unknown_fields",
    "agents",
    "known_agents",
    "findings",
    "ai",
    "meta_directives",
    "header_directives",
];

/// Returns the report; with a baseline, charts and a section show the differences. `inputs` are the names of the files that were
/// read; `webwatch` states whether the errors of 1997 are shown.
pub(super) fn report(
    survey: &Survey,
    baseline: Option<&Survey>,
    inputs: Vec<String>,
    webwatch: bool,
) -> Report {
    let robots = &survey.robots;
    let named = robots.agents.len() as u64 + robots.agents_left_out;
    let mut numbers = vec![
        (survey.all_responses().into(), "responses to /robots.txt"),
        (robots.files.into(), "robots.txt files (status 2xx)"),
        (robots.html.into(), "HTML pages among these files"),
        (robots.comments_alone.into(), "files with comments alone"),
        (named.into(), "robots that files name"),
    ];
    if survey.pages.count > 0 {
        numbers.push((survey.pages.count.into(), "pages"));
    }
    let sections = [
        robots::closed_sites(survey),
        robots::named_robots(survey),
        lint::section(survey, baseline, webwatch),
        sizes::section(survey),
        fields(survey),
        ai_preferences(survey),
        sizes::delays(survey),
        pages(survey),
        responses(survey, baseline),
    ];
    let comparison = baseline.map(|baseline| comparison::section(survey, baseline));
    Report {
        kind: "Survey of robots.txt",
        made_by: survey.program.clone(),
        headline: findings::headline(survey),
        numbers,
        sections: sections.into_iter().chain(comparison).collect(),
        method: method(survey, inputs),
        notes: survey.approximate.clone(),
    }
}

/// The key of a chart that may have the values of a baseline.
fn baseline_key(baseline: Option<&Survey>) -> Option<Key> {
    baseline.map(|_| ("before", "the baseline"))
}

/// Returns a table of parts of a whole, each with a name and its count. `unit` is the name of the column of counts, which text and
/// CSV have, as the charts have the numbers in HTML.
fn parts_table<N: Into<Value> + Clone>(
    [name, of, unit]: [&'static str; 3],
    caption: &'static str,
    parts: impl IntoIterator<Item = (N, u64)>,
    all: u64,
) -> TableOf<(N, u64)> {
    Table::of(name, caption, parts)
        .column(In::CSV | In::TEXT, of, |row| row.0.clone())
        .column(In::CSV | In::TEXT, unit, |row| row.1)
        .column(In::TEXT, "share", |row| Value::Share(fraction(row.1, all)))
}

/// Returns the number of responses of each class.
fn responses(survey: &Survey, baseline: Option<&Survey>) -> Section {
    let mut section = Section::new("responses", "Responses");
    let all = survey.all_responses();
    if all > 0 {
        section = section.main_finding(findings::success(survey));
    }
    let robots = &survey.robots;
    if robots.html > 0 {
        section = section.main_finding(format!(
            "{} of status 2xx {} an HTML page instead of a robots.txt.",
            counted_share(robots.html, robots.files, "response"),
            if robots.html == 1 { "is" } else { "are" }
        ));
    }
    let bars = survey.responses.iter().map(|(class, count)| {
        let before = baseline.map(|before| {
            let count = before.responses.get(class).copied().unwrap_or_default();
            fraction(count, before.all_responses())
        });
        Row::share(class, *count, all, "response", Tone::Main)
            .with_about(meaning(class))
            .with_before(before)
    });
    let title = "Responses to requests for /robots.txt, by class of status";
    let axis = format!("share of {}", counted(all, "response"));
    let names = ["responses", "status_class", "responses"];
    let counts = survey
        .responses
        .iter()
        .map(|(class, count)| (class, *count));
    section
        .charts([Chart::rows(title, axis, Unit::Share, bars).with_keys(baseline_key(baseline))])
        .table(parts_table(names, title, counts, all))
}

/// Returns the meaning of a class of status.
fn meaning(class: &str) -> &'static str {
    match class {
        "2xx" => "success",
        "3xx" => "redirect",
        "4xx" => "client error",
        "5xx" => "server error",
        "none" => "no response",
        _ => "another status",
    }
}

/// Returns a chart of names, those with the most files first.
fn named_chart(title: &str, names: &[Name], all: u64, thing: &str) -> Chart {
    let bars = names.iter().take(MAX_ROWS);
    let bars = bars.map(|name| Row::share(&name.name, name.files, all, thing, Tone::Main));
    let axis = format!("share of {}", counted(all, thing));
    Chart::rows(title, axis, Unit::Share, bars)
}

/// Returns a table of names, which `shown` show besides CSV.
fn named_table<'a>(
    name: &'static str,
    caption: &'static str,
    names: &'a [Name],
    all: u64,
    shown: In,
) -> TableOf<&'a Name> {
    Table::of(name, caption, names)
        .column(In::CSV | shown, "name", |name| &name.name)
        .column(In::CSV | shown, "times", |name| name.times)
        .column(In::CSV | shown, "files", |name| name.files)
        .column(shown, "share", |name| {
            Value::Share(fraction(name.files, all))
        })
}

/// Returns the known fields, and the names of unknown ones.
fn fields(survey: &Survey) -> Section {
    let files = survey.text_files();
    let robots = &survey.robots;
    let (known, unknown) = (&robots.fields, &robots.unknown_fields);
    let mut section = Section::new("fields", "Fields");
    if let Some(most) = known.first() {
        section = section.finding(format!(
            "{} in the files. {} is in {}.",
            occur(known.len() as u64, "known field"),
            most.name,
            counted_share(most.files, files, "file")
        ));
    }
    section = section.charts([named_chart(
        "Files with each known field",
        known,
        files,
        "file",
    )]);
    if let Some(most) = unknown.first() {
        let number = unknown.len() as u64 + robots.unknown_fields_left_out;
        section = section.finding(format!(
            "{}. The most frequent is \u{201c}{}\u{201d}, in {}.",
            occur(number, "unknown field"),
            most.name,
            counted_share(most.files, files, "file")
        ));
    }
    let caption = "Unknown fields, by the number of files";
    section
        .table(named_table(
            "fields",
            "Known fields",
            known,
            files,
            In::empty(),
        ))
        .table(named_table(
            "unknown_fields",
            caption,
            unknown,
            files,
            In::ALL,
        ))
}

/// Returns a number of things that occur: `1 known field occurs`.
fn occur(number: u64, thing: &str) -> String {
    let verb = if number == 1 { "occurs" } else { "occur" };
    format!("{} {verb}", counted(number, thing))
}

/// Returns the statements about AI, if a file has one.
fn ai_preferences(survey: &Survey) -> Section {
    let files = survey.text_files();
    let statements = survey.robots.ai.iter();
    let mut statements: Vec<(&String, u64)> =
        statements.map(|(name, files)| (name, *files)).collect();
    statements.sort_by_key(|(_, files)| Reverse(*files));
    let mut section = Section::new("ai", "AI preferences");
    if let Some((most, in_files)) = statements.first() {
        section = section.finding(format!(
            "The most frequent statement about AI is \u{201c}{most}\u{201d}: {}.",
            counted_share(*in_files, files, "file")
        ));
    }
    let title = "Files with statements about the use of content by AI";
    let axis = format!("share of {}", counted(files, "file"));
    let bars = statements.iter();
    let bars = bars.map(|(name, number)| Row::share(*name, *number, files, "file", Tone::Main));
    section
        .charts([Chart::rows(title, axis, Unit::Share, bars)])
        .table(parts_table(
            ["ai", "statement", "files"],
            title,
            statements,
            files,
        ))
}

/// Returns the directives and links of pages, if there are pages.
fn pages(survey: &Survey) -> Section {
    let pages = &survey.pages;
    let all = pages.count;
    let mut section = Section::new("pages", "Pages");
    if all > 0 {
        section = section.main_finding(findings::pages(survey));
    }
    let parts = [
        ("robots META", pages.with_robots_meta),
        ("X-Robots-Tag", pages.with_x_robots_tag),
        ("canonical link", pages.with_canonical),
        ("description", pages.with_description),
    ];
    let bars = parts.map(|(name, count)| Row::share(name, count, all, "page", Tone::Main));
    let title = "Pages with statements for robots, links and descriptions";
    let axis = format!("share of {}", counted(all, "page"));
    let (metas, headers) = (&pages.meta_directives, &pages.header_directives);
    let (of_metas, of_headers) = ("Directives in METAs", "Directives in headers");
    section
        .charts([Chart::rows(title, axis, Unit::Share, bars)])
        .table(parts_table(["", "pages_with", "pages"], title, parts, all))
        .charts([
            named_chart(of_metas, metas, all, "page"),
            named_chart(of_headers, headers, all, "page"),
        ])
        .table(named_table(
            "meta_directives",
            of_metas,
            metas,
            all,
            In::ALL,
        ))
        .table(named_table(
            "header_directives",
            of_headers,
            headers,
            all,
            In::ALL,
        ))
}

/// Returns the method of the survey, and its inputs.
fn method(survey: &Survey, inputs: Vec<String>) -> Vec<(&'static str, Vec<String>)> {
    let over = survey.robots.over_limit;
    let text = |text: &str| vec![text.to_owned()];
    let mut files = text(
        "Every response counts: a site that was requested twice counts twice. Shares of files are of those with status 2xx that are not HTML pages.",
    );
    if over > 0 {
        files.push(format!("{} of more than 500 KiB.", counted(over, "file")));
    }
    vec![
        ("Inputs", inputs),
        ("Files", files),
        (
            "Groups",
            vec![format!(
                "{}. This decides the groups, and with them the named robots, how much is disallowed to each, delays and AI preferences.",
                match &survey.dialect {
                    Some(dialect) => format!("Files are read under the dialect {dialect}"),
                    None => "Each known robot reads files as its operator does; groups of any other are those of RFC 9309".to_owned(),
                }
            )],
        ),
        (
            "Robots",
            vec![format!(
                "The table of robots is of {}. A robot obeys its own group; without one, that of another name that its vendor documents; or else that of *.",
                survey.robots_as_of
            )],
        ),
        (
            "Findings",
            text("Codes such as R030 are those of robots lint. They link to their explanations."),
        ),
        (
            "Sizes",
            text(
                "Sizes are exact below 2,048, and have three exact digits above. A median or other quantile is the smallest size that this share of the files does not exceed.",
            ),
        ),
    ]
}
