//! A finding on a robots.txt file, and all findings on one.

use crate::catalogue::{FindingKind, Severity};
use crate::collector::Counts;
use crate::fix::Fix;
use robots_txt::parse::Line;
use std::fmt;
use std::ops::Range;

/// A finding on a robots.txt file, and its span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    kind: FindingKind,
    line: usize,
    span: Range<usize>,
    detail: Option<String>,
    related: Option<usize>,
    robots: Vec<Range<usize>>,
    group: Option<usize>,
    fix: Option<Fix>,
}

impl Finding {
    pub(super) fn new(kind: FindingKind, line: usize, span: Range<usize>) -> Self {
        Self {
            kind,
            line,
            span,
            detail: None,
            related: None,
            robots: Vec::new(),
            group: None,
            fix: None,
        }
    }

    pub(super) fn with_detail(self, detail: String) -> Self {
        Self {
            detail: Some(detail),
            ..self
        }
    }

    pub(super) fn with_related(self, line: usize) -> Self {
        Self {
            related: Some(line),
            ..self
        }
    }

    /// Sets the `User-agent` lines of the robots that the finding is about.
    pub(super) fn with_robots<'l>(self, names: impl IntoIterator<Item = &'l Line<'l>>) -> Self {
        Self {
            robots: names.into_iter().map(Line::value_span).collect(),
            ..self
        }
    }

    /// Sets the first line of the group that the finding is about.
    pub(super) fn with_group(self, line: usize) -> Self {
        Self {
            group: Some(line),
            ..self
        }
    }

    pub(super) fn with_fix(self, fix: Option<Fix>) -> Self {
        Self { fix, ..self }
    }

    /// Returns the kind of the finding.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// Returns the severity of the kind.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// Returns the 1-based line. A finding on the whole body has line 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the range of bytes in the body.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Returns the part of the message that differs between findings of a kind, such as the field that was probably
    /// meant.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// Returns another 1-based line that concerns the finding, such as the rule that is repeated.
    pub fn related(&self) -> Option<usize> {
        self.related
    }

    /// Returns the ranges of bytes with the names of the robots that the finding is about; none if it is not about robots.
    pub fn robots(&self) -> &[Range<usize>] {
        &self.robots
    }

    /// Returns the 1-based line with which findings of the kind share their cause; 0 is a line that is missing, or the whole file.
    /// `None` if the cause is in the line of the finding.
    pub(super) fn cause(&self) -> Option<usize> {
        match self.kind {
            FindingKind::RuleWithoutGroup
            | FindingKind::FieldWithoutGroup
            | FindingKind::NoindexField
            | FindingKind::ManagedBlock
            | FindingKind::ClosedResources => Some(0),
            _ => self.group.or(self.related),
        }
    }

    /// Returns the fix, if there is a safe one: see [`Fix`].
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_ref()
    }

    /// Returns the message: that of the kind, and the detail if there is one.
    pub fn message(&self) -> String {
        self.kind.message(self.detail())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message())
    }
}

/// The findings on a robots.txt file, in the order of its lines. See [`RobotsTxtLinter::lint`](super::RobotsTxtLinter::lint).
#[derive(Debug, Clone, Default)]
pub struct Findings {
    pub(super) list: Vec<Finding>,
    pub(super) counts: Counts,
    pub(super) ignored: Counts,
}

impl Findings {
    /// Returns the findings, in the order of lines.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Finding> {
        self.list.iter()
    }

    /// Returns whether there is no finding.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the kinds that occur with their numbers of findings, including those that were left out.
    pub fn counts(&self) -> impl Iterator<Item = (FindingKind, usize)> {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// Returns the kinds that comments of the file ignore, with their numbers of findings. The other methods do not include
    /// these.
    pub fn ignored(&self) -> impl Iterator<Item = (FindingKind, usize)> {
        self.ignored.iter().map(|(kind, count)| (*kind, *count))
    }
}
