//! Header lines that speak to robots: `X-Robots-Tag` and `Robots-Tag`.

use crate::directives::{Directive, DirectiveValue, Directives};
use crate::grammar::{AgentPrefix, items};
use std::fmt;

/// How many bytes of a `Robots-Tag` line are read; a member that is not whole within them is ignored,
/// with all behind it. The draft asks for 8 KiB at the least (SEMANTICS 4.2).
pub const ROBOTS_TAG_LIMIT: usize = 64 * 1024;

/// A header that speaks to robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
}

impl<'a> HeaderDirective<'a> {
    /// The header.
    pub fn header(&self) -> RobotsHeader {
        self.header
    }

    /// The index of the line among those that speak to robots, from 0.
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
/// up to the end of its line (SEMANTICS 5.4, 5.5). A `Robots-Tag` line that is no list of tokens
/// with parameters is one invalid directive. Linear in the bytes.
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
        .filter_map(|(name, value)| Some((RobotsHeader::from_name(name)?, value)))
        .enumerate()
        .flat_map(|(line, (header, value))| {
            let (tags, list) = match header {
                RobotsHeader::XRobotsTag => (None, Some(items(value, AgentPrefix::Accepted))),
                RobotsHeader::RobotsTag => (Some(robots_tag(value)), None),
            };
            let list = list
                .into_iter()
                .flatten()
                .map(|item| (item.agent, item.directive));
            tags.into_iter()
                .flatten()
                .chain(list)
                .map(move |(agent, directive)| HeaderDirective {
                    header,
                    line,
                    agent,
                    directive,
                })
        })
}

/// The parameters in a list of tokens (RFC 9651, 3.1 and 4.2), each with its token.
///
/// A list that is cut by the limit counts up to its last whole member.
fn robots_tag(value: &str) -> Vec<(Option<&str>, Directive<'_>)> {
    let is_cut = value.len() > ROBOTS_TAG_LIMIT;
    let text = if is_cut {
        (0..=ROBOTS_TAG_LIMIT)
            .rev()
            .find_map(|end| value.get(..end))
            .unwrap_or_default()
    } else {
        value
    };
    let mut found = Vec::new();
    let is_list = Scan {
        text,
        at: 0,
        is_cut,
    }
    .list(&mut found)
    .is_some();
    if is_list || is_cut {
        return found;
    }
    // A field that cannot be parsed is ignored as a whole (RFC 9651, 4.2).
    let directive = Directive {
        text: value,
        offset: 0,
        value: DirectiveValue::Invalid,
    };
    vec![(None, directive)]
}

/// A structured field, read from the front.
struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// The field goes on behind the text.
    is_cut: bool,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    fn skip(&mut self, what: &str) {
        let _ = self.take(|c| what.contains(c));
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.rest().starts_with(wanted);
        if found {
            self.at = self.at.saturating_add(wanted.len_utf8());
        }
        found
    }

    fn take(&mut self, what: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !what(c)).unwrap_or(rest.len());
        self.at = self.at.saturating_add(end);
        rest.get(..end).unwrap_or_default()
    }

    /// Members between commas. `found` has those before the place where the list goes wrong.
    fn list(&mut self, found: &mut Vec<(Option<&'a str>, Directive<'a>)>) -> Option<()> {
        self.skip(" \t");
        while !self.is_at_end() {
            let whole = found.len();
            let is_member = self.member(found).is_some();
            self.skip(" \t");
            // At the end of a text that was cut, the member may go on behind it.
            let is_last = self.is_at_end() && !self.is_cut;
            if !is_member || !is_last && !self.eat(',') {
                found.truncate(whole);
                return None;
            }
            if is_last {
                return Some(());
            }
            self.skip(" \t");
            // A comma at the end of a list is an error.
            if self.is_at_end() {
                return None;
            }
        }
        Some(())
    }

    /// `token *( ";" *SP key [ "=" value ] )`.
    fn member(&mut self, found: &mut Vec<(Option<&'a str>, Directive<'a>)>) -> Option<()> {
        let agent = self.token()?;
        let agent = (agent != "*").then_some(agent);
        while self.eat(';') {
            self.skip(" ");
            let start = self.at;
            let key = self.key()?;
            // A key alone is true, as is `?1`.
            let is_true = !self.eat('=') || self.bare_item()? == "?1";
            let text = self.text.get(start..self.at)?;
            // A rule is a parameter that is true; keys are in lower case.
            let flags = Directives::from_token(key).filter(|_| is_true);
            found.push((
                agent,
                Directive {
                    text,
                    offset: start,
                    value: flags.map_or(DirectiveValue::Unknown, DirectiveValue::Flags),
                },
            ));
        }
        Some(())
    }

    fn token(&mut self) -> Option<&'a str> {
        let token = self.take(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:/".contains(c));
        token
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '*')
            .then_some(token)
    }

    fn key(&mut self) -> Option<&'a str> {
        let key = self.take(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.*".contains(c));
        key.starts_with(|c: char| c.is_ascii_lowercase() || c == '*')
            .then_some(key)
    }

    /// A value: a string, a display string, or what other values consist of.
    fn bare_item(&mut self) -> Option<&'a str> {
        let start = self.at;
        let is_display = self.rest().starts_with("%\"") && self.eat('%');
        if self.eat('"') {
            loop {
                self.take(|c| matches!(c, ' '..='~') && c != '"' && c != '\\');
                if self.eat('"') {
                    return self.text.get(start..self.at);
                }
                // A display string escapes by `%`, a string by a backslash.
                let escaped = self.eat('\\') && (is_display || self.eat('"') || self.eat('\\'));
                if !escaped {
                    return None;
                }
            }
        }
        let value = self.take(|c| matches!(c, '!'..='~') && !",;\"".contains(c));
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<'a>(name: &'a str, value: &'a str) -> Vec<(Option<&'a str>, &'a str)> {
        robots_headers([(name, value)])
            .map(|found| (found.agent(), found.directive().text()))
            .collect()
    }

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
        assert_eq!(found, [(0, Some("a")), (1, None)]);
    }

    #[test]
    fn robots_tag_is_a_list_of_tokens_with_parameters() {
        assert_eq!(
            read(
                "Robots-Tag",
                "*;nosnippet, ExampleBot;noindex; nofollow ,a;x=\"b,\\\"c\";y=1"
            ),
            [
                (None, "nosnippet"),
                (Some("ExampleBot"), "noindex"),
                (Some("ExampleBot"), "nofollow"),
                (Some("a"), "x=\"b,\\\"c\""),
                (Some("a"), "y=1"),
            ]
        );
        assert_eq!(read("robots-tag", ""), []);
        assert_eq!(read("robots-tag", "*"), []);
        let value = |value| {
            robots_headers([("robots-tag", value)])
                .next()
                .map(|found| found.directive().value())
        };
        assert_eq!(
            value("*;noindex"),
            Some(DirectiveValue::Flags(Directives::NOINDEX))
        );
        let noindex = Some(DirectiveValue::Flags(Directives::NOINDEX));
        assert_eq!(value("*;noindex=?1"), noindex);
        assert_eq!(value("*;noindex;t=%\"x%c3%bc\""), noindex);
        assert_eq!(value("*;noindex=?0"), Some(DirectiveValue::Unknown));
        assert_eq!(value("*;noindex=1"), Some(DirectiveValue::Unknown));
        for broken in [
            "noindex nofollow",
            "*;NOINDEX",
            "*;",
            ";noindex",
            "*;a,",
            "*;a=",
            "*;a=\"b",
            "1;a",
            "*;a,,b",
        ] {
            assert_eq!(value(broken), Some(DirectiveValue::Invalid), "{broken}");
        }
    }

    #[test]
    fn robots_tag_is_read_up_to_its_limit() {
        let read = |length: usize| {
            let name_length = length - "*;noindex, ;noindex".len();
            let value = format!("*;noindex, {};noindex", "a".repeat(name_length));
            assert_eq!(value.len(), length);
            robots_headers([("robots-tag", value.as_str())]).count()
        };
        assert_eq!(read(ROBOTS_TAG_LIMIT - 1), 2);
        assert_eq!(read(ROBOTS_TAG_LIMIT), 2);
        assert_eq!(read(ROBOTS_TAG_LIMIT + 1), 1);
        let broken_behind = format!("*;noindex, {} broken", "a".repeat(ROBOTS_TAG_LIMIT));
        let found: Vec<_> = robots_headers([("robots-tag", broken_behind.as_str())]).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].directive().flags(), Directives::NOINDEX);
    }
}
