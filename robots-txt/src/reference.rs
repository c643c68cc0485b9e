//! The verdict by definition: slow, plain, and there for ever.
//!
//! Nothing here is shared with the compiled [`Rules`](crate::Rules) but how a line is cut, how a
//! name is compared and how a pattern is brought into form. Every line is read, every group is
//! built, every rule is tried, and a pattern is matched byte by byte. Property tests and fuzzing
//! hold the compiled rules to it, verdict and line, under every dialect.
//!
//! A verdict costs the bytes of the file, and the bytes of every pattern times those of the path.
//! It is public so that tests of other engines can ask it too.

use crate::dialect::{
    Dialect, EmptyPattern, GroupChoice, GroupEnd, IndexPage, OverLimit, OwnPath, PatternSyntax,
    RuleOrder, RulesBeforeAgent,
};
use crate::parse::document::RobotsTxt;
use crate::parse::field::Field;
use crate::parse::line::{Line, LineKind};
use crate::parse::lines::Lines;
use crate::pattern::{Written, folder_of_index_page, form_of};
use crate::rules::RuleKind;
use crate::select::agent::Agent;
use crate::select::robot_version::RobotVersion;
use crate::target::Target;

/// A verdict and the line that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// Whether the target may be fetched.
    pub is_allowed: bool,
    /// The number of the line of the rule that decided, from 1, if one did.
    pub line: Option<usize>,
}

/// Whether a robot may fetch a target, under a dialect.
///
/// ```
/// use robots_txt::{Dialect, RobotsTxt, Target, reference};
///
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /*.gif$");
/// let answer = reference::verdict(&robots, "a", &Dialect::RFC9309, &Target::new("/x.gif"));
/// assert!(!answer.is_allowed);
/// assert_eq!(answer.line, Some(2));
/// ```
pub fn verdict<'n>(
    robots: &RobotsTxt,
    agent: impl Into<Agent<'n>>,
    dialect: &Dialect,
    target: &Target<'_>,
) -> Answer {
    let path = target.form(dialect.encoding);
    let allowed = Answer {
        is_allowed: true,
        line: None,
    };
    if dialect.own_path == OwnPath::AlwaysAllowed && *path == *b"/robots.txt" {
        return allowed;
    }
    let groups = groups(robots, dialect);
    let chosen = choose(&groups, &agent.into(), dialect);
    let is_typed = dialect.pattern_syntax == PatternSyntax::Typed;
    let by_type = is_typed && chosen.iter().any(|group| group.is_extended);
    let mut best: Option<Candidate> = None;
    for group in chosen {
        for rule in &group.rules {
            for candidate in candidates(rule, group.is_extended, robots, dialect, &path) {
                let wins = best.is_none_or(|best| {
                    if by_type {
                        candidate.beats_by_type(&best)
                    } else {
                        candidate.beats(&best, dialect.rule_order)
                    }
                });
                if wins {
                    best = Some(candidate);
                }
            }
        }
    }
    best.map_or(allowed, |best| Answer {
        is_allowed: best.kind == RuleKind::Allow || best.weight == 0,
        line: Some(best.line),
    })
}

#[derive(Default)]
struct Group<'a> {
    /// The values of its `User-agent` lines.
    agents: Vec<&'a [u8]>,
    /// Whether it stands before the first such line and speaks to everyone.
    is_for_everyone: bool,
    rules: Vec<Rule<'a>>,
    /// Whether its first known field is `Robot-version: 2` (SEMANTICS 3.3).
    is_extended: bool,
    /// How many fields it has that are known.
    directives: usize,
}

struct Rule<'a> {
    kind: RuleKind,
    line: usize,
    text: &'a [u8],
}

/// The lines within the dialect's limits, as it sees them.
fn lines<'a>(robots: &'a RobotsTxt, dialect: &Dialect) -> Vec<Line<'a>> {
    let body = robots.body();
    let limit = dialect.size_limit().unwrap_or(usize::MAX);
    let is_over = body.len() > limit;
    if is_over && dialect.over_limit == OverLimit::IgnoreFile {
        return Vec::new();
    }
    Lines::new(body, dialect.line_end)
        .take_while(|line| {
            let end = line.offset().saturating_add(line.bytes().len());
            !is_over || end < limit
        })
        .map(|line| dialect.narrow(line))
        .collect()
}

fn groups<'a>(robots: &'a RobotsTxt, dialect: &Dialect) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    // Whether the last group can still take lines.
    let mut is_open = false;
    let mut agent_seen = false;
    for line in lines(robots, dialect) {
        if line.kind() == LineKind::Blank {
            if dialect.group_end == GroupEnd::AgentOrBlankLine {
                is_open = false;
            }
            continue;
        }
        let Some(field) = dialect.field(&line) else {
            continue;
        };
        let kind = match field {
            Field::UserAgent => {
                agent_seen = true;
                let goes_on = is_open && groups.last().is_some_and(|last| last.rules.is_empty());
                if !goes_on {
                    groups.push(Group::default());
                }
                is_open = true;
                if let Some(group) = groups.last_mut() {
                    group.agents.push(line.value());
                }
                continue;
            }
            Field::Allow => Some(RuleKind::Allow),
            Field::Disallow => Some(RuleKind::Disallow),
            _ => None,
        };
        let before_agents =
            !agent_seen && dialect.rules_before_agent == RulesBeforeAgent::ForEveryone;
        if !is_open && kind.is_some() && before_agents {
            groups.push(Group {
                is_for_everyone: true,
                ..Group::default()
            });
            is_open = true;
        }
        let Some(group) = groups.last_mut().filter(|_| is_open) else {
            continue;
        };
        if group.directives == 0 && field == Field::RobotVersion {
            group.is_extended = RobotVersion::read(line.number(), line.value())
                .is_some_and(|version| version.is_extended());
        }
        if field != Field::Other {
            group.directives = group.directives.saturating_add(1);
        }
        group.rules.extend(kind.map(|kind| Rule {
            kind,
            line: line.number(),
            text: line.value(),
        }));
    }
    groups
}

fn choose<'g, 'a>(
    groups: &'g [Group<'a>],
    agent: &Agent<'_>,
    dialect: &Dialect,
) -> Vec<&'g Group<'a>> {
    let everyone = agent.names().count();
    let nearness = |group: &Group<'_>| {
        if group.is_for_everyone {
            return agent.takes_star().then_some(everyone);
        }
        let values = group.agents.iter();
        values
            .filter_map(|value| agent.nearness(value, dialect))
            .min()
    };
    let Some(nearest) = groups.iter().filter_map(nearness).min() else {
        return Vec::new();
    };
    let mut chosen: Vec<_> = groups
        .iter()
        .filter(|group| nearness(group) == Some(nearest))
        .collect();
    let takes_one = match dialect.group_choice {
        GroupChoice::All => false,
        GroupChoice::First => true,
        GroupChoice::FirstOrAllForEveryone => nearest != everyone,
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
    line: usize,
    /// The octets of the pattern that matches.
    weight: usize,
    /// 0: explicit, 1: general, 2: a shell pattern.
    class: u8,
}

impl Candidate {
    fn beats(&self, best: &Self, order: RuleOrder) -> bool {
        let allow_first = |or: bool| match (self.kind, best.kind) {
            (RuleKind::Allow, RuleKind::Disallow) => true,
            (RuleKind::Disallow, RuleKind::Allow) => false,
            _ => or,
        };
        let is_earlier = self.line < best.line;
        match order {
            RuleOrder::First => is_earlier,
            RuleOrder::AllowFirst => allow_first(is_earlier),
            RuleOrder::Longest if self.weight == best.weight => allow_first(is_earlier),
            RuleOrder::Longest => self.weight > best.weight,
        }
    }

    fn beats_by_type(&self, best: &Self) -> bool {
        if self.class != best.class {
            return self.class < best.class;
        }
        if self.class == 1 && self.weight != best.weight {
            return self.weight > best.weight;
        }
        self.line < best.line
    }
}

/// The ways in which a rule matches: by its pattern, and by the folder that it stands for.
fn candidates(
    rule: &Rule<'_>,
    is_extended: bool,
    robots: &RobotsTxt,
    dialect: &Dialect,
    path: &[u8],
) -> Vec<Candidate> {
    let written = Written {
        is_extended,
        own_url: robots.url(),
        ..Written::default()
    };
    let Some(form) = form_of(rule.text, dialect, &written) else {
        return Vec::new();
    };
    if form.is_empty() && dialect.empty_pattern == EmptyPattern::Ignored {
        return Vec::new();
    }
    let mut patterns = vec![form.to_vec()];
    if rule.kind == RuleKind::Allow && dialect.index_page == IndexPage::StandsForFolder {
        patterns.extend(folder_of_index_page(&form));
    }
    patterns
        .into_iter()
        .filter_map(|pattern| {
            let (is_match, class) = match dialect.pattern_syntax {
                PatternSyntax::Wildcards => (matches_wildcards(&pattern, path), 1),
                PatternSyntax::Typed if is_extended && !pattern.is_empty() => {
                    matches_typed(&pattern, path)
                }
                PatternSyntax::Typed | PatternSyntax::Prefix => (path.starts_with(&pattern), 1),
            };
            is_match.then_some(Candidate {
                kind: rule.kind,
                line: rule.line,
                weight: pattern.len(),
                class,
            })
        })
        .collect()
}

/// RFC 9309, 2.2.3.
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
        reached.end()
    } else {
        reached.anywhere()
    }
}

/// Explicit, general and shell patterns, with the class of each (SEMANTICS 3.3).
fn matches_typed(pattern: &[u8], path: &[u8]) -> (bool, u8) {
    let special = pattern.iter().position(|byte| b"*?[".contains(byte));
    match special {
        None => return (path == pattern, 0),
        Some(at) if pattern.get(at..) == Some(b"*") => {
            let start = pattern.get(..at).unwrap_or_default();
            return (path.starts_with(start), 1);
        }
        Some(_) => {}
    }
    let mut reached = Reached::start(path);
    let mut rest = pattern;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match byte {
            b'*' => reached.any_run(),
            b'?' => reached.step(|_| true),
            b'[' => {
                let (inside, is_not) = match behind {
                    [b'!' | b'^', inside @ ..] => (inside, true),
                    inside => (inside, false),
                };
                let close = inside.iter().skip(1).position(|&byte| byte == b']');
                let Some(length) = close.map(|at| at.saturating_add(1)) else {
                    reached.step(|of_path| of_path == b'[');
                    continue;
                };
                let class = inside.get(..length).unwrap_or_default();
                rest = inside.get(length.saturating_add(1)..).unwrap_or_default();
                reached.step(|of_path| in_class(class, of_path) != is_not);
            }
            byte => reached.step(|of_path| of_path == *byte),
        }
    }
    (reached.end(), 2)
}

/// Whether a class such as `a-cx` has a byte.
fn in_class(class: &[u8], byte: u8) -> bool {
    match class {
        [low, b'-', high, rest @ ..] => (*low..=*high).contains(&byte) || in_class(rest, byte),
        [one, rest @ ..] => *one == byte || in_class(rest, byte),
        [] => false,
    }
}

/// Which starts of a path the pattern so far can match, by their lengths.
struct Reached<'p> {
    path: &'p [u8],
    lengths: Vec<bool>,
}

impl<'p> Reached<'p> {
    fn start(path: &'p [u8]) -> Self {
        let mut lengths = vec![false; path.len()];
        lengths.insert(0, true);
        Self { path, lengths }
    }

    /// Any run of bytes may follow.
    fn any_run(&mut self) {
        let mut before = false;
        for length in &mut self.lengths {
            *length |= before;
            before = *length;
        }
    }

    /// One byte must follow.
    fn step(&mut self, takes: impl Fn(u8) -> bool) {
        let mut before = false;
        let bytes = std::iter::once(None).chain(self.path.iter().map(Some));
        for (length, byte) in self.lengths.iter_mut().zip(bytes) {
            let next = before && byte.is_some_and(|&byte| takes(byte));
            before = std::mem::replace(length, next);
        }
    }

    fn anywhere(&self) -> bool {
        self.lengths.contains(&true)
    }

    fn end(&self) -> bool {
        self.lengths.last() == Some(&true)
    }
}
