//! Limits on the parts of a site or page that are read, and on the contents of decisions and stores.

/// The maximum number of directives of a page that are read. If a page reaches it, others may be unread: a decision
/// then applies only the prohibitions among those that were read.
pub const MAX_STATEMENTS: usize = 10_000;

/// The maximum number of reasons of a decision. After that, only reasons that decide a field are added: about one
/// for each field.
pub const MAX_REASONS: usize = 1_000;

/// The maximum number of warnings of a decision.
pub const MAX_WARNINGS: usize = 1_000;

/// The maximum length of the text of a reason or warning, in bytes. An ellipsis is added to a text that is cut.
pub const MAX_TEXT_BYTES: usize = 1_000;

/// The maximum number of statements about licences that a decision reads. A reason of
/// [`Field::Licenses`](crate::decision::Field::Licenses) reports that there are more.
pub const MAX_LICENSES: usize = 100;

/// The maximum number of request rates of a robots.txt that are kept; further ones are left out.
pub const MAX_REQUEST_RATES: usize = 100;

/// The maximum size of a tdmrep.json, in bytes: 1 MiB. A longer one is not read at all.
pub const MAX_TDMREP_BYTES: usize = 1_048_576;

/// The maximum number of entries of a tdmrep.json that are read.
/// [`Tdmrep::is_cut`](crate::site::Tdmrep::is_cut) reports that there are more.
pub const MAX_TDMREP_ENTRIES: usize = 10_000;

/// The maximum size of a licence document of RSL, in bytes: 1 MiB. A longer one is not read at all.
pub const MAX_RSL_BYTES: usize = 1_048_576;

/// The maximum number of contents of a licence document that are read. With more, nothing that it does not forbid is known.
pub const MAX_RSL_CONTENTS: usize = 10_000;

/// The maximum number of elements in one another in a licence document. One with more is not read at all.
pub const MAX_RSL_DEPTH: usize = 32;

/// The default size of the store of origins in memory, in bytes: 1 GiB, without the cache of files. See
/// [`Policy::with_store_limit`](crate::Policy::with_store_limit).
pub const DEFAULT_STORE_BYTES: u64 = 1 << 30;
