//! The verdicts on URLs by the robots.txt of their sites.

use super::check_robots;
use crate::problem::{Problem, ProblemKind};
use crate::site::{self, fault_name, fault_text};
use crate::state::{AppState, Held};
use crate::work::{Answer, Cancelled};
use futures_util::stream::{self, StreamExt};
use robots_answers::check::{
    CheckedFile, CheckedRobots, Reading, url_error_answer, url_verdict_answer, web_origin,
};
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_policy::Profile;
use robots_policy::origins::{Origin, requested_target};
use robots_txt::RobotsTxt;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// The number of sites whose robots.txt a question waits for at once.
const SITES_AT_ONCE: usize = 64;

/// What is known about the robots.txt of the sites of URLs.
pub(super) struct Sites {
    /// Each origin, with what is known.
    known: Vec<(Origin, Arc<Known>)>,
    /// The place of the origin of each URL, or the reason why it has none.
    of_urls: Vec<Result<usize, String>>,
    /// The number of bytes of all files.
    pub(super) bytes: usize,
}

impl Sites {
    /// Returns what is known about the robots.txt of the sites of URLs: up to `limits.body-bytes`. Fails if no URL has an origin.
    pub(super) async fn of(urls: &[String], held: &mut Held) -> Result<Self, Problem> {
        let mut origins: Vec<Origin> = Vec::new();
        let mut places: HashMap<Origin, usize> = HashMap::new();
        let mut of_urls = Vec::with_capacity(urls.len());
        for url in urls {
            of_urls.push(origin(url).map(|origin| {
                let place = places.entry(origin).or_insert_with_key(|origin| {
                    origins.push(origin.clone());
                    origins.len() - 1
                });
                *place
            }));
        }
        if origins.is_empty()
            && let Some(Err(error)) = of_urls.first()
        {
            return Err(Problem::invalid(format!("\"fetch\": {error}")));
        }
        let (state, client) = (held.state.clone(), held.client);
        let mut found = stream::iter(origins)
            .map(|origin| {
                let state = state.clone();
                async move {
                    let known = site::robots(&state, &origin, client).await;
                    known.map(|known| (origin, known))
                }
            })
            .buffered(SITES_AT_ONCE);
        let limit = state.config.limits.body_bytes;
        let (mut known, mut bytes) = (Vec::with_capacity(places.len()), 0);
        while let Some(site) = found.next().await {
            let (origin, robots) = site?;
            bytes += robots.body().unwrap_or_default().len();
            known.push((origin, robots));
            // They may not be among the known ones any more while they are read. One file is short enough for any question.
            if known.len() > 1 {
                if bytes > limit.0 {
                    let detail = format!(
                        "the robots.txt files of the sites have more than {limit}: ask about fewer at once"
                    );
                    let kind = ProblemKind::AnswerTooLarge;
                    return Err(Problem::over(kind, "limits.body-bytes", limit, detail));
                }
                held.take_for(bytes)?;
            }
        }
        Ok(Self {
            known,
            of_urls,
            bytes,
        })
    }
}

fn origin(url: &str) -> Result<Origin, String> {
    web_origin(url).ok_or_else(|| format!("expected URLs with http or https, not {url:?}"))
}

/// A question about URLs by the robots.txt of their sites.
pub(super) struct SiteQuestion<'q> {
    pub(super) asked: &'q CheckedRobots<'static>,
    pub(super) readings: &'q [Reading],
    pub(super) now: Timestamp,
    pub(super) state: &'q AppState,
}

impl<'q> SiteQuestion<'q> {
    /// Writes the verdicts on URLs. Each file is compiled once.
    pub(super) fn answer(
        &self,
        urls: &[String],
        sites: &Sites,
        held: Held,
        cancelled: &Cancelled,
    ) -> Result<Answer, Problem> {
        let mut answer = Answer::array(held);
        let mut checked: HashMap<usize, CheckedFile<'_>> = HashMap::new();
        for (url, place) in urls.iter().zip(&sites.of_urls) {
            cancelled.check()?;
            let place = match place {
                Ok(place) => place,
                Err(error) => {
                    answer.push(&url_error_answer(Some(url), error))?;
                    continue;
                }
            };
            let (origin, known) = &sites.known[*place];
            let site = match checked.entry(*place) {
                Entry::Occupied(site) => site.into_mut(),
                Entry::Vacant(empty) => empty.insert(self.site(origin, known)?),
            };
            // It was parsed for its origin: it is valid.
            let target = requested_target(url);
            for verdict in site.verdicts(&target, || cancelled.check())? {
                cancelled.check()?;
                answer.push(&url_verdict_answer(url, &verdict, &target))?;
            }
        }
        Ok(answer.end())
    }

    fn site(&self, origin: &Origin, known: &Known) -> Result<CheckedFile<'q>, Problem> {
        let body = known.body().unwrap_or_default();
        let file = RobotsTxt::parse(body).with_url(&origin.robots_url());
        check_robots(self.asked, &file, self.readings, self.state)?;
        let file = CheckedFile::new(file, self.asked.clone(), self.readings);
        let fault = known.fault();
        let fault = fault.map(|fault| (fault_name(fault), fault_text(fault)));
        let state = |profile: &Profile| known.outcome_state(profile.outcomes(), self.now);
        Ok(file.with_outcome(state, fault))
    }
}
