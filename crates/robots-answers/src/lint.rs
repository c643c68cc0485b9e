//! Findings in a robots.txt or a page, as far as they are selected.

use crate::json::add;
use robots_lint::catalogue::Selection;
use robots_lint::report::json::json_finding;
use robots_lint::robots_txt::{by_cause, locate, locate_edits};
use robots_lint::{
    Finding, FindingKind, Findings, LintedPage, LocatedEdit, LocatedFinding, MAX_PER_KIND,
};
use robots_txt::RobotsTxt;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap, HashSet};

/// A robots.txt or a page, with its selected findings.
#[derive(Debug)]
pub struct Linted {
    source: Source,
    /// The selected kinds that occur, each with its number of findings.
    counts: Vec<(FindingKind, usize)>,
    ignored: u64,
}

/// The findings on an input, those with one cause as one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Causes<'l> {
    /// The number of causes.
    pub count: u64,
    /// The first findings of causes, in order.
    pub shown: Vec<CauseFinding<'l>>,
    /// The number of findings whose causes are not shown.
    pub hidden: u64,
}

/// A finding that represents all with its cause.
#[derive(Debug)]
#[non_exhaustive]
pub struct CauseFinding<'l> {
    /// The first finding.
    pub first: LocatedFinding<'l>,
    /// The names of all robots that the findings are about, each once; empty if they are not about robots.
    pub robots: Vec<String>,
    /// The 1-based lines of the other findings.
    pub lines: BTreeSet<usize>,
}

impl<'l> From<LocatedFinding<'l>> for CauseFinding<'l> {
    fn from(first: LocatedFinding<'l>) -> Self {
        Self {
            first,
            robots: Vec::new(),
            lines: BTreeSet::new(),
        }
    }
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "a list of them is rarely long")]
enum Source {
    RobotsTxt {
        robots: RobotsTxt,
        findings: Findings,
    },
    Page(LintedPage),
}

impl Linted {
    /// Selects the findings of a robots.txt.
    pub fn of_robots_txt(robots: RobotsTxt, findings: Findings, selection: &Selection) -> Self {
        let counts = findings
            .counts()
            .filter(|(kind, _)| selection.contains(*kind))
            .collect();
        let ignored = findings
            .ignored()
            .filter(|(kind, _)| selection.contains(*kind))
            .map(|(_, count)| count as u64)
            .sum();
        Self {
            source: Source::RobotsTxt { robots, findings },
            counts,
            ignored,
        }
    }

    /// Selects the findings of a page.
    pub fn of_page(mut page: LintedPage, selection: &Selection) -> Self {
        page.retain(|kind| selection.contains(kind));
        Self {
            counts: page.counts().collect(),
            ignored: 0,
            source: Source::Page(page),
        }
    }

    /// Returns the robots.txt; `None` for a page.
    pub fn robots_txt(&self) -> Option<&RobotsTxt> {
        match &self.source {
            Source::RobotsTxt { robots, .. } => Some(robots),
            Source::Page(_) => None,
        }
    }

    /// Returns the selected kinds that occur, each with its number of findings, with those that are not listed.
    pub fn counts(&self) -> &[(FindingKind, usize)] {
        &self.counts
    }

    /// Returns the number of selected findings that comments ignore.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    /// Returns the number of findings that are listed.
    pub fn finding_count(&self) -> u64 {
        match &self.source {
            Source::RobotsTxt { .. } => self.in_robots_txt().count() as u64,
            Source::Page(page) => page.len() as u64,
        }
    }

    /// Returns the number of findings of a kind, with those that are not listed.
    pub fn count_of(&self, kind: FindingKind) -> usize {
        let mut counts = self.counts.iter();
        let found = counts.find(|(counted, _)| *counted == kind);
        found.map_or(0, |(_, count)| *count)
    }

    /// Returns the number of findings beyond the limit for a kind, which are not listed.
    pub fn left_out(&self) -> u64 {
        let all = self.counts.iter().map(|(_, count)| *count as u64);
        all.sum::<u64>() - self.finding_count()
    }

    /// Returns the selected findings in a robots.txt; none for a page.
    pub fn in_robots_txt(&self) -> impl Iterator<Item = &Finding> {
        let findings = match &self.source {
            Source::RobotsTxt { findings, .. } => Some(findings),
            Source::Page(_) => None,
        };
        let findings = findings.into_iter().flat_map(Findings::iter);
        findings.filter(|finding| {
            let mut selected = self.counts.iter().map(|(kind, _)| *kind);
            selected.any(|kind| kind == finding.kind())
        })
    }

    /// Returns the findings with their lines and columns, in order.
    pub fn findings(&self) -> Vec<LocatedFinding<'_>> {
        match &self.source {
            Source::RobotsTxt { robots, .. } => self
                .in_robots_txt()
                .map(|finding| locate(robots, finding))
                .collect(),
            Source::Page(page) => page.findings(),
        }
    }

    /// Returns the findings, those with one cause as one, up to [`MAX_PER_KIND`] of each kind. Others are only counted.
    pub fn causes(&self) -> Causes<'_> {
        let (robots, mut shared) = match &self.source {
            Source::RobotsTxt { robots, .. } => (robots, by_cause(self.in_robots_txt())),
            Source::Page(page) => {
                let findings = page.findings();
                return Causes {
                    count: findings.len() as u64,
                    hidden: self.left_out(),
                    shown: findings.into_iter().map(CauseFinding::from).collect(),
                };
            }
        };
        let count = shared.len() as u64 + self.left_out();
        let mut kinds: HashMap<FindingKind, usize> = HashMap::new();
        shared.retain(|cause| {
            let of_kind = kinds.entry(cause.first.kind()).or_default();
            *of_kind += 1;
            *of_kind <= MAX_PER_KIND
        });
        let listed: u64 = shared
            .iter()
            .map(|cause| 1 + cause.others.len() as u64)
            .sum();
        let all = self.counts.iter().map(|(_, count)| *count as u64);
        let shown = shared.into_iter().map(|cause| {
            let findings = || std::iter::once(cause.first).chain(cause.others.iter().copied());
            let spans = findings().flat_map(Finding::robots).cloned();
            let mut seen = HashSet::new();
            let names = spans.filter_map(|span| robots.body().get(span));
            let names = names.filter(|name| seen.insert(name.to_ascii_lowercase()));
            CauseFinding {
                robots: names
                    .map(|name| String::from_utf8_lossy(name).into_owned())
                    .collect(),
                lines: cause.others.iter().map(|other| other.line()).collect(),
                ..CauseFinding::from(locate(robots, cause.first))
            }
        });
        Causes {
            count,
            hidden: all.sum::<u64>() - listed,
            shown: shown.collect(),
        }
    }

    /// Returns the findings with their lines and columns and the edits of their fixes, in order.
    pub fn findings_with_edits(&self) -> Vec<(LocatedFinding<'_>, Vec<LocatedEdit>)> {
        match &self.source {
            Source::RobotsTxt { robots, .. } => self
                .in_robots_txt()
                .map(|finding| (locate(robots, finding), locate_edits(robots, finding)))
                .collect(),
            Source::Page(page) => {
                let findings = page.findings().into_iter();
                findings.map(|finding| (finding, Vec::new())).collect()
            }
        }
    }

    /// Returns a finding of this input as a JSON object. `file` is the name of the input, and `url` that of a page or of a
    /// response in an archive.
    pub fn answer(&self, file: &str, url: Option<&str>, found: &LocatedFinding<'_>) -> Value {
        let mut answer = json!({"file": file, "url": url});
        add(&mut answer, json_finding(found, self.count_of(found.kind)));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_lint::{RobotsTxtLinter, Severity};

    #[test]
    fn only_selected_findings_are_listed_and_counted() {
        let robots =
            || RobotsTxt::parse(b"Disalow: /a\nUser-agent: *\nDisallow: /b\nCrawl-dela: 1\n");
        let all = Selection::of_level(Severity::Note);
        let linter = RobotsTxtLinter::new();
        let linted = Linted::of_robots_txt(robots(), linter.lint(&robots()), &all);
        let kinds: Vec<FindingKind> = linted.findings().iter().map(|found| found.kind).collect();
        assert!(kinds.len() > 1, "{kinds:?}");
        assert_eq!(linted.finding_count(), kinds.len() as u64);
        assert_eq!(linted.left_out(), 0);

        let without = Selection::of_level(Severity::Note).without(vec![kinds[0]]);
        let rest = Linted::of_robots_txt(robots(), linter.lint(&robots()), &without);
        assert!(rest.findings().iter().all(|found| found.kind != kinds[0]));
        assert_eq!(rest.count_of(kinds[0]), 0);
        let findings = rest.findings();
        let answer = rest.answer("robots.txt", None, &findings[0]);
        assert_eq!(answer["file"], "robots.txt");
        assert_eq!(answer["findings_of_kind"], 1);
    }
}
