//! What a page says to robots: the META tags of its HEAD and its `X-Robots-Tag` headers.
//!
//! ```
//! use robots_meta::{Directives, HeadReader};
//!
//! let page = HeadReader::read(b"\
//! <title>Offers</title>
//! <meta name=robots content='noindex, follow'>
//! <meta name=googlebot content=noarchive>
//! <body><meta name=robots content=nofollow>");
//!
//! let flags: Directives = page
//!     .directives(&["robots", "googlebot"])
//!     .map(|directive| directive.flags())
//!     .collect();
//! assert_eq!(
//!     flags,
//!     Directives::NOINDEX | Directives::FOLLOW | Directives::NOARCHIVE
//! );
//! ```
//!
//! # Data flow
//!
//! Chunks of bytes go into a [`HeadReader`], which finds the encoding as browsers do, reads up to
//! where BODY begins and no further, and gives a [`PageMeta`]: every META of the HEAD with its
//! attributes and its place in the bytes. From there, [`Directive`]s are read by one grammar for
//! META content and headers ([`robots_headers`]).
//!
//! # Promises
//!
//! * The METAs are those that are in HEAD after a full parse by the HTML standard with scripting
//!   off, whatever the page and however it is cut into chunks, up to the limits
//!   ([`HeadLimit`]), each of which says when it was hit.
//! * No input makes anything here fail or panic.
//! * Nothing is judged: unknown and unreadable directives are kept, and what contradictions mean
//!   is left to `robots-policy`.
//!
//! # What this is not
//!
//! Scripts are not run, so what they would add to HEAD is not seen. METAs in BODY are not read.
//! A META that names the encoding behind the first 1,024 bytes is not obeyed: directives are ASCII
//! and do not mind, but the text of a title or description may be wrong.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

mod date;
mod directives;
mod finding;
mod grammar;
mod head;
mod header;
mod media_type;
mod page;
mod revisit;
mod wanted;

pub use date::{PIVOT_YEAR, Timestamp};
pub use directives::{Directive, DirectiveValue, Directives, ImagePreview, Limit};
pub use finding::{
    Finding, FindingKind, MAX_COMPARED_DIRECTIVES, MAX_FINDINGS, findings_in_content,
    findings_in_header,
};
pub use head::{
    DEFAULT_HEAD_LIMIT, EncodingSource, HeadReader, MAX_ATTRIBUTES, MAX_META_BYTES, MAX_METAS,
    MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT, MAX_TITLE_BYTES, Progress,
};
pub use header::{
    ContentSignal, ContentUsage, ContentUse, HeaderDirective, HeaderLink, PageHeader, PageHeaders,
    Preference, ROBOTS_TAG_LIMIT, Reservation, RobotsHeader, Signal, Signals, TdmPolicy,
    TdmReservation, UsageCategory, UsageStatement, page_headers, robots_headers,
};
pub use media_type::MediaType;
pub use page::{Attribute, Canonical, HeadEnd, HeadLimit, Meta, PageMeta, Place, ReadBy, Scope};
pub use revisit::{RevisitAfter, RevisitUnit};
pub use wanted::{Facts, Wanted};
