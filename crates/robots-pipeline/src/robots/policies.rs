//! The book of captures of a run, which its threads share.

use super::capture_book::CaptureBook;
pub(crate) use super::capture_book::RobotsAt;
use super::kept_file::{KeptFile, KeptForm};
use super::request::{Completeness, RequestResult};
use robots_archive::http::Response;
use robots_meta::Timestamp;
use robots_policy::Policies;
use robots_policy::origins::Origin;
use std::collections::HashSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockWriteGuard};
use url::Url;

/// The captures of robots.txt files, for decisions under some policies. Threads may share it.
#[derive(Debug)]
pub(crate) struct PolicyBook {
    form: KeptForm,
    // A lock is poisoned by the panic of another thread, which ends the run.
    book: RwLock<CaptureBook>,
}

impl PolicyBook {
    /// Returns a book without captures, which keeps files in this form.
    pub(crate) fn new(policies: &Arc<Policies>, form: KeptForm) -> Self {
        Self {
            form,
            book: RwLock::new(CaptureBook::of_form(policies, form)),
        }
    }

    fn write(&self) -> RwLockWriteGuard<'_, CaptureBook> {
        self.book.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the form in which files are kept.
    pub(crate) fn form(&self) -> KeptForm {
        self.form
    }

    /// Enters the result of a request.
    pub(crate) fn enter(
        &self,
        url: &Url,
        date: Option<Timestamp>,
        result: &RequestResult<Arc<KeptFile>>,
    ) {
        self.write().enter(url, date, result);
    }

    /// Enters a robots.txt that came from a file. It is in force from a time on, or always.
    pub(crate) fn enter_file(&self, url: &Url, date: Option<Timestamp>, body: &[u8]) {
        self.write().enter_file(url, date, body);
    }

    /// Returns the targets of redirects without a capture. Each is returned once.
    pub(crate) fn take_missing(&self) -> HashSet<String> {
        self.write().take_missing()
    }

    /// Returns the state of an origin at a time, for each policy.
    pub(crate) fn robots(&self, origin: &Origin, date: Option<Timestamp>) -> RobotsAt {
        let book = self.book.read().unwrap_or_else(PoisonError::into_inner);
        book.robots_at(origin, date)
    }

    /// Returns the book.
    pub(crate) fn into_book(self) -> CaptureBook {
        let book = self.book.into_inner();
        book.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the result of a request with this response, with its file in the form in which it is kept.
pub(crate) fn kept_result(
    policies: &Policies,
    form: KeptForm,
    url: &Url,
    response: &Response<'_>,
    whole: Completeness,
) -> RequestResult<Arc<KeptFile>> {
    RequestResult::of(url, response, whole, |body| {
        KeptFile::new(body, policies, form)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::fault::RequestFault;
    use robots_policy::{Fetch, Page, Policy, Profile};

    fn url(text: &str) -> url::Url {
        url::Url::parse(text).unwrap()
    }

    fn enter(book: &PolicyBook, host: &str, date: &str, response: &str) {
        enter_at(
            book,
            &url(&format!("http://{host}/robots.txt")),
            date,
            response.as_bytes(),
        );
    }

    fn enter_at(book: &PolicyBook, url: &url::Url, date: &str, response: &[u8]) {
        let response = Response::parse(response).unwrap();
        let policies = Arc::clone(book.write().policies());
        let whole = Completeness::Whole;
        let result = kept_result(&policies, book.form, url, &response, whole);
        book.enter(url, Timestamp::parse(date), &result);
    }

    /// Returns a book for one policy.
    fn book_of(policy: Policy) -> PolicyBook {
        let policies = Arc::new(Policies::new(vec![policy]));
        PolicyBook::new(&policies, KeptForm::Rules)
    }

    fn book() -> PolicyBook {
        book_of(Policy::new("a").unwrap())
    }

    fn fetch(book: &PolicyBook, host: &str, date: &str) -> Fetch {
        fetch_by(book, &format!("http://{host}/x"), date)
    }

    fn fetch_by(book: &PolicyBook, page_url: &str, date: &str) -> Fetch {
        let decisions = book
            .write()
            .decide(&Page::new(page_url), Timestamp::parse(date));
        decisions[0].fetch
    }

    const OPEN: &str = "HTTP/1.1 200 OK\r\n\r\n";
    const CLOSED: &str = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: /";

    #[test]
    fn the_capture_before_the_page_holds() {
        let book = book();
        enter(&book, "a.example", "2026-03-01T00:00:00Z", CLOSED);
        enter(
            &book,
            "a.example",
            "2026-03-02T00:00:00Z",
            "HTTP/1.1 304 x\r\n\r\n",
        );
        enter(&book, "a.example", "2026-01-01T00:00:00Z", OPEN);
        let at = |date| fetch(&book, "a.example", date);
        // Before all captures, the first one counts.
        assert_eq!(at("2025-12-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-02-01T00:00:00Z"), Fetch::Allow);
        assert_eq!(at("2026-03-01T00:00:00.5Z"), Fetch::Disallow);
        assert_eq!(at("2026-04-01T00:00:00Z"), Fetch::Disallow);
        assert_eq!(at(""), Fetch::Disallow, "the newest");
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Unknown);
    }

    #[test]
    fn the_earlier_copy_holds_during_a_failure() {
        let book = book_of(Policy::under(&Profile::google(), "Googlebot").unwrap());
        enter(&book, "a.example", "2026-11-01T00:00:00Z", CLOSED);
        let failed = "HTTP/1.1 503 x\r\n\r\n";
        enter(&book, "a.example", "2026-11-08T00:00:00Z", failed);
        let fetch = |date| fetch_by(&book, "http://a.example/x", date);
        // To a crawler, the copy would be stale by then. In an archive it applies until the next capture.
        assert_eq!(fetch("2026-11-07T00:00:00Z"), Fetch::Disallow);
        // Google waits for 12 hours after a failure, and then uses the copy.
        assert_eq!(fetch("2026-11-08T01:00:00Z"), Fetch::Defer);
        assert_eq!(fetch("2026-11-10T00:00:00Z"), Fetch::Disallow);
    }

    #[test]
    fn the_content_type_decides() {
        // Yandex obeys only a robots.txt that is text (docs/semantics.md, section 2.5).
        let book = book_of(Policy::under(&Profile::yandex(), "YandexBot").unwrap());
        let html = CLOSED.replace("200 OK", "200 OK\r\nContent-Type: text/html");
        enter(&book, "a.example", "", &html);
        enter(&book, "b.example", "", CLOSED);
        let fetch = |page_url| fetch_by(&book, page_url, "");
        assert_eq!(fetch("http://a.example/x"), Fetch::Allow);
        assert_eq!(fetch("http://b.example/x"), Fetch::Disallow);
    }

    #[test]
    fn an_unreadable_body_makes_the_state_unknown() {
        let book = book();
        let zstd = "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\n\r\n";
        let response = [zstd.as_bytes(), b"\x28\xB5\x2F\xFD"].concat();
        enter_at(&book, &url("http://a.example/robots.txt"), "", &response);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Unknown);
    }

    #[test]
    fn a_rule_that_is_a_url_applies_to_the_site_of_the_page() {
        // Under the dialect of this profile, a rule may be an absolute URL.
        let book = book_of(Policy::under(&Profile::duckduckgo(), "DuckDuckBot").unwrap());
        let file = "HTTP/1.1 200 OK\r\n\r\nUser-agent: *\nDisallow: http://a.example/x";
        let redirect = "HTTP/1.1 301 x\r\nLocation: http://c.example/robots.txt\r\n\r\n";
        enter(&book, "a.example", "", redirect);
        enter(&book, "b.example", "", file);
        enter(&book, "c.example", "", file);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Allow);
        assert_eq!(fetch(&book, "c.example", ""), Fetch::Allow);
    }

    #[test]
    fn redirects_are_followed_within_the_archives() {
        let book = book();
        let to =
            |host: &str| format!("HTTP/1.1 301 x\r\nLocation: http://{host}/robots.txt\r\n\r\n");
        // Too many redirects (more than five), or one without a valid target: RFC 9309 allows everything. The target of a
        // valid one must be in the archives.
        for hop in 0..6 {
            let from = format!("h{hop}.example");
            let next = format!("h{}.example", hop + 1);
            enter(&book, &from, "", &to(&next));
        }
        enter(&book, "h6.example", "", CLOSED);
        assert_eq!(fetch(&book, "h1.example", ""), Fetch::Disallow, "five");
        assert_eq!(fetch(&book, "h0.example", ""), Fetch::Allow, "six");
        enter(&book, "loop.example", "", &to("loop.example"));
        assert_eq!(fetch(&book, "loop.example", ""), Fetch::Allow);
        enter(&book, "out.example", "", &to("elsewhere.example"));
        assert_eq!(fetch(&book, "out.example", ""), Fetch::Unknown);
        let file = "HTTP/1.1 301 x\r\nLocation: file:///robots.txt\r\n\r\n";
        enter(&book, "file.example", "", file);
        assert_eq!(fetch(&book, "file.example", ""), Fetch::Allow);
        enter(&book, "nil.example", "", "HTTP/1.1 301 x\r\n\r\n");
        assert_eq!(fetch(&book, "nil.example", ""), Fetch::Allow);
    }

    #[test]
    fn a_redirect_may_lead_to_any_url() {
        let book = book();
        let redirect = "HTTP/1.1 302 x\r\nLocation: /static/robots?v=2#x\r\n\r\n";
        enter(&book, "a.example", "", redirect);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Unknown);
        // A new book: all captures are entered before the first query.
        let book = self::book();
        enter(&book, "a.example", "", redirect);
        let target = url("http://a.example/static/robots?v=2");
        assert_eq!(book.take_missing(), HashSet::from([target.to_string()]));
        assert!(book.take_missing().is_empty());
        enter_at(&book, &target, "", CLOSED.as_bytes());
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        // The target of another redirect to it is captured by now.
        enter(&book, "a.example", "2026-01-01T00:00:00Z", redirect);
        assert!(book.take_missing().is_empty());
    }

    #[test]
    fn a_request_without_a_response_follows_the_policy() {
        let book = book();
        let at = |host: &str| url(&format!("http://{host}/robots.txt"));
        book.enter(
            &at("a.example"),
            None,
            &RequestResult::Fault(RequestFault::Other),
        );
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://a.example/robots.txt\r\n\r\n";
        enter(&book, "b.example", "", redirect);
        assert_eq!(fetch(&book, "b.example", ""), Fetch::Disallow);
        // A redirect to nowhere is another outcome than one to an unreachable site.
        let nowhere = RequestResult::Fault(RequestFault::Redirect);
        book.enter(&at("c.example"), None, &nowhere);
        assert_eq!(fetch(&book, "c.example", ""), Fetch::Allow);
    }

    #[test]
    fn a_private_address_is_unreachable_after_a_redirect_too() {
        let book = book();
        let private = RequestResult::Fault(RequestFault::named("private_address"));
        let at = url("http://10.0.0.1/robots.txt");
        book.enter(&at, None, &private);
        assert_eq!(fetch(&book, "10.0.0.1", ""), Fetch::Disallow);
        let redirect = "HTTP/1.1 302 x\r\nLocation: http://10.0.0.1/robots.txt\r\n\r\n";
        enter(&book, "a.example", "", redirect);
        assert_eq!(fetch(&book, "a.example", ""), Fetch::Disallow);
    }
}
