//! Cases about the outcomes of requests for robots.txt, in TOML: outcomes with their times, and the states that are
//! expected.

use crate::elapsed::{UNKNOWN, elapsed_text, elapsed_time};
use crate::error::CaseError;
use crate::lines::LineEnds;
use crate::page_case::RobotsOutcome;
use crate::question::QuestionResult;
use crate::robots_case::padded;
use robots_meta::Timestamp;
use robots_policy::robots::{Cause, OutcomeLog, OutcomeTable, RobotsState};
use robots_policy::text::UnknownName;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use toml::Spanned;

/// A case about outcomes of the same kind: the expected meaning of each, by table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OutcomeCase {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the case follows; may be empty.
    #[serde(default)]
    pub source: String,
    /// The outcomes. Each is recorded in a history of its own.
    pub requests: Vec<RobotsOutcome>,
    /// The expected meaning, by the name of the table.
    pub expect: BTreeMap<String, Spanned<ExpectedMeaning>>,
}

/// The meaning of an outcome: the state at once, and the state after 31 days. Written as `deny_all` or
/// `defer, then allow_all`. After 31 days, a failure is in its last step under every table: that begins after 30 days at the
/// latest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct ExpectedMeaning {
    first: StateWord,
    /// The state after 31 days; `None` if it is the same, or unknown because the outcome is no longer fresh.
    later: Option<StateWord>,
}

/// A state of a robots.txt, without its rules or cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StateWord {
    /// There are rules.
    Rules,
    /// Everything may be fetched.
    AllowAll,
    /// Nothing may be fetched.
    DenyAll,
    /// Nothing may be fetched now.
    Defer,
    /// robots.txt is not known.
    Unknown,
}

impl StateWord {
    const ALL: [Self; 5] = [
        Self::Rules,
        Self::AllowAll,
        Self::DenyAll,
        Self::Defer,
        Self::Unknown,
    ];

    /// Returns the word for a state.
    fn of<R>(state: &RobotsState<R>) -> Self {
        match state {
            RobotsState::Rules(_) => Self::Rules,
            RobotsState::AllowAll(_) => Self::AllowAll,
            RobotsState::DenyAll(_) => Self::DenyAll,
            RobotsState::Defer(_) => Self::Defer,
            // `RobotsState` is non-exhaustive: a new state needs its word here.
            _ => Self::Unknown,
        }
    }
}

impl fmt::Display for StateWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

impl TryFrom<String> for ExpectedMeaning {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let state = |word: &str| {
            let found = StateWord::ALL
                .into_iter()
                .find(|state| state.to_string() == word);
            found.ok_or_else(|| {
                let words = StateWord::ALL.map(|state| state.to_string()).join(", ");
                format!("unknown state {word:?}: expected one of {words}, or two with \", then \" between")
            })
        };
        Ok(match text.split_once(", then ") {
            Some((first, later)) => Self {
                first: state(first)?,
                later: Some(state(later)?),
            },
            None => Self {
                first: state(&text)?,
                later: None,
            },
        })
    }
}

impl fmt::Display for ExpectedMeaning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.later {
            Some(later) => write!(f, "{}, then {later}", self.first),
            None => self.first.fmt(f),
        }
    }
}

/// A case about several outcomes over time: the states that are expected under some tables.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HistoryCase {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the case follows; may be empty.
    #[serde(default)]
    pub source: String,
    /// The names of the tables.
    pub tables: Vec<String>,
    /// The settings that replace those of the tables, as in the `[outcomes]` of a profile.
    #[serde(default)]
    pub with: toml::Table,
    /// The outcomes, in the order of time.
    #[serde(default)]
    pub requests: Vec<RobotsOutcome>,
    /// The expected states.
    #[serde(default)]
    pub expect: Vec<Spanned<ExpectedState>>,
    /// The expected time of the next request, or `unknown`.
    pub ask_again_at: Option<Spanned<String>>,
}

/// A state at some times.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ExpectedState {
    /// The times.
    pub now: Vec<String>,
    /// Whether the rest of the site is available.
    pub site_is_available: Option<bool>,
    /// The state.
    pub state: StateWord,
    /// The body of the robots.txt with the rules; absent if the state has none.
    pub body: Option<String>,
    /// The cause of a state without rules.
    pub cause: Option<Cause>,
}

/// Returns the table of this name.
fn table(name: &str) -> Result<OutcomeTable, CaseError> {
    let found = OutcomeTable::NAMED.iter().find(|(known, _)| *known == name);
    found.map(|(_, table)| *table).ok_or_else(|| {
        let names = OutcomeTable::NAMED.map(|(name, _)| name);
        UnknownName::new("table", name, names).into()
    })
}

/// Records an outcome in a log of bodies.
fn record(
    log: &mut OutcomeLog<Vec<u8>>,
    outcome: &RobotsOutcome,
    at: Option<Timestamp>,
) -> Result<(), CaseError> {
    let body = outcome.body.as_deref().map(padded).transpose()?;
    let fetch = outcome.fetch(body.as_deref())?;
    log.record(&fetch, at, |body| Some(body.to_vec()));
    Ok(())
}

fn mismatch(text: String) -> Result<(), CaseError> {
    Err(CaseError::mismatch(text))
}

impl OutcomeCase {
    /// Checks the meaning of each outcome under each table. `lines` are those of the file.
    pub(crate) fn results(&self, lines: &LineEnds) -> Vec<QuestionResult> {
        let mut results = Vec::new();
        for (outcome, number) in self.requests.iter().zip(1_usize..) {
            for (name, expected) in &self.expect {
                let question = format!("{}/{name}/{number}", self.name);
                let line = lines.line_at(expected.span().start);
                let expected = expected.get_ref();
                let result = QuestionResult::of(question, || {
                    let found = Self::meaning(&table(name)?, outcome)?;
                    if found == *expected {
                        return Ok(());
                    }
                    mismatch(format!("the state is {found}, expected {expected}"))
                });
                results.push(result.at_line(line));
            }
        }
        if results.is_empty() {
            let missing = if self.requests.is_empty() {
                "a request in \"requests\""
            } else {
                "the name of a table in \"expect\""
            };
            let error = CaseError::nothing_to_check(missing);
            results.push(QuestionResult::invalid(self.name.clone(), error));
        }
        results
    }

    /// Returns the meaning of one outcome for a site of which everything else is available.
    fn meaning(
        table: &OutcomeTable,
        outcome: &RobotsOutcome,
    ) -> Result<ExpectedMeaning, CaseError> {
        let mut log = OutcomeLog::new();
        record(&mut log, outcome, elapsed_time("0s")?)?;
        let state_at = |now| StateWord::of(&log.state(table, now, Some(true)));
        let (first, later) = (
            state_at(elapsed_time("0s")?),
            state_at(elapsed_time("31d")?),
        );
        let is_later_state = later != first && later != StateWord::Unknown;
        Ok(ExpectedMeaning {
            first,
            later: is_later_state.then_some(later),
        })
    }
}

impl HistoryCase {
    /// Checks the case under each of its tables: one result for each. `lines` are those of the file.
    pub(crate) fn results(&self, lines: &LineEnds) -> Vec<QuestionResult> {
        let missing = if self.tables.is_empty() {
            Some("the name of a table in \"tables\"")
        } else if self.expect.is_empty() && self.ask_again_at.is_none() {
            Some("\"expect\" or \"ask_again_at\"")
        } else if self
            .expect
            .iter()
            .any(|expected| expected.get_ref().now.is_empty())
        {
            Some("a time in \"now\"")
        } else {
            None
        };
        if let Some(missing) = missing {
            let error = CaseError::nothing_to_check(missing);
            return vec![QuestionResult::invalid(self.name.clone(), error)];
        }
        let results = self.tables.iter().map(|name| {
            let question = format!("{}/{name}", self.name);
            QuestionResult::of(question, || self.check(name, lines))
        });
        results.collect()
    }

    /// Returns the table of this name with the settings of the case.
    fn table(&self, name: &str) -> Result<OutcomeTable, CaseError> {
        let table = table(name)?;
        if self.with.is_empty() {
            return Ok(table);
        }
        let mut settings = toml::Table::try_from(table).map_err(CaseError::syntax)?;
        settings.extend(self.with.clone());
        settings.try_into().map_err(CaseError::syntax)
    }

    fn check(&self, name: &str, lines: &LineEnds) -> Result<(), CaseError> {
        let table = self.table(name)?;
        let mut log = OutcomeLog::new();
        for outcome in &self.requests {
            let at = elapsed_time(outcome.at.as_deref().unwrap_or(UNKNOWN))?;
            record(&mut log, outcome, at)?;
        }
        for expected in &self.expect {
            let line = lines.line_at(expected.span().start);
            let checked = expected.get_ref().check_in(&log, &table);
            checked.map_err(|error| error.at_line(line))?;
        }
        if let Some(expected) = &self.ask_again_at {
            let at_line = |error: CaseError| error.at_line(lines.line_at(expected.span().start));
            let expected = expected.get_ref();
            let found = log.ask_again_at(&table);
            if found != elapsed_time(expected).map_err(at_line)? {
                let found = elapsed_text(found);
                let text = format!("the next request is at {found}, expected {expected}");
                return mismatch(text).map_err(at_line);
            }
        }
        Ok(())
    }
}

impl ExpectedState {
    /// Checks the state at each of the times.
    fn check_in(&self, log: &OutcomeLog<Vec<u8>>, table: &OutcomeTable) -> Result<(), CaseError> {
        for now in &self.now {
            let state = log.state(table, elapsed_time(now)?, self.site_is_available);
            self.check(now, &state)?;
        }
        Ok(())
    }

    fn check(&self, now: &str, state: &RobotsState<Option<&Vec<u8>>>) -> Result<(), CaseError> {
        let (body, cause) = match state {
            RobotsState::Rules(body) => {
                let body = body.map_or(&[][..], Vec::as_slice);
                (Some(String::from_utf8_lossy(body).into_owned()), None)
            }
            RobotsState::AllowAll(cause)
            | RobotsState::DenyAll(cause)
            | RobotsState::Defer(cause)
            | RobotsState::Unknown(cause) => (None, Some(*cause)),
            // `RobotsState` is non-exhaustive.
            _ => (None, None),
        };
        let found = StateWord::of(state);
        if found == self.state && body == self.body && cause == self.cause {
            return Ok(());
        }
        let text = |state: StateWord, body: &Option<String>, cause: Option<Cause>| {
            let body = body.as_ref().map(|body| format!(" {body:?}"));
            let cause = cause.map(|cause| format!(" ({cause})"));
            format!(
                "{state}{}{}",
                body.unwrap_or_default(),
                cause.unwrap_or_default()
            )
        };
        let expected = text(self.state, &self.body, self.cause);
        mismatch(format!(
            "at {now}: the state is {}, expected {expected}",
            text(found, &body, cause)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the error of a case that has one result.
    fn error(results: &[QuestionResult]) -> String {
        let [named] = results else {
            panic!("{results:?}");
        };
        named.result.as_ref().unwrap_err().to_string()
    }

    #[test]
    fn a_case_that_asks_nothing_names_the_missing_key() {
        const ROW: fn(&str) -> Vec<QuestionResult> = |text| {
            let case: OutcomeCase = toml::from_str(text).unwrap();
            case.results(&LineEnds::of(text))
        };
        const HISTORY: fn(&str) -> Vec<QuestionResult> = |text| {
            let case: HistoryCase = toml::from_str(text).unwrap();
            case.results(&LineEnds::of(text))
        };
        for (results, rest, missing) in [
            (
                ROW,
                "requests = []\nexpect = { google = 'rules' }",
                "a request in \"requests\"",
            ),
            (
                ROW,
                "requests = [{ status = 429 }]\nexpect = {}",
                "the name of a table in \"expect\"",
            ),
            (
                HISTORY,
                "tables = []\nask_again_at = '0s'",
                "the name of a table in \"tables\"",
            ),
            (
                HISTORY,
                "tables = ['google']",
                "\"expect\" or \"ask_again_at\"",
            ),
            (
                HISTORY,
                "tables = ['google']\nexpect = [{ now = [], state = 'rules' }]",
                "a time in \"now\"",
            ),
        ] {
            let expected = format!("nothing to check: expected {missing}");
            let case = format!("name = 'a'\nsource = 's'\n{rest}");
            assert_eq!(error(&results(&case)), expected);
        }
    }
}
