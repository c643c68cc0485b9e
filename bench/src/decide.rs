//! Decisions about pages in memory, with compiled rules, compared with the minimum of work for one:
//! reading the HEAD, and one verdict.

use crate::alloc::counted;
use crate::corpus::{AGENT, File};
use crate::measure::{ROUNDS, figure, median, print_figures, print_ours};
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
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
    robots: RobotsState<SiteRules>,
}

/// Reads the HEAD and asks for a verdict, without merging.
fn alone(policy: &Policy, case: &Case<'_>) {
    black_box(policy.read(case.html, case.charset).metas().len());
    if let RobotsState::Rules(site) = &case.robots {
        let target = Target::new(case.page.url());
        black_box(site.rules().verdict(&target).is_allowed());
    }
}

/// Does the same, and makes the strings that a decision owns: URL, robot and profile.
fn alone_with_strings(policy: &Policy, case: &Case<'_>) {
    alone(policy, case);
    let texts = [case.page.url(), policy.agent(), policy.profile().name()];
    black_box(texts.map(str::to_owned));
}

/// Returns the pages, each with the state of its site's robots.txt.
fn cases<'a>(policy: &Policy, robots: &[File], pages: &'a [File]) -> Vec<Case<'a>> {
    let states: HashMap<Origin, RobotsState<SiteRules>> = robots
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

/// Decides about every page this number of times under a built-in profile, for a profiler. Returns `None` if the number or
/// the profile is invalid, or without a corpus.
pub fn once(profile: &str, times: &str) -> Option<()> {
    let times: usize = times.parse().ok()?;
    let profile = profile.parse::<Profile>().ok()?;
    let folder = crate::corpus::folder()?;
    let pages = crate::corpus::pages(&folder);
    let policy = Policy::under(&profile, AGENT).unwrap().without_reasons();
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
    rows_of_body(robots, pages);
}

/// A byte that pages lack, so that a search for it looks at every byte.
const ABSENT: u8 = 1;

/// Prints the rows of the profile google, which honours METAs in BODY, compared with neutral, which reads HEAD alone. The
/// bounds are neutral and one pass over the bytes after HEAD, and the same with the documents of the pages that need one.
fn rows_of_body(robots: &[File], pages: &[File]) {
    let under = |profile: &Profile| Policy::under(profile, AGENT).unwrap().without_reasons();
    let (neutral, google) = (under(&Profile::neutral()), under(&Profile::google()));
    let of_neutral = cases(&neutral, robots, pages);
    let of_google = cases(&google, robots, pages);
    let head_ends: Vec<usize> = of_neutral
        .iter()
        .map(|case| {
            neutral
                .read(case.html, case.charset)
                .consumed()
                .unwrap_or(0)
        })
        .collect();
    let decide = |policy: &Policy, case: &Case<'_>| {
        black_box(policy.decide_under(&case.robots, &case.page));
    };
    // The pages whose BODY may have a wanted META: their documents are read.
    let needs_document: Vec<bool> = of_google
        .iter()
        .map(|case| {
            let options = google.head_options();
            let head = options.read(case.html);
            let document = options.read_document_if_needed(case.html, &head);
            document.is_some()
        })
        .collect();
    let search_nothing = |at: usize| {
        decide(&neutral, &of_neutral[at]);
        black_box(memchr::memchr(
            ABSENT,
            &of_neutral[at].html[head_ends[at]..],
        ));
    };
    type Reading<'r> = (&'static str, Box<dyn Fn(usize) + 'r>);
    let readings: [Reading<'_>; 4] = [
        ("google", Box::new(|at| decide(&google, &of_google[at]))),
        ("neutral", Box::new(|at| decide(&neutral, &of_neutral[at]))),
        (
            "neutral, and memchr over the bytes after HEAD",
            Box::new(search_nothing),
        ),
        (
            "the same, and google for the pages whose document is read",
            Box::new(|at| {
                if needs_document[at] {
                    decide(&google, &of_google[at]);
                } else {
                    search_nothing(at);
                }
            }),
        ),
    ];
    // Each page in a row, so that it is in the processor's caches, and all pages in turn, so that it is not.
    let mut in_a_row = [0.0; 4];
    for at in 0..pages.len() {
        let least = least_times(readings.each_ref().map(|(_, read)| move || read(at)));
        for (sum, least) in in_a_row.iter_mut().zip(least) {
            *sum += least;
        }
    }
    let mut in_turn = [f64::INFINITY; 4];
    for _ in 0..ROUNDS {
        for (least, (_, read)) in in_turn.iter_mut().zip(&readings) {
            let start = Instant::now();
            (0..pages.len()).for_each(read);
            *least = least.min(start.elapsed().as_nanos() as f64);
        }
    }
    for (order, [google, others @ ..], target) in [
        ("each page in a row", in_a_row, "at least 0.77 (1.3 times)"),
        ("all pages in turn", in_turn, ""),
    ] {
        for (peer, (name, _)) in others.into_iter().zip(&readings[1..]) {
            print_figures(
                &format!("decide, google, without reasons, {order}"),
                "in all",
                google,
                name,
                peer,
                if *name == "neutral" { target } else { "" },
            );
        }
    }
}

/// Returns the least time of each reading, in nanoseconds. The readings take turns; each reads [`TIMES`] times in a row.
fn least_times<const N: usize>(readings: [impl Fn(); N]) -> [f64; N] {
    let mut least = [f64::INFINITY; N];
    for _ in 0..ROUNDS {
        for (least, read) in least.iter_mut().zip(&readings) {
            let start = Instant::now();
            for _ in 0..TIMES {
                read();
            }
            *least = least.min(start.elapsed().as_nanos() as f64 / f64::from(TIMES));
        }
    }
    least
}

fn rows(robots: &[File], pages: &[File], profile: &Profile) {
    let explained = Policy::under(profile, AGENT).unwrap();
    let silent = Policy::under(profile, AGENT).unwrap().without_reasons();
    for file in robots {
        let _ = silent.learn(&file.url, RobotsFetch::Body(&file.body));
    }
    let cases = cases(&silent, robots, pages);
    type Reading<'r> = (&'static str, Box<dyn Fn(&Case<'_>) + 'r>);
    let readings: [Reading<'_>; 5] = [
        (ALONE, Box::new(|case| alone(&silent, case))),
        (
            "HEAD, verdict and strings alone",
            Box::new(|case| alone_with_strings(&silent, case)),
        ),
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
        let least = least_times(readings.each_ref().map(|(_, read)| move || read(case)));
        for (all, least) in all.iter_mut().zip(least) {
            all.push(least);
        }
    }
    let name = profile.name();
    let (bound, ours) = all.split_first().expect("there is a reading");
    for ((what, _), times) in readings.iter().skip(1).zip(ours) {
        let target = if *what != "without reasons" {
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
