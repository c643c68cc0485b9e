//! Origins (scheme, host and port), and caches of what is known about them.

pub(crate) mod known;
mod map;
mod rules_cache;

pub use map::{OriginMap, Weigh};
pub use rules_cache::CompiledFiles;
pub(crate) use rules_cache::{FileForm, RulesCache};

pub use crate::input::origin::{has_scheme, requested_target};
pub use crate::input::{Origin, UrlError};
