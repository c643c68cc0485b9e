//! The policies that `agents` and `profiles` name, for functions that decide for several robots.

use crate::argument::{OneOrMore, Text};
use crate::error::{self, InputError};
use crate::profile::AnyProfile;
use pyo3::PyResult;
use robots_policy::{Policies, Policy};

/// Returns a policy for each agent under each profile: by default, of the robot that the profile names. Without profiles, each
/// robot is read as its operator reads.
pub(crate) fn policies(
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
) -> PyResult<Vec<Policy>> {
    let Some(OneOrMore(profiles)) = profiles else {
        let names = agents
            .as_ref()
            .map(|names| names.0.iter().map(|name| &**name));
        let names: Vec<&str> = names.map_or_else(|| vec!["*"], Iterator::collect);
        let policies = names.into_iter().map(Policy::new);
        let policies = policies.collect::<Result<_, _>>();
        return not_empty(policies.map_err(|error| error::agent(&error))?);
    };
    let mut policies = Vec::new();
    for AnyProfile(profile) in profiles {
        let Some(OneOrMore(agents)) = &agents else {
            policies.push(Policy::for_robot(&profile, profile.robot(profile.agent())));
            continue;
        };
        for name in agents {
            let policy = Policy::under(&profile, name).map_err(|error| error::agent(&error))?;
            policies.push(policy);
        }
    }
    not_empty(policies)
}

fn not_empty(policies: Vec<Policy>) -> PyResult<Vec<Policy>> {
    if policies.is_empty() {
        return Err(InputError::new_err(
            "no robots: pass an agent and a profile",
        ));
    }
    Ok(policies)
}

/// Returns policies whose decisions have reasons and warnings, or not.
pub(crate) fn with_reasons(policies: Vec<Policy>, reasons: bool) -> Policies {
    if reasons {
        return Policies::new(policies);
    }
    let policies = policies.into_iter().map(Policy::without_reasons);
    Policies::new(policies.collect())
}
