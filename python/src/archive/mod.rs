//! Archives: decisions about their pages, and books of their robots.txt captures.
//!
//! A thread of Rust reads and decides ([`robots_pipeline::decide`]); the thread of Python takes what it sends, in order.

mod background;
mod batches;
mod book;
mod by_origin;
mod capture_row;
mod decisions;
mod extent;
mod file_object;
mod page;
mod record_batches;
mod sources;

pub(crate) use batches::{ArchiveBatches, decision_columns};
pub(crate) use book::{FrozenRobotsBook, RobotsBook, captures, load_error};
pub(crate) use by_origin::{OriginDecider, read_pages};
pub(crate) use decisions::{ArchiveDecisions, decide_warc, decide_warc_batches, iter_decisions};
pub(crate) use file_object::{end_reading, forget_reads};
pub(crate) use page::ArchivedPage;
pub(crate) use record_batches::{index_entries, records};
