//! The page to lint.

use robots_meta::Timestamp;

/// A page with its headers, or another response that has headers for robots.
#[derive(Debug, Clone, Default)]
pub struct PageInput {
    url: Option<String>,
    charset: Option<String>,
    captured: Option<Timestamp>,
    headers: Vec<(String, String)>,
    html: Vec<u8>,
}

impl PageInput {
    /// Creates a page of these bytes; of a response that is not HTML they are empty.
    pub fn new(html: impl Into<Vec<u8>>) -> Self {
        Self {
            html: html.into(),
            ..Self::default()
        }
    }

    /// Sets the URL, which canonical links and robots.txt need.
    #[must_use]
    pub fn with_url(self, url: impl Into<String>) -> Self {
        Self {
            url: Some(url.into()),
            ..self
        }
    }

    /// Sets the encoding that the server names.
    #[must_use]
    pub fn with_charset(self, charset: impl Into<String>) -> Self {
        Self {
            charset: Some(charset.into()),
            ..self
        }
    }

    /// Sets the time of the capture, which chooses the robots.txt in force.
    #[must_use]
    pub fn with_capture_time(self, captured: Timestamp) -> Self {
        Self {
            captured: Some(captured),
            ..self
        }
    }

    /// Sets all header lines, in order: names and values.
    #[must_use]
    pub fn with_headers(self, headers: impl IntoIterator<Item = (String, String)>) -> Self {
        Self {
            headers: headers.into_iter().collect(),
            ..self
        }
    }

    /// Returns the URL.
    pub fn url(&self) -> Option<&str> {
        self.url.as_deref()
    }

    /// Returns the encoding that the server names.
    pub fn charset(&self) -> Option<&str> {
        self.charset.as_deref()
    }

    /// Returns the time of the capture.
    pub fn capture_time(&self) -> Option<Timestamp> {
        self.captured
    }

    /// Returns all header lines, in order: names and values.
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }

    /// Returns the bytes of the page.
    pub fn html(&self) -> &[u8] {
        &self.html
    }
}
