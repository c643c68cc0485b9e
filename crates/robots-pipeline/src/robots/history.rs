//! The robots.txt files of sites over time, parsed, for the linter and the audit.

use super::book::{InForce, MAX_REDIRECT_SEARCHES, RobotsBook};
use super::fault::RequestFault;
use super::files;
use super::request::{Completeness, RequestResult};
use super::site::Sites;
use crate::error::Error;
use crate::input::stream::OpenArchive;
use crate::input::{Archive, open_file, visit_records};
use crate::observer::Observer;
use crate::record_date::captured_at;
use crate::robots_url::normalized;
use crate::text::path_text;
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
pub struct RobotsTxtHistory {
    files: Vec<RobotsTxt>,
    /// The captures, whose rules are indexes in `files`.
    book: RobotsBook<usize>,
}

impl RobotsTxtHistory {
    /// Returns a history without files. The outcome table determines the states.
    pub fn new(sites: Sites, table: OutcomeTable) -> Self {
        // The file of index 0 is the one for an empty body.
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
            archives.extend(self.add(path, observer)?);
        }
        self.find_redirect_targets(&archives);
        self.book.compute_logs();
        Ok(self)
    }

    /// Reads the archives among some files. Other files and damage are ignored: the reader of the pages reports them.
    #[must_use]
    pub fn read_archives<'p>(mut self, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut archives = Vec::new();
        for path in paths {
            if let Ok(file) = open_file(path)
                && let Ok(archive) = self.add_archive(path, file, &())
            {
                archives.extend(archive);
            }
        }
        self.find_redirect_targets(&archives);
        self.book.compute_logs();
        self
    }

    /// Returns whether there are no captures or files.
    pub fn is_empty(&self) -> bool {
        self.book.is_empty()
    }

    /// Returns the hosts of the sites with captures.
    pub fn hosts(&self) -> HashSet<String> {
        self.book.hosts()
    }

    /// Returns the file at an index.
    pub fn file(&self, index: usize) -> Option<&RobotsTxt> {
        self.files.get(index)
    }

    /// Returns the states for a URL at a time, and up to `grace` seconds before; their rules are indexes for
    /// [`file`](Self::file). `None` if nothing is known of the site.
    pub fn in_force(
        &self,
        url: &str,
        date: Option<Timestamp>,
        grace: i64,
    ) -> Option<InForce<'_, usize>> {
        // The book has one outcome table.
        let table = 0;
        self.book.in_force(url, date, grace, table)
    }

    /// Adds the files that a path names. Returns it if it is an archive.
    fn add(
        &mut self,
        path: &Path,
        observer: &(impl Observer + ?Sized),
    ) -> Result<Option<Archive>, Error> {
        let archive = files::visit(path, observer, &mut |found| {
            self.add_file(found.host.as_deref(), found.date, found.body);
            Ok(())
        })?;
        match archive {
            Some(file) => self.add_archive(path, file, observer),
            None => Ok(None),
        }
    }

    /// Adds a file of one host or, without `host`, of all. It is in force from `date` on or, without `date`, always.
    fn add_file(&mut self, host: Option<&str>, date: Option<Timestamp>, body: &[u8]) {
        let index = push_file(&mut self.files, RobotsTxt::parse(body));
        let Some(host) = host else {
            return self.book.enter_for_all(date, index);
        };
        for url in files::urls_of_host(host) {
            self.book.enter(&url, date, RequestResult::of_file(index));
        }
    }

    /// Adds the captures of robots.txt in an open file. Returns it if it is an archive.
    fn add_archive(
        &mut self,
        path: &Path,
        file: File,
        observer: &(impl Observer + ?Sized),
    ) -> Result<Option<Archive>, Error> {
        let is_archive = self.add_captures(&path_text(path), &file, observer, None)?;
        Ok(is_archive.then(|| Archive::opened(path, file)))
    }

    /// Adds the captures of robots.txt in an archive, or those of `urls`. Returns whether the file is an archive.
    fn add_captures(
        &mut self,
        name: &str,
        file: &File,
        observer: &(impl Observer + ?Sized),
        urls: Option<&HashSet<String>>,
    ) -> Result<bool, Error> {
        visit_records(name, file, observer, &mut |record| {
            self.add_record(&record, urls);
            Ok(())
        })
    }

    fn add_record(&mut self, record: &Record, urls: Option<&HashSet<String>>) {
        let parsed = record.url.as_deref().map(Url::parse);
        let Some(Ok(url)) = parsed else { return };
        let is_wanted = match urls {
            Some(urls) => urls.contains(&*normalized(&url)),
            None => crate::robots_url::is_robots_url(&url),
        };
        if !is_wanted {
            return;
        }
        let date = captured_at(record);
        if let Some(fault) = RequestFault::of(record) {
            self.book.enter(&url, date, RequestResult::Fault(fault));
        } else if record.kind == "response"
            && let Ok(response) = Response::parse(&record.block)
        {
            let files = &mut self.files;
            let whole = Completeness::of(record, &response);
            let result = RequestResult::of(&url, &response, whole, |body| {
                push_file(files, RobotsTxt::parse(body).with_url(url.as_str()))
            });
            self.book.enter(&url, date, result);
        }
    }

    /// Reads archives again for the targets of redirects.
    fn find_redirect_targets(&mut self, archives: &[Archive]) {
        for _ in 0..MAX_REDIRECT_SEARCHES {
            let wanted = self.book.take_missing();
            if wanted.is_empty() {
                return;
            }
            for archive in archives {
                if let Ok(OpenArchive::File(file)) = archive.open() {
                    // The first reading reported its problems.
                    let _ = self.add_captures(&archive.name, &file, &(), Some(&wanted));
                }
            }
        }
    }
}

/// Adds a file, and returns its index.
fn push_file(files: &mut Vec<RobotsTxt>, robots: RobotsTxt) -> usize {
    files.push(robots);
    files.len().saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::robots::RobotsState;
    use robots_txt::{Dialect, Target};

    #[test]
    fn a_captured_file_has_its_url() {
        let mut history = RobotsTxtHistory::new(Sites::Hosts, OutcomeTable::RFC9309);
        let url = "http://a.example/robots.txt";
        // The dialect below applies a rule with an absolute URL only if the URL of the file is known and of the same site.
        let body = b"User-agent: *\nDisallow: http://a.example/x";
        history.add_record(&Record::response(url, None, 200, [], body), None);
        history.book.compute_logs();
        let in_force = history.in_force("http://a.example/x", None, 0).unwrap();
        let RobotsState::Rules(&index) = in_force.current else {
            panic!("{in_force:?}");
        };
        let file = history.file(index).unwrap();
        let rules = file.rules("DuckDuckBot", &Dialect::WWW_ROBOT_RULES);
        assert!(!rules.verdict(&Target::new("/x")).is_allowed());
    }
}
