//! The robots and the readings that the options name, and the lines that robots obey.

use crate::args::Check as Args;
use crate::chosen_robots;
use robots_answers::AgentName;
use robots_answers::check::{AgentRules, CheckedFile, CheckedRobots, Reading};
use robots_answers::named_robots::named_robots;
use robots_lint::robots_txt::is_misspelling;
use robots_lint::{Finding, FindingKind};
use robots_policy::Profile;
use robots_policy::profile::Robot;
use robots_txt::Rules;
use std::collections::{BTreeSet, HashMap, HashSet};

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
        // Most files have no such findings: then the rules are not read.
        let all_rules = all.iter().filter(|_| !rule_lines.is_empty());
        let distinct = all_rules.map(|AgentRules { rules, .. }| (rules.sharing_key(), rules));
        let distinct: HashMap<usize, &Rules> = distinct.collect();
        let obeyed = distinct.values().flat_map(|rules| rules.iter());
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

/// Returns the readings that the options name, in order. Without any, each robot is read as its operator reads.
pub(super) fn readings(args: &Args) -> Vec<Reading> {
    let dialects = args.dialects().iter().copied().map(Reading::from);
    let profiles = args.profiles.iter().cloned().map(Reading::from);
    dialects.chain(profiles).collect()
}

/// Returns the readings of the robots of a file, each once.
pub(super) fn used_readings<'a>(file: &CheckedFile<'a>) -> Vec<&'a Reading> {
    let mut used = Vec::new();
    add_readings(&mut used, file);
    used
}

/// Adds the readings of the robots of a file that are not there.
pub(super) fn add_readings<'a>(used: &mut Vec<&'a Reading>, file: &CheckedFile<'a>) {
    for AgentRules { reading, .. } in file.rules() {
        if !used.iter().any(|other| std::ptr::eq(*other, *reading)) {
            used.push(reading);
        }
    }
}

/// Returns the robots that the options name.
pub(super) fn checked_robots(args: &Args) -> CheckedRobots<'_> {
    let names = args.agents.iter().map(|agent| agent.token.clone());
    CheckedRobots::new(args.known.table())
        .with_names(names.collect())
        .with_all(args.all_agents)
        .with_name_alone(args.name_alone)
}

/// Returns the names in a file that are those of robots of the options which are not known, or may be meant by them.
pub(super) fn related_names(args: &Args, file: &CheckedFile<'_>) -> BTreeSet<String> {
    let tokens = args
        .agents
        .iter()
        .map(|AgentName { token, .. }| token.as_str());
    let tokens = tokens.filter(|token| *token != "*" && args.known.table().get(token).is_none());
    let tokens: Vec<&str> = tokens.collect();
    let is_related = |name: &String| {
        let is_of = |token: &&str| name.eq_ignore_ascii_case(token) || is_misspelling(token, name);
        tokens.iter().any(is_of)
    };
    let readings = used_readings(file)
        .into_iter()
        .filter(|_| !tokens.is_empty());
    let names = readings.flat_map(|reading| named_robots(file.robots(), &reading.dialect));
    names.filter(is_related).collect()
}

/// Reports how the names of robots were read, and names that are probably misspelt; `names` are the [`related_names`] of the files.
pub(super) fn report_robots(args: &Args, readings: &[&Reading], names: &BTreeSet<String>) {
    if !args.has_agents() {
        return;
    }
    let profiles = readings
        .iter()
        .filter_map(|reading| reading.profile.as_ref());
    let of_profiles = profiles.flat_map(Profile::robots).map(Robot::name);
    let names = names.iter().map(String::as_str).chain(of_profiles);
    let files = std::iter::empty();
    chosen_robots::report(&args.agents, args.known.table(), files, names);
}
