//! The decisions of several robots about a page, the problems in its statements, and what would change an answer.

use super::change::{Remedy, StepLines, change};
use super::evidence::{Evidence, PageEvidence};
use super::expectation::Expectation;
use super::places::StatementPlaces;
use crate::grouped;
use robots_meta::Timestamp;
use robots_policy::decision::{Field, Source, Warning, WarningKind};
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::text::printable;
use robots_policy::{Decision, Policy};
use serde::Serialize;

/// The fields that robots are asked about. `may_train` is the conclusion about training.
pub const MAIN_FIELDS: [Field; 7] = [
    Field::Fetch,
    Field::Index,
    Field::Follow,
    Field::Archive,
    Field::MayTrain,
    Field::AiInput,
    Field::AiSearch,
];

/// A robot under a profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Robot {
    /// Its product token.
    pub agent: String,
    /// The name of the profile.
    pub profile: String,
}

/// A statement that contradicts others, or has no effect.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct StatementProblem {
    /// The statement, and what is wrong with it.
    pub text: String,
    /// The kind of the problem.
    pub kind: WarningKind,
    /// The robots that are concerned.
    pub robots: Vec<Robot>,
}

/// A change of the site that would change an answer.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The field whose answer would change.
    pub field: Field,
    /// What to change.
    pub text: String,
    /// The robots whose answer would change.
    pub robots: Vec<Robot>,
    #[serde(skip)]
    remedy: Remedy,
    #[serde(skip)]
    lines: StepLines,
}

impl Change {
    /// Returns the text, which names up to this number of lines of robots.txt and counts the others.
    pub fn text_up_to(&self, max_lines: usize) -> String {
        self.remedy.text(&self.lines, max_lines)
    }
}

/// An expectation, and the answer of a robot.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Expected {
    /// The word of the expectation.
    pub expect: &'static str,
    /// The robot.
    #[serde(flatten)]
    pub robot: Robot,
    /// The field that the expectation is about.
    pub field: Field,
    /// The answer of the robot.
    pub value: String,
    /// Whether it is the expected one.
    pub met: bool,
}

/// The answers about a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Answers {
    /// The decisions, in the order of the robots.
    pub decisions: Vec<Decision>,
    /// Statements that contradict others, or have no effect.
    pub problems: Vec<StatementProblem>,
    /// What would change an answer that is not a yes.
    pub changes: Vec<Change>,
    /// The expectations, each for every robot.
    pub expectations: Vec<Expected>,
    /// The places of the statements that decisions name.
    pub places: StatementPlaces,
}

impl Answers {
    /// Decides for each robot as of a time, with the state of robots.txt under its policy.
    pub fn new<'p>(
        robots: impl IntoIterator<Item = (&'p Policy, RobotsState<SiteRules>)>,
        evidence: &Evidence,
        now: Timestamp,
        expected: &[Expectation],
    ) -> Self {
        let page = evidence.page(now);
        let robots = robots.into_iter();
        let decisions: Vec<Decision> = robots
            .map(|(policy, state)| policy.decide_under(&state, &page))
            .collect();
        let places = places(&decisions, &evidence.page);
        Self {
            problems: problems(&decisions, &places),
            changes: changes(&decisions, evidence, &places),
            expectations: expectations(&decisions, expected),
            places,
            decisions,
        }
    }

    /// Returns whether every robot has every expected answer.
    pub fn meet_expectations(&self) -> bool {
        self.expectations.iter().all(|expected| expected.met)
    }
}

impl Robot {
    /// Returns the robot that a decision is for.
    pub fn of(decision: &Decision) -> Self {
        Self {
            agent: decision.agent.clone(),
            profile: decision.profile.clone(),
        }
    }
}

/// Returns the places of the statements that decisions name.
fn places(decisions: &[Decision], page: &PageEvidence) -> StatementPlaces {
    let PageEvidence::Known(page) = page else {
        return StatementPlaces::default();
    };
    let sources = decisions.iter().flat_map(|decision| {
        let reasons = decision.reasons.iter().map(|reason| reason.source);
        reasons.chain(decision.warnings.iter().map(|warning| warning.source))
    });
    let metas = sources.filter_map(|source| match source {
        Source::Meta { offset } => Some(offset),
        _ => None,
    });
    StatementPlaces::new(page, metas)
}

/// Returns the warnings of decisions, each once with its robots: those of METAs after HEAD first, as their authors expect
/// another answer, and then in the order of the first robot of each.
fn problems(decisions: &[Decision], places: &StatementPlaces) -> Vec<StatementProblem> {
    let text = |warning: &Warning| {
        let (place, statement) = (places.text(&warning.source), printable(&warning.text));
        format!("{place}: {statement}: {}", warning.kind.explanation())
    };
    let warnings = decisions.iter().flat_map(|decision| {
        let warnings = decision.warnings.iter();
        warnings.map(move |warning| ((warning.kind, text(warning)), Robot::of(decision)))
    });
    let mut problems = grouped(warnings);
    problems.sort_by_key(|((kind, _), _)| *kind != WarningKind::AfterHead);
    problems
        .into_iter()
        .map(|((kind, text), mut robots)| {
            // A robot may have one warning several times.
            robots.dedup();
            StatementProblem { text, kind, robots }
        })
        .collect()
}

/// Returns what would change the answers that are not a yes, each once with its robots.
fn changes(decisions: &[Decision], evidence: &Evidence, places: &StatementPlaces) -> Vec<Change> {
    let changes = MAIN_FIELDS.into_iter().flat_map(|field| {
        decisions.iter().filter_map(move |decision| {
            let (remedy, lines) = change(decision, field, evidence, places)?;
            Some(((field, remedy), (Robot::of(decision), lines)))
        })
    });
    let changes = grouped(changes).into_iter();
    changes
        .map(|((field, remedy), robots)| {
            let (robots, all_lines): (Vec<Robot>, Vec<StepLines>) = robots.into_iter().unzip();
            let lines = all_lines.into_iter().reduce(|mut all, lines| {
                for (all, lines) in all.iter_mut().zip(lines) {
                    all.extend(lines);
                }
                all
            });
            let lines = lines.unwrap_or_default();
            Change {
                field,
                text: remedy.text(&lines, usize::MAX),
                robots,
                remedy,
                lines,
            }
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
            expect: expectation.name(),
            robot: Robot::of(decision),
            field: expectation.field(),
            value: expectation.field().text(decision),
            met: expectation.is_met_by(decision),
        })
        .collect()
}
