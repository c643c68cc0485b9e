//! What is asked: which robots, and by which readings of the file.

use crate::args::Check as Args;
use crate::named_robots::{named, with_everyone};
use robots_policy::Profile;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};

/// A reading of the file: a dialect, or a profile's.
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

/// A robot and a reading, and the rules that come of both.
#[derive(Debug)]
pub(super) struct Asked<'a> {
    pub(super) reading: &'a Reading,
    pub(super) agent: Agent<'static>,
    pub(super) rules: Rules,
}

/// The readings that are asked for, in order.
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

/// Every robot under every reading.
pub(super) fn asked<'a>(
    args: &Args,
    robots: &RobotsTxt,
    readings: &'a [Reading],
) -> Vec<Asked<'a>> {
    let mut all = Vec::new();
    let everyone = args.all_agents.then(|| all_names(args, robots));
    for reading in readings {
        let names = everyone.clone().unwrap_or_else(|| names(args, reading));
        for name in names {
            let agent = agent(args, &name, reading.profile.as_ref());
            let rules = robots.rules(&agent, &reading.dialect);
            all.push(Asked {
                reading,
                agent,
                rules,
            });
        }
    }
    all
}

fn names(args: &Args, reading: &Reading) -> Vec<String> {
    match &reading.profile {
        Some(profile) if args.names_no_agent() => vec![profile.agent().to_owned()],
        _ => args.agents(),
    }
}

/// Those that nobody names, those of the table, and those that the file names.
fn all_names(args: &Args, robots: &RobotsTxt) -> Vec<String> {
    let known = args.known.table().iter().map(|agent| agent.token.clone());
    with_everyone(known.chain(named(robots, &Dialect::GOOGLE)))
}

/// A robot with the names whose groups it obeys.
pub(super) fn agent(args: &Args, name: &str, profile: Option<&Profile>) -> Agent<'static> {
    if args.name_alone {
        return Agent::new(name.to_owned());
    }
    match profile {
        Some(profile) => profile.robot(name).agent().clone(),
        None => args.known.table().agent(name),
    }
}
