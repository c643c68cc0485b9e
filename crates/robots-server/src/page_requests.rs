//! Requests for pages, shared by the questions that ask at the same time, and with a pause between those to one site.

use crate::config::shown_time;
use crate::limit::memory::HeldMemory;
use crate::problem::{Problem, ProblemKind};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared, WeakShared};
use robots_answers::why::evidence::KnownPage;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The maximum time for which a request waits for the pause of its site.
const MAX_TURN_WAIT: Duration = Duration::from_secs(10);

/// The number of entries at which those that are over are first removed.
const MIN_SWEEP: usize = 64;

/// The requests for pages that are made now. Nothing of a page is kept once the questions that wait for it have it.
pub(crate) struct PageRequests {
    /// The time between the begins of requests to one site.
    pause: Duration,
    present: Mutex<Present>,
}

#[derive(Default)]
struct Present {
    /// By URL.
    requests: HashMap<String, WeakShared<BoxFuture<'static, SharedPage>>>,
    /// The times at which the next request to a site may begin.
    turns: HashMap<Origin, Instant>,
    /// The number of entries at which those that are over are removed.
    sweep_at: usize,
}

/// A page, or why there is none, for all who wait for it.
type SharedPage = Arc<Result<RequestedPage, NoPage>>;

/// A request for a page that several questions may await. It ends when all have left.
pub(crate) type PageRequest = Shared<BoxFuture<'static, SharedPage>>;

/// A page with its memory.
#[derive(Debug)]
pub(crate) struct RequestedPage {
    pub(crate) page: KnownPage,
    pub(crate) memory: HeldMemory,
}

/// Why there is no page.
#[derive(Debug, Clone)]
pub(crate) enum NoPage {
    /// The request failed, in words.
    Fault(String),
    /// There is no memory for it.
    Full(Problem),
}

impl fmt::Debug for PageRequests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageRequests")
            .field("pause", &self.pause)
            .finish_non_exhaustive()
    }
}

impl PageRequests {
    pub(crate) fn new(pause: Duration) -> Self {
        Self {
            pause,
            present: Mutex::default(),
        }
    }

    /// Returns the request for a URL that is made now.
    pub(crate) fn present(&self, url: &str) -> Option<PageRequest> {
        let present = self.present.lock();
        let present = present.unwrap_or_else(PoisonError::into_inner);
        present.requests.get(url)?.upgrade()
    }

    /// Returns the request for a URL that is made now, or else begins `request` after the pause of the site.
    ///
    /// # Errors
    ///
    /// If too many requests wait for the pause.
    pub(crate) fn present_or_new<F>(
        &self,
        url: &str,
        origin: &Origin,
        request: F,
    ) -> Result<PageRequest, Problem>
    where
        F: Future<Output = Result<RequestedPage, NoPage>> + Send + 'static,
    {
        let now = Instant::now();
        let present = self.present.lock();
        let mut present = present.unwrap_or_else(PoisonError::into_inner);
        if let Some(present) = present.requests.get(url).and_then(WeakShared::upgrade) {
            return Ok(present);
        }
        present.sweep(now);
        let turn = present.turns.get(origin).copied().unwrap_or(now).max(now);
        let wait = turn.saturating_duration_since(now);
        if wait > MAX_TURN_WAIT {
            let pause = shown_time(self.pause);
            let detail = format!("the pages of {origin} are requested with a pause of {pause}");
            return Err(Problem::new(ProblemKind::Overloaded, detail)
                .with_limit("limits.page-pause", pause)
                .with_retry_after(wait));
        }
        if let Some(next) = turn.checked_add(self.pause) {
            present.turns.insert(origin.clone(), next);
        }
        let request = async move {
            if !wait.is_zero() {
                sleep(wait).await;
            }
            Arc::new(request.await)
        };
        let request = request.boxed().shared();
        if let Some(weak) = request.downgrade() {
            present.requests.insert(url.to_owned(), weak);
        }
        Ok(request)
    }
}

impl Present {
    /// Removes what is over, once it is much.
    fn sweep(&mut self, now: Instant) {
        let entries = self.requests.len().saturating_add(self.turns.len());
        if entries < self.sweep_at.max(MIN_SWEEP) {
            return;
        }
        self.requests
            .retain(|_, request| request.upgrade().is_some());
        self.turns.retain(|_, turn| *turn > now);
        let rest = self.requests.len().saturating_add(self.turns.len());
        self.sweep_at = rest.saturating_mul(2);
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_SWEEP, NoPage, Origin, PageRequests, Problem, RequestedPage};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};
    use tokio::time::sleep;

    /// Returns a request that is counted once it begins.
    fn counted(
        count: &Arc<AtomicUsize>,
    ) -> impl Future<Output = Result<RequestedPage, NoPage>> + Send + 'static {
        let count = Arc::clone(count);
        async move {
            count.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(20)).await;
            Err(NoPage::Fault("none".to_owned()))
        }
    }

    #[tokio::test]
    async fn questions_at_the_same_time_share_a_request() {
        let requests = PageRequests::new(Duration::ZERO);
        let count = Arc::default();
        let url = "http://a/x";
        let origin = Origin::of(url).unwrap();
        let first = requests.present_or_new(url, &origin, counted(&count));
        let second = requests.present_or_new(url, &origin, counted(&count));
        let third = requests.present(url).unwrap();
        let other = requests.present_or_new("http://a/y", &origin, counted(&count));
        // One that leaves does not end it.
        drop(first.unwrap());
        tokio::join!(second.unwrap(), third, other.unwrap());
        assert_eq!(count.load(Ordering::Relaxed), 2);
        // Nothing is kept.
        assert!(requests.present(url).is_none());
        let later = requests.present_or_new(url, &origin, counted(&count));
        later.unwrap().await;
        assert_eq!(count.load(Ordering::Relaxed), 3);
    }

    #[tokio::test]
    async fn requests_to_a_site_have_a_pause() {
        let requests = PageRequests::new(Duration::from_millis(100));
        let count = Arc::default();
        let begun = Instant::now();
        let request = |url: &str| {
            let origin = Origin::of(url).unwrap();
            requests.present_or_new(url, &origin, counted(&count))
        };
        let others = (
            request("http://b/1").unwrap(),
            request("http://c/1").unwrap(),
        );
        let all = ["http://a/1", "http://a/2", "http://a/3"].map(|url| request(url).unwrap());
        tokio::join!(others.0, others.1);
        assert!(begun.elapsed() < Duration::from_millis(90));
        let [first, second, third] = all;
        tokio::join!(first, second, third);
        assert!(begun.elapsed() >= Duration::from_millis(220));
        // Too many are refused, and do not move the turns of others.
        let requests = PageRequests::new(Duration::from_secs(4));
        let origin = Origin::of("http://a/").unwrap();
        for (number, is_accepted) in [true, true, true, false, false].into_iter().enumerate() {
            let url = format!("http://a/{number}");
            let found = requests.present_or_new(&url, &origin, counted(&count));
            let limit = found.as_ref().err().and_then(Problem::limit_name);
            assert_eq!(limit.is_none(), is_accepted, "{number}");
            assert!(is_accepted || limit == Some("limits.page-pause"));
        }
    }

    #[tokio::test]
    async fn what_is_over_is_removed() {
        let requests = PageRequests::new(Duration::from_nanos(1));
        for number in 0..1000 {
            let url = format!("http://a{number}/");
            let origin = Origin::of(&url).unwrap();
            drop(requests.present_or_new(&url, &origin, counted(&Arc::default())));
        }
        let present = requests.present.lock().unwrap();
        assert!(present.requests.len() + present.turns.len() <= MIN_SWEEP + 2);
    }
}
