//! The decisions of several robots about a page, the problems in its statements, and what would change an answer.

use super::change::change;
use super::evidence::Evidence;
use crate::expectation::Expectation;
use crate::terminal::grouped;
use robots_meta::Timestamp;
use robots_policy::decision::{Effect, Field, Reason, WarningKind};
use robots_policy::{Decision, Policies};
use serde::Serialize;

/// The fields that robots are asked about. `may_train` follows from them.
pub(super) const MAIN_FIELDS: [Field; 7] = [
    Field::Fetch,
    Field::Index,
    Field::Follow,
    Field::Archive,
    Field::AiTrain,
    Field::AiInput,
    Field::AiSearch,
];

/// A robot under a profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Robot {
    pub(super) agent: String,
    pub(super) profile: String,
}

/// A statement that contradicts others, or has no effect.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    pub(super) text: String,
    pub(super) kind: WarningKind,
    /// The robots that are concerned.
    pub(super) robots: Vec<Robot>,
}

/// A change of the site that would change an answer.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    /// The field whose answer would change.
    pub(super) field: Field,
    pub(super) text: String,
    /// The robots whose answer would change.
    pub(super) robots: Vec<Robot>,
}

/// An expectation, and the answer of a robot.
#[derive(Debug, Serialize)]
pub(super) struct Expected {
    pub(super) expect: &'static str,
    #[serde(flatten)]
    pub(super) robot: Robot,
    pub(super) field: Field,
    pub(super) value: String,
    pub(super) met: bool,
}

/// The answers about a page.
pub(super) struct Answers {
    /// In the order of the robots.
    pub(super) decisions: Vec<Decision>,
    pub(super) problems: Vec<Problem>,
    pub(super) changes: Vec<Change>,
    pub(super) expectations: Vec<Expected>,
}

impl Answers {
    pub(super) fn new(
        policies: &Policies,
        evidence: &Evidence,
        now: Timestamp,
        expected: &[Expectation],
    ) -> Self {
        let page = evidence.page(now);
        let decisions: Vec<Decision> = policies
            .iter()
            .map(|policy| {
                let robots = policy.robots(evidence.robots.as_fetch());
                policy.decide_under(&robots, &page)
            })
            .collect();
        Self {
            problems: problems(&decisions),
            changes: changes(&decisions, evidence),
            expectations: expectations(&decisions, expected),
            decisions,
        }
    }

    /// Returns whether every robot has every expected answer.
    pub(super) fn meet_expectations(&self) -> bool {
        self.expectations.iter().all(|expected| expected.met)
    }
}

impl Robot {
    pub(super) fn of(decision: &Decision) -> Self {
        Self {
            agent: decision.agent.clone(),
            profile: decision.profile.clone(),
        }
    }
}

/// Returns the warnings of decisions, each once with its robots, in the order of the first robot of each.
fn problems(decisions: &[Decision]) -> Vec<Problem> {
    let warnings = decisions.iter().flat_map(|decision| {
        let warnings = decision.warnings.iter();
        warnings.map(|warning| ((warning.kind, warning.to_string()), Robot::of(decision)))
    });
    let problems = grouped(warnings).into_iter();
    problems
        .map(|((kind, text), mut robots)| {
            // A robot may have one warning several times.
            robots.dedup();
            Problem { text, kind, robots }
        })
        .collect()
}

/// Returns what would change the answers that are not a yes, each once with its robots.
fn changes(decisions: &[Decision], evidence: &Evidence) -> Vec<Change> {
    let changes = MAIN_FIELDS.into_iter().flat_map(|field| {
        decisions.iter().filter_map(move |decision| {
            let text = change(decision, field, evidence)?;
            Some(((field, text), Robot::of(decision)))
        })
    });
    let changes = grouped(changes).into_iter();
    changes
        .map(|((field, text), robots)| Change {
            field,
            text,
            robots,
        })
        .collect()
}

fn expectations(decisions: &[Decision], expected: &[Expectation]) -> Vec<Expected> {
    let pairs = expected.iter().flat_map(|expectation| {
        decisions
            .iter()
            .map(move |decision| (expectation, decision))
    });
    pairs
        .map(|(expectation, decision)| Expected {
            expect: expectation.word(),
            robot: Robot::of(decision),
            field: expectation.field(),
            value: expectation.field().text(decision),
            met: expectation.is_met_by(decision),
        })
        .collect()
}

/// Returns the statement that decides a field.
pub(super) fn deciding(decision: &Decision, field: Field) -> Option<&Reason> {
    decision
        .reasons_for(field)
        .find(|reason| reason.effect == Effect::Decides)
}
