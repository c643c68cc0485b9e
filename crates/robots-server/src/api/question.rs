//! The common parts of questions about pages: the page, its robots.txt, and the robots.

use super::value::{Charset, Content, Word, values};
use crate::policies::{BuiltInProfile, PageReading};
use crate::problem::Problem;
use crate::site::{self, WantedPage};
use crate::state::{AppState, Held};
use crate::work::{limited, matching_cost};
use robots_answers::AgentName;
use robots_answers::check::web_origin;
use robots_answers::why::agents_under_profiles;
use robots_answers::why::evidence::{
    Evidence, KnownPage, PageEvidence, RobotsEvidence, RobotsRequest,
};
use robots_crawl::known::Known;
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use robots_policy::{Policy, RobotsFetch};
use std::sync::Arc;
use std::time::SystemTime;

/// The name of the robots.txt in a question.
const GIVEN_FILE: &str = "robots_txt";

/// The robots.txt of a question.
#[derive(Debug)]
enum GivenRobots {
    Unknown,
    File(Content),
    /// The status of a response without a robots.txt.
    Status(u16),
    /// That of the site.
    Known(Arc<Known>),
}

impl GivenRobots {
    /// Returns the robots.txt: a file, the status of the response, or both.
    fn new(file: Option<Content>, status: Option<u16>) -> Result<Self, Problem> {
        match (file, status) {
            (Some(file), None | Some(200..=299)) => Ok(Self::File(file)),
            (None, Some(status)) => Ok(Self::Status(status)),
            (None, None) => Ok(Self::Unknown),
            (Some(_), Some(status)) => Err(Problem::invalid(format!(
                "\"robots_status\": a response with status {status} has no robots.txt: leave out \"robots_txt\""
            ))),
        }
    }

    /// Returns the state of robots.txt under a policy at a time.
    fn state(&self, policy: &Policy, now: Timestamp) -> RobotsState<SiteRules> {
        policy.robots(match self {
            Self::Known(known) => return known.state(policy, now),
            Self::Unknown => RobotsFetch::NotFetched,
            Self::File(file) => RobotsFetch::Body(file.as_bytes()),
            Self::Status(status) => RobotsFetch::Status(*status),
        })
    }

    /// Returns the robots.txt as evidence.
    fn evidence(&self, origin: &Origin) -> RobotsEvidence {
        match self {
            Self::Unknown => RobotsEvidence::Unknown {
                remedy: "give the robots.txt of the site in robots_txt, or set fetch".to_owned(),
            },
            Self::File(file) => RobotsEvidence::File {
                name: GIVEN_FILE.to_owned(),
                bytes: file.as_bytes().len(),
            },
            Self::Status(status) => {
                let mut request = RobotsRequest::new(origin.robots_url());
                request.status = Some(*status);
                RobotsEvidence::Requested(request)
            }
            Self::Known(known) => RobotsEvidence::Requested(site::request(origin, known)),
        }
    }

    /// Returns the length in bytes.
    fn len(&self) -> usize {
        match self {
            Self::File(file) => file.as_bytes().len(),
            Self::Known(known) => known.body().unwrap_or_default().len(),
            Self::Unknown | Self::Status(_) => 0,
        }
    }
}

/// The requests to a site that a question allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Requests {
    /// Nothing.
    None,
    /// The robots.txt of the site.
    Robots,
    /// In addition, the page, if only its URL is given.
    Page,
}

/// Defines a question about a page, which has keys of its own next to those of every such question. One of its own is
/// `fetch: bool`, of which each says more.
///
/// A macro: serde names the expected keys and the place of a wrong one only if one struct has all.
macro_rules! page_question {
    ($(#[$about:meta])* struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        #[derive(Debug, serde::Deserialize, utoipa::ToSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            /// The URL of the page.
            url: String,
            /// The page: a string, which is read as UTF-8, or `{"base64": "..."}`, which is read in its own encoding.
            html: Option<crate::api::value::Content>,
            /// The header lines of the response: pairs of name and value.
            #[serde(default, deserialize_with = "crate::api::value::headers")]
            #[schema(value_type = Vec<crate::api::value::HeaderPair>)]
            headers: Vec<(String, String)>,
            /// The status of the response.
            #[serde(default, deserialize_with = "crate::api::value::status")]
            #[schema(minimum = 100, maximum = 999)]
            status: Option<u16>,
            /// The encoding of a page in base64, in place of the one in Content-Type. A string is UTF-8 anyway.
            #[schema(value_type = Option<String>)]
            charset: Option<crate::api::value::Word<crate::api::value::Charset>>,
            /// The robots.txt of the site: a string, or `{"base64": "..."}`.
            robots_txt: Option<crate::api::value::Content>,
            /// The status of the response to the request for robots.txt, if there is no file.
            #[serde(default, deserialize_with = "crate::api::value::status")]
            #[schema(minimum = 100, maximum = 999)]
            robots_status: Option<u16>,
            /// Read the page like a browser that runs scripts: skip NOSCRIPT.
            #[serde(default)]
            scripting: bool,
            /// Decide as of this time. The default is the present.
            #[schema(value_type = Option<String>)]
            now: Option<crate::api::value::Word<robots_meta::Timestamp>>,
            $($own)*
        }

        impl $name {
            /// Returns the question without the keys of its own. `requests` are those that it allows with `fetch`.
            fn page(self, requests: crate::api::question::Requests) -> crate::api::question::PageQuestion {
                use crate::api::question::{PageQuestion, Requests};
                PageQuestion {
                    url: self.url,
                    html: self.html,
                    headers: self.headers,
                    status: self.status,
                    charset: self.charset,
                    robots_txt: self.robots_txt,
                    robots_status: self.robots_status,
                    requests: if self.fetch { requests } else { Requests::None },
                    now: self.now,
                }
            }
        }
    };
}
pub(super) use page_question;

/// A question about a page, without its robots.
#[derive(Debug)]
pub(super) struct PageQuestion {
    pub(super) url: String,
    pub(super) html: Option<Content>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) status: Option<u16>,
    pub(super) charset: Option<Word<Charset>>,
    pub(super) robots_txt: Option<Content>,
    pub(super) robots_status: Option<u16>,
    pub(super) requests: Requests,
    pub(super) now: Option<Word<Timestamp>>,
}

/// A question about a page with all facts that its answer needs.
#[derive(Debug)]
pub(super) struct PreparedQuestion {
    pub(super) policies: Vec<Arc<Policy>>,
    robots: GivenRobots,
    pub(super) evidence: Evidence,
    pub(super) now: Timestamp,
    /// The size of the page and of robots.txt in bytes.
    pub(super) bytes: usize,
    /// The approximate cost of decisions.
    pub(super) cost: usize,
}

impl PageQuestion {
    /// Checks the question, and makes the requests that it allows.
    pub(super) async fn prepare(
        mut self,
        policies: Vec<Arc<Policy>>,
        held: &mut Held,
    ) -> Result<PreparedQuestion, Problem> {
        let given = GivenRobots::new(self.robots_txt.take(), self.robots_status)?;
        let (now, url) = (time(self.now.take()), self.url.clone());
        let origin = web_origin(&url).ok_or_else(|| {
            Problem::invalid(format!(
                "\"url\": expected the URL of a page with http or https, not {url:?}"
            ))
        })?;
        let (robots, page) = match (self.requests, given) {
            (Requests::None, given) => (given, self.page()),
            (requests, GivenRobots::Unknown) => {
                let robots = site::robots(&held.state, &origin, held.client).await?;
                let page = if requests == Requests::Page && self.is_url_alone() {
                    let wanted = WantedPage {
                        url: &url,
                        robots: None,
                        is_for_owner: false,
                        remedy: "",
                    };
                    site::page(wanted, &robots, held).await?
                } else {
                    self.page()
                };
                (GivenRobots::Known(robots), page)
            }
            _ => {
                let detail = "\"fetch\": not together with \"robots_txt\" or \"robots_status\"";
                return Err(Problem::invalid(detail));
            }
        };
        let file_bytes = robots.len();
        let bytes = site::page_bytes(&page) + file_bytes;
        let cost = bytes + matching_cost(file_bytes, url.len());
        let mut evidence = Evidence::new(url, robots.evidence(&origin), page);
        if let GivenRobots::Known(known) = &robots {
            evidence.tdmrep = known.tdmrep();
        }
        Ok(PreparedQuestion {
            bytes,
            cost: cost * policies.len(),
            policies,
            evidence,
            robots,
            now,
        })
    }

    /// Returns whether the question has only a URL.
    fn is_url_alone(&self) -> bool {
        self.html.is_none() && self.headers.is_empty() && self.status.is_none()
    }

    /// Returns the page as evidence.
    fn page(self) -> PageEvidence {
        if self.is_url_alone() {
            return PageEvidence::Unknown("the question has only its URL".to_owned());
        }
        let lines = self.headers.into_iter();
        let lines = lines.map(|(name, value)| (name, value.into_bytes()));
        let of_text = self.html.as_ref().and_then(Content::charset);
        let of_text = of_text.map(str::to_owned);
        let charset = of_text.or_else(|| Some(self.charset?.0.0));
        let html = self.html.map(Content::into_bytes);
        let page = KnownPage::given(self.status, lines.collect(), html, charset);
        PageEvidence::Known(Box::new(page))
    }
}

impl PreparedQuestion {
    /// Returns the policies, each with the state of robots.txt under it.
    pub(super) fn states(&self) -> impl Iterator<Item = (&Policy, RobotsState<SiteRules>)> {
        let policies = self.policies.iter();
        policies.map(|policy| (&**policy, self.robots.state(policy, self.now)))
    }
}

/// Returns the policy of each robot under each profile: as for `robots decide`, the first robot of each profile unless others are
/// named. Without profiles, each robot is read as its operator reads.
pub(super) fn policies(
    state: &AppState,
    agents: &[Word<AgentName>],
    profiles: Vec<Word<BuiltInProfile>>,
    reading: PageReading,
) -> Result<Vec<Arc<Policy>>, Problem> {
    let profiles = values(profiles);
    let robots = profiles.len().max(1) * agents.len().max(1);
    limited(
        robots,
        "robots under profiles",
        "limits.robots",
        state.config.limits.robots,
    )?;
    let agents: Vec<&str> = agents.iter().map(|agent| &*agent.0.token).collect();
    let asked = agents_under_profiles(&profiles, &agents);
    let policies = asked
        .into_iter()
        .map(|(profile, agent)| policy(state, profile, agent, reading));
    policies.collect()
}

/// Returns the policy of a robot under a profile.
pub(super) fn policy(
    state: &AppState,
    profile: BuiltInProfile,
    agent: &str,
    reading: PageReading,
) -> Result<Arc<Policy>, Problem> {
    let policy = state.policies.get(profile, agent, reading);
    policy.map_err(|error| Problem::invalid(format!("\"agents\": {agent:?}: {error}")))
}

/// Returns the time of a question, or else the present.
pub(super) fn time(now: Option<Word<Timestamp>>) -> Timestamp {
    now.map_or_else(|| SystemTime::now().into(), |now| now.0)
}
