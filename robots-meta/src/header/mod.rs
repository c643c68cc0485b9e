//! Header lines for robots: `X-Robots-Tag` and `Robots-Tag` have directives ([`robots_headers`]),
//! others have facts about the page ([`page_headers`]).
#![warn(clippy::indexing_slicing)]

mod facts;
mod link;
mod robots_tag;
mod tdm;
mod usage;
mod x_robots_tag;

pub use facts::{HeaderFact, PageHeader, PageHeaders, page_headers};
pub use link::HeaderLink;
pub use robots_tag::ROBOTS_TAG_LIMIT;
pub use tdm::Reservation;
pub use usage::ContentUsage;

use crate::directive::{Directive, offset_in};
use std::borrow::Cow;
use std::fmt;
use x_robots_tag::x_robots_tag_items;

/// A header with directives for robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RobotsHeader {
    /// `X-Robots-Tag` (docs/semantics.md, sections 5.1 and 5.5).
    XRobotsTag,
    /// `Robots-Tag`, a structured field (draft-illyes-repext-03; docs/semantics.md, section 4.2).
    RobotsTag,
}

impl RobotsHeader {
    /// Returns the header of this name, ASCII case ignored.
    pub fn from_name(name: impl AsRef<[u8]>) -> Option<Self> {
        let name = name.as_ref();
        if name.eq_ignore_ascii_case(b"x-robots-tag") {
            Some(Self::XRobotsTag)
        } else if name.eq_ignore_ascii_case(b"robots-tag") {
            Some(Self::RobotsTag)
        } else {
            None
        }
    }
}

impl fmt::Display for RobotsHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::XRobotsTag => "X-Robots-Tag",
            Self::RobotsTag => "Robots-Tag",
        })
    }
}

/// A directive of a header line, with the robot that it names and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeaderDirective<'a> {
    header: RobotsHeader,
    index: usize,
    agent: Option<&'a str>,
    directive: Directive<'a>,
    may_have_leaked: bool,
}

impl<'a> HeaderDirective<'a> {
    /// Returns the header.
    pub fn header(&self) -> RobotsHeader {
        self.header
    }

    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the robot's name as written; `None` if the directive is for every robot.
    pub fn agent(&self) -> Option<&'a str> {
        self.agent
    }

    /// Returns the directive; its offset is that in the value of the line.
    pub fn directive(&self) -> Directive<'a> {
        self.directive
    }

    /// Returns whether the robot's name may have come from another line: a comma is directly before this
    /// directive, and an HTTP library may have joined two lines there.
    ///
    /// Within one line the name stays in force (docs/semantics.md, section 5.4). If an HTTP library
    /// joined lines with `", "`, the directive may have been meant for every robot
    /// (docs/semantics.md, section 5.5, item 7). Always false in a `Robots-Tag`, where no name
    /// leaks.
    ///
    /// ```
    /// use robots_meta::robots_headers;
    ///
    /// let joined = [("X-Robots-Tag", "BadBot: noindex, nofollow")];
    /// let leaks: Vec<bool> = robots_headers(joined)
    ///     .map(|found| found.may_have_leaked())
    ///     .collect();
    /// assert_eq!(leaks, [false, true]);
    /// ```
    pub fn may_have_leaked(&self) -> bool {
        self.may_have_leaked
    }

    /// Returns whether the directive is for a robot with one of these names, ASCII case ignored.
    pub fn is_for(&self, names: &[impl AsRef<str>]) -> bool {
        self.agent.is_none_or(|agent| {
            names
                .iter()
                .any(|name| agent.eq_ignore_ascii_case(name.as_ref()))
        })
    }
}

/// Returns the directives in header lines, in order. Each line is a name and a value, in any bytes;
/// other headers are skipped.
///
/// Do not join lines of the same header: in `X-Robots-Tag` the name of a robot is in
/// force up to the end of its line (docs/semantics.md, sections 5.4 and 5.5), and joined lines are
/// read as one ([`HeaderDirective::may_have_leaked`]). A `Robots-Tag` line that is not a list of
/// tokens with parameters is one invalid directive. A directive that touches a byte that is not
/// UTF-8 is unknown. Linear in the bytes.
///
/// ```
/// use robots_meta::robots_headers;
///
/// let headers = [
///     ("X-Robots-Tag", "noarchive"),
///     ("X-Robots-Tag", "BadBot: noindex, nofollow, googlebot: nofollow"),
///     ("Robots-Tag", "*;nosnippet, ExampleBot;noindex"),
/// ];
/// let for_googlebot: Vec<_> = robots_headers(headers)
///     .filter(|found| found.is_for(&["googlebot"]))
///     .map(|found| found.directive().text())
///     .collect();
/// assert_eq!(for_googlebot, ["noarchive", "nofollow", "nosnippet"]);
/// ```
pub fn robots_headers<'a, N, V>(
    lines: impl IntoIterator<Item = (&'a N, &'a V)>,
) -> impl Iterator<Item = HeaderDirective<'a>>
where
    N: AsRef<[u8]> + ?Sized + 'a,
    V: AsRef<[u8]> + ?Sized + 'a,
{
    lines
        .into_iter()
        .enumerate()
        .filter_map(|(index, (name, value))| {
            Some((index, RobotsHeader::from_name(name)?, value.as_ref()))
        })
        .flat_map(|(index, header, value)| {
            // The two grammars have different iterators: each line has one of them.
            let (members, items) = match header {
                RobotsHeader::XRobotsTag => (None, Some(x_robots_tag_items(value))),
                RobotsHeader::RobotsTag => (Some(robots_tag::read(value)), None),
            };
            let items = items
                .into_iter()
                .flatten()
                .map(|(item, may_have_leaked)| (item.agent, item.directive, may_have_leaked));
            let members = members.into_iter().flatten();
            members
                .map(|(agent, directive)| (agent, directive, false))
                .chain(items)
                .map(move |(agent, directive, may_have_leaked)| HeaderDirective {
                    header,
                    index,
                    agent,
                    directive,
                    may_have_leaked,
                })
        })
}

/// Returns the value of a header line with a space for each control character other than a tab; most have none, and are not
/// copied. So such a character hides no directive (docs/semantics.md, section 5.5).
///
/// Libraries for HTTP refuse these characters or drop the line. Call this on values from another source before they are read.
/// Linear in the value; the length stays the same.
///
/// ```
/// use robots_meta::header::control_characters_as_spaces;
///
/// assert_eq!(*control_characters_as_spaces(b"noindex\x0Bnofollow"), *b"noindex nofollow");
/// ```
pub fn control_characters_as_spaces(value: &[u8]) -> Cow<'_, [u8]> {
    let is_control = |byte: &u8| byte.is_ascii_control() && *byte != b'\t';
    if !value.iter().any(is_control) {
        return Cow::Borrowed(value);
    }
    let bytes = value.iter();
    let bytes = bytes.map(|byte| if is_control(byte) { b' ' } else { *byte });
    Cow::Owned(bytes.collect())
}

/// Returns the text before the first byte that is not UTF-8.
fn valid_start(value: &[u8]) -> &str {
    value.utf8_chunks().next().map_or("", |part| part.valid())
}

/// Returns a value without the white space that HTTP allows around it (RFC 9110, section 5.5), and
/// its offset.
fn trimmed(value: &str) -> (usize, &str) {
    let text = value.trim_matches([' ', '\t']);
    (offset_in(value, text), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_with_its_line() {
        let lines = [
            ("x-robots-tag", "a: noindex"),
            ("Server", "b: noindex"),
            ("X-ROBOTS-TAG", "nofollow"),
        ];
        let found: Vec<_> = robots_headers(lines)
            .map(|found| (found.header_index(), found.agent()))
            .collect();
        assert_eq!(found, [(0, Some("a")), (2, None)]);
    }

    #[test]
    fn a_directive_is_for_the_robot_that_it_names_or_for_all() {
        let is_for = |value, names: &[&str]| {
            let found = robots_headers([("X-Robots-Tag", value)]).next();
            found.unwrap().is_for(names)
        };
        assert!(is_for("BadBot: noindex", &["a", "badbot"]));
        assert!(!is_for("BadBot: noindex", &["a"]));
        assert!(is_for("noindex", &[]));
    }

    #[test]
    fn a_name_in_force_across_a_comma_may_have_leaked() {
        let leaks = |name: &'static str, value: &'static str| {
            robots_headers([(name, value)])
                .map(|found| found.may_have_leaked())
                .collect::<Vec<_>>()
        };
        let tag = |value| leaks("X-Robots-Tag", value);
        assert_eq!(tag("noindex, nofollow"), [false, false]);
        assert_eq!(tag("a: noindex,nofollow , noarchive"), [false, true, true]);
        assert_eq!(
            tag("a: noindex, b: nofollow, noarchive"),
            [false, false, true]
        );
        // Lines are joined by commas, not by these.
        assert_eq!(tag("a: noindex nofollow; noarchive"), [false, false, false]);
        // Two lines may have been joined: the first ended after the name, or with a comma.
        assert_eq!(tag("a:, noindex"), [true]);
        assert_eq!(tag("a: noindex,, nofollow"), [false, true]);
        // `*` names every robot, so it does not matter whether it has leaked.
        assert_eq!(
            tag("a: noindex, *: nofollow, noarchive"),
            [false, false, false]
        );
        assert_eq!(
            tag("a: unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex"),
            [false, true]
        );
        assert_eq!(
            leaks("Robots-Tag", "a;noindex;nofollow, b;noindex"),
            [false; 3]
        );
    }

    #[test]
    fn a_value_is_trimmed_as_http_has_it() {
        assert_eq!(trimmed(" \t1 "), (2, "1"));
        assert_eq!(trimmed(""), (0, ""));
        assert_eq!(trimmed("\u{a0}1"), (0, "\u{a0}1"));
    }
}
