//! What a body has that its author cannot have meant: facts for people, never errors.
//!
//! A body becomes [`Diagnostic`]s: [`kind`] says what there is to find, the other files find it, in
//! the bytes ([`lines`]), in the groups ([`groups`]), in the rules of a group ([`rules`]) and in
//! what else it says ([`values`]). Some come with a [`Fix`].
//!
//! Groups and fields are read as Google reads them, who takes most for what was meant: then one
//! mistake is told once. Rules are weighed as RFC 9309 does. Linear in the body, but for groups with rules
//! of which their texts do not tell that they decide: there patterns are compared with each other, up to 2^30 bytes,
//! and of the rules behind that it is not told whether they decide.

mod fix;
mod groups;
mod kind;
mod lines;
mod rules;
mod values;

pub use fix::{Edit, Fix, fixed};
pub use kind::{DiagnosticKind, Severity};

use crate::parse::document::RobotsTxt;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

/// How many diagnostics of one kind are given for a body; the rest is counted.
pub const MAX_OF_A_KIND: usize = 100;

/// One odd thing, and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    kind: DiagnosticKind,
    line: usize,
    span: Range<usize>,
    detail: Option<String>,
    related: Option<usize>,
    fix: Option<Fix>,
}

impl Diagnostic {
    fn new(kind: DiagnosticKind, line: usize, span: Range<usize>) -> Self {
        Self {
            kind,
            line,
            span,
            detail: None,
            related: None,
            fix: None,
        }
    }

    /// With what is to be said of this one alone.
    fn with_detail(self, detail: String) -> Self {
        Self {
            detail: Some(detail),
            ..self
        }
    }

    /// With the number of a line that has to do with it.
    fn with_related(self, line: usize) -> Self {
        Self {
            related: Some(line),
            ..self
        }
    }

    fn with_fix(self, fix: Option<Fix>) -> Self {
        Self { fix, ..self }
    }

    /// What is odd.
    pub fn kind(&self) -> DiagnosticKind {
        self.kind
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }

    /// The number of the line, from 1. What concerns the whole body has line 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// The range of bytes in the body that it is about.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// What is to be said of this one beyond its kind: what is meant, who is named.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// The number of another line that it has to do with, from 1: the rule that is repeated, the
    /// group that names the robot before.
    pub fn related(&self) -> Option<usize> {
        self.related
    }

    /// How to mend it without changing a decision of Google's: see [`Fix`].
    pub fn fix(&self) -> Option<&Fix> {
        self.fix.as_ref()
    }

    /// What is odd, in a clause.
    pub fn message(&self) -> String {
        match &self.detail {
            Some(detail) => format!("{}: {detail}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message())
    }
}

/// What is odd about a body. See [`Linter::lint`].
#[derive(Debug, Clone, Default)]
pub struct Lint {
    diagnostics: Vec<Diagnostic>,
    /// How many there are of each kind, those beyond the limit too.
    counts: BTreeMap<DiagnosticKind, usize>,
}

impl Lint {
    /// What is odd, in the order of lines.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Diagnostic> {
        self.diagnostics.iter()
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        self.diagnostics.is_empty()
    }

    /// How many there are of each kind that is there, those beyond the limit too.
    pub fn counts(&self) -> impl Iterator<Item = (DiagnosticKind, usize)> {
        self.counts.iter().map(|(kind, count)| (*kind, *count))
    }

    /// How many more there are, beyond the limit for a kind.
    pub fn left_out(&self) -> usize {
        let all = self.counts.values().copied().fold(0, usize::saturating_add);
        all.saturating_sub(self.diagnostics.len())
    }
}

/// Looks for what is odd.
///
/// ```
/// use robots_txt::{DiagnosticKind, Linter, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /private\n");
/// let lint = Linter::new().lint(&robots);
/// let found = lint.iter().next().unwrap();
/// assert_eq!(found.kind(), DiagnosticKind::MisspeltField);
/// assert_eq!(found.kind().code(), "R012");
/// assert_eq!(&robots.body()[found.span()], b"Disalow");
/// let fixed = robots_txt::fixed(robots.body(), found.fix());
/// assert_eq!(fixed, b"User-agent: *\nDisallow: /private\n");
/// ```
#[derive(Debug, Clone)]
pub struct Linter {
    limit: usize,
    trainers: Vec<String>,
}

impl Default for Linter {
    fn default() -> Self {
        Self::new()
    }
}

impl Linter {
    /// Looks for every kind, and gives [`MAX_OF_A_KIND`] of each.
    pub fn new() -> Self {
        Self {
            limit: MAX_OF_A_KIND,
            trainers: Vec::new(),
        }
    }

    /// With another limit for the diagnostics of one kind.
    #[must_use]
    pub fn with_limit(self, of_a_kind: usize) -> Self {
        Self {
            limit: of_a_kind,
            ..self
        }
    }

    /// With the product tokens of robots that collect for the training of models: for
    /// [`DiagnosticKind::TrainerAllowed`].
    #[must_use]
    pub fn with_trainers(self, tokens: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let lower = |token: &str| token.to_ascii_lowercase();
        Self {
            trainers: tokens
                .into_iter()
                .map(|token| lower(token.as_ref()))
                .collect(),
            ..self
        }
    }

    /// What is odd about a body.
    pub fn lint(&self, robots: &RobotsTxt) -> Lint {
        let mut found = Found {
            limit: self.limit,
            counts: BTreeMap::new(),
            diagnostics: Vec::new(),
        };
        let groups = lines::look(robots, &mut found);
        groups::look(robots, &groups, &self.trainers, &mut found);
        rules::look(robots, &groups, &mut found);
        found.finish()
    }
}

/// What was found so far.
struct Found {
    limit: usize,
    counts: BTreeMap<DiagnosticKind, usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Found {
    /// Adds a diagnostic, unless there are enough of its kind: then `make` is not called.
    fn add(&mut self, kind: DiagnosticKind, make: impl FnOnce() -> Diagnostic) {
        let count = self.counts.entry(kind).or_default();
        *count = count.saturating_add(1);
        if *count <= self.limit {
            self.diagnostics.push(make());
        }
    }

    /// Adds a diagnostic that says no more than its kind and its place.
    fn add_at(&mut self, kind: DiagnosticKind, line: usize, span: Range<usize>) {
        self.add(kind, || Diagnostic::new(kind, line, span));
    }

    fn finish(mut self) -> Lint {
        self.diagnostics
            .sort_by_key(|found| (found.line, found.span.start, found.kind));
        Lint {
            counts: self.counts,
            diagnostics: self.diagnostics,
        }
    }
}

impl RobotsTxt {
    /// What is odd about the body: what a [`Linter`] without options finds.
    pub fn lint(&self) -> Lint {
        Linter::new().lint(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use DiagnosticKind as Kind;
    use proptest::prelude::*;

    /// What is found in a body: the line, the kind, and the text that it is about.
    fn found(body: &str) -> Vec<(usize, Kind, String)> {
        let robots = RobotsTxt::parse(body.as_bytes());
        let linter = Linter::new().with_trainers(["GPTBot"]);
        linter
            .lint(&robots)
            .iter()
            .map(|found| {
                let text = robots.body().get(found.span()).unwrap();
                let text = String::from_utf8_lossy(text).into_owned();
                (found.line(), found.kind(), text)
            })
            .collect()
    }

    fn one(line: usize, kind: Kind, text: &str) -> Vec<(usize, Kind, String)> {
        vec![(line, kind, text.to_owned())]
    }

    /// What is found in a group for everyone.
    fn in_group(lines: &str) -> Vec<(usize, Kind, String)> {
        found(&format!("User-agent: *\n{lines}"))
    }

    #[test]
    fn a_good_file_has_none() {
        let body = "# hello\nUser-agent: *\nDisallow: /a # no\nDisallow: /*.pdf$\n\n\
            Crawl-delay: 3\nSitemap: https://a.example/s.xml\n\n\
            User-agent: Googlebot\nUser-agent: bingbot\nDisallow:\nCrawl-delay: 2\n";
        assert_eq!(found(body), []);
    }

    #[test]
    fn what_concerns_the_whole_body() {
        assert_eq!(found("\n <!DOCTYPE html>\n")[0].1, Kind::HtmlBody);
        assert_eq!(found(""), one(1, Kind::EmptyFile, ""));
        assert_eq!(found("# nothing\n\n"), one(1, Kind::EmptyFile, ""));
        assert_eq!(
            found("\u{feff}User-agent: *\nDisallow:\n"),
            one(1, Kind::ByteOrderMark, "\u{feff}")
        );
        assert_eq!(
            found("User-agent: *\rDisallow: /\r"),
            one(1, Kind::BareCr, "\r")
        );
        assert_eq!(found("User-agent: *\r\nDisallow: /\r\n"), []);
    }

    #[test]
    fn what_concerns_a_line() {
        assert_eq!(in_group("Disallow: /\0c"), one(2, Kind::NulByte, "\0"));
        assert_eq!(
            in_group("hello world out there\nDisallow:"),
            one(2, Kind::Junk, "hello world out there")
        );
        assert_eq!(
            in_group("foo bar\nDisallow:"),
            one(2, Kind::Junk, "foo bar")
        );
        assert_eq!(
            in_group("Disallow /a"),
            one(2, Kind::MissingColon, "Disallow")
        );
        assert_eq!(
            in_group("Disallow:\nSitemap https://a.example/s"),
            one(3, Kind::MissingColon, "Sitemap")
        );
        assert_eq!(
            in_group("Disalow: /b"),
            one(2, Kind::MisspeltField, "Disalow")
        );
        assert_eq!(
            in_group("Disallow:\nCrawl_delay: 3"),
            one(3, Kind::NearField, "Crawl_delay")
        );
        assert_eq!(
            in_group("Disallow:\nLove: 3"),
            one(3, Kind::UnknownField, "Love")
        );
        assert_eq!(
            found("Disallow: /x\nUser-agent: *\nDisallow:"),
            one(1, Kind::RuleWithoutGroup, "Disallow: /x")
        );
        assert_eq!(
            found("Disallow: /x"),
            one(1, Kind::RuleWithoutGroup, "Disallow: /x")
        );
        assert_eq!(in_group(" Disallow: /b"), one(2, Kind::LeadingSpace, " "));
        assert_eq!(in_group("Disallow: /b#c"), one(2, Kind::CutByHash, "#c"));
        assert_eq!(in_group("Disallow: /b# c"), []);
    }

    #[test]
    fn what_concerns_a_group() {
        assert_eq!(
            found("User-agent:\nDisallow: /"),
            one(1, Kind::EmptyAgent, "User-agent:")
        );
        assert_eq!(
            found("User-agent: *\nDisallow: /\nUser-agent: a\n"),
            one(3, Kind::GroupWithoutRules, "a")
        );
        assert_eq!(
            found("User-agent: a\nDisallow: /\nUser-agent: A\nDisallow: /b"),
            one(3, Kind::RepeatedAgent, "A")
        );
        assert_eq!(
            found("User-agent: Bot/1.2\nDisallow: /"),
            one(1, Kind::NotAToken, "/1.2")
        );
        assert_eq!(
            found("User-agent: a, b\nDisallow: /"),
            one(1, Kind::AgentList, "a, b")
        );
        assert_eq!(
            found("User-agent: a\n\nDisallow: /"),
            one(1, Kind::BlankInGroup, "a")
        );
        assert_eq!(
            found("User-agent: a\n\nUser-agent: b\nDisallow: /"),
            one(1, Kind::BlankInGroup, "a")
        );
        assert_eq!(
            found("User-agent: a1\nDisallow: /"),
            one(1, Kind::DigitsInAgent, "1")
        );
        assert_eq!(
            found("User-agent: a\nCrawl-delay: 1\nUser-agent: b\nDisallow: /"),
            one(3, Kind::RunOnGroup, "b")
        );
        assert_eq!(
            found("User-agent: *\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nDisallow: /x"),
            one(4, Kind::HidesEveryone, "b")
        );
        // Who may fetch nothing needs no delay.
        assert_eq!(
            found("User-agent: *\nCrawl-delay: 1\nDisallow:\nUser-agent: b\nDisallow: /"),
            []
        );
        let signals = "User-agent: *\nContent-Signal: ai-train=no\nDisallow:\n";
        let kinds = |rules: &str| -> Vec<Kind> {
            let body = format!("{signals}User-agent: GPTBot\n{rules}");
            found(&body).into_iter().map(|(_, kind, _)| kind).collect()
        };
        assert_eq!(kinds("Disallow: /"), []);
        assert_eq!(
            kinds("Disallow:"),
            [Kind::HidesEveryone, Kind::TrainerAllowed]
        );
        assert_eq!(kinds("Disallow:\nContent-Signal: ai-train=no"), []);
        assert_eq!(kinds("Disallow:\nContent-Signal: ai-train=yes"), []);
        assert_eq!(
            kinds("Disallow:\nContent-Signal: search=yes"),
            [Kind::TrainerAllowed]
        );
    }

    #[test]
    fn what_concerns_a_rule() {
        assert_eq!(
            in_group("Disallow: private"),
            one(2, Kind::NoSlash, "private")
        );
        assert_eq!(
            in_group("Disallow: https://a.example/x"),
            one(2, Kind::AbsoluteUrl, "https://a.example/x")
        );
        assert_eq!(in_group("Disallow: /a /b"), one(2, Kind::SpaceInPath, " "));
        assert_eq!(
            in_group("Disallow: /\u{e9}"),
            one(2, Kind::NonAscii, "\u{e9}")
        );
        assert_eq!(in_group("Disallow: /a*"), one(2, Kind::TrailingStar, "*"));
        assert_eq!(in_group("Disallow: *"), []);
        assert_eq!(in_group("Disallow: /a$b"), one(2, Kind::InnerDollar, "$"));
        assert_eq!(in_group("Disallow: /a%zz"), one(2, Kind::BadEscape, "%"));
        assert_eq!(
            in_group("Disallow: /a\nDisallow: /b\nDisallow: /a"),
            one(4, Kind::DuplicateRule, "/a")
        );
        // That another rule says the same does no harm.
        assert_eq!(
            in_group("Disallow: /a\nDisallow: /a*"),
            one(3, Kind::TrailingStar, "*")
        );
        assert_eq!(in_group("Disallow: /a%E2%8"), []);
        assert_eq!(in_group("Disallow: /a%*b"), []);
        assert_eq!(
            in_group("Disallow: /a\nAllow: /a"),
            one(2, Kind::ShadowedRule, "/a")
        );
        assert_eq!(
            in_group("Disallow: /robots.txt$"),
            one(2, Kind::NeverMatches, "/robots.txt$")
        );
    }

    #[test]
    fn what_concerns_another_directive() {
        let after_rule = |line: &str| in_group(&format!("Disallow:\n{line}"));
        let one = |kind, text| one(3, kind, text);
        assert_eq!(
            after_rule("Sitemap: /s.xml"),
            one(Kind::RelativeSitemap, "/s.xml")
        );
        assert_eq!(
            after_rule("Noindex: /a"),
            one(Kind::NoindexField, "Noindex")
        );
        assert_eq!(after_rule("Crawl-delay: ten"), one(Kind::BadDelay, "ten"));
        assert_eq!(after_rule("Crawl-delay: 30"), []);
        assert_eq!(after_rule("Crawl-delay: 31"), one(Kind::LongDelay, "31"));
        assert_eq!(after_rule("Host: a.example"), one(Kind::HostField, "Host"));
        assert_eq!(
            after_rule("Visit-time: noon"),
            one(Kind::UnreadableValue, "noon")
        );
        assert_eq!(
            after_rule("Content-Usage: Train-AI=n"),
            one(Kind::BadUsage, "Train-AI=n")
        );
        assert_eq!(
            after_rule("License: /l.xml"),
            one(Kind::RelativeLicense, "/l.xml")
        );
        assert_eq!(
            after_rule("Content-Usage: train-ai=no"),
            one(Kind::UnknownSignal, "train-ai=no")
        );
        assert_eq!(
            after_rule("DisallowAITraining: /"),
            one(Kind::TrainingField, "DisallowAITraining")
        );
        assert_eq!(
            after_rule("Content-Signal: search=yes, ai-training=no"),
            one(Kind::UnknownSignal, "ai-training=no")
        );
    }

    /// A rule that Google alone reads cannot stand for one that all do.
    #[test]
    fn the_rule_that_all_read_is_kept() {
        for first in [
            "Disalow: /x",
            "Disallow /x",
            " Disallow: /x",
            "Disallow-paths: /x",
        ] {
            let body = format!("User-agent: *\n{first}\nDisallow: /x\n");
            let lint = RobotsTxt::parse(body.as_bytes()).lint();
            let duplicate = lint
                .iter()
                .find(|found| found.kind() == Kind::DuplicateRule);
            assert!(
                duplicate.is_some_and(|found| found.fix().is_none()),
                "{first}"
            );
            let mended = fixed(body.as_bytes(), lint.iter().filter_map(Diagnostic::fix));
            let rules = RobotsTxt::parse(&mended).rules("a", &crate::Dialect::RFC9309);
            let verdict = rules.verdict(&crate::Target::new("/x"));
            assert!(!verdict.is_allowed(), "{first}");
        }
    }

    /// Lines are read once, and the groups are those that a reading of its own gives.
    fn assert_same_groups(body: &[u8]) {
        let robots = RobotsTxt::parse(body);
        let mut found = Found {
            limit: 0,
            counts: BTreeMap::new(),
            diagnostics: Vec::new(),
        };
        let groups = lines::look(&robots, &mut found);
        let expected = robots.groups(&lines::READING);
        assert_eq!(format!("{groups:?}"), format!("{expected:?}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn groups_are_those_of_the_reading(
            lines in prop::collection::vec(
                "(\u{feff}|\0)?[ \t]?(User-agent|USER-AGENT|Allow|disallow|Disallowed|disalow|Sitemap|Crawl-delay|DisallowAITraining|x|)[ \t\u{b}]?[:# ]?[ \t]?(/a|/b#c|\\*|\0|)[ \r\n]{1,3}",
                0..12,
            ),
        ) {
            assert_same_groups(lines.concat().as_bytes());
        }
    }

    #[test]
    fn groups_end_where_the_reading_does() {
        use crate::RFC9309_SIZE_LIMIT;
        for size in (RFC9309_SIZE_LIMIT - 3..).take(6) {
            let start = "User-agent: *\nDisallow: /a\n#";
            let end = "\nDisallow: /b";
            let filler = "x".repeat(size - start.len() - end.len());
            assert_same_groups(format!("{start}{filler}{end}").as_bytes());
            assert_same_groups(format!("{start}{filler}{end}\nDisallow: /c\n").as_bytes());
        }
    }

    #[test]
    fn those_of_one_kind_are_capped_and_counted() {
        let junk = |lines: usize| {
            let body = "User-agent: *\nDisallow:\n".to_owned() + &"junk\n".repeat(lines);
            let lint = RobotsTxt::parse(body.as_bytes()).lint();
            assert_eq!(lint.counts().collect::<Vec<_>>(), [(Kind::Junk, lines)]);
            (lint.iter().len(), lint.left_out())
        };
        assert_eq!(junk(MAX_OF_A_KIND - 1), (MAX_OF_A_KIND - 1, 0));
        assert_eq!(junk(MAX_OF_A_KIND), (MAX_OF_A_KIND, 0));
        assert_eq!(junk(MAX_OF_A_KIND + 1), (MAX_OF_A_KIND, 1));
    }

    #[test]
    fn size_and_length_are_judged_at_their_limits() {
        use crate::{LONG_LINE, RFC9309_SIZE_LIMIT};
        let kinds = |body: String| -> Vec<(Kind, usize)> {
            let lint = RobotsTxt::parse(body.as_bytes()).lint();
            lint.iter()
                .map(|found| (found.kind(), found.line()))
                .collect()
        };
        let filled = |size: usize| {
            let start = "User-agent: *\nDisallow:\n";
            start.to_owned() + &"#\n".repeat(RFC9309_SIZE_LIMIT)[..size - start.len()]
        };
        assert_eq!(kinds(filled(RFC9309_SIZE_LIMIT - 1)), []);
        assert_eq!(kinds(filled(RFC9309_SIZE_LIMIT)), []);
        let over = kinds(filled(RFC9309_SIZE_LIMIT + 1));
        let lines = filled(RFC9309_SIZE_LIMIT).lines().count();
        // The first line that is cut is the next.
        assert_eq!(over, [(Kind::OverSizeLimit, lines + 1)]);
        let line = |length: usize| {
            kinds(format!(
                "User-agent: *\nDisallow: /{}",
                "a".repeat(length - 11)
            ))
        };
        assert_eq!(line(LONG_LINE), []);
        assert_eq!(line(LONG_LINE + 1), [(Kind::LongLine, 2)]);
    }
}
