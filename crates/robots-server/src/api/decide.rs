//! `/v1/decide`: the decisions about a page.

use super::body::JsonBody;
use super::question::{PreparedQuestion, Requests, page_question, policies};
use super::value::{Word, words};
use crate::policies::{BuiltInProfile, PageReading};
use crate::problem::Problem;
use crate::state::Held;
use crate::work::{Answer, Cancelled, work};
use robots_answers::AgentName;
use std::mem;

page_question! {
    /// A question about a page.
    struct DecideQuestion {
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
        /// Whether decisions have reasons and warnings.
        #[serde(default = "explained")]
        explain: bool,
    }
}

fn explained() -> bool {
    true
}

impl DecideQuestion {
    /// Checks the question, and makes its requests. `requests` are those that a question with `fetch` allows.
    pub(super) async fn prepare(
        mut self,
        requests: Requests,
        held: &mut Held,
    ) -> Result<PreparedQuestion, Problem> {
        let reading = PageReading {
            has_scripting: self.scripting,
            is_explained: self.explain,
        };
        let policies = policies(
            &held.state,
            &self.agents,
            mem::take(&mut self.profiles),
            reading,
        )?;
        self.page(requests).prepare(policies, held).await
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
