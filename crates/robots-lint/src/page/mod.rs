//! Findings on pages and their headers.
//!
//! Each list of directives is examined alone (`lists`), with the parts that HTML does not read (`lost`); then METAs and headers that
//! no engine reads (`unread`), preferences about AI (`preferences`), and the page as a whole (`whole`): its lists
//! next to each other, its canonical link, the robots.txt that applies to it, and elements with `data-nosnippet`. `location`
//! finds lines and columns.
//! Linear in the page and its headers.

mod input;
mod lists;
mod location;
mod lost;
mod preferences;
mod unread;
mod whole;

pub use input::{PageInput, header_text};
pub use unread::{departures, unsupported_meta};
pub use whole::{RobotsInForce, denial, other_page};

use crate::catalogue::FindingKind;
use crate::collector::{self, Counts, MAX_PER_KIND};
use crate::report::LocatedFinding;
use lists::Statements;
use location::Spot;
use robots_meta::{HeadOptions, PageFacts, Timestamp};
use std::fmt;

/// A linter of pages and their headers.
///
/// ```
/// use robots_lint::{PageInput, PageLinter};
/// use robots_meta::Timestamp;
///
/// let now = Timestamp::from_seconds(1_790_000_000);
/// let page = PageInput::new("<meta name=robots content='noindex, nofolow'>");
/// let linted = PageLinter::new(&["robots", "googlebot"]).lint(page, now);
/// let findings = linted.findings();
/// assert_eq!(findings[0].kind.code(), "M013");
/// assert_eq!((findings[0].location.line, findings[0].location.column), (1, 37));
/// ```
#[derive(Clone, Copy)]
pub struct PageLinter<'a> {
    names: &'a [&'a str],
    robots: Option<&'a dyn RobotsInForce>,
}

impl fmt::Debug for PageLinter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PageLinter")
            .field("names", &self.names)
            .finish_non_exhaustive()
    }
}

impl<'a> PageLinter<'a> {
    /// Creates a linter for METAs with these names, such as `robots` and `googlebot`.
    pub fn new(names: &'a [&'a str]) -> Self {
        Self {
            names,
            robots: None,
        }
    }

    /// Adds the robots.txt files in force, for findings on directives that they hide.
    #[must_use]
    pub fn with_robots(self, robots: &'a dyn RobotsInForce) -> Self {
        Self {
            robots: Some(robots),
            ..self
        }
    }

    /// Lints a page. Dates before `now` have passed; without it, none has.
    pub fn lint(&self, page: PageInput, now: impl Into<Option<Timestamp>>) -> LintedPage {
        let facts = HeadOptions::new()
            .with_charset(page.charset().unwrap_or_default())
            .read_document(page.html());
        let mut collector = Collector::new(MAX_PER_KIND);
        lists::examine(&page, &facts, self.names, &mut collector);
        self.examine_whole(&page, &facts, now.into(), &mut collector);
        let (mut findings, counts) = collector.into_parts();
        findings.sort_by_key(|found| found.spot.order());
        LintedPage {
            encoding: facts.encoding(),
            page,
            findings,
            counts,
        }
    }

    fn examine_whole(
        &self,
        page: &PageInput,
        facts: &PageFacts,
        now: Option<Timestamp>,
        findings: &mut Collector,
    ) {
        let statements = Statements::of(page, facts, self.names);
        unread::metas(facts, self.names, findings);
        unread::headers(page, findings);
        preferences::examine(page, facts, findings);
        whole::disagreements(&statements, findings);
        whole::passed_dates(&statements, now, findings);
        whole::noarchive(&statements, findings);
        let canonical = whole::canonical_elsewhere(page, facts);
        whole::noindex_and_canonical(canonical.as_ref(), &statements, findings);
        if let Some(robots) = self.robots {
            whole::hidden(page, canonical.as_ref(), &statements, robots, findings);
        }
        whole::no_snippets(page, facts, findings);
    }
}

/// A finding, without its line and column.
#[derive(Debug, Clone)]
struct PageFinding {
    kind: FindingKind,
    /// The part of the message that differs between findings of a kind.
    detail: Option<String>,
    spot: Spot,
    /// Another span that concerns the finding, and its label.
    related: Option<(Spot, &'static str)>,
}

impl PageFinding {
    fn new(kind: FindingKind, spot: Spot) -> Self {
        Self {
            kind,
            detail: None,
            spot,
            related: None,
        }
    }

    fn with_detail(self, detail: String) -> Self {
        Self {
            detail: Some(detail),
            ..self
        }
    }

    fn with_related(self, spot: Spot, label: &'static str) -> Self {
        Self {
            related: Some((spot, label)),
            ..self
        }
    }
}

/// A collector of findings on a page.
type Collector = collector::Collector<PageFinding>;

impl Collector {
    /// Adds a finding that is built already. Where building costs, use [`add`](collector::Collector::add).
    fn push(&mut self, finding: PageFinding) {
        self.add(finding.kind, || finding);
    }
}

/// A page with its findings. Findings in headers come first, then those in the page, in order.
#[derive(Debug, Clone)]
pub struct LintedPage {
    page: PageInput,
    encoding: &'static str,
    /// Up to [`MAX_PER_KIND`] of each kind.
    findings: Vec<PageFinding>,
    counts: Counts,
}

impl LintedPage {
    /// Keeps the findings of the kinds for which `keep` returns true.
    pub fn retain(&mut self, mut keep: impl FnMut(FindingKind) -> bool) {
        self.counts.retain(|kind, _| keep(*kind));
        let counts = &self.counts;
        self.findings
            .retain(|found| counts.contains_key(&found.kind));
    }

    /// Returns the kinds that occur with their numbers of findings, including those beyond [`MAX_PER_KIND`].
    pub fn counts(&self) -> impl Iterator<Item = (FindingKind, usize)> {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// Returns the URL of the page.
    pub fn url(&self) -> Option<&str> {
        self.page.url()
    }

    /// Returns the number of findings that are kept.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    /// Returns whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }

    /// Returns the findings with their lines and columns. Linear in the page.
    pub fn findings(&self) -> Vec<LocatedFinding<'_>> {
        location::locate(&self.page, self.encoding, &self.findings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Location;
    use proptest::prelude::*;

    fn lint(page: PageInput) -> LintedPage {
        let now = Timestamp::from_seconds(1_790_000_000);
        PageLinter::new(&["robots"]).lint(page, now)
    }

    #[test]
    fn findings_of_one_kind_are_limited_and_counted() {
        let unknown = |metas: usize| {
            let page = PageInput::new("<meta name=robots content='x:y, z:y'>".repeat(metas));
            let mut linted = lint(page);
            let counts: Vec<_> = linted.counts().collect();
            assert_eq!(counts, [(FindingKind::UnknownDirective, 2 * metas)]);
            let kept = linted.len();
            linted.retain(|kind| kind != FindingKind::UnknownDirective);
            assert!(linted.is_empty() && linted.counts().next().is_none());
            kept
        };
        assert_eq!(unknown(MAX_PER_KIND / 2 - 1), MAX_PER_KIND - 2);
        assert_eq!(unknown(MAX_PER_KIND / 2), MAX_PER_KIND);
        assert_eq!(unknown(MAX_PER_KIND / 2 + 1), MAX_PER_KIND);
    }

    #[test]
    fn texts_of_long_header_lines_begin_and_end_with_whole_characters() {
        // Three bytes a character: of each three lengths in a row, two would cut one.
        for padding in 0..3 {
            let long = "\u{20ac}".repeat(1_000);
            let spaces = " ".repeat(padding);
            let value = format!("x:{long}{spaces}, nowhere:y, {spaces}x:{long}");
            let page = PageInput::new("").with_headers([("X-Robots-Tag", value.as_bytes())]);
            let linted = lint(page);
            let findings = linted.findings();
            assert!(!findings.is_empty());
            for found in &findings {
                let text = str::from_utf8(&found.location.text).unwrap();
                assert!(text.get(found.location.part.clone()).is_some());
            }
        }
    }

    #[test]
    fn places_are_those_of_the_directives() {
        let list = "noarchive, x:y, unavailable_after: 2020-01-01";
        let in_page = PageInput::new(format!("<meta name=robots content='\u{e9}, {list}'>"))
            .with_charset("utf-8");
        let header = [("x-robots-tag", format!("\u{e9}b: all, {list}"))];
        let in_header = PageInput::new("").with_headers(header);
        for linted in [lint(in_page), lint(in_header)] {
            let findings = linted.findings();
            assert!(findings.len() >= 3);
            for found in findings {
                let Location { text, part, .. } = &found.location;
                let shown = std::str::from_utf8(text.get(part.clone()).unwrap()).unwrap();
                let before = std::str::from_utf8(text.get(..part.start).unwrap()).unwrap();
                let column = before.chars().count() + 1;
                assert_eq!(found.location.column, column, "{shown}");
                let end = column + shown.chars().count();
                assert_eq!(found.location.end_column, end, "{shown}");
                assert_eq!(found.location.length, shown.len(), "{shown}");
            }
        }
    }

    #[test]
    fn invisible_characters_are_found_in_lists() {
        let found = |linted: LintedPage| -> Vec<(&str, usize, usize)> {
            let found = linted.findings().into_iter();
            found
                .map(|found| {
                    (
                        found.kind.code(),
                        found.location.offset,
                        found.location.length,
                    )
                })
                .collect()
        };
        // Three invisible characters: only the first of a list is reported.
        let list = "noindex\u{200b}, no\u{202e}follow, max-snippet: \u{2066}5";
        let meta = PageInput::new(format!("<meta name=robots content='{list}'>"));
        assert_eq!(found(lint(meta.with_charset("utf-8"))), [("M022", 34, 3)]);
        let header = PageInput::new("").with_headers([("x-robots-tag", list)]);
        assert_eq!(found(lint(header)), [("M022", 21, 3)]);
        // A character of a reference has no offset of its own: the finding is about the whole tag.
        let reference = "<meta name=robots content='noindex&#x2028;'>";
        assert_eq!(found(lint(PageInput::new(reference))), [("M022", 0, 44)]);
        let visible = "<meta name=robots content='noindex, nofollow'>";
        assert_eq!(found(lint(PageInput::new(visible))), []);
    }

    #[test]
    fn one_date_is_reported_for_each_robot_of_a_list() {
        let dates = |list: &str| {
            let header = [("X-Robots-Tag", list)];
            let linted = lint(PageInput::new("").with_headers(header));
            let mut counts = linted.counts();
            let dates = counts.find(|(kind, _)| *kind == FindingKind::DateHasPassed);
            dates.map_or(0, |(_, count)| count)
        };
        // The moment at which the page is linted, and the second before.
        assert_eq!(dates("unavailable_after: 2026-09-21T14:13:20Z"), 0);
        assert_eq!(dates("unavailable_after: 2026-09-21T14:13:19Z"), 1);
        let date = "unavailable_after: 2020-01-01";
        assert_eq!(dates("unavailable_after: 2999-01-01"), 0);
        assert_eq!(dates(&format!("{date}, {date}")), 1);
        assert_eq!(
            dates(&format!("a: {date}, {date}, b: {date}, a: {date}")),
            2
        );
    }

    proptest! {
        #[test]
        fn any_page_and_headers_are_linted(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<meta ", "name=robots ", "name='robot' ", "name=\u{201c}robots\u{201d} ", "content=", "content='",
                    "content=noindex, nofollow ", "tdm-reservation", "http-equiv=robots ", "noindex/nofollow", "'", "\"",
                    ">", " ", "=", "<span data-nosnippet>", "<div data-no-snippet>", "</div>", "<template>", "\u{e9}",
                    "googelbot: noindex", "\u{ff0c}", "<!--", "-->",
                ]),
                0..32,
            ),
            name in prop::sample::select(vec![
                "X-Robots-Tag", "X-Robots-Tags", "Robots", "Content-Usage", "Content-Signal", "tdm-reservation", "\u{e9}",
            ]),
            value in prop::collection::vec(
                prop::sample::select(vec![
                    &b"noindex"[..], b", ", b";", b" - ", b"/", b"train-ai=n", b"ai-train", b"=no", b"true", b"\xFF",
                    b"\xC3\xA9", b"googelbot: ", b"X-Robots-Tag: ", b"\"", b" ",
                ]),
                0..12,
            ),
        ) {
            let html = parts.concat();
            let page = PageInput::new(html.clone()).with_headers([(name, value.concat())]);
            for found in lint(page).findings() {
                let location = &found.location;
                let text = str::from_utf8(&location.text).unwrap();
                prop_assert!(text.get(location.part.clone()).is_some());
                prop_assert!(location.is_header || location.offset + location.length <= html.len());
            }
        }
    }
}
