//! What a verdict or two tell of a rule, without a walk over all paths.
//!
//! A pattern is spelt out as a path, with a character that no pattern has in the place of its stars; who
//! decides about that path decides about every one that the pattern matches. So rules that can never decide
//! are seen ([`shadow`](super::shadow)), and how much is disallowed ([`summary`](super::summary)). What cannot be
//! spelt out is left to the walk. `n log n` in the rules, and a verdict or two for each.

use super::shadow::ShadowCause;
use super::url_of;
use crate::dialect::{Dialect, Encoding, IndexPage, PatternSyntax, RuleOrder};
use crate::encoding::{is_bare, is_unreserved};
use crate::pattern::{Reading, Shape, glob, split_end};
use crate::rules::{RankedRule, Rule, Rules};
use crate::target::Target;
use crate::verdict::Reason;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

impl Rules {
    /// What a verdict or two say of each rule, in file order.
    ///
    /// A pattern is spelt out with a character for its stars, and for what may follow it, that no
    /// pattern has. Who matches that path can only do so with a star of its own for each such character,
    /// and so matches whatever the pattern matches: if another rule decides about that path, it does
    /// about all of them. If the rule itself decides, it decides.
    pub(super) fn at_a_glance(&self) -> Vec<(Rule<'_>, Seen<'_>)> {
        let ranked = self.ranked();
        if let Some(seen) = self.by_length_alone(&ranked) {
            return seen;
        }
        let fresh = fresh_byte(self.dialect(), &ranked);
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

/// Whether it is certain that each of these patterns decides about something as RFC 9309 reads them, told from
/// their texts alone: whether a rule allows, and its pattern. So it is in nearly every group.
pub(crate) fn all_decide<'b>(rules: impl Iterator<Item = (bool, &'b [u8])>) -> bool {
    let Some(ranked) = ranked_as_written(rules) else {
        return false;
    };
    let mut patterns = HashSet::with_capacity(ranked.len());
    if !ranked
        .iter()
        .all(|rule| patterns.insert(rule.canonical_pattern()))
    {
        return false;
    }
    let dialect = &Dialect::RFC9309;
    let rivals = Rivals::new(&ranked, dialect, fresh_byte(dialect, &ranked));
    rivals.starred.is_empty() || (0..ranked.len()).all(|rank| rivals.leave(rank))
}

/// Whether it is certain that one of those that allow, or of those that do not, decides about something: of the
/// first of them by rank, which are the longest.
pub(super) fn one_decides<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
    allowing: bool,
) -> bool {
    /// How many are tried: each is compared with all.
    const TRIED: usize = 4;
    let Some(ranked) = ranked_as_written(rules) else {
        return false;
    };
    let dialect = &Dialect::RFC9309;
    let rivals = Rivals::new(&ranked, dialect, fresh_byte(dialect, &ranked));
    let mut tried = ranked
        .iter()
        .enumerate()
        .filter(|(_, rule)| rule.allows == allowing)
        .take(TRIED);
    tried.any(|(rank, rule)| {
        let pattern = rule.canonical_pattern();
        let is_contested = ranked
            .iter()
            .any(|other| other.allows != allowing && other.canonical_pattern() == pattern);
        !is_contested && rivals.leave(rank)
    })
}

/// The rules by rank as RFC 9309 reads them, if each is as it is written.
fn ranked_as_written<'b>(
    rules: impl Iterator<Item = (bool, &'b [u8])>,
) -> Option<Vec<RankedRule<'b>>> {
    let mut ranked: Vec<RankedRule<'b>> = Vec::new();
    for (line, (allows, text)) in rules.enumerate() {
        if !is_as_written(text) {
            return None;
        }
        let reading = Reading::of(text, PatternSyntax::Wildcards, false);
        ranked.push(RankedRule {
            form: text,
            compared: reading.compared(text),
            shape: reading.shape,
            allows,
            line,
        });
    }
    ranked.sort_unstable_by_key(|rule| (Reverse(rule.form.len()), !rule.allows, rule.line));
    Some(ranked)
}

/// Whether a pattern is in form as it is written, matches something, and has `$` at its end alone.
pub(super) fn is_as_written(text: &[u8]) -> bool {
    let inner = text.strip_suffix(b"$").unwrap_or(text);
    matches!(text.first(), Some(b'/' | b'*'))
        && inner != b"/robots.txt"
        && inner
            .iter()
            .all(|&byte| byte == b'*' || is_bare(byte) && !matches!(byte, b'#' | b'$'))
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

/// Who may decide about what a rule spells out, where the longest decides: rules with stars, whose patterns may
/// be longer than what they match.
struct Rivals<'r> {
    ranked: &'r [RankedRule<'r>],
    /// How many bytes besides its stars each has, and its place by rank; in this order.
    starred: Vec<(usize, usize)>,
    /// How many bytes more the longest of them has.
    most_stars: usize,
    /// What a path is spelt out with; `None` where nothing can be said.
    fresh: Option<u8>,
}

impl<'r> Rivals<'r> {
    /// How many rivals of a rule are tried.
    const MOST_TRIED: usize = 64;

    fn new(ranked: &'r [RankedRule<'r>], dialect: &Dialect, fresh: Option<u8>) -> Self {
        let can_tell = dialect.rule_order == RuleOrder::Longest
            && dialect.index_page != IndexPage::StandsForFolder;
        let has_star = |rule: &RankedRule<'_>| match rule.shape {
            Shape::Prefix => rule.form.len() != rule.compared.len(),
            Shape::Exact => false,
            Shape::Glob | Shape::Shell => true,
        };
        let mut starred: Vec<(usize, usize)> = ranked
            .iter()
            .enumerate()
            .filter(|(_, rule)| has_star(rule))
            .map(|(place, rule)| (rule.literals(), place))
            .collect();
        starred.sort_unstable();
        let stars = starred.iter().filter_map(|(literals, place)| {
            let length = ranked.get(*place)?.form.len();
            Some(length.saturating_sub(*literals))
        });
        Self {
            ranked,
            most_stars: stars.max().unwrap_or_default(),
            starred,
            fresh: fresh.filter(|_| can_tell),
        }
    }

    /// Whether it is certain that all leave the decision about what the rule at this place spells out to it, if none
    /// other has its pattern.
    ///
    /// Who comes before it in rank is at least as long. Without a star it matches what begins with it: but that path
    /// is not longer up to the first character that no pattern has, unless the rule is that star alone. With a
    /// star it matches if the path has its other bytes, which can be no more than the path has.
    fn leave(&self, rank: usize) -> bool {
        let (Some(rule), Some(fresh)) = (self.ranked.get(rank), self.fresh) else {
            return false;
        };
        let Some(path) = rule.plain_path(fresh) else {
            return false;
        };
        let least = rule.form.len().saturating_sub(self.most_stars);
        let from = self.starred.partition_point(|(bytes, _)| *bytes < least);
        let to = self
            .starred
            .partition_point(|(bytes, _)| *bytes <= path.len());
        let near = self.starred.get(from..to).unwrap_or_default();
        near.len() <= Self::MOST_TRIED
            && near
                .iter()
                .filter(|(_, place)| *place < rank)
                .filter_map(|(_, place)| self.ranked.get(*place))
                .all(|rival| !rival.matches(&path))
    }
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

/// Whether a text has no characters but those that stand in URLs as they are.
fn is_of_url(text: &str) -> bool {
    text.bytes().all(|byte| is_bare(byte) && byte != b'#')
}

impl RankedRule<'_> {
    /// Whether no path begins as the pattern does: paths begin with a slash.
    fn never_begins(&self) -> bool {
        self.shape != Shape::Shell && !matches!(self.form.first(), None | Some(b'/' | b'*'))
    }

    /// Whether it matches a path in its form; a shell's pattern may.
    fn matches(&self, path: &[u8]) -> bool {
        match self.shape {
            Shape::Prefix => path.starts_with(self.compared),
            Shape::Exact => path == self.compared,
            Shape::Glob => glob(self.form, path),
            Shape::Shell => true,
        }
    }

    /// How many bytes it has that a path must have.
    fn literals(&self) -> usize {
        let pattern = match self.shape {
            Shape::Glob => split_end(self.form).0,
            _ => self.compared,
        };
        pattern.iter().filter(|byte| **byte != b'*').count()
    }

    /// The pattern with `fresh` for its stars and for what may follow it; `None` if it is a shell's.
    fn spelling(&self, fresh: u8) -> Option<Vec<u8>> {
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
        Some(text)
    }

    /// The pattern as one path, if that has characters of URLs alone, and no escapes, and is one that rules
    /// decide about.
    fn plain_path(&self, fresh: u8) -> Option<Vec<u8>> {
        let mut text = self.spelling(fresh)?;
        // A star at the start stands for a slash and more.
        if text.first() == Some(&fresh) && self.form.len() > 1 {
            text.insert(0, b'/');
        }
        let is_plain = text.starts_with(b"/")
            && text.iter().all(|&byte| is_bare(byte) && byte != b'#')
            && text != b"/robots.txt";
        is_plain.then_some(text)
    }

    /// The pattern as one path or two, with `fresh` for what its stars stand for and for what may
    /// follow it; `None` if it is a shell's, or has what no URL has.
    pub(super) fn spelt_out(&self, fresh: u8) -> Option<Vec<String>> {
        let text = String::from_utf8(self.spelling(fresh)?).ok()?;
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
