//! The way from a question to an answer, without requests: the caller has the evidence.

use super::ai_robots::AiRobots;
use super::answer::{AnswerSections, PageAnswer};
use super::question::PastedText;
use crate::problem::Problem;
use crate::work::Cancelled;
use robots_answers::AgentName;
use robots_answers::why::evidence::{Evidence, RobotsEvidence};
use robots_answers::why::{Answers, engines, policies};
use robots_meta::Timestamp;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Decision, Page, Policy, RobotsFetch};
use std::borrow::Cow;
use std::sync::LazyLock;

/// The memory for compiled rules of each engine, in bytes.
const STORE_BYTES: u64 = 4 * 1024 * 1024;

/// The engines that the page asks about, each with its main robot.
pub(super) static ENGINES: LazyLock<Vec<Policy>> = LazyLock::new(|| {
    let profiles = engines().into_iter();
    profiles
        .filter_map(|profile| Policy::under(&profile, profile.agent()).ok())
        .map(|policy| policy.with_store_limit(STORE_BYTES))
        .collect()
});

/// Returns the robots that a question is about: the one that it names, or else the engines.
///
/// # Errors
///
/// If the name of the robot is not a product token.
pub(super) fn asked(robot: Option<&AgentName>) -> Result<Cow<'static, [Policy]>, Problem> {
    let Some(robot) = robot else {
        return Ok(Cow::Borrowed(&ENGINES));
    };
    let policies = policies([robot.token.as_str()], &[]);
    let policies = policies.map_err(|error| Problem::invalid(format!("\"robot\": {error}")))?;
    let policies = policies.into_iter();
    let policies = policies.map(|policy| policy.with_store_limit(STORE_BYTES));
    Ok(Cow::Owned(policies.collect()))
}

/// Returns the answer about a pasted robots.txt: about the page at the first URL, and whether the others may be fetched.
pub(super) fn about_text(
    text: &PastedText,
    now: Timestamp,
    cancelled: &Cancelled,
) -> Result<AnswerSections, Problem> {
    let (robots, first) = (text.robots.as_slice(), &text.url);
    let file = RobotsEvidence::File {
        name: "the pasted robots.txt".to_owned(),
        bytes: robots.len(),
    };
    let evidence = Evidence::new(first, file, text.page.clone());
    let policies = asked(text.robot.as_ref())?;
    let mut states: Vec<RobotsState<SiteRules>> = Vec::new();
    for policy in policies.iter() {
        cancelled.check()?;
        states.push(policy.robots(RobotsFetch::Body(robots)));
    }
    let mut others: Vec<(String, Vec<Decision>)> = Vec::new();
    for url in &text.others {
        let page = Page::new(url).at(now);
        let mut decisions = Vec::with_capacity(states.len());
        for (policy, state) in policies.iter().zip(&states) {
            cancelled.check()?;
            decisions.push(policy.decide_under(state, &page));
        }
        others.push((url.clone(), decisions));
    }
    let answers = Answers::new(policies.iter().zip(states), &evidence, now, &[]);
    let state = |policy: &Policy| policy.robots(RobotsFetch::Body(robots));
    let ai_robots = AiRobots::of(first, now, cancelled, state)?;
    let asked_about = match text.others.len() {
        0 => format!("The pasted robots.txt, for {first}"),
        more => format!("The pasted robots.txt, for {first} and {more} more"),
    };
    cancelled.check()?;
    Ok(PageAnswer {
        asked: &asked_about,
        question: None,
        robot: text.robot.as_ref(),
        evidence: &evidence,
        answers: &answers,
        ai_robots: &ai_robots,
        requested: None,
        robots: Some(robots),
        others: &others,
    }
    .sections(now))
}
