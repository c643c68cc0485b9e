//! The HTTP service of this project: an API over its crates.
//!
//! [`run`] is the program `robots serve`, and [`run_mcp`] is `robots mcp`, which answers agents over standard input and output.
//! [`Server`] is the same service for a caller with a runtime and signals of its own.
//!
//! # Way of a request
//!
//! `connections` accepts a connection. The layers of `front` find the sender, check key and limits, and write what is counted and
//! logged. A route in `api` reads its question, and answers with JSON or a problem document.
//!
//! # Bounds
//!
//! Connections, requests, bodies and times have limits, which [`config::Limits`] lists. Memory is bounded by the large questions at
//! once and by what is known about sites: `places` has what one client may hold of a bound.
#![forbid(unsafe_code)]

mod api;
mod client;
pub mod config;
mod connections;
mod front;
mod key;
mod known;
mod metrics;
mod page;
mod page_requests;
mod places;
mod policies;
mod problem;
mod rate;
mod server;
mod site;
mod state;
mod work;

pub use api::mcp::Block;
pub use config::{Config, ConfigError};
pub use server::{Ending, ServeError, Server, Signal, run, run_mcp};
