//! What is known about a page: the robots.txt of its site, and its response.

use robots_meta::Timestamp;
use robots_meta::value::MediaType;
use robots_policy::robots::RobotsState;
use robots_policy::site::{Rsl, RslDocuments, RslLookup, SiteRules, Tdmrep};
use robots_policy::{Page, Policy};
use std::sync::Mutex;
use url::Url;

/// What is known about a page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Evidence {
    /// The URL of the page.
    pub url: String,
    /// The robots.txt of its site.
    pub robots_txt: RobotsEvidence,
    /// The page.
    pub page: PageEvidence,
    /// The tdmrep.json of its site, if it is known.
    pub tdmrep: Option<Tdmrep>,
    /// The licences that are known.
    pub licenses: RslDocuments,
}

/// What is known about the robots.txt of a site. Its rules are in the states from which decisions are made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RobotsEvidence {
    /// It is not known.
    Unknown {
        /// What the user can do to make it known.
        remedy: String,
    },
    /// It was given as a file.
    File {
        /// The name of the file.
        name: String,
        /// Its length in bytes.
        bytes: usize,
    },
    /// It was requested from the site.
    Requested(RobotsRequest),
}

/// The request for a robots.txt.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RobotsRequest {
    /// The URL of the last request.
    pub url: String,
    /// The number of redirects.
    pub redirects: usize,
    /// The status of the last response, if there was one.
    pub status: Option<u16>,
    /// Why there is no response: the name of the fault, as docs/fetching.md lists it, and the fault with its causes, for people.
    pub fault: Option<(&'static str, String)>,
    /// The length of the body in bytes.
    pub bytes: usize,
}

/// A page.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum PageEvidence {
    /// The page, and its response as far as it is known.
    Known(Box<KnownPage>),
    /// Why it is not known.
    Unknown(String),
}

/// A page, and its response as far as it is known.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
pub struct KnownPage {
    /// Whether it was requested from its site. Otherwise, it was given.
    pub is_fetched: bool,
    /// Why it was requested although robots.txt does not allow it to the requester, as a clause.
    pub exception: Option<String>,
    /// The status, which is not known for saved HTML.
    pub status: Option<u16>,
    /// The header lines: names and values, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Whether there are no more header lines than these.
    pub has_all_headers: bool,
    /// The encoding, if it is not that of the `Content-Type`.
    pub charset: Option<String>,
    /// Whether the body is known. Otherwise it is empty.
    pub has_body: bool,
    /// The body, as far as it was read.
    pub body: Vec<u8>,
    /// Whether the body is HTML, by its type or for lack of one.
    pub is_html: bool,
    /// Whether the body was read to its end.
    pub is_whole: bool,
}

impl Evidence {
    /// Returns what is known about the page at a URL.
    pub fn new(url: impl Into<String>, robots_txt: RobotsEvidence, page: PageEvidence) -> Self {
        Self {
            url: url.into(),
            robots_txt,
            page,
            tdmrep: None,
            licenses: RslDocuments::default(),
        }
    }

    /// Returns the URLs of the licences of RSL that the site and the page name, as a policy reads them, each once.
    pub fn named_licenses(
        &self,
        policy: &Policy,
        robots: &RobotsState<SiteRules>,
        now: Timestamp,
    ) -> Vec<Url> {
        let named = NamedLicenses::default();
        policy.decide_under(robots, &self.page(now).with_rsl(&named));
        named.urls.into_inner().unwrap_or_default()
    }

    /// Returns the URL to which the page redirects, or what is in the place of a URL; `None` if it does not redirect.
    pub fn redirect(&self) -> Option<String> {
        let PageEvidence::Known(page) = &self.page else {
            return None;
        };
        let location = page.location()?;
        let target = Url::parse(&self.url).and_then(|url| url.join(&location));
        Some(target.map_or(location, String::from))
    }

    /// Returns the page as decisions take it.
    pub fn page(&self, now: Timestamp) -> Page<'_> {
        let mut page = Page::new(&self.url).at(now).with_rsl(&self.licenses);
        if let Some(tdmrep) = &self.tdmrep {
            page = page.with_tdmrep(tdmrep);
        }
        match &self.page {
            PageEvidence::Known(known) => known.state(page),
            PageEvidence::Unknown(_) => page,
        }
    }
}

/// The licences that a decision looks up. None is known.
#[derive(Debug, Default)]
struct NamedLicenses {
    urls: Mutex<Vec<Url>>,
}

impl RslLookup for NamedLicenses {
    fn document(&self, url: &Url) -> Option<Rsl> {
        let mut urls = self.urls.lock().ok()?;
        if !urls.contains(url) {
            urls.push(url.clone());
        }
        None
    }
}

impl RobotsRequest {
    /// Returns a request without redirects that had no response, for a reason that [`fault`](Self::fault) may state.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            redirects: 0,
            status: None,
            fault: None,
            bytes: 0,
        }
    }
}

impl KnownPage {
    /// Returns a page of which only HTML is known.
    pub fn of_html(body: Vec<u8>) -> Self {
        Self {
            is_fetched: false,
            exception: None,
            status: None,
            headers: Vec::new(),
            has_all_headers: true,
            charset: None,
            has_body: true,
            body,
            is_html: true,
            is_whole: true,
        }
    }

    /// Returns a response with all its header lines, and an empty body. By its type, or for lack of one, it is HTML.
    pub fn of_response(status: Option<u16>, headers: Vec<(String, Vec<u8>)>) -> Self {
        let mut page = Self {
            status,
            headers,
            ..Self::of_html(Vec::new())
        };
        page.is_html = page.media_type().may_be_html();
        page
    }

    /// Returns the response to a request: its body, as far as it was read.
    pub fn requested<'h>(
        status: u16,
        headers: impl Iterator<Item = (&'h str, &'h [u8])>,
        body: Vec<u8>,
        is_whole: bool,
    ) -> Self {
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self {
            is_fetched: true,
            body,
            is_whole,
            ..Self::of_response(Some(status), headers.collect())
        }
    }

    /// Returns a response that was given: its HTML with the label of its encoding, if they are known.
    pub fn given(
        status: Option<u16>,
        headers: Vec<(String, Vec<u8>)>,
        html: Option<Vec<u8>>,
        charset: Option<String>,
    ) -> Self {
        Self {
            charset,
            has_body: html.is_some(),
            body: html.unwrap_or_default(),
            ..Self::of_response(status, headers)
        }
    }

    /// Returns a page with what is known about it.
    fn state<'p>(&'p self, mut page: Page<'p>) -> Page<'p> {
        page = page.with_headers(self.header_lines());
        if let Some(status) = self.status {
            page = page.with_status(status);
        }
        if let Some(charset) = self.charset() {
            page = page.with_charset(charset);
        }
        page = match (self.is_html, self.has_body) {
            (true, true) => page.with_html(&self.body),
            (true, false) => page,
            (false, _) => page.not_html(),
        };
        if !self.is_whole {
            page = page.cut_short();
        }
        if !self.has_all_headers {
            page = page.with_cut_headers();
        }
        page
    }

    fn header_lines(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let lines = self.headers.iter();
        lines.map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Returns the value of the first header line with a name; empty if there is none.
    fn header(&self, name: &str) -> &[u8] {
        let mut lines = self.header_lines();
        lines
            .find(|(line, _)| line.eq_ignore_ascii_case(name))
            .map_or(&[], |(_, value)| value)
    }

    fn media_type(&self) -> MediaType<'_> {
        MediaType::of_headers(self.header_lines())
    }

    /// Returns the label of its encoding, if it is known: the one given, or else that of the `Content-Type`.
    pub fn charset(&self) -> Option<&str> {
        let given = self.charset.as_deref();
        given.or_else(|| self.media_type().charset())
    }

    /// Returns the target of a redirect, as written.
    pub fn location(&self) -> Option<String> {
        let is_redirect = matches!(self.status, Some(300..=399));
        let location = self.header("location");
        (is_redirect && !location.is_empty())
            .then(|| String::from_utf8_lossy(location).into_owned())
    }
}
