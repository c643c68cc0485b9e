//! `/v1/check`: whether a robots.txt allows URLs.

use super::body::JsonBody;
use super::diff::too_many_robots;
use super::question::{policy, time};
use super::value::{Content, Word, urls, values, words};
use super::work::{Answer, Cancelled, limited, matching_cost, work};
use crate::checked_files::{CheckKey, KeptReading};
use crate::limit::held::Held;
use crate::policies::BuiltInProfile;
use crate::problem::{Problem, ProblemKind};
use crate::site::{self, fault_text};
use crate::state::AppState;
use axum::extract::State;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use indexmap::IndexSet;
use robots_answers::AgentName;
use robots_answers::check::{
    CheckedFile, CheckedRobots, OutcomeAnswer, Reading, Restrictions, UrlVerdictAnswer,
    divergence_answers, target_of,
};
use robots_crawl::FetchFault;
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_policy::origins::{Origin, requested_target};
use robots_policy::profile::AgentTable;
use robots_policy::site::RobotsState;
use robots_txt::{Dialect, RobotsTxt};
use serde::Deserialize;
use std::sync::Arc;
use utoipa::ToSchema;

/// The number of sites whose robots.txt a question waits for at once.
const SITES_AT_ONCE: usize = 64;

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
    /// Dialects. The default is `rfc9309`, unless there are profiles.
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
/// decides and the other rules that match. Without URLs, those of `--all-agents` (how much is disallowed to each robot), or
/// of `--all-dialects` (the paths on which dialects differ).
#[utoipa::path(
    post,
    path = "/v1/check",
    tag = "decisions",
    request_body = CheckQuestion,
    responses(
        (status = 200, description = "The verdicts", body = Vec<Value>),
        (status = 422, description = "A key or value is invalid", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn check(
    State(state): State<AppState>,
    body: JsonBody<CheckQuestion>,
) -> Result<Answer, Problem> {
    let (question, mut held) = (body.value, body.held);
    question.check_limits(&state)?;
    let known = if question.fetch {
        Some(question.sites(&state, &mut held).await?)
    } else {
        None
    };
    let cost = question.cost(known.as_ref());
    let queue = state.work_places.of(held.memory.bytes());
    work(queue, held, cost, move |cancelled| {
        question.answer(&state, known.as_ref(), cancelled)
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
        limited_robots(self.readings().saturating_mul(agents), state)
    }

    /// Returns the number of dialects and profiles.
    fn readings(&self) -> usize {
        if self.all_dialects {
            return Dialect::ALL.len();
        }
        let named = self.dialects.len().saturating_add(self.profiles.len());
        named.max(1)
    }

    /// Returns the approximate cost of the answer.
    fn cost(&self, known: Option<&Sites>) -> usize {
        // Searches, and comparisons that compile a file again.
        if self.all_agents || self.readings() > 1 || self.urls.is_empty() {
            return usize::MAX;
        }
        let given = self.robots_txt.as_ref();
        let given = given.map_or(0, |file| file.as_bytes().len());
        let known = known.into_iter().flat_map(|sites| &sites.known);
        let known = known.map(|known| known.body_len().unwrap_or_default());
        // Each file is read for the URLs of its site, which are in any order. The longest may be that of all.
        let (all, longest) = known.fold((given, given), |(all, longest), length| {
            (all.saturating_add(length), longest.max(length))
        });
        let urls = self.urls.iter();
        let matching = urls.map(|url| matching_cost(longest, url.len()));
        let matching = matching.fold(0, usize::saturating_add);
        all.saturating_add(matching.saturating_mul(self.agents.len().max(1)))
    }

    /// Returns what is known about the robots.txt of each site. The memory that is `held` grows with the files.
    async fn sites(&self, state: &AppState, held: &mut Held) -> Result<Sites, Problem> {
        if self.robots_txt.is_some() {
            return Err(invalid("\"fetch\": not together with \"robots_txt\""));
        }
        if self.urls.is_empty() {
            return Err(invalid("\"fetch\": expected \"urls\""));
        }
        let mut origins = IndexSet::new();
        let mut of_urls: Vec<usize> = Vec::with_capacity(self.urls.len());
        for url in &self.urls {
            let origin = origin(url)?;
            let last = of_urls.last().copied();
            let last = last.filter(|last| origins.get_index(*last) == Some(&origin));
            of_urls.push(last.unwrap_or_else(|| origins.insert_full(origin).0));
        }
        let mut known = Vec::with_capacity(origins.len());
        if let (Some(origin), 1) = (origins.first(), origins.len()) {
            known.push(site::robots(state, origin, held).await?);
            return Ok(Sites {
                origins,
                known,
                of_urls,
            });
        }
        let places: Vec<(usize, Origin)> = origins.iter().cloned().enumerate().collect();
        let mut found = stream::iter(places)
            .map(|(place, origin)| {
                let state = state.clone();
                let mut held = held.split(0);
                async move {
                    let known = site::robots(&state, &origin, &mut held).await?;
                    Ok::<_, Problem>((place, known, held.memory))
                }
            })
            .buffer_unordered(SITES_AT_ONCE);
        let mut places = Vec::with_capacity(origins.len());
        let mut memory = state.memory.hold();
        while let Some((place, robots, of_file)) = found.try_next().await? {
            memory.merge(of_file)?;
            places.push((place, robots));
        }
        drop(found);
        held.memory.merge(memory)?;
        places.sort_unstable_by_key(|(place, _)| *place);
        known.extend(places.into_iter().map(|(_, robots)| robots));
        Ok(Sites {
            origins,
            known,
            of_urls,
        })
    }

    fn answer(
        self,
        state: &AppState,
        known: Option<&Sites>,
        cancelled: &Cancelled,
    ) -> Result<Answer, Problem> {
        let readings = Readings::new(self.all_dialects, self.dialects, self.profiles)?;
        if self.all_agents && !self.agents.is_empty() {
            return Err(invalid("\"all_agents\": not together with \"agents\""));
        }
        let names: Vec<String> = self.agents.into_iter().map(|agent| agent.0.token).collect();
        let asked = CheckedRobots::new(AgentTable::built_in())
            .with_names(names.clone())
            .with_all(self.all_agents)
            .with_name_alone(self.name_alone);
        if let Some(known) = known {
            let question = SiteQuestion {
                asked: &asked,
                key: (&names, self.all_agents, self.name_alone),
                readings: &readings,
                now: time(self.now),
                state,
            };
            return question.answer(&self.urls, known, cancelled);
        }
        let readings = readings.all();
        let Some(file) = &self.robots_txt else {
            return Err(invalid("expected \"robots_txt\" or \"fetch\""));
        };
        let file = RobotsTxt::parse(file.as_bytes());
        check_robots(&asked, &file, &readings, state)?;
        let mut answer = Answer::array(state);
        if !self.urls.is_empty() {
            let mut checked = CheckedFile::new(file, asked, readings.iter().copied());
            for url in &self.urls {
                let target = target_of(url).map_err(|error| invalid(with_source(&error)))?;
                cancelled.check()?;
                checked.set_site_of(url);
                for verdict in checked.try_verdicts(&target, || cancelled.check())? {
                    cancelled.check()?;
                    answer.push(&UrlVerdictAnswer::new(url, &verdict, &target))?;
                }
            }
            return Ok(answer.end());
        }
        match (self.all_agents, self.all_dialects) {
            (true, false) => {
                let checked = CheckedFile::new(file, asked, readings.iter().copied());
                let restrictions = Restrictions::try_new(checked.rules(), || cancelled.check())?;
                for restriction in restrictions.answers() {
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
                    for divergence in
                        divergence_answers(name, readings.iter().copied(), &divergences)
                    {
                        answer.push(&divergence)?;
                    }
                }
            }
            _ => {
                return Err(invalid(
                    "expected \"urls\", or one of \"all_agents\" and \"all_dialects\"",
                ));
            }
        }
        Ok(answer.end())
    }
}

/// What is known about the robots.txt of the sites of URLs.
struct Sites {
    origins: IndexSet<Origin>,
    /// That of each origin.
    known: Vec<Arc<Known>>,
    /// The place of the origin of each URL.
    of_urls: Vec<usize>,
}

impl Sites {
    /// Returns the origin of each URL, and what is known about its robots.txt.
    fn of_urls(&self) -> impl Iterator<Item = (&Origin, &Known)> {
        let places = self.of_urls.iter();
        places.filter_map(|place| {
            let origin = self.origins.get_index(*place)?;
            Some((origin, &**self.known.get(*place)?))
        })
    }
}

/// A question about URLs by the robots.txt of their sites.
struct SiteQuestion<'q> {
    asked: &'q CheckedRobots<'static>,
    /// The robots that are named, whether all are meant, and whether each obeys its own name alone.
    key: (&'q [String], bool, bool),
    readings: &'q Readings,
    now: Timestamp,
    state: &'q AppState,
}

/// The robots.txt of the site of the last URL.
struct LastSite<'q> {
    origin: &'q Origin,
    checked: Arc<CheckedFile<'q>>,
    /// The state for each robot under each reading. Whether there are rules depends only on the profile.
    states: Vec<RobotsState>,
}

impl<'q> SiteQuestion<'q> {
    /// Writes the verdicts on URLs.
    fn answer(
        &self,
        urls: &[String],
        sites: &'q Sites,
        cancelled: &Cancelled,
    ) -> Result<Answer, Problem> {
        let mut answer = Answer::array(self.state);
        let mut last: Option<LastSite<'_>> = None;
        for (url, (origin, known)) in urls.iter().zip(sites.of_urls()) {
            let site = match last.take().filter(|last| last.origin == origin) {
                Some(site) => site,
                None => self.site(origin, known)?,
            };
            // It was parsed for its origin: it is valid.
            let target = requested_target(url);
            cancelled.check()?;
            let fault_text = known.fault().map(fault_text);
            let fault = known.fault().map(FetchFault::name);
            let fault = fault.zip(fault_text.as_deref());
            let verdicts = site.checked.try_verdicts(&target, || cancelled.check())?;
            for (verdict, state) in verdicts.iter().zip(&site.states) {
                cancelled.check()?;
                let (reading, agent) = (verdict.rules.reading, &verdict.rules.agent);
                match OutcomeAnswer::new(url, agent.name(), reading, state, fault) {
                    Some(outcome) => answer.push(&outcome)?,
                    None => answer.push(&UrlVerdictAnswer::new(url, verdict, &target))?,
                }
            }
            last = Some(site);
        }
        Ok(answer.end())
    }

    /// Returns a site with its compiled file.
    fn site(&self, origin: &'q Origin, known: &Known) -> Result<LastSite<'q>, Problem> {
        let checked = self.checked(origin, known)?;
        let mut states: Vec<RobotsState> = Vec::with_capacity(checked.rules().len());
        let mut last: Option<&Reading> = None;
        for rules in checked.rules() {
            let is_same = last.is_some_and(|last| std::ptr::eq(last, rules.reading));
            let state = match states.last().filter(|_| is_same) {
                Some(state) => state.clone(),
                None => self.robots_state(known, rules.reading)?,
            };
            states.push(state);
            last = Some(rules.reading);
        }
        Ok(LastSite {
            origin,
            checked,
            states,
        })
    }

    /// Returns the state of a robots.txt under a reading: that of its profile, or else of the neutral one.
    fn robots_state(&self, known: &Known, reading: &Reading) -> Result<RobotsState, Problem> {
        let profile = reading.profile.as_ref();
        let profile = profile.and_then(|profile| BuiltInProfile::named(profile.name()));
        let profile = profile.unwrap_or_else(BuiltInProfile::neutral);
        let policy = policy(self.state, profile, profile.profile().agent(), true)?;
        Ok(known.state(&policy, self.now))
    }

    /// Returns the compiled file of a site, which is kept for other questions about the same robots and readings.
    fn checked(&self, origin: &Origin, known: &Known) -> Result<Arc<CheckedFile<'q>>, Problem> {
        let url = self.readings.depend_on_url().then(|| origin.robots_url());
        let Some(kept) = &self.readings.kept else {
            let readings = self.readings.all();
            return Ok(Arc::new(self.compiled(known, &readings, url.as_deref())?));
        };
        let (names, all_agents, name_alone) = self.key;
        let key = CheckKey {
            file: known.body_digest().unwrap_or_default(),
            url: url.as_deref(),
            names,
            all_agents,
            name_alone,
            readings: kept,
        };
        self.state.checked_files.get(&key, || {
            let readings: Vec<&'static Reading> = kept.iter().map(|kept| kept.reading()).collect();
            self.compiled(known, &readings, url.as_deref())
        })
    }

    /// Compiles the file of a site, which has this URL if a reading depends on it.
    fn compiled<'r>(
        &self,
        known: &Known,
        readings: &[&'r Reading],
        url: Option<&str>,
    ) -> Result<CheckedFile<'r>, Problem> {
        let file = RobotsTxt::parse(known.body().unwrap_or_default());
        check_robots(self.asked, &file, readings, self.state)?;
        let mut checked = CheckedFile::new(file, self.asked.clone(), readings.iter().copied());
        if let Some(url) = url {
            checked.set_site_of(url);
        }
        Ok(checked)
    }
}

fn origin(url: &str) -> Result<Origin, Problem> {
    Origin::of(url).map_err(|_| {
        invalid(format!(
            "\"fetch\": expected URLs with http or https, not {url:?}"
        ))
    })
}

/// The readings of a question.
struct Readings {
    /// If files are kept under each of them, all.
    kept: Option<Vec<KeptReading>>,
    /// All otherwise.
    others: Vec<Reading>,
}

impl Readings {
    fn new(
        all_dialects: bool,
        dialects: Vec<Word<Dialect>>,
        profiles: Vec<Word<BuiltInProfile>>,
    ) -> Result<Self, Problem> {
        let (mut dialects, profiles) = (values(dialects), values(profiles));
        if all_dialects {
            if !dialects.is_empty() || !profiles.is_empty() {
                return Err(invalid(
                    "\"all_dialects\": not together with \"dialects\" or \"profiles\"",
                ));
            }
            dialects = Dialect::ALL.to_vec();
        }
        if dialects.is_empty() && profiles.is_empty() {
            dialects.push(Dialect::RFC9309);
        }
        let kept = dialects.iter().map(KeptReading::of_dialect);
        let kept = kept.chain(profiles.iter().copied().map(KeptReading::of_profile));
        let kept: Option<Vec<KeptReading>> = kept.collect();
        let mut others = Vec::new();
        if kept.is_none() {
            others.extend(dialects.into_iter().map(Reading::from));
            let profiles = profiles.into_iter();
            others.extend(profiles.map(|profile| Reading::from(profile.profile().clone())));
        }
        Ok(Self { kept, others })
    }

    /// Returns all readings: dialects, and then profiles, in the order of the question.
    fn all(&self) -> Vec<&Reading> {
        match &self.kept {
            Some(kept) => kept.iter().map(|kept| kept.reading()).collect(),
            None => self.others.iter().collect(),
        }
    }

    /// Returns whether patterns are resolved against the URL of the file under any of them.
    fn depend_on_url(&self) -> bool {
        let mut all = self.all().into_iter();
        all.any(|reading| reading.dialect.depends_on_url())
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
    readings: &[&Reading],
    state: &AppState,
) -> Result<(), Problem> {
    let (number, is_cut) = asked.number_in(file, readings);
    if is_cut {
        return Err(too_many_robots());
    }
    limited_robots(number, state)
}

fn invalid(detail: impl Into<String>) -> Problem {
    Problem::new(ProblemKind::InvalidValue, detail)
}

/// Returns an error and its cause in one line.
fn with_source(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
