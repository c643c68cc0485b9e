//! The page of a decision: a URL and its response, as far as it is known.

use crate::robots::RobotsFetch;
use crate::site::RslLookup;
use crate::site::tdmrep::Tdmrep;
use robots_meta::value::MediaType;
use robots_meta::{PageFacts, Timestamp};

/// A URL and its response, as far as it is known.
///
/// The `Content-Type` among the headers states whether it is HTML and in which encoding, unless another
/// method overrides it.
///
/// ```
/// use robots_policy::Page;
///
/// let page = Page::new("https://example.com/report.pdf")
///     .with_status(200)
///     .with_headers([("Content-Type", "application/pdf"), ("X-Robots-Tag", "noindex")]);
/// # let _ = page;
/// ```
#[derive(Debug, Clone)]
pub struct Page<'a> {
    pub(crate) url: &'a str,
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(&'a [u8], &'a [u8])>,
    pub(crate) charset: Option<&'a str>,
    pub(crate) content: Content<'a>,
    pub(crate) now: Option<Timestamp>,
    pub(crate) is_cut: bool,
    /// Whether header lines are missing.
    pub(crate) has_cut_headers: bool,
    pub(crate) tdmrep: Option<&'a Tdmrep>,
    pub(crate) rsl: Option<&'a dyn RslLookup>,
    /// The seconds from the capture of robots.txt to that of the page; negative if the page was first.
    pub(crate) seconds_after_robots: Option<i64>,
}

/// The content of the response, as far as it is known.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    /// The URL was not fetched, or only its status and headers are known.
    Unknown,
    /// HTML that was not read yet.
    Html(&'a [u8]),
    /// HTML that was read.
    Read(&'a PageFacts),
    /// Content that is not HTML.
    NotHtml,
}

impl<'a> Page<'a> {
    /// Returns a page that was not fetched.
    pub fn new(url: &'a str) -> Self {
        Self {
            url,
            status: None,
            headers: Vec::new(),
            charset: None,
            content: Content::Unknown,
            now: None,
            is_cut: false,
            has_cut_headers: false,
            tdmrep: None,
            rsl: None,
            seconds_after_robots: None,
        }
    }

    /// Returns the URL.
    pub fn url(&self) -> &'a str {
        self.url
    }

    /// Sets the HTML of the response.
    #[must_use]
    pub fn with_html(mut self, html: &'a [u8]) -> Self {
        self.content = Content::Html(html);
        self
    }

    /// Sets the facts of a HEAD that was read, at least those that the policy needs
    /// ([`Policy::read`](crate::Policy::read), [`Policy::head_options`](crate::Policy::head_options)).
    #[must_use]
    pub fn with_meta(mut self, meta: &'a PageFacts) -> Self {
        self.content = Content::Read(meta);
        self
    }

    /// Marks the response as not HTML: only its headers count.
    #[must_use]
    pub fn not_html(mut self) -> Self {
        self.content = Content::NotHtml;
        self
    }

    /// Marks the content as cut before its end. If HEAD is cut, a decision only reports what the page
    /// forbids.
    #[must_use]
    pub fn cut_short(mut self) -> Self {
        self.is_cut = true;
        self
    }

    /// Marks the header lines as cut before their end: a decision only reports what the page forbids.
    #[must_use]
    pub fn with_cut_headers(mut self) -> Self {
        self.has_cut_headers = true;
        self
    }

    /// Sets the status of the response. With a status other than 200 to 299, the content is not a page.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// Sets the label of the encoding, in place of the `charset` of the `Content-Type`.
    #[must_use]
    pub fn with_charset(mut self, label: &'a str) -> Self {
        self.charset = Some(label);
        self
    }

    /// Sets the tdmrep.json of the page's origin, in place of the one that the policy learned.
    #[must_use]
    pub fn with_tdmrep(mut self, tdmrep: &'a Tdmrep) -> Self {
        self.tdmrep = Some(tdmrep);
        self
    }

    /// Sets the known licence documents. Those that robots.txt, a header or HEAD names decide about AI (`docs/semantics.md`,
    /// section 4.7).
    #[must_use]
    pub fn with_rsl(mut self, documents: &'a dyn RslLookup) -> Self {
        self.rsl = Some(documents);
        self
    }

    /// Replaces the header lines of the response. Each is a name and a value, as text or as the bytes
    /// that were received; lines of one name are separate.
    ///
    /// `Content-Type`, `X-Robots-Tag`, `Robots-Tag` and the headers on the use of content
    /// ([`PageHeader`](robots_meta::header::PageHeader)) are read; others are ignored. A value that may have control characters is
    /// first passed through [`control_characters_as_spaces`](robots_meta::header::control_characters_as_spaces).
    #[must_use]
    pub fn with_headers<N, V>(mut self, lines: impl IntoIterator<Item = (&'a N, &'a V)>) -> Self
    where
        N: AsRef<[u8]> + ?Sized + 'a,
        V: AsRef<[u8]> + ?Sized + 'a,
    {
        self.headers = lines
            .into_iter()
            .map(|(name, value)| (name.as_ref(), value.as_ref()))
            .collect();
        self
    }

    /// Sets the time of the decision. Without it, `unavailable_after` and visit times are reported
    /// but not applied, and no robots.txt is stale. A decision warns of a date that would have mattered
    /// ([`WarningKind::NoTime`](crate::decision::WarningKind::NoTime)).
    #[must_use]
    pub fn at(mut self, now: impl Into<Option<Timestamp>>) -> Self {
        self.now = now.into();
        self
    }

    /// Sets when robots.txt and the page were captured. A decision warns if robots.txt was captured after the
    /// page ([`WarningKind::RobotsLater`](crate::decision::WarningKind::RobotsLater)), or long before
    /// ([`WarningKind::RobotsOld`](crate::decision::WarningKind::RobotsOld)).
    #[must_use]
    pub fn with_captures(mut self, robots: Timestamp, page: Timestamp) -> Self {
        self.seconds_after_robots = Some(page.as_seconds().saturating_sub(robots.as_seconds()));
        self
    }

    /// Returns whether the site is available, by the status of the page, if that is known. A 5xx or 429 means that it is not
    /// available.
    pub fn site_is_available(&self) -> Option<bool> {
        self.status
            .map(|status| !RobotsFetch::Status(status).is_passing_failure())
    }

    /// Returns whether the URL was not requested yet.
    pub(crate) fn is_unfetched(&self) -> bool {
        matches!(self.content, Content::Unknown) && !self.is_answered()
    }

    /// Returns whether there is a response.
    pub(crate) fn is_answered(&self) -> bool {
        self.status.is_some() || !self.headers.is_empty()
    }

    /// Returns whether the response states a type other than HTML.
    pub(crate) fn has_other_type(&self) -> bool {
        !self.media_type().may_be_html()
    }

    fn media_type(&self) -> MediaType<'a> {
        MediaType::of_headers(self.headers.iter().copied())
    }

    /// Returns the label of the encoding that the response names: that of [`with_charset`](Self::with_charset), or else that
    /// of the `Content-Type` ([`MediaType::of_headers`]).
    pub fn encoding_label(&self) -> Option<&'a str> {
        self.charset.or(self.media_type().charset())
    }

    /// Returns whether the status is from 400 to 499, except 429, which asks for fewer requests.
    pub(crate) fn is_client_error(&self) -> bool {
        self.status
            .is_some_and(|status| (400..=499).contains(&status) && status != 429)
    }

    /// Returns whether the status is known and is neither 2xx nor 304. Status 304 confirms a page that was fetched
    /// before.
    pub(crate) fn is_failure(&self) -> bool {
        !self.is_success() && self.status != Some(304)
    }

    /// Returns whether the status is 2xx, or not known.
    pub(crate) fn is_success(&self) -> bool {
        self.status
            .is_none_or(|status| (200..=299).contains(&status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::{PageLayer, WarningKind};
    use crate::{Decision, Index, Permission, Policy, Profile, RobotsFetch};
    use robots_meta::HeadOptions;

    /// Decides for a robot under a profile. The site has no robots.txt.
    fn decide_under(profile: &Profile, agent: &str, page: &Page<'_>) -> Decision {
        let policy = Policy::under(profile, agent).unwrap();
        policy.decide_under(&policy.robots(RobotsFetch::Status(404)), page)
    }

    fn decide(page: &Page<'_>) -> Decision {
        decide_under(&Profile::neutral(), "a", page)
    }

    #[test]
    fn the_known_parts_of_a_response_count() {
        let page = || Page::new("https://example.com/x");
        let of = |page: Page<'_>| {
            let decision = decide(&page);
            (decision.page_layer, decision.index, decision.follow)
        };
        let unknown = Permission::Unknown;
        assert_eq!(of(page()), (PageLayer::Unknown, Index::Unknown, unknown));
        assert_eq!(
            of(page().with_status(404)),
            (PageLayer::Absent, Index::Unknown, unknown)
        );
        // With headers alone, only their prohibitions are known.
        assert_eq!(
            of(page()
                .with_status(200)
                .with_headers([("X-Robots-Tag", "noindex")])),
            (PageLayer::Unknown, Index::No, unknown)
        );
        assert_eq!(
            of(page().with_headers([("Content-Type", "application/pdf")])),
            (PageLayer::Absent, Index::Yes, Permission::Yes)
        );
        let pdf = [
            ("Content-Type", "application/pdf"),
            ("X-Robots-Tag", "noindex"),
        ];
        assert_eq!(
            of(page().with_headers(pdf)),
            (PageLayer::Seen, Index::No, Permission::Yes)
        );
    }

    #[test]
    fn header_values_need_not_be_utf_8() {
        let index = |value: &[u8]| {
            let page = Page::new("https://example.com/x")
                .with_html(b"<title>a</title>")
                .with_headers([(&b"X-Robots-Tag"[..], value)]);
            let decision = decide(&page);
            (decision.index, decision.warnings.len())
        };
        // The directive with the byte is unknown; the others count.
        assert_eq!(index(b"caf\xE9, noindex"), (Index::No, 1));
        assert_eq!(index(b"noindex, caf\xE9"), (Index::No, 1));
        assert_eq!(index(b"noindex\xE9"), (Index::Yes, 1));
        assert_eq!(index(b"noindex"), (Index::No, 0));
    }

    #[test]
    fn a_head_cut_by_a_limit_only_forbids() {
        let mut reader = HeadOptions::new().with_limit(40).reader();
        let _ =
            reader.feed(b"<meta name=robots content=nofollow><meta name=robots content=noindex>");
        let meta = reader.finish();
        let decision = decide(&Page::new("https://example.com/").with_meta(&meta));
        assert_eq!(decision.follow, Permission::No);
        assert_eq!(decision.index, Index::Unknown);
        assert_eq!(decision.snippet, None);
    }

    #[test]
    fn a_cut_page_only_forbids_unless_its_head_is_whole() {
        let index = |html: &[u8]| {
            let page = Page::new("https://example.com/")
                .with_html(html)
                .cut_short();
            decide(&page).index
        };
        assert_eq!(index(b"<title>a</title>"), Index::Unknown);
        assert_eq!(index(b"<meta name=robots content=noindex>"), Index::No);
        assert_eq!(index(b"<title>a</title><body>"), Index::Yes);
    }

    #[test]
    fn a_page_with_cut_headers_forbids_and_does_not_allow() {
        let index = |value: &str, is_html: bool| {
            let page = Page::new("https://example.com/")
                .with_headers([("X-Robots-Tag", value)])
                .with_cut_headers();
            let page = if is_html {
                page.with_html(b"<title>a</title><body>")
            } else {
                page.not_html()
            };
            let decision = decide(&page);
            let kinds = decision.warnings.iter().map(|warning| warning.kind);
            assert_eq!(kinds.collect::<Vec<_>>(), [WarningKind::HeadIncomplete]);
            decision.index
        };
        for is_html in [true, false] {
            assert_eq!(index("all", is_html), Index::Unknown);
            assert_eq!(index("noindex", is_html), Index::No);
        }
        let page = Page::new("https://example.com/a.pdf").not_html();
        assert_eq!(decide(&page).index, Index::Yes);
        assert_eq!(decide(&page.with_cut_headers()).index, Index::Unknown);
    }

    #[test]
    fn the_type_of_the_content_names_its_encoding() {
        let html = b"<title>r\xE9v</title><meta name=robots content=noindex>";
        let headers = [("content-type", "text/html; charset=windows-1252")];
        let page = Page::new("https://example.com/")
            .with_headers(headers)
            .with_html(html);
        assert_eq!(page.encoding_label(), Some("windows-1252"));
        assert_eq!(decide(&page).index, Index::No);
    }

    #[test]
    fn metas_in_body_count_where_the_profile_honours_them() {
        let index = |profile: &Profile, html: &[u8]| {
            let page = Page::new("https://example.com/").with_html(html);
            decide_under(profile, "Googlebot", &page).index
        };
        let html = b"<title>a</title><p>b<META name=robots content=noindex>";
        assert_eq!(index(&Profile::google(), html), Index::No);
        assert_eq!(index(&Profile::neutral(), html), Index::Yes);
        // In UTF-16, offsets in bytes and in text differ.
        let wide: Vec<u8> = [0xFF, 0xFE]
            .into_iter()
            .chain(html.iter().flat_map(|&byte| [byte, 0]))
            .collect();
        assert_eq!(index(&Profile::google(), &wide), Index::No);
        assert_eq!(index(&Profile::neutral(), &wide), Index::Yes);
        // A caller may read the whole document; METAs in BODY still count only where they are honoured.
        let meta = HeadOptions::new().read_document(html);
        let page = Page::new("https://example.com/").with_meta(&meta);
        assert_eq!(decide(&page).index, Index::Yes);
    }

    #[test]
    fn status_304_keeps_the_state() {
        let policy = Policy::new("a").unwrap();
        let url = "https://example.com/x";
        policy
            .learn(url, RobotsFetch::Body(b"User-agent: *\nDisallow: /"))
            .unwrap();
        policy.learn(url, RobotsFetch::Status(304)).unwrap();
        assert_eq!(policy.decide_page(&Page::new(url)).index, Index::UrlOnly);
    }

    #[test]
    fn a_site_that_answers_is_available() {
        let url = "https://example.com/x";
        let available = |page: Page<'_>| page.site_is_available();
        assert_eq!(available(Page::new(url)), None);
        assert_eq!(available(Page::new(url).with_status(404)), Some(true));
        assert_eq!(available(Page::new(url).with_status(503)), Some(false));
        assert_eq!(available(Page::new(url).with_status(429)), Some(false));
    }

    #[test]
    fn a_page_cut_in_body_may_have_more_metas() {
        let index = |profile: &Profile| {
            let page = Page::new("https://example.com/x")
                .with_html(b"<title>a</title><body><p>b")
                .cut_short();
            decide_under(profile, "Googlebot", &page).index
        };
        assert_eq!(index(&Profile::google()), Index::Unknown);
        assert_eq!(index(&Profile::neutral()), Index::Yes);
    }
}
