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
//! `transport` reads messages in a thread of its own, `message` reads their JSON, and `server` handles them one by one. A `document`
//! keeps the text of an open file and applies changes. A robots.txt is linted once for each version; a page for each request, and
//! the action that applies all fixes lints once more. `settings` reads the `robots.toml` that applies to a document. `position`
//! converts offsets to the lines and columns of the client. `client` has its capabilities, and `capabilities` those of the server.
//!
//! # Limits
//!
//! A document is read up to [`MAX_DOCUMENT`] bytes, and a message up to [`MAX_MESSAGE`]. A client may leave [`MAX_UNREAD`] bytes
//! unread. Answers have up to [`MAX_ITEMS`] completions, [`MAX_SYMBOLS`] symbols and [`MAX_FOLDS`] parts to fold. Each answer is
//! linear in the document.
#![forbid(unsafe_code)]

mod actions;
mod capabilities;
mod client;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod message;
mod outline;
mod position;
mod queue;
mod server;
mod settings;
mod transport;

pub use completion::MAX_ITEMS;
pub use document::MAX_DOCUMENT;
pub use outline::{MAX_FOLDS, MAX_SYMBOLS};
pub use queue::{MAX_DELAY, QUIET};
pub use server::{Ending, serve};
pub use transport::{InputError, MAX_FLUSH, MAX_HEADER, MAX_MESSAGE, MAX_UNREAD};
