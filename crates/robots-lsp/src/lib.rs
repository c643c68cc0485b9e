//! A language server for robots.txt, over standard input and output: `robots lsp`.
//!
//! | in an editor | module |
//! | --- | --- |
//! | findings of `robots lint`, published or on request | `diagnostics` |
//! | fixes, and comments that ignore findings | `actions` |
//! | explanations of findings, fields, robots and rules | `hover` |
//! | completion of fields, robots, paths and preferences about AI | `completion` |
//! | groups with their rules, and parts that can be folded | `outline` |
//!
//! # Data flow
//!
//! `transport` reads messages in a thread of its own, and `server` handles them one by one. A `document` keeps the text of an
//! open file, applies changes, and lints it once for each version. `settings` reads the `robots.toml` that applies to it.
//! `position` converts offsets to the lines and columns of the client. `client` has its capabilities, and `capabilities` those of
//! the server.
//!
//! # Limits
//!
//! A document is read up to [`MAX_DOCUMENT`] bytes, and a message up to [`MAX_MESSAGE`]. Answers have up to [`MAX_ITEMS`]
//! completions, [`MAX_SYMBOLS`] symbols and [`MAX_FOLDS`] parts to fold. Each answer is linear in the document.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

mod actions;
mod capabilities;
mod client;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod outline;
mod position;
mod queue;
mod server;
mod settings;
mod transport;

pub use completion::MAX_ITEMS;
pub use document::MAX_DOCUMENT;
pub use outline::{MAX_FOLDS, MAX_SYMBOLS};
pub use queue::QUIET;
pub use server::{Ending, serve};
pub use transport::{InputError, MAX_HEADER, MAX_MESSAGE};
