//! The cases of `pace.toml`, one named trial each.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

use libtest_mimic::{Arguments, Failed, Trial};
use robots_crawl::Pace;
use robots_policy::{Policy, Profile, RobotsFetch};
use serde::Deserialize;
use std::process::ExitCode;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    lines: String,
    #[serde(default)]
    times: Vec<[String; 3]>,
    same_as: Option<String>,
}

/// Returns the pace of a robots.txt with these lines for every robot.
fn pace(lines: &str) -> Pace {
    let body = format!("User-agent: *\n{lines}\n");
    let robots = Policy::default().robots(RobotsFetch::Body(body.as_bytes()));
    Pace::of(&robots, &Profile::neutral())
}

/// Returns a time of a certain day.
fn at(clock: &str) -> Result<SystemTime, Failed> {
    let mut seconds = 0.0;
    for part in clock.split(':') {
        seconds = seconds * 60.0 + part.parse::<f64>()?;
    }
    let day = Duration::from_secs(20_000 * 86_400);
    Ok(UNIX_EPOCH + day + Duration::from_secs_f64(seconds))
}

impl Case {
    fn run(&self) -> Result<(), Failed> {
        let pace = pace(&self.lines);
        if self.times.is_empty() && self.same_as.is_none() {
            return Err("the case has neither times nor same_as".into());
        }
        for [last, now, expected] in &self.times {
            let last_at = if last == "-" { None } else { Some(at(last)?) };
            if pace.next_allowed_at(last_at, at(now)?) != at(expected)? {
                return Err(format!("after {last}, at {now}: expected {expected}").into());
            }
        }
        match &self.same_as {
            Some(lines) if pace != self::pace(lines) => Err(format!("not as {lines:?}").into()),
            _ => Ok(()),
        }
    }
}

fn main() -> ExitCode {
    let cases: Cases = toml::from_str(include_str!("pace.toml")).unwrap();
    let trials = cases
        .case
        .into_iter()
        .map(|case| Trial::test(case.name.clone(), move || case.run()));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
