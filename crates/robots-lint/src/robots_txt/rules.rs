//! Findings on the patterns of rules, and on rules that never decide.

use super::ignore::Collector;
use super::lines::field_named;
use super::notation::{regular_expression, second_path};
use super::sitemaps::SiteHosts;
use crate::catalogue::FindingKind as Kind;
use crate::fix::{Edit, Fix};
use memchr::{memchr, memchr_iter};
use percent_encoding::{AsciiSet, percent_encode};
use robots_txt::analysis::ShadowCause;
use robots_txt::parse::{Field, Line, LineFacts, Spelling, is_space};
use robots_txt::select::{Directive, Group};
use robots_txt::{Dialect, RobotsTxt, Rule, Rules};
use std::ops::Range;

pub(super) fn examine(robots: &RobotsTxt, groups: &[Group<'_>], findings: &mut Collector) {
    let hosts = SiteHosts::new(robots);
    for group in groups {
        let mut matching: Vec<Directive<'_>> = Vec::with_capacity(group.directives().len());
        for directive in group.directives() {
            let line = directive.line();
            // Fields that only Google reads as rules have their own finding.
            let field = field_named(&line);
            if matches!(field, Field::Allow | Field::Disallow) {
                let pattern = Pattern {
                    line: line.number(),
                    allows: field == Field::Allow,
                    text: line.value(),
                    span: line.value_span(),
                };
                // A rule without a path has no effect of its own.
                if !pattern.text.is_empty() && pattern.examine(&hosts, findings) {
                    matching.push(*directive);
                }
            }
        }
        find_short_paths(&matching, findings);
        find_shadowed(robots, &matching, findings);
    }
}

struct Pattern<'b> {
    line: usize,
    allows: bool,
    text: &'b [u8],
    span: Range<usize>,
}

impl Pattern<'_> {
    /// Examines the pattern; returns whether it can match a path.
    fn examine(&self, hosts: &SiteHosts<'_>, findings: &mut Collector) -> bool {
        let text = self.text;
        self.examine_notation(findings);
        // Nearly every pattern has only printable ASCII, without escapes and without `$`.
        let is_special = |byte: u8| !byte.is_ascii_graphic() || matches!(byte, b'%' | b'$');
        // Without a branch for each byte.
        let has_special = text.iter().fold(false, |has, &byte| has | is_special(byte));
        if has_special {
            self.examine_bytes(findings);
        }
        // A pattern of one star needs it: without a path, a rule has no effect. So does one with a `$` before the star, which would
        // be at the end without it.
        let before_star = text.strip_suffix(b"*").unwrap_or_default();
        if !matches!(before_star, [] | [.., b'$']) {
            self.add(Kind::TrailingStar, text.len() - 1, 1, findings);
        }
        if has_special && let Some(at) = memchr(b'$', text).filter(|at| at + 1 < text.len()) {
            self.add(Kind::InnerDollar, at, 1, findings);
        }
        if text == b"/robots.txt" && !self.allows {
            self.add(Kind::ClosesItself, 0, text.len(), findings);
        }
        if matches!(text.first(), Some(b'/' | b'*')) {
            if is_own_url_after_slash(text, hosts) {
                self.add(Kind::AbsoluteUrl, 0, text.len(), findings);
            }
            return true;
        }
        let kind = if after_scheme(text).is_some() {
            Kind::AbsoluteUrl
        } else {
            Kind::NoSlash
        };
        self.add(kind, 0, text.len(), findings);
        false
    }

    /// Finds regular expressions and lists of paths.
    fn examine_notation(&self, findings: &mut Collector) {
        let quoted = |part: &Range<usize>| {
            let part = self.text.get(part.clone()).unwrap_or_default();
            format!("`{}`", String::from_utf8_lossy(part))
        };
        if let Some(part) = regular_expression(self.text) {
            let span = self.span.start + part.start..self.span.start + part.end;
            findings.add(Kind::RegularExpression, self.line, span, |found| {
                found.with_detail(quoted(&part))
            });
        } else if let Some(part) = second_path(self.text) {
            self.add(Kind::SeveralValues, part.start, part.len(), findings);
        }
    }

    /// Finds bytes that URLs have only as escapes, and invalid escapes.
    fn examine_bytes(&self, findings: &mut Collector) {
        let text = self.text;
        if let Some(at) = text.iter().position(|byte| is_space(*byte)) {
            self.add(Kind::SpaceInPath, at, 1, findings);
        }
        if let Some(at) = text.iter().position(|byte| !byte.is_ascii()) {
            let length = text
                .iter()
                .skip(at)
                .take_while(|byte| !byte.is_ascii())
                .count();
            let start = self.span.start + at;
            findings.add(Kind::NonAscii, self.line, start..start + length, |found| {
                // In an encoding other than UTF-8 the bytes differ from those of the URL.
                let fix = std::str::from_utf8(text).is_ok().then(|| self.escaped());
                found.with_fix(fix)
            });
        }
        // At the end and before a star, google/robotstxt matches an incomplete escape with all escapes that begin so.
        let is_escape = |at: usize| {
            let rest = &text[at + 1..];
            let mut digits = rest.iter().take(2).take_while(|byte| **byte != b'*');
            digits.all(u8::is_ascii_hexdigit)
        };
        if let Some(at) = memchr_iter(b'%', text).find(|&at| !is_escape(at)) {
            self.add(Kind::BadEscape, at, 1, findings);
        }
    }

    fn escaped(&self) -> Fix {
        // `percent_encode` always escapes bytes outside ASCII.
        const NOTHING_ELSE: &AsciiSet = &AsciiSet::EMPTY;
        let escaped = percent_encode(self.text, NOTHING_ELSE).to_string();
        Fix::new(Edit::new(self.span.clone(), escaped))
    }

    fn add(&self, kind: Kind, at: usize, length: usize, findings: &mut Collector) {
        let start = self.span.start + at;
        findings.add_at(kind, self.line, start..start + length);
    }
}

/// Finds paths of one or two letters, such as `/c`, which also closes /communities. They are findings only in a group that has
/// folders with the slash at their end: in others, the start of a path may be meant.
fn find_short_paths(rules: &[Directive<'_>], findings: &mut Collector) {
    let closing = || {
        let lines = rules.iter().map(Directive::line);
        lines.filter(|line| field_named(line) == Field::Disallow)
    };
    let is_folder = |line: Line<'_>| matches!(line.value(), [b'/', .., b'/']);
    let is_short =
        |name: &[u8]| matches!(name.len(), 1 | 2) && name.iter().all(u8::is_ascii_alphabetic);
    if !closing().any(is_folder) {
        return;
    }
    for line in closing() {
        if line.value().strip_prefix(b"/").is_some_and(is_short) {
            findings.add_at(Kind::ShortPath, line.number(), line.value_span());
        }
    }
}

/// Returns the text after `http://` or `https://`.
fn after_scheme(text: &[u8]) -> Option<&[u8]> {
    [&b"http://"[..], b"https://"]
        .into_iter()
        .find_map(|scheme| {
            let (start, rest) = text.split_at_checked(scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then_some(rest)
        })
}

/// Returns a pattern without its slashes at the start, if it has some.
fn after_slashes(text: &[u8]) -> &[u8] {
    let slashes = text.iter().take_while(|byte| **byte == b'/').count();
    text.get(slashes..).unwrap_or_default()
}

/// Returns whether a pattern is a URL of the site after a slash, such as `/https://www.shop.example/a`. With the host of another
/// site, it may be meant for broken links.
fn is_own_url_after_slash(text: &[u8], hosts: &SiteHosts<'_>) -> bool {
    let Some(rest) = after_scheme(after_slashes(text)) else {
        return false;
    };
    let host = rest.split(|byte| *byte == b'/').next().unwrap_or_default();
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    hosts.contain(&host)
}

/// Finds rules of a group that never decide.
fn find_shadowed(robots: &RobotsTxt, directives: &[Directive<'_>], findings: &mut Collector) {
    let rules = Rules::of_directives(robots, directives, &Dialect::RFC9309);
    let directive = |rule: &Rule<'_>| {
        let number = |directive: &Directive<'_>| directive.line().number();
        let at = directives.binary_search_by_key(&rule.line(), number).ok()?;
        directives.get(at)
    };
    for shadow in rules.shadows() {
        let Some(rule) = directive(&shadow.rule()) else {
            continue;
        };
        let line = rule.line();
        let (number, span) = (line.number(), line.value_span());
        match shadow.cause() {
            ShadowCause::Duplicate(of) => {
                if let Some(first) = directive(&of).map(Directive::line) {
                    findings.add(Kind::DuplicateRule, number, span, |found| {
                        found.with_related(first.number()).with_fix(without_line(
                            robots.body(),
                            &line,
                            &first,
                        ))
                    });
                }
            }
            // A second rule with the same effect on the same paths is harmless: often one is for robots that know wildcards,
            // and the other for those that do not.
            ShadowCause::Outranked(by) if by.kind() != shadow.rule().kind() => {
                findings.add(Kind::ShadowedRule, number, span, |found| {
                    found.with_related(by.line())
                });
            }
            ShadowCause::NeverMatches => findings.add_at(Kind::NeverMatches, number, span),
            // A rule with the same effect, or a cause that is new.
            _ => {}
        }
    }
}

/// Returns the fix that removes a rule written exactly as `kept`, if every robot that reads it also reads `kept`.
fn without_line(body: &[u8], line: &Line<'_>, kept: &Line<'_>) -> Option<Fix> {
    if line.value() != kept.value() {
        return None;
    }
    // Some robots do not read lines with these facts, with a misspelt field, or with white space before the field.
    let unread_by_some = LineFacts::NO_COLON | LineFacts::NUL | LineFacts::LONG;
    let begins_with_space = kept.bytes().first().is_some_and(|byte| is_space(*byte));
    if kept.spelling() != Spelling::Exact
        || kept.facts().intersects(unread_by_some)
        || begins_with_space
    {
        return None;
    }
    let span = line.value_span();
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let start = body.get(..span.start)?.iter().rposition(is_end);
    let start = start.map_or(0, |at| at + 1);
    // A line with a comment is not removed, because the comment would be lost.
    let rest = body.get(span.end..)?;
    let length = rest.iter().position(is_end).unwrap_or(rest.len());
    if rest.get(..length)?.contains(&b'#') {
        return None;
    }
    let terminator = match rest.get(length..)? {
        [b'\r', b'\n', ..] => 2,
        [_, ..] => 1,
        [] => 0,
    };
    let end = span.end + length + terminator;
    Some(Fix::new(Edit::new(start..end, "")))
}
