//! Findings on groups of `*` that also name robots which were probably meant to have a group of their own.
//!
//! `User-agent` lines share a group until a rule follows (RFC 9309, 2.2.1). If something is between `*` and another name, the
//! author probably took it for the end of the group, or forgot the rules. Linear in the lines of the groups.

use super::audience::is_root;
use super::groups::names_star;
use super::ignore::Collector;
use super::known::KnownRobots;
use super::lines::field_named;
use crate::catalogue::FindingKind as Kind;
use memchr::memchr2;
use robots_txt::RobotsTxt;
use robots_txt::parse::{Field, Line, trim};
use robots_txt::select::{Directive, Group};
use std::cell::OnceCell;

/// Finds groups in which `*` shares rules by accident.
pub(super) struct StarExaminer<'a, 'b> {
    body: &'a [u8],
    groups: &'a [Group<'b>],
    known: &'a KnownRobots,
    /// Whether a group of `*` allows a path.
    star_allows: OnceCell<bool>,
}

/// The text between two `User-agent` lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    /// Only comments.
    Comment,
    /// A blank line or another directive.
    Separation,
}

impl<'a, 'b> StarExaminer<'a, 'b> {
    pub(super) fn new(
        robots: &'a RobotsTxt,
        groups: &'a [Group<'b>],
        known: &'a KnownRobots,
    ) -> Self {
        Self {
            body: robots.body(),
            groups,
            known,
            star_allows: OnceCell::new(),
        }
    }

    /// Adds a finding if `*` shares a group with a robot from which it is separated; returns whether it does.
    pub(super) fn examine(&self, group: &Group<'b>, findings: &mut Collector) -> bool {
        if !names_star(group) || !group.directives().iter().any(Directive::is_rule) {
            return false;
        }
        let closing_rule = self.closing_rule(group);
        let Some((star, other)) = self.separated(group.agents(), closing_rule.is_some()) else {
            return false;
        };
        findings.add_on_value(Kind::JoinedStar, star, |found| {
            let found = found.with_related(other.number());
            match closing_rule {
                Some(_) => found.with_detail("the whole site is closed to every robot".to_owned()),
                None => found,
            }
        });
        if let Some(line) = closing_rule {
            findings.explain(line, Kind::JoinedStar);
        }
        true
    }

    /// Returns the line of `*` and that of the nearest named robot on the other side of a separation.
    fn separated<'g>(
        &self,
        agents: &'g [Line<'b>],
        closes_site: bool,
    ) -> Option<(&'g Line<'b>, &'g Line<'b>)> {
        let is_star = |line: &Line<'_>| line.value() == b"*";
        let is_named = |line: &Line<'_>| !is_star(line);
        // The first and the last of each are compared with all separations, so that a list of many names costs no more.
        let (first_star, last_star) = (
            agents.iter().position(is_star)?,
            agents.iter().rposition(is_star)?,
        );
        let (first_named, last_named) = (
            agents.iter().position(is_named)?,
            agents.iter().rposition(is_named)?,
        );
        let mut separations =
            (1..agents.len()).filter(|&at| self.is_separation(agents, at, closes_site));
        let (is_star_before, at) = separations.find_map(|at| {
            let is_between = |before: usize, after: usize| before < at && after >= at;
            if is_between(first_star, last_named) {
                return Some((true, at));
            }
            is_between(first_named, last_star).then_some((false, at))
        })?;
        let (before, after) = agents.split_at_checked(at)?;
        if is_star_before {
            Some((
                before.iter().find(|line| is_star(line))?,
                after.iter().find(|line| is_named(line))?,
            ))
        } else {
            Some((
                after.iter().find(|line| is_star(line))?,
                before.iter().rev().find(|line| is_named(line))?,
            ))
        }
    }

    /// Returns whether the line at this index was probably meant to begin a group.
    fn is_separation(&self, agents: &[Line<'_>], at: usize, closes_site: bool) -> bool {
        let (Some(before), Some(line)) = (agents.get(at - 1), agents.get(at)) else {
            return false;
        };
        let end = before.offset() + before.bytes().len();
        // Next to `*` there is no need to name a robot that obeys `*`.
        let is_needless = || before.value() == b"*" && self.known.obey_star(line.value());
        match between(self.body.get(end..line.offset()).unwrap_or_default()) {
            // A group without rules was perhaps meant, and the costs of the mistake are those of a whole site.
            Between::Nothing => closes_site && is_needless(),
            // A list may explain its names.
            Between::Comment => is_needless(),
            Between::Separation => true,
        }
    }

    /// Returns the line of the rule with which a group of `*` closes every path; `None` if an `Allow` opens one.
    fn closing_rule(&self, group: &Group<'b>) -> Option<usize> {
        let has_path = |field: Field| {
            move |line: &Line<'_>| field_named(line) == field && !line.value().is_empty()
        };
        let mut rules = group.directives().iter().map(Directive::line);
        let closing = rules.find(|line| has_path(Field::Disallow)(line) && is_root(line))?;
        let star_allows = *self.star_allows.get_or_init(|| {
            let groups = self.groups.iter().filter(|group| names_star(group));
            let mut rules = groups.flat_map(|group| group.directives().iter().map(Directive::line));
            rules.any(|line| has_path(Field::Allow)(&line))
        });
        (!star_allows).then(|| closing.number())
    }
}

/// Reads the text from the end of a line to the start of another.
fn between(text: &[u8]) -> Between {
    let mut found = Between::Nothing;
    let mut rest = text;
    while let Some(at) = memchr2(b'\n', b'\r', rest) {
        let line = trim(rest.get(..at).unwrap_or_default());
        let is_crlf = rest.get(at..at + 2) == Some(b"\r\n");
        // The first part is the rest of the line before.
        if rest.len() < text.len() {
            match line.first() {
                Some(b'#') => found = Between::Comment,
                _ => return Between::Separation,
            }
        }
        rest = rest
            .get(at + 1 + usize::from(is_crlf)..)
            .unwrap_or_default();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_between_two_lines_is_read_with_each_line_end() {
        for (text, expected) in [
            ("\n", Between::Nothing),
            (" # all\r\n", Between::Nothing),
            ("\r", Between::Nothing),
            ("\n# others\n", Between::Comment),
            ("\r\n # others\r\n", Between::Comment),
            ("\n\n", Between::Separation),
            ("\r\n \r\n", Between::Separation),
            ("\r\r", Between::Separation),
            ("\n# others\n\n", Between::Separation),
            ("\nCrawl-delay: 1\n", Between::Separation),
        ] {
            assert_eq!(between(text.as_bytes()), expected, "{text:?}");
        }
    }
}
