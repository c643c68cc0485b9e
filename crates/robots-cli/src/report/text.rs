//! A report as text for a terminal: its findings, tables and notes.

use super::table::{In, Table};
use super::{Part, Report};
use crate::table::{Column, write_indented};
use crate::terminal::printable;
use std::io::{self, Write};

/// The maximum number of rows of a table.
const MAX_ROWS: usize = 20;

pub(crate) fn write(out: &mut impl Write, report: &Report) -> io::Result<()> {
    writeln!(out, "{}", printable(&report.headline))?;
    for (number, subject) in &report.numbers {
        writeln!(out, "  {:>12}  {subject}", number.shown())?;
    }
    for section in report.shown_sections() {
        writeln!(out, "\n{}", section.heading)?;
        for part in &section.parts {
            match part {
                Part::Finding(text) => writeln!(out, "  {}", printable(text))?,
                Part::Table(table) => write_table(out, table)?,
                Part::Remark(_) | Part::Charts(_) => {}
            }
        }
    }
    for note in &report.notes {
        writeln!(out, "\nnote: {}", printable(note))?;
    }
    Ok(())
}

fn write_table(out: &mut impl Write, table: &Table) -> io::Result<()> {
    let names = table.names(In::TEXT);
    if names.is_empty() || table.rows() == 0 {
        return Ok(());
    }
    let rows: Vec<_> = table.cells(In::TEXT).take(MAX_ROWS).collect();
    let columns: Vec<Column<'_>> = names
        .iter()
        .enumerate()
        .map(|(index, name)| {
            if rows.iter().any(|row| row[index].is_number()) {
                Column::Number(name)
            } else {
                Column::Prose(name)
            }
        })
        .collect();
    writeln!(out, "\n  {}", table.caption)?;
    let cells = rows.iter().map(|row| {
        let cells = row.iter().map(|value| value.shown());
        let cells = cells.map(|text| printable(&text).into_owned());
        cells.collect::<Vec<String>>()
    });
    write_indented(out, &columns, cells)?;
    let more = table.rows() - rows.len();
    if more > 0 {
        writeln!(out, "  and {more} more (--json and --csv have them)")?;
    }
    Ok(())
}
