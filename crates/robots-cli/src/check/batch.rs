//! `robots check --batch`: answers to many questions about many robots.txt files, in order.

use super::policy_of;
use crate::observer::{INCOMPLETE, NOT_HTTP, WarningPrinter, is_shown};
use crate::terminal::counted;
use anyhow::{Context, Result, bail};
use robots_archive::Record;
use robots_archive::http::Response;
use robots_pipeline::input;
use robots_pipeline::json::write_line;
use robots_pipeline::robots::fault::RequestFault;
use robots_pipeline::robots_url::is_robots;
use robots_policy::RobotsFetch;
use robots_policy::robots::RobotsResponse;
use robots_policy::site::RobotsState;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The maximum length of a question, in bytes: 1 MiB. A longer one has no answer, and is not repeated.
const MAX_QUESTION_BYTES: usize = 1024 * 1024;

/// Answers each row, and reports the number of rows without an answer.
pub(crate) fn run(questions: &Path, archives: &[PathBuf], dialect: &Dialect) -> Result<ExitCode> {
    let mut outcomes = HashMap::new();
    for archive in archives {
        collect(archive, body_limit(dialect), &mut outcomes)?;
    }
    let mut batch = Batch {
        outcomes,
        dialect: *dialect,
        last: None,
    };
    let mut any_answered = false;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut unanswered = 0_u64;
    let mut lines = input::lines::open(questions)?;
    for number in 1_u64.. {
        let line = input::lines::read_line(&mut lines, MAX_QUESTION_BYTES);
        let line = line.with_context(|| format!("cannot read {}", questions.display()))?;
        let Some(line) = line else { break };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = match batch.answer(&line) {
            Ok(row) => {
                any_answered = true;
                row
            }
            Err((mut row, error)) => {
                unanswered = unanswered.saturating_add(1);
                let error = format!("line {number}: {error}");
                message!("error: {}: {error}", questions.display());
                row.insert("allowed".to_owned(), Value::Null);
                row.insert("line".to_owned(), Value::Null);
                row.insert("error".to_owned(), Value::String(error));
                row
            }
        };
        write_line(&mut out, &row)?;
    }
    out.flush()?;
    if unanswered > 0 {
        message!("{} without an answer", counted(unanswered, "question"));
    }
    Ok(if unanswered > 0 && !any_answered {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
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
            content_type: response.header("content-type").next().map(str::to_owned),
            body: body.get(..body_limit).unwrap_or(body).to_vec(),
        }
    }

    /// Returns the response as a policy learns it.
    fn as_fetch(&self) -> RobotsFetch<'_> {
        let content_type = self.content_type.as_deref().unwrap_or_default();
        let response = RobotsResponse::new(self.status, &self.body);
        RobotsFetch::Response(response.with_content_type(content_type))
    }
}

/// Returns the number of bytes of a robots.txt to keep for a dialect: its limit, and one byte that shows that there
/// was more.
fn body_limit(dialect: &Dialect) -> usize {
    dialect
        .size_limit()
        .map_or(usize::MAX, |limit| limit.saturating_add(1))
}

/// The outcome of a request for a robots.txt.
enum RequestOutcome {
    Response(KeptResponse),
    Fault,
    Redirect,
    /// The body cannot be decoded.
    Unread,
}

/// Collects the outcomes of the requests for robots.txt in an archive, by URL. The last of several is kept.
fn collect(
    archive: &Path,
    body_limit: usize,
    outcomes: &mut HashMap<String, RequestOutcome>,
) -> Result<()> {
    let name = archive.display().to_string();
    let file = input::open_file(archive)?;
    let is_archive = input::visit_records(&name, &file, &WarningPrinter, &mut |record| {
        let url = record.url.as_deref().filter(|url| is_robots(url));
        if let Some(url) = url
            && let Some(outcome) = outcome_of(&name, url, &record, body_limit)
        {
            outcomes.insert(url.to_owned(), outcome);
        }
        anyhow::Ok(())
    })?;
    if !is_archive {
        bail!("{name}: neither a WARC nor an ARC file (plain or gzip)");
    }
    Ok(())
}

/// Returns the outcome of the request for this URL, if the record has one.
fn outcome_of(name: &str, url: &str, record: &Record, body_limit: usize) -> Option<RequestOutcome> {
    if RequestFault::of(record).is_some() {
        return Some(RequestOutcome::Fault);
    }
    if record.kind != "response" {
        return None;
    }
    let at = record.offset;
    let Ok(response) = Response::parse(&record.block) else {
        if is_shown(NOT_HTTP) {
            message!("warning: {name}: at byte {at}: {url}: not an HTTP response");
        }
        return None;
    };
    let is_success = (200..=299).contains(&response.status());
    if is_success && (record.cut.is_some() || response.is_cut()) && is_shown(INCOMPLETE) {
        message!("warning: {name}: at byte {at}: {url}: incomplete");
    }
    match response.status() {
        304 => None,
        200..=299 if response.is_unread() => Some(RequestOutcome::Unread),
        301 | 302 | 303 | 307 | 308 => Some(RequestOutcome::Redirect),
        _ => Some(RequestOutcome::Response(KeptResponse::new(
            &response, body_limit,
        ))),
    }
}

/// The verdicts of a robots.txt for a robot.
enum Verdicts {
    Rules(Rules),
    All { is_allowed: bool },
}

/// The outcomes of the archives, and the dialect.
struct Batch {
    outcomes: HashMap<String, RequestOutcome>,
    dialect: Dialect,
    /// The robots.txt URL and agent of the last question, with their rules: successive questions often share them.
    last: Option<(String, String, Verdicts)>,
}

/// A row of the user, which the output repeats with an answer.
type Row = Map<String, Value>;

impl Batch {
    /// Returns a row with its answer; the error is a row with the reason.
    fn answer(&mut self, line: &[u8]) -> Result<Row, (Row, String)> {
        if line.len() > MAX_QUESTION_BYTES {
            return Err((Row::new(), "longer than 1 MiB".to_owned()));
        }
        let mut row: Row = serde_json::from_slice(line).map_err(|error| {
            let mut row = Row::new();
            let text = String::from_utf8_lossy(line).into_owned();
            row.insert("row".to_owned(), Value::String(text));
            (row, format!("not a JSON object: {error}"))
        })?;
        match self.verdict(&row) {
            Ok((allowed, line)) => {
                row.insert("allowed".to_owned(), Value::Bool(allowed));
                row.insert("line".to_owned(), Value::from(line));
                Ok(row)
            }
            Err(error) => Err((row, error)),
        }
    }

    fn verdict(&mut self, row: &Row) -> Result<(bool, usize), String> {
        let field = |name: &str| {
            row.get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| format!("expected a string in \"{name}\""))
        };
        let (url, agent, target) = (field("robots")?, field("agent")?, field("url")?);
        let robots = match self.last.take() {
            Some((last, last_agent, robots)) if last == url && last_agent == agent => robots,
            _ => self.robots(url, agent)?,
        };
        let verdict = match &robots {
            Verdicts::Rules(rules) => {
                let verdict = rules.verdict(&Target::new(target));
                (verdict.is_allowed(), verdict.line().unwrap_or(0))
            }
            Verdicts::All { is_allowed } => (*is_allowed, 0),
        };
        self.last = Some((url.to_owned(), agent.to_owned(), robots));
        Ok(verdict)
    }

    /// Returns the verdicts of a robots.txt of the archives for a robot.
    fn robots(&self, url: &str, agent: &str) -> Result<Verdicts, String> {
        let (fetch, body) = match self.outcomes.get(url) {
            None => return Err(format!("no response for {url} in the archives")),
            Some(RequestOutcome::Unread) => {
                return Err(format!("cannot read the response for {url}"));
            }
            Some(RequestOutcome::Redirect) => {
                return Err(format!("{url} redirects: use the URL of its target"));
            }
            Some(RequestOutcome::Response(response)) => (response.as_fetch(), &*response.body),
            Some(RequestOutcome::Fault) => (RobotsFetch::Unreachable, &[][..]),
        };
        let agent = Agent::new(agent.to_owned());
        match policy_of(agent.clone(), self.dialect).robots(fetch) {
            RobotsState::Rules(_) if self.dialect.depends_on_url() => {
                let robots = RobotsTxt::parse(body).with_url(url);
                Ok(Verdicts::Rules(robots.rules(&agent, &self.dialect)))
            }
            RobotsState::Rules(rules) => Ok(Verdicts::Rules(rules.rules().clone())),
            RobotsState::AllowAll(_) => Ok(Verdicts::All { is_allowed: true }),
            RobotsState::DenyAll(_) => Ok(Verdicts::All { is_allowed: false }),
            _ => Err(format!("no outcome for {url}")),
        }
    }
}
