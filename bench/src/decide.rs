//! Decisions about pages in memory, with compiled rules, compared with the minimum of work for one:
//! reading the HEAD, and one verdict.

use crate::alloc::counted;
use crate::corpus::{AGENT, File};
use crate::measure::{ROUNDS, figure, median, print_figures, print_ours};
use robots_policy::origins::Origin;
use robots_policy::site::RobotsState;
use robots_policy::{Page, Policy, Profile, RobotsFetch};
use robots_txt::Target;
use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

/// The number of times that a page is decided in a row.
const TIMES: u32 = 16;

const ALONE: &str = "HEAD and verdict alone";

/// A page, and the state of its site's robots.txt.
struct Case<'a> {
    page: Page<'a>,
    html: &'a [u8],
    charset: Option<&'a str>,
    robots: RobotsState,
}

/// Reads the HEAD and asks for a verdict, without merging.
fn alone(policy: &Policy, case: &Case<'_>) {
    black_box(policy.read(case.html, case.charset).metas().len());
    if let RobotsState::Rules(site) = &case.robots {
        let target = Target::new(case.page.url());
        black_box(site.rules().verdict(&target).is_allowed());
    }
}

/// Returns the pages, each with the state of its site's robots.txt.
fn cases<'a>(policy: &Policy, robots: &[File], pages: &'a [File]) -> Vec<Case<'a>> {
    let states: HashMap<Origin, RobotsState> = robots
        .iter()
        .filter_map(|file| {
            let state = policy.robots(RobotsFetch::Body(&file.body));
            Some((Origin::of(&file.url).ok()?, state))
        })
        .collect();
    let missing = policy.robots(RobotsFetch::Status(404));
    pages
        .iter()
        .map(|file| {
            let headers = file.headers.iter();
            let page = Page::new(&file.url)
                .with_status(200)
                .with_headers(headers.map(|(name, value)| (name.as_str(), value.as_str())))
                .with_html(&file.body);
            let origin = Origin::of(&file.url).ok();
            let robots = origin.and_then(|origin| states.get(&origin));
            Case {
                page,
                html: &file.body,
                charset: file.charset(),
                robots: robots.unwrap_or(&missing).clone(),
            }
        })
        .collect()
}

/// Decides about every page this number of times, for a profiler. Returns `None` if the number is invalid, or without a
/// corpus.
pub fn once(times: &str) -> Option<()> {
    let times: usize = times.parse().ok()?;
    let folder = crate::corpus::folder()?;
    let pages = crate::corpus::pages(&folder);
    let policy = Policy::under(&Profile::neutral(), AGENT)
        .unwrap()
        .without_reasons();
    for case in cases(&policy, &crate::corpus::robots_of_pages(&folder), &pages) {
        for _ in 0..times {
            black_box(policy.decide_under(&case.robots, &case.page));
        }
    }
    Some(())
}

pub fn bench(robots: &[File], pages: &[File]) {
    for profile in [Profile::neutral(), Profile::bing()] {
        rows(robots, pages, &profile);
    }
}

fn rows(robots: &[File], pages: &[File], profile: &Profile) {
    let explained = Policy::under(profile, AGENT).unwrap();
    let silent = Policy::under(profile, AGENT).unwrap().without_reasons();
    for file in robots {
        let _ = silent.learn(&file.url, RobotsFetch::Body(&file.body));
    }
    let cases = cases(&silent, robots, pages);
    type Reading<'r> = (&'static str, Box<dyn Fn(&Case<'_>) + 'r>);
    let readings: [Reading<'_>; 4] = [
        (ALONE, Box::new(|case| alone(&silent, case))),
        (
            "without reasons",
            Box::new(|case| {
                black_box(silent.decide_under(&case.robots, &case.page));
            }),
        ),
        (
            "without reasons, with the look-up of the site",
            Box::new(|case| {
                black_box(silent.decide_page(&case.page));
            }),
        ),
        (
            "with reasons",
            Box::new(|case| {
                black_box(explained.decide_under(&case.robots, &case.page));
            }),
        ),
    ];
    let mut all = vec![Vec::with_capacity(cases.len()); readings.len()];
    for case in &cases {
        let mut least = [f64::INFINITY; 4];
        for _ in 0..ROUNDS {
            for (least, (_, read)) in least.iter_mut().zip(&readings) {
                let start = Instant::now();
                for _ in 0..TIMES {
                    read(case);
                }
                *least = least.min(start.elapsed().as_nanos() as f64 / f64::from(TIMES));
            }
        }
        for (all, least) in all.iter_mut().zip(least) {
            all.push(least);
        }
    }
    let name = profile.name();
    let (bound, ours) = all.split_first().expect("there is a reading");
    for ((what, _), times) in readings.iter().skip(1).zip(ours) {
        let target = if what.contains("look-up") || what.starts_with("with reasons") {
            ""
        } else {
            "at least 0.67"
        };
        print_figures(
            &format!("decide, {name}, {what}, median page"),
            "a page",
            median(&mut times.clone()),
            ALONE,
            median(&mut bound.clone()),
            target,
        );
        print_figures(
            &format!("decide, {name}, {what}, sum of all pages"),
            "in all",
            times.iter().sum(),
            ALONE,
            bound.iter().sum(),
            target,
        );
    }
    let calls = |read: &dyn Fn(&Case<'_>)| -> Vec<f64> {
        let calls = cases
            .iter()
            .map(|case| counted(|| read(case)).1.calls as f64);
        calls.collect()
    };
    let alone = calls(&readings[0].1);
    for (what, read) in readings.iter().skip(1) {
        let beyond = calls(read);
        let mut beyond: Vec<f64> = beyond
            .iter()
            .zip(&alone)
            .map(|(all, head)| all - head)
            .collect();
        let most = beyond.iter().copied().fold(0.0, f64::max);
        print_ours(
            &format!("decide, {name}, {what}, allocations beyond those of HEAD"),
            format!(
                "{} for the median page, {most} at most",
                figure(median(&mut beyond))
            ),
            "",
        );
    }
}
