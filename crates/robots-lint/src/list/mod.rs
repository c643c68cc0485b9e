//! Findings in a list of directives: the content of a META, or the value of an `X-Robots-Tag` line.
//!
//! Each finding has the part of the text that it is about, and a second part if two are involved. The kinds are those of
//! docs/semantics.md, sections 0.6, 5.5 to 5.7 and 10. Linear in the text: up to `MAX_COMPARED_DIRECTIVES` directives are compared,
//! up to [`MAX_FINDINGS`] findings are returned.

pub(crate) mod conflict;
mod finding;
pub(crate) mod robot_name;
mod spelling;

pub use finding::{ListFinding, names};
pub(crate) use spelling::begins_with_name;

use crate::catalogue::FindingKind;
use conflict::{Comparison, MAX_COMPARED_DIRECTIVES, Relation};
use robot_name::{is_robot_name, misspelt_robot};
use robots_meta::directive::{
    AgentPrefix, Directive, DirectiveValue, Item, Zone, items, parameter_names,
};
use robots_meta::{Directives, Timestamp};
use robots_txt::parse::range_in;
use spelling::{is_joined, nearest, nearest_parameter, same_letters};
use std::collections::HashMap;
use std::ops::Range;

/// The maximum number of findings that are returned for one list.
pub const MAX_FINDINGS: usize = 1_000;

/// Returns the findings in the content of a META for robots, in the order of the text.
///
/// Other METAs and headers are not taken into account.
///
/// ```
/// use robots_lint::FindingKind;
/// use robots_lint::list::findings_in_content;
///
/// let found = findings_in_content("index, nofolow, noindex");
/// assert_eq!(found.len(), 2);
/// assert_eq!((found[0].kind(), found[0].meant()), (FindingKind::MisspeltDirective, Some("nofollow")));
/// assert_eq!(found[0].span(), 7..14);
/// assert_eq!(found[1].kind(), FindingKind::ConflictingDirectives);
/// assert_eq!((found[1].text(), found[1].other_text()), ("noindex", Some("index")));
/// ```
pub fn findings_in_content(content: &str) -> Vec<ListFinding<'_>> {
    findings(content, AgentPrefix::None)
}

/// Returns the findings in the value of an `X-Robots-Tag` line, in the order of the text.
/// Directives for different robots are not compared.
///
/// Other lines and METAs are not taken into account.
///
/// ```
/// use robots_lint::FindingKind;
/// use robots_lint::list::findings_in_header;
///
/// let found = findings_in_header("index, BadBot: noindex, max-snippet: few");
/// let kinds: Vec<_> = found.iter().map(|finding| finding.kind()).collect();
/// assert_eq!(kinds, [FindingKind::PrefixLeak, FindingKind::InvalidValue]);
/// assert_eq!(found[0].other_text(), Some("BadBot"));
/// ```
pub fn findings_in_header(value: &str) -> Vec<ListFinding<'_>> {
    findings(value, AgentPrefix::Accepted)
}

/// Returns the findings in a list, in the order of the text.
fn findings(list: &str, prefix: AgentPrefix) -> Vec<ListFinding<'_>> {
    let mut review = Review::new(list);
    let mut ahead = items(list, prefix).peekable();
    let mut before = None;
    let mut follows_sign = false;
    while let Some(item) = ahead.next() {
        let next = ahead.peek().map(|next| next.directive);
        // After a sign, the text since the directive before it is not read again for each further one.
        let near = before.filter(|_| !follows_sign);
        follows_sign = review.is_separator(near, item.directive, next);
        if follows_sign {
            continue;
        }
        review.check_separation(before, item.directive);
        review.check_prefix(&item);
        review.check_value(&item, next);
        before = Some(item.directive);
        if review.findings.len() >= MAX_FINDINGS {
            review.all_are_compared = false;
            break;
        }
    }
    if before.is_none() {
        review.report(FindingKind::EmptyList, 0..list.len(), None);
    }
    review.check_effects();
    let mut findings = review.findings;
    findings.sort_by_key(|finding| finding.span.start);
    findings.truncate(MAX_FINDINGS);
    findings
}

/// A directive that is compared with those after it.
#[derive(Debug, Clone, Copy)]
struct Compared<'a> {
    /// The index of the robot's name; `None` for every robot.
    agent: Option<usize>,
    directive: Directive<'a>,
}

/// The review of a list, as far as it is read.
#[derive(Debug)]
struct Review<'a> {
    list: &'a str,
    findings: Vec<ListFinding<'a>>,
    /// The directives that are compared, in order.
    compared: Vec<Compared<'a>>,
    /// The same directives, by the index of the robot's name; `None` for every robot.
    comparisons: HashMap<Option<usize>, Comparison<'a>>,
    /// The names of robots, each once.
    agents: Vec<&'a str>,
    /// The offset of the robot's name that applies to the last directive; `None` for every robot.
    agent_start: Option<usize>,
    /// True if a leak of that name has been reported.
    is_leak_reported: bool,
    /// The offset of a directive that is the second part of a misspelt one (`index` of `no index`), or the value of one that
    /// was taken for a robot's name.
    latter_part: Option<usize>,
    /// False if a directive has not been compared because of a limit.
    all_are_compared: bool,
}

impl<'a> Review<'a> {
    fn new(list: &'a str) -> Self {
        Self {
            list,
            findings: Vec::new(),
            compared: Vec::new(),
            comparisons: HashMap::new(),
            agents: Vec::new(),
            agent_start: None,
            is_leak_reported: false,
            latter_part: None,
            all_are_compared: true,
        }
    }

    fn report(&mut self, kind: FindingKind, span: Range<usize>, other: Option<Range<usize>>) {
        self.findings.push(ListFinding {
            kind,
            meant: None,
            list: self.list,
            span,
            other,
        });
    }

    fn report_misspelt(&mut self, span: Range<usize>, meant: &'static str) {
        self.report_meant(FindingKind::MisspeltDirective, span, Some(meant));
    }

    fn report_meant(&mut self, kind: FindingKind, span: Range<usize>, meant: Option<&'static str>) {
        self.findings.push(ListFinding {
            kind,
            meant,
            list: self.list,
            span,
            other: None,
        });
    }

    /// Returns the text between two directives.
    fn between(&self, before: Directive<'a>, after: Directive<'a>) -> &'a str {
        &self.list[before.span().end..after.offset()]
    }

    /// Returns whether a directive is only a sign in place of a comma: the `-` of `noindex - nofollow`. The directive after it
    /// is read.
    fn is_separator(
        &self,
        before: Option<Directive<'a>>,
        sign: Directive<'a>,
        next: Option<Directive<'a>>,
    ) -> bool {
        let are_near = |one, two| self.between(one, two).trim().is_empty();
        !sign.text().contains(char::is_alphanumeric)
            && (before.is_some_and(|before| are_near(before, sign))
                || next.is_some_and(|next| are_near(sign, next)))
    }

    /// Checks for a separator between two directives.
    fn check_separation(&mut self, before: Option<Directive<'a>>, directive: Directive<'a>) {
        // `no index` is reported as misspelt, and not again for the comma that is missing in it.
        if let Some(before) = before
            && self.latter_part != Some(directive.offset())
            && !self.between(before, directive).contains(',')
            // Next to a semicolon, two unknown texts are perhaps not directives at all.
            && (is_known(before)
                || is_known(directive)
                || !self.between(before, directive).contains(';'))
        {
            let kind = FindingKind::MissingComma;
            self.report(kind, directive.span(), Some(before.span()));
        }
    }

    /// Checks the robot's name: it may be a misspelt directive, or leak into this item.
    fn check_prefix(&mut self, item: &Item<'a>) {
        let name = item.agent.unwrap_or_default();
        let list = self.list.as_bytes();
        let span_of_name = item.agent.map(|name| range_in(list, name.as_bytes()));
        let start = span_of_name.as_ref().map(|span| span.start);
        if start != self.agent_start {
            self.agent_start = start;
            self.is_leak_reported = false;
            // The name may be a misspelt directive: `unavailble_after: 2027-12-31`. It is compared with the
            // directives that have a value. The others are so short that names of robots are similar to them.
            if let Some(span) = &span_of_name {
                // `noindex|max-snippet: 20`; of `noindex/max-snippet: 20` the name is `noindex`.
                let is_list = begins_with_name(name) || is_joined(name) || is_separated(name);
                if !is_list && let Some(meant) = nearest_parameter(name) {
                    self.report_misspelt(span.clone(), meant);
                } else if is_list {
                    self.report(FindingKind::WrongSeparator, span.clone(), None);
                    self.latter_part = Some(item.directive.offset());
                    self.is_leak_reported = true;
                } else if is_name_of_field(name) {
                    self.report(FindingKind::NameInList, span.clone(), None);
                    self.is_leak_reported = true;
                } else if let Some(meant) = misspelt_robot(name) {
                    self.report_meant(FindingKind::NameInList, span.clone(), Some(meant));
                    self.is_leak_reported = true;
                }
            }
        }
        if !self.is_leak_reported && item.may_have_leaked(self.list) {
            self.is_leak_reported = true;
            self.report(FindingKind::PrefixLeak, item.directive.span(), span_of_name);
        }
    }

    /// Checks the directive, alone and with those before it.
    fn check_value(&mut self, item: &Item<'a>, next: Option<Directive<'a>>) {
        let directive = item.directive;
        match directive.value() {
            DirectiveValue::Invalid => {
                let kind = if is_separated(directive.text()) {
                    FindingKind::WrongSeparator
                } else {
                    FindingKind::InvalidValue
                };
                self.report(kind, directive.span(), None);
            }
            DirectiveValue::Unknown => self.check_unknown(directive, next),
            DirectiveValue::Flags(_) => {
                if directive.text().contains(':') {
                    self.report(FindingKind::ValueOnFlag, directive.span(), None);
                }
                self.compare(item);
            }
            DirectiveValue::UnavailableAfter(_) => {
                let date = directive.text().split_once(':').map(|(_, date)| date);
                match date.and_then(Timestamp::zone) {
                    Some(Zone::Missing) => {
                        self.report(FindingKind::NoZone, directive.span(), None);
                    }
                    Some(Zone::Unknown) => {
                        self.report(FindingKind::UnknownZone, directive.span(), None);
                    }
                    _ => {}
                }
                self.compare(item);
            }
            _ => self.compare(item),
        }
    }

    /// Checks an unknown directive: it may be similar to a known one.
    fn check_unknown(&mut self, directive: Directive<'a>, next: Option<Directive<'a>>) {
        if self.latter_part == Some(directive.offset()) {
            return;
        }
        // `no index no follow`, which is read as four directives.
        if let Some(next) = next
            && self.between(directive, next).trim().is_empty()
        {
            let both = directive.offset()..next.span().end;
            if let Some(meant) = same_letters(&self.list[both.clone()]) {
                self.latter_part = Some(next.offset());
                self.report_misspelt(both, meant);
                return;
            }
        }
        let is_end = |c: char| c == ':' || c == '=';
        let key = directive.text().split(is_end).next().unwrap_or_default();
        let word = key.split_whitespace().next().unwrap_or_default();
        if parameter_names().any(|name| name.eq_ignore_ascii_case(word)) {
            // `max-snippet`, `max-snippet=20`, `max-snippet 20`.
            self.report(FindingKind::InvalidValue, directive.span(), None);
        } else if let Some(meant) = nearest(key) {
            self.report_misspelt(directive.span(), meant);
        } else if is_joined(key) {
            self.report(FindingKind::WrongSeparator, directive.span(), None);
        } else if let Some((name, meant)) = hiding_name(directive.text()) {
            let start = directive.offset();
            self.report_meant(FindingKind::NameInList, start..start + name.len(), meant);
        } else {
            self.report(FindingKind::UnknownDirective, directive.span(), None);
        }
    }

    /// Compares a directive with those for the same robot before it.
    fn compare(&mut self, item: &Item<'a>) {
        if self.compared.len() >= MAX_COMPARED_DIRECTIVES {
            self.all_are_compared = false;
            return;
        }
        let agent = self.index_of_agent(item.agent);
        let directive = item.directive;
        self.compared.push(Compared { agent, directive });
        let comparison = self.comparisons.entry(agent).or_default();
        let (kind, others) = match comparison.add(directive) {
            Relation::Repeats(other) => (FindingKind::RepeatedDirective, vec![other]),
            Relation::Contradicts(others) => (FindingKind::ConflictingDirectives, others),
        };
        let others: Vec<_> = others.iter().map(|other| comparison.get(*other)).collect();
        for other in others {
            self.report(kind, directive.span(), Some(other.span()));
        }
    }

    /// Returns the index of a robot's name.
    fn index_of_agent(&mut self, name: Option<&'a str>) -> Option<usize> {
        let name = name?;
        let mut known = self.agents.iter();
        let index = known.position(|known| known.eq_ignore_ascii_case(name));
        Some(index.unwrap_or_else(|| {
            self.agents.push(name);
            self.agents.len() - 1
        }))
    }

    /// Reports each `indexifembedded` that has no `noindex` to lift: one for the same robot or for every
    /// robot. An `indexifembedded` for every robot lifts a `noindex` for any robot.
    fn check_effects(&mut self) {
        // A directive that was not compared may be the `noindex`.
        if !self.all_are_compared {
            return;
        }
        let has = |compared: &&Compared<'a>, flag| compared.directive.flags().contains(flag);
        let all = std::mem::take(&mut self.compared);
        for embedded in all
            .iter()
            .filter(|compared| has(compared, Directives::INDEXIFEMBEDDED))
        {
            let has_noindex = all
                .iter()
                .filter(|compared| has(compared, Directives::NOINDEX))
                .any(|other| {
                    other.agent.is_none()
                        || embedded.agent.is_none()
                        || other.agent == embedded.agent
                });
            if !has_noindex {
                let kind = FindingKind::WithoutEffect;
                self.report(kind, embedded.directive.span(), None);
            }
        }
    }
}

fn is_known(directive: Directive<'_>) -> bool {
    directive.value() != DirectiveValue::Unknown
}

/// Returns whether a character is taken for a separator by people: a slash, a bar, the commas of Chinese and Japanese.
fn is_separating(c: char) -> bool {
    matches!(
        c,
        '/' | '|' | '+' | '&' | '.' | '\u{ff0c}' | '\u{3001}' | '\u{ff1b}'
    )
}

/// Returns whether a directive follows such a separator: `max-snippet:20/noindex`. `none` does not count: it may be a value of
/// `max-image-preview`.
fn is_separated(text: &str) -> bool {
    let is_directive =
        |part: &str| begins_with_name(part) && !part.trim().eq_ignore_ascii_case("none");
    text.split(is_separating).skip(1).any(is_directive)
}

/// Returns whether a name is that of the header, or of an attribute: `X-Robots-Tag: X-Robots-Tag: noindex`.
fn is_name_of_field(name: &str) -> bool {
    let names = ["x-robots-tag", "robots-tag", "x-robots", "content", "robot"];
    names.iter().any(|field| field.eq_ignore_ascii_case(name))
}

/// Returns the name before a directive in a META, where no name belongs: that of a robot or a field. For a misspelt robot also
/// the robot that is meant.
fn hiding_name(text: &str) -> Option<(&str, Option<&'static str>)> {
    let (name, directive) = text.split_once([':', '='])?;
    let name = name.trim_end();
    // `content="noindex"`
    if !begins_with_name(directive.trim_start_matches(|c: char| !c.is_alphanumeric())) {
        return None;
    }
    if is_name_of_field(name) || is_robot_name(name) {
        return Some((name, None));
    }
    misspelt_robot(name).map(|meant| (name, Some(meant)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use FindingKind::{
        ConflictingDirectives as Conflict, EmptyList as Empty, InvalidValue as Invalid,
        MissingComma, MisspeltDirective as Misspelt, NameInList, NoZone, PrefixLeak,
        RepeatedDirective as Repeated, UnknownDirective as Unknown, UnknownZone, ValueOnFlag,
        WithoutEffect, WrongSeparator,
    };
    use proptest::prelude::*;

    /// The kind, the text, and the other text or the directive that is meant.
    type Row<'a> = (FindingKind, &'a str, Option<&'a str>);

    fn rows(findings: Vec<ListFinding<'_>>) -> Vec<Row<'_>> {
        findings
            .into_iter()
            .map(|finding| {
                let other = finding.other_text().or(finding.meant());
                (finding.kind(), finding.text(), other)
            })
            .collect()
    }

    fn content(list: &str) -> Vec<Row<'_>> {
        rows(findings_in_content(list))
    }

    fn header(list: &str) -> Vec<Row<'_>> {
        rows(findings_in_header(list))
    }

    #[test]
    fn lists_without_findings() {
        for list in [
            "noindex, nofollow",
            "INDEX,FOLLOW",
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
        // docs/semantics.md, section 0.6, which does not define the meaning of the list.
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
    fn repeated_directives() {
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
        // A contradiction is reported once, not again for a repeated directive.
        assert_eq!(
            content("index, noindex, noindex"),
            [
                (Conflict, "noindex", Some("index")),
                (Repeated, "noindex", Some("noindex")),
            ]
        );
    }

    #[test]
    fn unknown_directives() {
        assert_eq!(
            content("noopd, no-index, no follow, googlebot: noindex, xyz"),
            [
                (Misspelt, "noopd", Some("noodp")),
                (Misspelt, "no-index", Some("noindex")),
                (Misspelt, "no follow", Some("nofollow")),
                (NameInList, "googlebot", None),
                (Unknown, "xyz", None),
            ]
        );
        assert_eq!(
            content("max-snipet: 20, noindex=1, unavailble_after: 2027-12-31"),
            [
                (Misspelt, "max-snipet: 20", Some("max-snippet")),
                (Misspelt, "noindex=1", Some("noindex")),
                (
                    Misspelt,
                    "unavailble_after: 2027-12-31",
                    Some("unavailable_after")
                ),
            ]
        );
        // The misspelt name counts as that of a robot.
        assert_eq!(
            header("unavailble_after: 2027-12-31"),
            [
                (Misspelt, "unavailble_after", Some("unavailable_after")),
                (Unknown, "2027-12-31", None),
            ]
        );
    }

    #[test]
    fn words_that_belong_together() {
        // The known directives in this text are `index` and `follow`.
        assert_eq!(
            content("no index no follow"),
            [
                (Misspelt, "no index", Some("noindex")),
                (MissingComma, "no", Some("index")),
                (Misspelt, "no follow", Some("nofollow")),
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
        // `nofollow` is a directive, not a value: the colon is in place of a comma.
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
    fn signs_in_place_of_commas() {
        // `noindex` and `nofollow` are read.
        for list in [
            "noindex - nofollow",
            "noindex | nofollow",
            "noindex;nofollow",
            "noindex ; nofollow",
            "- noindex - nofollow",
        ] {
            let expected = [(MissingComma, "nofollow", Some("noindex"))];
            assert_eq!(content(list), expected, "{list}");
            assert_eq!(header(list), expected, "{list}");
        }
        assert_eq!(content("noindex, -"), [(Unknown, "-", None)]);
        assert_eq!(
            content("x; y"),
            [(Unknown, "x", None), (Unknown, "y", None)]
        );
        // Not read: one unknown directive.
        assert_eq!(
            content("- nofollow"),
            [(Misspelt, "- nofollow", Some("nofollow"))]
        );
        for list in [
            "noindex/nofollow",
            "noindex|nofollow|noarchive",
            "noindex\u{ff0c}nofollow",
            "noindex\u{3001} nofollow",
            "noindex.nofollow",
            "noindexnofollow",
            "noindex -nofollow",
            "max-snippet:20/noindex",
            "max-image-preview:large|max-snippet:20",
        ] {
            let expected = [(WrongSeparator, list, None)];
            assert_eq!(content(list), expected, "{list}");
            assert_eq!(header(list), expected, "{list}");
        }
        let list = "noindex|max-snippet:20";
        assert_eq!(content(list), [(WrongSeparator, list, None)]);
        // Before its colon it counts as the name of a robot.
        assert_eq!(
            header(list),
            [(WrongSeparator, "noindex|max-snippet", None)]
        );
        for (list, name) in [
            ("noindex/max-snippet:20", "noindex"),
            (
                "follow|max-snippet:-1|max-image-preview:large",
                "-1|max-image-preview",
            ),
        ] {
            assert_eq!(content(list), [(WrongSeparator, list, None)]);
            assert_eq!(header(list), [(WrongSeparator, name, None)]);
        }
        assert_eq!(
            content("max-image-preview:[large], unavailable_after: 31/12/2027"),
            [
                (Invalid, "max-image-preview:[large]", None),
                (Invalid, "unavailable_after: 31/12/2027", None),
            ]
        );
    }

    #[test]
    fn names_before_directives() {
        let field = "X-Robots-Tag: noindex, nofollow";
        assert_eq!(header(field), [(NameInList, "X-Robots-Tag", None)]);
        assert_eq!(content(field), [(NameInList, "X-Robots-Tag", None)]);
        let misspelt = [(NameInList, "googelbot", Some("googlebot"))];
        assert_eq!(header("noarchive, googelbot: noindex, nofollow"), misspelt);
        assert_eq!(content("googelbot: noindex, nofollow"), misspelt);
        // In a header these are names of robots.
        for name in ["robots", "googlebot", "MSNBot"] {
            assert_eq!(header(&format!("{name}: noindex")), [], "{name}");
            let list = format!("{name}: noindex");
            assert_eq!(content(&list), [(NameInList, name, None)]);
        }
        for list in ["content=noindex", "content=\"noindex\"", "content: noindex"] {
            assert_eq!(content(list), [(NameInList, "content", None)]);
        }
        let other = "googlebot: yes";
        assert_eq!(content(other), [(Unknown, other, None)]);
        assert_eq!(header("unknown-robot: noindex"), []);
        assert_eq!(content("rating: all"), [(Unknown, "rating: all", None)]);
    }

    #[test]
    fn a_name_in_force_may_come_from_another_line() {
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
    fn a_finding_has_a_place() {
        let found = findings_in_content("index, NOINDEX");
        assert_eq!(found[0].span(), 7..14);
        assert_eq!(found[0].other_span(), Some(0..5));
        let found = findings_in_content("noopd");
        assert_eq!(found[0].other_span(), None);
    }

    #[test]
    fn directives_are_compared_up_to_the_limit() {
        // Unknown directives, such as `x`, are not compared: they do not count towards the limit.
        let is_conflict = |count: usize| {
            let list = format!("{}index", "x,noindex,".repeat(count - 1));
            findings_in_content(&list)
                .iter()
                .any(|finding| finding.kind() == Conflict)
        };
        assert!(is_conflict(MAX_COMPARED_DIRECTIVES - 1));
        assert!(is_conflict(MAX_COMPARED_DIRECTIVES));
        assert!(!is_conflict(MAX_COMPARED_DIRECTIVES + 1));
        // A directive that is not compared may be a noindex.
        let list = format!(
            "indexifembedded{}",
            ",index".repeat(MAX_COMPARED_DIRECTIVES)
        );
        let found = findings_in_content(&list);
        assert!(found.iter().all(|finding| finding.kind() == Repeated));
    }

    #[test]
    fn findings_are_limited() {
        for count in [MAX_FINDINGS - 1, MAX_FINDINGS, MAX_FINDINGS + 1] {
            let found = findings_in_content(&"x,".repeat(count)).len();
            assert_eq!(found, count.min(MAX_FINDINGS));
        }
    }

    #[test]
    fn long_names_and_lists_take_linear_time() {
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
            "noindex/".repeat(1 << 17),
            "max-snippet:x/".repeat(1 << 16),
            "googelbot: x, ".repeat(1 << 16),
            "- noindex ".repeat(1 << 16),
            format!(
                "noindex{}{}nofollow",
                " ".repeat(1 << 19),
                "- ".repeat(1 << 18)
            ),
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
                    "unavailable_after: 31 Dec 2027", "indexifembedded", "noopd", "-", "/", "robots: ",
                    "googelbot: ", "X-Robots-Tag: ", "\u{ff0c}",
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
        fn any_text_is_accepted(list in "\\PC{0,60}") {
            let _ = findings_in_content(&list);
            let _ = findings_in_header(&list);
        }
    }
}
