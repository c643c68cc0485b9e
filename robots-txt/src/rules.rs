//! Rules: what one file says to one robot under one dialect, ready to answer for targets.
//!
//! The answer is found by the definition: every rule is tried, the longest pattern wins, `Allow`
//! wins a tie, and of equals the first line is named. One verdict costs time linear in the
//! target's bytes for each rule.

use crate::agent;
use crate::dialect::{Dialect, IndexPage, OwnPath};
use crate::document::RobotsTxt;
use crate::extension::crawl_delay::CrawlDelay;
use crate::line::Field;
use crate::pattern::Pattern;
use crate::target::Target;
use crate::verdict::{Reason, Verdict};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Whether a rule allows or disallows what it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum RuleKind {
    /// `Allow`.
    Allow,
    /// `Disallow`.
    Disallow,
}

/// The rules of a robot. Cheap to clone; shares the body with the [`RobotsTxt`] it came from.
#[derive(Clone)]
pub struct Rules {
    compiled: Arc<Compiled>,
}

struct Compiled {
    robots: RobotsTxt,
    dialect: Dialect,
    rules: Box<[CompiledRule]>,
    has_group: bool,
    crawl_delay: Option<CrawlDelay>,
}

struct CompiledRule {
    kind: RuleKind,
    line: usize,
    agent_line: usize,
    /// Where the value stands in the body.
    text: Range<usize>,
    /// Where the value of the `User-agent` line stands in the body.
    agent: Range<usize>,
    pattern: Pattern,
    folder: Option<Pattern>,
}

impl CompiledRule {
    /// The number of octets by which the rule matches `path`; `None` if it does not match.
    fn weight(&self, path: &[u8]) -> Option<usize> {
        [Some(&self.pattern), self.folder.as_ref()]
            .into_iter()
            .flatten()
            .find(|pattern| pattern.matches(path))
            .map(|pattern| pattern.form().len())
    }
}

impl Rules {
    pub(crate) fn compile(robots: &RobotsTxt, agent: &str, dialect: &Dialect) -> Self {
        let groups = agent::groups(robots, dialect);
        let chosen = agent::chosen(&groups, agent, dialect);
        let mut rules = Vec::new();
        let mut crawl_delay: Option<CrawlDelay> = None;
        for (group, agent_line) in &chosen {
            for directive in group.directives() {
                let line = directive.line();
                let kind = match directive.field() {
                    Field::Allow => RuleKind::Allow,
                    Field::Disallow => RuleKind::Disallow,
                    Field::CrawlDelay => {
                        // Of several, the longest: obeying it obeys them all.
                        crawl_delay = crawl_delay
                            .into_iter()
                            .chain(CrawlDelay::read(line.number(), line.value()))
                            .reduce(|a, b| if b.delay() > a.delay() { b } else { a });
                        continue;
                    }
                    _ => continue,
                };
                let pattern = Pattern::new(line.value(), dialect.encoding);
                let folder = (kind == RuleKind::Allow
                    && dialect.index_page == IndexPage::StandsForFolder)
                    .then(|| pattern.folder_of_index_page())
                    .flatten();
                rules.push(CompiledRule {
                    kind,
                    line: line.number(),
                    agent_line: agent_line.number(),
                    text: range_in(robots.body(), line.value()),
                    agent: range_in(robots.body(), agent_line.value()),
                    pattern,
                    folder,
                });
            }
        }
        Self {
            compiled: Arc::new(Compiled {
                robots: robots.clone(),
                dialect: *dialect,
                rules: rules.into(),
                has_group: !chosen.is_empty(),
                crawl_delay,
            }),
        }
    }

    /// Whether the target may be fetched, and why.
    pub fn verdict(&self, target: &Target) -> Verdict<'_> {
        let path = target.form(self.compiled.dialect.encoding);
        if self.compiled.dialect.own_path == OwnPath::AlwaysAllowed && *path == *b"/robots.txt" {
            return Verdict::new(true, Reason::OwnPath);
        }
        let mut best: Option<(usize, &CompiledRule)> = None;
        for rule in &self.compiled.rules {
            let Some(weight) = rule.weight(&path) else {
                continue;
            };
            let better = match best {
                None => true,
                Some((most, by)) => {
                    weight > most
                        || weight == most
                            && rule.kind == RuleKind::Allow
                            && by.kind == RuleKind::Disallow
                }
            };
            if better {
                best = Some((weight, rule));
            }
        }
        match best {
            // An empty pattern matches everything with no octet: `Disallow:` allows (1994, and in
            // effect RFC 9309 and Google: SEMANTICS 1.4).
            Some((weight, compiled)) => Verdict::new(
                compiled.kind == RuleKind::Allow || weight == 0,
                Reason::Rule(Rule {
                    rules: self,
                    compiled,
                }),
            ),
            None if self.compiled.has_group => Verdict::new(true, Reason::NoRuleMatches),
            None => Verdict::new(true, Reason::NoGroup),
        }
    }

    /// The rules, in file order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Rule<'_>> {
        self.compiled.rules.iter().map(|compiled| Rule {
            rules: self,
            compiled,
        })
    }

    /// The file that the rules come from.
    pub fn robots_txt(&self) -> &RobotsTxt {
        &self.compiled.robots
    }

    /// The dialect under which they were compiled.
    pub fn dialect(&self) -> &Dialect {
        &self.compiled.dialect
    }

    /// Whether a group speaks to the robot, by name or by `*`.
    pub fn has_group(&self) -> bool {
        self.compiled.has_group
    }

    /// The delay between two requests that the robot's groups ask for: the longest, if there are
    /// several. Whether it is honoured is the engine's affair (SEMANTICS 8.5).
    pub fn crawl_delay(&self) -> Option<CrawlDelay> {
        self.compiled.crawl_delay
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("dialect", &self.compiled.dialect.name())
            .field("rules", &self.compiled.rules.len())
            .finish_non_exhaustive()
    }
}

/// One rule: a line of the file that allows or disallows.
#[derive(Clone, Copy)]
pub struct Rule<'r> {
    rules: &'r Rules,
    compiled: &'r CompiledRule,
}

impl<'r> Rule<'r> {
    /// Whether the rule allows or disallows.
    pub fn kind(&self) -> RuleKind {
        self.compiled.kind
    }

    /// The number of its line, from 1.
    pub fn line(&self) -> usize {
        self.compiled.line
    }

    /// Its pattern as written.
    pub fn text(&self) -> &'r [u8] {
        self.slice(&self.compiled.text)
    }

    /// Its pattern in the form in which the dialect compares it.
    pub fn pattern(&self) -> &'r [u8] {
        self.compiled.pattern.form()
    }

    /// The name by which its group speaks to the robot, as written: `*` or a robot's name.
    pub fn agent(&self) -> &'r [u8] {
        self.slice(&self.compiled.agent)
    }

    /// The number of the line that has that name, from 1.
    pub fn agent_line(&self) -> usize {
        self.compiled.agent_line
    }

    /// The range in bytes of its pattern in the body.
    pub fn span(&self) -> Range<usize> {
        self.compiled.text.clone()
    }

    fn slice(&self, range: &Range<usize>) -> &'r [u8] {
        self.rules
            .robots_txt()
            .body()
            .get(range.clone())
            .unwrap_or_default()
    }
}

impl fmt::Debug for Rule<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Rule({}: {:?} {})",
            self.line(),
            self.kind(),
            self.text().escape_ascii()
        )
    }
}

impl PartialEq for Rule<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.compiled, other.compiled)
    }
}

impl Eq for Rule<'_> {}

/// Where `part`, which is a part of `body`, stands in it.
fn range_in(body: &[u8], part: &[u8]) -> Range<usize> {
    let start = part.as_ptr().addr().saturating_sub(body.as_ptr().addr());
    start..start.saturating_add(part.len())
}
