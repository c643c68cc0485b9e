//! `/v1/check`: whether a robots.txt allows URLs.

mod sites;

use super::body::JsonBody;
use super::diff::too_many_robots;
use super::question::time;
use super::value::{Content, Word, urls, values, words};
use crate::policies::BuiltInProfile;
use crate::problem::Problem;
use crate::state::{AppState, Held};
use crate::work::{Answer, Cancelled, limited, matching_cost, work};
use robots_answers::AgentName;
use robots_answers::check::{
    CheckedFile, CheckedRobots, Reading, divergence_answers, restriction_answers, target_of,
    url_error_answer, url_verdict_answer,
};
use robots_meta::Timestamp;
use robots_pipeline::text::with_causes;
use robots_policy::profile::AgentTable;
use robots_txt::{Dialect, RobotsTxt};
use serde::Deserialize;
use sites::{SiteQuestion, Sites};
use utoipa::ToSchema;

/// A question about URLs.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "one for each key")]
pub(super) struct CheckQuestion {
    /// URLs, or paths that begin with /. Without them, `all_agents` or `all_dialects` asks about every path.
    #[serde(default, deserialize_with = "urls")]
    urls: Vec<String>,
    /// The robots.txt: a string, or `{"base64": "..."}`.
    robots_txt: Option<Content>,
    /// Take the robots.txt of the site of each URL, requested if it is not known or stale.
    #[serde(default)]
    fetch: bool,
    /// Decide as of this time by the robots.txt of sites. The default is the present.
    #[schema(value_type = Option<String>)]
    now: Option<Word<Timestamp>>,
    /// Robots: product tokens or User-Agent headers. The default is the first robot of each profile, or `*`.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    agents: Vec<Word<AgentName>>,
    /// Answer for all known robots and all that the file names.
    #[serde(default)]
    all_agents: bool,
    /// Apply only groups of the robot's own name, or else of `*`.
    #[serde(default)]
    name_alone: bool,
    /// Dialects. Without dialects and profiles, the file is read for each robot as its operator does.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    dialects: Vec<Word<Dialect>>,
    /// Read the file under every dialect.
    #[serde(default)]
    all_dialects: bool,
    /// Built-in profiles.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    profiles: Vec<Word<BuiltInProfile>>,
}

/// May robots fetch URLs?
///
/// The objects of `robots check --json` as an array: one for each URL, robot, and dialect or profile, with the line that
/// decides and the other rules that match. A URL that cannot be read has one object, with `error`. Without URLs, those of
/// `--all-agents` (how much is disallowed to each robot), or of `--all-dialects` (the paths on which dialects differ).
#[utoipa::path(
    post,
    path = "/v1/check",
    tag = "decisions",
    request_body = CheckQuestion,
    responses((status = 200, description = "The verdicts", body = Vec<Value>))
)]
pub(super) async fn check(body: JsonBody<CheckQuestion>) -> Result<Answer, Problem> {
    let (question, mut held) = (body.value, body.held);
    question.check_limits(&held.state)?;
    let known = if question.fetch {
        question.check_fetch()?;
        Some(Sites::of(&question.urls, &mut held).await?)
    } else {
        None
    };
    let cost = question.cost(known.as_ref());
    let bytes = if question.urls.is_empty() {
        usize::MAX
    } else {
        body.length + known.as_ref().map_or(0, |sites| sites.bytes)
    };
    work(&held.clone(), bytes, cost, move |cancelled| {
        question.answer(held, known.as_ref(), cancelled)
    })
    .await
}

impl CheckQuestion {
    /// Checks the numbers of URLs and robots that the question names, before anything is done for each of them.
    fn check_limits(&self, state: &AppState) -> Result<(), Problem> {
        limited(
            self.urls.len(),
            "URLs",
            "limits.urls",
            state.config.limits.urls,
        )?;
        let agents = self.agents.len().max(1);
        limited_robots(self.readings() * agents, state)
    }

    /// Checks that a question by the robots.txt of sites has URLs, and no other robots.txt.
    fn check_fetch(&self) -> Result<(), Problem> {
        if self.robots_txt.is_some() {
            return Err(Problem::invalid(
                "\"fetch\": not together with \"robots_txt\"",
            ));
        }
        if self.urls.is_empty() {
            return Err(Problem::invalid("\"fetch\": expected \"urls\""));
        }
        Ok(())
    }

    /// Returns the number of dialects and profiles.
    fn readings(&self) -> usize {
        if self.all_dialects {
            return Dialect::ALL.len();
        }
        (self.dialects.len() + self.profiles.len()).max(1)
    }

    /// Returns the approximate cost of the answer.
    fn cost(&self, known: Option<&Sites>) -> usize {
        // Searches, and comparisons that compile a file again.
        if self.all_agents || self.readings() > 1 || self.urls.is_empty() {
            return usize::MAX;
        }
        let given = self.robots_txt.as_ref();
        let given = given.map_or(0, |file| file.as_bytes().len());
        // Each file is read for the URLs of its site, which are in any order.
        let bytes = given + known.map_or(0, |sites| sites.bytes);
        let urls = self.urls.iter();
        let matching: usize = urls.map(|url| matching_cost(bytes, url.len())).sum();
        bytes + matching * self.agents.len().max(1)
    }

    fn answer(
        self,
        held: Held,
        known: Option<&Sites>,
        cancelled: &Cancelled,
    ) -> Result<Answer, Problem> {
        let state = &held.state.clone();
        let readings = readings(self.all_dialects, self.dialects, self.profiles)?;
        if self.all_agents && !self.agents.is_empty() {
            return Err(Problem::invalid(
                "\"all_agents\": not together with \"agents\"",
            ));
        }
        let names: Vec<String> = self.agents.into_iter().map(|agent| agent.0.token).collect();
        let asked = CheckedRobots::new(AgentTable::built_in())
            .with_names(names.clone())
            .with_all(self.all_agents)
            .with_name_alone(self.name_alone);
        if let Some(known) = known {
            let question = SiteQuestion {
                asked: &asked,
                readings: &readings,
                now: time(self.now),
                state,
            };
            return question.answer(&self.urls, known, held, cancelled);
        }
        let Some(file) = &self.robots_txt else {
            return Err(Problem::invalid("expected \"robots_txt\" or \"fetch\""));
        };
        let file = RobotsTxt::parse(file.as_bytes());
        check_robots(&asked, &file, &readings, state)?;
        let mut answer = Answer::array(held);
        if !self.urls.is_empty() {
            let mut checked = CheckedFile::new(file, asked, &readings);
            let targets: Vec<_> = self.urls.iter().map(|url| target_of(url)).collect();
            if targets.iter().all(Result::is_err)
                && let Some(Err(error)) = targets.first()
            {
                return Err(Problem::invalid(with_causes(error)));
            }
            for (url, target) in self.urls.iter().zip(targets) {
                cancelled.check()?;
                let target = match target {
                    Ok(target) => target,
                    Err(error) => {
                        answer.push(&url_error_answer(Some(url), &with_causes(&error)))?;
                        continue;
                    }
                };
                checked.set_site_of(url);
                for verdict in checked.verdicts(&target, || cancelled.check())? {
                    cancelled.check()?;
                    answer.push(&url_verdict_answer(url, &verdict, &target))?;
                }
            }
            return Ok(answer.end());
        }
        match (self.all_agents, self.all_dialects) {
            (true, false) => {
                let checked = CheckedFile::new(file, asked, &readings);
                for restriction in restriction_answers(checked.rules(), || cancelled.check())? {
                    answer.push(&restriction)?;
                }
            }
            (false, true) => {
                let dialects: Vec<Dialect> =
                    readings.iter().map(|reading| reading.dialect).collect();
                let names = if names.is_empty() {
                    vec!["*".to_owned()]
                } else {
                    names
                };
                for name in &names {
                    cancelled.check()?;
                    let divergences = file.divergence(asked.agent(name, None), &dialects);
                    for divergence in divergence_answers(name, &readings, &divergences) {
                        answer.push(&divergence)?;
                    }
                }
            }
            _ => {
                return Err(Problem::invalid(
                    "expected \"urls\", or one of \"all_agents\" and \"all_dialects\"",
                ));
            }
        }
        Ok(answer.end())
    }
}

/// Returns a problem unless the number of robots is up to its limit.
fn limited_robots(number: usize, state: &AppState) -> Result<(), Problem> {
    limited(
        number,
        "robots under dialects and profiles",
        "limits.checked-robots",
        state.config.limits.checked_robots,
    )
}

/// Checks the number of robots in a file, before their rules are compiled.
fn check_robots(
    asked: &CheckedRobots<'_>,
    file: &RobotsTxt,
    readings: &[Reading],
    state: &AppState,
) -> Result<(), Problem> {
    let (number, is_cut) = asked.number_in(file, readings);
    if is_cut {
        return Err(too_many_robots());
    }
    limited_robots(number, state)
}

/// Returns the dialects, and then the profiles of a question.
fn readings(
    all_dialects: bool,
    dialects: Vec<Word<Dialect>>,
    profiles: Vec<Word<BuiltInProfile>>,
) -> Result<Vec<Reading>, Problem> {
    let (mut dialects, profiles) = (values(dialects), values(profiles));
    if all_dialects {
        if !dialects.is_empty() || !profiles.is_empty() {
            return Err(Problem::invalid(
                "\"all_dialects\": not together with \"dialects\" or \"profiles\"",
            ));
        }
        dialects = Dialect::ALL.to_vec();
    }
    let profiles = profiles
        .into_iter()
        .map(|profile| Reading::from(profile.clone()));
    let dialects = dialects.into_iter().map(Reading::from);
    Ok(dialects.chain(profiles).collect())
}
