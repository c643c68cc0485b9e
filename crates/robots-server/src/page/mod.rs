//! The checker page at `/`: forms for a question, and the answer in words, as tables, and at the lines of robots.txt.
//!
//! A question about a URL comes as a query or a body, one with pasted texts as a body ([`question`]). Its evidence is
//! collected by [`crate::site`] and answered by [`flow`], whose sections are files of their own. [`layout`] has the frame of each
//! page, with forms that hold the question.
//!
//! Pages work without scripts. They load their own style, script and icon, and nothing else ([`POLICY`]). Texts from outside
//! are [`printable`](robots_policy::text::printable), and escaped by maud. The body of a page is never shown.

mod ai_robots;
mod answer;
mod assets;
mod changes;
mod comparison;
mod engines;
mod file;
mod findings;
mod flow;
mod header_lines;
mod layout;
mod mark;
mod plain;
mod question;
mod request;
mod site_page;
mod statements;

use crate::api::body::{WholeBody, media_type};
use crate::client::Sender;
use crate::problem::{Problem, ProblemKind};
use crate::site::{self, WantedPage};
use crate::state::{AppState, Held};
use crate::work::{Cancelled, checked_length, work};
use ai_robots::AiRobots;
use answer::{AnswerSections, PageAnswer};
use axum::extract::{RawQuery, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Extension, Router};
use http::header::{
    ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER,
};
use http::{HeaderMap, StatusCode};
use maud::Markup;
use plain::sentence;
use question::{BadQuestion, Form, OldVersion, PastedText, Question};
use request::Requested;
use robots_answers::check::web_origin;
use robots_answers::why::Answers;
use robots_answers::why::evidence::{Evidence, RobotsEvidence};
use robots_crawl::FetchFault;
use robots_meta::Timestamp;
use robots_policy::Policies;
use site_page::SitePage;
use std::fmt::Write;
use std::sync::Arc;
use std::time::SystemTime;

/// The policy of the pages: their own files, and forms to this service.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The headers of a page.
const HEADERS: [(HeaderName, &str); 2] = [
    (CONTENT_TYPE, "text/html; charset=utf-8"),
    (CONTENT_SECURITY_POLICY, POLICY),
];

/// The media type of forms.
const FORM: &str = "application/x-www-form-urlencoded";

/// Returns the routes of the page and its files.
pub(crate) fn routes() -> Router<AppState> {
    let mut routes = Router::new().route("/", get(asked_by_query).post(asked_by_body));
    for asset in [&assets::STYLE, &assets::SCRIPT, &assets::ICON] {
        routes = routes.route(asset.path(), get(async || asset.response()));
    }
    routes
}

/// Returns whether a browser asks for the checker page.
pub(crate) fn is_asked(request: &Request) -> bool {
    let accept = request.headers().get(ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    let mut ranges = accept.unwrap_or_default().split(',');
    let is_html = |range: &str| {
        let name = range.split(';').next().unwrap_or_default();
        name.trim().eq_ignore_ascii_case("text/html")
    };
    request.uri().path() == "/" && ranges.any(is_html)
}

/// Returns a problem as a page with the layout of the checker page, and sets the headers of a page.
pub(crate) fn of_problem(problem: &Problem, headers: &mut HeaderMap) -> Vec<u8> {
    for (name, value) in HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let mut text = match problem.kind() {
        // The browser has asked for it, by the challenge of the response, and its user has not given one.
        ProblemKind::MissingKey => {
            "Load the page again, and enter a key of this service as the password. The user name does not matter."
                .to_owned()
        }
        _ => sentence(problem.detail()),
    };
    let pause = headers.get(RETRY_AFTER);
    if let Some(pause) = pause.and_then(|pause| pause.to_str().ok()) {
        // Writing to a string does not fail.
        let _ = write!(text, " Ask again after {pause} s.");
    }
    let headline = match problem.kind() {
        ProblemKind::BodyTooLarge => "This text is too large",
        ProblemKind::TooManyRequests => "Too many requests",
        ProblemKind::MissingKey => "This service needs a key",
        other => other.title(),
    };
    let page = layout::error(headline, &text, &Form::default(), None);
    page.into_string().into_bytes()
}

async fn asked_by_query(
    State(state): State<AppState>,
    Extension(sender): Extension<Sender>,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let form = Form::parse(query.unwrap_or_default().as_bytes());
    let held = Held::new(&state, Some(sender.client()));
    respond(form, is_cross_site(&headers), held).await
}

async fn asked_by_body(headers: HeaderMap, body: WholeBody) -> Response {
    if media_type(&headers) != FORM {
        let detail = format!("expected a body with the header Content-Type: {FORM}");
        return Problem::new(ProblemKind::UnsupportedMediaType, detail).into_response();
    }
    let form = Form::parse(&body.bytes);
    respond(form, is_cross_site(&headers), body.held).await
}

/// Returns whether a page of another site made the browser ask.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers
        .get("sec-fetch-site")
        .is_some_and(|site| site == "cross-site")
}

async fn respond(mut form: Form, is_cross_site: bool, mut held: Held) -> Response {
    // Whose site it is, only the visitor may say.
    let remedy = if is_cross_site && form.remove("own") {
        " (a link of another site cannot say that it is yours: if it is, tick the box below the URL)"
    } else {
        " (if this is your site, tick the box below the URL)"
    };
    let question = match form.question() {
        Ok(Some(question)) => question,
        Ok(None) => return response(held, StatusCode::OK, layout::start()),
        Err(bad) => return bad_question(held, &form, &bad),
    };
    let material = match Material::collect(question, remedy, &mut held).await {
        Ok(material) => material,
        Err(Refusal::Question(bad)) => return bad_question(held, &form, &bad),
        Err(Refusal::Service(problem)) => return problem.into_response(),
    };
    // Large files, and comparisons, take a while.
    let holding = held.clone();
    let page = work(&held, material.bytes(), usize::MAX, move |cancelled| {
        // The work continues when the client has left.
        let _held = holding;
        let answer = material.answer(Timestamp::from(SystemTime::now()), cancelled)?;
        Ok(layout::answer(&answer.headline, &form, &answer.content))
    });
    match page.await {
        Ok(page) => response(held, StatusCode::OK, page),
        Err(problem) => problem.into_response(),
    }
}

fn bad_question(held: Held, form: &Form, bad: &BadQuestion) -> Response {
    let page = layout::error(bad.headline, &bad.text, form, Some(bad));
    response(held, StatusCode::UNPROCESSABLE_ENTITY, page)
}

/// Returns a page, up to `limits.answer-bytes`.
fn response(mut held: Held, status: StatusCode, page: Markup) -> Response {
    let page = page.into_string().into_bytes();
    match checked_length(page.len(), &mut held) {
        Ok(()) => (status, HEADERS, held.with_bytes(page)).into_response(),
        Err(problem) => problem.into_response(),
    }
}

/// Why a question is not answered.
#[derive(Debug)]
enum Refusal {
    /// It has a mistake.
    Question(BadQuestion),
    /// The service cannot answer it now.
    Service(Problem),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Service(problem)
    }
}

/// A question with all that is needed to answer it.
enum Material {
    Site {
        page: SitePage,
        policies: Arc<Policies>,
        evidence: Box<Evidence>,
        requested: Requested,
    },
    Text(PastedText),
    Comparison {
        asked: String,
        old: Vec<u8>,
        new: Vec<u8>,
        requested: Option<Requested>,
    },
}

impl Material {
    /// Requests what the question needs from sites. `remedy` is what the visitor can do if a page is for the owner only.
    async fn collect(
        question: Question,
        remedy: &'static str,
        held: &mut Held,
    ) -> Result<Self, Refusal> {
        match question {
            Question::Site(page) => {
                let policies = flow::asked(page.robot.as_ref())?;
                let requested = robots_of(&page.url, "url", held).await?;
                let wanted = WantedPage {
                    url: &page.url,
                    robots: Some(Arc::clone(&policies)),
                    is_for_owner: page.is_for_owner,
                    remedy,
                };
                let found = site::page(wanted, &requested.known, held).await?;
                let robots = RobotsEvidence::Requested(requested.last.clone());
                let mut evidence = Box::new(Evidence::new(&page.url, robots, found));
                evidence.tdmrep = requested.known.tdmrep();
                Ok(Self::Site {
                    page,
                    policies,
                    evidence,
                    requested,
                })
            }
            Question::Text(text) => Ok(Self::Text(text)),
            Question::Comparison {
                old: OldVersion::Text(old),
                new,
            } => Ok(Self::Comparison {
                asked: "Two pasted versions of a robots.txt".to_owned(),
                old,
                new,
                requested: None,
            }),
            Question::Comparison {
                old: OldVersion::Site(url),
                new,
            } => {
                let requested = robots_of(&url, "site", held).await?;
                let body = requested.known.body();
                if body.is_none() && !requested.is_absent() {
                    return Err(Refusal::Question(BadQuestion {
                        field: "site",
                        headline: "The old version is not known",
                        text: format!("{} Paste it instead.", requested.sentence()),
                    }));
                }
                // Of a robots.txt that is gone, the last body does not apply any more.
                let old = body.filter(|_| !requested.is_absent());
                Ok(Self::Comparison {
                    asked: format!("{} and a pasted new version", requested.first_url),
                    old: old.unwrap_or_default().to_vec(),
                    new,
                    requested: Some(requested),
                })
            }
        }
    }

    /// Returns the number of bytes that the answer takes work on. A comparison takes as much for small files.
    fn bytes(&self) -> usize {
        match self {
            Self::Site {
                requested,
                evidence,
                ..
            } => {
                let robots = requested.known.body().unwrap_or_default();
                robots.len() + site::page_bytes(&evidence.page)
            }
            Self::Text(text) => text.robots.len() + site::page_bytes(&text.page),
            Self::Comparison { .. } => usize::MAX,
        }
    }

    /// Returns the answer as of a time.
    fn answer(&self, now: Timestamp, cancelled: &Cancelled) -> Result<AnswerSections, Problem> {
        Ok(match self {
            Self::Site {
                page,
                policies,
                evidence,
                requested,
            } => {
                let known = &requested.known;
                let states = |policies: &Policies| known.states(policies, now);
                let asked_about = policies.iter().zip(states(policies));
                let answers = Answers::new(asked_about, evidence, now, &[]);
                let asked = match &page.robot {
                    Some(robot) => format!("{} for {}", page.url, robot.token),
                    None => page.url.clone(),
                };
                PageAnswer {
                    asked: &asked,
                    question: Some(page),
                    robot: page.robot.as_ref(),
                    evidence,
                    answers: &answers,
                    ai_robots: &AiRobots::of(&page.url, now, cancelled, states)?,
                    requested: Some(requested),
                    robots: known.body(),
                    others: &[],
                }
                .sections(now)
            }
            Self::Text(text) => flow::about_text(text, now, cancelled)?,
            Self::Comparison {
                asked,
                old,
                new,
                requested,
            } => answer::about_versions(asked, old, new, requested.as_ref(), cancelled)?,
        })
    }
}

/// Returns what is known about the robots.txt of the site of a URL. A host that was not found, or whose address
/// is not public, is the mistake of a field.
async fn robots_of(url: &str, field: &'static str, held: &Held) -> Result<Requested, Refusal> {
    let bad = |headline, text| {
        Refusal::Question(BadQuestion {
            field,
            headline,
            text,
        })
    };
    let origin = web_origin(url).ok_or_else(|| {
        let text = "It names no site.".to_owned();
        bad("This is not a URL that can be checked", text)
    })?;
    let known = site::robots(&held.state, &origin, held.client).await?;
    if known.fault().is_some_and(FetchFault::is_of_host)
        && known.redirects().is_empty()
        && known.body().is_none()
    {
        // One answer for both: which names the network of this service has is not for everyone.
        let text = format!(
            "{origin} does not exist, or has no public address. This service asks public sites only: paste the robots.txt instead."
        );
        return Err(bad("This site was not found", text));
    }
    Ok(Requested::of(&origin, known))
}

#[cfg(test)]
mod tests {
    use super::{CONTENT_SECURITY_POLICY, Form, Held, respond};
    use crate::state::AppState;
    use http::StatusCode;

    #[tokio::test]
    async fn a_page_about_a_mistake_is_limited() {
        let form = format!("headers=noindex&robots={}", "%3C".repeat(20_000));
        for (answer_bytes, is_page) in [("1MiB", true), ("50KiB", false)] {
            let state = AppState::of_settings(&[("limits.answer-bytes", answer_bytes)]);
            let form = Form::parse(form.as_bytes());
            let response = respond(form, false, Held::new(&state, None)).await;
            // A problem has no headers of a page.
            assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
            let headers = response.headers();
            assert_eq!(headers.contains_key(CONTENT_SECURITY_POLICY), is_page);
        }
    }
}
