//! `/v1/lint`: mistakes in a robots.txt, or in a page and its headers.

use super::body::JsonBody;
use super::question::time;
use super::value::{Content, HeaderPair, Kinds, Word, optional_headers, words};
use crate::problem::Problem;
use crate::state::Held;
use crate::work::{Answer, work};
use robots_answers::check::web_origin;
use robots_answers::lint::Linted;
use robots_answers::page::robots_metas;
use robots_lint::catalogue::Selection;
use robots_lint::{
    FindingKind, PageInput, PageLinter, RobotsInForce, RobotsTxtLinter, Severity, denial,
};
use robots_meta::Timestamp;
use robots_meta::value::MediaType;
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;
use serde::Deserialize;
use url::Url;
use utoipa::ToSchema;

/// A question about mistakes.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LintQuestion {
    /// A robots.txt: a string, or `{"base64": "..."}`. With `html` or `headers`, it is that of the page's site.
    robots_txt: Option<Content>,
    /// A page: a string, which is read as UTF-8, or `{"base64": "..."}`.
    html: Option<Content>,
    /// The header lines of the page's response: pairs of name and value.
    #[serde(default, deserialize_with = "optional_headers")]
    #[schema(value_type = Option<Vec<HeaderPair>>)]
    headers: Option<Vec<(String, String)>>,
    /// The URL of the page.
    url: Option<String>,
    /// The name of the file in the findings. The default is `robots.txt`, or `page`.
    name: Option<String>,
    /// Report findings of this severity and above: `note`, `warning` or `error`. The default is `warning`.
    #[schema(value_type = Option<String>)]
    level: Option<Word<Severity>>,
    /// Report only these kinds, by code, start of a code or name.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    only: Vec<Word<Kinds>>,
    /// Leave out these kinds.
    #[serde(default, deserialize_with = "words")]
    #[schema(value_type = Vec<String>)]
    ignore: Vec<Word<Kinds>>,
    /// Compare dates of a page with this time. The default is the present.
    #[schema(value_type = Option<String>)]
    now: Option<Word<Timestamp>>,
}

/// What is wrong with a robots.txt or a page?
///
/// The objects of `robots lint --json`, or with a page those of `robots lint --meta --json`, as an array.
#[utoipa::path(
    post,
    path = "/v1/lint",
    tag = "decisions",
    request_body = LintQuestion,
    responses((status = 200, description = "The findings", body = Vec<Value>))
)]
pub(super) async fn lint(body: JsonBody<LintQuestion>) -> Result<Answer, Problem> {
    let (question, held) = (body.value, body.held);
    // Some findings take a search.
    work(&held.clone(), body.length, usize::MAX, move |_| {
        question.answer(held)
    })
    .await
}

impl LintQuestion {
    /// Checks the URL of a page, without which its robots.txt would have no effect.
    fn check_url(&self) -> Result<(), Problem> {
        match &self.url {
            Some(url) if web_origin(url).is_none() => {
                let detail = format!("\"url\": expected a URL with http or https, not {url:?}");
                Err(Problem::invalid(detail))
            }
            None if self.robots_txt.is_some() => {
                let detail = "\"robots_txt\": expected the \"url\" of the page, too";
                Err(Problem::invalid(detail))
            }
            _ => Ok(()),
        }
    }

    fn answer(self, held: Held) -> Result<Answer, Problem> {
        let is_page = self.html.is_some() || self.headers.is_some();
        if is_page {
            self.check_url()?;
        }
        let kinds = |words: Vec<Word<Kinds>>| -> Vec<FindingKind> {
            words.into_iter().flat_map(|word| word.0.0).collect()
        };
        let level = self.level.map_or(Severity::Warning, |level| level.0);
        let selection = Selection::of_level(level)
            .with_only(kinds(self.only))
            .without(kinds(self.ignore));
        let linted = if is_page {
            let headers = self.headers.unwrap_or_default();
            let parsed = |file: Content| RobotsTxt::parse(file.as_bytes());
            let robots = SiteRobots(self.robots_txt.map(parsed));
            let charset = self.html.as_ref().and_then(Content::charset);
            let lines = headers.iter();
            let lines = lines.map(|(name, value)| (name, value.as_bytes()));
            let charset = charset.or_else(|| MediaType::of_headers(lines).charset());
            let charset = charset.map(str::to_owned);
            let html = self.html.map_or_else(Vec::new, Content::into_bytes);
            let mut page = PageInput::new(html).with_headers(headers);
            if let Some(charset) = charset {
                page = page.with_charset(charset);
            }
            if let Some(url) = &self.url {
                page = page.with_url(url.clone());
            }
            let linter = PageLinter::new(robots_metas()).with_robots(&robots);
            Linted::of_page(linter.lint(page, time(self.now)), &selection)
        } else {
            let Some(file) = self.robots_txt else {
                return Err(Problem::invalid(
                    "expected \"robots_txt\", \"html\" or \"headers\"",
                ));
            };
            let linter = RobotsTxtLinter::new().with_known_robots(AgentTable::built_in());
            let robots = RobotsTxt::parse(file.as_bytes());
            let findings = linter.lint_file(&robots, self.name.as_deref());
            Linted::of_robots_txt(robots, findings, &selection)
        };
        let default = if is_page { "page" } else { "robots.txt" };
        let name = self.name.as_deref().unwrap_or(default);
        let mut answer = Answer::array(held);
        for found in linted.findings() {
            answer.push(&linted.answer(name, self.url.as_deref(), &found))?;
        }
        Ok(answer.end())
    }
}

/// The robots.txt of a page's site.
struct SiteRobots(Option<RobotsTxt>);

impl RobotsInForce for SiteRobots {
    fn denial(&self, url: &Url, _time: Option<Timestamp>, agent: &str) -> Option<String> {
        denial(self.0.as_ref()?, AgentTable::built_in(), url, agent)
    }
}
