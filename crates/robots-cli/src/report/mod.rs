//! Reports: an HTML file with charts, and tables as CSV.
//!
//! The HTML file has no scripts and makes no requests. It is for light and dark themes, for the screens of desktops and phones,
//! and for paper. Its findings are sentences with numbers ([`page`]); charts ([`chart`]) show them, and tables ([`table`]) have
//! all of them.

pub(crate) mod chart;
pub(crate) mod csv;
pub(crate) mod number;
pub(crate) mod page;
mod plain;
pub(crate) mod table;
