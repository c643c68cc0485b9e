//! What the tests of the workspace share: the fixture sites, and the oracle for HEADs. See
//! README.md in this folder. The forms of cases and sites are those of `robots test`.

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
