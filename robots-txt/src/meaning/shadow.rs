//! Rules that can never decide: duplicates of other rules, rules that others always outrank, and
//! patterns that match no path.

use super::machine::FIRST_RULE;
use super::url_of;
use super::walk::{Budget, Go, Prune, walk};
use crate::dialect::{Encoding, IndexPage, RuleOrder};
use crate::encoding::{is_bare, is_unreserved};
use crate::pattern::{Shape, split_end};
use crate::rules::{RankedRule, Rule, Rules};
use crate::target::Target;
use crate::verdict::Reason;
use std::borrow::Cow;
use std::collections::HashMap;

/// The rules that can never decide.
#[derive(Debug, Clone)]
pub struct Shadows<'r> {
    shadows: Vec<Shadow<'r>>,
    is_complete: bool,
}

/// A rule that can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shadow<'r> {
    rule: Rule<'r>,
    cause: ShadowCause<'r>,
}

/// Why a rule can never decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShadowCause<'r> {
    /// Another rule has the same pattern and does the same, and is before it.
    Duplicate(Rule<'r>),
    /// Wherever it matches, another rule outranks it: on the shortest such path, this one.
    Outranked(Rule<'r>),
    /// Its pattern matches no path, or only `/robots.txt`, which is always allowed.
    NeverMatches,
}

impl<'r> Shadows<'r> {
    /// The rules, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Shadow<'r>> {
        self.shadows.iter()
    }

    /// Whether every path was considered. If not, some rules that never decide may be left out.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }
}

impl<'r> Shadow<'r> {
    /// The rule.
    pub fn rule(&self) -> Rule<'r> {
        self.rule
    }

    /// Why it can never decide.
    pub fn cause(&self) -> ShadowCause<'r> {
        self.cause
    }
}

impl Rules {
    /// The rules that can never decide, whatever is asked.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, ShadowCause};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a");
    /// let rules = robots.rules("ExampleBot", &Dialect::BAIDU);
    /// let lines: Vec<_> = rules.shadows().iter().map(|shadow| shadow.rule().line()).collect();
    /// // The first rule that matches decides: the others are never asked.
    /// assert_eq!(lines, [3, 4]);
    /// ```
    pub fn shadows(&self) -> Shadows<'_> {
        let mut budget = Budget::new();
        let mut seen = self.at_a_glance();
        let mut is_complete = true;
        if seen.iter().any(|(_, seen)| *seen == Seen::Unknown) {
            is_complete = self.walk_for(&mut seen, &mut budget);
        }
        let all_walked = is_complete;
        let mut shadows = Vec::new();
        for (rule, seen) in seen {
            let cause = match seen {
                Seen::Never(cause) => cause,
                Seen::Unknown if all_walked => match self.example(&rule, &mut budget) {
                    Example::Path(path) => match self.rule_for(&path) {
                        Some(winner) => ShadowCause::Outranked(winner),
                        None => continue,
                    },
                    Example::None => ShadowCause::NeverMatches,
                    Example::Unknown => {
                        is_complete = false;
                        continue;
                    }
                },
                Seen::Decides | Seen::Unknown => continue,
            };
            shadows.push(Shadow { rule, cause });
        }
        Shadows {
            shadows,
            is_complete,
        }
    }

    /// The rules that can be seen never to decide without a walk: nearly all of them.
    pub(crate) fn shadows_at_a_glance(&self) -> impl Iterator<Item = Shadow<'_>> {
        let seen = self.at_a_glance().into_iter();
        seen.filter_map(|(rule, seen)| match seen {
            Seen::Never(cause) => Some(Shadow { rule, cause }),
            Seen::Decides | Seen::Unknown => None,
        })
    }

    /// What a verdict or two say of each rule, in file order.
    ///
    /// A pattern is spelt out with a character for its stars, and for what may follow it, that no
    /// pattern has. Who matches that path can only do so with a star of its own for each such character,
    /// and so matches whatever the pattern matches: if another rule decides about that path, it does
    /// about all of them. If the rule itself decides, it decides.
    fn at_a_glance(&self) -> Vec<(Rule<'_>, Seen<'_>)> {
        let ranked = self.ranked();
        if let Some(seen) = self.by_length_alone(&ranked) {
            return seen;
        }
        let fresh = self.fresh_byte(&ranked);
        let rules: Vec<Rule<'_>> = self.iter().collect();
        // Of an index page that stands for its folder there are two on a line; either may decide.
        let mut by_line: Vec<&RankedRule<'_>> = ranked.iter().collect();
        by_line.sort_by_key(|rule| rule.line);
        let lines: Vec<&[&RankedRule<'_>]> = by_line.chunk_by(|a, b| a.line == b.line).collect();
        // Of rules that mean the same, the one that comes first in rank decides or none does. Of two on
        // a line, the shorter is another's form.
        let mut meanings: Vec<_> = ranked
            .iter()
            .enumerate()
            .filter(|(_, rule)| !is_second(&by_line, rule))
            .map(|(rank, rule)| (rule.canonical_pattern(), rule.allows, rank, rule.line))
            .collect();
        meanings.sort_unstable();
        let mut firsts: Vec<(usize, usize)> = Vec::with_capacity(meanings.len());
        for same in meanings.chunk_by(|one, two| (&one.0, one.1) == (&two.0, two.1)) {
            let first = same.first().map_or(0, |(.., line)| *line);
            firsts.extend(same.iter().map(|(.., line)| (*line, first)));
        }
        firsts.sort_unstable();
        let rule_of = |line: usize| {
            let at = rules.binary_search_by_key(&line, Rule::line).ok()?;
            rules.get(at).copied()
        };
        let seen = |(rule, forms): (&Rule<'_>, &&[&RankedRule<'_>])| {
            let at = firsts.binary_search_by_key(&rule.line(), |(line, _)| *line);
            let first = at.ok().and_then(|at| firsts.get(at));
            match first.and_then(|(_, first)| rule_of(*first)) {
                Some(first) if first.line() < rule.line() => {
                    Seen::Never(ShadowCause::Duplicate(first))
                }
                Some(first) if first.line() > rule.line() => {
                    Seen::Never(ShadowCause::Outranked(first))
                }
                _ => self.glance(rule.line(), forms, fresh),
            }
        };
        let all = rules.iter().zip(&lines).map(|both| (*both.0, seen(both)));
        all.collect()
    }

    /// What is seen where the longest decides and no star stands within a pattern: then a rule decides
    /// about the path that it spells out, as what matches there too is shorter - unless another rule
    /// has the same pattern. `None` where that cannot be said.
    fn by_length_alone(&self, ranked: &[RankedRule<'_>]) -> Option<Vec<(Rule<'_>, Seen<'_>)>> {
        let dialect = self.dialect();
        let is_simple = |rule: &RankedRule<'_>| {
            let is_plain = match rule.shape {
                // With a star at its end it were longer than what it matches.
                Shape::Prefix => rule.form.len() == rule.compared.len(),
                Shape::Exact => true,
                Shape::Glob | Shape::Shell => false,
            };
            is_plain
                && rule.form.starts_with(b"/")
                // `/robots.txt` itself is not decided by rules.
                && !(rule.shape == Shape::Exact && rule.compared == b"/robots.txt")
                && rule.compared.iter().all(|&byte| is_unreserved(byte) || byte == b'/')
        };
        if dialect.rule_order != RuleOrder::Longest
            || dialect.index_page == IndexPage::StandsForFolder
            || !ranked.iter().all(is_simple)
        {
            return None;
        }
        let rules: Vec<Rule<'_>> = self.iter().collect();
        let rule_of = |place: usize| {
            let line = ranked.get(place)?.line;
            let at = rules.binary_search_by_key(&line, Rule::line).ok()?;
            Some((at, *rules.get(at)?))
        };
        let mut seen: Vec<_> = rules.iter().map(|rule| (*rule, Seen::Decides)).collect();
        // The same patterns side by side, the first in rank first.
        let pattern = |place: &usize| {
            ranked
                .get(*place)
                .map(|rule| (rule.shape as u8, rule.compared))
        };
        let mut places: Vec<usize> = (0..ranked.len()).collect();
        places.sort_unstable_by(|one, two| pattern(one).cmp(&pattern(two)).then(one.cmp(two)));
        for same in places.chunk_by(|one, two| pattern(one) == pattern(two)) {
            let allows = |place: usize| ranked.get(place).is_some_and(|rule| rule.allows);
            let first = same.first().copied();
            let first_of = |allowing| {
                same.iter()
                    .copied()
                    .find(|&place| allows(place) == allowing)
            };
            let firsts = [first_of(false), first_of(true)];
            for &place in same.iter().skip(1) {
                let twin = firsts.get(usize::from(allows(place))).copied().flatten();
                let twin = twin.filter(|&twin| twin != place);
                let by = twin.or(first).and_then(rule_of);
                let (Some((_, by)), Some((at, rule))) = (by, rule_of(place)) else {
                    return None;
                };
                let cause = if twin.is_some() && by.line() < rule.line() {
                    ShadowCause::Duplicate(by)
                } else {
                    ShadowCause::Outranked(by)
                };
                *seen.get_mut(at)? = (rule, Seen::Never(cause));
            }
        }
        Some(seen)
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

    /// A character of URLs that is in form as it is, and that no pattern has.
    pub(super) fn fresh_byte(&self, ranked: &[RankedRule<'_>]) -> Option<u8> {
        // There a character may have another form in a query.
        if self.dialect().encoding == Encoding::RfcTable {
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

    /// Finds rules that decide on a walk; whether it was complete. What is still unknown then never
    /// decides.
    fn walk_for(&self, seen: &mut [(Rule<'_>, Seen<'_>)], budget: &mut Budget) -> bool {
        let ranked = self.ranked();
        let line_of = |rank: u32| {
            let at = rank.checked_sub(FIRST_RULE)? as usize;
            ranked.get(at).map(|rule| rule.line)
        };
        let mut unknown: HashMap<usize, &mut Seen<'_>> = seen
            .iter_mut()
            .filter(|(_, seen)| *seen == Seen::Unknown)
            .map(|(rule, seen)| (rule.line(), seen))
            .collect();
        walk(&[self], Prune::Settled, budget, |found| {
            let rank = found.deciding.first().copied().flatten();
            if let Some(seen) = rank
                .and_then(line_of)
                .and_then(|line| unknown.remove(&line))
            {
                *seen = Seen::Decides;
            }
            if unknown.is_empty() { Go::Stop } else { Go::On }
        })
    }

    /// A shortest path that a rule matches.
    fn example(&self, rule: &Rule<'_>, budget: &mut Budget) -> Example {
        let alone = self.only(rule);
        let mut example = Example::None;
        let is_complete = walk(&[&alone], Prune::Settled, budget, |found| {
            let rank = found.deciding.first().copied().flatten();
            if rank.is_none_or(|rank| rank < FIRST_RULE) {
                return Go::On;
            }
            example = Example::Path(found.path());
            Go::Stop
        });
        match example {
            Example::None if !is_complete => Example::Unknown,
            example => example,
        }
    }

    fn rule_for(&self, path: &str) -> Option<Rule<'_>> {
        self.verdict(&Target::new(&url_of(path))).rule()
    }
}

enum Example {
    Path(String),
    None,
    /// The walk was cut off.
    Unknown,
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
enum Seen<'r> {
    Decides,
    Never(ShadowCause<'r>),
    Unknown,
}

/// A path as a target: two slashes at its start would begin a host.
fn target_of(path: &str) -> Target<'_> {
    if path.starts_with("//") {
        Target::new(&url_of(path)).into_owned()
    } else {
        Target::new(path)
    }
}

/// Whether a text has no characters but those that stand in URLs as they are.
fn is_of_url(text: &str) -> bool {
    text.bytes().all(|byte| is_bare(byte) && byte != b'#')
}

impl RankedRule<'_> {
    /// Whether no path begins as the pattern does: paths begin with a slash.
    fn never_begins(&self) -> bool {
        self.shape != Shape::Shell && !matches!(self.form.first(), None | Some(b'/' | b'*'))
    }

    /// The pattern as one path or two, with `fresh` for what its stars stand for and for what may
    /// follow it; `None` if it is a shell's, or has what no URL has.
    pub(super) fn spelt_out(&self, fresh: u8) -> Option<Vec<String>> {
        let (pattern, is_whole) = match self.shape {
            Shape::Shell => return None,
            Shape::Prefix => (self.compared, false),
            Shape::Exact => (self.compared, true),
            Shape::Glob => split_end(self.form),
        };
        let mut text: Vec<u8> = Vec::with_capacity(pattern.len().saturating_add(2));
        let is_glob = self.shape == Shape::Glob;
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
        let text = String::from_utf8(text).ok()?;
        let mut escapes = text.split('%');
        let is_path = escapes.next().is_some_and(is_of_url)
            && escapes.all(|escape| match escape.split_at_checked(2) {
                Some((digits, rest)) => {
                    digits.bytes().all(|byte| byte.is_ascii_hexdigit()) && is_of_url(rest)
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
    fn canonical_pattern(&self) -> (u8, Cow<'_, [u8]>) {
        match self.shape {
            Shape::Prefix => (b'<', Cow::Borrowed(self.compared)),
            Shape::Exact => (b'=', Cow::Borrowed(self.compared)),
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
    use super::*;
    use crate::{Dialect, RobotsTxt};

    fn shadows(rules: &str, dialect: &Dialect) -> Vec<(usize, String)> {
        let body = format!("User-agent: *\n{rules}");
        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", dialect);
        let shadows = rules.shadows();
        assert!(shadows.is_complete());
        shadows
            .iter()
            .map(|shadow| {
                let cause = match shadow.cause() {
                    ShadowCause::Duplicate(of) => format!("duplicate of {}", of.line()),
                    ShadowCause::Outranked(by) => format!("outranked by {}", by.line()),
                    ShadowCause::NeverMatches => "never matches".to_owned(),
                };
                (shadow.rule().line(), cause)
            })
            .collect()
    }

    #[test]
    fn what_can_never_decide_is_found() {
        let rfc = Dialect::RFC9309;
        let one = |line, cause: &str| vec![(line, cause.to_owned())];
        assert_eq!(shadows("Disallow: /a\nAllow: /a/b", &rfc), []);
        assert_eq!(
            shadows("Disallow: /a\nDisallow: /b\nDisallow: /a", &rfc),
            one(4, "duplicate of 2")
        );
        assert_eq!(
            shadows("Disallow: /a*\nDisallow: /%61", &rfc),
            one(3, "duplicate of 2")
        );
        assert_eq!(
            shadows("Disallow: /a\nAllow: /a", &rfc),
            one(2, "outranked by 3")
        );
        assert_eq!(
            shadows("Disallow: /a\nAllow: a", &rfc),
            one(3, "never matches")
        );
        assert_eq!(
            shadows("Disallow: /robots.txt$", &rfc),
            one(2, "never matches")
        );
        assert_eq!(
            shadows("Disallow: *\nDisallow:", &rfc),
            one(3, "outranked by 2")
        );
        assert_eq!(
            shadows("Disallow: /robots.txt\nAllow: /robots.txt", &rfc),
            one(2, "outranked by 3")
        );
        // Together, two rules hide a third.
        assert_eq!(
            shadows(
                "Disallow: /a$\nDisallow: /a*",
                &rfc.with_rule_order(crate::RuleOrder::First)
            ),
            []
        );
        assert_eq!(
            shadows("Disallow: /\nAllow: /a", &Dialect::KOSTER_1996),
            one(3, "outranked by 2")
        );
        assert_eq!(
            shadows("Allow: /*\nDisallow: /a", &Dialect::ALLOW_FIRST),
            one(3, "outranked by 2")
        );
    }

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
            "/robots.txt",
            "/robots.txt$",
            "",
        ];
        let mut certain = 0;
        for dialect in [Dialect::RFC9309, Dialect::GOOGLE, Dialect::BAIDU] {
            for one in patterns {
                for two in patterns {
                    for three in ["/a", "*a", "/"] {
                        let body = format!(
                            "User-agent: *\nDisallow: {one}\nAllow: {two}\nDisallow: {three}"
                        );
                        let rules = RobotsTxt::parse(body.as_bytes()).rules("a", &dialect);
                        let glance = rules.at_a_glance();
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
    }
}
