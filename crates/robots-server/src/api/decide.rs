//! `/v1/decide`: the decisions about a page.

use super::body::JsonBody;
use super::question::{PageQuestion, PreparedQuestion, Requests, policies};
use super::value::{Charset, Content, HeaderPair, Word, headers, status, words};
use crate::policies::{BuiltInProfile, PageReading};
use crate::problem::Problem;
use crate::state::Held;
use crate::work::{Answer, Cancelled, work};
use robots_answers::AgentName;
use robots_meta::Timestamp;
use serde::Deserialize;
use utoipa::ToSchema;

/// A question about a page.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DecideQuestion {
    /// The URL of the page.
    url: String,
    /// The page: a string, which is read as UTF-8, or `{"base64": "..."}`, which is read in its own encoding.
    html: Option<Content>,
    /// The header lines of the response: pairs of name and value.
    #[serde(default, deserialize_with = "headers")]
    #[schema(value_type = Vec<HeaderPair>)]
    headers: Vec<(String, String)>,
    /// The status of the response.
    #[serde(default, deserialize_with = "status")]
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// The encoding of a page in base64, in place of the one in Content-Type. A string is UTF-8 anyway.
    #[schema(value_type = Option<String>)]
    charset: Option<Word<Charset>>,
    /// The robots.txt of the site: a string, or `{"base64": "..."}`.
    robots_txt: Option<Content>,
    /// The status of the response to the request for robots.txt, if there is no file.
    #[serde(default, deserialize_with = "status")]
    #[schema(minimum = 100, maximum = 999)]
    robots_status: Option<u16>,
    /// Take robots.txt from the site, requested if it is not known or stale. If only the URL is given, request the page, too, as
    /// far as the site's robots.txt allows it to this service. In bulk, pages are not requested.
    #[serde(default)]
    fetch: bool,
    /// Robots: product tokens or User-Agent headers. The default is the first robot of each profile.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    agents: Vec<Word<AgentName>>,
    /// Built-in profiles. By default, a known robot has that of its operator, and any other `neutral`.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    profiles: Vec<Word<BuiltInProfile>>,
    /// Read the page like a browser that runs scripts: skip NOSCRIPT.
    #[serde(default)]
    scripting: bool,
    /// Decide as of this time. The default is the present.
    #[schema(value_type = Option<String>)]
    now: Option<Word<Timestamp>>,
    /// Whether decisions have reasons and warnings.
    #[serde(default = "explained")]
    explain: bool,
}

fn explained() -> bool {
    true
}

impl DecideQuestion {
    /// Checks the question, and makes its requests. `requests` are those that a question with `fetch` allows.
    pub(super) async fn prepare(
        self,
        requests: Requests,
        held: &mut Held,
    ) -> Result<PreparedQuestion, Problem> {
        let reading = PageReading {
            has_scripting: self.scripting,
            is_explained: self.explain,
        };
        let policies = policies(&held.state, &self.agents, self.profiles, reading)?;
        let question = PageQuestion {
            url: self.url,
            html: self.html,
            headers: self.headers,
            status: self.status,
            charset: self.charset,
            robots_txt: self.robots_txt,
            robots_status: self.robots_status,
            requests: if self.fetch { requests } else { Requests::None },
            now: self.now,
        };
        question.prepare(policies, held).await
    }
}

impl PreparedQuestion {
    /// Returns the decision of each robot.
    pub(super) fn decisions(&self, held: Held, cancelled: &Cancelled) -> Result<Answer, Problem> {
        let mut answer = Answer::array(held);
        let page = self.evidence.page(self.now);
        for (policy, robots) in self.states() {
            cancelled.check()?;
            answer.push(&policy.decide_under(&robots, &page))?;
        }
        Ok(answer.end())
    }
}

/// What may robots do with a page?
///
/// The objects of `robots decide --json` without the keys of archives, as an array: one for each profile and robot.
#[utoipa::path(
    post,
    path = "/v1/decide",
    tag = "decisions",
    request_body = DecideQuestion,
    responses((status = 200, description = "The decisions", body = Vec<Value>))
)]
pub(super) async fn decide(body: JsonBody<DecideQuestion>) -> Result<Answer, Problem> {
    let mut held = body.held;
    let prepared = body.value.prepare(Requests::Page, &mut held).await?;
    let (bytes, cost) = (prepared.bytes, prepared.cost);
    work(&held.clone(), bytes, cost, move |cancelled| {
        prepared.decisions(held, cancelled)
    })
    .await
}
