//! The rules of one file for one robot under one dialect, compiled to return verdicts.
//!
//! * `compile`: the rules of the selected groups, each in twelve bytes (`entry`);
//! * `index`: the search for the rule that decides, which tries only some of many rules;
//! * `grams`: a filter that excludes wildcard patterns which cannot match a path;
//! * `kinds`: kinds of bytes, for the same purpose;
//! * `rule`: one rule, with its line and texts;
//! * `compact`: the rules as bytes;
//! * `batch`: the rules of many robots, and verdicts on many targets.
//!
//! Tests compare the verdicts with those of `tests/reference`, which tries every rule.

mod batch;
mod compact;
mod compile;
mod entry;
mod grams;
mod index;
mod kinds;
mod rule;
pub(crate) mod verdict;

pub use batch::RulesOfAll;
pub use compact::LoadError;
pub use rule::Rule;

use crate::dialect::Dialect;
use crate::extension::crawl_delay::CrawlDelay;
use crate::parse::document::RobotsTxt;
use crate::parse::text::range_in;
use crate::pattern::Reading;
use crate::rules::verdict::{Reason, Verdict};
use crate::select::agent::Agent;
use crate::select::view::ViewLine;
use crate::target::Target;
use entry::{Entry, Texts};
use index::Index;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// The field of a rule. A rule has the effect of its field, but an empty `Disallow` allows every path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
}

/// The rules of a robot. Cheap to clone; shares the body with its [`RobotsTxt`].
#[derive(Clone)]
pub struct Rules {
    compiled: Arc<Compiled>,
    /// The parts that differ from `compiled`, if that was compiled for another robot of the same
    /// groups.
    per_robot: Option<Arc<PerRobot>>,
}

/// The parts of rules that differ between robots of the same groups.
struct PerRobot {
    groups: SmallVec<[GroupName; 1]>,
    crawl_delay: Option<CrawlDelay>,
}

/// The rules of the groups that a robot obeys.
struct Compiled {
    dialect: Dialect,
    texts: Texts,
    /// The rules, except those in `shared`.
    index: Index,
    /// The rules of large groups, if robots with different other groups share them
    /// ([`RobotsTxt::rules_of_all`]), each with the rules of one group. Their precedence is that of `index`.
    shared: Vec<Arc<Compiled>>,
    /// The groups that have a rule, in file order.
    groups: SmallVec<[GroupName; 1]>,
    /// Whether a group applies to the robot, with or without rules.
    has_group: bool,
    crawl_delay: Option<CrawlDelay>,
    /// True if the texts are a copy, such as loaded bytes; false if they are the body of a file, in which
    /// rules have ranges.
    is_loaded: bool,
}

/// The number of the part of a robot's rules that no other robot shares. The shared parts follow.
const UNSHARED_PART: u32 = 0;

impl Compiled {
    /// Returns the part with a number: [`UNSHARED_PART`], or the rules of a shared group.
    fn part(&self, part: u32) -> &Self {
        let shared = (part as usize).checked_sub(1);
        let shared = shared.and_then(|index| self.shared.get(index));
        shared.map_or(self, |shared| shared)
    }

    /// Returns the parts with their numbers.
    fn parts(&self) -> impl Iterator<Item = (u32, &Self)> {
        let shared = self.shared.iter().map(|shared| &**shared);
        (UNSHARED_PART..).zip(std::iter::once(self).chain(shared))
    }

    /// Returns every rule with the number of its part, in an unspecified order.
    fn entries(&self) -> impl Iterator<Item = (u32, Entry)> {
        self.parts().flat_map(|(part, rules)| {
            let entries = rules.index.entries().into_iter();
            entries.map(move |entry| (part, entry))
        })
    }

    /// Returns the matching rule with the least rank, and the number of its part.
    #[inline]
    fn find(&self, path: &[u8]) -> Option<(u32, Entry)> {
        let unshared = self.index.find(&self.texts, path);
        let unshared = unshared.map(|entry| (UNSHARED_PART, entry));
        if self.shared.is_empty() {
            return unshared;
        }
        let shared = self.parts().skip(1).filter_map(|(part, rules)| {
            let entry = rules.index.find(&rules.texts, path)?;
            Some((part, entry))
        });
        unshared
            .into_iter()
            .chain(shared)
            .min_by_key(|(_, entry)| self.index.rank(*entry))
    }

    /// Returns the path of a target in the form that the dialect compares.
    #[inline]
    fn path_of<'t>(&self, target: &'t Target<'_>) -> Cow<'t, [u8]> {
        target.form_for_rules(self.dialect.encoding, self.dialect.nul_byte)
    }
}

/// The `User-agent` line of a group that names the robot.
#[derive(Clone, Copy)]
struct GroupName {
    /// The line of the group's first rule.
    first_rule: u32,
    /// The 1-based line; 0 if the group has no such line: a default group.
    line: u32,
    /// The range of the name in the body.
    start: u32,
    end: u32,
}

impl GroupName {
    /// Creates the name of a group from its first rule, and the line that names the robot, if any.
    fn new(body: &[u8], first_rule: &ViewLine, agent: Option<ViewLine>) -> Self {
        let (line, text) = agent.map_or((0, 0..0), |agent| {
            (agent.number(), range_in(body, agent.value(body)))
        });
        Self::at(first_rule.number(), line, text)
    }

    /// Creates a name from the lines of the group's first rule and of the name, and the range of the name: 0 and empty if the
    /// group has no name.
    fn at(first_rule: usize, line: usize, text: Range<usize>) -> Self {
        let number = |number| u32::try_from(number).unwrap_or(u32::MAX);
        Self {
            first_rule: number(first_rule),
            line: number(line),
            start: number(text.start),
            end: number(text.end),
        }
    }
}

impl RobotsTxt {
    /// Returns the delay between two requests that the file asks of a robot: the longest, if there are
    /// several. Compiles the rules each time: if they are compiled already, use [`Rules::crawl_delay`].
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt};
    ///
    /// let robots = RobotsTxt::parse("User-agent: *\nCrawl-delay: 2.5");
    /// let delay = robots.crawl_delay("ExampleBot", &Dialect::RFC9309).unwrap();
    /// assert_eq!(delay.delay().as_millis(), 2_500);
    /// assert_eq!(delay.line(), 2);
    /// ```
    pub fn crawl_delay<'n>(
        &self,
        agent: impl Into<Agent<'n>>,
        dialect: &Dialect,
    ) -> Option<CrawlDelay> {
        self.rules(agent, dialect).crawl_delay()
    }
}

impl Rules {
    /// Returns the verdict on a target: whether it may be fetched, and the reason.
    ///
    /// More than twelve rules are sorted at the 17th target, or at the first target if more than 32 of
    /// them have wildcards. Until then, each rule is tried. Sorting stores a second copy of the rules,
    /// without their texts.
    ///
    /// Apart from sorting, nothing is allocated if the target's path is in the compared form already, as
    /// nearly all are (see [`Target`]), and fewer than about two thousand rules have wildcards.
    pub fn verdict(&self, target: &Target<'_>) -> Verdict<'_> {
        let compiled = &*self.compiled;
        let path = compiled.path_of(target);
        if compiled.dialect.allows_itself(&path) {
            return Verdict::new(true, Reason::OwnPath);
        }
        match compiled.find(&path) {
            Some((part, entry)) => {
                Verdict::new(entry.allows(), Reason::Rule(self.rule((part, entry))))
            }
            None if compiled.has_group => Verdict::new(true, Reason::NoRuleMatches),
            None => Verdict::new(true, Reason::NoGroup),
        }
    }

    /// Returns the rules that match a target: first the one that decides, then in order each that
    /// would decide without the rules before it. There are none if the target is `/robots.txt` and that is
    /// always allowed. Tries every rule.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Target};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /c");
    /// let rules = robots.rules("ExampleBot", &Dialect::RFC9309);
    /// let lines: Vec<_> = rules.matching(&Target::new("/a/b")).map(|rule| rule.line()).collect();
    /// assert_eq!(lines, [3, 2]);
    /// ```
    pub fn matching<'r>(&'r self, target: &Target<'_>) -> impl Iterator<Item = Rule<'r>> + use<'r> {
        let compiled = &*self.compiled;
        let path = compiled.path_of(target);
        let is_own = compiled.dialect.allows_itself(&path);
        let matches = |&(part, entry): &(u32, Entry)| {
            let texts = &compiled.part(part).texts;
            !is_own && entry.reading().matches(texts.form(entry), &path)
        };
        let mut entries: Vec<(u32, Entry)> = compiled.entries().filter(matches).collect();
        entries.sort_by_key(|&(_, entry)| compiled.index.rank(entry));
        // A rule may have several patterns: returns its line once.
        if compiled.dialect.has_rules_of_several_patterns() {
            let mut lines = HashSet::new();
            entries.retain(|(_, entry)| lines.insert(entry.line()));
        }
        entries.into_iter().map(|entry| self.rule(entry))
    }

    /// Returns the rule of an entry in one of the parts.
    fn rule(&self, (part, entry): (u32, Entry)) -> Rule<'_> {
        Rule {
            rules: self,
            part,
            entry,
        }
    }

    /// Returns the rules, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Rule<'_>> {
        let entries = self.compiled.entries();
        let mut rules: Vec<Rule<'_>> = entries.map(|entry| self.rule(entry)).collect();
        // A rule may have several patterns: returns the first, as written in the file.
        rules.sort_unstable_by_key(|rule| (rule.entry.line(), rule.entry.place()));
        rules.dedup_by_key(|rule| rule.entry.line());
        rules.into_iter()
    }

    /// Returns the rules by rank: of those that match a path, the first decides. A rule with several patterns, such as
    /// that of an index page that represents its folder, occurs with each of them.
    pub(crate) fn ranked(&self) -> Vec<RankedRule<'_>> {
        let compiled = &*self.compiled;
        let mut entries: Vec<(u32, Entry)> = compiled.entries().collect();
        entries.sort_by_key(|&(_, entry)| compiled.index.rank(entry));
        entries
            .into_iter()
            .map(|(part, entry)| RankedRule {
                form: compiled.part(part).texts.form(entry),
                reading: entry.reading(),
                allows: entry.allows(),
                line: entry.line(),
            })
            .collect()
    }

    /// Returns the same rules for another robot of the same groups.
    fn for_other(&self, per_robot: PerRobot) -> Self {
        Self {
            compiled: Arc::clone(&self.compiled),
            per_robot: Some(Arc::new(per_robot)),
        }
    }

    /// Returns whether both were compiled at once ([`RobotsTxt::rules_of_all`]), for robots of the
    /// same groups: only the `User-agent` lines that name the robots, and delays, may differ.
    pub fn shares_rules_with(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.compiled, &other.compiled)
    }

    /// Returns a number that is equal for rules that [share](Self::shares_rules_with) theirs, and different for others, as long as
    /// all of them exist. So each distinct set of rules can be found once among many.
    pub fn sharing_key(&self) -> usize {
        Arc::as_ptr(&self.compiled).addr()
    }

    /// Returns whether a line, by its number from 1, is the first to name the robot in a group that has
    /// a rule ([`Rule::agent_line`]).
    pub fn is_named_on_line(&self, line: usize) -> bool {
        // Groups are in file order, so their lines ascend.
        let groups = self.groups();
        let is_found = groups.binary_search_by_key(&line, |group| group.line as usize);
        line > 0 && is_found.is_ok()
    }

    /// Converts a verdict of other rules into the verdict of these on the same target, without matching
    /// it again. `None` if the two do not share their rules
    /// ([`shares_rules_with`](Self::shares_rules_with)).
    pub fn verdict_as(&self, other: &Self, verdict: &Verdict<'_>) -> Option<Verdict<'_>> {
        let reason = match verdict.reason() {
            Reason::Rule(rule) => Reason::Rule(self.rule((rule.part, rule.entry))),
            Reason::NoRuleMatches => Reason::NoRuleMatches,
            Reason::NoGroup => Reason::NoGroup,
            Reason::OwnPath => Reason::OwnPath,
        };
        self.shares_rules_with(other)
            .then(|| Verdict::new(verdict.is_allowed(), reason))
    }

    fn groups(&self) -> &[GroupName] {
        self.per_robot
            .as_ref()
            .map_or(&self.compiled.groups, |per_robot| &per_robot.groups)
    }

    /// Returns the dialect under which they were compiled.
    pub fn dialect(&self) -> &Dialect {
        &self.compiled.dialect
    }

    /// Returns whether a group applies to the robot, by name or by `*`.
    pub fn has_group(&self) -> bool {
        self.compiled.has_group
    }

    /// Returns the delay between two requests that the robot's groups ask for: the longest, if there
    /// are several. Engines differ in whether they honour it (docs/semantics.md, section
    /// 8.5).
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        match &self.per_robot {
            Some(per_robot) => per_robot.crawl_delay,
            None => self.compiled.crawl_delay,
        }
    }
}

/// A rule as it is compared, at its place in the order of ranks ([`Rules::ranked`]).
pub(crate) struct RankedRule<'r> {
    pub(crate) form: &'r [u8],
    pub(crate) reading: Reading,
    pub(crate) allows: bool,
    pub(crate) line: usize,
}

impl<'r> RankedRule<'r> {
    /// Returns the compared part of the form.
    pub(crate) fn compared(&self) -> &'r [u8] {
        self.reading.compared(self.form)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("dialect", &self.compiled.dialect.name())
            .field("rules", &self.iter().len())
            .finish_non_exhaustive()
    }
}
