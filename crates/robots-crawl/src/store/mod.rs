//! Stores of facts about origins, which survive restarts and `kill -9`.
//!
//! [`DiskStore`] is an SQLite file, which the processes of a machine share. `SharedStore`, with the feature `redis`, is in Redis or
//! Valkey, which machines share. Both have an [`OriginRecord`] for each origin.

mod disk;
mod encoding;
mod error;
mod record;
#[cfg(feature = "redis")]
mod shared;

pub use crate::next_request::{NextRequest, Retry, Validators};
pub use disk::{DiskStore, MAX_SET_ASIDE};
pub use error::{StoreError, StoreErrorKind, StoreWarning};
pub use record::{FileBytes, OriginRecord, SuccessUrl};
#[cfg(feature = "redis")]
pub(crate) use shared::Lease;
#[cfg(feature = "redis")]
pub use shared::{DEFAULT_PREFIX, LOCK_TIME, SharedStore, SharedStoreError, TIME_TO_LIVE, TIMEOUT};

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
