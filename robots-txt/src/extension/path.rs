//! Values that may begin with a path, and which of several such rules decides about a target.
//!
//! `Content-Usage` and `Content-Signal` share this grammar, and with `AllowAITraining` the longest
//! match (SEMANTICS 4.1, 4.4, 4.5). Linear in the value; a choice is linear in the target and the
//! path for each rule.

use crate::dialect::Dialect;
use crate::pattern::{self, Written};
use crate::target::Target;
use memchr::memchr2;

/// A value's path, if it begins with one, and what follows it: a path begins with `/` and ends
/// before the first space or tab (SEMANTICS 4.1).
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

/// Of the rules that match the target, those with the longest path, in order. A rule without a path
/// matches everything, and every path is longer than none.
pub(crate) fn deciding<'a, R>(
    rules: impl IntoIterator<Item = R>,
    path_of: impl Fn(&R) -> Option<&'a [u8]>,
    target: &Target<'_>,
    dialect: &Dialect,
) -> Vec<R> {
    let form = target.form(dialect.encoding);
    let mut longest = 0;
    let mut found = Vec::new();
    for rule in rules {
        let weight = match path_of(&rule) {
            None => 0,
            Some(path) => {
                // In the dialect's language of patterns, wherever it stands.
                let Some((pattern, reading)) = pattern::read(path, dialect, &Written::default())
                else {
                    continue;
                };
                if !reading.matches(&pattern, &form) {
                    continue;
                }
                pattern.len()
            }
        };
        if weight > longest {
            longest = weight;
            found.clear();
        }
        if weight == longest {
            found.push(rule);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let rules: [Option<&[u8]>; 6] = [
            None,
            Some(b"/"),
            Some(b"/ab"),
            Some(b"/a*"),
            Some(b"/b/c/d"),
            None,
        ];
        let found = |path: &str| {
            deciding(
                rules.iter().enumerate(),
                |(_, path)| **path,
                &Target::new(path),
                &Dialect::RFC9309,
            )
            .iter()
            .map(|(index, _)| *index)
            .collect::<Vec<_>>()
        };
        assert_eq!(found("/abc"), [2, 3]);
        assert_eq!(found("/a"), [3]);
        assert_eq!(found("/x"), [1]);
        let pathless = deciding(
            [None, Some(&b"/b"[..]), None],
            |path| *path,
            &Target::new("/a"),
            &Dialect::RFC9309,
        );
        assert_eq!(pathless, [None, None]);
    }

    #[test]
    fn the_length_is_that_of_the_compared_form() {
        let rules = [&b"/%61%62*"[..], b"/abc"];
        let found = deciding(
            rules,
            |path| Some(*path),
            &Target::new("/abc"),
            &Dialect::RFC9309,
        );
        assert_eq!(found, rules);
    }
}
