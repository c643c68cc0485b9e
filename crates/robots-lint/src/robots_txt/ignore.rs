//! Comments that ignore findings (`# robots: ignore R037 -- the reason`), and the collector that obeys them.
//!
//! crates/robots-lint/lints.md describes them. Time and memory are linear in the file.

use super::cause;
use super::finding::{Finding, Findings};
use crate::catalogue::FindingKind;
use crate::collector::{self, Counts};
use crate::shorten::shortened;
use memchr::memchr_iter;
use robots_txt::RobotsTxt;
use robots_txt::parse::{Line, LineFacts, LineKind};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The maximum number of kinds that the comments of a file ignore: the codes of all comments together. A comment beyond it is
/// a finding ([`InvalidIgnore`](FindingKind::InvalidIgnore)), and has no effect.
pub const MAX_IGNORED_KINDS: usize = 10_000;

/// The words with which such a comment begins.
const WORDS: [&[u8]; 2] = [b"robots:", b"ignore"];

/// Separates the codes from the reason.
const REASON: &str = "--";

/// Returns a comment that ignores findings of a kind in its line and in the next directive: `# robots: ignore R037 -- reason`.
/// `None` if comments cannot ignore the kind: it is about pages or about such comments.
///
/// ```
/// use robots_lint::FindingKind;
/// use robots_lint::robots_txt::ignore_comment;
///
/// let comment = ignore_comment(FindingKind::ShadowedRule, "the shop may come back");
/// assert_eq!(comment.as_deref(), Some("# robots: ignore R037 -- the shop may come back"));
/// assert_eq!(ignore_comment(FindingKind::UnusedIgnore, "why"), None);
/// ```
pub fn ignore_comment(kind: FindingKind, reason: &str) -> Option<String> {
    let comment = format!("# robots: ignore {} {REASON} {reason}", kind.code());
    let rest = comment_at(comment.as_bytes(), 0)?;
    kinds_of(&String::from_utf8_lossy(rest)).ok()?;
    Some(comment)
}

/// The kinds that comments ignore, with the lines to which they apply.
#[derive(Debug, Default)]
pub(super) struct IgnoreComments {
    /// An index in `codes` for each line and kind.
    by_line: BTreeMap<(usize, FindingKind), usize>,
    codes: Vec<IgnoredCode>,
    /// The findings on comments that are not valid.
    invalid: Vec<Finding>,
}

/// A code of a comment.
#[derive(Debug)]
struct IgnoredCode {
    kind: FindingKind,
    /// The 1-based line of the comment.
    line: usize,
    /// The bytes of the comment.
    span: Range<usize>,
    is_used: bool,
}

/// A comment that ignores findings.
struct Comment<'a> {
    /// The position in its line, in bytes.
    span: Range<usize>,
    /// The text after the words.
    rest: &'a [u8],
}

impl IgnoreComments {
    /// Reads the comments of a file.
    pub(super) fn read(robots: &RobotsTxt) -> Self {
        let mut ignored = Self::default();
        let body = robots.body();
        // Few files have such a comment, and the lines of the others are not read.
        if !memchr_iter(b'#', body).any(|at| comment_at(body, at).is_some()) {
            return ignored;
        }
        // The codes of the comments before the next line that they apply to.
        let mut pending: Vec<usize> = Vec::new();
        for line in robots.lines() {
            let comment = if line.facts().contains(LineFacts::COMMENT) {
                comment_in(line.bytes())
            } else {
                None
            };
            let first = ignored.codes.len();
            if let Some(comment) = comment {
                ignored.add(&line, &comment);
            }
            let of_line = first..ignored.codes.len();
            match line.kind() {
                LineKind::Comment => pending.extend(of_line.clone()),
                LineKind::Blank => {}
                _ => {
                    for index in pending.drain(..) {
                        ignored.apply_to(line.number(), index);
                    }
                }
            }
            for index in of_line {
                ignored.apply_to(line.number(), index);
            }
        }
        ignored
    }

    /// Adds the codes of a comment, or a finding if it is not valid.
    fn add(&mut self, line: &Line<'_>, comment: &Comment<'_>) {
        let start = line.offset() + comment.span.start;
        let span = start..start + comment.span.len();
        let kinds = kinds_of(&String::from_utf8_lossy(comment.rest)).and_then(|kinds| {
            if self.codes.len() + kinds.len() <= MAX_IGNORED_KINDS {
                Ok(kinds)
            } else {
                Err(format!(
                    "comments of a file ignore up to {MAX_IGNORED_KINDS} codes"
                ))
            }
        });
        match kinds {
            Ok(kinds) => self.codes.extend(kinds.into_iter().map(|kind| IgnoredCode {
                kind,
                line: line.number(),
                span: span.clone(),
                is_used: false,
            })),
            Err(detail) => {
                let finding = Finding::new(FindingKind::InvalidIgnore, line.number(), span);
                self.invalid.push(finding.with_detail(detail));
            }
        }
    }

    /// Applies a code to a line. Of two comments with one code, the first is used.
    fn apply_to(&mut self, line: usize, index: usize) {
        let Some(code) = self.codes.get(index) else {
            return;
        };
        if let Entry::Vacant(entry) = self.by_line.entry((line, code.kind)) {
            entry.insert(index);
        }
    }

    /// Returns whether a comment ignores a kind in a line, and notes that the comment is used.
    pub(super) fn ignores(&mut self, kind: FindingKind, line: usize) -> bool {
        let index = self.by_line.get(&(line, kind));
        match index.and_then(|index| self.codes.get_mut(*index)) {
            Some(code) => {
                code.is_used = true;
                true
            }
            None => false,
        }
    }

    /// Returns the findings on the comments: those that are not valid, and those without effect.
    pub(super) fn into_findings(self) -> impl Iterator<Item = Finding> {
        let unused = self.codes.into_iter().filter(|code| !code.is_used);
        let unused = unused.map(|code| {
            Finding::new(FindingKind::UnusedIgnore, code.line, code.span).with_detail(format!(
                "{} {}",
                code.kind.code(),
                code.kind.name()
            ))
        });
        self.invalid.into_iter().chain(unused)
    }
}

/// A collector of findings on a robots.txt file, without those that its comments ignore, and without those that follow from
/// another one ([`cause`]).
pub(super) struct Collector {
    findings: collector::Collector<Finding>,
    comments: IgnoreComments,
    ignored: Counts,
    /// The causes in each line.
    causes: BTreeSet<(usize, FindingKind)>,
}

impl Collector {
    /// Creates a collector that keeps this number of findings of each kind.
    pub(super) fn new(limit: usize, comments: IgnoreComments) -> Self {
        Self {
            findings: collector::Collector::new(limit),
            comments,
            ignored: Counts::new(),
            causes: BTreeSet::new(),
        }
    }

    /// Notes that a cause explains a line: later findings that follow from it are left out.
    pub(super) fn explain(&mut self, line: usize, cause: FindingKind) {
        self.causes.insert((line, cause));
    }

    /// Returns whether a finding of a kind follows from a cause that explains the line.
    fn is_explained(&self, kind: FindingKind, line: usize) -> bool {
        cause::CAUSES
            .iter()
            .any(|cause| cause::follows(kind, *cause) && self.causes.contains(&(line, *cause)))
    }

    /// Counts a finding in this line, unless a comment ignores it or a cause explains it, and adds it if the limit of its kind
    /// allows. `complete` sets its details, and is not called otherwise.
    pub(super) fn add(
        &mut self,
        kind: FindingKind,
        line: usize,
        span: Range<usize>,
        complete: impl FnOnce(Finding) -> Finding,
    ) {
        if !self.causes.is_empty() && self.is_explained(kind, line) {
            return;
        }
        if cause::CAUSES.contains(&kind) {
            self.explain(line, kind);
        }
        if self.comments.ignores(kind, line) {
            let count = self.ignored.entry(kind).or_default();
            *count += 1;
        } else {
            self.findings
                .add(kind, || complete(Finding::new(kind, line, span)));
        }
    }

    /// Adds a finding on the value of a line, as [`add`](Self::add) does.
    pub(super) fn add_on_value(
        &mut self,
        kind: FindingKind,
        line: &Line<'_>,
        complete: impl FnOnce(Finding) -> Finding,
    ) {
        self.add(kind, line.number(), line.value_span(), complete);
    }

    /// Adds a finding that has only a kind and a span.
    pub(super) fn add_at(&mut self, kind: FindingKind, line: usize, span: Range<usize>) {
        self.add(kind, line, span, |finding| finding);
    }

    pub(super) fn finish(self) -> Findings {
        let Self {
            mut findings,
            comments,
            ignored,
            ..
        } = self;
        for finding in comments.into_findings() {
            findings.add(finding.kind(), || finding);
        }
        let (mut list, counts) = findings.into_parts();
        list.sort_by_key(|found| (found.line(), found.span().start, found.kind()));
        Findings {
            list,
            counts,
            ignored,
        }
    }
}

/// Returns the first comment of a line that ignores findings.
fn comment_in(line: &[u8]) -> Option<Comment<'_>> {
    let mut marks = memchr_iter(b'#', line);
    let (at, rest) = marks.find_map(|at| Some((at, comment_at(line, at)?)))?;
    Some(Comment {
        span: at..line.trim_ascii_end().len(),
        rest,
    })
}

/// Returns the text after the words of a comment that begins with the `#` at this position.
fn comment_at(text: &[u8], at: usize) -> Option<&[u8]> {
    let mut rest = text.get(at + 1..)?;
    for word in WORDS {
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let from = blanks.count();
        let (start, after) = rest.get(from..)?.split_at_checked(word.len())?;
        if !start.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = after;
    }
    // Another word may begin with these letters.
    let is_end = rest
        .first()
        .is_none_or(|byte| !byte.is_ascii_alphanumeric());
    is_end.then_some(rest)
}

/// Reads the codes and the reason. The error states what is missing.
fn kinds_of(text: &str) -> Result<Vec<FindingKind>, String> {
    let (codes, reason) = text.split_once(REASON).unwrap_or((text, ""));
    let mut kinds = Vec::new();
    for code in codes.split([',', ' ', '\t']) {
        if code.is_empty() {
            continue;
        }
        let kind = FindingKind::by_code_or_name(code);
        let kind = kind.ok_or_else(|| format!("no code is `{}`", shortened(code)))?;
        match kind {
            FindingKind::UnusedIgnore | FindingKind::InvalidIgnore => {
                return Err(format!("a comment cannot ignore {}", kind.code()));
            }
            kind if !kind.is_about_robots_txt() => {
                return Err(format!("{} is about pages", kind.code()));
            }
            kind if !kinds.contains(&kind) => kinds.push(kind),
            _ => {}
        }
    }
    if kinds.is_empty() {
        return Err("it names no code".to_owned());
    }
    if reason.trim().is_empty() {
        return Err("it states no reason".to_owned());
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RobotsTxtLinter;
    use FindingKind::{InvalidIgnore, MisspeltField, NoSlash, UnusedIgnore};

    /// Returns the lines and kinds of the findings of a file, and the number of ignored findings.
    fn lint(body: &str) -> (Vec<(usize, FindingKind)>, usize) {
        let findings = RobotsTxtLinter::new().lint(&RobotsTxt::parse(body.as_bytes()));
        let found = findings.iter().map(|found| (found.line(), found.kind()));
        let ignored = findings.ignored().map(|(_, count)| count).sum();
        (found.collect(), ignored)
    }

    #[test]
    fn a_comment_applies_to_its_line_or_to_the_next() {
        for body in [
            "User-agent: *\nDisalow: /a # robots: ignore R012 -- why\nDisallow: /b",
            "User-agent: *\nDisalow: /a # keep # robots: ignore R012 -- why\nDisallow: /b",
            "User-agent: *\n# robots: ignore R012 -- why\nDisalow: /a\nDisallow: /b",
            "User-agent: *\n#Robots:ignore misspelt-field,R012 -- why\n# more\n\nDisalow: /a\nDisallow: /b",
            "User-agent: *\r# robots: ignore\tR012 --why\rDisalow: /a\rDisallow: /b",
        ] {
            let (found, ignored) = lint(body);
            assert!(
                !found.iter().any(|(_, kind)| *kind == MisspeltField),
                "{body}"
            );
            assert_eq!(ignored, 1, "{body}");
        }
        // Two comments about one line, and one about two kinds.
        let rest = "Disalow: b";
        let two = "# robots: ignore R012 -- why\n# robots: ignore R030 -- why\n";
        assert_eq!(lint(&format!("User-agent: *\n{two}{rest}")), (vec![], 2));
        let one = "# robots: ignore R012, R030 -- why\n";
        assert_eq!(lint(&format!("User-agent: *\n{one}{rest}")), (vec![], 2));
        // The line after the next one is not concerned.
        let (found, ignored) = lint(&format!("User-agent: *\n{one}Disallow: /x\n{rest}"));
        assert_eq!(ignored, 0);
        let unused = [(2, UnusedIgnore), (2, UnusedIgnore)];
        assert_eq!(
            found,
            [&unused[..], &[(4, MisspeltField), (4, NoSlash)]].concat()
        );
        // A finding on the whole file is on line 1.
        assert_eq!(lint("# robots: ignore R003 -- no rules yet"), (vec![], 1));
    }

    #[test]
    fn invalid_comments_state_what_is_missing() {
        for (comment, detail) in [
            ("robots: ignore", "it names no code"),
            ("robots: ignore -- why", "it names no code"),
            ("robots: ignore R012", "it states no reason"),
            ("robots: ignore R012 -- ", "it states no reason"),
            ("robots: ignore R0312 -- why", "no code is `R0312`"),
            ("robots: ignore R01 -- why", "no code is `R01`"),
            ("robots: ignore M001 -- why", "M001 is about pages"),
            ("robots: ignore R070 -- why", "a comment cannot ignore R070"),
            ("robots: ignore: R012 -- why", "no code is `:`"),
        ] {
            let body = format!("User-agent: *\nDisallow: /a # {comment}\n");
            let robots = RobotsTxt::parse(body.as_bytes());
            let findings = RobotsTxtLinter::new().lint(&robots);
            let found: Vec<&Finding> = findings.iter().collect();
            let [found] = &found[..] else {
                panic!("{comment}: {found:?}");
            };
            assert_eq!((found.kind(), found.line()), (InvalidIgnore, 2));
            assert_eq!(found.detail(), Some(detail));
            let text = robots.body().get(found.span()).unwrap_or_default();
            assert_eq!(text, format!("# {comment}").trim_end().as_bytes());
        }
        for other in [
            "robots: ignored",
            "robots: noindex",
            "robotsignore",
            "ignore R012",
            "robots:",
        ] {
            let body = format!("User-agent: *\nDisallow: /a # {other}");
            assert_eq!(lint(&body), (vec![], 0), "{other}");
        }
    }

    #[test]
    fn the_number_of_codes_is_limited() {
        let lines = |count: usize| {
            let line = "Disalow: /a # robots: ignore R012 -- why\n";
            format!("User-agent: *\n{}", line.repeat(count))
        };
        let count_of = |count: usize| {
            let (found, ignored) = lint(&lines(count));
            let invalid = found.iter().filter(|(_, kind)| *kind == InvalidIgnore);
            (ignored, invalid.count())
        };
        assert_eq!(count_of(MAX_IGNORED_KINDS - 1), (MAX_IGNORED_KINDS - 1, 0));
        assert_eq!(count_of(MAX_IGNORED_KINDS), (MAX_IGNORED_KINDS, 0));
        assert_eq!(count_of(MAX_IGNORED_KINDS + 1), (MAX_IGNORED_KINDS, 1));
    }
}
