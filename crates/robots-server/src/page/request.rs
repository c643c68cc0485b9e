//! The request for a robots.txt: its redirects, and what its outcome means.

use super::plain::{counted, cut};
use crate::site::{self, Omission};
use maud::{Markup, html};
use robots_answers::why::evidence::{Evidence, RobotsEvidence, RobotsRequest};
use robots_crawl::known::{Known, Redirect, Unanswered};
use robots_meta::Timestamp;
use robots_policy::origins::Origin;
use robots_policy::robots::Cause;
use robots_policy::text::printable;
use std::sync::Arc;

/// The maximum number of characters that are shown of a URL.
const MAX_URL_CHARS: usize = 500;

/// A request for a robots.txt, as far as the page shows it.
#[derive(Debug)]
pub(super) struct Requested {
    /// The URL of the first request.
    pub(super) first_url: String,
    /// The last request that has ended.
    pub(super) last: RobotsRequest,
    pub(super) known: Arc<Known>,
    /// Why the text of the robots.txt is not shown.
    pub(super) omission: Option<Omission>,
}

impl Requested {
    /// Returns what is known about the robots.txt of an origin.
    pub(super) fn of(origin: &Origin, known: Arc<Known>) -> Self {
        Self {
            first_url: origin.robots_url(),
            last: site::request(origin, &known),
            omission: Omission::of(origin, &known),
            known,
        }
    }

    /// Returns the time of the robots.txt that is shown, if the last request has no body.
    fn earlier_file_at(&self) -> Option<String> {
        let (last, success) = (
            self.known.outcome()?,
            self.known.record().outcomes.last_success()?,
        );
        (!std::ptr::eq(last, success)).then(|| shown(success.at()))
    }

    /// Returns whether the last outcome means that there are no rules, rather than that they are not known.
    pub(super) fn is_absent(&self) -> bool {
        matches!(
            (self.known.cause(), self.last.status),
            (Cause::TooManyRedirects, _) | (_, Some(300..=303 | 305..=499))
        )
    }

    /// Returns the outcome in a sentence, and why there is no newer one.
    pub(super) fn sentence(&self) -> String {
        let after = match self.known.redirects().len() {
            0 => String::new(),
            redirects => format!(" after {}", counted(redirects, "redirect")),
        };
        let outcome = match (&self.last.fault, self.last.status) {
            (Some((_, fault)), _) => format!("robots.txt cannot be read{after}: {fault}."),
            (None, Some(status)) if self.known.cause().status().is_some() => {
                format!("robots.txt has status {status}{after}.")
            }
            (None, _) => format!("{}.", self.known.cause()),
        };
        match self.known.unanswered() {
            Some(reason) => format!("{outcome} {}", missing(reason)),
            None => outcome,
        }
    }

    /// Returns the class of the outcome by RFC 9309, section 2.3.1, and its meaning.
    fn class(&self) -> &'static str {
        match (self.known.cause(), self.last.status) {
            (Cause::Unreachable, _) | (_, Some(500..=599)) => {
                "unreachable: RFC 9309 allows nothing until it answers. Engines differ; the table has the answer of each"
            }
            (Cause::NotText, _) => {
                "successful, but not text: most engines read the rules that they find in it"
            }
            (Cause::NoBody(_), _) => "successful, without a body: what was known before applies",
            (_, Some(200..=299)) => "successful: its rules apply",
            (_, Some(429)) => {
                "too many requests: some engines take this as unreachable, others as no rules"
            }
            (_, Some(304)) => "not modified: what was known before applies",
            (Cause::TooManyRedirects, _) | (_, Some(300..=399)) => {
                "too many redirects, or one without a valid target: RFC 9309 lets robots assume that there are no rules"
            }
            (_, Some(400..=499)) => {
                "unavailable: RFC 9309 allows everything, as if there were no rules"
            }
            _ => "not a final answer: robots.txt counts as unreachable",
        }
    }
}

/// Returns a time for people.
fn shown(time: Option<Timestamp>) -> String {
    time.map_or_else(|| "an unknown time".to_owned(), |time| time.to_string())
}

/// Returns why newer facts are missing, in a sentence.
fn missing(reason: Unanswered) -> &'static str {
    match reason {
        Unanswered::TooManyWaiting => {
            "It is due for a new request, which was not made: too many questions wait for requests."
        }
        _ => "It is due for a new request, which takes longer than questions wait.",
    }
}

/// Returns the facts about the robots.txt of the evidence.
pub(super) fn facts(evidence: &Evidence, requested: Option<&Requested>) -> Markup {
    let (RobotsEvidence::Requested(_), Some(requested)) = (&evidence.robots_txt, requested) else {
        return html! {
            @if let RobotsEvidence::File { bytes, .. } = &evidence.robots_txt {
                p { "The pasted text, " (counted(*bytes, "byte")) "." }
            } @else {
                p { "It is not known." }
            }
        };
    };
    let known = &requested.known;
    let url = |url: &str| html! { code { (printable(cut(url, MAX_URL_CHARS).0)) } };
    html! {
        dl class="facts" {
            dt { "Requested" }
            dd { (url(&requested.first_url)) }
            @if !known.redirects().is_empty() {
                dt { "Redirects" }
                dd {
                    ol {
                        @for (index, hop) in known.redirects().iter().enumerate() {
                            @let next = known.redirects().get(index + 1).map(Redirect::url);
                            @let last = Some(&*requested.last.url).filter(|last| *last != hop.url());
                            li {
                                (hop.status())
                                @match next.or(last) {
                                    Some(target) => { " to " (url(target)) },
                                    None => ", which was not followed",
                                }
                            }
                        }
                    }
                }
            }
            dt { "Answer" }
            dd {
                @match (&requested.last.fault, requested.last.status) {
                    (Some((_, fault)), _) => (printable(fault)),
                    (None, Some(status)) => { "status " (status) },
                    (None, None) => (printable(&known.cause().to_string())),
                }
            }
            dt { "Outcome" }
            dd { (requested.class()) "." }
            @if let Some(at) = requested.earlier_file_at() {
                dt { "File" }
                dd { "received earlier, at " (at) ". Its rules still apply to engines that keep them after such an outcome." }
            } @else if requested.last.fault.is_none() {
                dt { "Size" }
                dd { (counted(requested.last.bytes, "byte")) }
            }
            dt { "Asked at" }
            dd { (shown(known.requested_at())) }
            @if let Some(reason) = known.unanswered() {
                dt { "Newer" }
                dd { (missing(reason)) }
            }
        }
    }
}
