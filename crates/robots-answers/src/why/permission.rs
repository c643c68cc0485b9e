//! Whether a program may request the page that it is asked about.

use robots_meta::Timestamp;
use robots_policy::decision::{Field, Reason, Source};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Page, Policy, Profile};
use robots_txt::Agent;
use robots_txt::select::product_token;

/// Returns why a page may not be requested at a time; nothing if the robots.txt of its site allows it.
///
/// `user_agent` is the header of the request, `requester` names its sender in the text: `this program`. `state` returns the state
/// of robots.txt under a policy.
pub fn refusal(
    user_agent: &str,
    requester: &str,
    url: &str,
    now: Timestamp,
    state: impl FnOnce(&Policy) -> RobotsState<SiteRules>,
) -> Option<String> {
    let agent = Agent::from_user_agent(user_agent);
    let token = agent
        .as_ref()
        .map_or("*", |agent| product_token(agent.name()));
    let policy = Policy::under(&Profile::neutral(), token).unwrap_or_default();
    let decision = policy.decide_under(&state(&policy), &Page::new(url).at(now));
    if decision.may_fetch() {
        return None;
    }
    let failure = decision
        .deciding_reason(Field::Fetch)
        .filter(|reason| reason.source == Source::RobotsFetch);
    Some(match failure {
        Some(Reason { text, .. }) => format!("{text}, so {requester} does not fetch the page"),
        None => format!("robots.txt does not allow {requester} to fetch it"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::RobotsFetch;

    #[test]
    fn a_refusal_states_its_reason() {
        let of = |robots: RobotsFetch<'_>| {
            let now = Timestamp::from_seconds(0);
            let url = "https://example.com/a";
            refusal("ABot/1.0", "this robot", url, now, |policy| {
                policy.robots(robots)
            })
        };
        assert_eq!(of(RobotsFetch::Status(404)), None);
        assert_eq!(of(RobotsFetch::Body(b"User-agent: *\nDisallow: /b")), None);
        for (robots, text) in [
            (
                RobotsFetch::Body(b"User-agent: abot\nDisallow: /"),
                "does not allow this robot",
            ),
            (
                RobotsFetch::Status(503),
                "robots.txt was answered with status 503, so this robot does not",
            ),
            (RobotsFetch::Unreachable, "robots.txt cannot be reached, so"),
            (RobotsFetch::NotFetched, "robots.txt is not known, so"),
        ] {
            let found = of(robots).unwrap();
            assert!(found.contains(text), "{found}");
        }
    }
}
