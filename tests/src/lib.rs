//! Shared parts of the tests of this workspace: the fixture sites, the oracle for pages, generated pages, properties, and
//! the layers of crates. See README.md in this folder.

pub mod if_needed;
pub mod layers;
pub mod oracle;
pub mod properties;
pub mod site;
pub mod tricky;

/// The examples of the project's README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
struct Embedding;
