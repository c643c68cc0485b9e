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
//! `stdio` reads and writes messages, and `server` handles them one by one. A `document` keeps the text of an open file, applies
//! changes, and reads the `robots.toml` that applies to it. A robots.txt is linted once for each version; a page for each request,
//! and the action that applies all fixes lints once more. `position` converts offsets to the lines and columns of the client.
//! `client` has its capabilities, and `capabilities` those of the server.
//!
//! # Limits
//!
//! A message has up to [`MAX_MESSAGE`] bytes. A robots.txt is read up to [`MAX_ROBOTS_TXT`] bytes, a page up to [`MAX_PAGE`]. Answers have
//! up to [`MAX_ITEMS`] completions, [`MAX_SYMBOLS`] symbols and [`MAX_FOLDS`] parts to fold. Each answer is linear in the document.
#![forbid(unsafe_code)]

mod actions;
mod capabilities;
mod client;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod outline;
mod position;
mod server;
mod stdio;

pub use completion::MAX_ITEMS;
pub use document::{MAX_PAGE, MAX_ROBOTS_TXT};
pub use outline::{MAX_FOLDS, MAX_SYMBOLS};
pub use server::{Ending, serve};
pub use stdio::{MAX_MESSAGE, serve_stdio};
