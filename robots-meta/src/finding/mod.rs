//! What an author cannot have meant by a list of directives: facts for people and linters, never
//! errors. Nothing here changes what the list says.
//!
//! A list becomes findings, each with the part of the text that it is about and, if it takes two,
//! the other part. They are in the order of the text. Linear in the text: only the first
//! [`MAX_COMPARED_DIRECTIVES`] directives are compared with each other, only [`MAX_FINDINGS`]
//! findings are given. The kinds are those of SEMANTICS 0.6, 5.5 to 5.7 and 10.

mod conflict;
mod spelling;
mod survey;

use crate::directives::Directive;
use crate::grammar::AgentPrefix;
use std::fmt;
use std::ops::Range;

/// How many directives of a list are compared with each other, unknown and unreadable ones not
/// counted; those behind them are neither in conflict nor repeated. Each is compared with all
/// before it.
pub const MAX_COMPARED_DIRECTIVES: usize = 256;

/// How many findings are given for one list; a list of nothing but junk needs no more.
pub const MAX_FINDINGS: usize = 1_000;

/// What is odd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// Two directives for one robot contradict each other: `index, noindex`; `all, none`;
    /// `nosnippet` with a `max-snippet` other than 0; two limits or dates that differ. What they
    /// mean together depends on the engine (SEMANTICS 8.4).
    Conflict,
    /// All that the directive says has been said before, for the same robot.
    Repeated,
    /// No directive that is known, which is ignored. Engines know others.
    Unknown,
    /// No directive that is known, which is ignored, but nearly one: a letter too many, too few,
    /// wrong or exchanged with the next, or a hyphen or space more or less.
    Misspelt {
        /// The directive that it is near, in lower case.
        meant: &'static str,
    },
    /// A name with a value that is missing or cannot be read; both are ignored (SEMANTICS 5.1).
    Invalid,
    /// There is no directive in the list.
    Empty,
    /// A directive that has no value has one: `noindex: 1`. The directive counts (SEMANTICS 5.5).
    ValueOnFlag,
    /// `indexifembedded` without a `noindex` in the list does nothing, unless another list has it
    /// (SEMANTICS 5.1).
    WithoutEffect,
    /// White space or a colon stands before the directive, where a comma belongs. It counts here,
    /// but not everywhere (SEMANTICS 5.5).
    MissingComma,
    /// A robot's name still holds behind a comma, as it does in one line. If lines were joined, the
    /// directive may have been meant for every robot (SEMANTICS 5.5, item 7). Given once for each
    /// name, and in headers alone; the other part is the name.
    PrefixLeak,
    /// A date without a time zone, which is read as UTC (SEMANTICS 5.6).
    NoZone,
    /// A date whose time zone is not known, which is read as UTC (SEMANTICS 5.6).
    UnknownZone,
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Conflict => "contradicts another directive",
            Self::Repeated => "says nothing that was not said before",
            Self::Unknown => "not a known directive; ignored",
            Self::Misspelt { meant } => {
                return write!(f, "not a known directive; perhaps `{meant}` is meant");
            }
            Self::Invalid => "a value that cannot be read; ignored",
            Self::Empty => "no directive in the list",
            Self::ValueOnFlag => "a value where none belongs; the directive counts",
            Self::WithoutEffect => "does nothing without noindex",
            Self::MissingComma => "no comma before the directive",
            Self::PrefixLeak => {
                "holds for the robot named before; if lines were joined, perhaps for every robot"
            }
            Self::NoZone => "a date without a time zone; read as UTC",
            Self::UnknownZone => "an unknown time zone; read as UTC",
        };
        f.write_str(text)
    }
}

/// One odd thing in a list of directives, and where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Finding<'a> {
    kind: FindingKind,
    list: &'a str,
    span: Span,
    other: Option<Span>,
}

impl<'a> Finding<'a> {
    /// What is odd.
    pub fn kind(&self) -> FindingKind {
        self.kind
    }

    /// The part of the list that it is about, in bytes; of two parts, the latter.
    pub fn span(&self) -> Range<usize> {
        self.span.range()
    }

    /// The text of that part.
    pub fn text(&self) -> &'a str {
        self.span.of(self.list)
    }

    /// The other part, in bytes, if there is one: the directive that is contradicted or repeated,
    /// the one that no comma follows, the name that holds.
    pub fn other_span(&self) -> Option<Range<usize>> {
        self.other.map(Span::range)
    }

    /// The text of the other part.
    pub fn other_text(&self) -> Option<&'a str> {
        self.other.map(|other| other.of(self.list))
    }
}

impl fmt::Display for Finding<'_> {
    /// `byte 7: "noindex": contradicts another directive: "index"`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, text) = (self.span.start, self.text());
        write!(f, "byte {start}: {text:?}: {}", self.kind)?;
        match self.other_text() {
            Some(other) => write!(f, ": {other:?}"),
            None => Ok(()),
        }
    }
}

/// A part of a list, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Span {
    start: usize,
    end: usize,
}

impl Span {
    fn new(start: usize, text: &str) -> Self {
        Self {
            start,
            end: start.saturating_add(text.len()),
        }
    }

    fn range(self) -> Range<usize> {
        self.start..self.end
    }

    fn of(self, list: &str) -> &str {
        list.get(self.range()).unwrap_or_default()
    }
}

impl From<Directive<'_>> for Span {
    fn from(directive: Directive<'_>) -> Self {
        Self::new(directive.offset, directive.text)
    }
}

/// What is odd about the content of a META for robots, in the order of the text.
///
/// At most [`MAX_FINDINGS`]; see [`MAX_COMPARED_DIRECTIVES`] for what is compared. What other METAs
/// and headers say is not known here.
///
/// ```
/// use robots_meta::{FindingKind, findings_in_content};
///
/// let found = findings_in_content("index, nofolow, noindex");
/// assert_eq!(found.len(), 2);
/// assert_eq!(found[0].kind(), FindingKind::Misspelt { meant: "nofollow" });
/// assert_eq!(found[0].span(), 7..14);
/// assert_eq!(found[1].kind(), FindingKind::Conflict);
/// assert_eq!((found[1].text(), found[1].other_text()), ("noindex", Some("index")));
/// ```
pub fn findings_in_content(content: &str) -> Vec<Finding<'_>> {
    survey::findings(content, AgentPrefix::None)
}

/// What is odd about the value of an `X-Robots-Tag` line, in the order of the text. Directives for
/// different robots are not compared.
///
/// At most [`MAX_FINDINGS`]; see [`MAX_COMPARED_DIRECTIVES`] for what is compared. What other lines
/// and METAs say is not known here.
///
/// ```
/// use robots_meta::{FindingKind, findings_in_header};
///
/// let found = findings_in_header("index, BadBot: noindex, max-snippet: few");
/// let kinds: Vec<_> = found.iter().map(|finding| finding.kind()).collect();
/// assert_eq!(kinds, [FindingKind::PrefixLeak, FindingKind::Invalid]);
/// assert_eq!(found[0].other_text(), Some("BadBot"));
/// ```
pub fn findings_in_header(value: &str) -> Vec<Finding<'_>> {
    survey::findings(value, AgentPrefix::Accepted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use FindingKind::{
        Conflict, Empty, Invalid, MissingComma, NoZone, PrefixLeak, Repeated, Unknown, UnknownZone,
        ValueOnFlag, WithoutEffect,
    };
    use proptest::prelude::*;

    type Row<'a> = (FindingKind, &'a str, Option<&'a str>);

    fn rows(findings: Vec<Finding<'_>>) -> Vec<Row<'_>> {
        findings
            .into_iter()
            .map(|finding| (finding.kind(), finding.text(), finding.other_text()))
            .collect()
    }

    fn content(list: &str) -> Vec<Row<'_>> {
        rows(findings_in_content(list))
    }

    fn header(list: &str) -> Vec<Row<'_>> {
        rows(findings_in_header(list))
    }

    fn misspelt(meant: &'static str) -> FindingKind {
        FindingKind::Misspelt { meant }
    }

    #[test]
    fn nothing_is_odd_about_these() {
        for list in [
            "noindex, nofollow",
            "INDEX,FOLLOW",
            "noindex;nofollow",
            "all",
            "index, nofollow, noarchive",
            "noindex, none",
            "max-snippet:-1, max-image-preview:large, max-video-preview:-1",
            "nosnippet, max-snippet:0",
            "max-snippet: 0, nosnippet",
            "noindex, indexifembedded",
            "unavailable_after: 25 Jun 2010 15:00:00 PST",
            "unavailable_after: Wed, 03 Dec 2025 13:09:53 GMT, noindex",
            "DisallowAITraining, noai, noimageai",
            " noindex ,, ",
        ] {
            assert_eq!(content(list), [], "{list}");
            assert_eq!(header(list), [], "{list}");
        }
        assert_eq!(header("noindex, BadBot: index, GoogleBot: noindex"), []);
    }

    #[test]
    fn contradictions() {
        for (one, two) in [
            ("index", "noindex"),
            ("NoFollow", "follow"),
            ("archive", "noarchive"),
            ("all", "none"),
            ("all", "noindex"),
            ("none", "follow"),
            ("AllowAITraining", "disallowaitraining"),
            ("max-snippet:50", "nosnippet"),
            ("nosnippet", "max-snippet:-1"),
            ("max-snippet:50", "max-snippet: 20"),
            ("max-image-preview:large", "max-image-preview:none"),
            ("max-video-preview:-1", "max-video-preview:0"),
            (
                "unavailable_after: 2027-01-01T00:00Z",
                "unavailable_after: 2027-01-02T00:00Z",
            ),
        ] {
            let list = format!("{one}, {two}");
            let expected = [(Conflict, two, Some(one))];
            assert_eq!(content(&list), expected, "{list}");
            assert_eq!(header(&list), expected, "{list}");
            let list = format!("a: {one}, A: {two}");
            assert_eq!(header(&list), expected, "{list}");
            let list = format!("a: {one}, b: {two}");
            assert_eq!(header(&list), [], "{list}");
            let list = format!("{one}, b: {two}");
            assert_eq!(header(&list), [], "{list}");
        }
    }

    #[test]
    fn the_example_of_the_source_documents() {
        // SEMANTICS 0.6. The list itself is undefined there.
        assert_eq!(
            content("INDEX,NOINDEX,NOFOLLOW,FOLLOW,FOLLOW"),
            [
                (Conflict, "NOINDEX", Some("INDEX")),
                (Conflict, "FOLLOW", Some("NOFOLLOW")),
                (Repeated, "FOLLOW", Some("FOLLOW")),
            ]
        );
        assert_eq!(
            content("index, follow, none"),
            [
                (Conflict, "none", Some("index")),
                (Conflict, "none", Some("follow")),
            ]
        );
    }

    #[test]
    fn what_was_said_before() {
        assert_eq!(
            content("noindex, NOINDEX, noindex"),
            [
                (Repeated, "NOINDEX", Some("noindex")),
                (Repeated, "noindex", Some("noindex")),
            ]
        );
        assert_eq!(
            content("nofollow, none, noindex"),
            [(Repeated, "noindex", Some("none"))]
        );
        assert_eq!(
            content("max-snippet:20, max-snippet: +20, max-snippet:30, max-snippet:20"),
            [
                (Repeated, "max-snippet: +20", Some("max-snippet:20")),
                (Conflict, "max-snippet:30", Some("max-snippet:20")),
                (Repeated, "max-snippet:20", Some("max-snippet:20")),
            ]
        );
        // A repeated directive repeats no contradiction.
        assert_eq!(
            content("index, noindex, noindex"),
            [
                (Conflict, "noindex", Some("index")),
                (Repeated, "noindex", Some("noindex")),
            ]
        );
    }

    #[test]
    fn what_is_not_known() {
        assert_eq!(
            content("noopd, no-index, no follow, googlebot: noindex, xyz"),
            [
                (misspelt("noodp"), "noopd", None),
                (misspelt("noindex"), "no-index", None),
                (misspelt("nofollow"), "no follow", None),
                (Unknown, "googlebot: noindex", None),
                (Unknown, "xyz", None),
            ]
        );
        assert_eq!(
            content("max-snipet: 20, noindex=1, unavailble_after: 2027-12-31"),
            [
                (misspelt("max-snippet"), "max-snipet: 20", None),
                (misspelt("noindex"), "noindex=1", None),
                (
                    misspelt("unavailable_after"),
                    "unavailble_after: 2027-12-31",
                    None
                ),
            ]
        );
        // The misspelt name counts as that of a robot.
        assert_eq!(
            header("unavailble_after: 2027-12-31"),
            [
                (misspelt("unavailable_after"), "unavailble_after", None),
                (Unknown, "2027-12-31", None),
            ]
        );
    }

    #[test]
    fn words_that_belong_together() {
        // Which is read as `index` and `follow`.
        assert_eq!(
            content("no index no follow"),
            [
                (misspelt("noindex"), "no index", None),
                (MissingComma, "no", Some("index")),
                (misspelt("nofollow"), "no follow", None),
            ]
        );
    }

    #[test]
    fn values() {
        assert_eq!(
            content("max-snippet:abc, max-snippet, max-snippet=20, max-image-preview: huge"),
            [
                (Invalid, "max-snippet:abc", None),
                (Invalid, "max-snippet", None),
                (Invalid, "max-snippet=20", None),
                (Invalid, "max-image-preview: huge", None),
            ]
        );
        assert_eq!(
            content("unavailable_after: never, noindex: 1, noindex:2"),
            [
                (Invalid, "unavailable_after: never", None),
                (ValueOnFlag, "noindex: 1", None),
                (ValueOnFlag, "noindex:2", None),
                (Repeated, "noindex:2", Some("noindex: 1")),
            ]
        );
    }

    #[test]
    fn dates_without_a_zone() {
        assert_eq!(
            content("unavailable_after: 31 Dec 2027"),
            [(NoZone, "unavailable_after: 31 Dec 2027", None)]
        );
        assert_eq!(
            content("unavailable_after: 31 Dec 2027 10:00 CET"),
            [(
                UnknownZone,
                "unavailable_after: 31 Dec 2027 10:00 CET",
                None
            )]
        );
    }

    #[test]
    fn no_directive_at_all() {
        assert_eq!(content(""), [(Empty, "", None)]);
        assert_eq!(content(" ,;"), [(Empty, " ,;", None)]);
        assert_eq!(header("googlebot:"), [(Empty, "googlebot:", None)]);
    }

    #[test]
    fn indexifembedded_needs_noindex() {
        let without = [(WithoutEffect, "indexifembedded", None)];
        assert_eq!(content("indexifembedded"), without);
        assert_eq!(content("index, indexifembedded"), without);
        assert_eq!(content("indexifembedded, none"), []);
        assert_eq!(header("noindex, googlebot: indexifembedded"), []);
        assert_eq!(header("indexifembedded, googlebot: noindex"), []);
        assert_eq!(header("a: noindex, b: indexifembedded"), without);
    }

    #[test]
    fn missing_commas() {
        assert_eq!(
            content("noindex nofollow"),
            [(MissingComma, "nofollow", Some("noindex"))]
        );
        assert_eq!(
            content("noindex: nofollow"),
            [(MissingComma, "nofollow", Some("noindex"))]
        );
        assert_eq!(
            content("max-snippet:-1 noindex"),
            [(MissingComma, "noindex", Some("max-snippet:-1"))]
        );
        assert_eq!(
            header("noindex googlebot: nofollow"),
            [(MissingComma, "nofollow", Some("noindex"))]
        );
    }

    #[test]
    fn a_name_that_holds_may_be_another_lines() {
        assert_eq!(
            header("a: noindex, nofollow, noarchive, b: noindex, c: noindex, nofollow"),
            [
                (PrefixLeak, "nofollow", Some("a")),
                (PrefixLeak, "nofollow", Some("c")),
            ]
        );
        assert_eq!(header("*: noindex, nofollow"), []);
        assert_eq!(
            header("bot/1.0: noindex, noindex"),
            [
                (PrefixLeak, "noindex", Some("bot")),
                (Repeated, "noindex", Some("noindex")),
            ]
        );
    }

    #[test]
    fn a_finding_says_where_it_is() {
        let found = findings_in_content("index, NOINDEX");
        assert_eq!(found[0].span(), 7..14);
        assert_eq!(found[0].other_span(), Some(0..5));
        assert_eq!(
            found[0].to_string(),
            "byte 7: \"NOINDEX\": contradicts another directive: \"index\""
        );
        let found = findings_in_content("noopd");
        assert_eq!(found[0].other_span(), None);
        assert_eq!(
            found[0].to_string(),
            "byte 0: \"noopd\": not a known directive; perhaps `noodp` is meant"
        );
    }

    #[test]
    fn so_many_directives_are_compared() {
        let is_conflict = |count: usize| {
            let list = format!("{}index", "x,noindex,".repeat(count - 1));
            findings_in_content(&list)
                .iter()
                .any(|finding| finding.kind() == Conflict)
        };
        assert!(is_conflict(MAX_COMPARED_DIRECTIVES - 1));
        assert!(is_conflict(MAX_COMPARED_DIRECTIVES));
        assert!(!is_conflict(MAX_COMPARED_DIRECTIVES + 1));
        // What is not compared may hold a noindex.
        let list = format!(
            "indexifembedded{}",
            ",index".repeat(MAX_COMPARED_DIRECTIVES)
        );
        let found = findings_in_content(&list);
        assert!(found.iter().all(|finding| finding.kind() == Repeated));
    }

    #[test]
    fn so_many_findings_are_given() {
        for count in [MAX_FINDINGS - 1, MAX_FINDINGS, MAX_FINDINGS + 1] {
            let found = findings_in_content(&"x,".repeat(count)).len();
            assert_eq!(found, count.min(MAX_FINDINGS));
        }
    }

    #[test]
    fn long_names_and_lists_cost_what_they_are_long() {
        let name = "a".repeat(1 << 20);
        let list = format!("{name}: index{}", ", noindex".repeat(1 << 16));
        assert_eq!(findings_in_header(&list)[1].kind(), Conflict);
        let lists = [
            format!("b: x, {name}: index, ").repeat(4),
            "a:".repeat(1 << 18),
            " ".repeat(1 << 20),
            format!("noindex{}nofollow", " ".repeat(1 << 20)),
            "no index ".repeat(1 << 16),
            "unavailable_after: x, 1 ".repeat(1 << 14),
        ];
        for list in lists {
            assert!(findings_in_header(&list).len() <= MAX_FINDINGS);
        }
    }

    proptest! {
        #[test]
        fn findings_are_parts_of_the_list_in_order(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "index", "noindex", "no", "follow", "none", "all", "nosnippet", "max-snippet",
                    ":20", ":x", ": ", " ", ", ", ",", ";", "googlebot: ", "a:", "*:", "é", "=",
                    "unavailable_after: 31 Dec 2027", "indexifembedded", "noopd",
                ]),
                0..24,
            ),
        ) {
            let list = parts.concat();
            for found in [findings_in_content(&list), findings_in_header(&list)] {
                let mut last = 0;
                for finding in found {
                    prop_assert!(finding.span().start >= last);
                    last = finding.span().start;
                    prop_assert_eq!(&list[finding.span()], finding.text());
                    if let Some(other) = finding.other_span() {
                        prop_assert!(other.start < finding.span().start);
                        prop_assert_eq!(Some(&list[other]), finding.other_text());
                    }
                }
            }
        }

        #[test]
        fn no_text_makes_it_fail(list in "\\PC{0,60}") {
            let _ = findings_in_content(&list);
            let _ = findings_in_header(&list);
        }
    }
}
