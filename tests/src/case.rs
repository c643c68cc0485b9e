//! Cases as data: what a robots.txt says about a URL, what a page decides.

use anyhow::{Context, Result};
use robots_meta::Timestamp;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch, RobotsResponse, Tdmrep};
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
    /// The profile, by its name; the neutral one if it is not given.
    pub profile: Option<String>,
    /// The robot; the profile's first if it is not given.
    pub agent: Option<String>,
    /// The time to decide for.
    pub now: Option<String>,
    /// The page's URL: `https://example.com/page` if it is not given.
    pub url: Option<String>,
    /// Whether the page was fetched; if not, nothing is known but its URL.
    #[serde(default = "yes")]
    pub fetched: bool,
    /// The robots.txt of `https://example.com`; not known if it is not given.
    pub robots: Option<String>,
    /// What became of requests for it, one after the other.
    #[serde(default)]
    pub requests: Vec<Request>,
    /// The tdmrep.json of `https://example.com`.
    pub tdmrep: Option<String>,
    /// Header lines, `Name: value`.
    #[serde(default)]
    pub headers: Vec<String>,
    /// The page; if it is not given, the response is not HTML.
    pub html: Option<String>,
    /// Fields of the decision.
    pub expect: BTreeMap<String, toml::Value>,
}

fn yes() -> bool {
    true
}

/// What became of a request for /robots.txt.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Request {
    /// When it was made.
    pub at: Option<String>,
    /// The status of the answer; without it and a body, there was none.
    pub status: Option<u16>,
    /// The body of the answer.
    pub body: Option<String>,
    /// The type of its content.
    pub content_type: Option<String>,
    /// How many redirects were followed, if that is more than five.
    pub redirects: Option<u32>,
}

impl Request {
    /// What became of it, as the library takes it.
    #[must_use]
    pub fn fetch(&self) -> RobotsFetch<'_> {
        if self.redirects.is_some_and(|redirects| redirects > 5) {
            return RobotsFetch::TooManyRedirects;
        }
        let status = match (self.status, &self.body) {
            (Some(status), _) => status,
            (None, Some(_)) => 200,
            (None, None) => return RobotsFetch::Unreachable,
        };
        let body = self.body.as_deref().unwrap_or_default();
        let mut response = RobotsResponse::new(status, body.as_bytes());
        if let Some(content_type) = &self.content_type {
            response = response.with_content_type(content_type);
        }
        RobotsFetch::Response(response)
    }
}

impl PageCase {
    /// The policy, with what it has learned of `https://example.com`.
    ///
    /// # Errors
    ///
    /// If there is no such profile, a time is none, or the tdmrep.json cannot be read.
    pub fn policy(&self) -> Result<Policy> {
        let name = self.profile.as_deref().unwrap_or("neutral");
        let profile = Profile::by_name(name).with_context(|| format!("no profile {name:?}"))?;
        let policy = Policy::under(&profile, self.agent.as_deref().unwrap_or(profile.agent()));
        let site = "https://example.com/";
        if let Some(robots) = &self.robots {
            policy.learn(site, RobotsFetch::Body(robots.as_bytes()))?;
        }
        for request in &self.requests {
            match &request.at {
                Some(at) => policy.learn_at(site, request.fetch(), time(at)?)?,
                None => policy.learn(site, request.fetch())?,
            }
        }
        if let Some(tdmrep) = &self.tdmrep {
            policy.learn_tdmrep(site, Tdmrep::parse(tdmrep.as_bytes())?)?;
        }
        Ok(policy)
    }

    /// The decision about the page.
    ///
    /// # Errors
    ///
    /// If the case is not well-formed.
    pub fn decide(&self) -> Result<Decision> {
        let headers: Vec<(&str, &str)> = self
            .headers
            .iter()
            .map(|line| {
                line.split_once(": ")
                    .context("a header line is `Name: value`")
            })
            .collect::<Result<_>>()?;
        let mut page = Page::new(self.url.as_deref().unwrap_or("https://example.com/page"));
        if self.fetched {
            page = page.with_status(200).with_headers(headers);
            page = match &self.html {
                Some(html) => page.with_html(html.as_bytes()),
                None => page.not_html(),
            };
        }
        if let Some(now) = &self.now {
            page = page.at(time(now)?);
        }
        Ok(self.policy()?.decide_page(&page))
    }
}

fn time(text: &str) -> Result<Timestamp> {
    Timestamp::parse(text).with_context(|| format!("{text:?} is no time"))
}
