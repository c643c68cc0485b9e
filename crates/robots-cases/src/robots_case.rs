//! Cases about robots.txt files, in TOML: a file, and the verdicts that are expected of it.

use robots_txt::dialect::{AgentList, AgentMatch, ByteOrderMark, Encoding, FieldNames};
use robots_txt::limits::{MAX_BODY, RFC9309_SIZE_LIMIT};
use robots_txt::{Agent, Dialect};
use serde::Deserialize;

/// A file of cases about robots.txt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsFile {
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
    /// The document, standard or decision that the case follows.
    pub source: String,
    /// The dialects that give these answers: names, each with its switches after `+`.
    pub dialects: Vec<String>,
    /// The robots.txt. `{pad:N}` is a comment line that fills the text before it up to N bytes.
    pub body: String,
    /// The URL of the file.
    pub url: Option<String>,
    /// The questions about URLs.
    #[serde(default)]
    pub ask: Vec<Ask>,
    /// The questions about crawl-delays.
    #[serde(default)]
    pub delay: Vec<Delay>,
}

/// A question about a URL.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Ask {
    /// The robot; `Name+` is the robot with all names that its vendor documents.
    pub agent: String,
    /// The URL or path.
    pub url: String,
    /// `allow` or `disallow`.
    pub expect: String,
    /// The 1-based line that decides; 0 if none does.
    pub line: Option<usize>,
}

/// A question about a robot's crawl-delay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Delay {
    /// The robot, as in [`Ask`].
    pub agent: String,
    /// The delay in seconds; none if there is no delay.
    pub seconds: Option<f64>,
}

/// Returns the robot of a case: `Name`, or `Name+` with all names that its vendor documents.
#[must_use]
pub fn agent(name: &str) -> Agent<'_> {
    match name.strip_suffix('+') {
        Some(name) => Agent::known(name),
        None => Agent::new(name),
    }
}

/// Returns the bytes of a robots.txt, with `{pad:N}` replaced by a comment line that fills the text
/// before it up to N bytes.
pub(crate) fn padded(text: &str) -> Vec<u8> {
    let Some((before, rest)) = text.split_once("{pad:") else {
        return text.as_bytes().to_vec();
    };
    let (size, after) = rest.split_once('}').unwrap_or((rest, ""));
    let size: usize = size.parse().unwrap_or_default();
    let fill = size
        .min(MAX_BODY)
        .saturating_sub(before.len())
        .saturating_sub(1);
    format!("{before}{}\n{after}", "#".repeat(fill)).into_bytes()
}

/// Returns the dialect of a name such as `rfc9309+commas`.
#[must_use]
pub fn dialect(name: &str) -> Option<Dialect> {
    let mut parts = name.split('+');
    let mut dialect = Dialect::by_name(parts.next()?)?;
    for switch in parts {
        dialect = match switch {
            "commas" => dialect.with_agent_list(AgentList::Commas),
            "rfc_tokens" => dialect.with_agent_match(AgentMatch::RfcToken),
            "rfc_table" => dialect.with_encoding(Encoding::RfcTable),
            "keep_bom" => dialect.with_byte_order_mark(ByteOrderMark::Keep),
            "typos" => dialect.with_field_names(FieldNames::PrefixesAndTypos),
            "500kib" => dialect.with_size_limit(Some(RFC9309_SIZE_LIMIT)),
            _ => return None,
        };
    }
    Some(dialect)
}
