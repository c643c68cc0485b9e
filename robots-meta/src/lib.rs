//! META tags in HEAD, `X-Robots-Tag` and other headers for robots: streamed, exact, with positions.
//!
//! # Start here
//!
//! | You have | Use |
//! | --- | --- |
//! | a page in memory | [`HeadReader::read`], or [`HeadOptions::read`] with options |
//! | a page that arrives in chunks | [`HeadOptions::reader`], then [`HeadReader::feed`] |
//! | a page whose BODY counts too | [`HeadOptions::read_document`], [`DocumentReader`] |
//! | a page whose BODY rarely has a wanted tag | [`HeadOptions::read_document_if_needed`] |
//! | header lines | [`robots_headers`] for directives, [`page_headers`] for links and preferences |
//! | the facts of a page | [`PageFacts`]: [`directives`](PageFacts::directives), title, canonical link |
//! | a list of directives | [`directive::items`] |
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
//! Chunks of bytes go into a [`HeadReader`]. It finds the encoding as browsers do, and reads up to the
//! start of BODY and no further. It returns a [`PageFacts`]: the wanted facts of the HEAD ([`Wanted`];
//! by default all), each META with its attributes and its place in the bytes. One grammar reads the
//! directives in META content and headers.
//!
//! # Two readers, one result
//!
//! The *scanner* reads a HEAD. It cuts the bytes into tags, comments and raw text elements as the
//! standard's tokenizer does. It keeps one of four states; the standard's tree builder has no others
//! up to BODY:
//!
//! | state | begins at | ends at |
//! | --- | --- | --- |
//! | before HEAD | the start | an element of HEAD, `<head>`, `<noscript>`, or the end of HEAD |
//! | in HEAD | `<head>`, or an element of HEAD | `</head>`, or the end of HEAD |
//! | in NOSCRIPT (scripting off) | `<noscript>` before or in HEAD | its end tag, or an element it cannot have |
//! | after HEAD | `</head>` | the end of HEAD; elements of HEAD are still put into HEAD |
//!
//! Elements of HEAD are `base`, `basefont`, `bgsound`, `link`, `meta`, `noframes`, `script`, `style`,
//! `template` and `title`. HEAD ends at any other start tag (`html` and `head` are ignored, and
//! `noscript` ends HEAD only after `</head>`), at text other than white space, and at the end tags of `body`, `html` and `br`; other end tags are ignored.
//!
//! html5ever's *tree builder*, over a sink that keeps no tree, reads the rest: the content of a
//! `template`, and in a [`DocumentReader`] everything after HEAD. These may be in any state of the
//! standard. It takes the scanner's tags and begins in a known state. [`PageFacts::read_by`] reports
//! whether the tree builder took part. It took part on none of 1,659 pages of a crawl.
//!
//! # Promises
//!
//! * The METAs are those that a full parse by the HTML standard, with scripting off, puts into HEAD.
//!   This holds for any page in any chunks, up to the limits ([`page::HeadLimit`]). A limit that is
//!   exceeded is reported.
//! * No input makes anything here fail or panic. Time is linear in the bytes that are read.
//! * Nothing is judged: unknown and unreadable directives are kept, and the meaning of contradictions
//!   is up to `robots-policy`.
//!
//! # Limitations
//!
//! Scripts are not run, so tags that they would add to HEAD are missing. The first META that names an
//! encoding is obeyed wherever it is, as by browsers, with two exceptions. After the first 1,024 bytes
//! an encoding that is not a superset of ASCII (ISO-2022-JP) is not obeyed. A META in a `template` or
//! in BODY is not obeyed.
//!
//! In `Shift_JIS`, GBK, gb18030 and Big5 a `]` can be the second half of a character. The search for
//! the end of CDATA ignores this. CDATA is only in SVG and `MathML`, which a HEAD does not have.
#![forbid(unsafe_code)]

mod cursor;
pub mod directive;
pub mod head;
pub mod header;
pub mod page;
pub mod value;
mod wanted;

pub use directive::{Directive, Directives};
pub use head::{DocumentReader, HeadOptions, HeadReader, Progress};
pub use header::{page_headers, robots_headers};
pub use page::PageFacts;
pub use robots_usage;
pub use value::Timestamp;
pub use wanted::{Facts, Wanted};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
