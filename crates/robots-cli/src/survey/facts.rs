//! What is told of a survey: its JSON form, from which all reports are made.

use super::count::{Count, Hits, Restrictions};
use super::robots::MOST_JUDGED;
use crate::statistics::distribution::Facts;
use crate::statistics::tally::{MOST_NAMES, Tally};
use robots_lint::Severity;
use robots_policy::profile::AgentTable;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the form.
pub(super) const VERSION: u32 = 1;

/// How many names of a list are told: those with the most files. The rest is counted.
const TOLD: usize = 1_000;

/// A survey.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Survey {
    /// The version of the form.
    pub(super) version: u32,
    /// The program that made it.
    pub(super) program: String,
    /// The day of the table of robots.
    pub(super) robots_as_of: String,
    /// Where counts are no longer exact; empty if all are.
    pub(super) approximate: Vec<String>,
    /// Responses to requests for robots.txt, by class of status; `none`: no answer.
    pub(super) answers: BTreeMap<String, u64>,
    pub(super) robots: Robots,
    pub(super) pages: Pages,
}

/// What is told of robots.txt files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Robots {
    /// Files with status 2xx.
    pub(super) files: u64,
    /// Those that are HTML pages; nothing else is counted of them.
    pub(super) html: u64,
    /// Those of more than 500 KiB.
    pub(super) over_limit: u64,
    pub(super) sizes: BTreeMap<String, Facts>,
    pub(super) fields: Vec<Row>,
    pub(super) unknown_fields: Vec<Row>,
    /// How many names of fields are not told.
    pub(super) unknown_fields_left_out: u64,
    /// Robots that files name.
    pub(super) agents: Vec<Agent>,
    pub(super) agents_left_out: u64,
    /// Robots of the table, and `*`: how much is disallowed to them in the files.
    pub(super) known_agents: Vec<Agent>,
    /// In seconds, in files that ask for one.
    pub(super) crawl_delays: Facts,
    pub(super) findings: Vec<Finding>,
    /// Files with each kind of error that WebWatch looked for in 1997.
    pub(super) webwatch_errors: BTreeMap<String, u64>,
    /// What files say about AI.
    pub(super) ai: BTreeMap<String, u64>,
}

/// A name, how often it is there, and in how many files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) times: u64,
    pub(super) files: u64,
}

/// A robot, and in how many files how much is disallowed to it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Agent {
    #[serde(rename = "agent")]
    pub(super) name: String,
    /// Whether it fetches for AI, as the table says.
    pub(super) ai: bool,
    /// Files that name it.
    pub(super) files: u64,
    pub(super) none: u64,
    pub(super) some: u64,
    pub(super) all_except: u64,
    pub(super) all: u64,
    pub(super) unknown: u64,
}

/// A kind of finding of `robots lint`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Finding {
    pub(super) code: String,
    pub(super) name: String,
    pub(super) severity: String,
    pub(super) times: u64,
    pub(super) files: u64,
}

/// What is told of pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pages {
    #[serde(rename = "pages")]
    pub(super) count: u64,
    pub(super) with_robots_meta: u64,
    pub(super) with_x_robots_tag: u64,
    pub(super) with_canonical: u64,
    pub(super) with_description: u64,
    pub(super) meta_names: Vec<Row>,
    pub(super) meta_directives: Vec<Row>,
    pub(super) header_directives: Vec<Row>,
}

impl Survey {
    pub(super) fn new(count: Count, table: &AgentTable) -> Self {
        let mut approximate = Vec::new();
        let robots = count.robots;
        if robots.crowded > 0 {
            approximate.push(format!(
                "{} files name more than {MOST_JUDGED} robots: restrictions of further ones are not counted",
                robots.crowded
            ));
        }
        let sizes = robots.sizes.named().into_iter();
        let (agents, agents_left_out) = agents(robots.agents, table, &mut approximate);
        let mut list = |what: &str, tally: Tally<Hits>| rows(what, tally, &mut approximate);
        let (unknown_fields, unknown_fields_left_out) =
            list("unknown fields", robots.unknown_fields);
        let (meta_names, _) = list("names of METAs", count.pages.meta_names);
        let (meta_directives, _) = list("directives of METAs", count.pages.meta_directives);
        let (header_directives, _) = list("directives of headers", count.pages.header_directives);
        let fields = robots.fields.into_iter();
        Self {
            version: VERSION,
            program: concat!("robots ", env!("CARGO_PKG_VERSION")).to_owned(),
            robots_as_of: table.date().to_owned(),
            answers: named(count.answers),
            robots: Robots {
                files: robots.files,
                html: robots.html,
                over_limit: robots.over_limit,
                sizes: sizes
                    .map(|(name, numbers)| (name.to_owned(), numbers.facts()))
                    .collect(),
                fields: sorted(fields.map(|(name, hits)| (name.to_owned(), hits)).collect()),
                unknown_fields,
                unknown_fields_left_out,
                known_agents: known_agents(&robots.restrictions, &agents, table),
                agents,
                agents_left_out,
                crawl_delays: robots.delays.facts(),
                findings: robots
                    .findings
                    .into_iter()
                    .map(|(kind, hits)| Finding {
                        code: kind.code().to_owned(),
                        name: kind.name().to_owned(),
                        severity: kind.severity().name().to_owned(),
                        times: hits.times,
                        files: hits.files,
                    })
                    .collect(),
                webwatch_errors: named(robots.webwatch_errors),
                ai: named(robots.ai),
            },
            pages: Pages {
                count: count.pages.count,
                with_robots_meta: count.pages.with_meta,
                with_x_robots_tag: count.pages.with_header,
                with_canonical: count.pages.with_canonical,
                with_description: count.pages.with_description,
                meta_names,
                meta_directives,
                header_directives,
            },
            approximate,
        }
    }

    /// All answers.
    pub(super) fn answered(&self) -> u64 {
        let answers = self.answers.values().copied();
        answers.fold(0, u64::saturating_add)
    }

    /// The findings of a kind.
    pub(super) fn finding(&self, code: &str) -> Option<&Finding> {
        self.robots
            .findings
            .iter()
            .find(|finding| finding.code == code)
    }

    /// Files that were read as robots.txt.
    pub(super) fn read(&self) -> u64 {
        self.robots.files.saturating_sub(self.robots.html)
    }
}

impl Finding {
    /// Whether it is an error.
    pub(super) fn is_error(&self) -> bool {
        self.severity == Severity::Error.name()
    }
}

impl Agent {
    fn new(agent: &str, ai: bool, files: u64, restrictions: &Restrictions) -> Self {
        Self {
            name: agent.to_owned(),
            ai,
            files,
            none: restrictions.none,
            some: restrictions.some,
            all_except: restrictions.all_except,
            all: restrictions.all,
            unknown: restrictions.unknown,
        }
    }

    /// The files in which it is known how much is disallowed to it.
    pub(super) fn judged(&self) -> u64 {
        [self.none, self.some, self.all_except, self.all]
            .into_iter()
            .fold(0, u64::saturating_add)
    }
}

fn named(counts: BTreeMap<&'static str, u64>) -> BTreeMap<String, u64> {
    let counts = counts.into_iter();
    counts
        .map(|(name, count)| (name.to_owned(), count))
        .collect()
}

/// By files, then by name.
fn sorted(counts: Vec<(String, Hits)>) -> Vec<Row> {
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|(name, hits)| Row {
            name,
            times: hits.times,
            files: hits.files,
        })
        .collect();
    rows.sort_by(|one, two| {
        two.files
            .cmp(&one.files)
            .then_with(|| one.name.cmp(&two.name))
    });
    rows
}

/// The names with the most files, and how many more there are.
fn rows(what: &str, tally: Tally<Hits>, approximate: &mut Vec<String>) -> (Vec<Row>, u64) {
    let (counts, others) = tally.into_parts();
    if others > 0 {
        approximate.push(format!(
            "{what}: more than {MOST_NAMES} names; {others} of later ones are not listed"
        ));
    }
    let counts = counts.into_iter().map(|(name, hits)| (name.into(), hits));
    let mut rows = sorted(counts.collect());
    let left_out = rows.len().saturating_sub(TOLD);
    rows.truncate(TOLD);
    (rows, left_out as u64)
}

fn agents(
    tally: Tally<super::count::Told>,
    table: &AgentTable,
    approximate: &mut Vec<String>,
) -> (Vec<Agent>, u64) {
    let (counts, others) = tally.into_parts();
    if others > 0 {
        approximate.push(format!(
            "robots: more than {MOST_NAMES} names; {others} of later ones are not listed"
        ));
    }
    let mut agents: Vec<Agent> = counts
        .iter()
        .map(|(name, told)| {
            let is_ai = table
                .get(name)
                .is_some_and(robots_policy::profile::KnownAgent::is_ai);
            Agent::new(name, is_ai, told.files, &told.restrictions)
        })
        .collect();
    agents.sort_by(|one, two| {
        two.files
            .cmp(&one.files)
            .then_with(|| one.name.cmp(&two.name))
    });
    let left_out = agents.len().saturating_sub(TOLD);
    agents.truncate(TOLD);
    (agents, left_out as u64)
}

/// `*`, and the robots of the table in its order.
fn known_agents(restrictions: &[Restrictions], named: &[Agent], table: &AgentTable) -> Vec<Agent> {
    let files = |name: &str| {
        let agent = named.iter().find(|agent| agent.name == name);
        agent.map_or(0, |agent| agent.files)
    };
    let everyone = std::iter::once(("*", false));
    let known = table
        .iter()
        .map(|agent| (agent.token.as_str(), agent.is_ai()));
    everyone
        .chain(known)
        .zip(restrictions)
        .map(|((name, ai), restrictions)| Agent::new(name, ai, files(name), restrictions))
        .collect()
}
