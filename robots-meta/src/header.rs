//! `X-Robots-Tag` header lines.

use crate::directives::Directive;
use crate::grammar::{AgentPrefix, items};

/// One directive of an `X-Robots-Tag` header, with the robot that it is for and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct HeaderDirective<'a> {
    line: usize,
    agent: Option<&'a str>,
    directive: Directive<'a>,
}

impl<'a> HeaderDirective<'a> {
    /// The index of the header line among those given, from 0.
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

/// The directives in the values of `X-Robots-Tag` header lines, in order.
///
/// Give the lines apart, as they were sent: the name of a robot holds up to the end of its line
/// (SEMANTICS 5.4, 5.5). Linear in the bytes.
///
/// ```
/// use robots_meta::x_robots_tag;
///
/// let lines = ["noarchive", "BadBot: noindex, nofollow, googlebot: nofollow"];
/// let for_googlebot: Vec<_> = x_robots_tag(lines)
///     .filter(|found| found.is_for(&["googlebot"]))
///     .map(|found| found.directive().text())
///     .collect();
/// assert_eq!(for_googlebot, ["noarchive", "nofollow"]);
/// ```
pub fn x_robots_tag<'a>(
    lines: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = HeaderDirective<'a>> {
    lines.into_iter().enumerate().flat_map(|(line, value)| {
        items(value, AgentPrefix::Accepted).map(move |item| HeaderDirective {
            line,
            agent: item.agent,
            directive: item.directive,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_ends_with_its_line() {
        let found: Vec<_> = x_robots_tag(["a: noindex", "nofollow"])
            .map(|found| (found.line(), found.agent()))
            .collect();
        assert_eq!(found, [(0, Some("a")), (1, None)]);
    }
}
