//! What is told of an audit: its JSON form, from which all reports are made.

use crate::statistics::share::{Interval, fraction};
use jiff::Timestamp;
use robots_policy::profile::Obeys;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the form.
pub(super) const VERSION: u32 = 1;

/// An audit.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Audit {
    /// The version of the form.
    pub(super) version: u32,
    /// The program that made it.
    pub(super) program: String,
    /// The day of the table of robots.
    pub(super) robots_as_of: String,
    pub(super) logs: Vec<String>,
    /// Lines, without empty ones.
    pub(super) lines: u64,
    /// Lines of each form.
    pub(super) forms: BTreeMap<String, u64>,
    pub(super) broken: Vec<Broken>,
    /// The first and the last request.
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    /// How long an older file still counts, in seconds.
    pub(super) grace: i64,
    /// Where counts are not exact or something is not judged, and why; empty if there is nothing of the
    /// kind.
    pub(super) notes: Vec<String>,
    pub(super) requests: Requests,
    pub(super) robots: Vec<Robot>,
    /// Programs that neither say to be robots nor browsers.
    pub(super) programs: Vec<Program>,
    /// How many programs are not told.
    pub(super) programs_left_out: u64,
    pub(super) days: Vec<Day>,
}

/// Requests by who made them.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Requests {
    pub(super) all: u64,
    pub(super) robots: u64,
    /// Of robots that fetch for AI; they are robots too.
    pub(super) ai: u64,
    pub(super) programs: u64,
    pub(super) browsers: u64,
    /// Without a `User-Agent` header or a name that tells a robot.
    pub(super) nobody: u64,
}

/// Lines that could not be read.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Broken {
    pub(super) reason: String,
    pub(super) lines: u64,
    /// The first of them.
    pub(super) file: String,
    pub(super) line: u64,
}

/// A robot.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Robot {
    #[serde(rename = "robot")]
    pub(super) name: String,
    /// Whether these are others who go by its name: their addresses are not its operator's.
    pub(super) refuted: bool,
    /// Whether the table knows it.
    pub(super) known: bool,
    pub(super) operator: Option<String>,
    pub(super) purposes: Vec<&'static str>,
    pub(super) ai: bool,
    /// Whether it obeys robots.txt, as its makers say.
    pub(super) obeys: Option<Obeys>,
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) statuses: BTreeMap<&'static str, u64>,
    /// Requests of those whose addresses are its operator's, and of those of whom nothing is known.
    pub(super) verified: u64,
    pub(super) unverified: u64,
    /// Its requests for robots.txt.
    pub(super) robots_txt: u64,
    pub(super) robots_txt_statuses: BTreeMap<&'static str, u64>,
    /// Requests for which it is known what the robots.txt in force said.
    pub(super) judged: u64,
    pub(super) forbidden: Share,
    /// Requests that the file in force forbade, and an older one that counts still allowed.
    pub(super) in_grace: u64,
    pub(super) crawl_delay: CrawlDelay,
    pub(super) paths: Vec<Row>,
    pub(super) rules: Vec<Row>,
    pub(super) examples: Vec<Example>,
}

/// A number of many, and between which shares the true one lies with 95 % certainty.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Share {
    pub(super) requests: u64,
    #[serde(rename = "share")]
    pub(super) ratio: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Share {
    pub(super) fn of(part: u64, whole: u64) -> Self {
        let Interval { low, high } = Interval::of(part, whole);
        Self {
            requests: part,
            ratio: fraction(part, whole),
            low,
            high,
        }
    }
}

/// The delay that is asked for, and whether it is kept.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CrawlDelay {
    /// In seconds: the longest that was asked for.
    pub(super) asked: Option<f64>,
    /// Whether the robot honours it, as its makers say.
    pub(super) honoured: Option<bool>,
    /// Requests behind another for which a delay was asked.
    pub(super) judged: u64,
    /// Those that came too soon for certain.
    pub(super) too_soon: Share,
    /// Seconds between two requests, asked or not: the median.
    pub(super) median_gap: Option<f64>,
}

/// A path or a rule, and how many requests there were.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) requests: u64,
}

/// A request that was forbidden.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Example {
    pub(super) file: String,
    pub(super) line: u64,
    pub(super) time: Option<Timestamp>,
    pub(super) target: String,
    pub(super) rule: String,
}

/// A program.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Program {
    #[serde(rename = "program")]
    pub(super) name: String,
    pub(super) requests: u64,
    pub(super) robots_txt: u64,
}

/// Requests of a day.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Day {
    #[serde(rename = "day")]
    pub(super) date: String,
    pub(super) requests: u64,
    pub(super) robots: u64,
    pub(super) ai: u64,
}

impl Audit {
    /// Whether a robot asked for what was forbidden, came too soon though it honours Crawl-delay, or went by
    /// another's name.
    pub(super) fn has_findings(&self) -> bool {
        self.robots.iter().any(|robot| {
            let delay = &robot.crawl_delay;
            robot.refuted
                || robot.forbidden.requests > 0
                || delay.honoured == Some(true) && delay.too_soon.requests > 0
        })
    }

    /// Lines that could not be read.
    pub(super) fn broken_lines(&self) -> u64 {
        let lines = self.broken.iter().map(|broken| broken.lines);
        lines.fold(0, u64::saturating_add)
    }
}

impl Robot {
    /// What it is called in a report.
    pub(super) fn title(&self) -> String {
        if self.refuted {
            format!("not {}", self.name)
        } else {
            self.name.clone()
        }
    }
}
