//! Origins (scheme, host and port), caches of what is known about them, and public addresses.

pub(crate) mod known;
mod map;
mod public_address;
mod rules_cache;

pub use map::{OriginMap, Weigh};
pub use public_address::is_public_address;
pub use rules_cache::CompiledFiles;
pub(crate) use rules_cache::{FileForm, RulesCache};

pub use crate::input::origin::{has_scheme, requested_target};
pub use crate::input::{Origin, UrlError};
