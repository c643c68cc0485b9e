//! The crawler for programs without async.

use super::{Crawler, Visit};
use robots_policy::origins::UrlError;
use robots_policy::robots::RobotsState;
use robots_policy::site::SiteRules;
use std::io;
use std::sync::mpsc;
use std::time::Duration;
use tokio::runtime::{Builder, Handle, Runtime};

/// The longest wait for writes to the store on disk when a crawler is dropped.
const MAX_FLUSH: Duration = Duration::from_secs(10);

/// A [`Crawler`] for programs without async: its methods block, and it has an async runtime of its own. Threads may
/// share it, and visit pages at the same time.
///
/// # Panics
///
/// Its methods panic in async code.
///
/// ```no_run
/// use robots_crawl::{BlockingCrawler, Crawler, Fetcher};
/// use robots_policy::Policy;
///
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)").build()?;
/// let crawler = BlockingCrawler::new(Crawler::new(Policy::new("ExampleBot")?, fetcher))?;
/// let visit = crawler.visit("https://example.com/offers")?;
/// println!("{}", visit.decision().explain());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct BlockingCrawler {
    crawler: Crawler,
    handle: Handle,
    /// `None` while it is dropped.
    runtime: Option<Runtime>,
}

impl Drop for BlockingCrawler {
    /// Waits for writes to the store on disk, up to `MAX_FLUSH`, but not for requests whose visits have ended: the system may look
    /// for a name for longer than any timeout.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // It may be dropped in async code, where a runtime cannot block.
            let (flushing, flushed) = mpsc::channel::<()>();
            let known_robots = self.crawler.known_robots().clone();
            runtime.spawn(async move {
                known_robots.flush().await;
                drop(flushing);
            });
            flushed.recv_timeout(MAX_FLUSH).ok();
            runtime.shutdown_background();
        }
    }
}

impl BlockingCrawler {
    /// Returns the crawler, with a runtime for it.
    ///
    /// # Errors
    ///
    /// If the operating system refuses the threads or the files of the runtime.
    pub fn new(crawler: Crawler) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("crawler")
            .enable_all()
            .build()?;
        Ok(Self {
            crawler,
            handle: runtime.handle().clone(),
            runtime: Some(runtime),
        })
    }

    /// Returns the crawler.
    pub fn crawler(&self) -> &Crawler {
        &self.crawler
    }

    /// Returns the present state of the robots.txt of a URL's origin: [`Crawler::robots`].
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn robots(&self, url: &str) -> Result<RobotsState<SiteRules>, UrlError> {
        self.handle.block_on(self.crawler.robots(url))
    }

    /// Visits a page: [`Crawler::visit`].
    ///
    /// # Errors
    ///
    /// If the URL has no origin.
    pub fn visit(&self, url: &str) -> Result<Visit, UrlError> {
        self.handle.block_on(self.crawler.visit(url))
    }
}
