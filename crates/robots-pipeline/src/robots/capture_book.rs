//! The book of captures by which pages are decided: those of a run, and those that outlive it, are merged, and are sent to
//! other machines.
//!
//! A book of bodies keeps equal ones once. It compiles a body for its policies when it is first looked up. So it costs little to
//! load where only some of the sites are needed.

use super::book::RobotsBook;
use super::capture_row::{CaptureRow, CaptureRowError};
use super::capture_source::{CaptureSource, DecisionSources};
use super::kept_file::{Kept, KeptFile, KeptForm};
use super::policy_text::{PolicyText, compare};
use super::request::RequestResult;
use super::site::Sites;
use crate::error::BookError;
use crate::robots_url::{is_tdmrep_url, normalized};
use crate::versioned_bytes::{BytesError, Format};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, RobotsState};
use robots_policy::site::{Rsl, RslLookup, SiteRules, Tdmrep};
use robots_policy::{Decision, Page, Policies, Policy};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;

/// The format of the bytes of a book.
const FORMAT: Format = Format {
    name: "robots-book",
    version: 2,
    seed: 0,
};

/// The captures of robots.txt and tdmrep.json files and of licences of RSL in archives, for decisions under some policies. Threads may share a book that no longer
/// changes; it is the source of runs ([`RobotsSource::Book`](crate::RobotsSource::Book)).
///
/// ```
/// use robots_pipeline::robots::capture_book::CaptureBook;
/// use robots_policy::{Page, Policies, Policy};
/// use std::sync::Arc;
///
/// let policies = Arc::new(Policies::new(vec![Policy::new("ExampleBot")?]));
/// let book = CaptureBook::new(&policies);
/// let read = CaptureBook::from_bytes(&book.to_bytes())?;
/// let decisions = read.decide(&Page::new("https://example.com/"), None);
/// assert_eq!(decisions.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct CaptureBook {
    policies: Arc<Policies>,
    pub(crate) form: KeptForm,
    book: RobotsBook<Kept>,
    /// The files whose bodies are kept, by their bodies.
    files: HashMap<Arc<[u8]>, Arc<KeptFile>>,
    /// Whether there is a capture of a tdmrep.json: few archives have one.
    has_tdmrep: bool,
}

/// The licences that a book has at a time.
#[derive(Debug)]
struct LicensesAt<'b> {
    book: &'b CaptureBook,
    date: Option<Timestamp>,
    /// The sources of those that were looked up, if evidence is collected.
    sources: Mutex<Vec<Arc<CaptureSource>>>,
}

impl RslLookup for LicensesAt<'_> {
    fn document(&self, url: &Url) -> Option<Rsl> {
        let found = self.book.terms_at(&normalized(url), self.date)?;
        if let Some(source) = found.source {
            let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
            if !sources.contains(source) {
                sources.push(Arc::clone(source));
            }
        }
        Some(match found.file? {
            Ok(file) => file.map_or_else(|| Rsl::read(b""), |file| file.rsl().clone()),
            Err(cause) => Rsl::unreadable(&cause.about("the licence")),
        })
    }
}

/// The robots.txt and the tdmrep.json of an origin at a time.
#[derive(Debug, Default)]
pub(crate) struct RobotsAt {
    /// For each policy the state, and the source of the file that is in force, or without rules of the last request; empty for a page
    /// whose URL has no origin.
    pub(crate) robots: Vec<(RobotsState<SiteRules>, Option<Arc<CaptureSource>>)>,
    /// The time of the request that decides, if it is known.
    pub(crate) captured: Option<Timestamp>,
    /// The tdmrep.json, if it exists.
    pub(crate) tdmrep: Option<Tdmrep>,
    /// The source of the tdmrep.json, as of a robots.txt.
    pub(crate) tdmrep_source: Option<Arc<CaptureSource>>,
}

/// An owner's terms at a URL and a time.
struct TermsAt<'b> {
    /// The file, or why it is not known; `None` if it does not exist. A success without a body has no file.
    file: Option<Result<Option<&'b KeptFile>, Cause>>,
    source: Option<&'b Arc<CaptureSource>>,
}

impl RobotsAt {
    /// Decides a page that was captured at `date`, under the policy of this index. Returns the sources of what decides, too.
    pub(crate) fn decide(
        &self,
        index: usize,
        policy: &Policy,
        page: Page<'_>,
        date: Option<Timestamp>,
        book: Option<&CaptureBook>,
    ) -> (Decision, DecisionSources) {
        let licenses = book.map(|book| LicensesAt {
            book,
            date,
            sources: Mutex::default(),
        });
        let mut page = match &licenses {
            Some(licenses) => page.with_rsl(licenses),
            None => page,
        };
        if let (Some(captured), Some(date)) = (self.captured, date) {
            page = page.with_captures(captured, date);
        }
        if let Some(tdmrep) = &self.tdmrep {
            page = page.with_tdmrep(tdmrep);
        }
        let (decision, robots) = match self.robots.get(index) {
            Some((robots, source)) => (policy.decide_under(robots, &page), source.clone()),
            // The decision states that the URL has no origin.
            None => (policy.decide_archived(&page, date), None),
        };
        let licenses = licenses.map(|licenses| licenses.sources.into_inner());
        let sources = DecisionSources {
            robots,
            tdmrep: self.tdmrep_source.clone(),
            licenses: licenses.map_or_else(Vec::new, |sources| {
                sources.unwrap_or_else(PoisonError::into_inner)
            }),
        };
        (decision, sources)
    }
}

impl CaptureBook {
    /// Returns a book without captures, which keeps bodies.
    pub fn new(policies: &Arc<Policies>) -> Self {
        Self::of_form(Arc::clone(policies), KeptForm::Body)
    }

    /// Returns a book without captures, which keeps compiled rules and no bodies. It cannot become bytes or rows.
    pub(crate) fn of_rules(policies: &Policies) -> Self {
        Self::of_form(policies.clone().into(), KeptForm::Rules)
    }

    fn of_form(policies: Arc<Policies>, form: KeptForm) -> Self {
        Self {
            policies,
            form,
            book: RobotsBook::new(Sites::Origins),
            files: HashMap::new(),
            has_tdmrep: false,
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

    /// Enters the result of a request. The licences that a robots.txt names are [missing](Self::take_missing), unless they were captured.
    pub(crate) fn enter(
        &mut self,
        url: &Url,
        date: Option<Timestamp>,
        result: &RequestResult<Arc<KeptFile>>,
        source: Option<Arc<CaptureSource>>,
    ) {
        for license in result.kept().iter().flat_map(|file| file.licenses(url)) {
            self.want(&license);
        }
        self.enter_alone(url, date, result, source);
    }

    /// Enters the result of a request, after which no licence is looked for.
    fn enter_alone(
        &mut self,
        url: &Url,
        date: Option<Timestamp>,
        result: &RequestResult<Arc<KeptFile>>,
        source: Option<Arc<CaptureSource>>,
    ) {
        self.has_tdmrep |= is_tdmrep_url(url);
        let result = result.map(|file| self.keep(file, source.clone()));
        self.book.enter_from(url, date, result, source);
    }

    /// Adds the URL of a licence, unless it was captured, to the [missing](Self::take_missing) ones.
    pub(crate) fn want(&mut self, url: &Url) {
        self.book.want(&normalized(url));
    }

    /// Enters a robots.txt that came from a file. It is in force from a time on, or always.
    pub(crate) fn enter_file(
        &mut self,
        url: &Url,
        date: Option<Timestamp>,
        body: &[u8],
        source: Option<Arc<CaptureSource>>,
    ) {
        let file = KeptFile::new(url, body, &self.policies, self.form);
        self.enter(url, date, &RequestResult::of_file(file), source);
    }

    /// Returns a file with its source. Of files with one body, the first one is kept.
    fn keep(&mut self, file: &Arc<KeptFile>, source: Option<Arc<CaptureSource>>) -> Kept {
        let file = match self.form {
            KeptForm::Rules => file,
            KeptForm::Body => {
                let known = self.files.entry(Arc::clone(file.body()));
                known.or_insert_with(|| Arc::clone(file))
            }
        };
        Kept {
            file: Arc::clone(file),
            source,
        }
    }

    /// Returns the targets of redirects and the URLs of licences without a capture. Each is returned once.
    pub(crate) fn take_missing(&mut self) -> HashSet<String> {
        self.book.take_missing()
    }

    /// Adds the captures of another book. The result is the book of both archives, this one's first, with one exception:
    /// the target of a redirect, unless it is a robots.txt itself, and a licence are searched for only in the archive that names them
    /// ([`missing_targets`](Self::missing_targets)).
    ///
    /// # Errors
    ///
    /// If the other book has other policies.
    pub fn merge(&mut self, other: &Self) -> Result<(), BookError> {
        other.check(&self.policies)?;
        for (key, capture) in other.book.iter() {
            let source = capture.source.clone();
            let keep = |kept: &Kept| self.keep(&kept.file, source.clone());
            let result = capture.result.map(keep);
            let (key, date) = (key.to_owned(), capture.date);
            self.book.enter_at(key, date, result, source);
        }
        self.has_tdmrep |= other.has_tdmrep;
        Ok(())
    }

    /// Returns the URLs to which robots.txt files redirect, and those of the licences that they name, that were not captured, in order:
    /// those that are not robots.txt files themselves. Another archive may have them, see [`captures_of`](crate::captures_of).
    pub fn missing_targets(&self) -> Vec<String> {
        let redirects = self.book.missing_targets().map(str::to_owned);
        let captures = self.book.iter();
        let licenses = captures.flat_map(|(url, capture)| {
            let kept = capture.result.kept().zip(Url::parse(url).ok());
            kept.map_or_else(Vec::new, |(kept, url)| kept.file.licenses(&url))
        });
        let licenses = licenses.map(|url| normalized(&url).into_owned());
        let licenses = licenses.filter(|url| self.book.is_missing(url));
        let mut missing: Vec<_> = redirects.chain(licenses).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// Returns the captures as rows, by URL. Those of one URL are in the order in which they were entered. The rows do not
    /// depend on the policies, unless these read only a part of a body.
    pub fn rows(&self) -> impl Iterator<Item = CaptureRow<'_>> {
        self.book
            .iter()
            .map(|(url, capture)| CaptureRow::of(url, capture))
    }

    /// Adds the capture of a row, after those of its URL.
    ///
    /// # Errors
    ///
    /// If the row is not a capture. The book is unchanged.
    pub fn add_row(&mut self, row: &CaptureRow<'_>) -> Result<(), CaptureRowError> {
        let (url, result) = row.result()?;
        let result = result.map(|body| KeptFile::new(&url, body, &self.policies, self.form));
        self.enter_alone(&url, row.captured_at, &result, row.source());
        Ok(())
    }

    /// Decides a page that was captured at a time, for each policy, as a run does: by the last request for the robots.txt of its origin
    /// not after the time, or else by the first. Without a time, the last request counts.
    pub fn decide(&self, page: &Page<'_>, captured: Option<Timestamp>) -> Vec<Decision> {
        let at = self.robots_of(page.url(), captured);
        let policies = self.policies.iter().enumerate();
        policies
            .map(|(index, policy)| {
                at.decide(index, policy, page.clone(), captured, Some(self))
                    .0
            })
            .collect()
    }

    /// Returns the state of a URL's origin at a time, for each policy; unknown if the URL has none.
    pub(crate) fn robots_of(&self, url: &str, at: Option<Timestamp>) -> RobotsAt {
        match Origin::of(url) {
            Ok(origin) => self.robots_at(&origin, at),
            Err(_) => self.unknown(Cause::NoOrigin),
        }
    }

    /// Returns the state of an origin at a time, for each policy.
    pub(crate) fn robots_at(&self, origin: &Origin, date: Option<Timestamp>) -> RobotsAt {
        let (tdmrep, tdmrep_source) = self.tdmrep_at(origin, date);
        let Some(requests) = self.book.requests(origin, date) else {
            return RobotsAt {
                tdmrep,
                tdmrep_source,
                ..self.unknown(Cause::NotFetched)
            };
        };
        let robots = self.policies.iter().enumerate().map(|(index, policy)| {
            let table = policy.profile().outcomes();
            let state = requests.log.archived_state(table, date);
            let source = match &state {
                RobotsState::Rules(Some(kept)) => kept.source.as_ref(),
                _ => requests.source,
            };
            let source = source.cloned();
            let state = state.map(|kept| match kept {
                Some(kept) => kept.file.rules(&self.policies)[index].clone(),
                None => policy.compile(b""),
            });
            (state, source)
        });
        RobotsAt {
            robots: robots.collect(),
            captured: requests.captured,
            tdmrep,
            tdmrep_source,
        }
    }

    /// Returns the tdmrep.json of an origin at a time, by the captures that count for a robots.txt, and by
    /// [`OutcomeTable::TERMS`](robots_policy::robots::OutcomeTable::TERMS), and its source. `None` if it was never requested, or does not
    /// exist.
    fn tdmrep_at(
        &self,
        origin: &Origin,
        date: Option<Timestamp>,
    ) -> (Option<Tdmrep>, Option<Arc<CaptureSource>>) {
        let robots_url = self.has_tdmrep.then(|| origin.robots_url());
        let root = robots_url
            .as_deref()
            .and_then(|url| url.strip_suffix("/robots.txt"));
        let found = root.and_then(|root| self.terms_at(&[root, Tdmrep::PATH].concat(), date));
        let Some(found) = found else {
            return (None, None);
        };
        let tdmrep = found.file.and_then(|file| match file {
            Ok(Some(file)) => file.tdmrep().cloned(),
            Ok(None) => Tdmrep::of_response(b""),
            Err(cause) => Some(Tdmrep::unreadable(&cause.about("tdmrep.json"))),
        });
        (tdmrep, found.source.cloned())
    }

    /// Returns an owner's terms at a URL and a time. `None` if they were never requested.
    fn terms_at(&self, url: &str, date: Option<Timestamp>) -> Option<TermsAt<'_>> {
        let requests = self.book.requests_of(url, date)?;
        let found = requests.log.archived_terms(date);
        let source = match &found {
            Some(Ok(Some(kept))) => kept.source.as_ref(),
            _ => requests.source,
        };
        Some(TermsAt {
            file: found.map(|found| found.map(|kept| kept.map(|kept| &*kept.file))),
            source,
        })
    }

    /// Returns the digests of the first `most` captures of a URL at a time, if evidence was collected; empty for one without a body
    /// that counts.
    pub(crate) fn digests_at(&self, url: &str, at: Option<Timestamp>, most: usize) -> Vec<String> {
        let Ok(url) = Url::parse(url) else {
            return Vec::new();
        };
        let sources = self.book.sources_at(&url, at).take(most);
        let digests = sources.map(|source| source.digest.as_deref().unwrap_or_default());
        digests.map(str::to_owned).collect()
    }

    fn unknown(&self, cause: Cause) -> RobotsAt {
        let policies = self.policies.iter();
        RobotsAt {
            robots: policies
                .map(|_| (RobotsState::Unknown(cause), None))
                .collect(),
            ..RobotsAt::default()
        }
    }

    /// Checks that the book is for these policies. Whether they have reasons does not count.
    ///
    /// # Errors
    ///
    /// If it has others.
    pub fn check(&self, policies: &Policies) -> Result<(), BookError> {
        if std::ptr::eq(&raw const *self.policies, policies) {
            return Ok(());
        }
        compare(&PolicyText::of_all(&self.policies), policies)
    }

    /// Returns the book as bytes: a version, a checksum, and the captures and policies. Books with the same captures have the
    /// same bytes if those of each URL were entered in the same order.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut files = Vec::new();
        let mut indexes: HashMap<&[u8], usize> = HashMap::new();
        let captures = self.book.iter().map(|(key, capture)| {
            let result = capture.result.map(|kept| {
                let body = &**kept.file.body();
                *indexes.entry(body).or_insert_with(|| {
                    files.push(body);
                    files.len() - 1
                })
            });
            (
                key,
                capture.date,
                result,
                capture.source.as_deref().map(place),
            )
        });
        let captures = captures.collect();
        FORMAT.write(&Content {
            policies: PolicyText::of_all(&self.policies),
            files,
            captures,
        })
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes), with the policies that it names: those of robots of profiles
    /// ([`Profile::robot`](robots_policy::Profile::robot)).
    ///
    /// # Errors
    ///
    /// If the bytes are not a book, or one of another version, or damaged. If a policy is of another robot than its profile
    /// has under that name, or of a changed dialect: use [`from_bytes_for`](Self::from_bytes_for).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, BookError> {
        let content: Content<'_> = FORMAT.read(bytes)?;
        let policies: Result<Policies, BookError> =
            content.policies.iter().map(PolicyText::policy).collect();
        Self::of_content(content, &Arc::new(policies?))
    }

    /// Reads the output of [`to_bytes`](Self::to_bytes) of a book with these policies.
    ///
    /// # Errors
    ///
    /// If the bytes are not a book, or one of another version, or damaged, or if the book has other policies.
    pub fn from_bytes_for(bytes: &[u8], policies: &Arc<Policies>) -> Result<Self, BookError> {
        let content: Content<'_> = FORMAT.read(bytes)?;
        compare(&content.policies, policies)?;
        Self::of_content(content, policies)
    }

    fn of_content(content: Content<'_>, policies: &Arc<Policies>) -> Result<Self, BookError> {
        let mut book = Self::new(policies);
        let files = content.files.iter().map(|body| KeptFile::of_body(body));
        let files: Vec<Arc<KeptFile>> = files.collect();
        // The name of an archive is in memory once.
        let mut archive: Arc<str> = Arc::from("");
        for (key, date, result, place) in content.captures {
            if let RequestResult::Response {
                rules: Some(index), ..
            } = result
                && index >= files.len()
            {
                return Err(BookError::Damaged);
            }
            let source = place.map(|(file, offset, status, digest)| {
                if *archive != *file {
                    archive = file.into();
                }
                Arc::new(CaptureSource {
                    url: key.to_owned(),
                    status,
                    captured_at: date,
                    digest: digest.map(Box::from),
                    file: Arc::clone(&archive),
                    offset,
                })
            });
            let result = result.map(|index| book.keep(&files[*index], source.clone()));
            book.has_tdmrep |= key.ends_with(Tdmrep::PATH);
            book.book.enter_at(key.to_owned(), date, result, source);
        }
        Ok(book)
    }
}

/// The content of a book.
#[derive(Debug, Serialize, Deserialize)]
struct Content<'b> {
    policies: Vec<PolicyText>,
    #[serde(borrow)]
    files: Vec<&'b [u8]>,
    /// By URL: the time of each request, its result with the index of its body, and the place of its source.
    #[serde(borrow)]
    captures: Vec<ContentCapture<'b>>,
}

type ContentCapture<'b> = (
    &'b str,
    Option<Timestamp>,
    RequestResult<usize>,
    Option<Place<'b>>,
);

/// What a source has beyond its capture: archive, offset, status and digest.
type Place<'b> = (&'b str, Option<u64>, Option<u16>, Option<&'b str>);

fn place(source: &CaptureSource) -> Place<'_> {
    let digest = source.digest.as_deref();
    (&source.file, source.offset, source.status, digest)
}

impl From<BytesError> for BookError {
    fn from(error: BytesError) -> Self {
        match error {
            BytesError::OtherFormat => Self::NotBook,
            BytesError::OtherVersion(found) => Self::OtherVersion {
                found,
                known: FORMAT.version,
            },
            BytesError::Damaged => Self::Damaged,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::fault::RequestFault;
    use crate::robots::request::Completeness;
    use robots_archive::http::Response;
    use robots_policy::{Fetch, Permission, Profile};

    fn policies() -> Arc<Policies> {
        let google = Policy::under(&Profile::google(), "Googlebot-News").unwrap();
        Arc::new(Policies::new(vec![
            google,
            Policy::new("ExampleBot").unwrap(),
        ]))
    }

    fn error(bytes: &[u8]) -> BookError {
        CaptureBook::from_bytes(bytes).unwrap_err()
    }

    #[test]
    fn other_bytes_and_versions_are_errors() {
        let bytes = CaptureBook::new(&policies()).to_bytes();
        assert!(CaptureBook::from_bytes(&bytes).unwrap().is_empty());
        assert_eq!(error(&bytes[1..]), BookError::NotBook);
        assert_eq!(error(&bytes[..bytes.len() - 1]), BookError::Damaged);
        let version = FORMAT.version + 1;
        let newer = Format { version, ..FORMAT }.write(&());
        let known = FORMAT.version;
        let found = version;
        assert_eq!(error(&newer), BookError::OtherVersion { found, known });
    }

    #[test]
    fn a_body_that_is_missing_is_damage() {
        let with_body = |index| {
            let result = RequestResult::Response {
                status: 200,
                content_type: None,
                rules: Some(index),
            };
            FORMAT.write(&Content {
                policies: PolicyText::of_all(&policies()),
                files: vec![b"User-agent: *"],
                captures: vec![("http://a.example/robots.txt", None, result, None)],
            })
        };
        assert_eq!(CaptureBook::from_bytes(&with_body(0)).unwrap().len(), 1);
        assert_eq!(error(&with_body(1)), BookError::Damaged);
        assert_eq!(error(&with_body(usize::MAX)), BookError::Damaged);
    }

    #[test]
    fn other_policies_are_an_error_that_names_them() {
        let bytes = CaptureBook::new(&policies()).to_bytes();
        assert!(CaptureBook::from_bytes_for(&bytes, &policies()).is_ok());
        let one = Policy::under(&Profile::bing(), "bingbot").unwrap();
        let others = Arc::new(Policies::new(vec![one]));
        let other = CaptureBook::from_bytes_for(&bytes, &others).unwrap_err();
        assert_eq!(
            other.to_string(),
            "the book is of Googlebot-News under google, ExampleBot under neutral, not of bingbot under bing: read the \
             captures for these"
        );
        let mut book = CaptureBook::new(&others);
        assert!(book.merge(&CaptureBook::new(&policies())).is_err());
    }

    #[test]
    fn a_changed_profile_or_robot_is_another() {
        let profile = Profile::neutral();
        let robot = profile.robot("ExampleBot");
        let policy = Policy::for_robot(&profile, robot.clone());
        let one = |policy| Arc::new(Policies::new(vec![policy]));
        let bytes = CaptureBook::new(&one(policy.clone())).to_bytes();
        assert!(
            CaptureBook::from_bytes_for(&bytes, &one(policy.clone().without_reasons())).is_ok()
        );
        let dialect = profile.dialect().with_size_limit(Some(100));
        for other in [
            Policy::for_robot(&profile, robot.clone()).with_dialect(dialect),
            Policy::for_robot(&profile, robot.clone().or("OtherBot")),
            Policy::for_robot(&Profile::from_toml("page-limit = 9").unwrap(), robot),
        ] {
            let error = CaptureBook::from_bytes_for(&bytes, &one(other.clone())).unwrap_err();
            // A changed profile has another name, unless it was given the same.
            assert!(
                matches!(
                    error,
                    BookError::ChangedPolicy(_) | BookError::OtherPolicies { .. }
                ),
                "{error}"
            );
            let own = CaptureBook::new(&one(other.clone())).to_bytes();
            assert!(CaptureBook::from_bytes_for(&own, &one(other)).is_ok());
        }
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    fn enter(book: &mut CaptureBook, host: &str, date: &str, response: &str) {
        enter_at(book, &format!("http://{host}/robots.txt"), date, response);
    }

    fn enter_at(book: &mut CaptureBook, at: &str, date: &str, response: impl AsRef<[u8]>) {
        let url = &url(at);
        let response = Response::parse(response.as_ref()).unwrap();
        let result = RequestResult::of(url, &response, Completeness::Whole, |body| {
            KeptFile::new(url, body, &book.policies, book.form)
        });
        book.enter(url, Timestamp::parse(date), &result, None);
    }

    /// Returns a book for one policy.
    fn book_of(policy: Policy) -> CaptureBook {
        CaptureBook::of_rules(&Policies::new(vec![policy]))
    }

    fn book() -> CaptureBook {
        book_of(Policy::new("a").unwrap())
    }

    fn fetch(book: &CaptureBook, host: &str, date: &str) -> Fetch {
        fetch_by(book, &format!("http://{host}/x"), date)
    }

    fn fetch_by(book: &CaptureBook, page_url: &str, date: &str) -> Fetch {
        let decisions = book.decide(&Page::new(page_url), Timestamp::parse(date));
        decisions[0].fetch
    }

    const OPEN: &str = "HTTP/1.1 200 OK\r\n\r\n";
    const CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /";

    #[test]
    fn the_capture_before_the_page_holds() {
        let mut book = book();
        enter(&mut book, "a.example", "2026-03-01T00:00:00Z", CLOSED);
        enter(
            &mut book,
            "a.example",
            "2026-03-02T00:00:00Z",
            "HTTP/1.1 304 x\r\n\r\n",
        );
        enter(&mut book, "a.example", "2026-01-01T00:00:00Z", OPEN);
        let at = |date| fetch(&book, "a.example", date);
        // Before all captures, the first one counts.
        assert_eq!(at("2025-12-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-02-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-03-01T00:00:00.5Z"), Fetch::Disallow);
        assert_eq!(at("2026-04-01T00:00:00Z"), Fetch::Disallow);
        assert_eq!(at(""), Fetch::Disallow, "the newest");
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Unknown);
    }

    #[test]
    #[allow(
        clippy::too_many_lines,
        reason = "a list of sites and of their answers"
    )]
    fn a_tdmrep_json_counts_like_a_robots_txt() {
        let fill = |book: &mut CaptureBook| {
            let file = |host: &str| format!("http://{host}.example/.well-known/tdmrep.json");
            let reserved = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[{\"location\": \"/x\", \"tdm-reservation\": 1}]";
            let redirect = |target: &str| format!("HTTP/1.1 301 x\r\nLocation: {target}\r\n\r\n");
            for host in ["a", "b", "c", "d", "e", "f", "markup", "none"] {
                enter(book, &format!("{host}.example"), "", OPEN);
            }
            for (host, date, answer) in [
                ("a", "2026-02-01T00:00:00Z", reserved),
                ("a", "2026-03-01T00:00:00Z", "HTTP/1.1 404 x\r\n\r\n"),
                ("b", "", "HTTP/1.1 503 x\r\n\r\n"),
                ("c", "", "HTTP/1.1 200 OK\r\n\r\n{}"),
                ("d", "", &redirect("/rights.json")),
            ] {
                enter_at(book, &file(host), date, answer);
            }
            let target = "http://d.example/rights.json";
            assert_eq!(book.take_missing(), HashSet::from([target.to_owned()]));
            enter_at(book, target, "", reserved);
            enter_at(book, &file("e"), "", redirect(&file("a")));
            // It may redirect to the file of another site, which is not a missing target.
            assert!(book.take_missing().is_empty());
            enter_at(book, &file("f"), "", redirect("http://gone.example/"));
            for (host, answers) in [
                // Long after a failure, and after a refusal, nothing is known; the last copy counts.
                ("g", &["HTTP/1.1 503 x\r\n\r\n"][..]),
                ("h", &["HTTP/1.1 403 x\r\n\r\n"]),
                ("i", &[reserved, "HTTP/1.1 503 x\r\n\r\n"]),
                // The name of the host has the name of the other file.
                ("robots.txt", &[reserved]),
                // Many servers send a page for any URL.
                ("markup", &["HTTP/1.1 200 OK\r\n\r\n<html>"]),
            ] {
                for (day, answer) in answers.iter().enumerate() {
                    let date = format!("2026-01-{:02}T00:00:00Z", day + 1);
                    enter_at(book, &file(host), &date, answer);
                }
            }
        };
        let check = |book: &CaptureBook| {
            let may_train = |host: &str, date: &str| {
                let url = format!("http://{host}.example/x");
                let page = Page::new(&url).with_status(200).with_html(b"");
                let decisions = book.decide(&page, Timestamp::parse(date));
                let warnings = decisions[0]
                    .warnings
                    .iter()
                    .map(|warning| warning.text.clone());
                (
                    decisions[0].may_train,
                    warnings.collect::<Vec<_>>().join("; "),
                )
            };
            let read = |permission| (permission, String::new());
            assert_eq!(may_train("none", ""), read(Permission::Yes));
            assert_eq!(may_train("a", "2026-02-15T00:00:00Z").0, Permission::No);
            assert_eq!(may_train("a", "2026-03-15T00:00:00Z").0, Permission::Yes);
            let (permission, text) = may_train("b", "");
            assert_eq!(
                (
                    permission,
                    text.contains("tdmrep.json was answered with status 503")
                ),
                (Permission::Unknown, true),
                "{text}"
            );
            let (permission, text) = may_train("c", "");
            assert_eq!(
                (permission, text.contains("not a JSON array, at line 1")),
                (Permission::Unknown, true),
                "{text}"
            );
            assert_eq!(may_train("e", ""), read(Permission::Yes));
            assert_eq!(may_train("d", ""), read(Permission::No));
            assert_eq!(may_train("f", "").0, Permission::Unknown);
            let later = "2026-03-15T00:00:00Z";
            assert_eq!(may_train("g", later).0, Permission::Unknown);
            assert_eq!(may_train("h", later).0, Permission::Unknown);
            assert_eq!(may_train("i", later).0, Permission::No);
            assert_eq!(may_train("robots.txt", later).0, Permission::No);
            assert_eq!(may_train("markup", later), read(Permission::Yes));
        };
        // The form of a run keeps no bodies.
        let mut of_run = book();
        fill(&mut of_run);
        check(&of_run);
        let mut book = CaptureBook::new(of_run.policies());
        fill(&mut book);
        check(&book);
        let policies = Arc::clone(book.policies());
        check(&CaptureBook::from_bytes_for(&book.to_bytes(), &policies).unwrap());
        let mut of_rows = CaptureBook::new(&policies);
        for row in book.rows() {
            of_rows.add_row(&row).unwrap();
        }
        check(&of_rows);
        let mut merged = CaptureBook::new(&policies);
        merged.merge(&book).unwrap();
        check(&merged);
    }

    #[test]
    fn the_earlier_copy_holds_during_a_failure() {
        let mut book = book_of(Policy::under(&Profile::google(), "Googlebot").unwrap());
        enter(&mut book, "a.example", "2026-11-01T00:00:00Z", CLOSED);
        let failed = "HTTP/1.1 503 x\r\n\r\n";
        enter(&mut book, "a.example", "2026-11-08T00:00:00Z", failed);
        let fetch = |date| fetch_by(&book, "http://a.example/x", date);
        // To a crawler, the copy would be stale by then. In an archive it applies until the next capture.
        assert_eq!(fetch("2026-11-07T00:00:00Z"), Fetch::Disallow);
        // Google waits for 12 hours after a failure, and then uses the copy.
        assert_eq!(fetch("2026-11-08T01:00:00Z"), Fetch::Defer);
        assert_eq!(fetch("2026-11-10T00:00:00Z"), Fetch::Disallow);
    }

    #[test]
    fn the_content_type_decides() {
        // Yandex obeys only a robots.txt that is text (docs/semantics.md, section 2.5).
        let mut book = book_of(Policy::under(&Profile::yandex(), "YandexBot").unwrap());
        let html = CLOSED.replace("200 OK", "200 OK\r\nContent-Type: text/html");
        enter(&mut book, "a.example", "", &html);
        enter(&mut book, "b.example", "", CLOSED);
        let fetch = |page_url| fetch_by(&book, page_url, "");
        assert_eq!(fetch("http://a.example/x"), Fetch::Allow);
        assert_eq!(fetch("http://b.example/x"), Fetch::Disallow);
    }

    #[test]
    fn an_unreadable_body_makes_the_state_unknown() {
        let mut book = book();
        let zstd = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n";
        let response = [zstd.as_bytes(), b"\x28\xB5\x2F\xFD"].concat();
        enter_at(&mut book, "http://a.example/robots.txt", "", response);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Unknown);
    }

    #[test]
    fn a_rule_that_is_a_url_applies_to_the_site_of_the_page() {
        // Under the dialect of this profile, a rule may be an absolute URL.
        let mut book = book_of(Policy::under(&Profile::duckduckgo(), "DuckDuckBot").unwrap());
        let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: http://a.example/x";
        let redirect = "HTTP/1.1 301 x\r\nLocation: http://c.example/robots.txt\r\n\r\n";
        enter(&mut book, "a.example", "", redirect);
        enter(&mut book, "b.example", "", file);
        enter(&mut book, "c.example", "", file);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Allow);
        assert_eq!(fetch(&book, "c.example", ""), Fetch::Allow);
    }

    #[test]
    fn redirects_are_followed_within_the_archives() {
        let mut book = book();
        let to =
            |host: &str| format!("HTTP/1.1 301 x\r\nLocation: http://{host}/robots.txt\r\n\r\n");
        // Too many redirects (more than five), or one without a valid target: RFC 9309 allows everything. The target of a
        // valid one must be in the archives.
        for hop in 0..6 {
            let from = format!("h{hop}.example");
            let next = format!("h{}.example", hop + 1);
            enter(&mut book, &from, "", &to(&next));
        }
        enter(&mut book, "h6.example", "", CLOSED);
        assert_eq!(fetch(&book, "h1.example", ""), Fetch::Disallow, "five");
        assert_eq!(fetch(&book, "h0.example", ""), Fetch::Allow, "six");
        enter(&mut book, "loop.example", "", &to("loop.example"));
        assert_eq!(fetch(&book, "loop.example", ""), Fetch::Allow);
        enter(&mut book, "out.example", "", &to("elsewhere.example"));
        assert_eq!(fetch(&book, "out.example", ""), Fetch::Unknown);
        let file = "HTTP/1.1 301 x\r\nLocation: file:///robots.txt\r\n\r\n";
        enter(&mut book, "file.example", "", file);
        assert_eq!(fetch(&book, "file.example", ""), Fetch::Allow);
        enter(&mut book, "nil.example", "", "HTTP/1.1 301 x\r\n\r\n");
        assert_eq!(fetch(&book, "nil.example", ""), Fetch::Allow);
    }

    #[test]
    fn a_redirect_may_lead_to_any_url() {
        let mut book = book();
        let redirect = "HTTP/1.1 302 x\r\nLocation: /static/robots?v=2#x\r\n\r\n";
        enter(&mut book, "a.example", "", redirect);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Unknown);
        // A new book: all captures are entered before the first query.
        let mut book = self::book();
        enter(&mut book, "a.example", "", redirect);
        let target = "http://a.example/static/robots?v=2";
        assert_eq!(book.take_missing(), HashSet::from([target.to_owned()]));
        assert!(book.take_missing().is_empty());
        enter_at(&mut book, target, "", CLOSED);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        // The target of another redirect to it is captured by now.
        enter(&mut book, "a.example", "2026-01-01T00:00:00Z", redirect);
        assert!(book.take_missing().is_empty());
    }

    #[test]
    fn a_request_without_a_response_follows_the_policy() {
        let mut book = book();
        let at = |host: &str| url(&format!("http://{host}/robots.txt"));
        book.enter(
            &at("a.example"),
            None,
            &RequestResult::Fault(RequestFault::Other),
            None,
        );
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://a.example/robots.txt\r\n\r\n";
        enter(&mut book, "b.example", "", redirect);
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Disallow);
        // A redirect to nowhere is another outcome than one to an unreachable site.
        let nowhere = RequestResult::Fault(RequestFault::Redirect);
        book.enter(&at("c.example"), None, &nowhere, None);
        assert_eq!(fetch(&book, "c.example", ""), Fetch::Allow);
    }

    #[test]
    fn a_private_address_is_unreachable_after_a_redirect_too() {
        let mut book = book();
        let private = RequestResult::Fault(RequestFault::named("private_address").unwrap());
        let at = url("http://10.0.0.1/robots.txt");
        book.enter(&at, None, &private, None);
        assert_eq!(fetch(&book, "10.0.0.1", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://10.0.0.1/robots.txt\r\n\r\n";
        enter(&mut book, "a.example", "", redirect);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
    }
}
