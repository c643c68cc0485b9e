//! `/v1/meta`: what a page and its headers say to robots.

use super::body::JsonBody;
use super::value::{Charset, Content, HeaderPair, Word, optional_headers, status};
use crate::problem::Problem;
use crate::state::Held;
use crate::work::{Answer, work};
use robots_answers::page::decisions;
use robots_answers::page::{HeaderLine, OK, Page, PageOptions, page_answer, response_answer};
use robots_meta::value::MediaType;
use serde::Deserialize;
use utoipa::ToSchema;

/// A question about a page or headers.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools, reason = "one for each key")]
pub(super) struct MetaQuestion {
    /// The page: a string, which is read as UTF-8, or `{"base64": "..."}`, which is read in its own encoding.
    html: Option<Content>,
    /// The header lines of the response: pairs of name and value.
    #[serde(default, deserialize_with = "optional_headers")]
    #[schema(value_type = Option<Vec<HeaderPair>>)]
    headers: Option<Vec<(String, String)>>,
    /// The status of the response, which decisions take into account. The default is 200.
    #[serde(default, deserialize_with = "status")]
    #[schema(minimum = 100, maximum = 999)]
    status: Option<u16>,
    /// The name of the page in the answer.
    #[serde(default)]
    url: String,
    /// The encoding of a page in base64, in place of the one in Content-Type. A string is UTF-8 anyway.
    #[schema(value_type = Option<String>)]
    charset: Option<Word<Charset>>,
    /// Answer with every META.
    #[serde(default)]
    all: bool,
    /// Read the whole document: METAs in BODY too.
    #[serde(default)]
    document: bool,
    /// Read the page like a browser that runs scripts: skip NOSCRIPT.
    #[serde(default)]
    scripting: bool,
    /// Answer also with the decision under every profile, ignoring robots.txt.
    #[serde(default)]
    profiles: bool,
}

/// What do a page and its headers say to robots?
///
/// The object of `robots meta --json`, or for headers without a page that of `robots meta --headers --json`.
#[utoipa::path(
    post,
    path = "/v1/meta",
    tag = "decisions",
    request_body = MetaQuestion,
    responses((status = 200, description = "The statements", body = Value))
)]
pub(super) async fn meta(body: JsonBody<MetaQuestion>) -> Result<Answer, Problem> {
    let (question, held) = (body.value, body.held);
    work(&held.clone(), body.length, body.length, move |_| {
        question.answer(held)
    })
    .await
}

impl MetaQuestion {
    fn answer(&self, held: Held) -> Result<Answer, Problem> {
        if self.html.is_none() && self.headers.is_none() {
            return Err(Problem::invalid("expected \"html\" or \"headers\""));
        }
        let lines: Vec<HeaderLine<'_>> = self
            .headers
            .iter()
            .flatten()
            .map(|(name, value)| HeaderLine::new(name, value.as_bytes()))
            .collect();
        let status = self.status.unwrap_or(OK);
        let Some(html) = &self.html else {
            let page = Page::of_headers(&self.url, &lines);
            let decisions = decisions::of_headers(status, &lines);
            return Answer::of(held, &response_answer(&page, &decisions));
        };
        let options = PageOptions {
            all_metas: self.all,
            document: self.document,
            scripting: self.scripting,
            decisions: self.profiles,
        };
        let given = self.charset.as_ref().map(|charset| charset.0.0.as_str());
        let charset = html.charset().or(given);
        let charset = charset
            .or_else(|| MediaType::of_headers(lines.iter().map(HeaderLine::bytes)).charset());
        let mut page = Page::read(&self.url, html.as_bytes(), charset, options);
        page.headers = &lines;
        page.status = status;
        Answer::of(held, &page_answer(options, &page))
    }
}
