//! Whether a program may request the page that it is asked about.

use crate::named_robots::named_robots;
use crate::robot_name;
use robots_meta::Timestamp;
use robots_policy::decision::{Field, Reason, Source};
use robots_policy::profile::AgentTable;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Decision, Page, Policy, Profile};
use robots_txt::select::product_token;
use robots_txt::{Agent, RobotsTxt};

/// A program that requests pages to answer questions about them.
#[derive(Debug, Clone, Copy)]
pub struct Requester<'a> {
    user_agent: &'a str,
    name: &'a str,
    is_for_owner: bool,
}

/// Whether a page may be requested.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Permission {
    /// robots.txt allows it to the program.
    Granted,
    /// robots.txt does not allow it to the program. Why it may be requested all the same, as a clause.
    Exception(String),
    /// Why it may not be requested, as a clause.
    Refused(String),
}

impl<'a> Requester<'a> {
    /// Returns a program that sends this `User-Agent` header. Its name in texts is `name`: `this program`. For the owner of the
    /// site, it may read a page that robots.txt closes.
    pub fn new(user_agent: &'a str, name: &'a str, is_for_owner: bool) -> Self {
        Self {
            user_agent,
            name,
            is_for_owner,
        }
    }

    /// Returns whether the page at a URL may be requested at a time, to answer for the robots that are `asked` about.
    ///
    /// The groups of the program decide. If none names it, and that for all robots closes the page, the group that names a
    /// robot which is asked about decides: the site opens the page to this robot. The robot itself is not impersonated: the
    /// request has the header of the program. `state` returns the state of `robots_txt` under a policy.
    pub fn permission<'p>(
        &self,
        url: &str,
        now: Timestamp,
        asked: impl IntoIterator<Item = &'p Policy>,
        robots_txt: &[u8],
        state: impl Fn(&Policy) -> RobotsState<SiteRules>,
    ) -> Permission {
        let agent = Agent::from_user_agent(self.user_agent);
        let token = agent
            .as_ref()
            .map_or("*", |agent| product_token(agent.name()));
        let own = Policy::under(&Profile::neutral(), token).unwrap_or_default();
        let decide = |policy: &Policy| policy.decide_under(&state(policy), &Page::new(url).at(now));
        let decision = decide(&own);
        if decision.may_fetch() {
            return Permission::Granted;
        }
        let refusal = self.refusal(&decision);
        if self.is_for_owner {
            let text = format!("although {refusal}: it is for the owner of the site");
            return Permission::Exception(text);
        }
        let is_by_rule = matches!(
            decision.deciding_reason(Field::Fetch),
            Some(Reason {
                source: Source::RobotsTxt { .. },
                ..
            })
        );
        let file = RobotsTxt::parse(robots_txt);
        if is_by_rule && !is_named(&own, &file) {
            let opened = asked
                .into_iter()
                .find(|policy| is_named(policy, &file) && decide(policy).may_fetch());
            if let Some(policy) = opened {
                let robot = robot_name(policy.agent(), policy.profile().name());
                return Permission::Exception(format!(
                    "although {refusal}: robots.txt opens it to {robot} by name"
                ));
            }
        }
        Permission::Refused(refusal)
    }

    /// Returns why a decision does not allow the page to the program.
    fn refusal(&self, decision: &Decision) -> String {
        let failure = decision
            .deciding_reason(Field::Fetch)
            .filter(|reason| reason.source == Source::RobotsFetch);
        let name = self.name;
        match failure {
            Some(Reason { text, .. }) => format!("{text}, so {name} does not fetch the page"),
            None => format!("robots.txt does not allow {name} to fetch it"),
        }
    }
}

/// Returns whether a group of a file names the robot of a policy. `*` is not a name.
fn is_named(policy: &Policy, file: &RobotsTxt) -> bool {
    let agent = AgentTable::built_in().agent(policy.agent());
    let names: Vec<&str> = agent.names().filter(|name| *name != "*").collect();
    named_robots(file, policy.profile().dialect())
        .any(|named| names.iter().any(|name| name.eq_ignore_ascii_case(&named)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::why::policies;
    use robots_policy::RobotsFetch;

    fn of(robots: RobotsFetch<'_>, asked: &[&str], is_for_owner: bool) -> Permission {
        let requester = Requester::new("ABot/1.0", "this robot", is_for_owner);
        let body = match robots {
            RobotsFetch::Body(body) => body,
            _ => b"",
        };
        let asked = policies(asked.iter().copied(), &[]).unwrap();
        let now = Timestamp::from_seconds(0);
        let url = "https://example.com/a";
        requester.permission(url, now, &asked, body, |policy| policy.robots(robots))
    }

    #[test]
    fn a_refusal_states_its_reason() {
        let of = |robots| of(robots, &["Googlebot"], false);
        assert_eq!(of(RobotsFetch::Status(404)), Permission::Granted);
        let other = RobotsFetch::Body(b"User-agent: *\nDisallow: /b");
        assert_eq!(of(other), Permission::Granted);
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
            let Permission::Refused(found) = of(robots) else {
                panic!("{text}");
            };
            assert!(found.contains(text), "{found}");
        }
    }

    #[test]
    fn a_group_that_names_the_robot_opens_the_page() {
        let closed = "User-agent: *\nDisallow: /\n";
        let google = format!("{closed}\nUser-agent: Googlebot\nDisallow: /b\n");
        let blank = format!("{closed}\nUser-agent: googlebot/2.1\nDisallow:\n");
        let banned = format!("{google}\nUser-agent: ABot\nDisallow: /\n");
        for (robots, asked, is_opened) in [
            (closed, &["Googlebot"][..], false),
            (&google, &["Googlebot"], true),
            (&blank, &["Googlebot"], true),
            // Of several robots, one is enough.
            (&google, &["bingbot", "Googlebot"], true),
            (&google, &["bingbot"], false),
            // Applebot obeys the groups of Googlebot.
            (&google, &["Applebot"], true),
            // `*` is not a name.
            (&google, &["*"], false),
            // Its own group decides about the program.
            (&banned, &["Googlebot"], false),
            (
                "User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow: /a\n",
                &["Googlebot"],
                false,
            ),
        ] {
            let found = of(RobotsFetch::Body(robots.as_bytes()), asked, false);
            let is_exception =
                matches!(&found, Permission::Exception(text) if text.contains("by name"));
            assert_eq!(is_exception, is_opened, "{robots} {asked:?} {found:?}");
        }
    }

    #[test]
    fn the_owner_may_read_what_is_closed() {
        let closed = RobotsFetch::Body(b"User-agent: abot\nDisallow: /");
        for robots in [closed, RobotsFetch::Status(503)] {
            let found = of(robots, &[], true);
            assert!(matches!(found, Permission::Exception(_)), "{found:?}");
        }
        let open = of(RobotsFetch::Body(b""), &[], true);
        assert_eq!(open, Permission::Granted);
    }
}
