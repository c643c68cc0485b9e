//! The requests that robots.txt forbids, those that came too soon, and those with a false name.

use super::findings::{self, impostors, offenders};
use super::{AI_KEYS, MAX_ROWS, MAX_TABLE_ROWS, about, of_robots, tone};
use crate::audit::facts::{Audit, Robot, Share};
use crate::report::chart::{Axis, Caption, Key, Label, Mark, Row, Unit, Value, rows, side_by_side};
use crate::report::number::{decimal, percent, whole};
use crate::report::page::{Page, finding, remark};
use crate::report::table::{Cell, details};
use crate::statistics::share::float;
use maud::{Markup, html};

/// The keys of a chart of shares.
const INTERVAL: [Key<'static>; 1] = [Key::Interval("share, with its 95% confidence interval")];

/// Returns the axis of all shares of violations: they are compared.
fn axis_of_shares(audit: &Audit) -> Axis {
    let forbidden = audit
        .robots
        .iter()
        .filter(|robot| robot.forbidden.requests > 0);
    let too_soon = audit
        .robots
        .iter()
        .filter(|robot| robot.crawl_delay.too_soon.requests > 0);
    let forbidden = forbidden.map(|robot| robot.forbidden.high);
    Axis::new(
        Unit::Share,
        forbidden.chain(too_soon.map(|robot| robot.crawl_delay.too_soon.high)),
    )
}

/// Returns a dot for the share of each robot, those with the largest share first.
fn dots(mut robots: Vec<(&Robot, Share, u64)>, note: fn(&Robot) -> String) -> Vec<Row> {
    robots.sort_by(|(_, one, _), (_, two, _)| two.ratio.total_cmp(&one.ratio));
    let dot = |(robot, share, all): &(&Robot, Share, u64)| Row {
        label: Label::new(robot.title()).with_note(note(robot)),
        mark: Mark::Dot {
            value: share.ratio,
            low: share.low,
            high: share.high,
        },
        value: Value {
            text: percent(share.ratio),
            note: format!(
                "{} of {}; {} to {}",
                whole(share.requests),
                whole(*all),
                percent(share.low),
                percent(share.high)
            ),
        },
    };
    robots.iter().take(MAX_ROWS).map(dot).collect()
}

/// Adds the forbidden requests.
pub(super) fn forbidden(page: &mut Page, audit: &Audit) {
    let offenders = offenders(audit);
    if findings::judged(audit) == 0 {
        return;
    }
    let bar = |robot: &&Robot| Row {
        label: Label::new(robot.title()).with_note(about(robot)),
        mark: Mark::bar(float(robot.forbidden.requests), tone(robot)),
        value: Value {
            text: whole(robot.forbidden.requests),
            note: String::new(),
        },
    };
    let bars: Vec<Row> = offenders.iter().take(MAX_ROWS).map(bar).collect();
    let shares = offenders
        .iter()
        .map(|robot| (*robot, robot.forbidden, robot.judged));
    let shares = dots(shares.collect(), about);
    let content = html! {
        (finding(&findings::violations(audit)))
        @if let Some(text) = findings::broken_promises(audit) { (finding(&text)) }
        @if !offenders.is_empty() { (charts(audit, &bars, &shares)) }
        (tables(audit))
    };
    page.section("forbidden", "Forbidden requests", content);
}

fn charts(audit: &Audit, bars: &[Row], shares: &[Row]) -> Markup {
    let numbers = Caption {
        title: "Forbidden requests by robot",
        axis: "number of requests",
        keys: &AI_KEYS,
    };
    let parts = Caption {
        title: "Share of a robot's judged requests that were forbidden",
        axis: "percent of its judged requests",
        keys: &INTERVAL,
    };
    let axis = Axis::new(Unit::Count, bars.iter().flat_map(Row::values));
    side_by_side(&[
        rows(&numbers, &axis, None, bars),
        rows(&parts, &axis_of_shares(audit), None, shares),
    ])
}

/// Returns the tables of the violated rules, and of examples.
fn tables(audit: &Audit) -> Markup {
    let rules = of_robots(audit, |robot| &robot.rules);
    let examples = audit.robots.iter().flat_map(|robot| {
        robot.examples.iter().map(move |example| {
            vec![
                Cell::Text(robot.title()),
                Cell::Text(example.target.clone()),
                Cell::Text(example.rule.clone()),
                Cell::Text(format!("{}:{}", example.file, example.line)),
            ]
        })
    });
    let examples: Vec<Vec<Cell>> = examples.take(MAX_TABLE_ROWS).collect();
    html! {
        @if !rules.is_empty() {
            (details("The violated rules, by requests", &["robot", "rule", "requests"], &rules))
        }
        @if !examples.is_empty() {
            (details(
                "Examples: the first forbidden requests of each robot",
                &["robot", "request", "rule", "line of the log"],
                &examples,
            ))
        }
    }
}

/// Adds the requests that came sooner than the Crawl-delay, if a robots.txt has one.
pub(super) fn too_soon(page: &mut Page, audit: &Audit) {
    let judged: Vec<&Robot> = audit
        .robots
        .iter()
        .filter(|robot| robot.crawl_delay.judged > 0)
        .collect();
    if judged.is_empty() {
        return;
    }
    let hasty = judged
        .iter()
        .filter(|robot| robot.crawl_delay.too_soon.requests > 0)
        .map(|robot| (*robot, robot.crawl_delay.too_soon, robot.crawl_delay.judged));
    let hasty = dots(hasty.collect(), delay);
    let text = findings::too_soon(audit).unwrap_or_else(|| {
        "No robot whose vendor documents that it honours Crawl-delay came too soon.".to_owned()
    });
    let caption = Caption {
        title: "Share of a robot's requests that came too soon",
        axis: "percent of its requests after another one; the axis is that of forbidden requests",
        keys: &INTERVAL,
    };
    let content = html! {
        (finding(&text))
        @if !hasty.is_empty() { (rows(&caption, &axis_of_shares(audit), None, &hasty)) }
        (remark("RFC 9309 does not define Crawl-delay: a robot that does not honour it violates no standard."))
    };
    page.section("delay", "Requests within the Crawl-delay", content);
}

/// Returns the requested delay, and whether the robot honours it according to its vendor.
fn delay(robot: &Robot) -> String {
    let delay = &robot.crawl_delay;
    let honoured = match delay.honoured.filter(|_| !robot.refuted) {
        Some(true) => "vendor: honours it",
        Some(false) => "vendor: does not honour it",
        None => "vendor: not documented",
    };
    match delay.asked {
        Some(asked) => format!("delay {} s; {honoured}", decimal(asked)),
        None => honoured.to_owned(),
    }
}

/// Adds the false uses of the names of robots, if there are any.
pub(super) fn false_names(page: &mut Page, audit: &Audit) {
    let Some(text) = findings::false_names(audit) else {
        return;
    };
    let bar = |robot: &&Robot| Row {
        label: Label::new(robot.title()),
        mark: Mark::bar(float(robot.requests), tone(robot)),
        value: Value {
            text: whole(robot.requests),
            note: format!("{} forbidden", whole(robot.forbidden.requests)),
        },
    };
    let bars: Vec<Row> = impostors(audit).iter().take(MAX_ROWS).map(bar).collect();
    let axis = Axis::new(Unit::Count, bars.iter().flat_map(Row::values));
    let caption = Caption {
        title: "Requests with a false name",
        axis: "number of requests",
        keys: &[],
    };
    let content = html! {
        (finding(&text))
        (remark("The name is false if the address is not one of the robot's operator."))
        (rows(&caption, &axis, None, &bars))
    };
    page.section("false-names", "False names", content);
}
