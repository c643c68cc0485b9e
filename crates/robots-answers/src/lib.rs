//! What the program `robots` and the service answer, as values that can be serialised.
//!
//! An answer is made of given values: robots.txt files, pages and headers as bytes, robots, profiles and a time. Serialised,
//! it is what the program writes with `--json`. Text for terminals, files and requests are up to the callers.
//!
//! | question | item |
//! | --- | --- |
//! | What may engines do with a page, and what would change it? | [`why`] |
//! | May URLs be fetched, and which line decides? | [`check`] |
//! | What changes between two robots.txt files? | [`diff`] |
//! | What do pages and headers say to robots? | [`page`] |
//! | What is wrong with a robots.txt or a page? | [`lint`] |
//! | Which robots does a robots.txt name? | [`named_robots`] |
//!
//! [`forwarded`] reads which client a request behind proxies is from, for audits and the service.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::panic,
        reason = "a failure here fails the test"
    )
)]

mod charset;
pub mod check;
pub mod diff;
mod engine;
pub mod forwarded;
mod grouped;
mod json;
pub mod lint;
pub mod named_robots;
mod owner;
pub mod page;
mod typed_url;
pub mod why;

pub use charset::{UnknownCharset, charset};
pub use engine::{engine_name, manner, robot_name};
pub use grouped::grouped;
pub use owner::is_of_one_owner;
pub use robots_policy::profile::{AgentName, AgentNameError};
pub use typed_url::{TypedUrlError, host_of, typed_url};

/// The start of the style sheets of reports and of the pages of the service, as CSS: colours in a light and a dark theme, text and
/// tables.
pub const BASE_STYLE: &str = include_str!("style.css");
