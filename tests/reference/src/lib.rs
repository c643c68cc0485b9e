//! The verdict by definition: slow and plain code that the fast code is compared with.
//!
//! It shares only the input types with the compiled [`Rules`](robots_txt::Rules), and has its own reading
//! of lines (`line`), comparison of names (`agent`), form of patterns (`form`) and matching. Every
//! line is read, every group is built, every rule is tried, and a pattern is matched byte by byte.
//! Property tests and fuzzing compare the compiled rules with it, verdict and line, under every
//! dialect.
//!
//! The cost of a verdict is the bytes of the file, plus the bytes of all patterns times those of the path.

mod agent;
mod form;
mod line;
mod protego;
mod robotparser;

use agent::Nearness;
use line::{Content, Name};
use robots_txt::dialect::{
    EmptyPattern, Encoding, GroupChoice, GroupEnd, IndexPage, OwnPath, PatternSyntax, RuleOrder,
    RulesBeforeAgent,
};
use robots_txt::{Agent, Dialect, RobotsTxt, RuleKind};

/// A verdict and the line that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// True if the target may be fetched.
    pub is_allowed: bool,
    /// The number of the line of the rule that decided, from 1, if one did.
    pub line: Option<usize>,
}

/// Returns the verdict on a URL for a robot, under a dialect.
///
/// ```
/// use robots_txt::{Dialect, RobotsTxt};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /*.gif$");
/// let answer = robots_reference::verdict(&robots, "a", &Dialect::RFC9309, "/x.gif");
/// assert!(!answer.is_allowed);
/// assert_eq!(answer.line, Some(2));
/// ```
pub fn verdict<'n>(
    robots: &RobotsTxt,
    agent: impl Into<Agent<'n>>,
    dialect: &Dialect,
    url: impl AsRef<[u8]>,
) -> Answer {
    let path = form::path(url.as_ref(), dialect);
    let allowed = Answer {
        is_allowed: true,
        line: None,
    };
    if dialect.own_path() == OwnPath::AlwaysAllowed && path == b"/robots.txt" {
        return allowed;
    }
    let groups = groups(robots, dialect);
    let chosen = choose(&groups, &agent.into(), dialect);
    // A group of version 2.0 of Conner's standard orders rules by the type of their patterns.
    let is_typed = dialect.pattern_syntax() == PatternSyntax::Typed;
    let by_type = is_typed && chosen.iter().any(|group| group.is_version_2);
    let mut best: Option<Candidate> = None;
    for group in chosen {
        for rule in &group.rules {
            for candidate in candidates(rule, group.is_version_2, robots, dialect, &path) {
                let wins = best.is_none_or(|best| {
                    if by_type {
                        candidate.beats_by_type(&best)
                    } else {
                        candidate.beats(&best, dialect.rule_order())
                    }
                });
                if wins {
                    best = Some(candidate);
                }
            }
        }
    }
    best.map_or(allowed, |best| Answer {
        is_allowed: best.is_allowed,
        line: Some(best.line),
    })
}

#[derive(Default)]
struct Group<'a> {
    /// The values of its `User-agent` lines.
    agents: Vec<&'a [u8]>,
    /// True for the rules before the first `User-agent` line, where a dialect takes them as a group for
    /// robots that no other group names.
    is_default: bool,
    rules: Vec<Rule<'a>>,
    /// True if its first known field other than `User-agent` is `Robot-version` with
    /// 2.0 or later (docs/semantics.md, section 3.3).
    is_version_2: bool,
    /// The number of its known fields other than `User-agent`.
    directives: usize,
    /// True if it has a field other than `User-agent` that is not of the whole site, known or not.
    has_other_field: bool,
}

struct Rule<'a> {
    kind: RuleKind,
    line: usize,
    text: &'a [u8],
}

/// Reads the groups of a file.
fn groups<'a>(robots: &'a RobotsTxt, dialect: &Dialect) -> Vec<Group<'a>> {
    if dialect.group_end() == GroupEnd::AgentOrEmptyLine {
        return robotparser::groups(line::lines(robots.body(), dialect), dialect);
    }
    let mut groups: Vec<Group<'a>> = Vec::new();
    // True while lines belong to the last group.
    let mut is_open = false;
    let mut has_agent_line = false;
    for line in line::lines(robots.body(), dialect) {
        let (name, value) = match line.content {
            Content::Blank { .. } => {
                is_open &= dialect.group_end() != GroupEnd::AgentOrBlankLine;
                continue;
            }
            Content::Directive(name, value) => (name, value),
        };
        let kind = match name {
            Name::UserAgent => {
                has_agent_line = true;
                // RFC 9309, 2.2.1: a `User-agent` line after a rule begins a new group.
                let ends_after_any = dialect.group_end() == GroupEnd::AgentAfterAny;
                let continues = is_open
                    && groups.last().is_some_and(|last| {
                        last.rules.is_empty() && !(ends_after_any && last.has_other_field)
                    });
                if !continues {
                    groups.push(Group::default());
                }
                is_open = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(value);
                }
                continue;
            }
            name => rule_kind(name),
        };
        let begins_default_group =
            !has_agent_line && dialect.rules_before_agent() == RulesBeforeAgent::DefaultGroup;
        if !is_open && kind.is_some() && begins_default_group {
            groups.push(Group {
                is_default: true,
                ..Group::default()
            });
            is_open = true;
        }
        let Some(group) = groups.last_mut().filter(|_| is_open) else {
            continue;
        };
        group.add(name, line.number, value);
    }
    groups
}

impl<'a> Group<'a> {
    /// Adds a directive that is not a `User-agent` line.
    fn add(&mut self, name: Name, line: usize, value: &'a [u8]) {
        if self.directives == 0 && name == Name::RobotVersion {
            self.is_version_2 = is_version_2(value);
        }
        if name != Name::Unknown {
            self.directives += 1;
        }
        self.has_other_field |= name != Name::OfSite;
        self.rules.extend(rule_kind(name).map(|kind| Rule {
            kind,
            line,
            text: value,
        }));
    }
}

fn rule_kind(name: Name) -> Option<RuleKind> {
    match name {
        Name::Allow => Some(RuleKind::Allow),
        Name::Disallow => Some(RuleKind::Disallow),
        _ => None,
    }
}

/// Returns whether the value of `Robot-version` is 2.0 or later. It has up to three numbers, with dots
/// between them; another text is not a version.
fn is_version_2(value: &[u8]) -> bool {
    let parts: Option<Vec<u32>> = std::str::from_utf8(value).ok().and_then(|text| {
        let numbers = text.splitn(3, '.').map(|part| {
            let has_digits = part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse().ok().filter(|_| has_digits)
        });
        numbers.collect()
    });
    parts.is_some_and(|parts| parts[0] >= 2)
}

/// Returns the groups that the robot obeys: those that are nearest to it, or only the first of them.
fn choose<'g, 'a>(
    groups: &'g [Group<'a>],
    agent: &Agent<'_>,
    dialect: &Dialect,
) -> Vec<&'g Group<'a>> {
    let star_nearness = agent::nearness_of_star(agent, dialect);
    let names = |group: &Group<'_>| -> Vec<(Nearness, String)> {
        if group.is_default {
            let star = (star_nearness, "*".to_owned());
            return agent.obeys_star().then_some(star).into_iter().collect();
        }
        let values = group.agents.iter();
        values
            .filter_map(|value| agent::nearness(value, agent, dialect))
            .collect()
    };
    let all = groups.iter().flat_map(names);
    let Some((nearest, first_name)) = all.min_by_key(|(nearness, _)| *nearness) else {
        return Vec::new();
    };
    let only_first_name = dialect.group_choice() == GroupChoice::LongestName;
    let is_chosen = |(nearness, name): &(Nearness, String)| {
        *nearness == nearest && (!only_first_name || *name == first_name)
    };
    let mut chosen: Vec<_> = groups
        .iter()
        .filter(|group| names(group).iter().any(is_chosen))
        .collect();
    let takes_one = match dialect.group_choice() {
        GroupChoice::First => true,
        GroupChoice::FirstOrAllDefault => nearest != star_nearness,
        _ => false,
    };
    if takes_one {
        chosen.truncate(1);
    }
    chosen
}

/// A rule that matches.
#[derive(Clone, Copy)]
struct Candidate {
    kind: RuleKind,
    is_allowed: bool,
    line: usize,
    /// The number of octets of the pattern that matches.
    weight: usize,
    pattern_type: PatternType,
}

/// The types of patterns, in the order in which they decide (docs/semantics.md, section 3.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PatternType {
    /// A whole path.
    Explicit,
    /// The start of a path.
    General,
    /// A shell pattern.
    Shell,
}

impl Candidate {
    /// Returns whether this rule decides rather than `best`, in an order of rules.
    fn beats(&self, best: &Self, order: RuleOrder) -> bool {
        let allow_first = |otherwise: bool| match (self.kind, best.kind) {
            (RuleKind::Allow, RuleKind::Disallow) => true,
            (RuleKind::Disallow, RuleKind::Allow) => false,
            _ => otherwise,
        };
        let is_earlier = self.line < best.line;
        match order {
            RuleOrder::First => is_earlier,
            RuleOrder::AllowFirst => allow_first(is_earlier),
            _ if self.weight == best.weight => allow_first(is_earlier),
            _ => self.weight > best.weight,
        }
    }

    /// Returns whether this rule decides rather than `best`, by version 2.0 of Conner's standard.
    fn beats_by_type(&self, best: &Self) -> bool {
        if self.pattern_type != best.pattern_type {
            return self.pattern_type < best.pattern_type;
        }
        if self.pattern_type == PatternType::General && self.weight != best.weight {
            return self.weight > best.weight;
        }
        self.line < best.line
    }
}

/// Returns a candidate for each pattern of a rule that matches: its own, and the folder of an index page.
fn candidates(
    rule: &Rule<'_>,
    is_version_2: bool,
    robots: &RobotsTxt,
    dialect: &Dialect,
    path: &[u8],
) -> Vec<Candidate> {
    let Some(form) = form::pattern(rule.text, robots.url(), dialect) else {
        return Vec::new();
    };
    if form.is_empty() && dialect.empty_pattern() == EmptyPattern::Ignored {
        return Vec::new();
    }
    let mut patterns = vec![form.clone()];
    if rule.kind == RuleKind::Allow {
        patterns.extend(folder_of(&form, dialect.index_page()));
    }
    // Protego: a final `$` may also be a character of the path.
    if dialect.pattern_syntax() == PatternSyntax::WildcardsOrDollar
        && let Some(start) = form.strip_suffix(b"$")
    {
        let is_encoded = matches!(
            dialect.encoding(),
            Encoding::Unreserved | Encoding::RfcTable | Encoding::Quoted | Encoding::Requoted
        );
        let dollar: &[u8] = if is_encoded { b"%24" } else { b"$" };
        patterns.push([start, dollar].concat());
    }
    patterns
        .into_iter()
        .filter_map(|pattern| {
            let (is_match, pattern_type) = match dialect.pattern_syntax() {
                PatternSyntax::Wildcards | PatternSyntax::WildcardsOrDollar => {
                    (matches_wildcards(&pattern, path), PatternType::General)
                }
                PatternSyntax::Typed if is_version_2 && !pattern.is_empty() => {
                    matches_typed(&pattern, path)
                }
                _ => (path.starts_with(&pattern), PatternType::General),
            };
            // A pattern without octets disallows nothing, or only where it is not written without any.
            let is_harmless = pattern.is_empty()
                && (dialect.empty_pattern() != EmptyPattern::AllowsAsWritten
                    || robotparser::without_space(rule.text).is_empty());
            is_match.then_some(Candidate {
                kind: rule.kind,
                is_allowed: rule.kind == RuleKind::Allow || is_harmless,
                line: rule.line,
                weight: pattern.len(),
                pattern_type,
            })
        })
        .collect()
}

/// Returns the pattern of the folder of an index page, without the paths below it. google/robotstxt tries
/// it if `Allow` of the page does not match (docs/semantics.md, section 2.2).
fn folder_of(form: &[u8], index_page: IndexPage) -> Option<Vec<u8>> {
    let slash = form.iter().rposition(|byte| *byte == b'/')?;
    let (folder, page) = form.split_at(slash + 1);
    let is_index_page = match index_page {
        IndexPage::StandsForFolder => page.starts_with(b"index.htm"),
        IndexPage::HtmlStandsForFolder => page == b"index.html",
        _ => false,
    };
    is_index_page.then(|| [folder, b"$"].concat())
}

/// Matches a pattern with `*` and a final `$` (RFC 9309, 2.2.3).
fn matches_wildcards(pattern: &[u8], path: &[u8]) -> bool {
    let (pattern, is_whole) = match pattern {
        [pattern @ .., b'$'] => (pattern, true),
        pattern => (pattern, false),
    };
    let mut reached = Reached::start(path);
    for &byte in pattern {
        match byte {
            b'*' => reached.any_run(),
            byte => reached.step(|of_path| of_path == byte),
        }
    }
    if is_whole {
        reached.matches_whole()
    } else {
        reached.matches_start()
    }
}

/// Matches explicit, general and shell patterns; returns the type too (docs/semantics.md, section 3.3).
fn matches_typed(pattern: &[u8], path: &[u8]) -> (bool, PatternType) {
    let special = pattern.iter().position(|byte| b"*?[".contains(byte));
    match special {
        None => return (path == pattern, PatternType::Explicit),
        Some(at) if pattern[at..] == *b"*" => {
            return (path.starts_with(&pattern[..at]), PatternType::General);
        }
        Some(_) => {}
    }
    let mut reached = Reached::start(path);
    let mut rest = pattern;
    while let [byte, tail @ ..] = rest {
        rest = tail;
        match byte {
            b'*' => reached.any_run(),
            b'?' => reached.step(|_| true),
            b'[' => {
                let (inside, is_negated) = match tail {
                    [b'!' | b'^', inside @ ..] => (inside, true),
                    inside => (inside, false),
                };
                let close = inside.iter().skip(1).position(|&byte| byte == b']');
                let Some(length) = close.map(|at| at + 1) else {
                    reached.step(|of_path| of_path == b'[');
                    continue;
                };
                let brackets = &inside[..length];
                rest = &inside[length + 1..];
                reached.step(|of_path| in_brackets(brackets, of_path) != is_negated);
            }
            byte => reached.step(|of_path| of_path == *byte),
        }
    }
    (reached.matches_whole(), PatternType::Shell)
}

/// Returns whether the text in brackets, such as `a-cx`, lists a byte.
fn in_brackets(brackets: &[u8], byte: u8) -> bool {
    match brackets {
        [low, b'-', high, rest @ ..] => (*low..=*high).contains(&byte) || in_brackets(rest, byte),
        [one, rest @ ..] => *one == byte || in_brackets(rest, byte),
        [] => false,
    }
}

/// The starts of a path that the pattern, as far as it was read, can match.
struct Reached<'p> {
    path: &'p [u8],
    /// For each length from 0: whether the start with that length is matched.
    lengths: Vec<bool>,
}

impl<'p> Reached<'p> {
    fn start(path: &'p [u8]) -> Self {
        let mut lengths = vec![false; path.len()];
        lengths.insert(0, true);
        Self { path, lengths }
    }

    /// Reads an element that matches any run of bytes.
    fn any_run(&mut self) {
        let mut before = false;
        for length in &mut self.lengths {
            *length |= before;
            before = *length;
        }
    }

    /// Reads an element that matches one byte, if `takes` accepts the byte.
    fn step(&mut self, takes: impl Fn(u8) -> bool) {
        let mut before = false;
        let bytes = std::iter::once(None).chain(self.path.iter().map(Some));
        for (length, byte) in self.lengths.iter_mut().zip(bytes) {
            let next = before && byte.is_some_and(|&byte| takes(byte));
            before = std::mem::replace(length, next);
        }
    }

    /// Returns whether the pattern matches a start of the path.
    fn matches_start(&self) -> bool {
        self.lengths.contains(&true)
    }

    /// Returns whether the pattern matches the whole path.
    fn matches_whole(&self) -> bool {
        self.lengths.last() == Some(&true)
    }
}
