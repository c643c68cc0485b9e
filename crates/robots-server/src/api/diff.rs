//! `/v1/diff`: the decisions that change between two robots.txt files.

use super::body::JsonBody;
use super::value::{Content, Word, words};
use crate::problem::Problem;
use crate::work::{Answer, limited, work};
use robots_answers::AgentName;
use robots_answers::check::Reading;
use robots_answers::diff::{compared_robots, diffs};
use robots_answers::named_robots::MAX_ROBOTS;
use robots_policy::profile::AgentTable;
use robots_txt::{Agent, Dialect, RobotsTxt};
use serde::Deserialize;
use utoipa::ToSchema;

/// A question about two robots.txt files.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiffQuestion {
    /// The old file: a string, or `{"base64": "..."}`.
    old: Content,
    /// The new file.
    new: Content,
    /// Robots: product tokens or User-Agent headers. The default is `*`, the robots that a file names, and known robots
    /// that obey a group of another name or do not obey `*`.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    agents: Vec<Word<AgentName>>,
    /// The dialect. By default, the files are read for each robot as its operator does.
    #[schema(value_type = Option<String>)]
    dialect: Option<Word<Dialect>>,
}

/// What changes between two robots.txt files?
///
/// The objects of `robots diff --json` as an array: one for each robot with changes.
#[utoipa::path(
    post,
    path = "/v1/diff",
    tag = "decisions",
    request_body = DiffQuestion,
    responses((status = 200, description = "The changes", body = Vec<Value>))
)]
pub(super) async fn diff(body: JsonBody<DiffQuestion>) -> Result<Answer, Problem> {
    let (question, held) = (body.value, body.held);
    // A comparison takes more time and memory than its bytes suggest.
    work(&held.clone(), usize::MAX, usize::MAX, move |cancelled| {
        let table = AgentTable::built_in();
        let dialect = question.dialect.map(|word| word.0);
        let limited_robots = |number: usize| {
            let limit = held.state.config.limits.checked_robots;
            limited(number, "robots", "limits.checked-robots", limit)
        };
        limited_robots(question.agents.len())?;
        let files = [&question.old, &question.new].map(|file| RobotsTxt::parse(file.as_bytes()));
        let agents: Vec<Agent<'static>> = if question.agents.is_empty() {
            let robots = compared_robots(&files, table, dialect.as_ref());
            if robots.is_cut {
                return Err(too_many_robots());
            }
            limited_robots(robots.names.len())?;
            let names = robots.names.iter();
            names.map(|name| table.agent(name)).collect()
        } else {
            let names = question.agents.iter();
            names.map(|name| table.agent(&name.0.token)).collect()
        };
        cancelled.check()?;
        let mut answer = Answer::array(held);
        let reading = dialect.map(Reading::from);
        for diff in diffs(&files, &agents, reading.as_ref()) {
            cancelled.check()?;
            if diff.is_reported() {
                answer.push(&diff.answer())?;
            }
        }
        Ok(answer.end())
    })
    .await
}

/// Returns the problem of more robots than are considered: an answer about some of them could be taken for all.
pub(super) fn too_many_robots() -> Problem {
    let detail = format!(
        "there are more than {MAX_ROBOTS} robots, named in robots.txt or known: name those to answer for in \"agents\""
    );
    Problem::invalid(detail)
}
