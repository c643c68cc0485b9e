//! Requests for pages, shared by the questions that ask at the same time, and with a pause between those to one site.

use crate::config::Time;
use crate::problem::{Problem, ProblemKind};
use quick_cache::sync::Cache;
use robots_answers::why::evidence::KnownPage;
use robots_policy::origins::Origin;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// The maximum time for which a request waits for the pause of its site.
const MAX_TURN_WAIT: Duration = Duration::from_secs(10);

/// The maximum number of pending pages that questions share.
const SHARED_PAGES: usize = 1024;

/// The number of sites from which on those with a past pause are removed.
const MIN_SWEEP: usize = 64;

/// The pending requests for pages. A page is dropped when the questions that wait for it have it.
#[derive(Debug)]
pub(crate) struct PageRequests {
    /// The time from the start of a request to a site to the start of the next.
    pause: Time,
    /// By URL.
    present: Cache<String, SharedPage>,
    turns: Mutex<Turns>,
}

/// A page, or the reason why there is none, for the questions that wait for it.
type SharedPage = Arc<Result<KnownPage, String>>;

#[derive(Debug, Default)]
struct Turns {
    /// The times at which the next request to a site may begin.
    next: HashMap<Origin, Instant>,
    sweep_at: usize,
}

impl PageRequests {
    pub(crate) fn new(pause: Time) -> Self {
        Self {
            pause,
            present: Cache::new(SHARED_PAGES),
            turns: Mutex::default(),
        }
    }

    /// Waits for the pending request for a URL, or makes `request` after the pause of the site. Fails if too many requests wait
    /// for the pause.
    pub(crate) async fn page(
        &self,
        url: &str,
        origin: &Origin,
        request: impl Future<Output = Result<KnownPage, String>>,
    ) -> Result<SharedPage, Problem> {
        let page = self.present.get_or_insert_async(url, async {
            sleep(self.turn(origin)?).await;
            Ok(Arc::new(request.await))
        });
        let page = page.await?;
        // The next request for the URL may be present already.
        self.present
            .remove_if(url, |present| Arc::ptr_eq(present, &page));
        Ok(page)
    }

    /// Returns the time until the next request to a site may begin, and takes this turn.
    fn turn(&self, origin: &Origin) -> Result<Duration, Problem> {
        let now = Instant::now();
        // The turns are whole after any panic.
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        if turns.next.len() >= turns.sweep_at.max(MIN_SWEEP) {
            turns.next.retain(|_, turn| *turn > now);
            turns.sweep_at = 2 * turns.next.len();
        }
        let turn = turns.next.get(origin).copied().unwrap_or(now).max(now);
        let wait = turn - now;
        if wait > MAX_TURN_WAIT {
            let pause = self.pause;
            let detail = format!("the pages of {origin} are requested with a pause of {pause}");
            let problem =
                Problem::over(ProblemKind::Overloaded, "limits.page-pause", pause, detail);
            return Err(problem.with_retry_after(wait));
        }
        // A setting may have any time.
        if let Some(next) = turn.checked_add(self.pause.0) {
            turns.next.insert(origin.clone(), next);
        }
        Ok(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::{KnownPage, MIN_SWEEP, Origin, PageRequests, Problem, Time};
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::{Duration, Instant};
    use tokio::time::{sleep, timeout};

    /// Makes a request that is counted once it begins. Returns the name of the limit that it is over.
    async fn ask(requests: &PageRequests, url: &str, count: &AtomicUsize) -> Option<&'static str> {
        let request = async {
            count.fetch_add(1, Ordering::Relaxed);
            sleep(Duration::from_millis(20)).await;
            Err::<KnownPage, _>("none".to_owned())
        };
        let origin = Origin::of(url).unwrap();
        let page = requests.page(url, &origin, request).await;
        page.err().as_ref().and_then(Problem::limit_name)
    }

    #[tokio::test]
    async fn questions_at_the_same_time_share_a_request() {
        let requests = PageRequests::new(Time(Duration::ZERO));
        let count = AtomicUsize::new(0);
        let ask = |url| ask(&requests, url, &count);
        tokio::join!(ask("http://a/x"), ask("http://a/x"), ask("http://a/y"));
        assert_eq!(count.load(Ordering::Relaxed), 2);
        // Nothing is kept.
        ask("http://a/x").await;
        assert_eq!(count.load(Ordering::Relaxed), 3);
        // If the one that makes it leaves, another makes it.
        let first = timeout(Duration::from_millis(10), ask("http://a/x"));
        let (first, _) = tokio::join!(first, ask("http://a/x"));
        assert!(first.is_err());
        assert_eq!(count.load(Ordering::Relaxed), 5);
    }

    #[tokio::test]
    async fn requests_to_a_site_have_a_pause() {
        let requests = PageRequests::new(Time(Duration::from_millis(100)));
        let count = AtomicUsize::new(0);
        let begun = Instant::now();
        tokio::join!(
            ask(&requests, "http://a/1", &count),
            ask(&requests, "http://a/2", &count),
            ask(&requests, "http://a/3", &count),
            async {
                tokio::join!(
                    ask(&requests, "http://b/1", &count),
                    ask(&requests, "http://c/1", &count)
                );
                assert!(begun.elapsed() < Duration::from_millis(90));
            }
        );
        assert!(begun.elapsed() >= Duration::from_millis(220));
        // Too many are refused, and do not move the turns of others.
        let requests = PageRequests::new(Time(Duration::from_secs(4)));
        let origin = Origin::of("http://a/").unwrap();
        for (number, is_accepted) in [true, true, true, false, false].into_iter().enumerate() {
            let found = requests.turn(&origin);
            let limit = found.as_ref().err().and_then(Problem::limit_name);
            assert_eq!(limit.is_none(), is_accepted, "{number}");
            assert!(is_accepted || limit == Some("limits.page-pause"));
        }
    }

    #[test]
    fn turns_that_are_over_are_removed() {
        let requests = PageRequests::new(Time(Duration::from_nanos(1)));
        for number in 0..1000 {
            let origin = Origin::of(&format!("http://a{number}/")).unwrap();
            requests.turn(&origin).unwrap();
        }
        let turns = requests.turns.lock().unwrap();
        assert!(turns.next.len() <= MIN_SWEEP + 2);
    }
}
