//! `/v1/robots/{origin}`: what is known about the robots.txt of a site.

use super::parameters::{PathValue, invalid, parameter};
use crate::client::Sender;
use crate::problem::Problem;
use crate::site::{self, Omission, fault_name, fault_text, outcome_name};
use crate::state::{AppState, Held};
use crate::work::Answer;
use axum::Extension;
use axum::extract::{RawQuery, State};
use robots_answers::check::web_origin;
use robots_crawl::Known;
use robots_crawl::known::Unanswered;
use robots_crawl::store::FileBytes;
use robots_policy::origins::{Origin, has_scheme};
use robots_policy::robots::{Cause, LoggedOutcome};
use robots_policy::text::printable;
use serde::Serialize;
use utoipa::ToSchema;

/// What is known about the robots.txt of a site. Times are in RFC 3339.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct RobotsAnswer {
    /// Scheme, host and port.
    origin: String,
    /// The URL of the robots.txt.
    url: String,
    /// `request`, `store`, or `shared` with other processes.
    source: &'static str,
    /// Why newer facts are missing: `timed_out`, `too_many_waiting`, or `no_turn` if too many requests wait for the address of the
    /// site; null if they are not.
    unanswered: Option<&'static str>,
    /// The last outcome, and its status.
    #[serde(flatten)]
    outcome: Outcome,
    /// The fault of the last request: a name such as `idle_timeout`.
    fault: Option<&'static str>,
    /// The fault in words.
    fault_text: Option<String>,
    /// The last second for which no request is needed, under the profile under which it is the earliest; null after a failure.
    fresh_until: Option<String>,
    /// After a failure, the earliest time of the next request.
    retry_at: Option<String>,
    /// The redirects of the last request, in order.
    redirects: Vec<RedirectAnswer>,
    /// The URL after the redirects.
    redirected_to: Option<String>,
    /// The size of the last robots.txt in bytes; null without one.
    bytes: Option<usize>,
    /// Whether it is UTF-8. In `text`, other bytes are replaced by U+FFFD.
    is_utf8: Option<bool>,
    /// The last robots.txt, up to 500 KiB of it, whether it still applies or not. Null without one, and if `text_omitted` has a
    /// reason.
    text: Option<String>,
    /// Why `text` is not shown, as it may be a page: `not_text` (its media type is not text, or is HTML), `html` (it begins as
    /// HTML), `redirected` (the redirects end at another site, and not at its `/robots.txt`), or `unknown_url` (another program
    /// stored it without its URL, and it does not look like a robots.txt). Null if nothing is omitted.
    text_omitted: Option<&'static str>,
    /// The outcomes that profiles may need, in the order of their requests.
    history: Vec<LoggedAnswer>,
}

/// The outcome of a request.
#[derive(Debug, Serialize, ToSchema)]
struct Outcome {
    /// `status`, `no_body`, `not_text`, `too_many_redirects` or `unreachable`.
    #[serde(rename = "outcome")]
    kind: &'static str,
    /// The status of the response.
    status: Option<u16>,
    /// The time of the request.
    requested_at: Option<String>,
}

/// An outcome of the history.
#[derive(Debug, Serialize, ToSchema)]
struct LoggedAnswer {
    #[serde(flatten)]
    outcome: Outcome,
    /// The seconds for which the headers allow the response to be kept, at least 600.
    fresh_for_seconds: Option<u64>,
}

/// A redirect.
#[derive(Debug, Serialize, ToSchema)]
struct RedirectAnswer {
    /// The URL that was requested.
    url: String,
    /// The status of its response.
    status: u16,
}

/// What is known about a robots.txt.
///
/// The outcome of the last request, earlier ones that still count, and the file. It is requested if it is not known or stale, once
/// for all who ask.
#[utoipa::path(
    get,
    path = "/v1/robots/{origin}",
    tag = "knowledge",
    params(("origin" = String, Path, description = "A host, for `https`, or an encoded URL such as `http%3A%2F%2Fexample.com%3A8000`", example = "example.com")),
    responses(
        (status = 200, description = "What is known, after a failure, too", body = RobotsAnswer),
        (status = 400, description = "It is not an origin", body = Value, content_type = "application/problem+json"),
        (status = 503, description = "Nothing is known yet, and the request takes longer than the service waits", body = Value, content_type = "application/problem+json"),
    )
)]
pub(super) async fn robots(
    State(state): State<AppState>,
    PathValue(name): PathValue,
    RawQuery(query): RawQuery,
    Extension(sender): Extension<Sender>,
) -> Result<Answer, Problem> {
    parameter(query.as_deref(), None)?;
    let origin = origin(&name)?;
    let known = site::robots(&state, &origin, Some(sender.client())).await?;
    Answer::of(
        Held::new(&state, Some(sender.client())),
        &answer(&origin, &known),
    )
}

/// Reads an origin: a URL, or a host with or without a port.
fn origin(name: &str) -> Result<Origin, Problem> {
    let url = if has_scheme(name) {
        name.to_owned()
    } else {
        format!("https://{name}")
    };
    // A user and password are in no origin; without a scheme, they would be another URL's.
    let origin = web_origin(&url).filter(|_| !name.contains('@'));
    origin.ok_or_else(|| {
        let name = printable(name);
        invalid(format!(
            "\"{name}\" is not a site: expected a host, or a URL with http or https"
        ))
    })
}

fn answer(origin: &Origin, known: &Known) -> RobotsAnswer {
    let body = known.body();
    let redirects = known.redirects().iter().map(|redirect| RedirectAnswer {
        url: redirect.url().to_owned(),
        status: redirect.status(),
    });
    let history = known.record().outcomes.iter().map(|logged| LoggedAnswer {
        outcome: outcome(Some(logged)),
        fresh_for_seconds: logged.fresh_for().map(|time| time.as_secs()),
    });
    let fault = known.fault();
    let omission = Omission::of(origin, known);
    let shown = body.filter(|_| omission.is_none());
    RobotsAnswer {
        origin: origin.to_string(),
        url: origin.robots_url(),
        source: known.source().name(),
        unanswered: known.unanswered().map(|reason| match reason {
            Unanswered::TooManyWaiting => "too_many_waiting",
            Unanswered::NoTurn => "no_turn",
            _ => "timed_out",
        }),
        outcome: outcome(known.outcome()),
        fault: fault.map(fault_name),
        fault_text: fault.map(fault_text),
        fresh_until: known.fresh_until().map(|time| time.to_string()),
        retry_at: known.retry_at().map(|time| time.to_string()),
        redirects: redirects.collect(),
        redirected_to: known.redirected_to().map(str::to_owned),
        bytes: body.map(<[u8]>::len),
        is_utf8: body.map(|body| std::str::from_utf8(body).is_ok()),
        text: shown.map(|body| String::from_utf8_lossy(body).into_owned()),
        text_omitted: omission.map(Omission::name),
        history: history.collect(),
    }
}

fn outcome(logged: Option<&LoggedOutcome<FileBytes>>) -> Outcome {
    let cause = logged.map_or(Cause::NotFetched, LoggedOutcome::cause);
    Outcome {
        kind: outcome_name(cause),
        status: cause.status(),
        requested_at: logged
            .and_then(LoggedOutcome::at)
            .map(|time| time.to_string()),
    }
}
