//! Answers to questions in JSON about the robots.txt files of archives: whether a robot may fetch a URL.
//!
//! A question is an object with `robots` (the URL of a robots.txt), `agent` and `url`. Its answer is the same object with
//! `allowed` and `line`. An answer takes time linear in the question. A question about another robot or file than the one
//! before it takes longer, as the rules are compiled first.

use super::fault::RequestFault;
use super::request::Completeness;
use crate::error::Error;
use crate::input::{open_file, visit_records};
use crate::observer::{Observer, RecordProblem, Warning};
use crate::record_date::captured_at;
use crate::robots_url::{normalized, parse_robots_url};
use crate::text::path_text;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_policy::profile::{AgentName, AgentNameError, Robot};
use robots_policy::robots::{RobotsResponse, RobotsState};
use robots_policy::{Policy, Profile, RobotsFetch};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use thiserror::Error as ThisError;

/// The maximum length of a question, in bytes: 1 MiB. A longer one has no answer, and [`Unanswered::row`] is empty.
pub const MAX_QUESTION_BYTES: usize = 1024 * 1024;

/// A question, or its answer.
pub type Row = Map<String, Value>;

/// A question without an answer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Unanswered {
    /// The question. If it is not an object, this row has its text under the key `row`.
    pub row: Row,
    /// The reason.
    pub error: QuestionError,
}

/// The reason why a question has no answer.
#[derive(Debug, ThisError)]
#[non_exhaustive]
pub enum QuestionError {
    /// The question is longer than [`MAX_QUESTION_BYTES`].
    #[error("longer than 1 MiB")]
    TooLong,
    /// The question is not a JSON object.
    #[error("not a JSON object")]
    NotObject(#[source] serde_json::Error),
    /// This key has no text.
    #[error("expected a string in \"{0}\"")]
    NoText(&'static str),
    /// The key `agent` has neither a product token nor a `User-Agent` header.
    #[error("\"agent\"")]
    Agent(#[source] AgentNameError),
    /// The archives have no response for this URL.
    #[error("no response for {0} in the archives")]
    NoResponse(String),
    /// The body of the response for this URL cannot be decoded.
    #[error("cannot read the response for {0}")]
    Unreadable(String),
    /// The response for this URL is a redirect.
    #[error("{0} redirects, which is not followed: ask about the robots.txt of its target")]
    Redirect(String),
}

/// Returns the policy of a robot that obeys the groups of an agent under a dialect.
pub fn policy_of(agent: Agent<'static>, dialect: Dialect) -> Policy {
    let name = agent.name().to_owned();
    let profile = Profile::neutral().with_dialect(dialect);
    Policy::for_robot(&profile, Robot::new(&name).with_agent(agent))
}

/// The robots.txt files of archives, which answer questions under a dialect.
#[derive(Debug)]
pub struct RobotsAnswers {
    /// By the normalised URLs of robots.txt files: the last outcome of each, with its time.
    outcomes: HashMap<String, (Option<Timestamp>, RequestOutcome)>,
    dialect: Dialect,
    /// The robots.txt URL and agent of the last question, with their rules: successive questions often share them.
    last: Option<(String, String, Verdicts)>,
}

/// The outcome of the request for a robots.txt.
#[derive(Debug)]
enum RequestOutcome {
    Response(KeptResponse),
    /// The request had no response.
    Fault(RequestFault),
    Redirect,
    /// The body cannot be decoded.
    Unreadable,
}

/// A response that is not a redirect.
#[derive(Debug)]
struct KeptResponse {
    status: u16,
    content_type: Option<String>,
    body: Vec<u8>,
}

impl KeptResponse {
    /// Keeps a response, with up to `body_limit` bytes of its body. Only responses with status 2xx have rules.
    fn new(response: &Response<'_>, body_limit: usize) -> Self {
        let body = match response.status() {
            200..=299 => response.body(),
            _ => &[],
        };
        Self {
            status: response.status(),
            content_type: response.content_type().map(Cow::into_owned),
            body: body.get(..body_limit).unwrap_or(body).to_vec(),
        }
    }

    /// Returns the response in the type from which a policy learns a robots.txt.
    fn as_fetch(&self) -> RobotsFetch<'_> {
        let content_type = self.content_type.as_deref().unwrap_or_default();
        let response = RobotsResponse::new(self.status, &self.body);
        RobotsFetch::Response(response.with_content_type(content_type))
    }
}

/// The verdicts of a robots.txt for a robot.
#[derive(Debug)]
enum Verdicts {
    Rules(Rules),
    /// The same verdict for every URL.
    All {
        is_allowed: bool,
    },
}

impl RobotsAnswers {
    /// Returns answers without a robots.txt, under a dialect.
    pub fn new(dialect: Dialect) -> Self {
        Self {
            outcomes: HashMap::new(),
            dialect,
            last: None,
        }
    }

    /// Adds the robots.txt files of an archive. Returns whether the file is an archive.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn read_archive(
        &mut self,
        path: &Path,
        observer: &(impl Observer + ?Sized),
    ) -> Result<bool, Error> {
        let name = path_text(path);
        let file = open_file(path)?;
        visit_records(&name, &file, observer, &mut |record| {
            self.add(&name, &record, observer);
            Ok(())
        })
    }

    /// Adds the outcome of the request for a robots.txt, if a record of the archive `name` has one. It replaces an outcome for the
    /// same URL, unless that is of a later time.
    pub fn add(&mut self, name: &str, record: &Record, observer: &(impl Observer + ?Sized)) {
        let Some(url) = record.url.as_deref().and_then(parse_robots_url) else {
            return;
        };
        let outcome = outcome_of(name, record, body_limit(&self.dialect), observer);
        if let Some(outcome) = outcome {
            self.last = None;
            let date = captured_at(record);
            let url = normalized(&url).into_owned();
            let known = self.outcomes.get(&url).and_then(|(known, _)| *known);
            // What has no time is earlier than what has one.
            if date >= known {
                self.outcomes.insert(url, (date, outcome));
            }
        }
    }

    /// Returns the answer to a question: the question, with `allowed` and `line`; the line is zero if none decides. The key `error` of
    /// an earlier row without an answer is dropped.
    ///
    /// # Errors
    ///
    /// If the question is not valid, or the archives have no answer to it.
    pub fn answer(&mut self, question: &[u8]) -> Result<Row, Unanswered> {
        if question.len() > MAX_QUESTION_BYTES {
            return Err(Unanswered {
                row: Row::new(),
                error: QuestionError::TooLong,
            });
        }
        let mut row: Row = serde_json::from_slice(question).map_err(|error| {
            let text = String::from_utf8_lossy(question).into_owned();
            Unanswered {
                row: Row::from_iter([("row".to_owned(), Value::String(text))]),
                error: QuestionError::NotObject(error),
            }
        })?;
        match self.verdict(&row) {
            Ok((is_allowed, line)) => {
                row.insert("allowed".to_owned(), Value::Bool(is_allowed));
                row.insert("line".to_owned(), Value::from(line));
                row.shift_remove("error");
                Ok(row)
            }
            Err(error) => Err(Unanswered { row, error }),
        }
    }

    fn verdict(&mut self, row: &Row) -> Result<(bool, usize), QuestionError> {
        let field = |name| {
            let text = row.get(name).and_then(Value::as_str);
            text.ok_or(QuestionError::NoText(name))
        };
        let (url, agent, target) = (field("robots")?, field("agent")?, field("url")?);
        let verdicts = match self.last.take() {
            Some((last, last_agent, verdicts)) if last == url && last_agent == agent => verdicts,
            _ => self.verdicts(url, agent)?,
        };
        let verdict = match &verdicts {
            Verdicts::Rules(rules) => {
                let verdict = rules.verdict(&Target::new(target));
                (verdict.is_allowed(), verdict.line().unwrap_or(0))
            }
            Verdicts::All { is_allowed } => (*is_allowed, 0),
        };
        self.last = Some((url.to_owned(), agent.to_owned(), verdicts));
        Ok(verdict)
    }

    /// Returns the verdicts of the robots.txt at a URL for a robot.
    fn verdicts(&self, url: &str, agent: &str) -> Result<Verdicts, QuestionError> {
        let no_response = || QuestionError::NoResponse(url.to_owned());
        let robots_url = parse_robots_url(url).ok_or_else(no_response)?;
        let robots_url = normalized(&robots_url);
        let (_, outcome) = self.outcomes.get(&*robots_url).ok_or_else(no_response)?;
        let (fetch, body) = match outcome {
            RequestOutcome::Unreadable => return Err(QuestionError::Unreadable(url.to_owned())),
            RequestOutcome::Redirect => return Err(QuestionError::Redirect(url.to_owned())),
            RequestOutcome::Response(response) => (response.as_fetch(), &*response.body),
            RequestOutcome::Fault(fault) => (fault.as_fetch(), &[][..]),
        };
        let agent: AgentName = agent.parse().map_err(QuestionError::Agent)?;
        let agent = Agent::new(agent.token);
        match policy_of(agent.clone(), self.dialect).robots(fetch) {
            // The policy does not know the URL of the file, on which the meaning of absolute URLs in rules depends.
            RobotsState::Rules(_) if self.dialect.depends_on_url() => {
                let robots = RobotsTxt::parse(body).with_url(&robots_url);
                Ok(Verdicts::Rules(robots.rules(&agent, &self.dialect)))
            }
            RobotsState::Rules(rules) => Ok(Verdicts::Rules(rules.rules().clone())),
            RobotsState::AllowAll(_) => Ok(Verdicts::All { is_allowed: true }),
            RobotsState::DenyAll(_) => Ok(Verdicts::All { is_allowed: false }),
            // Unknown; the neutral profile never defers.
            _ => Err(no_response()),
        }
    }
}

/// Returns the number of bytes of a robots.txt to keep for a dialect: its limit, and one byte that shows that there
/// was more.
fn body_limit(dialect: &Dialect) -> usize {
    dialect
        .size_limit()
        .map_or(usize::MAX, |limit| limit.saturating_add(1))
}

/// Returns the outcome of the request for a robots.txt, if the record has one.
fn outcome_of(
    name: &str,
    record: &Record,
    body_limit: usize,
    observer: &(impl Observer + ?Sized),
) -> Option<RequestOutcome> {
    if let Some(fault) = RequestFault::of(record) {
        return Some(RequestOutcome::Fault(fault));
    }
    if record.kind != "response" {
        return None;
    }
    let warn = |problem| {
        observer.warn(&Warning::Record {
            file: name.to_owned(),
            offset: record.offset,
            url: record.url.clone(),
            problem,
        });
    };
    let Ok(response) = Response::parse(&record.block) else {
        warn(RecordProblem::NotHttp {
            loses_decision: false,
        });
        return None;
    };
    let is_success = (200..=299).contains(&response.status());
    let whole = Completeness::of(record, &response);
    if is_success && whole == Completeness::Cut {
        warn(RecordProblem::RobotsCut);
    }
    match response.status() {
        // Not Modified: the response to an earlier request still applies.
        304 => None,
        200..=299 if response.is_unread() || whole == Completeness::Cut => {
            Some(RequestOutcome::Unreadable)
        }
        301 | 302 | 303 | 307 | 308 => Some(RequestOutcome::Redirect),
        _ => Some(RequestOutcome::Response(KeptResponse::new(
            &response, body_limit,
        ))),
    }
}
