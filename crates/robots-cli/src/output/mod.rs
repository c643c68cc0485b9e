//! Decisions written out: rows in a form ([`Form`]), to where they belong ([`Output`]).
//!
//! [`columns`] says what a decision is as flat values; [`table`], [`json`], [`csv`] and [`columnar`] write rows.

#[cfg(feature = "columnar")]
mod columnar;
pub(crate) mod columns;
mod csv;
mod form;
mod json;
mod table;
mod target;

pub(crate) use form::Form;
pub(crate) use target::{Output, Target, refuse_to_overwrite};

use robots_policy::Decision;
use std::io;

/// Where the page of a decision comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) file: &'a str,
    pub(crate) offset: Option<u64>,
    pub(crate) status: Option<u16>,
}

/// Takes rows.
trait Sink {
    fn write(&mut self, row: &Row<'_>, decision: &Decision) -> io::Result<()>;

    /// Hands on what is held back.
    fn flush(&mut self) -> io::Result<()>;

    /// Ends it. Nothing can be written after that.
    fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }
}
