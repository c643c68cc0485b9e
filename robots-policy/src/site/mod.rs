//! A site's statements, compiled for one robot: its robots.txt and its tdmrep.json.

pub(crate) mod rules;
mod state;
pub(crate) mod tdmrep;

pub(crate) use rules::parse;
pub use rules::{MAX_REQUEST_RATES, SiteRules};
pub use state::Robots;
pub use tdmrep::{
    MAX_TDMREP_BYTES, MAX_TDMREP_ENTRIES, Tdmrep, TdmrepEntry, TdmrepError, TdmrepErrorKind,
};
