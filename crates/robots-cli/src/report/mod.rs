//! Reports: an HTML file with charts as SVG, and tables as CSV. The HTML has no scripts and makes no requests. It is for light
//! and dark themes, and for the screens of desktops and phones.

pub(crate) mod chart;
pub(crate) mod csv;
pub(crate) mod page;
mod plain;
