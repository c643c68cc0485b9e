//! The policies that `agents` and `profiles` name, for functions that decide for several robots.

use crate::argument::{OneOrMore, Text};
use crate::error::{self, InputError};
use crate::profile::AnyProfile;
use pyo3::PyResult;
use robots_answers::why::agents_under_profiles;
use robots_policy::{Policies, Policy, Profile};

/// Returns a policy for each agent under each profile: by default, of the robot that the profile names. Without profiles, each
/// robot is read as its operator reads.
pub(crate) fn policies(
    agents: Option<OneOrMore<Text>>,
    profiles: Option<OneOrMore<AnyProfile>>,
) -> PyResult<Vec<Policy>> {
    let is_empty = agents.as_ref().is_some_and(|agents| agents.0.is_empty());
    if is_empty
        || profiles
            .as_ref()
            .is_some_and(|profiles| profiles.0.is_empty())
    {
        return Err(InputError::new_err(
            "no robots: pass an agent and a profile",
        ));
    }
    let agents = agents.iter().flat_map(|agents| &agents.0);
    let agents: Vec<&str> = agents.map(|name| &**name).collect();
    let profiles = profiles.iter().flat_map(|profiles| &profiles.0);
    let profiles: Vec<&Profile> = profiles.map(|AnyProfile(profile)| profile).collect();
    let policies = agents_under_profiles(&profiles, &agents).into_iter();
    // The robot of a profile may have a name that is not a product token.
    let policies = policies.map(|(profile, agent)| match agents[..] {
        [] => Ok(Policy::for_robot(profile, profile.robot(agent))),
        _ => Policy::under(profile, agent),
    });
    policies
        .collect::<Result<_, _>>()
        .map_err(|error| error::agent(&error))
}

/// Returns policies whose decisions have reasons and warnings, or not.
pub(crate) fn with_reasons(policies: Vec<Policy>, reasons: bool) -> Policies {
    if reasons {
        return Policies::new(policies);
    }
    policies.into_iter().map(Policy::without_reasons).collect()
}
