//! Cases as data: what a robots.txt says about a URL, what a page decides.

use robots_txt::{
    Agent, AgentList, AgentMatch, ByteOrderMark, Dialect, Encoding, FieldNames, RFC9309_SIZE_LIMIT,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A file of cases about robots.txt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsFile {
    /// The cases.
    pub case: Vec<RobotsCase>,
}

/// What a robots.txt says to robots about URLs.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsCase {
    /// The name of the trial.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// The dialects that it holds under; a name, with switches behind `+`.
    pub dialects: Vec<String>,
    /// The robots.txt. `{pad:N}` stands for a line that fills the text so far up to N bytes.
    pub body: String,
    /// Where the file was read from.
    pub url: Option<String>,
    /// The questions about URLs.
    #[serde(default)]
    pub ask: Vec<Ask>,
    /// The questions about crawl-delays.
    #[serde(default)]
    pub delay: Vec<Delay>,
}

/// One question.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Ask {
    /// The robot; with a `+` behind it, with the chain of names that is known of it.
    pub agent: String,
    /// The URL or path.
    pub url: String,
    /// `allow` or `disallow`.
    pub expect: String,
    /// The line that decides; 0 if none does.
    pub line: Option<usize>,
}

/// One question about a robot's crawl-delay.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Delay {
    /// The robot, as in [`Ask`].
    pub agent: String,
    /// The delay; there is none if it is not given.
    pub seconds: Option<f64>,
}

/// The robot that a case names.
#[must_use]
pub fn agent(name: &str) -> Agent<'_> {
    match name.strip_suffix('+') {
        Some(name) => Agent::known(name),
        None => Agent::new(name),
    }
}

impl RobotsCase {
    /// The bytes of the robots.txt.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let Some((before, rest)) = self.body.split_once("{pad:") else {
            return self.body.clone().into_bytes();
        };
        let (size, after) = rest.split_once('}').unwrap_or((rest, ""));
        let size: usize = size.parse().unwrap_or_default();
        let fill = size.saturating_sub(before.len()).saturating_sub(1);
        format!("{before}{}\n{after}", "#".repeat(fill)).into_bytes()
    }
}

/// The dialect of a name such as `rfc9309+commas`.
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

/// A file of cases about pages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageFile {
    /// The cases.
    pub case: Vec<PageCase>,
}

/// What is decided about a page.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageCase {
    /// The name of the trial.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// The robot.
    pub agent: String,
    /// The time to decide for.
    pub now: Option<String>,
    /// The robots.txt of the page's origin; not known if it is not given.
    pub robots: Option<String>,
    /// Header lines, `Name: value`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The page; if it is not given, the response is not HTML.
    pub html: Option<String>,
    /// Fields of the decision.
    pub expect: BTreeMap<String, toml::Value>,
}
