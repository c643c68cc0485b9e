//! A site's statements, compiled for one robot: its robots.txt and its tdmrep.json.

mod by_url;
pub(crate) mod rules;
pub(crate) mod tdmrep;

pub use rules::SiteRules;
pub(crate) use rules::{bytes_read, parse};
pub use tdmrep::{Tdmrep, TdmrepEntry, TdmrepError, TdmrepErrorKind};
