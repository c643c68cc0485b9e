//! Directives: lines with a field and a value, as a dialect reads them.

use crate::dialect::Dialect;
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::{Line, LineKind};
use crate::parse::lines::Lines;
use crate::select::view::View;
use std::fmt;

/// One directive as a dialect sees it: a field and its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directive<'a> {
    field: Field,
    line: Line<'a>,
}

impl<'a> Directive<'a> {
    /// Returns a directive of a field that the caller chose, whatever the line's own field is.
    pub fn new(field: Field, line: Line<'a>) -> Self {
        Self { field, line }
    }

    /// Returns the field, as the dialect accepts it: a strict dialect reads a misspelt name as
    /// [`Field::Other`].
    pub fn field(&self) -> Field {
        self.field
    }

    /// Returns whether the directive is a rule: `Allow` or `Disallow`.
    pub fn is_rule(&self) -> bool {
        matches!(self.field, Field::Allow | Field::Disallow)
    }

    /// Returns the line, as far as the dialect reads it.
    pub fn line(&self) -> Line<'a> {
        self.line
    }
}

/// The directives of a file under a dialect. See [`RobotsTxt::directives`].
#[derive(Clone)]
pub struct Directives<'a> {
    view: View<'a>,
}

impl<'a> Iterator for Directives<'a> {
    type Item = Directive<'a>;

    fn next(&mut self) -> Option<Directive<'a>> {
        let (body, dialect) = (self.view.body(), self.view.dialect);
        self.view
            .by_ref()
            .find_map(|line| line.directive(body, dialect))
    }
}

impl fmt::Debug for Directives<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Directives").finish_non_exhaustive()
    }
}

impl RobotsTxt {
    /// Returns the blank lines and directives that a dialect sees.
    pub(crate) fn view<'a>(&'a self, dialect: &'a Dialect) -> View<'a> {
        View::new(self.body(), self.marks(), self.has_bare_cr(), dialect)
    }

    /// Returns the directives that are neither `User-agent` lines nor rules under a dialect. The values
    /// of `User-agent` lines and rules are not read.
    pub(crate) fn directives_except_rules<'a>(
        &'a self,
        dialect: &'a Dialect,
    ) -> impl Iterator<Item = Directive<'a>> + use<'a> {
        let view = self.view(dialect);
        let body = view.body();
        let others = view.filter(|line| {
            !matches!(
                line.field,
                Some(Field::UserAgent | Field::Allow | Field::Disallow)
            )
        });
        others.filter_map(move |line| line.directive(body, dialect))
    }

    /// Returns every line of the body as a dialect reads it: without a byte order mark if the dialect
    /// skips it, cut at the dialect's line limit or at a NUL byte that ends the text, and with the field
    /// that the dialect accepts. The dialect's size limit does not apply.
    pub fn lines_under<'a>(&'a self, dialect: &Dialect) -> impl Iterator<Item = Line<'a>> {
        let dialect = *dialect;
        Lines::new(self.body(), dialect.line_end).map(move |line| {
            let line = dialect.part_of_line(line);
            match (line.kind(), dialect.field(&line)) {
                (_, Some(field)) => line.with_field(field),
                // A line without a colon, where the dialect requires one.
                (LineKind::Directive, None) => line.without_field(),
                _ => line,
            }
        })
    }

    /// Returns the directives that a dialect sees, in order: lines with a field and a value, within the
    /// dialect's limits.
    pub fn directives<'a>(&'a self, dialect: &'a Dialect) -> Directives<'a> {
        Directives {
            view: self.view(dialect),
        }
    }

    /// Returns whether the dialect's size limit, or [`MAX_BODY`](crate::limits::MAX_BODY), leaves a part of
    /// the body unread.
    pub fn is_truncated_for(&self, dialect: &Dialect) -> bool {
        let is_over = |limit| self.body().len() > limit;
        self.is_cut() || dialect.size_limit().is_some_and(is_over)
    }
}
