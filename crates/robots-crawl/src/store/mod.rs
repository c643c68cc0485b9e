//! Stores of facts about origins, in memory and on disk. Those on disk survive restarts and `kill -9`.
//!
//! A store that processes and machines share is in Redis: `SharedStore`, with the feature `redis`.
//!
//! [`CrawlStore`] is the store that policies and crawlers use. [`DiskStore`] is its file, an embedded redb
//! database of three tables: records by origin ([`OriginRecord`]), the bodies that they name, and the number
//! of references to each body.

mod blocks;
mod bodies;
mod crawl_store;
mod current_file;
mod disk;
#[cfg(feature = "fetch")]
mod disk_reads;
mod encoding;
mod error;
mod file;
mod open_file;
mod pending;
#[cfg(test)]
mod power_failure;
mod record;
mod set_aside;
#[cfg(feature = "redis")]
mod shared;
mod tables;

pub use crate::next_request::{NextRequest, Retry, Validators};
pub use crawl_store::CrawlStore;
#[cfg(feature = "fetch")]
pub(crate) use crawl_store::CrawledOrigin;
pub use current_file::{MAX_REOPEN_PAUSE, MIN_REOPEN_PAUSE};
pub use disk::DiskStore;
#[cfg(feature = "fetch")]
pub(crate) use disk_reads::DiskReads;
pub use error::{StoreError, StoreErrorKind, StoreWarning};
pub use record::{FileBytes, OriginRecord, SuccessUrl};
pub use set_aside::MAX_SET_ASIDE;
#[cfg(feature = "redis")]
pub(crate) use shared::Lease;
#[cfg(feature = "redis")]
pub use shared::{
    DEFAULT_PREFIX, DEFAULT_TIME_TO_LIVE, DEFAULT_TIMEOUT, LOCK_TIME, SharedStore,
    SharedStoreBuilder, SharedStoreError,
};

use robots_txt::limits::RFC9309_SIZE_LIMIT;

/// The largest part of a robots.txt that is stored, in bytes: one more than robots must read (RFC 9309,
/// section 2.5), which shows that the file is longer.
///
/// A tdmrep.json is stored whole: it has at most
/// [`MAX_TDMREP_BYTES`](robots_policy::limits::MAX_TDMREP_BYTES).
pub const MAX_KEPT_BODY: usize = RFC9309_SIZE_LIMIT + 1;

/// The maximum length of a stored `ETag` or `Last-Modified`, and of the URL of a response, in bytes: 8 KiB.
/// Longer ones are not stored, so the server may send an unchanged robots.txt again.
pub const MAX_KEPT_VALIDATOR: usize = 8 << 10;
