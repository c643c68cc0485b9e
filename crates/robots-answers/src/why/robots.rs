//! The robots that are answered for.

use crate::engine::ENGINES;
use robots_policy::{Policy, Profile};
use robots_txt::select::ProductTokenError;
use std::collections::HashSet;

/// Returns the profiles that are answered for unless others are named: those of engines, of archives, and of training.
pub fn engines() -> Vec<Profile> {
    let engines = ENGINES.into_iter();
    let profiles = engines.filter_map(|(name, _)| name.parse().ok());
    profiles.collect()
}

/// Returns the robots to answer for: product tokens, each with a profile. Without agents, they are the first one of each profile, and without profiles those of
/// [`engines`]. An agent without profiles is answered for under the built-in profile that lists it, or else under the neutral
/// one. An agent that is named twice is answered for once.
pub fn asked_robots<'a>(
    agents: impl IntoIterator<Item = &'a str>,
    profiles: &[Profile],
) -> Vec<(String, Profile)> {
    let mut agents = agents.into_iter().peekable();
    if agents.peek().is_none() {
        let profiles = if profiles.is_empty() {
            engines()
        } else {
            profiles.to_vec()
        };
        let first = |profile: Profile| (profile.agent().to_owned(), profile);
        return profiles.into_iter().map(first).collect();
    }
    let mut robots = Vec::new();
    let mut seen = HashSet::new();
    for agent in agents {
        if !seen.insert(agent.to_ascii_lowercase()) {
            continue;
        }
        let listing = profiles
            .is_empty()
            .then(|| Profile::of_robot(agent).clone());
        let profiles = profiles.iter().cloned().chain(listing);
        robots.extend(profiles.map(|profile| (agent.to_owned(), profile)));
    }
    robots
}

/// Returns each agent under each profile, as `robots decide` asks: without agents, the first one of each profile. Without
/// profiles, each agent (or else `*`) is under that of its operator ([`Profile::of_robot`]).
pub fn agents_under_profiles<'a, 'p: 'a>(
    profiles: &[&'p Profile],
    agents: &[&'a str],
) -> Vec<(&'p Profile, &'a str)> {
    if profiles.is_empty() {
        let star = agents.is_empty().then_some("*");
        let agents = agents.iter().copied().chain(star);
        return agents
            .map(|agent| (Profile::of_robot(agent), agent))
            .collect();
    }
    let each = profiles.iter().flat_map(|&profile| {
        let first = agents.is_empty().then(|| profile.agent());
        let agents = agents.iter().copied().chain(first);
        agents.map(move |agent| (profile, agent))
    });
    each.collect()
}

/// Returns a policy for each robot of [`asked_robots`].
///
/// # Errors
///
/// If the name of an agent is not a product token.
pub fn policies<'a>(
    agents: impl IntoIterator<Item = &'a str>,
    profiles: &[Profile],
) -> Result<Vec<Policy>, ProductTokenError> {
    let robots = asked_robots(agents, profiles).into_iter();
    robots
        .map(|(agent, profile)| Policy::under(&profile, &agent))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_is_a_profile() {
        assert_eq!(engines().len(), ENGINES.len());
    }

    #[test]
    fn robots_are_answered_for_under_the_profile_that_lists_them() {
        let named = |agents: &[&'static str], profiles: &[Profile]| -> Vec<String> {
            let policies = policies(agents.iter().copied(), profiles).unwrap();
            let names = policies.iter();
            names
                .map(|policy| format!("{} {}", policy.agent(), policy.profile().name()))
                .collect()
        };
        assert_eq!(named(&[], &[]).len(), ENGINES.len());
        assert_eq!(
            named(&["bingbot", "MyBot", "BINGBOT"], &[]),
            ["bingbot bing", "MyBot neutral"]
        );
        let both = [Profile::google(), Profile::bing()];
        assert_eq!(named(&[], &both), ["Googlebot google", "bingbot bing"]);
        assert_eq!(named(&["MyBot"], &both), ["MyBot google", "MyBot bing"]);
        assert!(policies(["MyBot/1.0"], &[]).is_err());
    }
}
