//! `robots check --fetch`: verdicts on URLs, with the robots.txt files fetched from their sites.

use super::formats::VerdictWriter;
use super::reading::{checked_robots, report_robots};
use super::verdict::{explain, word};
use super::{
    did_you_mean_site, one_dialect, target, warn_of_errors, warn_of_truncation, without_answer,
};
use crate::answer_output;
use crate::args::Check;
use crate::fetcher;
use crate::terminal::printable;
use anyhow::{Result, anyhow, bail};
use robots_answers::check::{
    AgentRules, OutcomeAnswer, Reading, UrlVerdict, url_verdict_answer, web_origin,
};
use robots_crawl::fetch::Hop;
use robots_crawl::{FetchFault, Fetched, Fetcher, Validators};
use robots_pipeline::json::write_line;
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use robots_policy::profile::Robot;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Policy, Profile};
use robots_txt::{Agent, RobotsTxt};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// The robots.txt of a site, or the failed request for it.
struct Site {
    fetched: Fetched,
    robots: RobotsTxt,
}

/// Writes the verdict on each URL. `first` is the first URL: it is in the argument `ROBOTS_TXT`, as `--fetch` has no
/// file.
pub(crate) fn run(args: &Check, first: &Path) -> Result<ExitCode> {
    let first = first.to_string_lossy();
    let urls: Vec<&str> = std::iter::once(&*first)
        .chain(args.urls.iter().map(String::as_str))
        .collect();
    let fetcher =
        fetcher::builder(&args.user_agent, args.from.as_deref(), args.allow_private).build()?;
    let runtime = fetcher::runtime()?;
    let agent = match &args.agents()[..] {
        [name] => checked_robots(args).agent(name, None),
        _ => bail!("--fetch accepts only one --agent"),
    };
    let named = one_dialect(args)?.map(Reading::from);
    let reading = named
        .as_ref()
        .unwrap_or_else(|| Reading::of_robot(agent.name()));
    let robot = Robot::new(agent.name()).with_agent(agent.clone());
    let profile = reading.profile.clone();
    let profile = profile.unwrap_or_else(|| Profile::neutral().with_dialect(reading.dialect));
    let policy = Policy::for_robot(&profile, robot);
    let mut sites: HashMap<Origin, Site> = HashMap::new();
    let mut out = answer_output::stdout();
    let (mut all_allowed, mut unread) = (true, 0);
    for url in urls {
        let request = |origin: &Origin| request(&runtime, &fetcher, origin, reading, &agent);
        let site = match site_of(url, &mut sites, request) {
            Ok(site) => site,
            Err(error) => {
                unread += 1;
                VerdictWriter::new(args.format(), &mut out).add_error(None, Some(url), &error)?;
                continue;
            }
        };
        let state = policy.robots(site.fetched.as_fetch());
        all_allowed &= write_verdict(&mut out, url, &state, site, args, reading, &agent)?;
    }
    runtime.shutdown_background();
    out.flush()?;
    let files = sites.values().map(|site| &site.robots);
    report_robots(args, &[reading], files);
    if unread > 0 {
        return Ok(without_answer(unread));
    }
    Ok(ExitCode::from(u8::from(!all_allowed)))
}

/// Returns the site of a URL, whose robots.txt is requested once. Fails if there is none, or it was not asked.
fn site_of<'s>(
    url: &str,
    sites: &'s mut HashMap<Origin, Site>,
    request: impl FnOnce(&Origin) -> Site,
) -> Result<&'s Site> {
    let origin = web_origin(url).ok_or_else(|| {
        let hint = did_you_mean_site(url);
        anyhow!("--fetch expects URLs with http or https, not {url:?}{hint}")
    })?;
    let site = sites.entry(origin.clone()).or_insert_with_key(request);
    fetcher::check_host(&origin, &site.fetched)?;
    Ok(site)
}

/// Requests the robots.txt of a site. Reports redirects, a failure and errors in the file.
fn request(
    runtime: &tokio::runtime::Runtime,
    fetcher: &Fetcher,
    origin: &Origin,
    reading: &Reading,
    agent: &Agent<'static>,
) -> Site {
    let fetched = runtime.block_on(fetcher.fetch(origin, &Validators::default()));
    let name = origin.robots_url();
    // A redirect leads to the URL of the next redirect, and the last one to the final URL.
    let nexts = fetched.hops().iter().skip(1).map(Hop::url);
    for (hop, next) in fetched.hops().iter().zip(nexts.chain([fetched.url()])) {
        notice!("note: {}: status {}, to {}", hop.url(), hop.status(), next);
    }
    if let Some(fault) = fetched.fault().filter(|_| fetched.host_fault().is_none()) {
        notice!("warning: {name}: {}", with_causes(fault));
    }
    let robots = RobotsTxt::parse(fetched.body()).with_url(&name);
    warn_of_truncation(&name, &robots, &reading.dialect);
    let rules = AgentRules::new(&robots, reading, agent.clone());
    warn_of_errors(&name, &robots, &[rules]);
    Site { fetched, robots }
}

/// Writes the verdict on a URL; `state` is that of its site's robots.txt. Returns whether the URL is allowed.
fn write_verdict(
    out: &mut impl Write,
    url: &str,
    state: &RobotsState<SiteRules>,
    site: &Site,
    args: &Check,
    reading: &Reading,
    agent: &Agent<'static>,
) -> Result<bool> {
    let fault = site.fetched.fault();
    let fault_text = fault.map(|fault| with_causes(fault));
    let fault = fault.map(FetchFault::name).zip(fault_text.as_deref());
    if let Some(outcome) = OutcomeAnswer::new(url, agent.name(), reading, state, fault) {
        if args.is_json() {
            write_line(&mut *out, &outcome)?;
        } else {
            writeln!(
                out,
                "{} is {} for {}, {}\n  = {}",
                printable(url),
                word(outcome.is_allowed()),
                printable(agent.name()),
                printable(&reading.manner()),
                printable(&outcome.explanation())
            )?;
        }
        return Ok(outcome.is_allowed());
    }
    let rules = AgentRules::new(&site.robots, reading, agent.clone());
    let target = target(url)?;
    let url_verdict = UrlVerdict::new(&rules, &target);
    if args.is_json() {
        let row = url_verdict_answer(url, &url_verdict, &target);
        write_line(&mut *out, &row)?;
    } else {
        let name = site.fetched.url();
        let explained = explain(name, url, &url_verdict, &site.robots, &target);
        writeln!(out, "{explained}")?;
    }
    Ok(url_verdict.verdict.is_allowed())
}
