//! The robots.txt of the sites of URLs, which are asked for at once.

use crate::problem::{Problem, ProblemKind};
use crate::site;
use crate::state::Held;
use futures_util::stream::{self, StreamExt};
use robots_crawl::known::Known;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of sites whose robots.txt a question waits for at once.
const SITES_AT_ONCE: usize = 64;

/// What is known about the robots.txt of the sites of URLs.
pub(super) struct Sites {
    /// Each origin, with what is known.
    known: Vec<(Origin, Arc<Known>)>,
    /// The place of the origin of each URL.
    of_urls: Vec<usize>,
    bytes: usize,
}

impl Sites {
    /// Returns what is known about the robots.txt of the sites of URLs: up to `limits.body-bytes`.
    pub(super) async fn of(urls: &[String], held: &mut Held) -> Result<Self, Problem> {
        let mut origins: Vec<Origin> = Vec::new();
        let mut places: HashMap<Origin, usize> = HashMap::new();
        let mut of_urls: Vec<usize> = Vec::with_capacity(urls.len());
        for url in urls {
            let place = places.entry(origin(url)?).or_insert_with_key(|origin| {
                origins.push(origin.clone());
                origins.len() - 1
            });
            of_urls.push(*place);
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
            bytes += robots.body_len().unwrap_or(0);
            known.push((origin, robots));
            // They may not be among the known ones any more while they are read. One file is short enough for any question.
            if known.len() > 1 {
                if bytes > limit.0 {
                    let detail = format!(
                        "the robots.txt files of the sites have more than {limit}: ask about fewer at once"
                    );
                    let problem = Problem::new(ProblemKind::AnswerTooLarge, detail);
                    return Err(problem.with_limit("limits.body-bytes", limit));
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

    /// Returns the number of bytes of all files.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the origin of each URL, and what is known about its robots.txt.
    pub(super) fn of_urls(&self) -> impl Iterator<Item = (&Origin, &Known)> {
        self.of_urls.iter().map(|place| {
            let (origin, known) = &self.known[*place];
            (origin, &**known)
        })
    }
}

fn origin(url: &str) -> Result<Origin, Problem> {
    Origin::of(url).map_err(|_| {
        Problem::invalid(format!(
            "\"fetch\": expected URLs with http or https, not {url:?}"
        ))
    })
}
