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

/// Returns what would change the answer of a field: nothing if the answer is a yes, or if another field has the same cause.
pub(super) fn change(
    decision: &Decision,
    field: Field,
    evidence: &Evidence,
    places: &StatementPlaces,
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
        remedy.add(reason, places, &mut lines);
    }
    remedy.more = reasons.count();
    Some((remedy, lines))
}

impl Remedy {
    /// Adds what would make a statement void.
    fn add(&mut self, reason: &Reason, places: &StatementPlaces, lines: &mut StepLines) {
        let statement = &*printable(&reason.text);
        let (step, line) = match &reason.source {
            Source::RobotsTxt { line } => {
                let rule = without_group(statement);
                (Step::Narrow(rule.to_owned()), Some(*line))
            }
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

/// Returns the statement of a rule, whose reason names its group too: `Disallow: /x (group of *)`. Equal rules of several groups are
/// one change.
fn without_group(statement: &str) -> &str {
    let rule = statement.rsplit_once(" (group of ");
    rule.map_or(statement, |(rule, _)| rule)
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

#[cfg(test)]
mod tests {
    use crate::why::evidence::{Evidence, KnownPage, PageEvidence, RobotsEvidence};
    use crate::why::{Answers, policies};
    use robots_meta::Timestamp;
    use robots_policy::RobotsFetch;

    /// The rule is the one that decides about the URL as it is requested, under the profile of the robot.
    #[test]
    fn a_change_names_the_rule_that_decides() {
        for (agent, robots, path, text) in [
            (
                "Googlebot",
                "User-agent: *\nDisallow: /a\nDisallow: /private\n",
                "/a/../private/x",
                "line 3 of robots.txt: Disallow: /private",
            ),
            (
                "DuckDuckBot",
                "User-agent: *\nDisallow: https://example.com/private\nDisallow: /pri\n",
                "/private/x",
                "line 2 of robots.txt: Disallow: https://example.com/private",
            ),
            (
                "Google-Extended",
                "User-agent: Google-Extended\nDisallow: /x\n",
                "/x",
                "line 2 of robots.txt: Disallow: /x",
            ),
        ] {
            let given = RobotsEvidence::Unknown {
                remedy: String::new(),
            };
            let page = PageEvidence::Known(Box::new(KnownPage::of_html(Vec::new())));
            let evidence = Evidence::new(format!("https://example.com{path}"), given, page);
            let policies = policies([agent], &[]).unwrap();
            let robots = RobotsFetch::Body(robots.as_bytes());
            let states = policies.iter().map(|one| (one, one.robots(robots)));
            let answers = Answers::new(states, &evidence, Timestamp::from_seconds(0), &[]);
            let first = answers.changes.first().map(|change| &*change.text);
            assert_eq!(first, Some(&*format!("remove or narrow {text}")));
        }
    }
}
