//! The robots.txt that was in force when something was asked for.
//!
//! A file that was captured on a day holds from then on until the next one; the first also for the time
//! before, of which nothing is known. Statuses 4xx mean that there is no file; where a server failed, what
//! was known before still holds, as it is its owner's will that is asked for.

use crate::inputs;
use crate::progress::Progress;
use crate::robots_files;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_txt::RobotsTxt;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use url::Url;

/// How many redirects are followed from host to host (RFC 9309, 2.3.1.2: at least five).
const REDIRECTS: usize = 5;

/// What is known of the robots.txt files of hosts.
#[derive(Debug, Default)]
pub(crate) struct Histories {
    files: Vec<RobotsTxt>,
    /// Of a file without a host: it is that of all.
    everyone: Vec<Version>,
    /// By host, with its port if that is not the scheme's.
    hosts: HashMap<String, Vec<Version>>,
}

/// What was in force from a moment on.
#[derive(Debug, Clone)]
struct Version {
    /// Milliseconds since 1970; the least there is if it is not known since when.
    from: i64,
    state: State,
}

#[derive(Debug, Clone)]
enum State {
    /// The file at this place.
    File(usize),
    Absent,
    /// What another host has.
    SameAs(String),
}

/// What was in force for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Versions {
    pub(crate) current: InForce,
    /// What was in force within the grace time before, the newest first.
    pub(crate) earlier: Vec<InForce>,
    /// Whether the current one is only known from later on.
    pub(crate) is_early: bool,
}

/// A state in force, to be judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InForce {
    /// The file at this place.
    File(usize),
    /// There is none: all is allowed.
    Absent,
}

impl Histories {
    /// Reads files, folders and archives.
    pub(crate) fn read<'p>(
        paths: impl IntoIterator<Item = &'p Path>,
        progress: &Progress,
    ) -> Result<Self> {
        let mut histories = Self::default();
        for path in paths {
            histories.add(path, progress)?;
        }
        Ok(histories.sorted())
    }

    /// What the archives among some files have. Others are passed over, and what is wrong with them is not told: who
    /// reads the pages in them tells it.
    pub(crate) fn of_archives<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut histories = Self::default();
        for path in paths {
            if let Ok(file) = inputs::open_file(path) {
                let _ = histories.add_archive(&path.display().to_string(), &file, &|_| ());
            }
        }
        histories.sorted()
    }

    fn sorted(mut self) -> Self {
        let all = self.hosts.values_mut();
        for versions in all.chain([&mut self.everyone]) {
            versions.sort_by_key(|version| version.from);
        }
        self
    }

    fn add(&mut self, path: &Path, progress: &Progress) -> Result<()> {
        if path.as_os_str() != "-" && path.is_dir() {
            robots_files::visit(path, progress, &mut |found| {
                let within = Path::new(found.file).strip_prefix(path);
                let (host, from) = within.map(told_by_path).unwrap_or_default();
                self.add_file(host, from, found.body);
                Ok(())
            })?;
            return Ok(());
        }
        let file = inputs::open_file(path)?;
        let name = path.display().to_string();
        if !self.add_archive(&name, &file, &|line| progress.say(line))? {
            self.add_file(None, None, &robots_files::body(&name, &file)?);
        }
        Ok(())
    }

    /// Adds a file, of a host or of all, that is in force from a moment on or from the first.
    fn add_file(&mut self, host: Option<String>, from: Option<i64>, body: &[u8]) {
        let state = State::File(self.keep(body));
        let versions = match host {
            Some(host) => self.hosts.entry(host).or_default(),
            None => &mut self.everyone,
        };
        versions.push(Version {
            from: from.unwrap_or(i64::MIN),
            state,
        });
    }

    /// Adds what an archive has; gives whether it is one.
    fn add_archive(&mut self, name: &str, file: &File, tell: &dyn Fn(&str)) -> Result<bool> {
        inputs::visit_records(name, file, tell, &mut |record| {
            self.add_record(&record);
            Ok(())
        })
    }

    fn keep(&mut self, body: &[u8]) -> usize {
        self.files.push(RobotsTxt::parse(body));
        self.files.len().saturating_sub(1)
    }

    fn add_record(&mut self, record: &Record) {
        let Some(url) = robots_files::robots_url_of(record) else {
            return;
        };
        let (Ok(url), Ok(response)) = (Url::parse(url), Response::parse(&record.block)) else {
            return;
        };
        let Some(host) = host_of(&url) else { return };
        let state = match response.status() {
            200..=299 if !response.is_unread() => State::File(self.keep(response.body())),
            300..=399 => {
                let location = response.header("location").next();
                let target = location.and_then(|location| url.join(location).ok());
                match target.as_ref().and_then(host_of) {
                    // To another scheme, or nowhere: what is there is captured for the same host.
                    Some(other) if other != host => State::SameAs(other),
                    _ => return,
                }
            }
            400..=499 => State::Absent,
            _ => return,
        };
        let date = record.date.as_deref().and_then(Timestamp::parse);
        let from = date.map_or(i64::MIN, |date| date.as_seconds().saturating_mul(1_000));
        self.hosts
            .entry(host)
            .or_default()
            .push(Version { from, state });
    }

    /// Returns a file by its place.
    pub(crate) fn file(&self, place: usize) -> Option<&RobotsTxt> {
        self.files.get(place)
    }

    /// Returns whether nothing is known of any host.
    pub(crate) fn is_empty(&self) -> bool {
        self.everyone.is_empty() && self.hosts.is_empty()
    }

    /// Returns the host that all is known of, if it is one alone.
    pub(crate) fn only_host(&self) -> Option<&str> {
        match self.hosts.keys().collect::<Vec<_>>()[..] {
            [host] => Some(host),
            _ => None,
        }
    }

    /// Returns the number of known hosts.
    pub(crate) fn hosts(&self) -> usize {
        self.hosts.len()
    }

    /// What was in force for a host at a time, and within `grace` milliseconds before that. `None` if nothing is
    /// known of the host.
    pub(crate) fn in_force(&self, host: Option<&str>, time: i64, grace: i64) -> Option<Versions> {
        let versions = self.versions(host)?;
        let begun = versions.partition_point(|version| version.from <= time);
        let now = begun.saturating_sub(1);
        let since = time.saturating_sub(grace);
        let before = versions.get(..now)?.iter().zip(versions.get(1..)?);
        // A version that ended within the grace time was in force in it.
        let earlier = before
            .rev()
            .take_while(|(_, next)| next.from > since)
            .filter_map(|(version, next)| self.resolved(&version.state, next.from));
        Some(Versions {
            current: self.resolved(&versions.get(now)?.state, time)?,
            earlier: earlier.collect(),
            is_early: begun == 0,
        })
    }

    fn versions(&self, host: Option<&str>) -> Option<&[Version]> {
        let of_host = host.and_then(|host| self.hosts.get(host));
        let versions = of_host.unwrap_or(&self.everyone);
        (!versions.is_empty()).then_some(versions)
    }

    fn resolved(&self, state: &State, time: i64) -> Option<InForce> {
        let mut state = state;
        for _ in 0..REDIRECTS {
            match state {
                State::File(place) => return Some(InForce::File(*place)),
                State::Absent => return Some(InForce::Absent),
                State::SameAs(host) => {
                    let versions = self.versions(Some(host))?;
                    let now = versions.partition_point(|version| version.from <= time);
                    state = &versions.get(now.saturating_sub(1))?.state;
                }
            }
        }
        None
    }
}

/// Returns the host of a URL, with its port if that is not the scheme's.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    Some(plain_host(&format!("{host}{port}")))
}

/// Returns a host as it is compared: in lower case, without a dot at its end or the port of HTTP or HTTPS.
pub(crate) fn plain_host(host: &str) -> String {
    let host = host.trim().to_ascii_lowercase();
    let host = host
        .strip_suffix(":80")
        .or_else(|| host.strip_suffix(":443"))
        .unwrap_or(&host);
    host.trim_end_matches('.').to_owned()
}

/// Returns the host and the day that the path of a file tells, below the folder that was named: one of its parts
/// each, as in `example.com/2026-11-01/robots.txt` or `example.com-2026-11-01-robots.txt`.
fn told_by_path(path: &Path) -> (Option<String>, Option<i64>) {
    let (mut host, mut from) = (None, None);
    for part in path {
        let part = part.to_string_lossy();
        let name = part.strip_suffix("robots.txt").unwrap_or(&part);
        let name = name.trim_end_matches(['-', '_', '.']);
        let (name, date) = without_date(name);
        from = date.or(from);
        if name.contains('.') && Url::parse(&format!("http://{name}/")).is_ok() {
            host = Some(plain_host(name));
        }
    }
    (host, from)
}

/// Returns a name, and the day that it ends with, or begins with.
fn without_date(name: &str) -> (&str, Option<i64>) {
    /// As in `2026-11-01`.
    const LENGTH: usize = 10;
    let day = |text: &str| {
        let date: jiff::civil::Date = text.parse().ok()?;
        let time = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(time.timestamp().as_millisecond())
    };
    let split = name.len().checked_sub(LENGTH);
    if let Some((rest, date)) = split.and_then(|split| name.split_at_checked(split))
        && let Some(date) = day(date)
    {
        return (rest.trim_end_matches(['-', '_']), Some(date));
    }
    if let Some((date, rest)) = name.split_at_checked(LENGTH)
        && let Some(date) = day(date)
    {
        return (rest.trim_start_matches(['-', '_']), Some(date));
    }
    (name, None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    const DAY: i64 = 86_400_000;

    fn history(versions: &[(i64, usize)]) -> Histories {
        let versions = versions.iter().map(|(from, place)| Version {
            from: *from,
            state: State::File(*place),
        });
        Histories {
            everyone: versions.collect(),
            ..Histories::default()
        }
    }

    #[test]
    fn each_file_holds_until_the_next_and_in_the_grace_time_behind() {
        let history = history(&[(0, 0), (10 * DAY, 1), (11 * DAY, 2)]);
        let file = InForce::File;
        for (time, grace, now, earlier) in [
            (-DAY, DAY, 0, vec![]),
            (0, DAY, 0, vec![]),
            (10 * DAY - 1, DAY, 0, vec![]),
            (10 * DAY, DAY, 1, vec![file(0)]),
            (10 * DAY, 0, 1, vec![]),
            (11 * DAY - 1, DAY, 1, vec![file(0)]),
            (11 * DAY, DAY, 2, vec![file(1)]),
            (11 * DAY, DAY + 1, 2, vec![file(1), file(0)]),
            (12 * DAY, DAY, 2, vec![]),
        ] {
            let found = history.in_force(Some("a"), time, grace).unwrap();
            assert_eq!(
                (found.current, found.earlier),
                (file(now), earlier),
                "{time} {grace}"
            );
            assert_eq!(found.is_early, time < 0);
        }
        assert_eq!(Histories::default().in_force(None, 0, DAY), None);
    }

    #[test]
    fn redirects_lead_to_other_hosts_and_not_for_ever() {
        let version = |state| {
            vec![Version {
                from: i64::MIN,
                state,
            }]
        };
        let mut histories = Histories::default();
        let hosts = &mut histories.hosts;
        hosts.insert("a".into(), version(State::SameAs("b".into())));
        hosts.insert("b".into(), version(State::Absent));
        hosts.insert("c".into(), version(State::SameAs("d".into())));
        hosts.insert("d".into(), version(State::SameAs("c".into())));
        let of = |host| {
            histories
                .in_force(Some(host), 0, 0)
                .map(|found| found.current)
        };
        assert_eq!(of("a"), Some(InForce::Absent));
        assert_eq!(of("c"), None);
        assert_eq!(of("e"), None);
    }

    #[test]
    fn paths_tell_hosts_and_days() {
        let november = Some(1_793_491_200_000);
        for (path, host, from) in [
            ("robots.txt", None, None),
            ("example.com/robots.txt", Some("example.com"), None),
            ("example.com-robots.txt", Some("example.com"), None),
            (
                "Example.com/2026-11-01-robots.txt",
                Some("example.com"),
                november,
            ),
            (
                "2026-11-01/example.com/robots.txt",
                Some("example.com"),
                november,
            ),
            (
                "example.com-2026-11-01.robots.txt",
                Some("example.com"),
                november,
            ),
            ("2026-11-01_robots.txt", None, november),
            ("old/robots.txt", None, None),
        ] {
            let told = told_by_path(Path::new(path));
            assert_eq!(told, (host.map(str::to_owned), from), "{path}");
        }
    }
}
