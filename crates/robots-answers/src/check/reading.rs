//! The robots and the readings of the file that verdicts are about.

use crate::engine::manner;
use crate::named_robots::{DistinctRobots, named_robots};
use robots_policy::Profile;
use robots_policy::profile::AgentTable;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::sync::LazyLock;

/// A way to read the file: a dialect, or a profile with its dialect.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Reading {
    /// The dialect.
    pub dialect: Dialect,
    /// The profile that has the dialect; `None` for a dialect alone.
    pub profile: Option<Profile>,
}

impl From<Dialect> for Reading {
    fn from(dialect: Dialect) -> Self {
        Self {
            dialect,
            profile: None,
        }
    }
}

impl From<Profile> for Reading {
    fn from(profile: Profile) -> Self {
        Self {
            dialect: *profile.dialect(),
            profile: Some(profile),
        }
    }
}

impl Reading {
    /// Returns the reading of a robot unless a caller chooses another: that of [`Profile::of_robot`].
    pub fn of_robot(name: &str) -> &'static Self {
        static ALL: LazyLock<Vec<Reading>> =
            LazyLock::new(|| Profile::all().map(Reading::from).collect());
        let profile = Profile::of_robot(name).name();
        let own = ALL.iter().find(|reading| reading.name() == profile);
        // The first is the neutral one.
        own.unwrap_or(&ALL[0])
    }

    /// Returns how the file is read, for people: `as Google reads robots.txt`.
    pub fn manner(&self) -> String {
        match self.profile.as_ref().map(Profile::name) {
            None => format!("under {}", self.dialect.name()),
            Some(name) => manner(name),
        }
    }

    /// Returns the name of the profile, or of the dialect.
    pub fn name(&self) -> &str {
        let profile = self.profile.as_ref().map(Profile::name);
        profile.unwrap_or_else(|| self.dialect.name())
    }
}

/// A robot under a reading, with its compiled rules.
#[derive(Debug)]
#[non_exhaustive]
pub struct AgentRules<'a> {
    /// The reading.
    pub reading: &'a Reading,
    /// The robot.
    pub agent: Agent<'static>,
    /// Its rules in the file.
    pub rules: Rules,
}

/// The robots of a check. The default is the first robot of a profile, and `*` under a dialect alone or without readings.
#[derive(Debug, Clone)]
pub struct CheckedRobots<'t> {
    names: Vec<String>,
    is_all: bool,
    is_name_alone: bool,
    table: &'t AgentTable,
}

impl<'t> CheckedRobots<'t> {
    /// Returns the default. `table` has the names whose groups each robot obeys.
    pub fn new(table: &'t AgentTable) -> Self {
        Self {
            names: Vec::new(),
            is_all: false,
            is_name_alone: false,
            table,
        }
    }

    /// Sets the robots under every reading. Without names, the default stays.
    #[must_use]
    pub fn with_names(self, names: Vec<String>) -> Self {
        Self { names, ..self }
    }

    /// Takes all robots of the table and all that the file names, if `is_all`.
    #[must_use]
    pub fn with_all(self, is_all: bool) -> Self {
        Self { is_all, ..self }
    }

    /// Lets robots obey only groups of their own name, or else of `*`, if `is_name_alone`.
    #[must_use]
    pub fn with_name_alone(self, is_name_alone: bool) -> Self {
        Self {
            is_name_alone,
            ..self
        }
    }

    /// Returns a robot with the names whose groups it obeys under a profile, or by the table.
    pub fn agent(&self, name: &str, profile: Option<&Profile>) -> Agent<'static> {
        if self.is_name_alone {
            return Agent::new(name.to_owned());
        }
        match profile {
            Some(profile) => profile.robot(name).agent().clone(),
            None => self.table.agent(name),
        }
    }

    /// Returns the number of robots under all readings of a file (without readings, each has one), and whether there are too
    /// many robots, of which the last are left out.
    pub fn number_in(&self, robots: &RobotsTxt, readings: &[Reading]) -> (usize, bool) {
        let (names, is_cut) = if self.is_all {
            let all = self.all_names(robots, readings);
            (all.names.len(), all.is_cut)
        } else {
            (self.names.len().max(1), false)
        };
        (names * readings.len().max(1), is_cut)
    }

    /// Compiles the rules of every robot under every reading; without readings, of every robot as its operator reads the file
    /// ([`Profile::of_robot`]). Returns also whether there are too many robots, of which the last are left out.
    pub(super) fn compile<'a>(
        &self,
        robots: &RobotsTxt,
        readings: &'a [Reading],
    ) -> (Vec<AgentRules<'a>>, bool) {
        let all_names = self.is_all.then(|| self.all_names(robots, readings));
        let is_cut = all_names.as_ref().is_some_and(|names| names.is_cut);
        let named = all_names.map_or_else(|| self.names.clone(), |all| all.names);
        let star = || vec!["*".to_owned()];
        if readings.is_empty() {
            let names = if named.is_empty() { star() } else { named };
            let agents: Vec<_> = names.iter().map(|name| self.agent(name, None)).collect();
            return (by_operator(robots, &agents), is_cut);
        }
        let each = readings.iter().flat_map(|reading| {
            let profile = reading.profile.as_ref();
            let names = match (&named[..], profile) {
                ([], Some(profile)) => vec![profile.agent().to_owned()],
                ([], None) => star(),
                (names, _) => names.to_vec(),
            };
            let agents: Vec<_> = names.iter().map(|name| self.agent(name, profile)).collect();
            under(robots, reading, &agents)
        });
        (each.collect(), is_cut)
    }

    /// Returns `*`, the robots of the table, and those that the file names under any of the readings; without readings, under RFC
    /// 9309.
    fn all_names(&self, robots: &RobotsTxt, readings: &[Reading]) -> DistinctRobots {
        let known = self.table.iter().map(|agent| agent.token.clone());
        let mut dialects: Vec<&Dialect> = readings.iter().map(|reading| &reading.dialect).collect();
        if dialects.is_empty() {
            dialects.push(&Dialect::RFC9309);
        }
        let named = dialects
            .into_iter()
            .flat_map(|dialect| named_robots(robots, dialect));
        DistinctRobots::with_star(known.chain(named))
    }
}

/// Compiles the rules of robots, in order, under a reading.
pub(crate) fn under<'a>(
    robots: &RobotsTxt,
    reading: &'a Reading,
    agents: &[Agent<'static>],
) -> Vec<AgentRules<'a>> {
    let rules = robots.rules_of_all(agents, &reading.dialect);
    let each = agents.iter().cloned().zip(rules.iter());
    let each = each.map(|(agent, rules)| AgentRules {
        reading,
        agent,
        rules: rules.clone(),
    });
    each.collect()
}

/// Compiles the rules of robots, in order, each as its operator reads the file.
pub(crate) fn by_operator(
    robots: &RobotsTxt,
    agents: &[Agent<'static>],
) -> Vec<AgentRules<'static>> {
    let readings = agents.iter().map(|agent| Reading::of_robot(agent.name()));
    let readings: Vec<&Reading> = readings.collect();
    let asked = agents
        .iter()
        .cloned()
        .zip(readings.iter().map(|reading| &reading.dialect));
    let rules = robots.rules_of_each(&asked.collect::<Vec<_>>());
    let each = agents.iter().cloned().zip(readings).zip(rules.iter());
    let each = each.map(|((agent, reading), rules)| AgentRules {
        reading,
        agent,
        rules: rules.clone(),
    });
    each.collect()
}
