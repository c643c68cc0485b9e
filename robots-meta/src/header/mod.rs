//! Header lines that speak to robots: `X-Robots-Tag` and `Robots-Tag`, which give directives, and
//! others, which give facts about the page ([`page_headers`]).

mod cursor;
mod facts;
mod link;
mod robots_tag;
mod signal;
mod tdm;
mod usage;

pub use facts::{PageHeader, PageHeaders, page_headers};
pub use link::HeaderLink;
pub use robots_tag::ROBOTS_TAG_LIMIT;
pub use signal::ContentSignal;
pub use tdm::{Reservation, TdmPolicy, TdmReservation};
pub use usage::{ContentUsage, UsageStatement};

use crate::directive::{AgentPrefix, Directive, items, offset_in};
use std::fmt;

/// A header that speaks to robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum RobotsHeader {
    /// `X-Robots-Tag` (SEMANTICS 5.1, 5.5).
    XRobotsTag,
    /// `Robots-Tag`, a structured field (draft-illyes-repext-03; SEMANTICS 4.2).
    RobotsTag,
}

impl RobotsHeader {
    /// The header of this name, ASCII case ignored.
    pub fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("x-robots-tag") {
            Some(Self::XRobotsTag)
        } else if name.eq_ignore_ascii_case("robots-tag") {
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

/// One directive of a header line, with the robot that it is for and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeaderDirective<'a> {
    header: RobotsHeader,
    line: usize,
    agent: Option<&'a str>,
    directive: Directive<'a>,
    may_have_leaked: bool,
}

impl<'a> HeaderDirective<'a> {
    /// The header.
    pub fn header(&self) -> RobotsHeader {
        self.header
    }

    /// The index of the line among all that were given, from 0.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The robot's name as written; `None` if the directive is for every robot.
    pub fn agent(&self) -> Option<&'a str> {
        self.agent
    }

    /// What is said; its offset is that in the value of the line.
    pub fn directive(&self) -> Directive<'a> {
        self.directive
    }

    /// Whether the robot's name may have come from another line: it is for a robot that is named
    /// earlier in the line, and a comma stands between, which is also what joins lines.
    ///
    /// Within one line the name holds (SEMANTICS 5.4). A caller who knows that an HTTP library has
    /// joined lines with `", "` knows that this directive may have been meant for every robot
    /// (SEMANTICS 5.5, item 7), and can warn. False in a `Robots-Tag`, where nothing leaks.
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

    /// Whether the directive is for a robot that goes by one of these names, ASCII case ignored.
    pub fn is_for(&self, names: &[impl AsRef<str>]) -> bool {
        self.agent.is_none_or(|agent| {
            names
                .iter()
                .any(|name| agent.eq_ignore_ascii_case(name.as_ref()))
        })
    }
}

/// The directives in header lines, in order. The lines are given as name and value; those that do
/// not speak to robots are passed over.
///
/// Give the lines of one name apart, as they were sent: in `X-Robots-Tag` the name of a robot holds
/// up to the end of its line (SEMANTICS 5.4, 5.5), and lines that were joined are read as one
/// ([`HeaderDirective::may_have_leaked`]). A `Robots-Tag` line that is no list of tokens with
/// parameters is one invalid directive. Linear in the bytes.
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
pub fn robots_headers<'a>(
    lines: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> impl Iterator<Item = HeaderDirective<'a>> {
    lines
        .into_iter()
        .enumerate()
        .filter_map(|(line, (name, value))| Some((line, RobotsHeader::from_name(name)?, value)))
        .flat_map(|(line, header, value)| {
            let (tags, list) = match header {
                RobotsHeader::XRobotsTag => (None, Some(items(value, AgentPrefix::Accepted))),
                RobotsHeader::RobotsTag => (Some(robots_tag::read(value)), None),
            };
            let list = list.into_iter().flatten().map(move |item| {
                let may_have_leaked = item.may_have_leaked(value);
                (item.agent, item.directive, may_have_leaked)
            });
            tags.into_iter()
                .flatten()
                .map(|(agent, directive)| (agent, directive, false))
                .chain(list)
                .map(move |(agent, directive, may_have_leaked)| HeaderDirective {
                    header,
                    line,
                    agent,
                    directive,
                    may_have_leaked,
                })
        })
}

/// A value without the white space around it that HTTP allows (RFC 9110, 5.5), and where that
/// begins.
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
            .map(|found| (found.line(), found.agent()))
            .collect();
        assert_eq!(found, [(0, Some("a")), (2, None)]);
    }

    #[test]
    fn a_name_that_holds_across_a_comma_may_have_leaked() {
        let leaks = |name, value| {
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
        // A name that had nothing behind it, or a line that ended with a comma.
        assert_eq!(tag("a:, noindex"), [true]);
        assert_eq!(tag("a: noindex,, nofollow"), [false, true]);
        // Every robot is meant anyway.
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
