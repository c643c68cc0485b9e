//! Decisions about the pages of whole crawls.
//!
//! [`decide()`] takes archives (WARC, ARC), saved pages or records. It finds the robots.txt that was in force for each page,
//! and writes a row for each decision: as text, JSON, CSV, Parquet, Arrow batches, or to a [`sink::Sink`] of the caller.
//! Threads share the work; rows come in the order of the pages. A run that was interrupted can be resumed.
//!
//! | to | start at |
//! | --- | --- |
//! | decide the pages of archives | [`decide()`], [`Source`], [`Options`], [`FileOutput`] |
//! | take decisions as values | [`sink::Sink`], [`Rows::Sink`] |
//! | show progress and warnings, or stop a run | [`Observer`], [`Warning`], [`WarningCounts`] |
//! | read the robots.txt files of some archives, and decide others by them | [`captures()`], [`robots::capture_book::CaptureBook`], [`RobotsSource::Book`] |
//! | read pages, and decide them after a sort by origin | [`read_pages()`], [`by_origin`] |
//! | find the robots.txt in force for a page | [`robots::book::RobotsBook`], [`robots::parsed_book::ParsedBook`] |
//! | keep decisions of a team next to the original ones | [`overrides`] |
//! | make recorded decisions again, and compare them | [`verify()`], [`mod@verify`] |
//! | read the records of a part of an archive | [`extent`], [`Source::Items`] |
//! | read records and files of any input | [`input::documents`], [`input::robots_files`] |
//! | read records and indexes as Arrow batches (feature `arrow`) | `records` |
//! | decide the rows of Arrow batches (feature `arrow`) | `batch` |
//! | share work among threads, in order | [`ordered`] |
//! | replace a file only when the new one is complete | [`new_file::NewFile`] |

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic,
        reason = "a failure here fails the test"
    )
)]

#[cfg(feature = "arrow")]
pub mod batch;
pub mod by_origin;
mod decide;
mod error;
pub mod evidence;
pub mod extent;
mod extract;
pub mod input;
mod journal;
pub mod json;
pub mod new_file;
mod observer;
mod options;
pub mod ordered;
pub mod overrides;
mod reader;
#[cfg(feature = "arrow")]
pub mod records;
pub mod robots;
pub mod robots_url;
pub mod sink;
pub mod summary;
pub mod text;
pub mod verify;
mod versioned_bytes;

pub use decide::captures::{captures, captures_of};
pub use decide::pages::read_pages;
pub use decide::{Outcome, Rows, Source, decide};
pub use error::{BookError, Error, Mismatch, ResumeProblem};
pub use observer::{Observer, RecordProblem, Warning, WarningCounts};
pub use options::{KnownStates, Now, Options, RobotsSource};
pub use sink::FileOutput;
pub use verify::verify;
