//! Reports: one HTML file, with charts as SVG in it, no script, no network, light and dark, for desks and
//! phones; and tables as CSV.

pub(crate) mod chart;
pub(crate) mod csv;
pub(crate) mod page;
