//! Cases about pages: a page and its site, and the decision that is expected.

use crate::elapsed::freshness;
use crate::error::{CaseError, causes};
use robots_meta::Timestamp;
use robots_meta::header::control_characters_as_spaces;
use robots_policy::robots::RobotsResponse;
use robots_policy::site::{Rsl, RslDocuments, Tdmrep};
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::error::Error;

/// The site of the cases.
const SITE: &str = "https://example.com/";

/// A file of cases about pages.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageFile {
    /// The cases.
    pub case: Vec<PageCase>,
}

/// A case about a page, and the decision that is expected.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct PageCase {
    /// The name, unique in its file.
    pub name: String,
    /// The document, standard or decision that the case follows; may be empty.
    #[serde(default)]
    pub source: String,
    /// The name of the profile; by default that of the robot's operator, or else the neutral one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The settings that replace those of the profile, as in a profile file.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub with: toml::Table,
    /// The robot; by default the first of the profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The time as of which to decide; by default unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// The URL of the page; by default `https://example.com/page`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Whether the page was fetched; if not, only its URL is known.
    #[serde(default = "yes")]
    pub fetched: bool,
    /// The status of the response; by default 200.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The robots.txt of `https://example.com`; by default unknown. The policy learns it before `requests`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub robots: Option<String>,
    /// The outcomes of requests for robots.txt, in the order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<RobotsOutcome>,
    /// The tdmrep.json of `https://example.com`. One that is not valid counts as one that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tdmrep: Option<String>,
    /// The licence of RSL at `https://example.com/license.xml`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rsl: Option<String>,
    /// Header lines, `Name: value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<String>,
    /// The HTML of the page; without it, the response is not HTML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub html: Option<String>,
    /// The expected fields of the decision.
    pub expect: BTreeMap<String, serde_json::Value>,
}

fn yes() -> bool {
    true
}

/// The outcome of a request for /robots.txt: an item of `requests`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct RobotsOutcome {
    /// The time of the request. In a page case it is a moment (`2026-11-20T00:00:00Z`); by default it is unknown. In a
    /// history case it is an elapsed time (`6h`), or `unknown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The status of the response; 200 by default if there is a body. Without status and body, the site was unreachable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The body of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The content type of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The time for which the headers of the response allow it to be kept: `12h`, `30d-1s`; `max` is the longest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fresh_for: Option<String>,
    /// The number of redirects. More than five count as too many redirects; up to five have no effect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirects: Option<u32>,
    /// The part of the outcome that is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<Missing>,
}

/// The part of an outcome that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Missing {
    /// No request was made.
    Request,
    /// The body of the response is not known.
    Body,
}

impl RobotsOutcome {
    /// Returns the outcome as a policy learns it. `body` is the body of the outcome; in history cases, with its padding
    /// (`{pad:N}`) expanded.
    pub(crate) fn fetch<'a>(
        &'a self,
        body: Option<&'a [u8]>,
    ) -> Result<RobotsFetch<'a>, CaseError> {
        if self.missing == Some(Missing::Request) {
            return Ok(RobotsFetch::NotFetched);
        }
        if self
            .redirects
            .is_some_and(|redirects| redirects as usize > RobotsFetch::MAX_REDIRECTS)
        {
            return Ok(RobotsFetch::TooManyRedirects);
        }
        let status = match (self.status, body) {
            (Some(status), _) => status,
            (None, Some(_)) => 200,
            (None, None) => return Ok(RobotsFetch::Unreachable),
        };
        if self.missing == Some(Missing::Body) {
            return Ok(RobotsFetch::Status(status));
        }
        let mut response = RobotsResponse::new(status, body.unwrap_or_default());
        if let Some(content_type) = &self.content_type {
            response = response.with_content_type(content_type);
        }
        if let Some(fresh_for) = &self.fresh_for {
            response = response.fresh_for(freshness(fresh_for)?);
        }
        Ok(RobotsFetch::Response(response))
    }
}

impl PageCase {
    /// Returns the profile with the settings of the case.
    fn profile(&self) -> Result<Profile, CaseError> {
        let own = || Profile::of_robot(self.agent.as_deref().unwrap_or("*")).name();
        let name = self.profile.as_deref().unwrap_or_else(own);
        let profile: Profile = name.parse()?;
        if self.with.is_empty() {
            return Ok(profile);
        }
        if self.with.contains_key("based-on") {
            return Err(CaseError::new(
                "unexpected `based-on` in `with`: `profile` names the profile that it changes",
            ));
        }
        let mut file = self.with.clone();
        file.insert("based-on".to_owned(), name.into());
        Profile::from_toml(&file.to_string()).map_err(|error| CaseError::syntax(causes(&error)))
    }

    /// Returns the policy, after it has learned what the case states about `https://example.com`.
    fn policy(&self) -> Result<Policy, CaseError> {
        let profile = self.profile()?;
        // A case may ask for a name that is not a product token: some engines accept `Googlebot/2.1`.
        let robot = profile.robot(self.agent.as_deref().unwrap_or(profile.agent()));
        let policy = Policy::for_robot(&profile, robot);
        if let Some(robots) = &self.robots {
            policy
                .learn(SITE, RobotsFetch::Body(robots.as_bytes()))
                .map_err(invalid_site)?;
        }
        for outcome in &self.requests {
            let fetch = outcome.fetch(outcome.body.as_deref().map(str::as_bytes))?;
            let learned = match &outcome.at {
                Some(at) => policy.learn_at(SITE, fetch, moment(at)?),
                None => policy.learn(SITE, fetch),
            };
            learned.map_err(invalid_site)?;
        }
        if let Some(tdmrep) = &self.tdmrep {
            let tdmrep = Tdmrep::read(tdmrep.as_bytes());
            policy.learn_tdmrep(SITE, tdmrep).map_err(invalid_site)?;
        }
        Ok(policy)
    }

    /// Returns the decision about the page.
    ///
    /// # Errors
    ///
    /// If the case is not well-formed.
    pub fn decide(&self) -> Result<Decision, CaseError> {
        self.decide_under(&self.policy()?)
    }

    /// Returns the decision about the page without reasons and warnings.
    ///
    /// # Errors
    ///
    /// If the case is not well-formed.
    pub fn decide_without_reasons(&self) -> Result<Decision, CaseError> {
        self.decide_under(&self.policy()?.without_reasons())
    }

    fn decide_under(&self, policy: &Policy) -> Result<Decision, CaseError> {
        let headers: Vec<(&str, Cow<'_, [u8]>)> = self
            .headers
            .iter()
            .map(|line| {
                line.split_once(": ")
                    .map(|(name, value)| (name, control_characters_as_spaces(value.as_bytes())))
                    .ok_or_else(|| invalid_header(line))
            })
            .collect::<Result<_, CaseError>>()?;
        let mut page = Page::new(self.url.as_deref().unwrap_or("https://example.com/page"));
        if self.fetched {
            page = page
                .with_status(self.status.unwrap_or(200))
                .with_headers(headers.iter().map(|(name, value)| (*name, &**value)));
            page = match &self.html {
                Some(html) => page.with_html(html.as_bytes()),
                None => page.not_html(),
            };
        }
        if let Some(now) = &self.now {
            page = page.at(moment(now)?);
        }
        let mut documents = RslDocuments::default();
        if let Some(rsl) = &self.rsl {
            let document = Rsl::read(rsl.as_bytes());
            documents
                .insert("https://example.com/license.xml", document)
                .map_err(invalid_site)?;
        }
        Ok(policy.decide_page(&page.with_rsl(&documents)))
    }
}

pub(crate) fn invalid_site(error: impl Error) -> CaseError {
    let causes = causes(&error);
    CaseError::new(format!("invalid origin of the site: {causes}"))
}

pub(crate) fn invalid_header(line: &str) -> CaseError {
    let expected = "is not a header line: expected \"Name: value\"";
    CaseError::new(format!("{line:?} {expected}"))
}

/// Reads a moment: `2026-11-20T00:00:00Z`.
pub(crate) fn moment(text: &str) -> Result<Timestamp, CaseError> {
    let expected = "is not a time: expected one like 2026-11-20T00:00:00Z";
    Timestamp::parse(text).ok_or_else(|| CaseError::new(format!("{text:?} {expected}")))
}
