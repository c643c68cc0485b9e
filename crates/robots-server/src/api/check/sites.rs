//! The robots.txt of the sites of URLs, which are asked for at once.

use super::invalid;
use crate::limit::held::Held;
use crate::problem::Problem;
use crate::site;
use crate::state::AppState;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use robots_crawl::known::Known;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::sync::Arc;

/// The number of sites whose robots.txt a question waits for at once.
const SITES_AT_ONCE: usize = 64;

/// What is known about the robots.txt of the sites of URLs.
pub(super) struct Sites {
    origins: Vec<Origin>,
    /// That of each origin.
    pub(super) known: Vec<Arc<Known>>,
    /// The place of the origin of each URL.
    of_urls: Vec<usize>,
}

impl Sites {
    /// Returns what is known about the robots.txt of the sites of URLs. The memory that is `held` grows with the files.
    pub(super) async fn of(
        urls: &[String],
        state: &AppState,
        held: &mut Held,
    ) -> Result<Self, Problem> {
        let mut origins: Vec<Origin> = Vec::new();
        // Nothing is hashed for one site, which most questions are about.
        let mut places: HashMap<Origin, usize> = HashMap::new();
        let mut of_urls: Vec<usize> = Vec::with_capacity(urls.len());
        for url in urls {
            let origin = origin(url)?;
            let next = origins.len();
            let place = match of_urls.last() {
                Some(last) if origins.get(*last) == Some(&origin) => *last,
                None => {
                    origins.push(origin);
                    next
                }
                Some(_) => {
                    if let [first] = &*origins {
                        places.insert(first.clone(), 0);
                    }
                    *places.entry(origin).or_insert_with_key(|origin| {
                        origins.push(origin.clone());
                        next
                    })
                }
            };
            of_urls.push(place);
        }
        let mut known = Vec::with_capacity(origins.len());
        if let (Some(origin), 1) = (origins.first(), origins.len()) {
            known.push(site::robots(state, origin, held).await?);
            return Ok(Self {
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
        Ok(Self {
            origins,
            known,
            of_urls,
        })
    }

    /// Returns the origin of each URL, and what is known about its robots.txt.
    pub(super) fn of_urls(&self) -> impl Iterator<Item = (&Origin, &Known)> {
        let places = self.of_urls.iter();
        places.filter_map(|place| {
            let origin = self.origins.get(*place)?;
            Some((origin, &**self.known.get(*place)?))
        })
    }
}

fn origin(url: &str) -> Result<Origin, Problem> {
    Origin::of(url).map_err(|_| {
        invalid(format!(
            "\"fetch\": expected URLs with http or https, not {url:?}"
        ))
    })
}
