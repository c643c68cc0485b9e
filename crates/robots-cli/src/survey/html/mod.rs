//! The HTML report of a survey: the page, and its smaller sections.
//!
//! [`findings`] has the headline and the findings in words. [`robots`] shows how much is disallowed to robots, [`lint`] the
//! mistakes in files, [`sizes`] the distributions, [`comparison`] the differences from an earlier survey.

mod comparison;
mod findings;
mod lint;
mod robots;
mod sizes;

use super::facts::{Row as Name, Survey};
use crate::report::chart::{Axis, Caption, Key, Label, Row, Tone, Unit, rows, side_by_side};
use crate::report::number::{counted, counted_share, percent_of, whole};
use crate::report::page::{Page, finding, notes};
use crate::report::table::{Cell, details};
use crate::statistics::share::fraction;
use jiff::Timestamp;
use maud::{Markup, html};

/// The maximum number of rows of a chart.
const MAX_ROWS: usize = 15;

/// The maximum number of rows of a table of names.
const MAX_TABLE_ROWS: usize = 100;

/// Returns the report as a page with this date; with a baseline, charts and a section show the differences. `inputs` are the
/// names of the files that were read.
pub(super) fn page(
    survey: &Survey,
    baseline: Option<&Survey>,
    made: Timestamp,
    inputs: Vec<String>,
) -> String {
    let robots = &survey.robots;
    let mut page = Page::new("Survey of robots.txt", made, findings::headline(survey));
    for (section, text) in findings::findings(survey) {
        page.finding(section, text);
    }
    let named = (robots.agents.len() as u64).saturating_add(robots.agents_left_out);
    page.number(whole(survey.all_responses()), "responses to /robots.txt");
    page.number(whole(robots.files), "robots.txt files (status 2xx)");
    page.number(whole(robots.html), "HTML pages among these files");
    page.number(whole(robots.comments_alone), "files with comments alone");
    page.number(whole(named), "robots that files name");
    if survey.pages.count > 0 {
        page.number(whole(survey.pages.count), "pages");
    }
    if survey.text_files() > 0 {
        robots::closed_sites(&mut page, survey);
        robots::named_robots(&mut page, survey);
        lint::section(&mut page, survey, baseline);
        sizes::section(&mut page, survey);
        fields(&mut page, survey);
        ai_preferences(&mut page, survey);
        sizes::delays(&mut page, survey);
    }
    pages(&mut page, survey);
    responses(&mut page, survey, baseline);
    if let Some(baseline) = baseline {
        comparison::section(&mut page, survey, baseline);
    }
    page.section("method", "Method and inputs", method(survey, inputs));
    page.finish(&survey.program)
}

/// The keys of a chart that may have the values of a baseline.
fn baseline_key(baseline: Option<&Survey>) -> &'static [Key<'static>] {
    match baseline {
        Some(_) => &[Key::Before("the baseline")],
        None => &[],
    }
}

/// Returns a chart of shares with an axis of its own.
fn shares(caption: &Caption<'_>, all: &[Row]) -> Markup {
    let axis = Axis::new(Unit::Share, all.iter().flat_map(Row::values));
    rows(caption, &axis, None, all)
}

/// Adds the number of responses of each class.
fn responses(page: &mut Page, survey: &Survey, baseline: Option<&Survey>) {
    let all = survey.all_responses();
    if all == 0 {
        return;
    }
    let row = |(class, count): (&String, &u64)| {
        let before = baseline.map(|before| {
            let count = before.responses.get(class).copied().unwrap_or_default();
            fraction(count, before.all_responses())
        });
        let label = Label::new(class.as_str()).with_note(meaning(class));
        Row::share(label, *count, all, "response", Tone::Main).with_before(before)
    };
    let bars: Vec<Row> = survey.responses.iter().map(row).collect();
    let axis = format!("share of {}", counted(all, "response"));
    let caption = Caption {
        title: "Responses to requests for /robots.txt, by class of status",
        axis: &axis,
        keys: baseline_key(baseline),
    };
    let content = html! {
        (finding(&findings::success(survey)))
        (shares(&caption, &bars))
    };
    page.section("responses", "Responses", content);
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

/// Returns bars for names, those with the most files first.
fn named_bars(names: &[Name], all: u64, thing: &str) -> Vec<Row> {
    let bar = |name: &Name| {
        let label = Label::new(name.name.as_str());
        Row::share(label, name.files, all, thing, Tone::Main)
    };
    names.iter().take(MAX_ROWS).map(bar).collect()
}

/// Returns the rows of a table of names.
fn named_cells(names: &[Name], all: u64) -> Vec<Vec<Cell>> {
    let row = |name: &Name| {
        vec![
            Cell::Text(name.name.clone()),
            Cell::Number(whole(name.files)),
            Cell::Number(percent_of(name.files, all)),
            Cell::Number(whole(name.times)),
        ]
    };
    names.iter().take(MAX_TABLE_ROWS).map(row).collect()
}

/// Adds the known fields, and the names of unknown ones.
fn fields(page: &mut Page, survey: &Survey) {
    let files = survey.text_files();
    let robots = &survey.robots;
    let Some(most) = robots.fields.first() else {
        return;
    };
    let known = robots.fields.len() as u64;
    let text = format!(
        "{} in the files. {} is in {}.",
        occur(known, "known field"),
        most.name,
        counted_share(most.files, files, "file")
    );
    let axis = format!("share of {}", counted(files, "file"));
    let caption = Caption {
        title: "Files with each known field",
        axis: &axis,
        keys: &[],
    };
    let unknown =
        (robots.unknown_fields.len() as u64).saturating_add(robots.unknown_fields_left_out);
    let content = html! {
        (finding(&text))
        (shares(&caption, &named_bars(&robots.fields, files, "file")))
        @if let Some(most) = robots.unknown_fields.first() {
            (finding(&format!(
                "{}. The most frequent is \u{201c}{}\u{201d}, in {}.",
                occur(unknown, "unknown field"), most.name, counted_share(most.files, files, "file")
            )))
            (details(
                "Unknown fields, by the number of files",
                &["field", "files", "share", "times"],
                &named_cells(&robots.unknown_fields, files),
            ))
        }
    };
    page.section("fields", "Fields", content);
}

/// Returns a number of things that occur: `1 known field occurs`.
fn occur(number: u64, thing: &str) -> String {
    let verb = if number == 1 { "occurs" } else { "occur" };
    format!("{} {verb}", counted(number, thing))
}

/// Adds the statements about AI, if a file has one.
fn ai_preferences(page: &mut Page, survey: &Survey) {
    let files = survey.text_files();
    let mut statements: Vec<(&String, &u64)> = survey.robots.ai.iter().collect();
    statements.sort_by_key(|(_, files)| std::cmp::Reverse(**files));
    let Some((most, in_files)) = statements.first() else {
        return;
    };
    let text = format!(
        "The most frequent statement about AI is \u{201c}{most}\u{201d}: {}.",
        counted_share(**in_files, files, "file")
    );
    let bar = |(name, number): &(&String, &u64)| {
        Row::share(
            Label::new(name.as_str()),
            **number,
            files,
            "file",
            Tone::Main,
        )
    };
    let bars: Vec<Row> = statements.iter().map(bar).collect();
    let axis = format!("share of {}", counted(files, "file"));
    let caption = Caption {
        title: "Files with statements about the use of content by AI",
        axis: &axis,
        keys: &[],
    };
    let content = html! { (finding(&text)) (shares(&caption, &bars)) };
    page.section("ai", "AI preferences", content);
}

/// Adds the directives and links of pages, if there are pages.
fn pages(page: &mut Page, survey: &Survey) {
    let pages = &survey.pages;
    let all = pages.count;
    if all == 0 {
        return;
    }
    let bar = |name: &str, count: u64| Row::share(Label::new(name), count, all, "page", Tone::Main);
    let parts = [
        bar("robots META", pages.with_robots_meta),
        bar("X-Robots-Tag", pages.with_x_robots_tag),
        bar("canonical link", pages.with_canonical),
        bar("description", pages.with_description),
    ];
    let axis = format!("share of {}", counted(all, "page"));
    let caption = |title| Caption {
        title,
        axis: &axis,
        keys: &[],
    };
    let directives = [
        ("Directives in METAs", &pages.meta_directives),
        ("Directives in headers", &pages.header_directives),
    ];
    let charts = directives.map(|(title, names)| (title, named_bars(names, all, "page")));
    // These charts are compared, so they have one axis.
    let values = charts.iter().flat_map(|(_, bars)| bars);
    let common = Axis::new(Unit::Share, values.flat_map(Row::values));
    let charts: Vec<Markup> = charts
        .iter()
        .filter(|(_, bars)| !bars.is_empty())
        .map(|(title, bars)| rows(&caption(title), &common, None, bars))
        .collect();
    let content = html! {
        (finding(&findings::pages(survey)))
        (shares(&caption("Pages with statements for robots, links and descriptions"), &parts))
        (side_by_side(&charts))
        @for (title, names) in directives {
            @if !names.is_empty() {
                (details(title, &["directive", "pages", "share", "times"], &named_cells(names, all)))
            }
        }
    };
    page.section("pages", "Pages", content);
}

/// Returns the method of the survey, and its inputs.
fn method(survey: &Survey, inputs: Vec<String>) -> Markup {
    let over = survey.robots.over_limit;
    let mut counted_files = vec![
        "Every response counts: a site that was requested twice counts twice. Shares of files are of those with status 2xx that are not HTML pages.".to_owned(),
    ];
    if over > 0 {
        counted_files.push(format!("{} of more than 500 KiB.", counted(over, "file")));
    }
    let text = |text: &str| vec![text.to_owned()];
    notes(&[
        ("Inputs", inputs),
        ("Files", counted_files),
        (
            "Groups",
            vec![format!(
                "Files are read under the dialect {}. It decides the groups, and with them the named robots, how much is disallowed to each, delays and AI preferences.",
                survey.dialect
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
        ("Approximate counts", survey.approximate.clone()),
    ])
}
