//! Books of parsed robots.txt files, for the linter and the audit.

use super::book::{MAX_REDIRECT_SEARCHES, RobotsBook};
use super::files;
use super::request::RequestResult;
use super::site::{self, Sites};
use crate::error::Error;
use crate::input::stream::OpenArchive;
use crate::input::{Archive, files_in, is_archive, open_file, visit_records};
use crate::observer::Observer;
use crate::text::path_text;
use robots_archive::Record;
use robots_txt::RobotsTxt;
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The robots.txt files of sites, over time, parsed.
pub type ParsedBook = RobotsBook<Arc<RobotsTxt>>;

impl ParsedBook {
    /// Reads files, folders and archives. The host of a path is that of its files whose paths name none. Without one, they apply
    /// to all hosts.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read, or if two files are for the same host and day.
    pub fn read<'p>(
        sites: Sites,
        paths: impl IntoIterator<Item = (Option<&'p str>, &'p Path)>,
        observer: &(impl Observer + ?Sized),
    ) -> Result<Self, Error> {
        let mut book = Self::new(sites);
        let mut archives = Vec::new();
        // By host and day.
        let mut entered: HashMap<_, PathBuf> = HashMap::new();
        for (host, path) in paths {
            let found = files::visit(path, observer, &mut |found| {
                let host = found.host.as_deref().or(host);
                let site = host.and_then(|host| site::host_of(&files::urls_of_host(host).next()?));
                let key = (site, found.date);
                if let Some(first) = entered.get(&key) {
                    let [first, second] = [first.as_path(), found.path].map(path_text);
                    return Err(match key.0 {
                        Some(host) => Error::TwoRobotsOfHost {
                            host,
                            first,
                            second,
                        },
                        None => Error::TwoRobotsOfAll { first, second },
                    });
                }
                entered.insert(key, found.path.to_owned());
                let robots = Arc::new(RobotsTxt::parse(found.body));
                let Some(host) = host else {
                    book.enter_for_all(found.date, robots);
                    return Ok(());
                };
                for url in files::urls_of_host(host) {
                    let result = RequestResult::of_file(Arc::clone(&robots));
                    book.enter(&url, found.date, result);
                }
                Ok(())
            })?;
            archives.extend(found);
        }
        for archive in &archives {
            if let OpenArchive::File(file) = archive.open()? {
                book.read_archive(&archive.name, &file, observer, None)?;
            }
        }
        book.find_redirect_targets(&archives);
        Ok(book)
    }

    /// Reads the archives among some files and in folders. Other files and damage are ignored: the reader of the pages reports them.
    #[must_use]
    pub fn read_archives<'p>(sites: Sites, paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let mut book = Self::new(sites);
        let mut archives = Vec::new();
        let files = paths.into_iter().flat_map(|path| {
            if path.is_dir() {
                files_in(path, &is_archive, &mut |_, _| {})
            } else {
                vec![path.to_owned()]
            }
        });
        for path in files {
            if let Ok(file) = open_file(&path)
                && let Ok(true) = book.read_archive(&path_text(&path), &file, &(), None)
            {
                archives.push(Archive::opened(&path, file));
            }
        }
        book.find_redirect_targets(&archives);
        book
    }

    /// Enters the captures of robots.txt in an archive, or those of `urls`. Returns whether the file is an archive.
    fn read_archive(
        &mut self,
        name: &str,
        file: &File,
        observer: &(impl Observer + ?Sized),
        urls: Option<&HashSet<String>>,
    ) -> Result<bool, Error> {
        visit_records(name, file, observer, &mut |record| {
            self.enter_parsed(&record, urls);
            Ok(())
        })
    }

    fn enter_parsed(&mut self, record: &Record, urls: Option<&HashSet<String>>) {
        // The reader of the pages reports the problems of records.
        let warn = &mut |_| ();
        self.enter_record(record, urls, warn, |url, body| {
            Arc::new(RobotsTxt::parse(body).with_url(url.as_str()))
        });
    }

    /// Reads archives again for the targets of redirects.
    fn find_redirect_targets(&mut self, archives: &[Archive]) {
        for _ in 0..MAX_REDIRECT_SEARCHES {
            let wanted = self.take_missing();
            if wanted.is_empty() {
                return;
            }
            for archive in archives {
                if let Ok(OpenArchive::File(file)) = archive.open() {
                    // The first reading reported its problems.
                    let _ = self.read_archive(&archive.name, &file, &(), Some(&wanted));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::robots::{OutcomeTable, RobotsState};
    use robots_txt::{Dialect, Target};

    #[test]
    fn a_captured_file_has_its_url() {
        let mut book = ParsedBook::new(Sites::Hosts);
        let url = "http://a.example/robots.txt";
        // The dialect below applies a rule with an absolute URL only if the URL of the file is known and of the same site.
        let body = b"User-agent: *\nDisallow: http://a.example/x";
        book.enter_parsed(&Record::response(url, None, 200, [], body), None);
        let table = &OutcomeTable::RFC9309;
        let in_force = book.in_force("http://a.example/x", None, 0, table).unwrap();
        let RobotsState::Rules(Some(file)) = in_force.current else {
            panic!("{in_force:?}");
        };
        let rules = file.rules("DuckDuckBot", &Dialect::WWW_ROBOT_RULES);
        assert!(!rules.verdict(&Target::new("/x")).is_allowed());
    }
}
