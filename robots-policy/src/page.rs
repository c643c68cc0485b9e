//! What a decision is asked about: a URL, and what came of fetching it.

use robots_meta::{HeadReader, PageMeta, Timestamp};
use std::borrow::Cow;

/// A URL, and as much as is known of the response that it gave.
///
/// ```
/// use robots_policy::Page;
///
/// let page = Page::new("https://example.com/report.pdf")
///     .with_status(200)
///     .with_headers([("Content-Type", "application/pdf"), ("X-Robots-Tag", "noindex")])
///     .not_html();
/// # let _ = page;
/// ```
#[derive(Debug, Clone)]
pub struct Page<'a> {
    pub(crate) url: &'a str,
    pub(crate) status: Option<u16>,
    pub(crate) headers: Vec<(&'a str, &'a str)>,
    pub(crate) charset: Option<&'a str>,
    pub(crate) content: Content<'a>,
    pub(crate) now: Option<Timestamp>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    /// The URL was not fetched.
    Unfetched,
    Html(&'a [u8]),
    Read(&'a PageMeta),
    NotHtml,
}

impl<'a> Page<'a> {
    /// A URL that has not been fetched.
    pub fn new(url: &'a str) -> Self {
        Self {
            url,
            status: None,
            headers: Vec::new(),
            charset: None,
            content: Content::Unfetched,
            now: None,
        }
    }

    /// The URL.
    pub fn url(&self) -> &'a str {
        self.url
    }

    /// With the HTML that the URL gave.
    #[must_use]
    pub fn with_html(mut self, html: &'a [u8]) -> Self {
        self.content = Content::Html(html);
        self
    }

    /// With a HEAD that has been read.
    #[must_use]
    pub fn with_meta(mut self, meta: &'a PageMeta) -> Self {
        self.content = Content::Read(meta);
        self
    }

    /// Fetched, and something else than HTML: only headers can speak.
    #[must_use]
    pub fn not_html(mut self) -> Self {
        self.content = Content::NotHtml;
        self
    }

    /// With the status of the response. A status other than 200 to 299 is no page.
    #[must_use]
    pub fn with_status(mut self, status: u16) -> Self {
        self.status = Some(status);
        self
    }

    /// With the `charset` of the response's `Content-Type`.
    #[must_use]
    pub fn with_charset(mut self, label: &'a str) -> Self {
        self.charset = Some(label);
        self
    }

    /// With the response's header lines, as name and value. Those that speak to robots are read
    /// (`X-Robots-Tag`, `Robots-Tag`), the others passed over. Lines of one name are given apart.
    #[must_use]
    pub fn with_headers(mut self, lines: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        self.headers = lines.into_iter().collect();
        self
    }

    /// With the time for which to decide. Without it, `unavailable_after` is told and not judged.
    #[must_use]
    pub fn at(mut self, now: Timestamp) -> Self {
        self.now = Some(now);
        self
    }

    /// What the HEAD says, if there is HTML.
    pub(crate) fn meta(&self) -> Option<Cow<'a, PageMeta>> {
        match self.content {
            Content::Html(html) => {
                let mut reader = HeadReader::new();
                if let Some(charset) = self.charset {
                    reader = reader.with_charset(charset);
                }
                let _ = reader.feed(html);
                Some(Cow::Owned(reader.finish()))
            }
            Content::Read(meta) => Some(Cow::Borrowed(meta)),
            Content::Unfetched | Content::NotHtml => None,
        }
    }
}
