//! The results of an audit, as the JSON output has them. All reports are made from these.

use crate::report::number::whole;
use crate::statistics::share::Share;
use jiff::Timestamp;
use robots_policy::profile::Obeys;
use serde::Serialize;
use std::collections::BTreeMap;

/// The version of the JSON format.
pub(super) const VERSION: u32 = 1;

/// The results of an audit. docs/tools.md describes the keys.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Audit {
    /// The version of the JSON format.
    pub(super) version: u32,
    /// The name and version of this program.
    pub(super) program: String,
    /// The day of the table of robots.
    pub(super) robots_as_of: String,
    pub(super) logs: Vec<String>,
    /// The number of lines that are neither empty nor directives of a W3C extended log.
    pub(super) lines: u64,
    /// The number of lines of each log format.
    pub(super) formats: BTreeMap<String, u64>,
    pub(super) bad_lines: Vec<BadLines>,
    /// The time of the first request.
    pub(super) first: Option<Timestamp>,
    /// The time of the last request.
    pub(super) last: Option<Timestamp>,
    /// The dialect of all robots; `None` if each robot reads robots.txt as its operator does.
    pub(super) dialect: Option<&'static str>,
    /// The time for which an older robots.txt still applies, in seconds.
    pub(super) grace: i64,
    /// The counts that are not exact and the requests that are not judged, with the reasons.
    pub(super) notes: Vec<String>,
    pub(super) requests: Requests,
    pub(super) identity: Identity,
    /// The robots, those with most requests first.
    pub(super) robots: Vec<Robot>,
    /// The programs that claim to be neither a robot nor a browser.
    pub(super) programs: Vec<Program>,
    /// The number of programs that are not listed.
    pub(super) programs_left_out: u64,
    pub(super) days: Vec<Day>,
}

/// The number of requests by requester.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Requests {
    pub(super) all: u64,
    pub(super) robots: u64,
    /// The requests of robots that fetch for AI, which are among those of robots.
    pub(super) ai: u64,
    pub(super) programs: u64,
    pub(super) browsers: u64,
    /// The requests of requesters without a name: their `User-Agent` header names no program, or they sent no header and
    /// their host name is not that of a known robot.
    pub(super) unnamed: u64,
}

/// The number of requests of robots, by whether their addresses are those of the robots that their `User-Agent` headers name.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Identity {
    pub(super) verified: u64,
    /// Nothing is known of their addresses.
    pub(super) unverified: u64,
    /// They falsely use the names.
    pub(super) refuted: u64,
}

/// The lines that could not be read, all for the same reason.
#[derive(Debug, Clone, Serialize)]
pub(super) struct BadLines {
    pub(super) reason: String,
    pub(super) lines: u64,
    /// The log with the first of them.
    pub(super) file: String,
    /// The number of the first of them in its log, from 1.
    pub(super) line: u64,
    /// The start of the first of them.
    pub(super) text: String,
}

/// A robot.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Robot {
    pub(super) name: String,
    /// Whether the requesters only use its name: their addresses are not its operator's.
    pub(super) refuted: bool,
    /// Whether the table has it.
    pub(super) known: bool,
    pub(super) operator: Option<String>,
    pub(super) purposes: Vec<&'static str>,
    pub(super) ai: bool,
    /// Whether it obeys robots.txt, according to its vendor.
    pub(super) obeys: Option<Obeys>,
    /// The profile as which it reads robots.txt; `None` if `--dialect` names a dialect for all.
    pub(super) profile: Option<&'static str>,
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) first: Option<Timestamp>,
    pub(super) last: Option<Timestamp>,
    pub(super) statuses: BTreeMap<&'static str, u64>,
    /// The requests from addresses of its operator.
    pub(super) verified: u64,
    /// The requests from addresses about which neither the host names nor the ranges say anything.
    pub(super) unverified: u64,
    /// Its requests for robots.txt.
    pub(super) robots_txt: u64,
    pub(super) robots_txt_statuses: BTreeMap<&'static str, u64>,
    /// The requests for which the robots.txt in force is known.
    pub(super) judged: u64,
    pub(super) forbidden: Share,
    /// The requests that the file in force forbade, but an older one that still applies allowed.
    pub(super) in_grace: u64,
    pub(super) crawl_delay: CrawlDelay,
    pub(super) paths: Vec<Row>,
    pub(super) rules: Vec<Row>,
    pub(super) examples: Vec<Example>,
}

/// The requested delay, and whether the robot keeps it.
#[derive(Debug, Clone, Serialize)]
pub(super) struct CrawlDelay {
    /// The longest requested delay, in seconds.
    pub(super) asked: Option<f64>,
    /// Whether the robot honours it, according to its vendor.
    pub(super) honoured: Option<bool>,
    /// The requests that follow another one, and for which a delay was requested.
    pub(super) judged: u64,
    /// The requests among these that certainly came too soon, however the log rounds times.
    pub(super) too_soon: Share,
    /// The median time between two requests, in seconds, with or without a requested delay.
    pub(super) median_gap: Option<f64>,
}

/// A path or a rule, with its number of requests.
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

/// A program that claims to be neither a robot nor a browser.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Program {
    pub(super) name: String,
    /// All its requests.
    pub(super) requests: u64,
    /// Its requests for robots.txt.
    pub(super) robots_txt: u64,
}

/// The requests of a day.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Day {
    pub(super) date: String,
    /// The requests of all requesters.
    pub(super) requests: u64,
    /// The requests of robots.
    pub(super) robots: u64,
    /// The requests of robots that fetch for AI, which are among those of robots.
    pub(super) ai: u64,
}

impl Audit {
    /// Returns whether a robot made a forbidden request, came too soon although its vendor says that it honours Crawl-delay, or
    /// used the name of another.
    pub(super) fn has_findings(&self) -> bool {
        let mut robots = self.robots.iter();
        robots.any(|robot| robot.refuted || robot.forbidden.requests > 0 || robot.is_hasty())
    }

    /// Returns the number of lines that could not be read.
    pub(super) fn unreadable_lines(&self) -> u64 {
        let lines = self.bad_lines.iter().map(|bad| bad.lines);
        lines.sum()
    }
}

impl Robot {
    /// Returns whether the robot came too soon although its vendor documents that it honours Crawl-delay. False if its name
    /// is refuted.
    pub(super) fn is_hasty(&self) -> bool {
        let delay = &self.crawl_delay;
        !self.refuted && delay.honoured == Some(true) && delay.too_soon.requests > 0
    }

    /// Returns the name in a report, with a remark if it is false or not verified.
    pub(super) fn title(&self) -> String {
        if self.refuted {
            format!("not {}", self.name)
        } else if let Some(doubt) = self.doubt() {
            format!("{} ({doubt})", self.name)
        } else {
            self.name.clone()
        }
    }

    /// Returns how many of its requests are verified; `None` if all are, or the name is false.
    pub(super) fn doubt(&self) -> Option<String> {
        match self.unverified {
            0 => None,
            _ if self.verified == 0 => Some("not verified".to_owned()),
            _ => {
                let [verified, all] = [self.verified, self.requests].map(whole);
                Some(format!("{verified} of {all} verified"))
            }
        }
    }
}
