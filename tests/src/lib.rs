//! Shared parts of the workspace's tests: the fixture sites, the oracle for HEADs, and properties. See
//! README.md in this folder. Cases and sites are read as by `robots test`.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a failure here fails the tests that use it"
)]

pub mod layers;
pub mod oracle;
pub mod properties;
pub mod site;
pub mod tricky;
