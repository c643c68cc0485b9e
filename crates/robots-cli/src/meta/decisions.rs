//! The decisions of every robot of every profile about a page, for people.

use crate::terminal::{grouped, wrapped};
use robots_answers::page::decisions::PAGE_FIELDS;
use robots_policy::Decision;
use robots_policy::decision::Field;
use std::io::{self, Write};

/// Writes decisions for people. Robots with equal decisions are grouped.
pub(super) fn show(out: &mut impl Write, decisions: &[Decision]) -> io::Result<()> {
    writeln!(out, "\ndecisions, without robots.txt")?;
    let labelled = decisions.iter().map(|decision| {
        let label = format!("{} ({})", decision.agent, decision.profile);
        (PAGE_FIELDS.map(|field| text(field, decision)), label)
    });
    for (texts, labels) in grouped(labelled) {
        write!(out, "{}{}", wrapped(&texts, 2), wrapped(&labels, 6))?;
    }
    Ok(())
}

/// Returns a field as text for people: `index yes`.
fn text(field: Field, decision: &Decision) -> String {
    match field {
        Field::ExpiresAt if decision.expires_at.is_none() => "expires never".to_owned(),
        _ => format!(
            "{} {}",
            field.name().replace('_', " "),
            field.text(decision)
        ),
    }
}
