//! Findings for people, as a compiler shows them.

use super::{Findings, Report};
use crate::source_line::SourceLine;
use crate::terminal::printable;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer};
use anyhow::Result;
use robots_txt::{Diagnostic, DiagnosticKind, RobotsTxt, Severity};
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
    fn add(&mut self, findings: &Findings<'_>) -> Result<()> {
        let name = printable(findings.file.name());
        for found in &findings.found {
            writeln!(self.out, "{}\n", rendered(&name, findings.robots, found))?;
        }
        if findings.left_out > 0 {
            let more = findings.left_out;
            writeln!(self.out, "{name}: and {more} more of the same kinds\n")?;
        }
        Ok(())
    }
}

fn rendered(name: &str, robots: &RobotsTxt, found: &Diagnostic) -> String {
    let kind = found.kind();
    let level = match found.severity() {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        _ => Level::NOTE,
    };
    let message = found.message();
    let message = printable(&message);
    let line = line_of(robots, found.line(), Some(found));
    let mut group: Group<'_> = level
        .primary_title(message.as_ref())
        .id(kind.code())
        .element(line.snippet(name, AnnotationKind::Primary, ""));
    let related = found.related().map(|number| line_of(robots, number, None));
    if let Some(related) = &related {
        group = group.element(related.snippet(name, AnnotationKind::Context, label(kind)));
    }
    group = group.element(Level::HELP.message(kind.help()));
    let mending = mending(robots, found);
    if let Some(mending) = &mending {
        group = group.element(Level::HELP.message(mending.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// A line of the file; the part that a finding is about is marked, or all of it.
fn line_of(robots: &RobotsTxt, number: usize, found: Option<&Diagnostic>) -> SourceLine {
    let line = robots.line_text(number).unwrap_or_default();
    let part = if let Some(found) = found {
        let start = line.as_ptr().addr();
        let start = start.saturating_sub(robots.body().as_ptr().addr());
        let span = found.span();
        span.start.saturating_sub(start)..span.end.saturating_sub(start)
    } else {
        let text = line.trim_ascii_end();
        let start = text.len().saturating_sub(text.trim_ascii_start().len());
        start..text.len()
    };
    SourceLine::new(number, line, &part)
}

/// What the other line is to a finding.
pub(super) fn label(kind: DiagnosticKind) -> &'static str {
    match kind {
        DiagnosticKind::RepeatedAgent => "named here before",
        DiagnosticKind::DuplicateRule => "said here before",
        DiagnosticKind::ShadowedRule => "this comes first",
        DiagnosticKind::HidesEveryone | DiagnosticKind::TrainerAllowed => "said to `*` here",
        DiagnosticKind::RunOnGroup => "this ends no group",
        DiagnosticKind::BlankInGroup => "this belongs to the group",
        _ => "this has to do with it",
    }
}

/// What --fix does.
fn mending(robots: &RobotsTxt, found: &Diagnostic) -> Option<String> {
    let edits = found.fix()?.edits();
    let [edit] = edits else {
        return Some(format!("--fix mends this in {} places", edits.len()));
    };
    let replacement = String::from_utf8_lossy(edit.replacement());
    let old = robots.body().get(edit.span()).unwrap_or_default();
    if replacement.len() > SHOWN {
        return Some("--fix mends this".to_owned());
    }
    Some(match (old.is_empty(), replacement.is_empty()) {
        (_, true) => "--fix takes it out".to_owned(),
        (true, _) => format!("--fix puts in `{}`", printable(&replacement)),
        _ => format!("--fix writes `{}`", printable(&replacement)),
    })
}
