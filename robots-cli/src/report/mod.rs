//! Reports as one HTML file: charts as SVG in it, no script, no network, light and dark, for desks and
//! phones.

pub(crate) mod chart;
pub(crate) mod page;
