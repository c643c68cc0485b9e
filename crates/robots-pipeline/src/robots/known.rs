//! robots.txt files as the linter and the audit ask for them: parsed, of any robot.

use super::book::{InForce, MAX_REDIRECT_SEARCHES, RequestResult, RobotsBook, Sites, plain_host};
use super::fault::RequestFault;
use crate::error::Error;
use crate::input::{open_file, robots_files, visit_records};
use crate::observer::Observer;
use crate::robots_url::normalized;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_policy::robots::OutcomeTable;
use robots_txt::RobotsTxt;
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;
use url::Url;

/// The robots.txt files of sites, over time.
#[derive(Debug)]
pub struct KnownRobots {
    files: Vec<RobotsTxt>,
    /// By the indexes of `files`.
    book: RobotsBook<usize>,
}

impl KnownRobots {
    /// Returns a collection without files, whose states follow an outcome table.
    pub fn new(sites: Sites, table: OutcomeTable) -> Self {
        Self {
            files: vec![RobotsTxt::parse(b"")],
            book: RobotsBook::new(sites, vec![table], 0),
        }
    }

    /// Reads files, folders and archives.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read.
    pub fn read<'p>(
        mut self,
        paths: impl IntoIterator<Item = &'p Path>,
        observer: &(impl Observer + ?Sized),
    ) -> Result<Self, Error> {
        let mut archives = Vec::new();
        for path in paths {
            if self.add(path, observer)? {
                archives.push(path);
            }
        }
        self.find_redirects(&archives);
        self.book.settle();
        Ok(self)
    }

    /// Reads the archives among some files. Other files and damage are ignored: the reader of the pages reports them.
    #[must_use]
    pub fn read_archives<'p>(mut self, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut archives = Vec::new();
        for path in paths {
            if let Ok(file) = open_file(path)
                && self.add_archive(path, &file, &(), None).is_ok_and(|is| is)
            {
                archives.push(path);
            }
        }
        self.find_redirects(&archives);
        self.book.settle();
        self
    }

    /// Reports whether nothing is known of any site.
    pub fn is_empty(&self) -> bool {
        self.book.is_empty()
    }

    /// Returns the hosts of the sites of which something is known.
    pub fn hosts(&self) -> HashSet<String> {
        self.book.hosts()
    }

    /// Returns the file of an index.
    pub fn file(&self, index: usize) -> Option<&RobotsTxt> {
        self.files.get(index)
    }

    /// Returns the indexes of the files that were in force for a URL at a time, and up to `grace` seconds before.
    /// `None` if nothing is known of the site.
    pub fn in_force(
        &self,
        url: &str,
        date: Option<Timestamp>,
        grace: i64,
    ) -> Option<InForce<'_, usize>> {
        self.book.in_force(url, date, grace, 0)
    }

    /// Adds the files that a path names. Returns whether it is an archive.
    fn add(&mut self, path: &Path, observer: &(impl Observer + ?Sized)) -> Result<bool, Error> {
        if path.as_os_str() != "-" && path.is_dir() {
            robots_files::visit(path, observer, &mut |found| {
                let within = Path::new(found.file).strip_prefix(path);
                let (host, date) = within.map(host_and_date).unwrap_or_default();
                self.add_file(host.as_deref(), date, found.body);
                Ok::<(), Error>(())
            })?;
            return Ok(false);
        }
        let file = open_file(path)?;
        let is_archive = self.add_archive(path, &file, observer, None)?;
        if !is_archive {
            let name = path.display().to_string();
            self.add_file(None, None, &robots_files::body(&name, &file)?);
        }
        Ok(is_archive)
    }

    /// Adds a file that is in force from a time on, or from the first; of a host, or of all.
    fn add_file(&mut self, host: Option<&str>, date: Option<Timestamp>, body: &[u8]) {
        let index = keep(&mut self.files, body);
        let Some(host) = host else {
            return self.book.enter_for_all(date, index);
        };
        for scheme in ["http", "https"] {
            if let Ok(url) = Url::parse(&format!("{scheme}://{host}/robots.txt")) {
                self.book.enter(&url, date, RequestResult::of_file(index));
            }
        }
    }

    /// Adds the captures of an archive, or those of some URLs; returns whether the file is an archive.
    fn add_archive(
        &mut self,
        path: &Path,
        file: &File,
        observer: &(impl Observer + ?Sized),
        urls: Option<&HashSet<String>>,
    ) -> Result<bool, Error> {
        let name = path.display().to_string();
        visit_records(&name, file, observer, &mut |record| {
            self.add_record(&record, urls);
            Ok(())
        })
    }

    fn add_record(&mut self, record: &Record, urls: Option<&HashSet<String>>) {
        let parsed = record.url.as_deref().map(Url::parse);
        let Some(Ok(url)) = parsed else { return };
        let is_wanted = match urls {
            Some(urls) => urls.contains(&normalized(&url)),
            None => crate::robots_url::is_robots_url(&url),
        };
        if !is_wanted {
            return;
        }
        let date = record.date.as_deref().and_then(Timestamp::parse);
        if let Some(fault) = RequestFault::of(record) {
            self.book.enter(&url, date, RequestResult::Fault(fault));
        } else if record.kind == "response"
            && let Ok(response) = Response::parse(&record.block)
        {
            let files = &mut self.files;
            let result = RequestResult::of(&url, &response, |body| keep(files, body));
            self.book.enter(&url, date, result);
        }
    }

    /// Reads archives again for the targets of redirects.
    fn find_redirects(&mut self, archives: &[&Path]) {
        for _ in 0..MAX_REDIRECT_SEARCHES {
            let wanted = self.book.take_missing();
            if wanted.is_empty() {
                return;
            }
            for path in archives.iter().filter(|path| path.is_file()) {
                if let Ok(file) = open_file(path) {
                    // Its problems were reported when it was read first.
                    let _ = self.add_archive(path, &file, &(), Some(&wanted));
                }
            }
        }
    }
}

fn keep(files: &mut Vec<RobotsTxt>, body: &[u8]) -> usize {
    files.push(RobotsTxt::parse(body));
    files.len().saturating_sub(1)
}

/// Returns the host and the day that the path of a file names, below the folder that was given: each is one of its
/// parts, as in `example.com/2026-11-01/robots.txt` or `example.com-2026-11-01-robots.txt`.
fn host_and_date(path: &Path) -> (Option<String>, Option<Timestamp>) {
    let (mut host, mut date) = (None, None);
    for part in path {
        let part = part.to_string_lossy();
        let name = part.strip_suffix("robots.txt").unwrap_or(&part);
        let name = name.trim_end_matches(['-', '_', '.']);
        let (name, day) = without_date(name);
        date = day.or(date);
        if name.contains('.') && Url::parse(&format!("http://{name}/")).is_ok() {
            host = Some(plain_host(name));
        }
    }
    (host, date)
}

/// Returns a name without the day that it ends or begins with, and the day.
fn without_date(name: &str) -> (&str, Option<Timestamp>) {
    /// The length of a day such as `2026-11-01`, in bytes.
    const LENGTH: usize = 10;
    let day = |text: &str| {
        let date: jiff::civil::Date = text.parse().ok()?;
        let time = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(Timestamp::from_seconds(time.timestamp().as_second()))
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
mod tests {
    use super::*;

    #[test]
    fn paths_name_hosts_and_days() {
        let november = Timestamp::parse("2026-11-01T00:00:00Z");
        for (path, host, date) in [
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
            let found = host_and_date(Path::new(path));
            assert_eq!(found, (host.map(str::to_owned), date), "{path}");
        }
    }
}
