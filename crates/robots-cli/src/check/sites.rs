//! `robots check --fetch`: the robots.txt files of the sites of URLs, and sitemaps.

use super::did_you_mean;
use super::reading::{add_readings, related_names, report_robots};
use super::site::CheckedSite;
use super::urls::MAX_BYTES;
use crate::args::Check as Args;
use crate::chosen_robots;
use crate::fetcher;
use anyhow::{Context, Result, anyhow, bail};
use robots_answers::check::{Reading, web_origin};
use robots_answers::why::{Permission, Requester};
use robots_crawl::fetch::{Hop, PageBody, redirect_target};
use robots_crawl::{FetchFault, Fetched, Fetcher, Validators};
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use robots_policy::{Policy, RobotsFetch};
use robots_txt::RobotsTxt;
use std::collections::{BTreeSet, VecDeque};
use std::time::SystemTime;
use tokio::runtime::Runtime;
use url::Url;

/// The maximum number of sites that are kept, about 1.5 MB each. A site before them is asked again.
const MAX_SITES: usize = 64;

/// A file that was requested.
pub(super) struct Received {
    /// Its URL after redirects.
    pub(super) url: Url,
    /// Its body, up to [`MAX_BYTES`].
    pub(super) body: PageBody,
}

/// The robots.txt of a site, or the failed request for it.
struct Site<'a> {
    fetched: Fetched,
    checked: CheckedSite<'a>,
}

/// The sites of URLs. The robots.txt of each is requested once, unless more than [`MAX_SITES`] others are requested in between.
pub(super) struct Sites<'a> {
    args: &'a Args,
    readings: &'a [Reading],
    fetcher: Fetcher,
    runtime: Runtime,
    /// The last sites that were requested.
    kept: VecDeque<(Origin, Site<'a>)>,
    asked: Asked<'a>,
}

/// The facts about all sites that were requested, for the end.
#[derive(Default)]
struct Asked<'a> {
    readings: Vec<&'a Reading>,
    /// Those of [`related_names`].
    names: BTreeSet<String>,
    /// The robot of the first site, if there is one under one reading.
    robot: Option<String>,
    has_too_many_robots: bool,
}

impl<'a> Asked<'a> {
    fn add(&mut self, args: &Args, site: &CheckedSite<'a>) {
        if self.readings.is_empty() {
            self.robot = site.one_robot();
        }
        add_readings(&mut self.readings, &site.file);
        self.names.extend(related_names(args, &site.file));
        self.has_too_many_robots |= site.file.has_too_many_robots();
    }
}

impl<'a> Sites<'a> {
    pub(super) fn new(args: &'a Args, readings: &'a [Reading]) -> Result<Self> {
        Ok(Self {
            args,
            readings,
            fetcher: args.requests.fetcher().build()?,
            runtime: fetcher::runtime()?,
            kept: VecDeque::new(),
            asked: Asked::default(),
        })
    }

    /// Returns the robots.txt of the site of a URL. Fails if there is no site, or it was not asked.
    pub(super) fn site_of(&mut self, url: &str) -> Result<&mut CheckedSite<'a>> {
        Ok(&mut self.site(origin_of(url)?)?.checked)
    }

    /// Returns the response of the site of a URL, and its robots.txt. Fails as [`site_of`](Self::site_of).
    pub(super) fn response(&mut self, url: &str) -> Result<(&Fetched, &RobotsTxt)> {
        let Site { fetched, checked } = self.site(origin_of(url)?)?;
        Ok((fetched, checked.file.robots()))
    }

    fn site(&mut self, origin: Origin) -> Result<&mut Site<'a>> {
        let known = self.kept.iter().position(|(kept, _)| *kept == origin);
        let at = known.unwrap_or_else(|| {
            let site = self.request(&origin);
            self.asked.add(self.args, &site.checked);
            if self.kept.len() >= MAX_SITES {
                self.kept.pop_front();
            }
            self.kept.push_back((origin, site));
            self.kept.len() - 1
        });
        let (origin, site) = &mut self.kept[at];
        fetcher::check_host(origin, &site.fetched)?;
        Ok(site)
    }

    fn request(&self, origin: &Origin) -> Site<'a> {
        let validators = Validators::default();
        let fetch = self.fetcher.fetch(origin, &validators);
        let fetched = self.runtime.block_on(fetch);
        let url = origin.robots_url();
        report(&url, &fetched);
        let checked = CheckedSite::of_response(&fetched, &url, self.args, self.readings);
        Site { fetched, checked }
    }

    /// Requests a sitemap, and follows up to as many redirects as for a robots.txt, if the robots.txt of its site allows it.
    pub(super) fn request_sitemap(&mut self, url: &Url) -> Result<Received> {
        let mut target = url.clone();
        for _ in 0..=RobotsFetch::MAX_REDIRECTS {
            let origin = web_origin(target.as_str());
            let origin = origin.ok_or_else(|| anyhow!("cannot request {target}"))?;
            let user_agent = &self.args.requests.user_agent;
            let site = self.site(origin)?;
            let now = SystemTime::now().into();
            let state = |policy: &Policy| policy.robots(site.fetched.as_fetch());
            let requester = Requester::new(user_agent, "this program", false);
            let permission = requester.permission(target.as_str(), now, &[], b"", state);
            if let Permission::OwnerOnly(why) | Permission::Refused(why) = permission {
                bail!("{target}: {why}; download it, and name the file");
            }
            let request = async {
                let mut response = self.fetcher.page(target.as_str()).await?;
                let location = response.headers().find(|(name, _)| *name == "location");
                let location =
                    location.map(|(_, value)| String::from_utf8_lossy(value).into_owned());
                let status = response.status();
                let is_success = (200..300).contains(&status);
                let limit = if is_success { MAX_BYTES } else { 0 };
                let body = response.body_up_to(limit).await?;
                Ok((status, location, body))
            };
            let response = self.runtime.block_on(request);
            let response = response.map_err(|fault: FetchFault| with_causes(&fault));
            let (status, location, body) =
                response.map_err(|fault| anyhow!("{target}: {fault}"))?;
            match (status, location) {
                (200..=299, _) => return Ok(Received { url: target, body }),
                (status, Some(location)) if RobotsFetch::is_redirect(status) => {
                    let next = redirect_target(&target, &location);
                    target = next.with_context(|| {
                        format!("{target}: a redirect to {location:?}, which HTTP cannot request")
                    })?;
                }
                _ => bail!("{target}: status {status}"),
            }
        }
        bail!("{url}: too many redirects");
    }

    /// Reports the names of robots, and too many robots. Returns the robot, if there is one under one reading, and whether there were too
    /// many.
    pub(super) fn end(self) -> (Option<String>, bool) {
        self.runtime.shutdown_background();
        let asked = self.asked;
        report_robots(self.args, &asked.readings, &asked.names);
        chosen_robots::report_cut(asked.has_too_many_robots);
        (asked.robot, asked.has_too_many_robots)
    }
}

fn origin_of(url: &str) -> Result<Origin> {
    web_origin(url).ok_or_else(|| {
        let hint = did_you_mean(url);
        anyhow!("--fetch expects URLs with http or https, not {url:?}{hint}")
    })
}

/// Reports redirects and a failure of a request for robots.txt.
fn report(name: &str, fetched: &Fetched) {
    // A redirect leads to the URL of the next redirect, and the last one to the final URL.
    let nexts = fetched.hops().iter().skip(1).map(Hop::url);
    for (hop, next) in fetched.hops().iter().zip(nexts.chain([fetched.url()])) {
        notice!("note: {}: status {}, to {}", hop.url(), hop.status(), next);
    }
    if let Some(fault) = fetched.fault().filter(|_| fetched.host_fault().is_none()) {
        notice!("warning: {name}: {}", with_causes(fault));
    }
}
