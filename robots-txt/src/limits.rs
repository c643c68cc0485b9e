//! Limits on the parts of a file that are kept and read, in bytes.

/// The bytes of a body that are kept: 16 MiB. No engine documents that it reads as much
/// (docs/semantics.md, section 2). The rest is ignored, and
/// [`RobotsTxt::is_truncated_for`](crate::RobotsTxt::is_truncated_for) reports it.
pub const MAX_BODY: usize = 16 * 1024 * 1024;

/// The length in bytes beyond which a line counts as long
/// ([`LineFacts::LONG`](crate::parse::LineFacts::LONG)).
///
/// google/robotstxt keeps up to 16,663 bytes of a line and ignores the rest (docs/semantics.md,
/// section 2.2: a buffer of eight times 2,083 bytes, the last of which holds a terminator).
pub const LONG_LINE: usize = 2_083 * 8 - 1;

/// The part of a file that RFC 9309, 2.5, requires a crawler to read at least: 500 KiB.
pub const RFC9309_SIZE_LIMIT: usize = 500 * 1024;
