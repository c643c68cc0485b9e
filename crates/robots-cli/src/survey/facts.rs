//! The facts of a survey, from which all reports are made. As JSON, they are the report of `--json`.

pub(super) use super::count::Agent;

use super::count::{Count, Hits, Numbers, SIZES};
use super::robots::MAX_RESTRICTIONS;
use crate::statistics::distribution::{Distribution, Facts};
use crate::statistics::tally::{MAX_NAMES, Tally};
use crate::terminal::counted;
use robots_lint::Severity;
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, KnownAgent};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The version of the JSON format.
pub(super) const VERSION: u32 = 1;

/// The maximum number of names in a list. The list has the names with the most files.
const MAX_LISTED: usize = 1_000;

/// The ends of the ranges in which delays are counted, in seconds.
const DELAYS: [u64; 8] = [0, 1, 2, 5, 10, 20, 30, 60];

/// A survey. An earlier one is read from a file, which may have any numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Survey {
    /// The version of the JSON format.
    pub(super) version: u32,
    /// The program that made it.
    pub(super) program: String,
    /// The date of the table of known robots.
    pub(super) robots_as_of: String,
    /// The dialect under which files were read; `None` if each robot read them as its operator does.
    pub(super) dialect: Option<String>,
    /// The counts that are not exact, with the reasons.
    pub(super) approximate: Vec<String>,
    /// The responses to requests for robots.txt, by class of status: `2xx` to `5xx`, `other`, and `none` if there was no response.
    pub(super) responses: Numbers,
    pub(super) robots: Robots,
    pub(super) pages: Pages,
}

/// The facts of robots.txt files.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Robots {
    /// The number of files with status 2xx.
    pub(super) files: u64,
    /// The number of these files that are HTML pages. Nothing else in them is counted.
    pub(super) html: u64,
    /// The number of these files that have more than 500 KiB and are not HTML pages.
    pub(super) over_limit: u64,
    /// The number of these files with comments and nothing else.
    pub(super) comments_alone: u64,
    pub(super) sizes: BTreeMap<String, Facts>,
    pub(super) fields: Vec<Row>,
    pub(super) unknown_fields: Vec<Row>,
    /// The number of other unknown fields, which the list leaves out.
    pub(super) unknown_fields_left_out: u64,
    /// The robots that files name.
    pub(super) agents: Vec<Agent>,
    /// The number of other named robots, which the list leaves out.
    pub(super) agents_left_out: u64,
    /// The restrictions of `*`, and of the robots of the table.
    pub(super) known_agents: Vec<Agent>,
    /// The delays in seconds of the files that request one.
    pub(super) crawl_delays: Facts,
    pub(super) findings: Vec<Finding>,
    /// The number of files with each kind of error that WebWatch counted in 1997.
    pub(super) webwatch_errors: Numbers,
    /// The number of files with each kind of statement about AI.
    pub(super) ai: Numbers,
}

/// A name, with the number of its occurrences and of the files that have it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Row {
    pub(super) name: String,
    pub(super) times: u64,
    pub(super) files: u64,
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

/// The facts of pages.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Pages {
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
    pub(super) fn new(count: Count, table: &AgentTable, dialect: Option<String>) -> Self {
        let mut approximate = Vec::new();
        let robots = count.robots;
        if robots.beyond_restriction_limit > 0 {
            approximate.push(format!(
                "{} with more than {MAX_RESTRICTIONS} named robots: restrictions of further ones are not counted",
                counted(robots.beyond_restriction_limit, "file")
            ));
        }
        let mut agents = agents(robots.agents, table, &mut approximate);
        let mut known_agents = known_agents(robots.known_agents, &agents, table);
        let agents_left_out = agents.len().saturating_sub(MAX_LISTED) as u64;
        agents.truncate(MAX_LISTED);
        if dialect.is_none() {
            for agent in agents.iter_mut().chain(&mut known_agents) {
                agent.profile = Some(Profile::of_robot(&agent.name).name().to_owned());
            }
        }
        let mut list = |name: &str, tally: Tally<Hits>| rows(name, tally, &mut approximate);
        let (unknown_fields, unknown_fields_left_out) =
            list("unknown fields", robots.unknown_fields);
        let (meta_names, _) = list("names of METAs", count.pages.meta_names);
        let (meta_directives, _) = list("directives of METAs", count.pages.meta_directives);
        let (header_directives, _) = list("directives of headers", count.pages.header_directives);
        let fields = robots.fields.into_iter();
        let size = |name| {
            robots
                .sizes
                .get(name)
                .map_or_else(Facts::default, Distribution::facts)
        };
        Self {
            version: VERSION,
            program: concat!("robots ", env!("CARGO_PKG_VERSION")).to_owned(),
            robots_as_of: table.date().to_owned(),
            dialect,
            responses: count.responses,
            robots: Robots {
                files: robots.files,
                html: robots.html,
                over_limit: robots.over_limit,
                comments_alone: robots.comments_alone,
                sizes: SIZES
                    .into_iter()
                    .map(|name| (name.to_owned(), size(name)))
                    .collect(),
                fields: sorted(fields.map(|(name, hits)| (name.to_owned(), hits)).collect()),
                unknown_fields,
                unknown_fields_left_out,
                known_agents,
                agents,
                agents_left_out,
                crawl_delays: Facts {
                    steps: robots.delays.steps(DELAYS),
                    ..robots.delays.facts()
                },
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
                webwatch_errors: robots.webwatch_errors,
                ai: robots.ai,
            },
            pages: Pages {
                count: count.pages.all,
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

    /// Returns the number of responses.
    pub(super) fn all_responses(&self) -> u64 {
        let responses = self.responses.values().copied();
        responses.fold(0, u64::saturating_add)
    }

    /// Returns the finding with this code.
    pub(super) fn finding(&self, code: &str) -> Option<&Finding> {
        self.robots
            .findings
            .iter()
            .find(|finding| finding.code == code)
    }

    /// Returns the number of files that are not HTML pages.
    pub(super) fn text_files(&self) -> u64 {
        self.robots.files.saturating_sub(self.robots.html)
    }
}

impl Finding {
    /// Returns whether the finding is an error.
    pub(super) fn is_error(&self) -> bool {
        self.severity == Severity::Error.name()
    }
}

/// Returns rows: those with the most files first, and those with equally many by name.
fn sorted(counts: Vec<(String, Hits)>) -> Vec<Row> {
    let mut rows: Vec<Row> = counts
        .into_iter()
        .map(|(name, hits)| Row {
            name,
            times: hits.times,
            files: hits.files,
        })
        .collect();
    rows.sort_by_cached_key(|row| (Reverse(row.files), row.name.clone()));
    rows
}

/// Adds a text to `approximate` if some names of a list were not counted.
fn note_beyond_limit(list: &str, others: u64, approximate: &mut Vec<String>) {
    if others > 0 {
        approximate.push(format!(
            "{list}: more than {MAX_NAMES} names; {} of later ones (one per file) not counted",
            counted(others, "occurrence")
        ));
    }
}

/// Returns the names with the most files, and the number of the other names that were counted. Adds a text to `approximate` if
/// some names were not counted.
fn rows(list: &str, tally: Tally<Hits>, approximate: &mut Vec<String>) -> (Vec<Row>, u64) {
    let (counts, others) = tally.into_parts();
    note_beyond_limit(list, others, approximate);
    let counts = counts.into_iter().map(|(name, hits)| (name.into(), hits));
    let mut rows = sorted(counts.collect());
    let left_out = rows.len().saturating_sub(MAX_LISTED);
    rows.truncate(MAX_LISTED);
    (rows, left_out as u64)
}

/// Returns the named robots, those that the most files name first. Adds a text to `approximate` if some robots were not
/// counted.
fn agents(tally: Tally<Agent>, table: &AgentTable, approximate: &mut Vec<String>) -> Vec<Agent> {
    let (counts, others) = tally.into_parts();
    note_beyond_limit("robots", others, approximate);
    let mut agents: Vec<Agent> = counts
        .into_iter()
        .map(|(name, agent)| Agent {
            ai: table.get(&name).is_some_and(KnownAgent::is_ai),
            name: name.into(),
            ..agent
        })
        .collect();
    agents.sort_by_cached_key(|agent| (Reverse(agent.files), agent.name.clone()));
    agents
}

/// Returns the restrictions of `*`, and of the robots of the table in its order. `named` are all robots that files name.
fn known_agents(counts: Vec<Agent>, named: &[Agent], table: &AgentTable) -> Vec<Agent> {
    let named = named.iter().map(|agent| (agent.name.as_str(), agent.files));
    let named: HashMap<&str, u64> = named.collect();
    let everyone = std::iter::once(("*", false));
    let known = table
        .iter()
        .map(|agent| (agent.token.as_str(), agent.is_ai()));
    everyone
        .chain(known)
        .zip(counts)
        .map(|((name, ai), agent)| Agent {
            name: name.to_owned(),
            ai,
            files: named.get(name).copied().unwrap_or_default(),
            ..agent
        })
        .collect()
}
