//! Cases about robots.txt files, in TOML: a file, and the verdicts that are expected of it.

use crate::error::CaseError;
use robots_txt::Agent;
use robots_txt::limits::MAX_BODY;
use serde::Deserialize;
use toml::Spanned;
use toml::de::DeValue;

/// A file of cases about robots.txt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsCaseFile {
    /// The cases.
    pub case: Vec<RobotsCase>,
}

/// A robots.txt, with questions about URLs and crawl-delays.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsCase {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the case follows; may be empty.
    #[serde(default)]
    pub source: String,
    /// The dialects that give these answers: names, each with its switches after `+`.
    pub dialects: Vec<String>,
    /// The robots.txt. `{pad:N}` expands to a comment that pads the preceding text to N bytes.
    pub body: String,
    /// The URL of the file, which some dialects take into account; unknown if absent.
    pub url: Option<String>,
    /// The questions about URLs.
    #[serde(default)]
    pub ask: Vec<Spanned<UrlQuestion>>,
    /// The questions about crawl-delays.
    #[serde(default)]
    pub delay: Vec<Spanned<DelayQuestion>>,
}

impl RobotsCase {
    /// Returns whether a table is a case about robots.txt: it has a key that cases about pages lack.
    pub(crate) fn is_table(table: &DeValue<'_>) -> bool {
        let keys = ["dialects", "body", "ask", "delay"];
        keys.iter().any(|key| table.get(key).is_some())
    }

    /// Returns the offsets of the questions in their file, in the order of the vectors.
    pub(crate) fn offsets(&self) -> impl Iterator<Item = usize> {
        let asks = self.ask.iter().map(|ask| ask.span().start);
        asks.chain(self.delay.iter().map(|delay| delay.span().start))
    }
}

/// A question about a URL.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct UrlQuestion {
    /// The robot; `Name+` is the robot with all names that its vendor documents.
    pub agent: String,
    /// The URL or path.
    pub url: String,
    /// The expected verdict.
    pub expect: ExpectedVerdict,
    /// The expected 1-based line that decides; 0 if none does.
    pub line: Option<usize>,
}

/// An expected verdict: `allow` or `disallow`. Any other word is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(clippy::exhaustive_enums, reason = "a URL may be fetched or not")]
pub enum ExpectedVerdict {
    /// The robot may fetch the URL.
    Allow,
    /// The robot may not fetch the URL.
    Disallow,
}

/// A question about a robot's crawl-delay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DelayQuestion {
    /// The robot, as in [`UrlQuestion`].
    pub agent: String,
    /// The expected delay in seconds; none if no delay is expected.
    pub seconds: Option<f64>,
}

/// Returns the robot that a case writes as `Name`, or as `Name+` for all names that its vendor documents.
#[must_use]
pub fn agent(name: &str) -> Agent<'_> {
    match name.strip_suffix('+') {
        Some(name) => Agent::known(name),
        None => Agent::new(name),
    }
}

/// Returns the bytes of a robots.txt, with `{pad:N}` expanded to a comment that pads the preceding
/// text to N bytes, up to [`MAX_BODY`].
pub(crate) fn padded(text: &str) -> Result<Vec<u8>, CaseError> {
    let Some((before, rest)) = text.split_once("{pad:") else {
        return Ok(text.as_bytes().to_vec());
    };
    let invalid = || {
        let start: String = rest.chars().take(20).collect();
        CaseError::new(format!(
            "unexpected {start:?} after \"{{pad:\": expected a size in bytes and \"}}\"; \
             the size must be above that of the preceding text, up to {MAX_BODY}"
        ))
    };
    let (size, after) = rest.split_once('}').ok_or_else(invalid)?;
    let size: usize = size.parse().map_err(|_| invalid())?;
    let fill = Some(size)
        .filter(|size| *size <= MAX_BODY)
        .and_then(|size| size.checked_sub(before.len() + 1))
        .ok_or_else(invalid)?;
    Ok(format!("{before}{}\n{after}", "#".repeat(fill)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_needs_a_byte_for_the_end_of_the_line() {
        assert_eq!(padded("abc{pad:5}x").unwrap(), b"abc#\nx");
        assert_eq!(padded("abc{pad:4}x").unwrap(), b"abc\nx");
        let over = format!("abc{{pad:{}}}x", MAX_BODY + 1);
        for invalid in [
            "abc{pad:3}x",
            "abc{pad:}x",
            "abc{pad:1k}",
            "abc{pad:5",
            &over,
        ] {
            let error = padded(invalid).unwrap_err().to_string();
            let expected = "expected a size in bytes and \"}\"; \
                the size must be above that of the preceding text, up to 16777216";
            assert!(error.ends_with(expected), "{error}");
        }
        for size in [MAX_BODY - 1, MAX_BODY] {
            let body = padded(&format!("abc{{pad:{size}}}x")).unwrap();
            assert_eq!(body.len(), size + 1);
        }
    }
}
