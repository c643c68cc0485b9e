//! The robots and the readings of the file that verdicts are about.

use crate::named_robots::{DistinctRobots, named_robots};
use robots_policy::Profile;
use robots_policy::profile::AgentTable;
use robots_txt::dialect::OwnPath;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};

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
    /// Engines request every robots.txt, and the profile says so of them all, although a dialect may leave it to its callers
    /// (docs/semantics.md, section 8.3).
    fn from(profile: Profile) -> Self {
        Self {
            dialect: profile.dialect().with_own_path(OwnPath::AlwaysAllowed),
            profile: Some(profile),
        }
    }
}

impl Reading {
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

impl<'a> AgentRules<'a> {
    /// Compiles the rules of a robot.
    pub fn new(robots: &RobotsTxt, reading: &'a Reading, agent: Agent<'static>) -> Self {
        Self {
            rules: robots.rules(&agent, &reading.dialect),
            reading,
            agent,
        }
    }
}

/// The robots of a check. The default is the first robot of a profile, and `*` under a dialect alone.
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

    /// Returns the size of the names that were set, in bytes.
    pub(super) fn names_bytes(&self) -> usize {
        let texts = self.names.iter().map(String::len);
        size_of_val(self.names.as_slice()) + texts.sum::<usize>()
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

    /// Returns the number of robots under all readings of a file, and whether there are too many robots, of which the last are left
    /// out.
    pub fn number_in(&self, robots: &RobotsTxt, readings: &[&Reading]) -> (usize, bool) {
        if self.is_all {
            let all = self.all_names(robots, readings);
            return (all.names.len() * readings.len(), all.is_cut);
        }
        let names = self.names.len().max(1);
        (names * readings.len(), false)
    }

    /// Compiles the rules of every robot under every reading. Returns also whether there are too many robots, of which the last
    /// are left out.
    pub(super) fn compile<'a>(
        &self,
        robots: &RobotsTxt,
        readings: &[&'a Reading],
    ) -> (Vec<AgentRules<'a>>, bool) {
        let mut all = Vec::new();
        let all_names = self.is_all.then(|| self.all_names(robots, readings));
        for &reading in readings {
            let names = match &all_names {
                Some(all) => all.names.clone(),
                None => self.names_under(reading),
            };
            let agents: Vec<Agent<'static>> = names
                .iter()
                .map(|name| self.agent(name, reading.profile.as_ref()))
                .collect();
            let rules = robots.rules_of_all(&agents, &reading.dialect);
            let each = agents.into_iter().zip(rules.iter());
            all.extend(each.map(|(agent, rules)| AgentRules {
                reading,
                agent,
                rules: rules.clone(),
            }));
        }
        (all, all_names.is_some_and(|names| names.is_cut))
    }

    fn names_under(&self, reading: &Reading) -> Vec<String> {
        match (&self.names[..], &reading.profile) {
            ([], Some(profile)) => vec![profile.agent().to_owned()],
            ([], None) => vec!["*".to_owned()],
            (names, _) => names.to_vec(),
        }
    }

    /// Returns `*`, the robots of the table, and those that the file names under any of the readings.
    fn all_names(&self, robots: &RobotsTxt, readings: &[&Reading]) -> DistinctRobots {
        let known = self.table.iter().map(|agent| agent.token.clone());
        let named = readings
            .iter()
            .flat_map(|reading| named_robots(robots, &reading.dialect));
        DistinctRobots::with_star(known.chain(named))
    }
}
