//! Tables of text: columns as wide as their longest cell, which fit the terminal.

use crate::terminal;
use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Table as Layout, Width, presets,
};
use std::io::{self, Write};
use unicode_width::UnicodeWidthStr;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column<'t> {
    /// Text, which is kept in one line.
    Text(&'t str),
    /// Text, which is wrapped at words if the terminal is too narrow for the table.
    Prose(&'t str),
    /// Numbers, which are aligned at their ends.
    Number(&'t str),
}

impl<'t> Column<'t> {
    fn title(self) -> &'t str {
        let (Self::Text(title) | Self::Prose(title) | Self::Number(title)) = self;
        title
    }
}

/// The maximum width below which a column of prose is not narrowed, in columns. A column is at least as wide as its longest
/// word up to this width; a longer word is broken in a narrow terminal.
const WIDEST_WORD: u16 = 40;

/// The indent of a table below a heading, in columns.
const INDENT: usize = 2;

/// Writes a table with a heading. If standard output is not a terminal, no cell is wrapped.
pub(crate) fn write<C: Into<String>>(
    out: &mut (impl Write + ?Sized),
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Vec<C>>,
) -> io::Result<()> {
    let text = laid_out(columns, rows, terminal::width());
    writeln!(out, "{text}")
}

/// Writes a table as [`write()`] does, with its lines indented.
pub(crate) fn write_indented<C: Into<String>>(
    out: &mut (impl Write + ?Sized),
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Vec<C>>,
) -> io::Result<()> {
    let width = terminal::width().map(|width| width.saturating_sub(INDENT));
    for line in laid_out(columns, rows, width).lines() {
        writeln!(out, "{:INDENT$}{line}", "")?;
    }
    Ok(())
}

/// Returns a table in lines of up to `width` columns; without a width, no cell is wrapped.
fn laid_out<C: Into<String>>(
    columns: &[Column<'_>],
    rows: impl IntoIterator<Item = Vec<C>>,
    width: Option<usize>,
) -> String {
    let mut table = Layout::new();
    table.load_preset(presets::NOTHING);
    table.set_header(columns.iter().map(|column| column.title()));
    let mut longest_words: Vec<usize> = columns
        .iter()
        .map(|column| longest_word(column.title()))
        .collect();
    for row in rows {
        let cells: Vec<String> = row.into_iter().map(Into::into).collect();
        for (longest, cell) in longest_words.iter_mut().zip(&cells) {
            *longest = longest_word(cell).max(*longest);
        }
        table.add_row(cells);
    }
    if let Some(width) = width {
        table.set_width(u16::try_from(width).unwrap_or(u16::MAX));
        table.set_content_arrangement(ContentArrangement::Dynamic);
    }
    let last = columns.len() - 1;
    let facts = columns.iter().zip(longest_words).enumerate();
    for ((index, (column, longest_word)), layout) in facts.zip(table.column_iter_mut()) {
        let padding: u16 = if index == last { 0 } else { 2 };
        layout.set_padding((0, padding));
        let narrowest = u16::try_from(longest_word).unwrap_or(WIDEST_WORD);
        let narrowest = narrowest.min(WIDEST_WORD) + padding;
        layout.set_constraint(match column {
            Column::Prose(_) => ColumnConstraint::LowerBoundary(Width::Fixed(narrowest)),
            Column::Text(_) | Column::Number(_) => ColumnConstraint::ContentWidth,
        });
        if let Column::Number(_) = column {
            layout.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.trim_fmt()
}

/// Returns the width of the longest word of a text, in columns.
fn longest_word(text: &str) -> usize {
    text.split_whitespace()
        .map(UnicodeWidthStr::width)
        .max()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column<'_>; 3] = [
        Column::Text("code"),
        Column::Number("files"),
        Column::Prose("about"),
    ];

    fn rows() -> Vec<Vec<&'static str>> {
        vec![
            vec!["R001", "5", "this is an HTML page, not a robots.txt"],
            vec!["R010", "1200", "junk"],
        ]
    }

    #[test]
    fn cells_are_wrapped_at_words_in_a_narrow_terminal_alone() {
        let wide = "\
code  files  about
R001      5  this is an HTML page, not a robots.txt
R010   1200  junk";
        assert_eq!(laid_out(&COLUMNS, rows(), None), wide);
        assert_eq!(laid_out(&COLUMNS, rows(), Some(80)), wide);
        let narrow = "\
code  files  about
R001      5  this is an HTML
             page, not a
             robots.txt
R010   1200  junk";
        assert_eq!(laid_out(&COLUMNS, rows(), Some(30)), narrow);
        // Narrower than the columns that are not wrapped.
        for width in 0..13 {
            assert!(
                laid_out(&COLUMNS, rows(), Some(width)).contains("R010"),
                "{width}"
            );
        }
    }
}
