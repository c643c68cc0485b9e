//! WARC and ARC files: a reader and a writer of records.
//!
//! Reading continues after damage: a corrupt or truncated gzip member, a record that is
//! shorter or longer than it states, bytes that are not a record. Each damaged place is a [`Damage`] with
//! its offset, in order among the records. Memory is bounded: a record keeps at most
//! [`BLOCK_LIMIT`] bytes.
//!
//! The writer writes WARC 1.1, one gzip member for each record.
//!
//! Formats: WARC 1.0 and 1.1 (ISO 28500), ARC 1 and 2 as the Internet Archive wrote them; each
//! plain, as gzip members or as Zstandard frames.

#![forbid(unsafe_code)]
#![warn(clippy::indexing_slicing)]

pub mod cdxj;
mod digest;
mod error;
pub mod http;
mod part;
mod reader;
mod record;
mod writer;

pub use digest::{DigestMismatch, PayloadDigest, sha256};
pub use error::{Error, ErrorKind};
pub use http::GZIP;
pub use part::{ReadAt, ReadFrom, divisible_format, find_start};
pub use reader::stream::Buffers;
pub use reader::{ArchiveFormat, Reader};
pub use record::{BLOCK_LIMIT, Block, Cut, Damage, Digests, Item, Record};
pub use writer::NewRecord;
