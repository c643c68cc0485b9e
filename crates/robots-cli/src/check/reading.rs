//! The robots and the readings of the file that verdicts are about.

use crate::args::Check as Args;
use crate::chosen_robots::{self, with_star};
use robots_answers::named_robots::named_robots;
use robots_lint::{Finding, FindingKind};
use robots_policy::Profile;
use robots_policy::profile::Robot;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::collections::HashSet;

/// A way to read the file: a dialect, or a profile with its dialect.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    pub(super) dialect: Dialect,
    pub(super) profile: Option<Profile>,
}

impl Reading {
    pub(super) fn name(&self) -> &str {
        let profile = self.profile.as_ref().map(Profile::name);
        profile.unwrap_or_else(|| self.dialect.name())
    }
}

/// A robot under a reading, with its compiled rules.
#[derive(Debug)]
pub(super) struct AgentRules<'a> {
    pub(super) reading: &'a Reading,
    pub(super) agent: Agent<'static>,
    pub(super) rules: Rules,
}

/// The lines with findings that any of the robots obeys under a reading.
pub(super) struct ObeyedLines {
    /// The numbers of lines with rules.
    rules: HashSet<usize>,
    /// The numbers of `User-agent` lines.
    agents: HashSet<usize>,
    /// Whether the reading applies rules that are absolute URLs.
    applies_urls: bool,
}

impl ObeyedLines {
    /// Finds the lines of these findings that robots of one reading obey. Rules that robots share are read once.
    pub(super) fn of<'f>(
        all: &[AgentRules<'_>],
        findings: &(impl Iterator<Item = &'f Finding> + Clone),
    ) -> Self {
        let lines_of = |kinds: &[FindingKind]| -> HashSet<usize> {
            let of_kinds = findings
                .clone()
                .filter(|found| kinds.contains(&found.kind()));
            of_kinds.map(Finding::line).collect()
        };
        let rule_lines = lines_of(&[FindingKind::RuleWithoutGroup, FindingKind::AbsoluteUrl]);
        let mut distinct: Vec<&Rules> = Vec::new();
        // Most files have no such findings: then the rules are not read.
        if !rule_lines.is_empty() {
            for AgentRules { rules, .. } in all {
                if !distinct.iter().any(|known| known.shares_rules_with(rules)) {
                    distinct.push(rules);
                }
            }
        }
        let obeyed = distinct.iter().flat_map(|rules| rules.iter());
        let obeyed = obeyed.map(|rule| rule.line());
        let mut agents = lines_of(&[FindingKind::EmptyAgent]);
        agents.retain(|line| all.iter().any(|rules| rules.rules.is_named_on_line(*line)));
        Self {
            rules: obeyed.filter(|line| rule_lines.contains(line)).collect(),
            agents,
            applies_urls: all
                .iter()
                .any(|rules| rules.reading.dialect.depends_on_url()),
        }
    }

    /// Returns whether a finding states that its line has no effect, but a robot obeys the line.
    pub(super) fn contradict(&self, finding: &Finding) -> bool {
        match finding.kind() {
            FindingKind::RuleWithoutGroup => self.rules.contains(&finding.line()),
            FindingKind::AbsoluteUrl => self.applies_urls && self.rules.contains(&finding.line()),
            FindingKind::EmptyAgent => self.agents.contains(&finding.line()),
            _ => false,
        }
    }
}

/// Returns the readings that the options name, in order.
pub(super) fn readings(args: &Args) -> Vec<Reading> {
    let dialects = args.dialects().into_iter().map(|dialect| Reading {
        dialect,
        profile: None,
    });
    let profiles = args.profiles.iter().map(|profile| Reading {
        dialect: *profile.dialect(),
        profile: Some(profile.clone()),
    });
    dialects.chain(profiles).collect()
}

/// Compiles the rules of every robot under every reading.
pub(super) fn compile<'a>(
    args: &Args,
    robots: &RobotsTxt,
    readings: &'a [Reading],
) -> Vec<AgentRules<'a>> {
    let mut all = Vec::new();
    let all_names = args.all_agents.then(|| all_names(args, robots, readings));
    for reading in readings {
        let names = all_names.clone().unwrap_or_else(|| names(args, reading));
        let agents: Vec<Agent<'static>> = names
            .iter()
            .map(|name| agent(args, name, reading.profile.as_ref()))
            .collect();
        let rules = robots.rules_of_all(&agents, &reading.dialect);
        let each = agents.into_iter().zip(rules.iter());
        all.extend(each.map(|(agent, rules)| AgentRules {
            reading,
            agent,
            rules: rules.clone(),
        }));
    }
    all
}

/// Returns the robots that the options name, or that of the profile.
fn names(args: &Args, reading: &Reading) -> Vec<String> {
    match &reading.profile {
        Some(profile) if !args.has_agents() => vec![profile.agent().to_owned()],
        _ => args.agents(),
    }
}

/// Reports how the names of robots were read, and names that are probably misspelt.
pub(super) fn report_robots<'f>(
    args: &Args,
    readings: &[Reading],
    files: impl IntoIterator<Item = &'f RobotsTxt>,
) {
    if !args.has_agents() {
        return;
    }
    let mut named: Vec<String> = Vec::new();
    for file in files {
        let of_file = |reading: &Reading| named_robots(file, &reading.dialect).collect::<Vec<_>>();
        named.extend(readings.iter().flat_map(of_file));
    }
    let profiles = readings
        .iter()
        .filter_map(|reading| reading.profile.as_ref());
    let of_profiles = profiles.flat_map(Profile::robots).map(Robot::name);
    let names = named.iter().map(String::as_str).chain(of_profiles);
    chosen_robots::report(&args.agents, args.known.table(), names);
}

/// Returns `*`, the robots of the table, and those that the file names under any of the readings.
fn all_names(args: &Args, robots: &RobotsTxt, readings: &[Reading]) -> Vec<String> {
    let known = args.known.table().iter().map(|agent| agent.token.clone());
    let named = readings
        .iter()
        .flat_map(|reading| named_robots(robots, &reading.dialect));
    with_star(known.chain(named))
}

/// Returns a robot with the names whose groups it obeys.
pub(super) fn agent(args: &Args, name: &str, profile: Option<&Profile>) -> Agent<'static> {
    if args.name_alone {
        return Agent::new(name.to_owned());
    }
    match profile {
        Some(profile) => profile.robot(name).agent().clone(),
        None => args.known.table().agent(name),
    }
}
