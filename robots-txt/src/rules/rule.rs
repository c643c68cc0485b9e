//! One of the rules of a robot: its line, pattern and group.

use super::entry::{Entry, Texts};
use super::{GroupName, RuleKind, Rules};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// One rule: a line of the file that allows or disallows.
#[derive(Clone, Copy)]
pub struct Rule<'r> {
    pub(super) rules: &'r Rules,
    /// The number of the part of the rules that has the entry: 0 for the rules that only this robot has, then one for
    /// each large group that robots share.
    pub(super) part: u32,
    pub(super) entry: Entry,
}

impl<'r> Rule<'r> {
    /// Returns the field of the rule. It is `Disallow` for an empty `Disallow` too, which allows every path.
    pub fn kind(&self) -> RuleKind {
        self.entry.kind()
    }

    /// Returns the field and the pattern, as a text for people: `Disallow: /private`.
    pub fn statement(&self) -> String {
        format!("{}: {}", self.kind(), self.text().escape_ascii())
    }

    /// Returns the number of its line, from 1.
    pub fn line(&self) -> usize {
        self.entry.line()
    }

    /// Returns its pattern as written.
    pub fn text(&self) -> &'r [u8] {
        self.slice(self.texts().text(self.entry))
    }

    /// Returns its pattern in the form in which the dialect compares it. If an allowed index page
    /// decided as its folder ([`IndexPage`](crate::dialect::IndexPage)), this is the pattern of the folder.
    pub fn pattern(&self) -> &'r [u8] {
        self.texts().form(self.entry)
    }

    /// Returns the name in its group that matched the robot, as written: `*` or a robot's name.
    pub fn agent(&self) -> &'r [u8] {
        match self.group() {
            Some(group) if group.line > 0 => self.slice(group.start as usize..group.end as usize),
            _ => b"*",
        }
    }

    /// Returns the number of the line that has that name, from 1; `None` if the rule is before the
    /// first `User-agent` line
    /// ([`RulesBeforeAgent::DefaultGroup`](crate::dialect::RulesBeforeAgent::DefaultGroup)).
    pub fn agent_line(&self) -> Option<usize> {
        let line = self.group()?.line as usize;
        (line > 0).then_some(line)
    }

    /// Returns the range in bytes of its pattern in the body; `None` if the rules were loaded from bytes, or if some
    /// are those of another file ([`Rules::of_directives`](crate::Rules::of_directives)).
    pub fn span(&self) -> Option<Range<usize>> {
        let is_loaded = self.rules.compiled.is_loaded;
        (!is_loaded).then(|| self.texts().text(self.entry))
    }

    /// Returns the range in bytes of [`agent`](Self::agent) in the body; `None` if the rule is before
    /// the first `User-agent` line, or for the reasons of [`span`](Self::span).
    pub fn agent_span(&self) -> Option<Range<usize>> {
        let group = self.group().filter(|group| group.line > 0)?;
        (!self.rules.compiled.is_loaded).then_some(group.start as usize..group.end as usize)
    }

    /// Returns the texts that have its pattern.
    pub(super) fn texts(&self) -> &'r Texts {
        &self.rules.compiled.part(self.part).texts
    }

    /// Returns the group of the rule: the last one whose first rule is at its line or before.
    fn group(&self) -> Option<&'r GroupName> {
        let groups = self.rules.groups();
        let line = self.entry.line();
        let later = groups.partition_point(|group| group.first_rule as usize <= line);
        groups.get(later.checked_sub(1)?)
    }

    /// Returns a part of the body, which all parts of the rules share.
    fn slice(&self, range: Range<usize>) -> &'r [u8] {
        self.rules
            .compiled
            .texts
            .body
            .get(range)
            .unwrap_or_default()
    }
}

impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Rule({}: {:?} {})",
            self.line(),
            self.kind(),
            self.text().escape_ascii()
        )
    }
}

impl PartialEq for Rule<'_> {
    /// Returns whether both are the same line of the same [`Rules`].
    fn eq(&self, other: &Self) -> bool {
        let per_robot = |rule: &Self| rule.rules.per_robot.as_ref().map(Arc::as_ptr);
        self.rules.shares_rules_with(other.rules)
            && per_robot(self) == per_robot(other)
            && self.line() == other.line()
    }
}

impl Eq for Rule<'_> {}
