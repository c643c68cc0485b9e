//! Values that may begin with a path, and the choice among several such lines for a target.
//!
//! Values of `Content-Usage` and `Content-Signal` may begin with a path; that of an `AllowAITraining`
//! line is a path. In all of them the longest path that matches decides (docs/semantics.md, sections
//! 4.1, 4.4, 4.5). Reading is linear in the value; a choice is linear in the target and the path for
//! each line.

use crate::dialect::{Dialect, EmptyPattern, Encoding};
use crate::pattern::{self, PatternContext, Reading};
use crate::target::Target;
use memchr::memchr2;
use smallvec::SmallVec;
use std::borrow::{Borrow, Cow};

/// Returns a value's path, if it begins with one, and the rest: a path begins with `/` and ends
/// before the first space or tab (docs/semantics.md, section 4.1).
pub(crate) fn split(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if !value.starts_with(b"/") {
        return (None, value);
    }
    let end = memchr2(b' ', b'\t', value).unwrap_or(value.len());
    let (path, rest) = value.split_at_checked(end).unwrap_or((value, &[]));
    let start = rest
        .iter()
        .position(|byte| !matches!(byte, b' ' | b'\t'))
        .unwrap_or(rest.len());
    (Some(path), rest.get(start..).unwrap_or_default())
}

/// A path pattern in the form in which a dialect compares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pattern<F = Box<[u8]>> {
    form: F,
    reading: Reading,
}

impl<'a> Pattern<Cow<'a, [u8]>> {
    /// Reads a pattern in the dialect's syntax; `None` if it has no effect.
    pub(crate) fn read(text: &'a [u8], dialect: &Dialect) -> Option<Self> {
        let (form, reading) = pattern::read(text, dialect, &PatternContext::default())?;
        if form.is_empty() && dialect.empty_pattern == EmptyPattern::Ignored {
            return None;
        }
        Some(Self { form, reading })
    }

    /// Returns the same pattern, owned.
    pub(crate) fn into_owned(self) -> Pattern {
        Pattern {
            form: self.form.into_owned().into_boxed_slice(),
            reading: self.reading,
        }
    }
}

impl<F: AsRef<[u8]>> Pattern<F> {
    /// Returns whether it matches a path in the same form.
    pub(crate) fn matches(&self, path: &[u8]) -> bool {
        self.reading.matches(self.form.as_ref(), path)
    }

    /// Returns the length of its form in bytes: its rank among several patterns, as with rules.
    pub(crate) fn length(&self) -> usize {
        self.form.as_ref().len()
    }
}

/// The statement of a line about the paths of a pattern, or about every path. A stored statement
/// owns its bytes; one that is used once may borrow them.
#[derive(Debug)]
pub(crate) struct Statement<S, F = Box<[u8]>> {
    line: usize,
    path: Option<Pattern<F>>,
    value: S,
}

impl<'a, S> Statement<S, Cow<'a, [u8]>> {
    /// Returns the statement; `None` if it has a path without effect under the dialect.
    pub(crate) fn read(
        line: usize,
        path: Option<&'a [u8]>,
        value: S,
        dialect: &Dialect,
    ) -> Option<Self> {
        let path = match path {
            Some(text) => Some(Pattern::read(text, dialect)?),
            None => None,
        };
        Some(Self { line, path, value })
    }

    /// Returns the same statement, owned.
    pub(crate) fn into_owned(self) -> Statement<S> {
        Statement {
            line: self.line,
            path: self.path.map(Pattern::into_owned),
            value: self.value,
        }
    }
}

impl<S, F: AsRef<[u8]>> Statement<S, F> {
    /// Returns the weight of the statement for a path, given in the form of the pattern; `None` if the
    /// statement does not apply. A statement without a path applies to everything, with less weight than any path.
    fn weight(&self, path: &[u8]) -> Option<usize> {
        match &self.path {
            Some(pattern) => pattern.matches(path).then(|| pattern.length()),
            None => Some(0),
        }
    }
}

/// Returns the line and the value of each statement that decides about a target, in order: those that
/// apply to it, and have the longest path pattern of these. The patterns are in the form of `encoding`.
pub(crate) fn deciding<S: Copy, F: AsRef<[u8]>>(
    statements: impl IntoIterator<Item = impl Borrow<Statement<S, F>>>,
    target: &Target<'_>,
    encoding: Encoding,
) -> SmallVec<[(usize, S); 2]> {
    let path = target.form(encoding);
    let mut longest = 0;
    let mut found = SmallVec::new();
    for statement in statements {
        let statement: &Statement<S, F> = statement.borrow();
        let Some(weight) = statement.weight(&path) else {
            continue;
        };
        if weight > longest {
            longest = weight;
            found.clear();
        }
        if weight == longest {
            found.push((statement.line, statement.value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the indices of the statements that decide. Asserts that borrowed and owned statements agree.
    fn found(paths: &[Option<&str>], url: &str) -> Vec<usize> {
        let dialect = &Dialect::RFC9309;
        let target = Target::new(url);
        let read = || {
            paths.iter().enumerate().filter_map(move |(index, path)| {
                Statement::read(index, path.map(str::as_bytes), (), dialect)
            })
        };
        let owned: Vec<Statement<()>> = read().map(Statement::into_owned).collect();
        let found = deciding(read(), &target, dialect.encoding);
        assert_eq!(found, deciding(&owned, &target, dialect.encoding));
        found.iter().map(|(index, ())| *index).collect()
    }

    #[test]
    fn a_path_ends_at_white_space() {
        assert_eq!(split(b"a=b"), (None, &b"a=b"[..]));
        assert_eq!(split(b"*/a b"), (None, &b"*/a b"[..]));
        assert_eq!(split(b"/a b=c"), (Some(&b"/a"[..]), &b"b=c"[..]));
        assert_eq!(split(b"/a\t  b c"), (Some(&b"/a"[..]), &b"b c"[..]));
        assert_eq!(split(b"/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split(b""), (None, &b""[..]));
    }

    #[test]
    fn the_longest_path_that_matches_decides() {
        let paths = [
            None,
            Some("/"),
            Some("/ab"),
            Some("/a*"),
            Some("/b/c/d"),
            None,
        ];
        assert_eq!(found(&paths, "/abc"), [2, 3]);
        assert_eq!(found(&paths, "/a"), [3]);
        assert_eq!(found(&paths, "/x"), [1]);
        assert_eq!(found(&[None, Some("/b"), None], "/a"), [0, 2]);
        assert!(found(&[Some("/b")], "/a").is_empty());
    }

    #[test]
    fn the_length_is_that_of_the_compared_form() {
        assert_eq!(found(&[Some("/%61%62*"), Some("/abc")], "/abc"), [0, 1]);
    }
}
