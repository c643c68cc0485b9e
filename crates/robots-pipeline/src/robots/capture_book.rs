//! Books of captures that outlive a run: they are read once, and decide the pages of other archives, on other machines too.
//!
//! ```text
//! captures()       archives -> CaptureBook
//! CaptureBook      merge, to_bytes, from_bytes; freeze -> FrozenBook
//! FrozenBook       looks up the robots.txt in force, from many threads; the source of a run (RobotsSource::Book)
//! ```
//!
//! A book keeps the bodies of robots.txt files, equal ones once. It compiles a body for its policies when it is first looked
//! up. So it costs little to load where only some of the sites are needed.

use super::book::RobotsBook;
use super::book_bytes::{self, PolicyText};
use super::capture_row::{CaptureRow, CaptureRowError};
use super::kept_file::{FilesByBody, KeptFile, KeptForm, share};
use super::policies::{PolicyBook, RobotsAt, robots_at};
use super::site::Sites;
use crate::error::BookError;
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, RobotsState};
use robots_policy::site::SiteRules;
use robots_policy::{Decision, Page, Policies, Policy};
use std::sync::Arc;

/// The captures of robots.txt files in archives, for decisions under some policies.
///
/// ```
/// use robots_pipeline::robots::capture_book::CaptureBook;
/// use robots_policy::{Policies, Policy};
/// use std::sync::Arc;
///
/// let policies = Arc::new(Policies::new(vec![Policy::new("ExampleBot")?]));
/// let book = CaptureBook::new(&policies);
/// let read = CaptureBook::from_bytes(&book.to_bytes())?.freeze();
/// let states = read.robots("https://example.com/", None);
/// assert_eq!(states.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CaptureBook {
    policies: Arc<Policies>,
    book: RobotsBook<Arc<KeptFile>>,
    files: FilesByBody,
}

impl CaptureBook {
    /// Returns a book without captures.
    pub fn new(policies: &Arc<Policies>) -> Self {
        let empty = Arc::new(KeptFile::new(b"", policies, KeptForm::Body));
        let tables = policies.iter().map(|policy| *policy.profile().outcomes());
        Self {
            policies: Arc::clone(policies),
            book: RobotsBook::new(Sites::Origins, tables.collect(), empty),
            files: FilesByBody::new(),
        }
    }

    /// Returns the book of a run that kept bodies.
    pub(crate) fn of_run(policies: &Arc<Policies>, run: PolicyBook<'_>) -> Self {
        let (book, files) = run.into_captures();
        Self {
            policies: Arc::clone(policies),
            book,
            files,
        }
    }

    /// Returns the policies.
    pub fn policies(&self) -> &Arc<Policies> {
        &self.policies
    }

    /// Returns the number of captures.
    pub fn len(&self) -> usize {
        self.book.len()
    }

    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.book.is_empty()
    }

    /// Adds the captures of another book. The result is the book of both archives, this one's first, with one exception:
    /// the target of a redirect is searched for only in the archive of the redirect, unless it is a robots.txt itself
    /// ([`missing_targets`](Self::missing_targets)).
    ///
    /// # Errors
    ///
    /// If the other book has other policies.
    pub fn merge(&mut self, other: Self) -> Result<(), BookError> {
        check_policies(&other.policies, &self.policies)?;
        self.append(other.book);
        Ok(())
    }

    fn append(&mut self, other: RobotsBook<Arc<KeptFile>>) {
        let files = &mut self.files;
        self.book.append(other, &mut |file| share(files, file));
    }

    /// Returns the URLs to which robots.txt files redirect and that were not captured, in order: those that are not
    /// robots.txt files themselves. Another archive may have them, see [`captures_of`](crate::captures_of).
    pub fn missing_targets(&self) -> Vec<String> {
        let mut missing: Vec<_> = self.book.missing_targets().map(str::to_owned).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Returns the captures as rows, by URL. Those of one URL are in the order in which they were entered. The rows do not
    /// depend on the policies, unless these read only a part of a body.
    pub fn rows(&self) -> impl Iterator<Item = CaptureRow<'_>> {
        let mut urls: Vec<_> = self.book.iter().collect();
        urls.sort_unstable_by_key(|(url, _)| *url);
        urls.into_iter().flat_map(|(url, captures)| {
            captures.map(move |(date, result)| CaptureRow::of(url, date, result))
        })
    }

    /// Adds the capture of a row, after those of its URL.
    ///
    /// # Errors
    ///
    /// If the row is not a capture. The book is unchanged.
    pub fn add_row(&mut self, row: &CaptureRow<'_>) -> Result<(), CaptureRowError> {
        let (url, result) = row.result()?;
        let result = result.try_map(|body| {
            let file = KeptFile::new(body, &self.policies, KeptForm::Body);
            Some(share(&mut self.files, Arc::new(file)))
        });
        if let Some(result) = result {
            self.book.enter(&url, row.captured_at, result);
        }
        Ok(())
    }

    /// Returns the state of an origin at a time, for each policy.
    pub(crate) fn robots(&mut self, origin: &Origin, date: Option<Timestamp>) -> RobotsAt {
        robots_at(&self.policies, self.book.states(origin, date))
    }

    /// Ends the collection of captures. Takes time linear in the captures.
    pub fn freeze(self) -> FrozenBook {
        let Self {
            policies, mut book, ..
        } = self;
        book.compute_logs();
        FrozenBook { policies, book }
    }

    /// Returns the book as bytes: a format version, a checksum, and the compressed captures and policies.
    pub fn to_bytes(&self) -> Vec<u8> {
        book_bytes::to_bytes(&self.policies, &self.book)
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes), with the policies that it names: those of robots of profiles
    /// ([`Profile::robot`](robots_policy::Profile::robot)).
    ///
    /// # Errors
    ///
    /// If the bytes are not a book, or one of another version, or damaged. If a policy is of another robot than its profile
    /// has under that name, or of a changed dialect: use [`from_bytes_for`](Self::from_bytes_for).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let contents = book_bytes::unpack(bytes)?;
        let (texts, captures) = book_bytes::read(&contents)?;
        let policies: Result<Vec<Policy>, BookError> =
            texts.iter().map(PolicyText::policy).collect();
        let mut book = Self::new(&Arc::new(Policies::new(policies?)));
        book.read(captures)?;
        Ok(book)
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes) of a book with these policies.
    ///
    /// # Errors
    ///
    /// If the bytes are not a book, or one of another version, or damaged, or if the book has other policies.
    pub fn from_bytes_for(bytes: &[u8], policies: &Arc<Policies>) -> Result<Self, BookError> {
        let contents = book_bytes::unpack(bytes)?;
        let (texts, captures) = book_bytes::read(&contents)?;
        book_bytes::compare(&texts, &PolicyText::of_all(policies))?;
        let mut book = Self::new(policies);
        book.read(captures)?;
        Ok(book)
    }

    /// Adds captures that were read from bytes.
    fn read(&mut self, captures: book_bytes::CaptureList<'_>) -> Result<(), BookError> {
        let files: Vec<Arc<KeptFile>> = captures
            .files
            .iter()
            .map(|body| {
                let file = KeptFile::new(body.0, &self.policies, KeptForm::Body);
                share(&mut self.files, Arc::new(file))
            })
            .collect();
        for (key, list) in captures.sites {
            for (date, result) in list {
                let result = result.try_map(|index: u32| {
                    let index = usize::try_from(index).unwrap_or(usize::MAX);
                    files.get(index).map(Arc::clone)
                });
                let result = result.ok_or(BookError::Damaged)?;
                self.book.enter_at(key.to_owned(), date, result);
            }
        }
        Ok(())
    }
}

/// Checks that the policies of a book are the expected ones.
fn check_policies(book: &Policies, expected: &Policies) -> Result<(), BookError> {
    if std::ptr::eq(book, expected) {
        return Ok(());
    }
    book_bytes::compare(&PolicyText::of_all(book), &PolicyText::of_all(expected))
}

/// A book that no longer changes. Threads may share it; it is the source of runs ([`RobotsSource::Book`](crate::RobotsSource::Book)).
#[derive(Debug)]
pub struct FrozenBook {
    policies: Arc<Policies>,
    book: RobotsBook<Arc<KeptFile>>,
}

impl FrozenBook {
    /// Returns the policies.
    pub fn policies(&self) -> &Arc<Policies> {
        &self.policies
    }

    /// Returns the number of captures.
    pub fn len(&self) -> usize {
        self.book.len()
    }

    /// Returns whether there are no captures.
    pub fn is_empty(&self) -> bool {
        self.book.is_empty()
    }

    /// Returns the state of a URL's origin at a time, for each policy: that of the last request for its robots.txt not after
    /// the time, or else of the first. Without a time, the last request counts.
    pub fn robots(&self, url: &str, at: Option<Timestamp>) -> Vec<RobotsState<SiteRules>> {
        self.robots_of(url, at).robots
    }

    /// Decides a page that was captured at a time, for each policy, as a run does.
    pub fn decide(&self, page: &Page<'_>, captured: Option<Timestamp>) -> Vec<Decision> {
        let at = self.robots_of(page.url(), captured);
        let policies = self.policies.iter().enumerate();
        policies
            .map(|(index, policy)| at.decide(index, policy, page.clone(), captured))
            .collect()
    }

    /// Returns the state of a URL's origin at a time, for each policy; unknown if the URL has none.
    fn robots_of(&self, url: &str, at: Option<Timestamp>) -> RobotsAt {
        match Origin::of(url) {
            Ok(origin) => self.robots_at(&origin, at),
            Err(_) => RobotsAt {
                robots: vec![RobotsState::Unknown(Cause::NoOrigin); self.policies.len()],
                captured: None,
            },
        }
    }

    /// Returns the state of an origin at a time, for each policy.
    pub(crate) fn robots_at(&self, origin: &Origin, date: Option<Timestamp>) -> RobotsAt {
        robots_at(&self.policies, self.book.computed_states(origin, date))
    }

    /// Checks that the book is for these policies. Whether they have reasons does not count.
    ///
    /// # Errors
    ///
    /// If it has others.
    pub fn check(&self, policies: &Policies) -> Result<(), BookError> {
        check_policies(&self.policies, policies)
    }

    /// Returns the checksum of the bytes of the book.
    pub(crate) fn checksum(&self) -> u64 {
        book_bytes::checksum(&[], &self.to_bytes())
    }

    /// Returns the book as bytes, as [`CaptureBook::to_bytes`] does.
    pub fn to_bytes(&self) -> Vec<u8> {
        book_bytes::to_bytes(&self.policies, &self.book)
    }
}
