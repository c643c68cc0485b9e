//! Findings as a compiler shows them.

use super::FindingWriter;
use super::linted::LintedInput;
use crate::source_line::SourceLine;
use crate::terminal::{counted, cut_list, line_list, max_listed, printable};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use anyhow::Result;
use robots_answers::lint::CauseFinding;
use robots_lint::{Fix, Location, Severity};
use std::io::Write;

/// The maximum length of a replacement that is shown, in bytes.
const MAX_REPLACEMENT: usize = 60;

/// A writer of findings as text: each with its line of the file, the help, and the effect of the fix.
///
/// Findings with one cause are one.
pub(super) struct Snippets<'o> {
    pub(super) out: &'o mut dyn Write,
    /// The number of causes.
    pub(super) causes: u64,
}

impl FindingWriter for Snippets<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        let name = printable(input.name());
        let causes = input.linted.causes();
        self.causes += causes.count;
        for cause in &causes.shown {
            writeln!(self.out, "{}\n", rendered(&name, cause))?;
        }
        if causes.hidden > 0 {
            writeln!(
                self.out,
                "{name}: and {} of the same kinds\n",
                counted(causes.hidden, "more finding")
            )?;
        }
        Ok(())
    }

    fn causes(&self) -> Option<u64> {
        Some(self.causes)
    }
}

fn rendered(name: &str, cause: &CauseFinding<'_>) -> String {
    let found = &cause.first;
    let level = match found.kind.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let message = printable(&found.message);
    let headers = format!("{name} (headers)");
    let source = |location: &Location<'_>| {
        let file = if location.is_header { &headers } else { name };
        (
            file,
            SourceLine::new(location.line, &location.text, &location.part),
        )
    };
    let (file, line) = source(&found.location);
    let mut group: Group<'_> = level
        .primary_title(message.as_ref())
        .id(found.kind.code())
        .element(line.snippet(file, AnnotationKind::Primary, ""));
    let related = found.related.as_ref();
    let related = related.map(|(location, label)| (source(location), *label));
    if let Some(((file, line), label)) = &related {
        group = group.element(line.snippet(file, AnnotationKind::Context, label));
    }
    let others = others(cause);
    if let Some(others) = &others {
        group = group.element(Level::NOTE.message(others.as_str()));
    }
    group = group.element(Level::HELP.message(found.kind.help()));
    let effect = found.fix.map(effect_of);
    if let Some(effect) = &effect {
        group = group.element(Level::HELP.message(effect.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// Returns the other robots, or else the other lines, with the cause of a finding; `None` if there is none.
fn others(cause: &CauseFinding<'_>) -> Option<String> {
    if let [_, others @ ..] = &cause.robots[..]
        && !others.is_empty()
    {
        let number = counted(others.len() as u64, "more robot");
        let names = cut_list(others).join(", ");
        return Some(printable(&format!("also {number}: {names}")).into_owned());
    }
    let hint = if cause.lines.len() > max_listed() {
        " (--verbose)"
    } else {
        ""
    };
    (!cause.lines.is_empty()).then(|| format!("also in {}{hint}", line_list(&cause.lines)))
}

/// Describes what `--fix` does.
fn effect_of(fix: &Fix) -> String {
    let mut edits = fix.edits();
    let changes = edits.len();
    let Some(edit) = edits.next().filter(|_| changes == 1) else {
        return format!("--fix makes {changes} changes");
    };
    let replacement = String::from_utf8_lossy(edit.replacement());
    if replacement.len() > MAX_REPLACEMENT {
        return "--fix replaces the text".to_owned();
    }
    match (edit.span().is_empty(), replacement.is_empty()) {
        (_, true) => "--fix removes the text".to_owned(),
        (true, _) => format!("--fix inserts `{}`", printable(&replacement)),
        _ => format!("--fix replaces the text with `{}`", printable(&replacement)),
    }
}
