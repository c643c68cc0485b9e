//! The HTTP service of this project: an API over its crates.
//!
//! [`run`] is the program `robots serve`. [`Server`] is the same service for a caller with a runtime and signals of its own.
//!
//! # Way of a request
//!
//! `listener` accepts a connection and watches its times. `front` finds the sender, checks key and limits, calls the route in `api`,
//! and writes what is counted and logged. A route reads its question, and answers with JSON or a [`Problem`].
//!
//! # Bounds
//!
//! Connections, requests, bodies and times have limits, which [`config::Limits`] lists. Memory is bounded by them.
#![forbid(unsafe_code)]

mod api;
mod checked_files;
pub mod config;
mod front;
mod known;
mod limit;
mod listener;
mod log;
mod metrics;
mod page;
mod page_requests;
mod policies;
mod problem;
mod response_body;
mod routes;
mod server;
mod signal;
mod site;
mod state;

pub use config::{Config, ConfigError};
pub use problem::{Problem, ProblemKind};
pub use server::{Ending, ServeError, Server, run};
pub use signal::Signal;
