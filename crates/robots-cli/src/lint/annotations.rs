//! Findings as one line each, and as a Code Quality report.

use super::FindingWriter;
use super::linted::LintedInput;
use anyhow::Result;
use robots_lint::report::annotation::Annotation;
use robots_lint::report::gitlab::CodeQuality;
use std::io::{self, Write};

/// A writer of findings as lines, each of which `write` writes.
pub(super) struct AnnotationLines<'o> {
    out: &'o mut dyn Write,
    write: fn(&mut dyn Write, &Annotation<'_>) -> io::Result<()>,
}

impl<'o> AnnotationLines<'o> {
    pub(super) fn new(
        out: &'o mut dyn Write,
        write: fn(&mut dyn Write, &Annotation<'_>) -> io::Result<()>,
    ) -> Self {
        Self { out, write }
    }
}

impl FindingWriter for AnnotationLines<'_> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for found in input.linted.findings() {
            (self.write)(self.out, &Annotation::of_finding(input.name(), &found))?;
        }
        Ok(())
    }
}

// `self.add` and `self.end` call the report's own methods of these names: Rust prefers them to those of the trait.
impl<W: Write> FindingWriter for CodeQuality<W> {
    fn add(&mut self, input: &LintedInput) -> Result<()> {
        for found in input.linted.findings() {
            self.add(&Annotation::of_finding(input.name(), &found))?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.end()?;
        Ok(())
    }
}
