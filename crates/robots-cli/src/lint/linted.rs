//! An input with its findings, in the form that every report takes.

use super::input::{InputPath, RobotsInput};
use robots_lint::catalogue::Selection;
use robots_lint::robots_txt::{locate, locate_edits};
use robots_lint::{
    Finding, FindingKind, Findings, Fix, LintedPage, LocatedEdit, LocatedFinding, RobotsTxtLinter,
};
use robots_txt::RobotsTxt;

/// An input with its findings.
pub(super) struct LintedInput {
    /// The input, or the archive that has it.
    pub(super) file: InputPath,
    /// The URL of a response in an archive, or of a page with `--base`.
    pub(super) url: Option<String>,
    is_in_archive: bool,
    source: LintedSource,
    /// The selected kinds that occur, each with its number of findings.
    pub(super) counts: Vec<(FindingKind, usize)>,
    /// The number of findings of the selected kinds that comments ignore.
    pub(super) ignored: u64,
}

enum LintedSource {
    RobotsTxt {
        robots: RobotsTxt,
        findings: Findings,
        /// The whole file; of a large file only the start is linted.
        body: Vec<u8>,
        /// Whether it is a file on the disk, neither compressed nor in an archive.
        is_rewritable: bool,
    },
    Page(LintedPage),
}

/// A robots.txt and the fixes for it.
pub(super) struct Fixable<'a> {
    pub(super) body: &'a [u8],
    pub(super) fixes: Vec<&'a Fix>,
    /// Whether it is a file on the disk, neither compressed nor in an archive.
    pub(super) is_rewritable: bool,
}

impl LintedInput {
    pub(super) fn of_robots(
        file: RobotsInput,
        linter: &RobotsTxtLinter,
        selection: &Selection,
    ) -> Self {
        let robots = RobotsTxt::parse(&file.body);
        let findings = linter.lint(&robots);
        let counts = findings
            .counts()
            .filter(|(kind, _)| selection.contains(*kind))
            .collect();
        let ignored = findings
            .ignored()
            .filter(|(kind, _)| selection.contains(*kind))
            .fold(0, |sum: u64, (_, count)| sum.saturating_add(count as u64));
        Self {
            file: file.file,
            is_in_archive: file.url.is_some(),
            url: file.url,
            ignored,
            source: LintedSource::RobotsTxt {
                robots,
                findings,
                body: file.body,
                is_rewritable: file.is_rewritable,
            },
            counts,
        }
    }

    pub(super) fn of_page(
        file: InputPath,
        is_in_archive: bool,
        mut page: LintedPage,
        selection: &Selection,
    ) -> Self {
        page.retain(|kind| selection.contains(kind));
        Self {
            file,
            is_in_archive,
            ignored: 0,
            url: page.url().map(str::to_owned),
            counts: page.counts().collect(),
            source: LintedSource::Page(page),
        }
    }

    /// Returns the name of the input: the URL of a response in an archive, or the file.
    pub(super) fn name(&self) -> &str {
        self.archived_url().unwrap_or(&self.file.text)
    }

    /// Returns the URL of a response in an archive.
    pub(super) fn archived_url(&self) -> Option<&str> {
        self.url.as_deref().filter(|_| self.is_in_archive)
    }

    /// Returns whether this is a file, not a response in an archive, that was linted as a robots.txt and is an HTML page.
    pub(super) fn is_page_file(&self) -> bool {
        let LintedSource::RobotsTxt { robots, .. } = &self.source else {
            return false;
        };
        self.url.is_none() && robots.looks_like_html()
    }

    /// Returns the number of findings in reports.
    pub(super) fn finding_count(&self) -> u64 {
        match &self.source {
            LintedSource::RobotsTxt { .. } => self.in_robots_txt().count() as u64,
            LintedSource::Page(page) => page.len() as u64,
        }
    }

    /// Returns the number of findings of a kind, with those that reports leave out.
    pub(super) fn count_of(&self, kind: FindingKind) -> usize {
        let mut counts = self.counts.iter();
        let found = counts.find(|(counted, _)| *counted == kind);
        found.map_or(0, |(_, count)| *count)
    }

    /// Returns the number of findings beyond the limit for a kind, which reports leave out.
    pub(super) fn left_out(&self) -> u64 {
        let all = self.counts.iter().map(|(_, count)| *count as u64);
        all.fold(0, u64::saturating_add)
            .saturating_sub(self.finding_count())
    }

    /// Returns the selected findings in a robots.txt; none for a page.
    fn in_robots_txt(&self) -> impl Iterator<Item = &Finding> {
        let findings = match &self.source {
            LintedSource::RobotsTxt { findings, .. } => Some(findings),
            LintedSource::Page(_) => None,
        };
        let findings = findings.into_iter().flat_map(Findings::iter);
        findings.filter(|finding| {
            let mut selected = self.counts.iter().map(|(kind, _)| *kind);
            selected.any(|kind| kind == finding.kind())
        })
    }

    /// Returns the findings with their lines and columns, in order.
    pub(super) fn findings(&self) -> Vec<LocatedFinding<'_>> {
        match &self.source {
            LintedSource::RobotsTxt { robots, .. } => self
                .in_robots_txt()
                .map(|finding| locate(robots, finding))
                .collect(),
            LintedSource::Page(page) => page.findings(),
        }
    }

    /// Returns the findings with their lines and columns and the edits of their fixes, in order.
    pub(super) fn findings_with_edits(&self) -> Vec<(LocatedFinding<'_>, Vec<LocatedEdit>)> {
        match &self.source {
            LintedSource::RobotsTxt { robots, .. } => self
                .in_robots_txt()
                .map(|finding| (locate(robots, finding), locate_edits(robots, finding)))
                .collect(),
            LintedSource::Page(page) => {
                let findings = page.findings().into_iter();
                findings.map(|finding| (finding, Vec::new())).collect()
            }
        }
    }

    /// Returns a robots.txt with the fixes for it; `None` for a page.
    pub(super) fn fixable(&self) -> Option<Fixable<'_>> {
        match &self.source {
            LintedSource::RobotsTxt {
                body,
                is_rewritable,
                ..
            } => Some(Fixable {
                body,
                fixes: self.in_robots_txt().filter_map(Finding::fix).collect(),
                is_rewritable: *is_rewritable,
            }),
            LintedSource::Page(_) => None,
        }
    }
}
