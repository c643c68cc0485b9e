//! Values in directives, headers and links: times, limits, media types, the tokens of `rel`.

mod limit;
mod media_type;
mod rel;
mod revisit;
mod timestamp;

pub use limit::{ImagePreview, Limit};
pub use media_type::MediaType;
pub use rel::Rel;
pub use revisit::RevisitAfter;
pub use timestamp::Timestamp;
