//! What was found in a file, in the form that every report takes.

use super::Asked;
use super::input::RobotsInput;
use super::kind::Kind;
use super::page::PageFindings;
use robots_txt::{Diagnostic, DiagnosticKind, Fix, Lint, Linter, MAX_OF_A_KIND, RobotsTxt};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// A file that was linted.
pub(super) struct Linted {
    /// The file that it is, or is in, as it was named; `-` is standard input.
    pub(super) file: Arc<str>,
    /// Its URL, if it is a response in an archive.
    pub(super) url: Option<String>,
    source: Source,
    /// The kinds that are asked for and there, and how often.
    pub(super) counts: Vec<(Kind, usize)>,
}

/// What the findings are about.
enum Source {
    Robots {
        robots: RobotsTxt,
        lint: Lint,
        /// All of the file; of a large one not all is linted.
        body: Vec<u8>,
        /// Whether it is a file of its own, as it stands on the disk.
        is_plain: bool,
    },
    Page(PageFindings),
}

/// Something odd.
pub(super) struct Found<'a> {
    pub(super) kind: Kind,
    pub(super) message: String,
    pub(super) place: Place<'a>,
    /// Another place that has to do with it, and what it is.
    pub(super) related: Option<(Place<'a>, &'static str)>,
    pub(super) fix: Option<&'a Fix>,
}

/// Where something stands.
#[derive(Debug, Clone)]
pub(super) struct Place<'a> {
    /// Whether it is a header line of the response, and no line of the body.
    pub(super) is_header: bool,
    /// From 1; of header lines, without the status line.
    pub(super) line: usize,
    /// In characters, from 1; where it ends, the one behind it.
    pub(super) column: usize,
    pub(super) end_column: usize,
    /// In bytes: in the body from 0, or in the header line.
    pub(super) offset: usize,
    pub(super) length: usize,
    /// The line in UTF-8, or what is near of it, and the part of it in bytes.
    pub(super) text: Cow<'a, [u8]>,
    pub(super) part: Range<usize>,
}

impl Linted {
    pub(super) fn of_robots(file: RobotsInput, linter: &Linter, asked: &Asked) -> Self {
        let robots = RobotsTxt::parse(&file.body);
        let lint = linter.lint(&robots);
        let counts = lint
            .counts()
            .map(|(kind, count)| (Kind::Robots(kind), count))
            .filter(|(kind, _)| asked.has(*kind))
            .collect();
        Self {
            file: file.file,
            url: file.url,
            source: Source::Robots {
                robots,
                lint,
                body: file.body,
                is_plain: file.is_plain,
            },
            counts,
        }
    }

    pub(super) fn of_page(
        file: Arc<str>,
        url: Option<String>,
        mut findings: PageFindings,
        asked: &Asked,
    ) -> Self {
        let mut counts: Vec<(Kind, usize)> = Vec::new();
        findings.retain(|kind| {
            let kind = Kind::Page(kind);
            if !asked.has(kind) {
                return false;
            }
            if let Some((_, count)) = counts.iter_mut().find(|(known, _)| *known == kind) {
                *count = count.saturating_add(1);
                return *count <= MAX_OF_A_KIND;
            }
            counts.push((kind, 1));
            true
        });
        Self {
            file,
            url,
            source: Source::Page(findings),
            counts,
        }
    }

    /// What it is called.
    pub(super) fn name(&self) -> &str {
        self.url.as_deref().unwrap_or(&self.file)
    }

    /// How many findings are told.
    pub(super) fn findings(&self) -> u64 {
        match &self.source {
            Source::Robots { .. } => self.diagnostics().count() as u64,
            Source::Page(findings) => findings.kinds().count() as u64,
        }
    }

    /// How many more there are, beyond the limit for a kind.
    pub(super) fn left_out(&self) -> u64 {
        let all = self.counts.iter().map(|(_, count)| *count as u64);
        all.fold(0, u64::saturating_add)
            .saturating_sub(self.findings())
    }

    fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let lint = match &self.source {
            Source::Robots { lint, .. } => Some(lint),
            Source::Page(_) => None,
        };
        lint.into_iter()
            .flat_map(Lint::iter)
            .filter(|found| self.is_asked_for(found.kind()))
    }

    fn is_asked_for(&self, kind: DiagnosticKind) -> bool {
        let mut kinds = self.counts.iter().map(|(kind, _)| *kind);
        kinds.any(|asked| asked == Kind::Robots(kind))
    }

    /// Every finding, in order.
    pub(super) fn found(&self) -> Vec<Found<'_>> {
        match &self.source {
            Source::Robots { robots, .. } => self
                .diagnostics()
                .map(|found| of_diagnostic(robots, found))
                .collect(),
            Source::Page(findings) => findings.found(),
        }
    }

    /// The body of a robots.txt, the fixes for it, and whether it is a file of its own that can be
    /// written anew; `None` of a page.
    pub(super) fn to_mend(&self) -> Option<(&[u8], Vec<&Fix>, bool)> {
        match &self.source {
            Source::Robots { body, is_plain, .. } => {
                let fixes = self.diagnostics().filter_map(Diagnostic::fix).collect();
                Some((body, fixes, *is_plain))
            }
            Source::Page(_) => None,
        }
    }
}

fn of_diagnostic<'a>(robots: &'a RobotsTxt, found: &'a Diagnostic) -> Found<'a> {
    let kind = found.kind();
    let related = found.related().map(|number| {
        let place = place_in(robots, number, None);
        (place, label(kind))
    });
    Found {
        kind: Kind::Robots(kind),
        message: found.message(),
        place: place_in(robots, found.line(), Some(found.span())),
        related,
        fix: found.fix(),
    }
}

/// A part of a line of the file; without one, all of the line but the white space around it.
fn place_in(robots: &RobotsTxt, line: usize, span: Option<Range<usize>>) -> Place<'_> {
    let text = robots.line_text(line).unwrap_or_default();
    let start = text.as_ptr().addr();
    let start = start.saturating_sub(robots.body().as_ptr().addr());
    let span = span.unwrap_or_else(|| {
        let trimmed = text.trim_ascii_end();
        let indent = trimmed
            .len()
            .saturating_sub(trimmed.trim_ascii_start().len());
        start.saturating_add(indent)..start.saturating_add(trimmed.len())
    });
    let column = |offset: usize| {
        let before = robots.body().get(start..offset).unwrap_or_default();
        let characters = String::from_utf8_lossy(before).chars().count();
        characters.saturating_add(1)
    };
    Place {
        is_header: false,
        line,
        column: column(span.start),
        end_column: column(span.end),
        offset: span.start,
        length: span.len(),
        text: Cow::Borrowed(text),
        part: span.start.saturating_sub(start)..span.end.saturating_sub(start),
    }
}

/// What the other line is to a finding.
fn label(kind: DiagnosticKind) -> &'static str {
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
