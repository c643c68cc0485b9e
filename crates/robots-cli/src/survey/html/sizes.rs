//! The distributions of sizes and delays.

use crate::report::chart::{Axis, Caption, Label, Row, Tone, Unit, rows, side_by_side};
use crate::report::number::{counted, counted_share, decimal, whole};
use crate::report::page::{Page, finding, remark};
use crate::report::table::{Cell, details};
use crate::statistics::distribution::{Facts, Step};
use crate::survey::facts::Survey;
use crate::survey::text::SIZES;
use maud::{Markup, html};

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

/// Adds the distributions of sizes.
pub(super) fn section(page: &mut Page, survey: &Survey) {
    let sizes = &survey.robots.sizes;
    let charts: Vec<(&Size, &Facts, Vec<Row>)> = CHARTS
        .iter()
        .filter_map(|size| {
            let facts = sizes.get(size.name).filter(|facts| facts.count > 0)?;
            // The axis has the whole name.
            let thing = size.of.rsplit(' ').next().unwrap_or(size.of);
            Some((size, facts, steps(facts, thing, "")))
        })
        .collect();
    // The two charts of a line have one axis, so that they can be compared.
    let axes = charts.chunks(2).flat_map(|pair| {
        let values = pair.iter().flat_map(|(.., bars)| bars);
        let axis = Axis::new(Unit::Share, values.flat_map(Row::values));
        pair.iter().map(move |_| axis)
    });
    let charts: Vec<Markup> = charts
        .iter()
        .zip(axes)
        .map(|((size, facts, bars), axis)| {
            let axis_name = format!("share of {}", counted(facts.count, size.of));
            let caption = Caption {
                title: size.title,
                axis: &axis_name,
                keys: &[],
            };
            html! {
                div {
                    (rows(&caption, &axis, None, bars))
                    (remark(&format!("{} {}", typical(facts, size), size.earlier)))
                }
            }
        })
        .collect();
    let content = html! {
        @if let Some(lines) = sizes.get("lines") {
            (finding(&format!(
                "Half of the files have up to {}, nine in ten up to {}; the longest has {}. Each range of a chart ends at twice the end of the one above it.",
                counted(lines.median, "line"), whole(lines.p90), whole(lines.max)
            )))
        }
        (side_by_side(&charts))
        (details("All sizes, per file; the last three per User-agent line", &HEAD, &table(survey)))
    };
    page.section("sizes", "Sizes", content);
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
    let used = facts
        .steps
        .iter()
        .take(last.map_or(0, |last| last.saturating_add(1)));
    let bar = |step: &Step| {
        let label = Label::new(format!("{}{unit}", range(step)));
        Row::share(label, step.count, facts.count, thing, Tone::Main)
    };
    used.skip(first).map(bar).collect()
}

fn range(step: &Step) -> String {
    if step.from == step.to {
        whole(step.from)
    } else {
        format!("{} to {}", whole(step.from), whole(step.to))
    }
}

const HEAD: [&str; 9] = [
    "size", "mean", "mode", "minimum", "10%", "median", "90%", "99%", "maximum",
];

fn table(survey: &Survey) -> Vec<Vec<Cell>> {
    let sizes = SIZES.iter().filter_map(|name| {
        let facts = survey.robots.sizes.get(*name)?;
        Some((name, facts))
    });
    sizes
        .map(|(name, facts)| {
            let numbers = [
                facts.mode,
                facts.min,
                facts.p10,
                facts.median,
                facts.p90,
                facts.p99,
                facts.max,
            ];
            let mut row = vec![
                Cell::Text(name.replace('_', " ")),
                Cell::Number(decimal(facts.mean)),
            ];
            row.extend(numbers.map(|number| Cell::Number(whole(number))));
            row
        })
        .collect()
}

/// Adds the delays that files request, if one does.
pub(super) fn delays(page: &mut Page, survey: &Survey) {
    let delays = &survey.robots.crawl_delays;
    if delays.count == 0 {
        return;
    }
    let text = format!(
        "{} request a Crawl-delay. The most frequent is {} s; nine in ten are up to {} s.",
        counted_share(delays.count, survey.text_files(), "file"),
        whole(delays.mode),
        whole(delays.p90)
    );
    let bars = steps(delays, "file", " s");
    let axis = Axis::new(Unit::Share, bars.iter().flat_map(Row::values));
    let axis_name = format!("share of {} with a delay", counted(delays.count, "file"));
    let caption = Caption {
        title: "Crawl-delay, in seconds: the longest of each file",
        axis: &axis_name,
        keys: &[],
    };
    let content = html! { (finding(&text)) (rows(&caption, &axis, None, &bars)) };
    page.section("delays", "Crawl-delay", content);
}
