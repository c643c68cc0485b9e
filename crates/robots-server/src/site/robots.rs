//! The robots.txt of a site as the service knows it: from memory, the store or Redis, or by a request.

use crate::client::Client;
use crate::places::Place;
use crate::problem::{Problem, ProblemKind};
use crate::state::AppState;
use crate::work::joined;
use futures_util::FutureExt;
use robots_answers::why::evidence::RobotsRequest;
use robots_crawl::FetchFault;
use robots_crawl::known::{Known, Source, Unanswered};
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use robots_policy::robots::{Cause, LoggedOutcome};
use std::sync::Arc;
use tokio::time::timeout;

/// Returns what is known about the robots.txt of a site. It is requested if it is not known or stale. The requests for a client
/// are limited: a request continues if its client leaves; until it has ended, the client has not got the place back.
pub(crate) async fn robots(
    state: &AppState,
    origin: &Origin,
    client: Option<Client>,
) -> Result<Arc<Known>, Problem> {
    let (robots, of) = (state.sites.robots.clone(), origin.clone());
    let ready = in_task(async move { robots.ready(&of).await }).await?;
    let known = if let Some(known) = ready {
        known
    } else {
        let place = client_place(state, client).await?;
        let (robots, of) = (state.sites.robots.clone(), origin.clone());
        in_task(async move {
            let _place = place;
            robots.of(&of).await
        })
        .await?
    };
    if known.source() == Source::None {
        return Err(not_known(state, known.unanswered()));
    }
    Ok(known)
}

/// Does a step in a task of its own if it must wait: it may hold what others wait for, such as a permit for reading from the store,
/// while the caller is held up by its client or has left.
async fn in_task<T: Send + 'static>(
    step: impl Future<Output = T> + Send + 'static,
) -> Result<T, Problem> {
    let mut step = Box::pin(step);
    if let Some(done) = (&mut step).now_or_never() {
        return Ok(done);
    }
    joined(tokio::spawn(step)).await
}

/// Waits for a place of a client for a request to a site.
pub(super) async fn client_place(
    state: &AppState,
    client: Option<Client>,
) -> Result<Place, Problem> {
    let limits = &state.config.limits;
    let place = timeout(limits.max_fetch_wait(), state.fetches.wait(client)).await;
    place.map_err(|_| {
        let max = limits.fetches_per_client;
        let detail = format!("{max} requests to sites for one client take too long");
        let kind = ProblemKind::TooManyRequests;
        Problem::over(kind, "limits.fetches-per-client", max, detail)
    })
}

/// Returns the problem of a robots.txt that is not known in time.
fn not_known(state: &AppState, unanswered: Option<Unanswered>) -> Problem {
    let limits = &state.config.limits;
    match unanswered {
        Some(Unanswered::TooManyWaiting) => {
            let max = limits.fetches_waiting;
            let detail = format!("{max} questions wait for the robots.txt of a site");
            Problem::over(
                ProblemKind::Overloaded,
                "limits.fetches-waiting",
                max,
                detail,
            )
        }
        Some(Unanswered::NoTurn) => {
            let max = limits.fetches_waiting_per_address;
            let detail = "too many requests wait for the address of the site";
            let name = "limits.fetches-waiting-per-address";
            Problem::over(ProblemKind::Overloaded, name, max, detail)
        }
        _ => {
            let max = limits.fetch_timeout;
            let detail =
                "the request for robots.txt takes longer than questions wait; it continues";
            Problem::over(ProblemKind::TimedOut, "limits.fetch-timeout", max, detail)
        }
    }
}

/// Returns the facts of the last request for a robots.txt that has ended.
pub(crate) fn request(origin: &Origin, known: &Known) -> RobotsRequest {
    let url = known.redirected_to();
    let mut request = RobotsRequest::new(url.map_or_else(|| origin.robots_url(), str::to_owned));
    request.redirects = known.redirects().len();
    let cause = known.cause();
    request.status = known.status();
    request.fault = match (known.fault(), cause) {
        (Some(fault), _) => Some((fault_name(fault), fault_text(fault))),
        // Another process or an earlier one made the request. The fault itself is not kept.
        (None, Cause::TooManyRedirects | Cause::Unreachable) => {
            Some((outcome_name(cause), cause.to_string()))
        }
        (None, _) => None,
    };
    let body = known.outcome().and_then(LoggedOutcome::body);
    request.bytes = body.map_or(0, |file| file.as_slice().len());
    request
}

/// Returns the name of an outcome in answers of the API.
pub(crate) fn outcome_name(cause: Cause) -> &'static str {
    match cause {
        Cause::Status(_) => "status",
        Cause::NoBody(_) => "no_body",
        Cause::TooManyRedirects => "too_many_redirects",
        Cause::NotText => "not_text",
        _ => "unreachable",
    }
}

/// Returns the name of a fault in answers of the API. Names that do not exist, and names with addresses that are not public, have one
/// answer: otherwise anyone could learn which names the network of this service has.
pub(crate) fn fault_name(fault: &FetchFault) -> &'static str {
    match fault {
        FetchFault::PrivateAddress(_) | FetchFault::Name(_) => "no_public_address",
        fault => fault.name(),
    }
}

/// Returns the words of a fault and its causes, with one answer as [`fault_name`].
pub(crate) fn fault_text(fault: &FetchFault) -> String {
    match fault {
        FetchFault::PrivateAddress(_) | FetchFault::Name(_) => {
            "the host does not exist, or has no public address".to_owned()
        }
        fault => with_causes(fault),
    }
}

#[cfg(test)]
mod tests {
    use super::{fault_name, fault_text};
    use robots_crawl::{Fetcher, Validators};
    use robots_policy::origins::Origin;

    #[tokio::test]
    async fn unknown_names_and_internal_ones_have_one_answer() {
        let fetcher = Fetcher::builder("test").with_retries(0).build().unwrap();
        let mut answers = Vec::new();
        for host in ["unknown.invalid", "localhost", "127.0.0.1", "[fd00::1]"] {
            let origin = Origin::of(&format!("http://{host}:1/")).unwrap();
            let fetched = fetcher.fetch(&origin, &Validators::default()).await;
            let fault = fetched.fault().unwrap();
            answers.push((fault_name(fault), fault_text(fault)));
        }
        answers.dedup();
        let text = "the host does not exist, or has no public address";
        assert_eq!(answers, [("no_public_address", text.to_owned())]);
    }
}
