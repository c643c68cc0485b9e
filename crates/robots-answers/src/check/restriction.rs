//! How much of a site is disallowed to a robot.

use super::reading::AgentRules;
use robots_policy::Profile;
use robots_txt::analysis::{Restriction, Summary};
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// How much of a site is disallowed to a robot. `robots check --help` describes the keys.
#[derive(Debug, Serialize)]
pub struct RestrictionAnswer<'a> {
    agent: &'a str,
    dialect: &'static str,
    profile: Option<&'a str>,
    disallowed: &'static str,
    allowed_path: Option<String>,
    disallowed_path: Option<String>,
    #[serde(skip)]
    restriction: Restriction,
}

impl RestrictionAnswer<'_> {
    /// Returns how much is disallowed.
    pub fn restriction(&self) -> Restriction {
        self.restriction
    }
}

/// Returns how much is disallowed to each of several robots, in order, unless the caller ends the work. Rules that robots share are
/// examined once.
///
/// # Errors
///
/// The first error of `proceed`, which is called before each examination.
pub fn restriction_answers<'r, E>(
    all: &'r [AgentRules<'r>],
    mut proceed: impl FnMut() -> Result<(), E>,
) -> Result<Vec<RestrictionAnswer<'r>>, E> {
    let mut examined: HashMap<usize, Summary> = HashMap::new();
    let mut answers = Vec::with_capacity(all.len());
    for AgentRules {
        reading,
        agent,
        rules,
    } in all
    {
        let summary = match examined.entry(rules.sharing_key()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                proceed()?;
                unknown.insert(rules.restriction_with_examples())
            }
        };
        answers.push(RestrictionAnswer {
            agent: agent.name(),
            dialect: reading.dialect.name(),
            profile: reading.profile.as_ref().map(Profile::name),
            disallowed: summary.restriction().name(),
            allowed_path: summary.allowed().map(str::to_owned),
            disallowed_path: summary.disallowed().map(str::to_owned),
            restriction: summary.restriction(),
        });
    }
    Ok(answers)
}
