//! The lines of positions and keys in a file.

use std::collections::HashMap;
use toml::de::DeValue;

/// The 1-based lines of the keys of a table.
pub(crate) type KeyLines = HashMap<String, usize>;

/// The ends of the lines of a text, to find the line of a position.
#[derive(Debug)]
pub(crate) struct LineEnds(Vec<usize>);

impl LineEnds {
    /// Finds the lines of a text. Linear.
    pub(crate) fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// Returns the 1-based line of an offset in bytes.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.0.partition_point(|end| *end < offset) + 1
    }

    /// Returns the lines of the keys of a table; none if the value is not a table.
    pub(crate) fn of_keys(&self, value: &DeValue<'_>) -> KeyLines {
        let keys = value.as_table().into_iter().flatten();
        let lines = keys.map(|(key, _)| {
            let line = self.line_at(key.span().start);
            (key.get_ref().clone().into_owned(), line)
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_offset_has_its_line() {
        let lines = LineEnds::of("a\r\n\nb");
        let found: Vec<usize> = (0..6).map(|offset| lines.line_at(offset)).collect();
        assert_eq!(found, [1, 1, 1, 2, 3, 3]);
    }
}
