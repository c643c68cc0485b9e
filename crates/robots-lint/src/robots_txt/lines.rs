//! Findings on the bytes of a body and on its lines, in any group.

use super::ignore::Collector;
use super::line_breaks::{is_compared, lost_break};
use super::values;
use crate::catalogue::FindingKind as Kind;
use crate::fix::{Edit, Fix};
use crate::invisible::Invisible;
use memchr::{memchr, memchr_iter};
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::{Field, Line, LineFacts, LineKind, Spelling, byte_order_mark, is_space};
use robots_txt::{Dialect, RobotsTxt};
use std::ops::Range;
use url::Url;

/// The maximum length of an unknown field name that is compared with the known names, in bytes. The longest
/// known name, `DisallowAITraining`, is shorter by more than the two letters of a misspelling.
const MAX_COMPARED_NAME: usize = 24;

/// The maximum number of letters after the name of a field that a fix removes.
const MAX_FIXED_LETTERS: usize = 2;

/// A byte order mark that was read as ISO-8859-1 and written as UTF-8.
const MARK_ENCODED_TWICE: &[u8] = "\u{ef}\u{bb}\u{bf}".as_bytes();

/// The first bytes of gzip: the magic number and the method, deflate (RFC 1952, section 2.3.1).
pub(super) const GZIP: &[u8] = b"\x1F\x8B\x08";

/// Fields in use that robots of search engines do not read (docs/semantics.md, section 1.6).
const IGNORED_FIELDS: [&str; 4] = ["Agentmap", "Schemamap", "LLMs", "LLM-Policy"];

/// Returns whether a body is in UTF-16: it has the byte order mark, or every second byte of its start is NUL.
pub(super) fn is_utf16(body: &[u8]) -> bool {
    /// The number of bytes that are examined.
    const START: usize = 64;
    /// The minimum number of code units. In fewer, NULs may be there by chance.
    const MIN_UNITS: usize = 5;
    if matches!(body, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return true;
    }
    let start = &body[..START.min(body.len())];
    let (pairs, _) = start.as_chunks::<2>();
    pairs.len() >= MIN_UNITS
        && (pairs.iter().all(|[one, two]| *one != 0 && *two == 0)
            || pairs.iter().all(|[one, two]| *one == 0 && *two != 0))
}

/// Returns whether a field other than a rule has an effect only within a group (docs/semantics.md, section 4.1).
pub(super) fn needs_group(field: Field) -> bool {
    matches!(
        field,
        Field::ContentSignal
            | Field::ContentUsage
            | Field::CrawlDelay
            | Field::RequestRate
            | Field::VisitTime
            | Field::AllowAiTraining
            | Field::DisallowAiTraining
    )
}

/// Examines each line, and the values of directives.
pub(super) fn examine(robots: &RobotsTxt, findings: &mut Collector) {
    let body = robots.body();
    let start = byte_order_mark(body);
    if robots.looks_like_html() {
        findings.add_at(Kind::HtmlBody, 1, 0..0);
    }
    if start > 0 {
        findings.add(Kind::ByteOrderMark, 1, 0..start, |found| {
            // Without the first of two marks, the second would become the first, which robots skip.
            let is_last = byte_order_mark(body.get(start..).unwrap_or_default()) == 0;
            let fix = is_last.then(|| Fix::new(Edit::new(0..start, "")));
            found.with_fix(fix)
        });
    }
    let is_encoded_twice = body.starts_with(MARK_ENCODED_TWICE);
    if is_encoded_twice {
        findings.add(
            Kind::ByteOrderMark,
            1,
            0..MARK_ENCODED_TWICE.len(),
            |found| {
                found
                    .with_detail("it was encoded twice, so no robot recognises the line".to_owned())
            },
        );
    }
    line_ends(body, findings);
    not_utf8(robots, findings);
    let mut has_directive = false;
    let mut has_agent = false;
    let mut is_over = false;
    for line in robots.lines() {
        let end = line.offset() + line.bytes().len();
        if !is_over && body.len() > RFC9309_SIZE_LIMIT && end >= RFC9309_SIZE_LIMIT {
            is_over = true;
            findings.add_at(Kind::OverSizeLimit, line.number(), line.offset()..end);
        }
        has_directive |= line.kind() == LineKind::Directive;
        has_agent |= line.field() == Field::UserAgent;
        // Other findings on the first line would follow from the mark that was encoded twice.
        if line.offset() > 0 || !is_encoded_twice {
            LineExaminer { body, line }.examine(has_agent, findings);
        }
    }
    let site = robots.url().and_then(|url| Url::parse(url).ok());
    let site = site.as_ref().and_then(Url::host_str);
    for directive in robots.directives(&LINT_DIALECT) {
        values::examine(directive, site, findings);
    }
    let is_cut = robots.is_truncated_for(&LINT_DIALECT);
    if is_cut && !is_over {
        // The line at the limit continues past `MAX_BODY`, and `RobotsTxt` drops the line that it cuts there.
        findings.add_at(Kind::OverSizeLimit, 1, 0..0);
    }
    // The part that was cut may have directives, and an HTML page has its own finding.
    if !has_directive && !is_cut && !robots.looks_like_html() {
        findings.add_at(Kind::EmptyFile, 1, 0..0);
    }
}

/// Finds line ends that are CR alone, and those that are CR CR LF. One finding covers all of a kind.
fn line_ends(body: &[u8], findings: &mut Collector) {
    let is_bare = |at: &usize| body.get(at + 1) != Some(&b'\n');
    let is_doubled = |at: &usize| body.get(at + 1..at + 3) == Some(b"\r\n");
    let bare = memchr_iter(b'\r', body).filter(is_bare);
    let alone = bare.clone().filter(|at| !is_doubled(at));
    let doubled = bare.filter(is_doubled);
    add_line_ends(Kind::BareCr, body, alone, "\n", findings);
    // Without the first CR, a blank line for robots that accept CR alone is gone, which has no meaning for Google.
    add_line_ends(Kind::DoubledCr, body, doubled, "", findings);
}

/// Adds a finding on the CR at these places, which a fix replaces; none if there are no places.
fn add_line_ends(
    kind: Kind,
    body: &[u8],
    places: impl Iterator<Item = usize> + Clone,
    replacement: &'static str,
    findings: &mut Collector,
) {
    let Some(first) = places.clone().next() else {
        return;
    };
    let number = memchr_iter(b'\n', &body[..first]).count() + 1;
    findings.add(kind, number, first..first + 1, |found| {
        found.with_fix(Some(Fix::of_each_byte(places, replacement)))
    });
}

/// Finds directives that are not UTF-8. One finding covers them all. Comments and other lines have no effect.
fn not_utf8(robots: &RobotsTxt, findings: &mut Collector) {
    if std::str::from_utf8(robots.body()).is_ok() || robots.looks_like_html() {
        return;
    }
    let mut is_found = false;
    for line in robots.lines().filter(is_compared) {
        let value = line.value();
        let Err(error) = std::str::from_utf8(value) else {
            continue;
        };
        if is_found {
            findings.explain(line.number(), Kind::NotUtf8);
        } else {
            is_found = true;
            let start = line.value_span().start + error.valid_up_to();
            findings.add_at(Kind::NotUtf8, line.number(), start..start + 1);
        }
    }
}

/// The effect of a fix on the decisions of robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FixEffect {
    KeepsDecisions,
    MayChangeDecisions,
}

struct LineExaminer<'b> {
    body: &'b [u8],
    line: Line<'b>,
}

impl LineExaminer<'_> {
    fn examine(&self, has_agent: bool, findings: &mut Collector) {
        let line = &self.line;
        let facts = line.facts();
        if facts.contains(LineFacts::NUL) {
            let at = memchr(0, line.bytes()).unwrap_or_default();
            let at = line.offset() + at;
            // Other findings on the line would follow from this one.
            return self.add(Kind::NulByte, at..at + 1, findings);
        }
        if let Some(lost) = lost_break(line) {
            let span = line.span_of(lost.text);
            findings.add(Kind::MissingLineBreak, line.number(), span, |found| {
                found.with_detail(lost.detail)
            });
        }
        if facts.contains(LineFacts::LONG) {
            self.add(Kind::LongLine, self.whole(), findings);
        }
        match line.kind() {
            LineKind::Junk => self.add(Kind::Junk, self.whole(), findings),
            LineKind::Directive => self.directive(has_agent, findings),
            _ => {}
        }
    }

    fn directive(&self, has_agent: bool, findings: &mut Collector) {
        let line = &self.line;
        if !self.invisible(findings) {
            self.name(findings);
        }
        let is_rule = matches!(line.field(), Field::Allow | Field::Disallow);
        if !has_agent {
            if is_rule {
                self.add(Kind::RuleWithoutGroup, self.whole(), findings);
            } else if needs_group(line.field()) {
                self.add(Kind::FieldWithoutGroup, line.key_span(), findings);
            }
        }
        if matches!(
            line.field(),
            Field::AllowAiTraining | Field::DisallowAiTraining
        ) {
            self.add(Kind::TrainingField, line.key_span(), findings);
        }
        // A byte order mark has its own finding.
        let mark = if line.offset() == 0 {
            byte_order_mark(self.body)
        } else {
            0
        };
        let text = &line.bytes()[mark..];
        let before = text.iter().take_while(|byte| is_space(**byte)).count();
        if before > 0 {
            let start = line.offset() + mark;
            let span = start..start + before;
            findings.add(Kind::LeadingSpace, line.number(), span, |found| {
                let fix = Fix::new(Edit::new(found.span(), ""));
                found.with_fix(Some(fix))
            });
        }
        self.hash(findings);
    }

    /// Examines the spelling of the field.
    fn name(&self, findings: &mut Collector) {
        let line = &self.line;
        let key = line.key_span();
        if line.facts().contains(LineFacts::NO_COLON) {
            if line.field() == Field::Other {
                return self.add(Kind::Junk, self.whole(), findings);
            }
            // `Disallow /x`: Google reads a line of two words as if a colon were between them.
            if self.is_certain_misspelling() {
                return self.misspelt_without_colon(key, findings);
            }
            return self.missing_colon(key, FixEffect::KeepsDecisions, findings);
        }
        match (line.field(), line.spelling()) {
            (Field::Other, _) => self.unknown(key, findings),
            (_, Spelling::Exact) => {}
            (field, spelling) => {
                let name = field.name();
                let length = match spelling {
                    Spelling::Typo => typo_length(line.key()),
                    _ => name.len(),
                };
                let rest = &line.key()[length..];
                // `Sitemap https://...`: the key ends at the colon of the URL, as there is none after the name.
                if rest.first().is_some_and(|&byte| is_space(byte)) {
                    let word = key.start..key.start + length;
                    // In `Disallow https://...` Google reads the value after the colon of the URL. A colon after the
                    // name would change this value.
                    let effect = match field {
                        Field::Sitemap => FixEffect::KeepsDecisions,
                        _ => FixEffect::MayChangeDecisions,
                    };
                    if spelling == Spelling::Typo && effect == FixEffect::KeepsDecisions {
                        return self.misspelt_without_colon(word, findings);
                    }
                    return self.missing_colon(word, effect, findings);
                }
                findings.add(Kind::MisspeltField, line.number(), key, |found| {
                    let fix = self.is_certain_misspelling();
                    let fix = fix.then(|| Fix::new(Edit::new(found.span(), name)));
                    found
                        .with_detail(format!("the correct name is `{name}`"))
                        .with_fix(fix)
                });
            }
        }
    }

    /// Returns whether the name is misspelt, and certain to be meant for the field. One with more additional letters may be meant for
    /// another field.
    fn is_certain_misspelling(&self) -> bool {
        let line = &self.line;
        match line.spelling() {
            Spelling::Exact => false,
            Spelling::Continued => {
                let name = line.field().name().len();
                line.key().len() - name <= MAX_FIXED_LETTERS
            }
            _ => true,
        }
    }

    /// Adds a finding on a misspelt name without a colon, with a fix of both.
    fn misspelt_without_colon(&self, word: Range<usize>, findings: &mut Collector) {
        let name = self.line.field().name();
        findings.add(Kind::MissingColon, self.line.number(), word, |found| {
            let fix = Fix::new(Edit::new(found.span(), format!("{name}:")));
            found
                .with_detail(format!("the correct name is `{name}`"))
                .with_fix(Some(fix))
        });
    }

    /// Adds a finding on a name without a colon. A fix inserts the colon, unless that may change decisions.
    fn missing_colon(&self, word: Range<usize>, effect: FixEffect, findings: &mut Collector) {
        findings.add(Kind::MissingColon, self.line.number(), word, |found| {
            let fix = (effect == FixEffect::KeepsDecisions)
                .then(|| Fix::new(Edit::new(found.span().end..found.span().end, ":")));
            found.with_fix(fix)
        });
    }

    fn unknown(&self, key: Range<usize>, findings: &mut Collector) {
        let is_key = |name: &&str| self.line.key().eq_ignore_ascii_case(name.as_bytes());
        if IGNORED_FIELDS.iter().any(is_key) {
            return self.add(Kind::IgnoredField, key, findings);
        }
        let Some(field) = near_field(self.line.key()) else {
            return self.add(Kind::UnknownField, key, findings);
        };
        let name = field.name();
        // A fix must not change a decision. Google reads `AllowAITraining` as `Allow`.
        let decides = matches!(
            field,
            Field::UserAgent
                | Field::Allow
                | Field::Disallow
                | Field::AllowAiTraining
                | Field::DisallowAiTraining
        );
        findings.add(Kind::NearField, self.line.number(), key, |found| {
            let fix = (!decides).then(|| Fix::new(Edit::new(found.span(), name)));
            found
                .with_detail(format!("`{name}` is similar"))
                .with_fix(fix)
        });
    }

    /// Finds the first invisible character or wide space of the field or of a value that robots compare. Returns whether it is in the
    /// name of a known field, which is not misspelt otherwise.
    fn invisible(&self, findings: &mut Collector) -> bool {
        let line = &self.line;
        if line.bytes().is_ascii() {
            return false;
        }
        let key = line.key_span();
        if let Some(invisible) = Invisible::or_space_in(line.key())
            && let Some(field) = field_without_invisible(line.key())
        {
            let span = invisible.span_from(key.start);
            findings.add(Kind::InvisibleCharacter, line.number(), span, |found| {
                // Google recognises a field by the start of its name.
                let is_read = line.field() == field && line.spelling() == Spelling::Continued;
                let fix = is_read.then(|| Fix::new(Edit::new(key, field.name())));
                let detail = format!("{} in the name of `{field}`", invisible.name());
                found.with_detail(detail).with_fix(fix)
            });
            return true;
        }
        if is_compared(line)
            && let Some(invisible) = Invisible::or_space_in(line.value())
        {
            let span = invisible.span_from(line.value_span().start);
            findings.add(Kind::InvisibleCharacter, line.number(), span, |found| {
                found.with_detail(invisible.name())
            });
        }
        false
    }

    /// Finds a `#` between the value and more text, without white space.
    fn hash(&self, findings: &mut Collector) {
        let line = &self.line;
        let end = line.value_span().end;
        // This check is first, as nearly all lines fail it.
        let is_comment = self.body.get(end) == Some(&b'#');
        if !is_comment || line.value().is_empty() || line.field() == Field::Other {
            return;
        }
        let whole = self.whole();
        let rest = self.body.get(end..whole.end).unwrap_or_default();
        // A `#` before white space, or the first of several, is meant to begin a comment.
        if let [b'#', next, ..] = rest
            && !is_space(*next)
            && *next != b'#'
        {
            self.add(Kind::CutByHash, end..whole.end, findings);
        }
    }

    fn add(&self, kind: Kind, span: Range<usize>, findings: &mut Collector) {
        findings.add_at(kind, self.line.number(), span);
    }

    /// Returns the span of the line without white space around it.
    fn whole(&self) -> Range<usize> {
        match self.line.trimmed() {
            [] => self.line.offset()..self.line.offset(),
            text => self.line.span_of(text),
        }
    }
}

/// Returns the field that a name is without invisible characters and wide spaces; `None` if it has other characters outside
/// ASCII, or is not known then.
fn field_without_invisible(key: &[u8]) -> Option<Field> {
    if key.len() > MAX_COMPARED_NAME {
        return None;
    }
    let text = Invisible::removed_from(std::str::from_utf8(key).ok()?);
    match Field::from_name(text.as_bytes()) {
        (Field::Other, _) => near_field(text.as_bytes()),
        (field, _) => Some(field),
    }
}

/// Returns the field whose name is nearly this: with another separator, or with one letter added, missing, wrong or
/// exchanged with the next. A name of 8 letters or more may have two of these; a name of up to 4 letters none.
fn near_field(key: &[u8]) -> Option<Field> {
    if key.len() > MAX_COMPARED_NAME {
        return None;
    }
    let key = std::str::from_utf8(key).ok()?.to_ascii_lowercase();
    let key = key.replace(['_', ' '], "-");
    let length = key.chars().count();
    let near = Field::NAMED.iter().filter_map(|field| {
        let name = field.name();
        let allowed = match name.len() {
            0..=4 => 0,
            5..=7 => 1,
            _ => 2,
        };
        // The distance is at least the difference of the lengths, which nearly always excludes the name.
        if name.len().abs_diff(length) > allowed {
            return None;
        }
        let distance = strsim::osa_distance(&key, &name.to_ascii_lowercase());
        (distance <= allowed).then_some((distance, *field))
    });
    near.min().map(|(_, field)| field)
}

/// The dialect in which files are read. It accepts the most misspelt lines, so that one mistake has one finding.
pub(super) const LINT_DIALECT: Dialect = Dialect::GOOGLE;

/// Returns the field whose name is written. Google reads `AllowAITraining` as `Allow`, because it begins so; this function
/// returns [`Field::AllowAiTraining`].
pub(super) fn field_named(line: &Line<'_>) -> Field {
    let (field, key) = (line.field(), line.key());
    // Fast path for nearly every line: a key of the same length is the name.
    if line.spelling() == Spelling::Exact && key.len() == field.name().len() {
        return field;
    }
    Field::from_name(key).0
}

/// Returns the length of a misspelt name at the start of a key: of its first word, or of `user agent`.
fn typo_length(key: &[u8]) -> usize {
    let two_words = b"user agent";
    let start = key.get(..two_words.len());
    if start.is_some_and(|start| start.eq_ignore_ascii_case(two_words)) {
        return two_words.len();
    }
    key.iter()
        .position(|&byte| is_space(byte))
        .unwrap_or(key.len())
}
