//! A site's statements, compiled for one robot: its robots.txt, its tdmrep.json and its licences.

mod by_url;
mod rsl;
mod rsl_documents;
pub(crate) mod rules;
pub(crate) mod tdmrep;

pub use rsl::{Rsl, RslError, RslTerm, RslTerms, RslUses};
pub use rsl_documents::{RslDocuments, RslLookup};
pub use rules::SiteRules;
pub(crate) use rules::{bytes_read, parse};
pub use tdmrep::{Tdmrep, TdmrepEntry, TdmrepError};
