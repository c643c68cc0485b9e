//! The request for a robots.txt: its redirects, and what its outcome means.

use super::plain::{Plain, counted, cut};
use maud::{Markup, html};
use robots_answers::why::evidence::{Evidence, RobotsEvidence};

/// The maximum number of characters that are shown of a URL.
const MAX_URL_CHARS: usize = 500;

/// A request for a robots.txt, as far as the page shows it.
#[derive(Debug)]
pub(super) struct Requested {
    /// The URL of the first request.
    pub(super) first_url: String,
    /// The URL of the last request.
    pub(super) url: String,
    /// The redirects: the status, and the URL that was requested.
    pub(super) redirects: Vec<(u16, String)>,
    pub(super) status: Option<u16>,
    /// Why there was no response, with causes.
    pub(super) fault: Option<String>,
    pub(super) bytes: usize,
    /// The time of the response, for people.
    pub(super) at: String,
}

impl Requested {
    /// Returns the outcome in a sentence.
    pub(super) fn sentence(&self) -> String {
        let after = match self.redirects.len() {
            0 => String::new(),
            redirects => format!(" after {}", counted(redirects, "redirect")),
        };
        match (&self.fault, self.status) {
            (Some(fault), _) => format!("robots.txt cannot be had{after}: {fault}."),
            (None, Some(status)) => format!("robots.txt has status {status}{after}."),
            (None, None) => "robots.txt was not requested.".to_owned(),
        }
    }

    /// Returns the class of the outcome by RFC 9309, section 2.3.1, and its meaning.
    fn class(&self) -> &'static str {
        match (self.fault.is_some(), self.status) {
            (true, _) | (_, Some(500..=599)) => {
                "unreachable: RFC 9309 allows nothing until it answers. Engines differ; the table has the answer of each"
            }
            (_, Some(200..=299)) => "successful: its rules apply",
            (_, Some(429)) => {
                "too many requests: some engines take this as unreachable, others as no rules"
            }
            (_, Some(300..=399)) => {
                "a redirect without a valid target: RFC 9309 lets robots assume that there are no rules"
            }
            (_, Some(400..=499)) => {
                "unavailable: RFC 9309 allows everything, as if there were no rules"
            }
            _ => "not a final answer: robots.txt counts as unreachable",
        }
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
    of_request(requested)
}

/// Returns the facts about a request.
pub(super) fn of_request(requested: &Requested) -> Markup {
    let url = |url: &str| html! { code { (Plain(cut(url, MAX_URL_CHARS).0)) } };
    html! {
        dl class="facts" {
            dt { "Requested" }
            dd { (url(&requested.first_url)) }
            @if !requested.redirects.is_empty() {
                dt { "Redirects" }
                dd {
                    ol {
                        @for (index, (status, _)) in requested.redirects.iter().enumerate() {
                            @let target = requested.redirects.get(index.saturating_add(1)).map_or(&requested.url, |(_, url)| url);
                            li { (status) " to " (url(target)) }
                        }
                    }
                }
            }
            dt { "Answer" }
            dd {
                @match (&requested.fault, requested.status) {
                    (Some(fault), _) => (Plain(fault)),
                    (None, Some(status)) => { "status " (status) },
                    (None, None) => "none",
                }
            }
            dt { "Outcome" }
            dd { (requested.class()) "." }
            @if requested.fault.is_none() {
                dt { "Size" }
                dd { (counted(requested.bytes, "byte")) }
            }
            dt { "Asked at" }
            dd { (requested.at) }
        }
    }
}
