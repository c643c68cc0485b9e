//! Tests of the program `robots`: one binary, because each binary links the whole program.
//!
//! Each module runs commands, most of them on the files of `tests/fixtures`.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod audit;
mod basics;
mod block;
mod check;
mod checker;
#[cfg(feature = "columnar")]
mod columnar;
mod config;
mod corpus;
mod differs;
mod documents;
mod evidence;
mod fetch;
mod fetch_store;
mod formats;
mod headers;
mod ignored_findings;
mod index;
mod inputs;
#[cfg(unix)]
mod integrations;
mod lint;
mod lint_meta;
mod lsp;
mod manual;
#[cfg(all(unix, feature = "serve"))]
mod mcp;
mod messages;
mod names;
mod operators;
mod output;
mod output_formats;
mod plain_loop;
mod profiles;
mod program;
mod reports;
#[cfg(all(target_os = "linux", feature = "serve"))]
mod resources;
#[cfg(unix)]
mod resume;
mod schemas;
#[cfg(all(unix, feature = "serve"))]
mod serve;
#[cfg(feature = "serve")]
mod service;
mod sitemaps;
mod snapshots_of_commands;
mod survey;
mod test_cases;
mod threads;
mod unprintable;
mod why;
mod wrong_inputs;
mod zstd_archives;
