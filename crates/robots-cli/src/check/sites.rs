//! `robots check --fetch`: may these URLs be fetched, by the robots.txt that their sites have now.

use super::answer::{Answer, JsonAnswer, explained, word};
use super::asked::{Asked, Reading, agent};
use super::{one_dialect, policy_of, target_of, tell_oddities, tell_truncation};
use crate::args::Check;
use crate::terminal::printable;
use anyhow::{Context, Result, bail};
use robots_crawl::fetch::Hop;
use robots_crawl::{Fetched, Fetcher, Validators};
use robots_policy::origins::Origin;
use robots_policy::site::Robots;
use robots_txt::{Agent, Dialect, RobotsTxt};
use serde_json::json;
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// What a site answered.
struct Site {
    fetched: Fetched,
    robots: RobotsTxt,
}

/// Answers for each URL, of which the first stands where a file would.
pub(crate) fn run(args: &Check, first: &Path) -> Result<ExitCode> {
    let first = first.to_string_lossy();
    let urls: Vec<&str> = std::iter::once(&*first)
        .chain(args.urls.iter().map(String::as_str))
        .collect();
    // No request is made before all is known to be a URL.
    let origins: Vec<Origin> = urls
        .iter()
        .map(|url| {
            Origin::of(url).with_context(|| format!("{url:?} is not a URL, which --fetch needs"))
        })
        .collect::<Result<_>>()?;
    let mut fetcher = Fetcher::builder(&args.user_agent);
    if args.allow_private {
        fetcher = fetcher.allow_private_addresses();
    }
    let fetcher = fetcher.build()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let reading = Reading {
        dialect: one_dialect(args)?,
        profile: None,
    };
    let agent = match &args.agents()[..] {
        [name] => agent(args, name, None),
        _ => bail!("--fetch needs exactly one --agent"),
    };
    let policy = policy_of(agent.clone(), reading.dialect);
    let mut sites: HashMap<&Origin, Site> = HashMap::new();
    let mut out = anstream::stdout().lock();
    let mut all_allowed = true;
    for (url, origin) in urls.iter().zip(&origins) {
        let site = sites
            .entry(origin)
            .or_insert_with(|| ask(&runtime, &fetcher, origin, &reading.dialect));
        let state = policy.robots(site.fetched.as_fetch());
        all_allowed &= answer(&mut out, url, &state, site, args, &reading, &agent)?;
    }
    out.flush()?;
    Ok(ExitCode::from(u8::from(!all_allowed)))
}

/// Asks a site; tells on standard error what is odd about its answer.
fn ask(
    runtime: &tokio::runtime::Runtime,
    fetcher: &Fetcher,
    origin: &Origin,
    dialect: &Dialect,
) -> Site {
    let fetched = runtime.block_on(fetcher.fetch(origin, &Validators::default()));
    let name = origin.robots_url();
    let nexts = fetched.hops().iter().skip(1).map(Hop::url);
    for (hop, next) in fetched.hops().iter().zip(nexts.chain([fetched.url()])) {
        anstream::eprintln!(
            "note: {}: status {}, to {}",
            printable(hop.url()),
            hop.status(),
            printable(next)
        );
    }
    if let Some(fault) = fetched.fault() {
        anstream::eprintln!("warning: {name}: {fault}");
    }
    let robots = RobotsTxt::parse(fetched.body());
    tell_truncation(&name, &robots, dialect);
    tell_oddities(&name, &robots);
    Site { fetched, robots }
}

/// Writes the answer for a URL; gives whether it is allowed.
fn answer(
    out: &mut impl Write,
    url: &str,
    state: &Robots,
    site: &Site,
    args: &Check,
    reading: &Reading,
    agent: &Agent<'static>,
) -> Result<bool> {
    if let Robots::Rules(rules) = state {
        let asked = Asked {
            reading,
            agent: agent.clone(),
            rules: rules.rules().clone(),
        };
        let answer = Answer::new(&asked, &target_of(url)?);
        if args.json {
            let row = JsonAnswer::new(url, &answer);
            writeln!(out, "{}", serde_json::to_string(&row)?)?;
        } else {
            let name = site.fetched.url();
            writeln!(out, "{}", explained(name, url, &answer, &site.robots))?;
        }
        return Ok(answer.verdict.is_allowed());
    }
    let (is_allowed, reason, cause) = match state {
        Robots::AllowAll(cause) => (true, "robots_txt_absent", cause.to_string()),
        Robots::DenyAll(cause) | Robots::Defer(cause) => {
            (false, "robots_txt_unreachable", cause.to_string())
        }
        Robots::Unknown(cause) => (false, "robots_txt_unknown", cause.to_string()),
        _ => (false, "other", "unknown".to_owned()),
    };
    if args.json {
        let row = json!({
            "url": url,
            "agent": agent.name(),
            "dialect": reading.dialect.name(),
            "allowed": is_allowed,
            "reason": reason,
            "cause": cause,
            "fault": site.fetched.fault().map(ToString::to_string),
        });
        writeln!(out, "{row}")?;
    } else {
        writeln!(
            out,
            "{} is {} for {}\n  = {cause}",
            printable(url),
            word(is_allowed),
            agent.name()
        )?;
    }
    Ok(is_allowed)
}
