//! Cases about the outcomes of requests for robots.txt, in TOML: outcomes with their times, and the states that are
//! expected.

use crate::error::{CaseError, CaseErrorKind};
use crate::expect::CaseResult;
use crate::page_case::Request;
use crate::robots_case::padded;
use robots_meta::Timestamp;
use robots_policy::robots::{Cause, History, OutcomeTable, State};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The tables by the names of their columns in docs/semantics.md, section 8.1.
pub(crate) const TABLES: [(&str, OutcomeTable); 8] = [
    ("rfc9309", OutcomeTable::RFC9309),
    ("google", OutcomeTable::GOOGLE),
    ("bing", OutcomeTable::BING),
    ("yandex", OutcomeTable::YANDEX),
    ("baidu", OutcomeTable::BAIDU),
    ("koster96", OutcomeTable::KOSTER_1996),
    ("robotrules", OutcomeTable::WWW_ROBOT_RULES),
    ("nutch", OutcomeTable::NUTCH),
];

/// The text for a time that is not known.
const UNKNOWN: &str = "unknown";

/// A file of cases about outcomes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HistoryFile {
    /// The rows of docs/semantics.md, section 8.1: the meaning of one outcome under each table.
    #[serde(default)]
    pub outcome: Vec<OutcomeRow>,
    /// The cases about several outcomes over time.
    #[serde(default)]
    pub history: Vec<HistoryCase>,
}

/// Outcomes of the same kind, and the meaning of each under each table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OutcomeRow {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the row follows.
    pub source: String,
    /// The outcomes. Each is the only one of its origin.
    pub requests: Vec<Request>,
    /// The expected state by table: at once, and after 31 days if another one follows (`"defer, then allow_all"`).
    pub expect: BTreeMap<String, String>,
}

/// Outcomes in the order of time, and the states that are expected under each table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct HistoryCase {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the case follows.
    pub source: String,
    /// The names of the tables.
    pub tables: Vec<String>,
    /// The settings that replace those of the tables, as in the `[outcomes]` of a profile.
    #[serde(default)]
    pub with: toml::Table,
    /// The outcomes.
    #[serde(default)]
    pub requests: Vec<Request>,
    /// The expected states.
    #[serde(default)]
    pub expect: Vec<ExpectedState>,
    /// The expected time of the next request, or `unknown`.
    pub ask_again_at: Option<String>,
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
    /// The state: `rules`, `allow_all`, `deny_all`, `defer` or `unknown`.
    pub state: String,
    /// The robots.txt with the rules.
    pub body: Option<String>,
    /// The cause of a state without rules.
    pub cause: Option<Cause>,
}

/// Returns the table of this name.
fn table(name: &str) -> Result<OutcomeTable, CaseError> {
    let found = TABLES.iter().find(|(known, _)| *known == name);
    found
        .map(|(_, table)| *table)
        .ok_or_else(|| CaseErrorKind::UnknownTable(name.to_owned()).into())
}

/// Reads the time of a case: hours or another unit since an origin that all times of the case share, such as `12h`,
/// `-20h` or `30d-1s`; `min` and `max` are the ends of time, and `unknown` is not known.
fn time(text: &str) -> Result<Option<Timestamp>, CaseError> {
    if text == UNKNOWN {
        return Ok(None);
    }
    let seconds = elapsed(text).ok_or_else(|| CaseErrorKind::InvalidElapsed(text.to_owned()))?;
    Ok(Some(Timestamp::from_seconds(seconds)))
}

/// Reads a sum of days, hours, minutes and seconds (`30d-1s`), in seconds.
fn elapsed(text: &str) -> Option<i64> {
    match text {
        "min" => return Some(i64::MIN),
        "max" => return Some(i64::MAX),
        _ => {}
    }
    let mut seconds = 0_i64;
    let mut rest = text;
    while !rest.is_empty() {
        let unit_at = rest.find(|letter: char| letter.is_ascii_alphabetic())?;
        let (number, after) = rest.split_at(unit_at);
        let unit = match after.chars().next()? {
            's' => 1,
            'm' => 60,
            'h' => 3600,
            'd' => 86_400,
            _ => return None,
        };
        let number: i64 = number.parse().ok()?;
        seconds = seconds.checked_add(number.checked_mul(unit)?)?;
        rest = after.get(1..)?;
    }
    (!text.is_empty()).then_some(seconds)
}

/// Reads the time for which a response may be kept; `max` is the longest.
pub(crate) fn freshness(text: &str) -> Result<Duration, CaseError> {
    if text == "max" {
        return Ok(Duration::MAX);
    }
    let seconds = elapsed(text).and_then(|seconds| u64::try_from(seconds).ok());
    seconds
        .map(Duration::from_secs)
        .ok_or_else(|| CaseErrorKind::InvalidElapsed(text.to_owned()).into())
}

/// Returns the word for a state.
fn word<R>(state: &State<'_, R>) -> &'static str {
    match state {
        State::Rules(_) => "rules",
        State::AllowAll(_) => "allow_all",
        State::DenyAll(_) => "deny_all",
        State::Defer(_) => "defer",
        // `State` is non-exhaustive: a new state needs its word here.
        _ => UNKNOWN,
    }
}

/// Records a request in a history whose copies are the bodies.
fn record(
    history: &mut History<Vec<u8>>,
    table: &OutcomeTable,
    request: &Request,
    at: Option<Timestamp>,
) -> Result<(), CaseError> {
    let body = request.body.as_deref().map(padded).transpose()?;
    let fetch = request.fetch(body.as_deref())?;
    history.record(table, &fetch, at, <[u8]>::to_vec);
    Ok(())
}

fn mismatch(text: String) -> Result<(), CaseError> {
    Err(CaseErrorKind::Mismatch(text).into())
}

impl OutcomeRow {
    /// Asks for the meaning of each request under each table.
    pub(crate) fn results(&self) -> Vec<CaseResult> {
        let mut results = Vec::new();
        for (request, number) in self.requests.iter().zip(1_usize..) {
            for (name, expected) in &self.expect {
                let result = table(name).and_then(|table| {
                    let found = Self::meaning(&table, request)?;
                    if found == *expected {
                        return Ok(());
                    }
                    mismatch(format!("the state is {found}, expected {expected}"))
                });
                results.push((format!("{}/{name}/{number}", self.name), result));
            }
        }
        if results.is_empty() {
            results.push((self.name.clone(), Err(CaseErrorKind::NoExpectation.into())));
        }
        results
    }

    /// Returns the state after one request, and that after 31 days if it differs and is known. The rest of the site
    /// is available.
    fn meaning(table: &OutcomeTable, request: &Request) -> Result<String, CaseError> {
        let mut history = History::new();
        record(&mut history, table, request, time("0s")?)?;
        let word_at = |now| word(&history.state(table, now, Some(true)));
        let (first, later) = (word_at(time("0s")?), word_at(time("31d")?));
        Ok(if later == first || later == UNKNOWN {
            first.to_owned()
        } else {
            format!("{first}, then {later}")
        })
    }
}

impl HistoryCase {
    /// Asks the questions of the case under each of its tables.
    pub(crate) fn results(&self) -> Vec<CaseResult> {
        if self.tables.is_empty() || (self.expect.is_empty() && self.ask_again_at.is_none()) {
            let error = CaseErrorKind::NoExpectation.into();
            return vec![(self.name.clone(), Err(error))];
        }
        let results = self
            .tables
            .iter()
            .map(|name| (format!("{}/{name}", self.name), self.check(name)));
        results.collect()
    }

    /// Returns the table of this name with the settings of the case.
    fn table(&self, name: &str) -> Result<OutcomeTable, CaseError> {
        let table = table(name)?;
        if self.with.is_empty() {
            return Ok(table);
        }
        let mut settings =
            toml::Table::try_from(table).map_err(CaseError::wrap(CaseErrorKind::Syntax))?;
        settings.extend(self.with.clone());
        settings
            .try_into()
            .map_err(CaseError::wrap(CaseErrorKind::Syntax))
    }

    fn check(&self, name: &str) -> Result<(), CaseError> {
        let table = self.table(name)?;
        let mut history = History::new();
        for request in &self.requests {
            let at = time(request.at.as_deref().unwrap_or(UNKNOWN))?;
            record(&mut history, &table, request, at)?;
        }
        for expected in &self.expect {
            for now in &expected.now {
                let state = history.state(&table, time(now)?, expected.site_is_available);
                expected.check(now, &state)?;
            }
        }
        if let Some(expected) = &self.ask_again_at {
            let found = history.ask_again_at(&table);
            if found != time(expected)? {
                let found = found.map(Timestamp::as_seconds);
                return mismatch(format!(
                    "the next request is at {found:?} seconds, expected {expected}"
                ));
            }
        }
        Ok(())
    }
}

impl ExpectedState {
    fn check(&self, now: &str, state: &State<'_, Vec<u8>>) -> Result<(), CaseError> {
        let (body, cause) = match state {
            State::Rules(body) => (Some(String::from_utf8_lossy(body).into_owned()), None),
            State::AllowAll(cause)
            | State::DenyAll(cause)
            | State::Defer(cause)
            | State::Unknown(cause) => (None, Some(*cause)),
            _ => (None, None),
        };
        let word = word(state);
        if word == self.state && body == self.body && cause == self.cause {
            return Ok(());
        }
        let text = |state: &str, body: &Option<String>, cause: Option<Cause>| {
            let body = body.as_ref().map(|body| format!(" {body:?}"));
            let cause = cause.map(|cause| format!(" ({cause})"));
            format!(
                "{state}{}{}",
                body.unwrap_or_default(),
                cause.unwrap_or_default()
            )
        };
        let expected = text(&self.state, &self.body, self.cause);
        mismatch(format!(
            "at {now}: the state is {}, expected {expected}",
            text(word, &body, cause)
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_times_are_sums_of_units() {
        for (text, seconds) in [
            ("0s", Some(0)),
            ("-20h", Some(-72_000)),
            ("30d-1s", Some(2_591_999)),
            ("1d2h3m4s", Some(93_784)),
            ("min", Some(i64::MIN)),
            ("max", Some(i64::MAX)),
            ("", None),
            ("5", None),
            ("h", None),
            ("1w", None),
            ("1h5", None),
            ("1é", None),
            ("9223372036854775807d", None),
        ] {
            assert_eq!(elapsed(text), seconds, "{text}");
        }
    }
}
