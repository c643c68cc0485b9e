//! Answers to questions in JSON about the robots.txt files of archives: whether a robot may fetch a URL.
//!
//! A question is an object with `robots` (the URL of a robots.txt), `agent` and `url`. Its answer is the same object with
//! `profile`, `allowed` and `line`. An answer takes time linear in the question. A question about another robot or file than the one
//! before it takes longer, as the rules are compiled first.

use super::book::RobotsBook;
use super::request::RequestResult;
use super::site::Sites;
use crate::error::Error;
use crate::input::{open_file, visit_records};
use crate::observer::{Observer, Warning};
use crate::robots_url::{normalized, parse_robots_url};
use crate::text::path_text;
use robots_archive::Record;
use robots_policy::Profile;
use robots_policy::origins::requested_target;
use robots_policy::profile::{AgentName, AgentNameError};
use robots_policy::robots::{OutcomeTable, RobotsState};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};
use serde_json::{Map, Value};
use std::path::Path;
use std::sync::Arc;
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

/// The robots.txt files of archives, which answer questions under a dialect, or for each robot as its operator reads the file.
#[derive(Debug)]
pub struct RobotsAnswers {
    /// The captures, with the part of each body that the dialect reads.
    book: RobotsBook<Arc<[u8]>>,
    dialect: Option<Dialect>,
    name_alone: bool,
    /// The robots.txt URL and agent of the last question, with their rules: successive questions often share them.
    last: Option<(String, String, Verdicts)>,
}

/// The verdicts of a robots.txt for a robot.
#[derive(Debug)]
struct Verdicts {
    /// The name of the profile; `None` under a dialect.
    profile: Option<&'static str>,
    dialect: Dialect,
    state: RobotsState<Rules>,
}

impl RobotsAnswers {
    /// Returns answers without a robots.txt, under a dialect. Without one, each robot is read as its operator reads
    /// ([`Profile::of_robot`]).
    pub fn new(dialect: Option<Dialect>) -> Self {
        Self {
            book: RobotsBook::new(Sites::Origins),
            dialect,
            name_alone: false,
            last: None,
        }
    }

    /// Sets whether robots obey only groups of their own name, or else of `*`. By default, they obey those of
    /// [`Agent::known`].
    #[must_use]
    pub fn with_name_alone(mut self, name_alone: bool) -> Self {
        self.name_alone = name_alone;
        self
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

    /// Adds the outcome of the request for a robots.txt, if a record of the archive `name` has one.
    pub fn add(&mut self, name: &str, record: &Record, observer: &(impl Observer + ?Sized)) {
        self.last = None;
        // One byte past the limit shows that there was more.
        let limit = self
            .dialect
            .and_then(|dialect| dialect.size_limit())
            .map_or(usize::MAX, |limit| limit + 1);
        let warn = &mut |problem| observer.warn(&Warning::of_record(name, record, problem));
        self.book.enter_record(record, None, warn, |_, body| {
            body[..body.len().min(limit)].into()
        });
    }

    /// Returns the answer to a question: the question, with `profile` (null under a dialect), `allowed`, and `line`, which is zero if
    /// none decides. The key `error` of an earlier row without an answer is dropped.
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
            Ok((profile, is_allowed, line)) => {
                row.insert("profile".to_owned(), Value::from(profile));
                row.insert("allowed".to_owned(), Value::Bool(is_allowed));
                row.insert("line".to_owned(), Value::from(line));
                row.shift_remove("error");
                Ok(row)
            }
            Err(error) => Err(Unanswered { row, error }),
        }
    }

    /// Returns the name of the profile, whether the URL is allowed, and the line of the rule that decides.
    fn verdict(&mut self, row: &Row) -> Result<(Option<&'static str>, bool, usize), QuestionError> {
        let field = |name| {
            let text = row.get(name).and_then(Value::as_str);
            text.ok_or(QuestionError::NoText(name))
        };
        let (url, agent, target) = (field("robots")?, field("agent")?, field("url")?);
        let verdicts = match self.last.take() {
            Some((last, last_agent, verdicts)) if last == url && last_agent == agent => verdicts,
            _ => self.verdicts(url, agent)?,
        };
        let (is_allowed, line) = match &verdicts.state {
            RobotsState::Rules(rules) => {
                let verdict = rules.verdict(&Target::new(target));
                (verdict.is_allowed(), verdict.line().unwrap_or(0))
            }
            RobotsState::AllowAll(_) => (true, 0),
            // All is denied but what the dialect always allows. A state that is not known has no verdicts.
            _ => {
                let target = requested_target(target);
                (verdicts.dialect.allows_itself(target.path()), 0)
            }
        };
        let verdict = (verdicts.profile, is_allowed, line);
        self.last = Some((url.to_owned(), agent.to_owned(), verdicts));
        Ok(verdict)
    }

    /// Returns the verdicts of the robots.txt at a URL for a robot.
    fn verdicts(&self, url: &str, agent: &str) -> Result<Verdicts, QuestionError> {
        let no_response = || QuestionError::NoResponse(url.to_owned());
        let robots_url = parse_robots_url(url).ok_or_else(no_response)?;
        let (result, log) = self.book.newest(&robots_url).ok_or_else(no_response)?;
        match result {
            RequestResult::Unreadable => return Err(QuestionError::Unreadable(url.to_owned())),
            RequestResult::Redirect(_) | RequestResult::RedirectToNowhere => {
                return Err(QuestionError::Redirect(url.to_owned()));
            }
            RequestResult::Response { .. } | RequestResult::Fault(_) => {}
        }
        let agent: AgentName = agent.parse().map_err(QuestionError::Agent)?;
        let token = agent.token;
        let (profile, dialect, outcomes) = if let Some(dialect) = &self.dialect {
            (None, dialect, &OutcomeTable::RFC9309)
        } else {
            let own = Profile::of_robot(&token);
            (Some(own.name()), own.dialect(), own.outcomes())
        };
        let state = log.archived_state(outcomes, None).map(|body| {
            let body = body.map_or(&b""[..], |body| body);
            let robots = RobotsTxt::parse(body).with_url(&normalized(&robots_url));
            let agent = if self.name_alone {
                Agent::new(token)
            } else {
                Agent::known(token)
            };
            robots.rules(agent, dialect)
        });
        if !state.is_known() {
            return Err(no_response());
        }
        Ok(Verdicts {
            profile,
            dialect: *dialect,
            state,
        })
    }
}
