//! Parsing, for all robots and for one.

use crate::corpus::{AGENT, File};
use crate::measure::{Row, Runner, Times, measure, median, print_figures, print_times};
use robots_txt::{Dialect, RobotsTxt, Rules};
use robotstxt::{RobotsParseHandler, parse_robotstxt};
use std::borrow::Cow;
use std::hint::black_box;
use std::panic::catch_unwind;
use texting_robots::Robot;

/// The number of times that one small file is parsed in a run, so that the resolution of the clock does not matter.
const REPEATS: usize = 1_000;

pub fn bench(files: &[File]) {
    every_robot(files);
    one_robot(files);
    median_file(files);
}

/// A handler that counts the findings of robotstxt, and keeps nothing.
#[derive(Default)]
struct Counter {
    directives: usize,
    bytes: usize,
}

impl Counter {
    fn count(&mut self, value: &str) {
        self.directives += 1;
        self.bytes += value.len();
    }
}

impl RobotsParseHandler for Counter {
    fn handle_robots_start(&mut self) {}

    fn handle_robots_end(&mut self) {}

    fn handle_user_agent(&mut self, _: u32, name: &str) {
        self.count(name);
    }

    fn handle_allow(&mut self, _: u32, pattern: &str) {
        self.count(pattern);
    }

    fn handle_disallow(&mut self, _: u32, pattern: &str) {
        self.count(pattern);
    }

    fn handle_sitemap(&mut self, _: u32, url: &str) {
        self.count(url);
    }

    fn handle_unknown_action(&mut self, _: u32, _: &str, value: &str) {
        self.count(value);
    }
}

fn robotstxt_parse(text: &str) -> (usize, usize) {
    let mut counter = Counter::default();
    parse_robotstxt(text, &mut counter);
    (counter.directives, counter.bytes)
}

fn every_robot(files: &[File]) {
    // robotstxt needs text, and slices within characters if a line is very long. Files on which
    // it panics are left out for all.
    let read: Vec<(&File, Cow<'_, str>)> = files
        .iter()
        .map(|file| (file, String::from_utf8_lossy(&file.body)))
        .filter(|(_, text)| catch_unwind(|| robotstxt_parse(text)).is_ok())
        .collect();
    if read.len() < files.len() {
        let count = files.len() - read.len();
        eprintln!("robotstxt panics on {count} files, which are left out of the first rows");
    }
    let [ours, robotstxt, texting] = measure([
        Runner::new(read.len(), || {
            for (file, _) in &read {
                black_box(RobotsTxt::parse(&file.body));
            }
        }),
        Runner::new(read.len(), || {
            for (_, text) in &read {
                black_box(robotstxt_parse(text));
            }
        }),
        Runner::new(read.len(), || {
            for (file, _) in &read {
                let _ = black_box(Robot::new(AGENT, &file.body));
            }
        }),
    ]);
    let bytes: usize = read.iter().map(|(file, _)| file.body.len()).sum();
    let size = bytes as f64 / read.len() as f64;
    let cell = |times: Times| {
        let speed = size / times.least * 1_000.0;
        format!("{}, {speed:.0} MB/s", times.cell("a file"))
    };
    for (peer, theirs, target) in [
        ("robotstxt", robotstxt, "11 x"),
        ("texting_robots, one agent", texting, "20 x"),
    ] {
        Row {
            row: "parse, all agents kept",
            ours: cell(ours),
            peer,
            theirs: cell(theirs),
            ratio: Some(theirs.least / ours.least),
            target,
        }
        .print();
    }
}

fn one_robot(files: &[File]) {
    let [ours, texting] = measure([
        Runner::new(files.len(), || {
            for file in files {
                black_box(parse_and_compile(&file.body));
            }
        }),
        Runner::new(files.len(), || {
            for file in files {
                let _ = black_box(Robot::new(AGENT, &file.body));
            }
        }),
    ]);
    print_times(
        "parse and rules of one agent",
        "a file",
        ours,
        "texting_robots",
        texting,
        "",
    );
}

/// Measures the files of about the median size, one by one.
fn median_file(files: &[File]) {
    let mut sizes: Vec<usize> = files.iter().map(|file| file.body.len()).collect();
    sizes.sort_unstable();
    let middle = sizes[sizes.len() / 2];
    let mut ours = Vec::new();
    let mut parsed = Vec::new();
    let mut texting = Vec::new();
    for File { body, .. } in files {
        if body.len().abs_diff(middle) * 10 > middle {
            continue;
        }
        let times = measure([
            Runner::new(REPEATS, || {
                for _ in 0..REPEATS {
                    black_box(parse_and_compile(black_box(body.as_slice())));
                }
            }),
            Runner::new(REPEATS, || {
                for _ in 0..REPEATS {
                    let _ = black_box(Robot::new(AGENT, black_box(body.as_slice())));
                }
            }),
            Runner::new(REPEATS, || {
                for _ in 0..REPEATS {
                    black_box(RobotsTxt::parse(black_box(body.as_slice())));
                }
            }),
        ]);
        ours.push(times[0].least);
        parsed.push(times[2].least);
        texting.push(times[1].least);
    }
    let files = format!("the median of {} files of {middle} bytes ±10 %", ours.len());
    let row = format!("parse and rules of one agent, {files}");
    let texting = median(&mut texting);
    print_figures(
        &row,
        "a file",
        median(&mut ours),
        "texting_robots",
        texting,
        "4 x",
    );
    print_figures(
        &format!("parse alone, {files}"),
        "a file",
        median(&mut parsed),
        "texting_robots, rules of one agent",
        texting,
        "",
    );
}

fn parse_and_compile(body: &[u8]) -> Rules {
    RobotsTxt::parse(body).rules(AGENT, &Dialect::RFC9309)
}
