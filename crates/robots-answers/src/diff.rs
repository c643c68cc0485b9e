//! The decisions that change between two robots.txt files.

use crate::check::{AgentRules, Reading, by_operator, under};
use crate::json::path_verdict;
use crate::named_robots::{DistinctRobots, named_robots};
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, Honours, KnownAgent};
use robots_txt::analysis::{Changes, Comparison};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use serde_json::{Value, json};

/// Returns the robots that are compared unless others are named: `*`, the robots that one of the files names, and two kinds of
/// known robots: those that obey a group of another name in a file, and those that do not obey `*`.
pub fn compared_robots(
    files: &[RobotsTxt; 2],
    table: &AgentTable,
    dialect: Option<&Dialect>,
) -> DistinctRobots {
    let dialect = dialect.unwrap_or(&Dialect::RFC9309);
    let named = files.iter().flat_map(|file| named_robots(file, dialect));
    let known_agents: Vec<Agent<'_>> = table.iter().map(KnownAgent::agent).collect();
    let [in_old, in_new] = files
        .each_ref()
        .map(|file| file.are_named(&known_agents, dialect));
    let is_named = in_old.into_iter().zip(in_new).map(|(old, new)| old || new);
    let known = table.iter().zip(is_named);
    let known = known.filter(|(known, is_named)| *is_named || !known.obeys_star);
    let known_names = known.map(|(known, _)| known.token.clone());
    DistinctRobots::with_star(named.chain(known_names))
}

/// Returns the changes from the first file to the second for each robot, in order, also if there is nothing to report. To compare
/// the rules of a robot is a search, which takes a while. Without a reading, the files are read for each robot as its operator does
/// ([`Reading::of_robot`]).
pub fn diffs<'a>(
    files: &[RobotsTxt; 2],
    agents: &[Agent<'static>],
    reading: Option<&'a Reading>,
) -> impl Iterator<Item = RobotDiff> + use<'a> {
    let [before, after] = files.each_ref().map(|file| match reading {
        Some(reading) => under(file, reading, agents),
        None => by_operator(file, agents),
    });
    let mut comparison = Comparison::new();
    let each = before.into_iter().zip(after);
    each.map(move |(before, after)| RobotDiff::new(&mut comparison, &before, &after))
}

/// The changes for a robot.
#[derive(Debug)]
#[non_exhaustive]
pub struct RobotDiff {
    /// The robot.
    pub agent: String,
    /// How the files were read for it.
    pub reading: Reading,
    /// The paths on which its decisions change.
    pub changes: Changes,
    /// The crawl-delays before and after in seconds, if they differ and the profile honours them; `None` for a file without one.
    pub crawl_delay: Option<[Option<f64>; 2]>,
}

impl RobotDiff {
    fn new(comparison: &mut Comparison, old: &AgentRules<'_>, new: &AgentRules<'_>) -> Self {
        let (agent, reading) = (&old.agent, old.reading);
        let (old, new) = (&old.rules, &new.rules);
        let profile = reading.profile.as_ref();
        let obeys_delay =
            profile.is_none_or(|profile| profile.honours().contains(Honours::CRAWL_DELAY));
        let delay = |rules: &Rules| {
            let delay = rules.crawl_delay().filter(|_| obeys_delay);
            delay.map(|delay| delay.delay().as_secs_f64())
        };
        let (before, after) = (delay(old), delay(new));
        Self {
            agent: agent.name().to_owned(),
            reading: reading.clone(),
            changes: comparison.changes(agent.name(), old, new),
            crawl_delay: (before != after).then_some([before, after]),
        }
    }

    /// Returns whether a decision or the crawl-delay changes.
    pub fn has_changes(&self) -> bool {
        !self.changes.is_empty() || self.crawl_delay.is_some()
    }

    /// Returns whether something is to report: a change, or that the comparison is not complete and may have missed one.
    pub fn is_reported(&self) -> bool {
        self.has_changes() || !self.changes.is_complete()
    }

    /// Returns the change of the crawl-delay in words, if there is one: `Crawl-delay: 5 s, before none`.
    pub fn crawl_delay_text(&self) -> Option<String> {
        let seconds = |delay: Option<f64>| {
            delay.map_or_else(|| "none".to_owned(), |delay| format!("{delay} s"))
        };
        let [before, after] = self.crawl_delay?.map(seconds);
        Some(format!("Crawl-delay: {after}, before {before}"))
    }

    /// Returns the changes as an answer. `robots diff --help` describes the keys.
    pub fn answer(&self) -> Value {
        let changes = self.changes.iter().map(|change| {
            json!({
                "path": change.path(),
                "before": path_verdict(change.before()),
                "after": path_verdict(change.after()),
            })
        });
        json!({
            "agent": self.agent,
            "dialect": self.reading.dialect.name(),
            "profile": self.reading.profile.as_ref().map(Profile::name),
            "changes": changes.collect::<Vec<_>>(),
            "crawl_delay": self.crawl_delay.map(|[before, after]| json!({"before": before, "after": after})),
            "complete": self.changes.is_complete(),
        })
    }
}
