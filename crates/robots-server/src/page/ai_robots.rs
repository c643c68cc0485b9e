//! The known AI robots: how many of them robots.txt blocks, and the line that says so.

use super::mark::{Mark, answer};
use crate::problem::Problem;
use crate::work::Cancelled;
use maud::{Markup, html};
use robots_meta::Timestamp;
use robots_policy::decision::{Field, Source};
use robots_policy::profile::{AgentTable, KnownAgent, Obeys};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::text::printable;
use robots_policy::{Decision, Page, Policies, Policy};
use std::sync::LazyLock;

/// The memory for compiled rules of all robots, in bytes.
const STORE_BYTES: u64 = 12 * 1024 * 1024;

/// The known AI robots whose facts have a source.
static KNOWN: LazyLock<(Vec<&'static KnownAgent>, Policies)> = LazyLock::new(|| {
    let known = AgentTable::built_in().iter();
    let known = known.filter(|known| known.is_ai() && known.is_sourced());
    let (known, policies) = known
        .filter_map(|known| Some((known, Policy::new(&known.token).ok()?)))
        .unzip::<_, _, _, Vec<Policy>>();
    (known, Policies::new(policies).with_store_limit(STORE_BYTES))
});

/// The known AI robots, each with its answer about a URL whose page was not read.
pub(super) struct AiRobots(Vec<AiRobot>);

/// An AI robot with its answer.
struct AiRobot {
    known: &'static KnownAgent,
    mark: Mark,
    word: &'static str,
    /// What decides.
    by: String,
    /// Whether the robot may not fetch because robots.txt fails.
    is_failing: bool,
}

impl AiRobots {
    /// Decides for each robot. `states` returns the state of robots.txt for each.
    pub(super) fn of(
        url: &str,
        now: Timestamp,
        cancelled: &Cancelled,
        states: impl FnOnce(&Policies) -> Vec<RobotsState<SiteRules>>,
    ) -> Result<Self, Problem> {
        let page = Page::new(url).at(now);
        let (known, policies) = &*KNOWN;
        let mut robots = Vec::with_capacity(known.len());
        let states = states(policies);
        for ((known, policy), state) in known.iter().zip(policies.iter()).zip(states) {
            cancelled.check()?;
            let decision = policy.decide_under(&state, &page);
            robots.push(AiRobot::new(known, &state, &decision));
        }
        Ok(Self(robots))
    }

    /// Returns the section: a sentence with their number, and a table that it opens.
    pub(super) fn section(&self) -> Markup {
        html! {
            section id="ai-robots" aria-labelledby="ai-robots-heading" {
                details class="more" {
                    summary { h2 id="ai-robots-heading" { (self.headline()) } }
                    p class="note" {
                        "What robots.txt says to them. Robots whose operators say that they do not obey it are not counted."
                    }
                    div class="scroll" role="region" aria-label="AI robots" tabindex="0" {
                        table {
                            caption class="unseen" { "Whether each AI robot may fetch the page" }
                            thead { tr { th scope="col" { "Robot" } th scope="col" { "May it?" } th scope="col" { "By" } } }
                            tbody {
                                @for robot in &self.0 {
                                    tr {
                                        th scope="row" { (printable(&robot.known.token)) small { (printable(&robot.known.operator)) } }
                                        td { (robot.mark.with_words(robot.word)) }
                                        td {
                                            (printable(&robot.by))
                                            @if robot.known.obeys == Obeys::No {
                                                small { "says that it does not obey robots.txt" }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns how many robots are blocked, of those that do not declare to ignore robots.txt.
    fn headline(&self) -> String {
        let robots = self.0.iter();
        let robots: Vec<&AiRobot> = robots
            .filter(|robot| robot.known.obeys != Obeys::No)
            .collect();
        let all = robots.len();
        let failing = robots.iter().filter(|robot| robot.is_failing).count();
        if failing > 0 {
            return format!("AI robots: {failing} of {all} may not fetch while robots.txt fails");
        }
        let with = |mark: Mark| robots.iter().filter(|robot| robot.mark == mark).count();
        match (with(Mark::No), with(Mark::Part)) {
            (0, later) if later > 0 => format!("AI robots: {later} of {all} not now"),
            (0, _) if with(Mark::Open) == all => "AI robots: not known".to_owned(),
            (blocked, _) => format!("AI robots: {blocked} of {all} blocked"),
        }
    }
}

impl AiRobot {
    /// Returns the answer about fetching, or about the use of content for a token that fetches nothing: what robots.txt does not
    /// forbid to it is permitted.
    fn new(
        known: &'static KnownAgent,
        state: &RobotsState<SiteRules>,
        decision: &Decision,
    ) -> Self {
        let field = if known.crawls {
            Field::Fetch
        } else {
            Field::AiTrain
        };
        let is_known = matches!(state, RobotsState::Rules(_) | RobotsState::AllowAll(_));
        let (mark, word) = match answer(decision, field) {
            (Mark::Open, _) if !known.crawls && is_known => (Mark::Yes, "yes"),
            answer => answer,
        };
        let reason = decision.deciding_reason(field);
        let is_failing = matches!(mark, Mark::No | Mark::Part)
            && reason.is_some_and(|reason| reason.source == Source::RobotsFetch);
        let by = match reason {
            Some(reason) => match reason.source {
                Source::RobotsTxt { line } => format!("line {line}: {}", reason.text),
                _ => reason.text.clone(),
            },
            None if is_known => "no rule forbids it".to_owned(),
            None => "robots.txt is not known".to_owned(),
        };
        Self {
            known,
            mark,
            word,
            by,
            is_failing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::RobotsFetch;

    fn of(robots: RobotsFetch<'_>) -> AiRobots {
        let states = |policies: &Policies| policies.robots(robots);
        let (url, now) = ("https://example.com/x", Timestamp::from_seconds(0));
        AiRobots::of(url, now, &Cancelled::default(), states).unwrap()
    }

    #[test]
    fn robots_that_owners_ask_about_are_listed() {
        let robots = of(RobotsFetch::Body(b""));
        for name in [
            "GPTBot",
            "OAI-SearchBot",
            "ClaudeBot",
            "Claude-SearchBot",
            "PerplexityBot",
            "CCBot",
            "Google-Extended",
            "Bytespider",
            "meta-externalagent",
        ] {
            let is_listed = robots.0.iter().any(|robot| robot.known.token == name);
            assert!(is_listed, "{name}");
        }
    }

    #[test]
    fn blocked_robots_are_counted() {
        let known = &KNOWN.0;
        let obeying = known.iter().filter(|known| known.obeys != Obeys::No);
        let all = obeying.count();
        assert!(all < known.len());
        for (robots, headline) in [
            (
                RobotsFetch::Body(b""),
                format!("AI robots: 0 of {all} blocked"),
            ),
            (
                RobotsFetch::Body(b"User-agent: GPTBot\nUser-agent: Google-Extended\nDisallow: /"),
                format!("AI robots: 2 of {all} blocked"),
            ),
            // One that declares to ignore robots.txt cannot be blocked by it.
            (
                RobotsFetch::Body(b"User-agent: Perplexity-User\nDisallow: /"),
                format!("AI robots: 0 of {all} blocked"),
            ),
            (RobotsFetch::NotFetched, "AI robots: not known".to_owned()),
        ] {
            assert_eq!(of(robots).headline(), headline);
        }
        let failing = of(RobotsFetch::Status(503)).headline();
        assert!(
            failing.ends_with(" may not fetch while robots.txt fails"),
            "{failing}"
        );
        let html = of(RobotsFetch::Body(b"User-agent: CCBot\nDisallow: /<b>")).section();
        let html = html.into_string();
        assert!(html.contains("says that it does not obey robots.txt"));
        assert!(!html.contains("<b>"), "{html}");
    }
}
