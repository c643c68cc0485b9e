//! Preferences about the use of content by AI: one vocabulary for robots.txt, headers and decisions.
//!
//! Two notations state such preferences, both in robots.txt and in HTTP headers: `Content-Usage` of
//! IETF AIPREF ([`content_usage`]) and Cloudflare's `Content-Signal`
//! ([`content_signal`]). This crate has a type for each statement, and parses the value of one line.
//! `robots-policy-txt` chooses the line of a robots.txt for a URL, `robots-meta` the header lines, and
//! `robots-policy` combines them all.
//!
//! No input makes a parser panic; only an invalid Dictionary is refused (`None`). Time is linear in
//! the bytes of the value.
//!
//! ```
//! use robots_usage::content_signal::{Signals, members};
//! use robots_usage::Preference;
//!
//! let signals: Signals = members(b"search=yes, ai-train=no").map(|member| member.signal()).collect();
//! assert_eq!(signals.search(), Preference::Allow);
//! assert_eq!(signals.ai_train(), Preference::Disallow);
//! assert_eq!(signals.ai_input(), Preference::Unknown);
//! ```
#![forbid(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod content_signal;
pub mod content_usage;
mod preference;

pub use preference::Preference;
