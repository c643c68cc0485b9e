//! Findings for people, as a compiler shows them.

use super::Report;
use super::found::{Found, Linted, Place};
use crate::source_line::SourceLine;
use crate::terminal::printable;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use anyhow::Result;
use robots_txt::{Fix, Severity};
use std::io::Write;

/// The longest replacement that is shown, in bytes.
const SHOWN: usize = 60;

pub(super) struct Show<'o> {
    out: &'o mut dyn Write,
}

impl<'o> Show<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self { out }
    }
}

impl Report for Show<'_> {
    fn add(&mut self, linted: &Linted) -> Result<()> {
        let name = printable(linted.name());
        for found in linted.found() {
            writeln!(self.out, "{}\n", rendered(&name, &found))?;
        }
        let more = linted.left_out();
        if more > 0 {
            writeln!(self.out, "{name}: and {more} more of the same kinds\n")?;
        }
        Ok(())
    }
}

fn rendered(name: &str, found: &Found<'_>) -> String {
    let level = match found.kind.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let message = printable(&found.message);
    let headers = format!("{name} (headers)");
    let source = |place: &Place<'_>| {
        let file = if place.is_header { &headers } else { name };
        (file, SourceLine::new(place.line, &place.text, &place.part))
    };
    let (file, line) = source(&found.place);
    let mut group: Group<'_> = level
        .primary_title(message.as_ref())
        .id(found.kind.code())
        .element(line.snippet(file, AnnotationKind::Primary, ""));
    let related = found.related.as_ref();
    let related = related.map(|(place, label)| (source(place), *label));
    if let Some(((file, line), label)) = &related {
        group = group.element(line.snippet(file, AnnotationKind::Context, label));
    }
    group = group.element(Level::HELP.message(found.kind.help()));
    let mending = found.fix.map(mending);
    if let Some(mending) = &mending {
        group = group.element(Level::HELP.message(mending.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// What --fix does.
fn mending(fix: &Fix) -> String {
    let edits = fix.edits();
    let [edit] = edits else {
        return format!("--fix mends this in {} places", edits.len());
    };
    let replacement = String::from_utf8_lossy(edit.replacement());
    if replacement.len() > SHOWN {
        return "--fix mends this".to_owned();
    }
    match (edit.span().is_empty(), replacement.is_empty()) {
        (_, true) => "--fix takes it out".to_owned(),
        (true, _) => format!("--fix puts in `{}`", printable(&replacement)),
        _ => format!("--fix writes `{}`", printable(&replacement)),
    }
}
