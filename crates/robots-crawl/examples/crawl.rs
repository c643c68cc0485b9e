//! A small polite crawler: visits a page, and then the pages of its origin to which links may be followed.
//!
//! `cargo run -p robots-crawl --example crawl -- https://example.com/ 20`

use robots_crawl::crawl::VisitedPage;
use robots_crawl::{Crawler, Fetcher, VisitEnd};
use robots_policy::Policy;
use robots_policy::decision::FollowLink;
use robots_policy::origins::UrlError;
use robots_policy::robots_meta::{Facts, HeadOptions, Wanted};
use std::collections::{HashSet, VecDeque};
use std::error::Error;
use url::Url;

/// A page that was visited, and the decision about it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Decided {
    /// The URL.
    pub url: String,
    /// Whether the page may be fetched.
    pub fetch: &'static str,
    /// Whether the page may be indexed.
    pub index: &'static str,
    /// Whether the links of the page may be followed.
    pub follow: &'static str,
}

/// Visits up to `max_pages` pages of the origin of `start`, breadth first.
///
/// # Errors
///
/// If the start is not a URL.
pub async fn crawl(
    crawler: &Crawler,
    start: &str,
    max_pages: usize,
) -> Result<Vec<Decided>, UrlError> {
    let mut seen = HashSet::from([start.to_owned()]);
    let mut queue = VecDeque::from([start.to_owned()]);
    let mut decided = Vec::new();
    while let Some(url) = queue.pop_front()
        && decided.len() < max_pages
    {
        let visit = crawler.visit(&url).await?;
        let decision = visit.decision();
        if let VisitEnd::Page(page) = visit.end() {
            for (target, follow) in links(&url, page, |rel| decision.follow_link(rel)) {
                if follow == FollowLink::Yes && seen.insert(target.clone()) {
                    queue.push_back(target);
                }
            }
        }
        decided.push(Decided {
            url,
            fetch: decision.fetch.name(),
            index: decision.index.name(),
            follow: decision.follow.name(),
        });
    }
    Ok(decided)
}

/// Returns the links of a page to its own origin, and whether each may be followed.
fn links(
    url: &str,
    page: &VisitedPage,
    follow: impl Fn(robots_policy::robots_meta::value::Rel) -> FollowLink,
) -> Vec<(String, FollowLink)> {
    let Ok(base) = Url::parse(url) else {
        return Vec::new();
    };
    let meta = HeadOptions::new()
        .with_wanted(Wanted::facts(Facts::LINKS))
        .read_document(page.body());
    meta.links()
        .filter_map(|link| {
            let mut target = base.join(link.href()).ok()?;
            target.set_fragment(None);
            let is_same_origin = target.origin() == base.origin();
            is_same_origin.then(|| (target.into(), follow(link.rel())))
        })
        .collect()
}

#[allow(
    dead_code,
    reason = "a test includes this file for the functions above"
)]
#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let Some(start) = arguments.next() else {
        return Err("usage: crawl URL [PAGES]".into());
    };
    let max_pages = arguments.next().map_or(Ok(10), |pages| pages.parse())?;
    let fetcher = Fetcher::builder("crawl-example/0.1").build()?;
    let crawler = Crawler::builder(Policy::new("crawl-example")?, fetcher)
        // Links are in BODY: without this option, reading may end with HEAD.
        .with_whole_pages()
        .build();
    for page in crawl(&crawler, &start, max_pages).await? {
        let (fetch, index, follow) = (page.fetch, page.index, page.follow);
        println!("{fetch:<9} {index:<9} {follow:<8} {}", page.url);
    }
    Ok(())
}
