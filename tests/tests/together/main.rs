//! The tests of the crates together, apart from those of `cases` and `properties`, which list their trials themselves. They are one
//! program, as each program is linked with all crates.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

mod agents;
mod conformance;
mod docs;
mod google;
mod heads;
mod layers;
mod lint;
mod peers;
mod profile_sources;
mod robotparser;
mod snapshots;
mod tricky_heads;
mod www_robot_rules;
