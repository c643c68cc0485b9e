//! Values that directives and headers have: moments, limits, media types.

mod limit;
mod media_type;
mod rel;
mod revisit;
mod timestamp;

pub use limit::{ImagePreview, Limit};
pub use media_type::MediaType;
pub use rel::Rel;
pub use revisit::{RevisitAfter, RevisitUnit};
pub use timestamp::Timestamp;
