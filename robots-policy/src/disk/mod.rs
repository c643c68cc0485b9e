//! What is known of each origin, on disk: so that a crawler survives restarts and `kill -9` without
//! losing what it knew.
//!
//! Origins and facts go in, and the same come out: the history of outcomes and the bodies as they
//! were sent, not compiled rules. Equal bodies are kept once. It is one file, an embedded redb
//! database with two tables:
//!
//! | table | key | value |
//! | --- | --- | --- |
//! | sites | the origin as it prints | a record (`record.rs`) |
//! | bodies | SHA-256 of the body | the body |
//!
//! What was committed is whole after any crash: redb writes new pages beside the old ones, and one
//! checksummed slot of the header says which count. The site and the bodies that it names come in
//! one commit. What a disk changes later is found when the store is opened, which reads it all;
//! then each record has a check of its own, and each body its name. So a read gives what was put,
//! or an error.
//!
//! A look-up takes time logarithmic in the number of origins. Opening and `verify` are linear in
//! the file.

mod body;
mod contents;
mod error;
mod file;
mod format;
mod guarded;
mod record;
mod site;
mod store;
mod waiting;

pub use body::BodyKey;
pub use error::{StoreError, StoreErrorKind};
pub use site::KeptSite;
pub use store::{DiskStore, Integrity};

use robots_txt::RFC9309_SIZE_LIMIT;

/// How many bytes of a robots.txt are kept: one more than robots must read (RFC 9309, 2.5), which
/// tells that there was more. The caller cuts a longer one, and names what is left
/// ([`BodyKey::of`]).
///
/// A tdmrep.json is kept up to [`MAX_TDMREP_BYTES`](crate::MAX_TDMREP_BYTES).
pub const MAX_KEPT_BODY: usize = RFC9309_SIZE_LIMIT + 1;

/// How many bytes an origin may have that is kept: 8 KiB.
pub const MAX_KEPT_ORIGIN: usize = 8 << 10;

/// How many bytes an `ETag` may have that is kept, a `Last-Modified`, and the URL that had them: 8 KiB. The
/// caller leaves out a longer one: the only loss is that robots.txt is sent again unchanged.
pub const MAX_KEPT_VALIDATOR: usize = 8 << 10;

/// Whether a file is believed that says it was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// It is read and its checksums are compared.
    Checked,
    /// It is.
    Unchecked,
}
