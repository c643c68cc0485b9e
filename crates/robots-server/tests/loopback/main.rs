//! The service over sockets on loopback: answers, problems, limits at their edges, and the end.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure here fails the test"
)]

mod answers;
mod client;
mod clients;
mod configuration;
mod connections;
mod documents;
mod fetching;
mod limits;
mod malformed;
mod page;
mod page_robots;
mod questions;
mod robots;
mod sharing;
mod stopping;
