//! What is known of origins, in memory and on disk: a crawler survives restarts and `kill -9`
//! without losing it.
//!
//! [`CrawlStore`] is the store that policies and crawlers use; [`DiskStore`] is its file, an embedded
//! redb database of one table: origins in their text form, and a record each
//! ([`OriginRecord`]).
//!
//! A record has the robots.txt of its origin, up to [`MAX_KEPT_BODY`] bytes: it is complete by itself,
//! so nothing needs to be collected or counted when it is replaced.

mod bodies;
mod crawl_store;
mod disk;
mod encoding;
mod error;
mod file;
mod pending;
mod record;
mod tables;

pub use crawl_store::CrawlStore;
pub use disk::DiskStore;
pub use error::{StoreError, StoreErrorKind, StoreWarning};
pub use record::{FileBytes, OriginRecord};

use robots_txt::limits::RFC9309_SIZE_LIMIT;

/// The bytes of a robots.txt that are kept: one more than robots must read (RFC 9309, section 2.5),
/// which shows that there was more.
///
/// A tdmrep.json is kept whole: it has at most
/// [`MAX_TDMREP_BYTES`](robots_policy::MAX_TDMREP_BYTES).
pub const MAX_KEPT_BODY: usize = RFC9309_SIZE_LIMIT + 1;

/// The bytes of an `ETag`, of a `Last-Modified`, and of their URL, up to which they are kept: 8 KiB. Of
/// longer ones, robots.txt is sent again unchanged.
pub const MAX_KEPT_VALIDATOR: usize = 8 << 10;
