//! A request for a robots.txt, or another small file of a site, with its redirects and retries.

use super::builder::ACCEPT_ROBOTS;
use super::client::Response;
use super::coding;
use super::fault::FetchFault;
use super::fetched::{Answer, Fetched, Hop};
use super::sent_url::{is_http, redirect_target};
use super::turn::Turn;
use super::{FetchLimits, Fetcher, within};
use crate::cut::blank_last_line;
use crate::next_request::Validators;
use http::StatusCode;
use http::header::{ACCEPT, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION};
use robots_policy::RobotsFetch;
use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;
use tokio::time::Instant;
use url::Url;

/// The maximum pause before the first retry, in milliseconds. It doubles with each further retry.
const FIRST_MS: u64 = 500;

/// The maximum pause before any retry, in milliseconds.
const LONGEST_MS: u64 = 10_000;

/// A request for a robots.txt. It takes several steps, of one HTTP request each, if there are redirects or retries.
pub(super) struct RobotsRequest<'f> {
    fetcher: &'f Fetcher,
    validators: &'f Validators,
    started: Instant,
    /// The time spent waiting for turns, in which no timeout runs.
    waited: Duration,
    /// The turn of the last step, if it was a redirect.
    turn: Option<Turn>,
    /// The URL of the next step, or of the last one at the end. The error is the text of a URL that HTTP cannot request.
    url: Result<Url, String>,
    /// The status of the last step, if it had a response.
    status: Option<StatusCode>,
    hops: Vec<Hop>,
    attempts: u32,
    /// The maximum size of a body, in bytes: one byte more is read.
    most: usize,
}

impl<'f> RobotsRequest<'f> {
    /// Prepares the request of a URL, with a body of up to `most` bytes; the error is a text that is not a URL.
    pub(super) fn new(
        fetcher: &'f Fetcher,
        url: Result<Url, String>,
        validators: &'f Validators,
        most: usize,
    ) -> Self {
        Self {
            fetcher,
            validators,
            started: Instant::now(),
            waited: Duration::ZERO,
            turn: None,
            url: url.and_then(|url| {
                if is_http(&url) {
                    Ok(url)
                } else {
                    Err(url.into())
                }
            }),
            status: None,
            hops: Vec::new(),
            attempts: 1,
            most,
        }
    }

    pub(super) async fn run(mut self) -> Fetched {
        let (answer, fault) = match self.answer().await {
            Ok(answer) => (answer, None),
            Err(fault) => {
                let status = self.status.as_ref().map(StatusCode::as_u16);
                (Answer::without_content(status), Some(fault))
            }
        };
        Fetched {
            answer,
            fault,
            url: self.url.map_or_else(|url| url, String::from),
            hops: self.hops,
            attempts: self.attempts,
        }
    }

    /// Takes steps until one is the last. After a temporary fault, it repeats the step after a pause, if a retry is left and
    /// the total timeout does not end in the pause.
    async fn answer(&mut self) -> Result<Answer, FetchFault> {
        let mut earlier = None;
        loop {
            match (self.step().await, earlier.take()) {
                (Ok(Some(answer)), _) => return Ok(answer),
                // The fault before a redirect still counts if the target has no turn.
                (Ok(None), fault) => earlier = fault,
                // A retry without a turn is not made: the fault before it counts.
                (Err(FetchFault::NoTurn), Some(fault)) => return Err(fault),
                (Err(fault), _) => {
                    let pause = retry_pause(self.attempts);
                    let is_last = self.attempts > self.limits().retries || pause >= self.left();
                    if is_last || !fault.is_retried() {
                        return Err(fault);
                    }
                    earlier = Some(fault);
                    tokio::time::sleep(pause).await;
                    self.attempts += 1;
                }
            }
        }
    }

    /// Makes one request. `None` is a redirect: the next step has another URL.
    async fn step(&mut self) -> Result<Option<Answer>, FetchFault> {
        self.status = None;
        let url = self.url.clone().map_err(FetchFault::BadUrl)?;
        let (left, before) = (self.left(), self.turn.take());
        let (shared, limits) = (&self.fetcher.shared, self.fetcher.turn_limits);
        let waited = &mut self.waited;
        let turn = shared.turn(&url, left, limits, waited, before).await?;
        let response = self.send(&turn, &url).await?;
        let status = response.status;
        self.status = Some(status);
        match status.as_u16() {
            status if RobotsFetch::is_redirect(status) => {
                self.hops.push(Hop::new(&url, &response));
                self.url = Ok(self.target(&url, &response.headers)?);
                self.turn = Some(turn);
                Ok(None)
            }
            304 => {
                let mut answer = Answer::of_head(&response);
                // A validator that the 304 does not repeat keeps the value that was sent.
                if self.is_conditional(&url) {
                    answer.validators = answer.validators.or(self.validators);
                }
                Ok(Some(self.with_validated_url(&url, answer)))
            }
            200..=299 => {
                let answer = self.read(response).await?;
                Ok(Some(self.with_validated_url(&url, answer)))
            }
            _ => Ok(Some(Answer::of_head(&response))),
        }
    }

    async fn send(&self, turn: &Turn, url: &Url) -> Result<Response, FetchFault> {
        let mut headers = HeaderMap::from_iter([(ACCEPT, ACCEPT_ROBOTS)]);
        if self.is_conditional(url) {
            for (name, value) in [
                (IF_NONE_MATCH, self.validators.etag()),
                (IF_MODIFIED_SINCE, self.validators.last_modified()),
            ] {
                // A value that no header can have is not sent.
                if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                    headers.insert(name, value);
                }
            }
        }
        let limit = self.limits().headers();
        let response = within(limit, self.left(), turn.client.get(url, headers)).await?;
        response.map_err(|fault| match fault {
            // Of the two limits, the time left for the whole fetch was the shorter.
            FetchFault::ConnectTimeout if self.left().is_zero() => FetchFault::Timeout,
            fault => fault,
        })
    }

    /// Reads the body of a 2xx, up to the limit.
    async fn read(&self, mut response: Response) -> Result<Answer, FetchFault> {
        let mut answer = Answer::of_head(&response);
        coding::check(&response.headers)?;
        let idle = self.limits().idle;
        // The byte past the limit shows that the body is longer.
        let kept = self.most + 1;
        while answer.body.len() < kept {
            let chunk = within(idle, self.left(), response.chunk()).await??;
            let Some(chunk) = chunk else {
                break;
            };
            let room = kept - answer.body.len();
            answer
                .body
                .extend_from_slice(&chunk[..chunk.len().min(room)]);
        }
        answer.is_cut = answer.body.len() == kept;
        // A rule without its end would be a different rule.
        if answer.is_cut {
            blank_last_line(&mut answer.body);
        }
        Ok(answer)
    }

    /// Returns the target of a redirect, without fragment, user and password.
    fn target(&self, url: &Url, headers: &HeaderMap) -> Result<Url, FetchFault> {
        let location = headers
            .get(LOCATION)
            .ok_or(FetchFault::RedirectWithoutTarget)?;
        if self.hops.len() > self.limits().redirects {
            return Err(FetchFault::TooManyRedirects);
        }
        let location = String::from_utf8_lossy(location.as_bytes());
        redirect_target(url, &location).ok_or_else(|| FetchFault::of_target(location.into_owned()))
    }

    /// Returns whether a request of this URL is conditional: the validators are those of an earlier response to this URL.
    /// Validators without a URL belong to the origin's robots.txt, the first URL that is requested.
    fn is_conditional(&self, url: &Url) -> bool {
        match self.validators.url() {
            Some(validated) => validated == url.as_str(),
            None => self.hops.is_empty(),
        }
    }

    /// Adds the URL of a response to its validators, after a redirect.
    fn with_validated_url(&self, url: &Url, mut answer: Answer) -> Answer {
        if !self.hops.is_empty() && !answer.validators.is_empty() {
            answer.validators = answer.validators.with_url(url.as_str());
        }
        answer
    }

    /// Returns the time that is left of the total timeout.
    fn left(&self) -> Duration {
        let elapsed = self.started.elapsed().saturating_sub(self.waited);
        self.limits().total.saturating_sub(elapsed)
    }

    fn limits(&self) -> &'f FetchLimits {
        &self.fetcher.shared.limits
    }
}

/// Returns the pause after this number of failed attempts, at least one. It is random, from half of the maximum to the maximum. So
/// clients that failed together do not retry together.
fn retry_pause(attempts: u32) -> Duration {
    let doubled = 2_u64.saturating_pow(attempts - 1);
    let half = FIRST_MS.saturating_mul(doubled).min(LONGEST_MS) / 2;
    // Each `RandomState` has different keys, so the hash is a random number.
    let jitter = RandomState::new().hash_one(attempts) % (half + 1);
    Duration::from_millis(half + jitter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn pauses_double_up_to_a_limit() {
        for (attempts, longest) in [
            (1, 500),
            (2, 1_000),
            (3, 2_000),
            (5, 8_000),
            (6, 10_000),
            (64, 10_000),
            (u32::MAX, 10_000),
        ] {
            let drawn: BTreeSet<Duration> = (0..64).map(|_| retry_pause(attempts)).collect();
            let within = Duration::from_millis(longest / 2)..=Duration::from_millis(longest);
            assert!(
                drawn.iter().all(|pause| within.contains(pause)),
                "{drawn:?}"
            );
            assert!(drawn.len() > 1, "no jitter after {attempts}");
        }
    }
}
