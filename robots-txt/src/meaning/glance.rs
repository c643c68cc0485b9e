//! What a verdict or two tell of a rule, without a walk over all paths.
//!
//! A pattern is spelt out as a path, with a character that no pattern has in the place of its stars; who
//! decides about that path decides about every one that the pattern matches. So rules that can never decide
//! are seen ([`shadow`](super::shadow)), and how much is disallowed ([`summary`](super::summary)). What cannot be
//! spelt out is left to the walk. `n log n` in the rules, and a verdict or two for each.

use super::rivals::Rivals;
use super::shadow::ShadowCause;
use super::url_of;
use crate::dialect::{Dialect, Encoding};
use crate::encoding::is_of_url;
use crate::pattern::{Shape, split_end};
use crate::rules::{RankedRule, Rule, Rules};
use crate::target::Target;
use crate::verdict::Reason;
use std::borrow::Cow;

impl Rules {
    /// What a verdict or two say of each rule, in file order.
    ///
    /// A pattern is spelt out with a character for its stars, and for what may follow it, that no
    /// pattern has. Who matches that path can only do so with a star of its own for each such character,
    /// and so matches whatever the pattern matches: if another rule decides about that path, it does
    /// about all of them. If the rule itself decides, it decides.
    pub(super) fn at_a_glance(&self) -> Vec<(Rule<'_>, Seen<'_>)> {
        let ranked = self.ranked();
        let fresh = fresh_byte(self.dialect(), &ranked);
        let rules: Vec<Rule<'_>> = self.iter().collect();
        // Of an index page that stands for its folder there are two on a line; either may decide.
        let mut by_line: Vec<&RankedRule<'_>> = ranked.iter().collect();
        by_line.sort_by_key(|rule| rule.line);
        let lines: Vec<&[&RankedRule<'_>]> = by_line.chunk_by(|a, b| a.line == b.line).collect();
        let has_seconds = lines.len() < by_line.len();
        // Of rules that mean the same, the one that comes first in rank decides or none does. Of two on
        // a line, the shorter is another's form.
        let mut meanings: Vec<_> = ranked
            .iter()
            .enumerate()
            .filter(|(_, rule)| !has_seconds || !is_second(&by_line, rule))
            .map(|(rank, rule)| (rule.canonical_pattern(), rule.allows, rank, rule.line))
            .collect();
        // Most differ in length: then no byte is looked at.
        meanings.sort_unstable_by(|one, two| {
            let length = |pattern: &(u8, Cow<'_, [u8]>)| pattern.1.len();
            let order = length(&one.0).cmp(&length(&two.0));
            order.then_with(|| one.cmp(two))
        });
        let mut alikes: Vec<Alike> = Vec::with_capacity(meanings.len());
        for same in meanings.chunk_by(|one, two| one.0 == two.0) {
            // Those that allow come last.
            let is_contested = same.first().map(|one| one.1) != same.last().map(|one| one.1);
            for equal in same.chunk_by(|one, two| one.1 == two.1) {
                let leader = equal.first().map_or(0, |(.., line)| *line);
                alikes.extend(equal.iter().map(|&(_, _, rank, line)| Alike {
                    line,
                    leader,
                    rank,
                    is_contested,
                }));
            }
        }
        alikes.sort_unstable_by_key(|alike| alike.line);
        let rivals = Rivals::new(&ranked, self.dialect(), fresh);
        let rule_of = |line: usize| {
            let at = rules.binary_search_by_key(&line, Rule::line).ok()?;
            rules.get(at).copied()
        };
        let seen = |(rule, forms): (&Rule<'_>, &&[&RankedRule<'_>])| {
            let at = alikes.binary_search_by_key(&rule.line(), |alike| alike.line);
            let own = at.ok().and_then(|at| alikes.get(at));
            match own.and_then(|own| rule_of(own.leader)) {
                Some(first) if first.line() < rule.line() => {
                    Seen::Never(ShadowCause::Duplicate(first))
                }
                Some(first) if first.line() > rule.line() => {
                    Seen::Never(ShadowCause::Outranked(first))
                }
                _ if own.is_some_and(|own| !own.is_contested && rivals.leave(own.rank)) => {
                    Seen::Decides
                }
                _ => self.glance(rule.line(), forms, fresh),
            }
        };
        let all = rules.iter().zip(&lines).map(|both| (*both.0, seen(both)));
        all.collect()
    }

    /// What is seen of a rule that is no duplicate.
    fn glance(&self, line: usize, forms: &[&RankedRule<'_>], fresh: Option<u8>) -> Seen<'_> {
        let Some(fresh) = fresh else {
            return Seen::Unknown;
        };
        let mut winner = None;
        let mut is_certain = true;
        let mut matches = false;
        for form in forms {
            if form.never_begins() {
                continue;
            }
            matches = true;
            let Some(paths) = form.spelt_out(fresh) else {
                is_certain = false;
                continue;
            };
            for path in paths {
                match self.verdict(&target_of(&path)).reason() {
                    Reason::Rule(found) if found.line() == line => return Seen::Decides,
                    Reason::Rule(found) => winner = winner.or(Some(found)),
                    // The pattern is that path, and no other.
                    Reason::OwnPath => {}
                    _ => is_certain = false,
                }
            }
        }
        match winner {
            _ if !is_certain => Seen::Unknown,
            Some(winner) => Seen::Never(ShadowCause::Outranked(winner)),
            None if !matches || forms.len() == 1 => Seen::Never(ShadowCause::NeverMatches),
            None => Seen::Unknown,
        }
    }
}

/// A character of URLs that is in form as it is, and that no pattern has.
pub(super) fn fresh_byte(dialect: &Dialect, ranked: &[RankedRule<'_>]) -> Option<u8> {
    // There a character may have another form in a query.
    if dialect.encoding == Encoding::RfcTable {
        return None;
    }
    let mut has = [false; 256];
    for rule in ranked {
        for &byte in rule.form {
            if let Some(has) = has.get_mut(usize::from(byte)) {
                *has = true;
            }
        }
    }
    // Hexadecimal digits could become part of an escape.
    (b'g'..=b'z')
        .chain(b'G'..=b'Z')
        .chain(*b"_-~!'(),;@:+[]")
        .find(|byte| has.get(usize::from(*byte)) == Some(&false))
}

/// A rule among those that mean the same.
struct Alike {
    line: usize,
    /// The line of the one that comes before the others by rank.
    leader: usize,
    /// Its own place by rank.
    rank: usize,
    /// Whether another rule says the opposite of the same paths.
    is_contested: bool,
}

/// Whether a rule is the shorter of two on one line, among all in the order of lines.
fn is_second(by_line: &[&RankedRule<'_>], rule: &RankedRule<'_>) -> bool {
    let at = by_line.partition_point(|other| other.line < rule.line);
    let same = by_line
        .iter()
        .skip(at)
        .take_while(|other| other.line == rule.line);
    same.map(|other| other.form.len())
        .any(|length| length > rule.form.len())
}

/// What is seen of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen<'r> {
    Decides,
    Never(ShadowCause<'r>),
    Unknown,
}

/// A path as a target: two slashes at its start would begin a host.
pub(super) fn target_of(path: &str) -> Target<'_> {
    if path.starts_with("//") {
        Target::new(&url_of(path)).into_owned()
    } else {
        Target::new(path)
    }
}

impl RankedRule<'_> {
    /// Whether no path begins as the pattern does: paths begin with a slash.
    fn never_begins(&self) -> bool {
        self.reading.shape != Shape::Shell && !matches!(self.form.first(), None | Some(b'/' | b'*'))
    }

    /// The pattern with `fresh` for its stars and for what may follow it; `None` if it is a shell's.
    pub(super) fn spelling(&self, fresh: u8) -> Option<Vec<u8>> {
        let (pattern, is_whole) = match self.reading.shape {
            Shape::Shell => return None,
            Shape::Prefix => (self.compared(), false),
            Shape::Exact => (self.compared(), true),
            Shape::Glob => split_end(self.form),
        };
        let mut text: Vec<u8> = Vec::with_capacity(pattern.len().saturating_add(2));
        let is_glob = self.reading.shape == Shape::Glob;
        for &byte in pattern {
            if !is_glob || byte != b'*' {
                text.push(byte);
            } else if text.last() != Some(&fresh) {
                // Stars in a row are one.
                text.push(fresh);
            }
        }
        if !is_whole {
            text.push(fresh);
        }
        Some(text)
    }

    /// The pattern as one path or two, with `fresh` for what its stars stand for and for what may
    /// follow it; `None` if it is a shell's, or has what no URL has.
    pub(super) fn spelt_out(&self, fresh: u8) -> Option<Vec<String>> {
        let text = String::from_utf8(self.spelling(fresh)?).ok()?;
        let mut escapes = text.split('%');
        let is_path = escapes
            .next()
            .is_some_and(|text| is_of_url(text.as_bytes()))
            && escapes.all(|escape| match escape.split_at_checked(2) {
                Some((digits, rest)) => {
                    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
                        && is_of_url(rest.as_bytes())
                }
                None => false,
            });
        if !is_path {
            return None;
        }
        if text.starts_with('/') {
            return Some(vec![text]);
        }
        // A star at the start stands for a slash and more; before a slash, perhaps for nothing.
        let behind = text.get(1..).filter(|rest| rest.starts_with('/'));
        let behind = behind.map(str::to_owned);
        Some(std::iter::once(format!("/{text}")).chain(behind).collect())
    }

    /// The shortest pattern that matches the same paths, with a byte that tells how it is compared.
    pub(super) fn canonical_pattern(&self) -> (u8, Cow<'_, [u8]>) {
        match self.reading.shape {
            Shape::Prefix => (b'<', Cow::Borrowed(self.compared())),
            Shape::Exact => (b'=', Cow::Borrowed(self.compared())),
            Shape::Shell => (b's', Cow::Borrowed(self.form)),
            Shape::Glob => {
                let (pattern, is_whole) = split_end(self.form);
                let mut short: Vec<u8> = Vec::with_capacity(pattern.len());
                for &byte in pattern {
                    if byte != b'*' || short.last() != Some(&b'*') {
                        short.push(byte);
                    }
                }
                // A star at the end takes what is left, whether the path must end there or not.
                let is_open = short.ends_with(b"*") || !is_whole;
                if short.ends_with(b"*") {
                    short.pop();
                }
                // Without stars it is one of the others.
                let mark = match (is_open, short.contains(&b'*')) {
                    (true, false) => b'<',
                    (false, false) => b'=',
                    (true, true) => b'*',
                    (false, true) => b'$',
                };
                (mark, Cow::Owned(short))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rivals::all_decide;
    use super::super::walk::Budget;
    use super::*;
    use crate::{Dialect, RobotsTxt};

    /// What a glance tells is what a walk over all paths tells.
    #[test]
    fn a_glance_is_right() {
        let patterns = [
            "/",
            "*",
            "/a",
            "/a*",
            "/*a",
            "*a",
            "*/a",
            "/*/a",
            "/a$",
            "/*a$",
            "*$",
            "/a*b",
            "/a/",
            "/*a*",
            "**/a",
            "/%4*",
            "/a**b$",
            "/*a$b",
            "/a?b*",
            "//a",
            "/robots.txt",
            "/robots.txt$",
            "",
        ];
        let (mut certain, mut texts_that_decide) = (0, 0);
        for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::BAIDU] {
            for one in patterns {
                for two in patterns {
                    for three in ["/a", "*a", "/"] {
                        let body = format!(
                            "User-agent: *\nDisallow: {one}\nAllow: {two}\nDisallow: {three}"
                        );
                        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", &dialect);
                        let glance = rules.at_a_glance();
                        let texts = [(false, one), (true, two), (false, three)];
                        let texts = texts.map(|(allows, text)| (allows, text.as_bytes()));
                        if dialect == Dialect::RFC9309 && all_decide(texts.into_iter()) {
                            texts_that_decide += 1;
                            for (rule, seen) in &glance {
                                assert_eq!(*seen, Seen::Decides, "{rule:?} in {body:?}");
                            }
                        }
                        let mut walked: Vec<_> = glance
                            .iter()
                            .map(|(rule, _)| (*rule, Seen::Unknown))
                            .collect();
                        assert!(rules.walk_for(&mut walked, &mut Budget::new()));
                        for ((_, seen), (rule, walked)) in glance.iter().zip(&walked) {
                            let expected = match seen {
                                Seen::Unknown => continue,
                                Seen::Decides => Seen::Decides,
                                Seen::Never(_) => Seen::Unknown,
                            };
                            certain += 1;
                            assert_eq!(*walked, expected, "{rule:?} in {body:?}: {seen:?}");
                        }
                    }
                }
            }
        }
        assert!(certain > 8_000, "{certain}");
        assert!(texts_that_decide > 300, "{texts_that_decide}");
    }
}
