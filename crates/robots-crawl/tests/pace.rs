//! The cases of `pace.toml`, which describes their keys; one named trial each.
#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]

use libtest_mimic::{Arguments, Failed, Trial};
use robots_crawl::Pace;
use robots_policy::profile::Honours;
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
    day: Option<i64>,
    honours: Option<Vec<String>>,
    profile: Option<String>,
}

/// Returns the pace of a robots.txt with these lines for every robot.
fn pace(lines: &str, profile: &Profile) -> Pace {
    let body = format!("User-agent: *\n{lines}\n");
    let policy = Policy::under(profile, profile.agent()).unwrap();
    let robots = policy.robots(RobotsFetch::Body(body.as_bytes()));
    Pace::of(&robots, profile)
}

impl Case {
    /// Returns the profile of the case.
    fn profile(&self) -> Result<Profile, Failed> {
        let name = self.profile.as_deref().unwrap_or(Profile::NEUTRAL);
        let profile: Profile = name.parse()?;
        let Some(names) = &self.honours else {
            return Ok(profile);
        };
        let mut honours = Honours::empty();
        for name in names {
            let constant = name.to_ascii_uppercase().replace('-', "_");
            honours |=
                Honours::from_name(&constant).ok_or_else(|| format!("unknown line {name:?}"))?;
        }
        Ok(profile.with_honours(honours))
    }

    /// Returns a time of the day of the case.
    fn at(&self, clock: &str) -> Result<SystemTime, Failed> {
        let mut seconds = 0.0;
        for part in clock.split(':') {
            seconds = seconds * 60.0 + part.parse::<f64>()?;
        }
        // The default is a day of 2024.
        let day = self.day.unwrap_or(20_000);
        let distance = Duration::from_secs(day.unsigned_abs() * 86_400);
        let midnight = if day < 0 {
            UNIX_EPOCH - distance
        } else {
            UNIX_EPOCH + distance
        };
        Ok(midnight + Duration::from_secs_f64(seconds))
    }

    fn run(&self) -> Result<(), Failed> {
        let pace = pace(&self.lines, &self.profile()?);
        if self.times.is_empty() && self.same_as.is_none() {
            return Err("the case has neither times nor same_as".into());
        }
        for [last, now, expected] in &self.times {
            let last_at = (last != "-").then(|| self.at(last)).transpose()?;
            let actual = pace.next_allowed_at(last_at, self.at(now)?);
            let expected = self.at(expected)?;
            if actual != expected {
                let text = format!("after {last}, at {now}: expected {expected:?}, got {actual:?}");
                return Err(text.into());
            }
        }
        match &self.same_as {
            Some(lines) if pace != self::pace(lines, &Profile::neutral()) => {
                Err(format!("expected the pace of {lines:?}").into())
            }
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
