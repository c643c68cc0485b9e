//! Places in a file.

use std::fmt;

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The 1-based line.
    pub line: usize,
    /// The 1-based column, in characters.
    pub column: usize,
}

impl Place {
    /// Returns the place of an offset in bytes.
    pub(crate) fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        // Editors show no byte order mark.
        let before = before.strip_prefix('\u{feff}').unwrap_or(before);
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let column = before.get(start..).unwrap_or_default().chars().count();
        Self {
            line: before.matches('\n').count().saturating_add(1),
            column: column.saturating_add(1),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn columns_are_those_of_an_editor() {
        for (text, offset, place) in [
            ("a\n\u{e9}x", 4, "line 2, column 2"),
            ("", 0, "line 1, column 1"),
            ("\u{feff}ab", 4, "line 1, column 2"),
            ("\u{feff}", 0, "line 1, column 1"),
            ("\u{feff}\nab", 5, "line 2, column 2"),
        ] {
            assert_eq!(Place::of(text, offset).to_string(), place, "{text:?}");
        }
    }
}
