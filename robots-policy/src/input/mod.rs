//! The input of a decision: URLs and their origins, pages and their responses.

mod error;
pub(crate) mod origin;
pub(crate) mod page;

pub use error::UrlError;
pub use origin::Origin;
pub use page::Page;
