//! The cases of `pace.toml`, which describes their keys.

use robots_crawl::Pace;
use robots_policy::{Policy, Profile, RobotsFetch};
use serde::Deserialize;
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
    fn profile(&self) -> Profile {
        let name = self.profile.as_deref().unwrap_or(Profile::NEUTRAL);
        let honours = self.honours.as_ref();
        let honours = honours.map_or_else(String::new, |names| format!("honours = {names:?}"));
        Profile::from_toml(&format!("based-on = {name:?}\n{honours}")).unwrap()
    }

    /// Returns a time of the day of the case.
    fn at(&self, clock: &str) -> SystemTime {
        let parts = clock.split(':').map(|part| part.parse::<f64>().unwrap());
        let seconds = parts.fold(0.0, |seconds, part| seconds * 60.0 + part);
        // The default is a day of 2024.
        let day = self.day.unwrap_or(20_000);
        let distance = Duration::from_secs(day.unsigned_abs() * 86_400);
        let midnight = if day < 0 {
            UNIX_EPOCH - distance
        } else {
            UNIX_EPOCH + distance
        };
        midnight + Duration::from_secs_f64(seconds)
    }

    fn check(&self) {
        let name = &self.name;
        let pace = pace(&self.lines, &self.profile());
        assert!(!self.times.is_empty() || self.same_as.is_some(), "{name}");
        for [last, now, expected] in &self.times {
            let last_at = (last != "-").then(|| self.at(last));
            let actual = pace.next_allowed_at(last_at, self.at(now));
            let expected = self.at(expected);
            assert_eq!(actual, expected, "{name}: after {last}, at {now}");
        }
        if let Some(lines) = &self.same_as {
            assert_eq!(pace, self::pace(lines, &Profile::neutral()), "{name}");
        }
    }
}

#[test]
fn cases() {
    let cases: Cases = toml::from_str(include_str!("pace.toml")).unwrap();
    for case in cases.case {
        case.check();
    }
}
