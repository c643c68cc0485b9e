//! Shared parts of the tests of this workspace: the fixture sites, the oracle for pages, generated pages, properties, and
//! the layers of crates. See README.md in this folder.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "a failure here fails the tests that use it"
)]

pub mod if_needed;
pub mod layers;
pub mod oracle;
pub mod properties;
pub mod site;
pub mod tricky;
