//! `/v1/why`: what engines may do with a page, and what would change it.

use super::body::JsonBody;
use super::question::{PreparedQuestion, Requests, page_question, policy};
use super::value::{Word, values, words};
use crate::policies::{BuiltInProfile, PageReading};
use crate::problem::Problem;
use crate::state::Held;
use crate::work::{Answer, limited, work};
use robots_answers::AgentName;
use robots_answers::why::evidence::Evidence;
use robots_answers::why::{Answers, Expectation, asked_robots, why_answer};
use robots_policy::{Policy, Profile};
use std::mem;
use std::sync::Arc;

page_question! {
    /// A question about the reasons of decisions.
    struct WhyQuestion {
        /// Take robots.txt from the site, requested if it is not known or stale. If only the URL is given, request the page, too, as
        /// far as the site's robots.txt allows it to this service.
        #[serde(default)]
        fetch: bool,
        /// Robots: product tokens or User-Agent headers. A robot is answered for under the built-in profile that lists it,
        /// unless profiles are named.
        #[serde(default, deserialize_with = "words")]
        #[schema(value_type = Vec<String>)]
        agents: Vec<Word<AgentName>>,
        /// Built-in profiles. The default is those of engines, archives and training.
        #[serde(default, deserialize_with = "words")]
        #[schema(value_type = Vec<String>)]
        profiles: Vec<Word<BuiltInProfile>>,
        /// Expected answers, such as `noindex`.
        #[serde(default, deserialize_with = "words")]
        #[schema(value_type = Vec<String>)]
        expect: Vec<Word<Expectation>>,
    }
}

/// Why may engines do what they may with a page?
///
/// The object of `robots why --json`: the decision for each engine with its reasons, statements that contradict others or
/// have no effect, and what would change an answer.
#[utoipa::path(
    post,
    path = "/v1/why",
    tag = "decisions",
    request_body = WhyQuestion,
    responses((status = 200, description = "The answers", body = Value))
)]
pub(super) async fn why(body: JsonBody<WhyQuestion>) -> Result<Answer, Problem> {
    explained(body, |held, evidence, answers| {
        Answer::of(held, &why_answer(evidence, answers))
    })
    .await
}

/// Answers a question, and returns what `write` makes of its evidence and answers.
pub(super) async fn explained<T: Send + 'static>(
    body: JsonBody<WhyQuestion>,
    write: impl FnOnce(Held, &Evidence, &Answers) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let mut held = body.held;
    let (asked, expected) = body.value.prepare(&mut held).await?;
    // What would change an answer takes more time than the bytes suggest.
    work(&held.clone(), asked.bytes, usize::MAX, move |cancelled| {
        let states = asked.states().take_while(|_| cancelled.check().is_ok());
        let answers = Answers::new(states, &asked.evidence, asked.now, &expected);
        cancelled.check()?;
        write(held, &asked.evidence, &answers)
    })
    .await
}

impl WhyQuestion {
    /// Makes the requests of the question. Returns it with the answers that it expects.
    async fn prepare(
        mut self,
        held: &mut Held,
    ) -> Result<(PreparedQuestion, Vec<Expectation>), Problem> {
        let state = held.state.clone();
        let limited_robots = |number: usize| {
            let limit = state.config.limits.robots;
            limited(number, "robots under profiles", "limits.robots", limit)
        };
        let profiles = self.profiles.len().max(1);
        limited_robots(profiles * self.agents.len().max(1))?;
        let profiles: Vec<Profile> = self
            .profiles
            .iter()
            .map(|profile| profile.0.clone())
            .collect();
        let agents = self.agents.iter().map(|agent| &*agent.0.token);
        let asked = asked_robots(agents, &profiles);
        limited_robots(asked.len())?;
        let reading = PageReading {
            has_scripting: self.scripting,
            is_explained: true,
        };
        let policies: Vec<Arc<Policy>> = asked
            .iter()
            .filter_map(|(agent, profile)| {
                let profile = Profile::of_name(profile.name()).ok()?;
                Some(policy(&state, profile, agent, reading))
            })
            .collect::<Result<_, _>>()?;
        let expected = values(mem::take(&mut self.expect));
        let question = self.page(Requests::Page);
        Ok((question.prepare(policies, held).await?, expected))
    }
}
