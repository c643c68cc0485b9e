//! The distributions of sizes and delays.

use crate::report::Section;
use crate::report::chart::{Chart, Row, Tone, Unit};
use crate::report::number::{counted, counted_share, decimal, whole};
use crate::report::table::{In, Table};
use crate::statistics::distribution::{Facts, Step};
use crate::survey::count::SIZES;
use crate::survey::facts::Survey;
use crate::survey::robots::CRLF;

/// A size that has a chart.
struct Size {
    name: &'static str,
    title: &'static str,
    /// One of the things that are counted.
    thing: &'static str,
    /// One of those that have a size.
    of: &'static str,
    /// What WebWatch found in 1997.
    earlier: &'static str,
}

/// The sizes that have a chart: WebWatch's figures A3-2 to A3-4, and what its report states.
const CHARTS: [Size; 6] = [
    Size {
        name: "bytes",
        title: "Bytes of a file",
        thing: "byte",
        of: "file",
        earlier: "WebWatch's mean was about 427 (1997).",
    },
    Size {
        name: "lines",
        title: "Lines of a file",
        thing: "line",
        of: "file",
        earlier: "WebWatch's mean was about 15 (1997, figure A3-2).",
    },
    Size {
        name: "directives",
        title: "Directives of a file",
        thing: "directive",
        of: "file",
        earlier: "WebWatch's mean was about 9 (1997, figure A3-3).",
    },
    Size {
        name: "user_agents",
        title: "User-agent lines of a file",
        thing: "User-agent line",
        of: "file",
        earlier: "WebWatch's mean was just over 1 (1997).",
    },
    Size {
        name: "directives_of_agent",
        title: "Directives of a User-agent line",
        thing: "directive",
        of: "User-agent line",
        earlier: "WebWatch's mean was about 8 (1997, figure A3-4).",
    },
    Size {
        name: "disallows_of_agent",
        title: "Disallow lines of a User-agent line",
        thing: "Disallow line",
        of: "User-agent line",
        earlier: "WebWatch's mean was about 8 (1997), without any Allow.",
    },
];

/// Returns the distributions of sizes.
pub(super) fn section(survey: &Survey) -> Section {
    let sizes = &survey.robots.sizes;
    let mut section = Section::new("sizes", "Sizes");
    if let Some(bytes) = sizes.get("bytes").filter(|bytes| bytes.count > 0) {
        section = section.main_finding(format!(
            "Half of the files have up to {}, nine in ten up to {}; the largest has {}.",
            counted(bytes.median, "byte"),
            whole(bytes.p90),
            whole(bytes.max)
        ));
    }
    if let Some(lines) = sizes.get("lines").filter(|lines| lines.count > 0) {
        section = section.finding(format!(
            "Half of the files have up to {}, nine in ten up to {}; the longest has {}.",
            counted(lines.median, "line"),
            whole(lines.p90),
            whole(lines.max)
        ));
    }
    let crlf = survey.robots.webwatch_errors.get(CRLF);
    if let Some(files) = crlf.filter(|files| **files > 0) {
        section = section.finding(format!(
            "CRLF ends lines in {}; it is valid.",
            counted_share(*files, survey.text_files(), "file")
        ));
    }
    let charts: Vec<Chart> = CHARTS
        .iter()
        .filter_map(|size| {
            let facts = sizes.get(size.name).filter(|facts| facts.count > 0)?;
            // The axis has the whole name.
            let thing = size.of.rsplit(' ').next().unwrap_or(size.of);
            let axis = format!("share of {}", counted(facts.count, size.of));
            let chart = Chart::rows(size.title, axis, Unit::Share, steps(facts, thing, ""));
            Some(chart.with_remark(format!("{} {}", typical(facts, size), size.earlier)))
        })
        .collect();
    let mut charts = charts.into_iter().peekable();
    // The two charts of a line have one axis.
    while charts.peek().is_some() {
        section = section.charts(charts.by_ref().take(2));
    }
    let named = SIZES
        .iter()
        .filter_map(|name| Some((*name, sizes.get(*name)?)));
    let points = named.clone().flat_map(|(name, facts)| {
        let points = facts.points.iter();
        points.map(move |(value, below)| (name, *value, *below))
    });
    let robots = &survey.robots;
    let kinds = [
        ("all", robots.files),
        ("HTML page", robots.html),
        ("over 500 KiB", robots.over_limit),
        ("comments alone", robots.comments_alone),
    ];
    section
        .table(
            Table::of(
                "sizes",
                "All sizes, per file; the last three per User-agent line",
                named,
            )
            .column(In::CSV, "size", |size| size.0)
            .column(In::HTML | In::TEXT, "size", |size| size.0.replace('_', " "))
            .column(In::ALL, "mean", |size| size.1.mean)
            .column(In::ALL, "mode", |size| size.1.mode)
            .column(In::CSV, "files", |size| size.1.count)
            .column(In::CSV, "sum", |size| size.1.sum)
            .column(In::CSV | In::HTML, "min", |size| size.1.min)
            .column(In::CSV | In::HTML, "p10", |size| size.1.p10)
            .column(In::ALL, "median", |size| size.1.median)
            .column(In::ALL, "p90", |size| size.1.p90)
            .column(In::ALL, "p99", |size| size.1.p99)
            .column(In::ALL, "max", |size| size.1.max),
        )
        .table(
            Table::of("curves", "Points of the distributions", points)
                .column(In::CSV, "size", |point| point.0)
                .column(In::CSV, "value", |point| point.1)
                .column(In::CSV, "files_at_or_below", |point| point.2),
        )
        .table(
            Table::of("kinds", "Kinds of files", kinds)
                .column(In::CSV, "kind", |row| row.0)
                .column(In::CSV, "files", |row| row.1),
        )
}

fn typical(facts: &Facts, size: &Size) -> String {
    format!(
        "Half of the {}s have up to {}; the mean is {}, the maximum {}.",
        size.of,
        counted(facts.median, size.thing),
        decimal(facts.mean),
        whole(facts.max)
    )
}

/// Returns a bar for each range of sizes, without the empty ranges at both ends.
fn steps(facts: &Facts, thing: &str, unit: &str) -> Vec<Row> {
    let is_used = |step: &Step| step.count > 0;
    let first = facts.steps.iter().position(is_used).unwrap_or_default();
    let last = facts.steps.iter().rposition(is_used);
    let used = facts.steps.iter().take(last.map_or(0, |last| last + 1));
    let bar = |step: &Step| {
        let range = if step.from == step.to {
            whole(step.from)
        } else {
            format!("{} to {}", whole(step.from), whole(step.to))
        };
        Row::share(
            format!("{range}{unit}"),
            step.count,
            facts.count,
            thing,
            Tone::Main,
        )
    };
    used.skip(first).map(bar).collect()
}

/// Returns the delays that files request, if one does.
pub(super) fn delays(survey: &Survey) -> Section {
    let section = Section::new("delays", "Crawl-delay");
    let delays = &survey.robots.crawl_delays;
    if delays.count == 0 {
        return section;
    }
    let text = format!(
        "{} request a Crawl-delay. The most frequent is {} s; nine in ten are up to {} s.",
        counted_share(delays.count, survey.text_files(), "file"),
        whole(delays.mode),
        whole(delays.p90)
    );
    let axis = format!("share of {} with a delay", counted(delays.count, "file"));
    let title = "Crawl-delay, in seconds: the longest of each file";
    let bars = steps(delays, "file", " s");
    section
        .finding(text)
        .charts([Chart::rows(title, axis, Unit::Share, bars)])
}
