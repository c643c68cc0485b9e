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
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::collections::{HashMap, HashSet};

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
    /// Why it may only be requested for the owner of the site, as a clause.
    OwnerOnly(String),
    /// Why it may not be requested, as a clause.
    Refused(String),
}

impl<'a> Requester<'a> {
    /// Returns a program that sends this `User-Agent` header. Its name in texts is `name`: `this program`. For the owner of the
    /// site, it may read a page that a rule for other robots, too, closes to it.
    pub fn new(user_agent: &'a str, name: &'a str, is_for_owner: bool) -> Self {
        Self {
            user_agent,
            name,
            is_for_owner,
        }
    }

    /// Returns whether the page at a URL may be requested at a time, to answer for the robots that are `asked` about.
    ///
    /// The groups of the program decide. If none names it, and a rule for all robots closes the page, the owner of the site may
    /// read it, and others if the group that names a robot which is asked about opens it. That robot is not impersonated: the
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
        let is_by_rule = matches!(
            decision.deciding_reason(Field::Fetch),
            Some(Reason {
                source: Source::RobotsTxt { .. },
                ..
            })
        );
        if !is_by_rule {
            return Permission::Refused(refusal);
        }
        let mut named = NamedRobots::of(robots_txt);
        if named.has(&own) {
            return Permission::Refused(refusal);
        }
        if self.is_for_owner {
            let text = format!("although {refusal}: it is for the owner of the site");
            return Permission::Exception(text);
        }
        let mut asked = asked.into_iter();
        match asked.find(|policy| named.has(policy) && decide(policy).may_fetch()) {
            Some(policy) => {
                let robot = robot_name(policy.agent(), policy.profile().name());
                Permission::Exception(format!(
                    "although {refusal}: robots.txt opens it to {robot} by name"
                ))
            }
            None => Permission::OwnerOnly(refusal),
        }
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

/// The robots that the groups of a file name.
struct NamedRobots {
    file: RobotsTxt,
    /// By the dialect that reads the names: they are lower-case.
    names: HashMap<Dialect, HashSet<String>>,
}

impl NamedRobots {
    fn of(body: &[u8]) -> Self {
        Self {
            file: RobotsTxt::parse(body),
            names: HashMap::new(),
        }
    }

    /// Returns whether a group names the robot of a policy. `*` is not a name.
    fn has(&mut self, policy: &Policy) -> bool {
        let dialect = policy.profile().dialect();
        let names = self.names.entry(*dialect).or_insert_with(|| {
            let named = named_robots(&self.file, dialect);
            named.map(|name| name.to_ascii_lowercase()).collect()
        });
        let agent = AgentTable::built_in().agent(policy.agent());
        let mut own = agent.names().filter(|name| *name != "*");
        own.any(|name| names.contains(&name.to_ascii_lowercase()))
    }
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
    fn the_owner_may_read_what_a_rule_for_all_robots_closes() {
        for (robots, is_read) in [
            (RobotsFetch::Body(b"User-agent: *\nDisallow: /"), true),
            (
                RobotsFetch::Body(b"User-agent: *\nDisallow: /\n\nUser-agent: BBot\nDisallow: /"),
                true,
            ),
            (RobotsFetch::Body(b"User-agent: abot\nDisallow: /"), false),
            (
                RobotsFetch::Body(b"User-agent: BBot\nUser-agent: ABot/2\nDisallow: /"),
                false,
            ),
            (RobotsFetch::Status(429), false),
            (RobotsFetch::Status(503), false),
            (RobotsFetch::Unreachable, false),
            (RobotsFetch::NotFetched, false),
        ] {
            let found = of(robots, &["Googlebot"], true);
            let is_exception =
                matches!(&found, Permission::Exception(text) if text.contains("owner"));
            assert_eq!(is_exception, is_read, "{robots:?} {found:?}");
            // Others are told so only where it helps.
            let found = of(robots, &["Googlebot"], false);
            let is_owner_only = matches!(found, Permission::OwnerOnly(_));
            assert_eq!(is_owner_only, is_read, "{robots:?} {found:?}");
        }
        let open = of(RobotsFetch::Body(b""), &[], true);
        assert_eq!(open, Permission::Granted);
    }
}
