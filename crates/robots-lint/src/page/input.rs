//! The page to lint.

use robots_meta::Timestamp;
use std::borrow::Cow;

/// A page with its headers, or another response that has headers for robots.
#[derive(Debug, Clone, Default)]
pub struct PageInput {
    url: Option<String>,
    charset: Option<String>,
    captured: Option<Timestamp>,
    headers: Vec<(String, Vec<u8>)>,
    html: Vec<u8>,
}

impl PageInput {
    /// Creates a page of these bytes. For a response that is not HTML, pass no bytes.
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

    /// Sets the encoding that the server names. It is not read from the headers.
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

    /// Sets all header lines, in order: names, and values as they were received.
    #[must_use]
    pub fn with_headers<N: Into<String>, V: Into<Vec<u8>>>(
        self,
        headers: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let headers = headers.into_iter();
        Self {
            headers: headers
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
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
    pub fn headers(&self) -> &[(String, Vec<u8>)] {
        &self.headers
    }

    /// Returns the bytes of the page.
    pub fn html(&self) -> &[u8] {
        &self.html
    }
}

/// Returns the value of a header line as text with the same offsets: each byte that is not UTF-8 is `?`.
pub fn header_text(value: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(value) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => value
            .utf8_chunks()
            .flat_map(|part| [part.valid().to_owned(), "?".repeat(part.invalid().len())])
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_of_a_header_has_the_offsets_of_its_bytes() {
        for (value, text) in [
            (&b"noindex"[..], "noindex"),
            (b"", ""),
            (b"caf\xE9, noindex", "caf?, noindex"),
            (b"\xFF\xC3\xA9\xE2\x82", "?\u{e9}??"),
        ] {
            assert_eq!(header_text(value), text);
            assert_eq!(header_text(value).len(), value.len());
        }
    }
}
