//! Reports: an HTML file with charts as SVG, without scripts and requests, for light and dark themes, desks and
//! phones; and tables as CSV.

pub(crate) mod chart;
pub(crate) mod csv;
pub(crate) mod page;
mod plain;
