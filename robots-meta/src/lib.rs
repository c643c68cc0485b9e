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
//! where BODY begins and no further, and gives a [`PageMeta`]: what was wanted of the HEAD
//! ([`Wanted`]; by default everything), each META with its attributes and its place in the bytes. From
//! there, [`Directive`]s are read by one grammar for META content and headers ([`robots_headers`]);
//! [`page_headers`] reads the other headers that speak to robots. What is odd in a list is told by
//! [`findings_in_content`] and [`findings_in_header`].
//!
//! # Two readers, one answer
//!
//! The *scanner* reads a HEAD. It cuts the bytes into tags, comments and elements of text as the
//! standard's tokenizer does, and keeps one of four states, which is all that the standard's tree
//! builder has up to BODY:
//!
//! | state | begins at | ends at |
//! | --- | --- | --- |
//! | before HEAD | the start | what belongs in a HEAD, `<head>`, or what ends one |
//! | in HEAD | `<head>`, or what belongs in one | `</head>`, or what ends one |
//! | in NOSCRIPT (scripting off) | `<noscript>` in HEAD | its end tag, or what it cannot have: then HEAD goes on |
//! | behind HEAD | `</head>` | what ends it; what belongs in HEAD still goes there |
//!
//! What belongs in HEAD: `base`, `basefont`, `bgsound`, `link`, `meta`, `noframes`, `script`, `style`,
//! `template`, `title`. What ends it: any other start tag (`html` and `head` are ignored), text other
//! than white space, and the end tags of `body`, `html` and `br`; other end tags are ignored.
//!
//! The *authority* is html5ever's tree builder, over a sink that keeps no tree. It is asked where
//! those states do not do: in a `template`, whose contents may be in any state of the standard, and
//! behind HEAD if all of the document is to be read ([`DocumentReader`]). It is given the scanner's
//! tags from there on, and begins in a state that is known; nothing is read twice, and nothing need
//! be held for it. [`PageMeta::read_by`] says whether it was asked: on none of 1,659 pages of a crawl.
//!
//! # Promises
//!
//! * The METAs are those that are in HEAD after a full parse by the HTML standard with scripting
//!   off, whatever the page and however it is cut into chunks, up to the limits
//!   ([`HeadLimit`]), each of which says when it was hit.
//! * No input makes anything here fail or panic. Time is linear in the bytes that are read.
//! * Nothing is judged: unknown and unreadable directives are kept, and what contradictions mean
//!   is left to `robots-policy`.
//!
//! # What this is not
//!
//! Scripts are not run, so what they would add to HEAD is not seen. METAs in BODY are read on request
//! only. The first META that names an encoding is obeyed wherever it stands, as by browsers; but not
//! if it names an encoding that is no superset of ASCII (ISO-2022-JP) behind the first 1,024 bytes, or
//! stands in a `template` or in BODY. In `Shift_JIS`, GBK, gb18030 and Big5 a `]` can be the second half
//! of a character, which is not told apart where CDATA is looked for the end of: in SVG and `MathML`,
//! which HEAD has none of.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::arithmetic_side_effects, reason = "an overflow fails the test")
)]

mod directive;
mod head;
mod header;
mod page;
mod value;
mod wanted;

pub use directive::{
    Directive, DirectiveValue, Directives, Finding, FindingKind, MAX_COMPARED_DIRECTIVES,
    MAX_FINDINGS, PIVOT_YEAR, findings_in_content, findings_in_header,
};
pub use head::{
    DEFAULT_HEAD_LIMIT, DocumentReader, HeadOptions, HeadReader, MAX_ATTRIBUTES, MAX_LINKS,
    MAX_META_BYTES, MAX_METAS, MAX_OPEN_ELEMENTS, MAX_OPEN_ELEMENTS_OF_DOCUMENT, MAX_TAG_BYTES,
    MAX_TEMPLATE_BYTES, MAX_TITLE_BYTES, Progress,
};
pub use header::{
    ContentSignal, ContentUsage, HeaderDirective, HeaderLink, PageHeader, PageHeaders,
    ROBOTS_TAG_LIMIT, Reservation, RobotsHeader, TdmPolicy, TdmReservation, UsageStatement,
    page_headers, robots_headers,
};
pub use page::{
    Attribute, Canonical, EncodingSource, HeadEnd, HeadLimit, Link, Meta, Misspelling, PageMeta,
    Place, ReadBy,
};
pub use robots_usage;
pub use value::{ImagePreview, Limit, MediaType, Rel, RevisitAfter, RevisitUnit, Timestamp};
pub use wanted::{Facts, Wanted};
