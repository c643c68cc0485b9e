//! What would change an answer.

use super::evidence::{Evidence, RobotsEvidence};
use super::places::StatementPlaces;
use robots_policy::Decision;
use robots_policy::decision::{Effect, Field, Reason, Source};
use robots_policy::text::{line_list, printable};
use std::collections::BTreeSet;

/// The number of statements that are named next to the one that decides. Others are counted.
const MAX_AGREEING: usize = 4;

/// What would change an answer: it is equal for robots whose statements are the same in different lines of robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Remedy {
    steps: Vec<Step>,
    /// The number of statements that are not named.
    more: usize,
}

/// A part of a remedy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Step {
    /// To remove or narrow a statement of robots.txt.
    Narrow(String),
    /// To remove statements from a place.
    Remove {
        place: String,
        statements: Vec<String>,
    },
    /// Anything else.
    Other(String),
}

/// The lines of robots.txt for each step of a remedy; none for a step that is about no line.
pub(super) type StepLines = Vec<BTreeSet<usize>>;

/// Returns what would change the answer of a field: nothing if the answer is a yes, or if another field has the same cause. `rule` is the
/// statement of the rule that decides about the fetch, if one does, without its group.
pub(super) fn change(
    decision: &Decision,
    field: Field,
    evidence: &Evidence,
    places: &StatementPlaces,
    rule: Option<&str>,
) -> Option<(Remedy, StepLines)> {
    let value = field.text(decision);
    if matches!(value.as_str(), "yes" | "allow" | "not_applicable") {
        return None;
    }
    let reason = decision.deciding_reason(field)?;
    if field != Field::Fetch && !decision.may_fetch() {
        let fetch = decision.deciding_reason(Field::Fetch);
        let is_same = |fetch: &Reason| fetch.source == reason.source;
        // The page's statements are not read, or the same statement forbids both: the answer follows from that of `fetch`.
        if reason.source == Source::RobotsFetch || fetch.is_some_and(is_same) {
            return None;
        }
    }
    let mut remedy = Remedy {
        steps: Vec::new(),
        more: 0,
    };
    let mut lines = StepLines::new();
    if reason.source == Source::RobotsFetch
        && let RobotsEvidence::Unknown { remedy: text } = &evidence.robots_txt
    {
        remedy.steps.push(Step::Other(text.clone()));
        return Some((remedy, lines));
    }
    // A statement that agrees would decide in its place.
    let agreeing = decision
        .reasons_for(field)
        .filter(|reason| reason.effect == Effect::Agrees);
    let mut reasons = std::iter::once(reason).chain(agreeing);
    for reason in reasons.by_ref().take(1 + MAX_AGREEING) {
        // The text of the rule that decides about the fetch names its group.
        let is_rule = field == Field::Fetch && reason.effect == Effect::Decides;
        let statement = rule.filter(|_| is_rule).unwrap_or(&reason.text);
        remedy.add(reason, &printable(statement), places, &mut lines);
    }
    remedy.more = reasons.count();
    Some((remedy, lines))
}

impl Remedy {
    /// Adds what would make a statement void.
    fn add(
        &mut self,
        reason: &Reason,
        statement: &str,
        places: &StatementPlaces,
        lines: &mut StepLines,
    ) {
        let (step, line) = match &reason.source {
            Source::RobotsTxt { line } => (Step::Narrow(statement.to_owned()), Some(*line)),
            Source::RobotsFetch => (
                Step::Other(format!(
                    "let robots.txt answer with status 200, or with 404 if there are no rules: {statement}"
                )),
                None,
            ),
            source @ Source::Meta { .. } => (
                Step::remove(format!("the {}", places.text(source)), statement),
                None,
            ),
            source
            @ (Source::Header { .. } | Source::PageHeader { .. } | Source::Tdmrep { .. }) => {
                (Step::remove(source.to_string(), statement), None)
            }
            Source::Status => (
                Step::Other(format!(
                    "let the page answer with status 200, not {statement}"
                )),
                None,
            ),
            source => (Step::Other(format!("{source}: {statement}")), None),
        };
        let mut steps = self.steps.iter();
        let joined = steps.position(|known| known.is_joined_by(&step));
        let index = joined.unwrap_or(self.steps.len());
        if let Some(known) = self.steps.get_mut(index) {
            known.join(step);
        } else {
            self.steps.push(step);
            lines.push(BTreeSet::new());
        }
        if let Some(lines) = lines.get_mut(index) {
            lines.extend(line);
        }
    }

    /// Returns the text, in which each step names up to this number of lines.
    pub(super) fn text(&self, lines: &StepLines, max_lines: usize) -> String {
        let none = BTreeSet::new();
        let steps = self
            .steps
            .iter()
            .enumerate()
            .map(|(index, step)| match step {
                Step::Narrow(statement) => {
                    let lines = line_list(lines.get(index).unwrap_or(&none), max_lines);
                    format!("remove or narrow {lines} of robots.txt: {statement}")
                }
                Step::Remove { place, statements } => {
                    format!("remove from {place}: {}", statements.join(" and "))
                }
                Step::Other(text) => text.clone(),
            });
        let text = steps.collect::<Vec<_>>().join("; and ");
        match self.more {
            0 => text,
            1 => format!("{text}; and 1 more statement"),
            more => format!("{text}; and {more} more statements"),
        }
    }
}

impl Step {
    fn remove(place: String, statement: &str) -> Self {
        Self::Remove {
            place,
            statements: vec![statement.to_owned()],
        }
    }

    /// Returns whether another step is a part of this one: of the same statement, or at the same place.
    fn is_joined_by(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Remove { place, .. }, Self::Remove { place: other, .. }) => place == other,
            _ => self == other,
        }
    }

    fn join(&mut self, other: Self) {
        if let (
            Self::Remove { statements, .. },
            Self::Remove {
                statements: others, ..
            },
        ) = (self, other)
        {
            for other in others {
                if !statements.contains(&other) {
                    statements.push(other);
                }
            }
        }
    }
}
