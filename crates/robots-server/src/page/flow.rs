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
use robots_policy::{Decision, Page, Policies, Policy, RobotsFetch};
use std::sync::{Arc, LazyLock};

/// The memory for compiled rules of the engines, in bytes.
const ENGINES_BYTES: u64 = 40 * 1024 * 1024;

/// That for those of a robot.
const ROBOT_BYTES: u64 = 4 * 1024 * 1024;

/// The engines that the page asks about, each with its main robot.
static ENGINES: LazyLock<Arc<Policies>> = LazyLock::new(|| {
    let profiles = engines().into_iter();
    let policies = profiles.filter_map(|profile| Policy::under(&profile, profile.agent()).ok());
    Arc::new(
        policies
            .collect::<Policies>()
            .with_store_limit(ENGINES_BYTES),
    )
});

/// Returns the robots that a question is about: the one that it names, or else the engines.
/// Fails if the name of the robot is not a product token.
pub(super) fn asked(robot: Option<&AgentName>) -> Result<Arc<Policies>, Problem> {
    let Some(robot) = robot else {
        return Ok(Arc::clone(&ENGINES));
    };
    let policies = policies([robot.token.as_str()], &[]);
    let policies = policies.map_err(|error| Problem::invalid(format!("\"robot\": {error}")))?;
    let policies = Policies::new(policies).with_store_limit(ROBOT_BYTES);
    Ok(Arc::new(policies))
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
    let states = |policies: &Policies| policies.robots(RobotsFetch::Body(robots));
    let ai_robots = AiRobots::of(first, now, cancelled, states)?;
    let states = states(&policies);
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
