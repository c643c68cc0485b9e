//! `DisallowAITraining: path` and `AllowAITraining: path`: draft-canel-robots-ai-control-00, which
//! has expired (docs/semantics.md, section 4.4). Paths are compared as those of `Allow` and
//! `Disallow`.

use super::path::{self, Statement};
use crate::dialect::{Dialect, Encoding};
use crate::target::Target;
use robots_usage::Preference;
use std::borrow::{Borrow, Cow};

/// One line about training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AiTraining<'a> {
    line: usize,
    preference: Preference,
    path: &'a [u8],
}

impl<'a> AiTraining<'a> {
    /// Reads the value of a field that states `preference`; `None` if it is empty, which has no
    /// effect, like an empty `Disallow`.
    pub(crate) fn read(line: usize, value: &'a [u8], preference: Preference) -> Option<Self> {
        (!value.is_empty()).then_some(Self {
            line,
            preference,
            path: value,
        })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the preference about training; never [`Preference::Unknown`].
    pub fn preference(&self) -> Preference {
        self.preference
    }

    /// Returns the path pattern as written.
    pub fn path(&self) -> &'a [u8] {
        self.path
    }

    /// Returns the line compiled; `None` if its path has no effect under the dialect.
    pub(crate) fn statement(
        &self,
        dialect: &Dialect,
    ) -> Option<Statement<Preference, Cow<'a, [u8]>>> {
        Statement::read(self.line, Some(self.path), self.preference, dialect)
    }
}

/// Returns the number and the preference of the line that decides about a target: the one with the
/// longest path. In a tie it is the first that allows, or else the first (docs/semantics.md, section 1.4).
/// `None` if no line of the chosen group applies to the target.
pub(crate) fn training_for<F: AsRef<[u8]>>(
    statements: impl IntoIterator<Item = impl Borrow<Statement<Preference, F>>>,
    target: &Target<'_>,
    encoding: Encoding,
) -> Option<(usize, Preference)> {
    let deciding = path::deciding(statements, target, encoding);
    deciding
        .iter()
        .find(|(_, preference)| *preference == Preference::Allow)
        .or(deciding.first())
        .copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow};

    #[test]
    fn the_longest_path_decides_and_a_tie_allows() {
        let rules = [
            (Disallow, "/"),
            (Allow, "/a"),
            (Disallow, "/a"),
            (Disallow, "/a/*.png$"),
        ];
        let verdict = |rules: &[(Preference, &str)], url: &str| {
            let dialect = Dialect::RFC9309;
            let statements = rules
                .iter()
                .zip(1..)
                .filter_map(|((preference, path), line)| {
                    let rule = AiTraining::read(line, path.as_bytes(), *preference).unwrap();
                    rule.statement(&dialect)
                });
            training_for(statements, &Target::new(url), dialect.encoding)
        };
        assert_eq!(verdict(&rules, "/x"), Some((1, Disallow)));
        assert_eq!(verdict(&rules, "/a/b"), Some((2, Allow)));
        assert_eq!(verdict(&rules, "/a/b.png"), Some((4, Disallow)));
        assert_eq!(verdict(&rules[1..], "/x"), None);
    }

    #[test]
    fn an_empty_path_has_no_effect() {
        assert_eq!(AiTraining::read(1, b"", Disallow), None);
        let rule = AiTraining::read(2, b"/a", Disallow).unwrap();
        assert_eq!((rule.line(), rule.path()), (2, &b"/a"[..]));
    }
}
