//! The rules of many robots of one file, and verdicts on many targets.

use super::compile::{RulesBuilder, longer};
use super::verdict::Verdict;
use super::{Compiled, GroupName, PerRobot, Rules};
use crate::dialect::{DelayScope, Dialect};
use crate::extension::crawl_delay::CrawlDelay;
use crate::parse::document::RobotsTxt;
use crate::select::agent::Agent;
use crate::select::agent_index::{AgentIndex, SelectedGroup, Selection};
use crate::target::Target;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

/// The least number of rules of a large group. The rules of a large group are compiled once, for all robots that obey it
/// together with other groups. The rules of a smaller group are copied for each such robot. A copy has fewer rules than this
/// number, and a robot has one copy for each `User-agent` line that names it. So the whole cost stays linear in the file.
const LARGE_GROUP: usize = 16;

/// The rules of many robots of one file. Robots that the same `User-agent` lines name share theirs.
/// See [`RobotsTxt::rules_of_all`].
#[derive(Debug, Clone)]
pub struct RulesOfAll {
    distinct: Vec<Rules>,
    /// The index of each robot's rules in `distinct`.
    indices: Vec<usize>,
}

impl RobotsTxt {
    /// Returns the rules for many robots, each under its dialect, in their order. For each dialect, the file is read once, and
    /// robots share rules as those of [`rules_of_all`](Self::rules_of_all) do.
    pub fn rules_of_each(&self, agents: &[(Agent<'_>, &Dialect)]) -> RulesOfAll {
        let mut all = RulesOfAll {
            distinct: Vec::new(),
            indices: vec![0; agents.len()],
        };
        let mut left: Vec<usize> = (0..agents.len()).collect();
        while let Some(&first) = left.first() {
            let dialect = agents[first].1;
            let (places, others): (Vec<usize>, Vec<usize>) = left
                .into_iter()
                .partition(|&place| agents[place].1 == dialect);
            let of_dialect = places.iter().map(|&place| &agents[place].0);
            let rules = self.rules_of_all(of_dialect, dialect);
            for (place, index) in places.into_iter().zip(rules.indices) {
                all.indices[place] = all.distinct.len() + index;
            }
            all.distinct.extend(rules.distinct);
            left = others;
        }
        all
    }

    /// Returns the rules for many robots, under a dialect, in their order.
    ///
    /// The file is read once, and the rules of some groups are compiled once for all robots that
    /// obey these groups: a thousand robots that a file does not name, or that it names in one
    /// group, cost little more than one. Robots that a large group and other groups name share the
    /// rules of the large one, so time and memory are linear in the file and `n log n` in its rules.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Target};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: a\nDisallow: /x\n\nUser-agent: *\nDisallow: /");
    /// let rules = robots.rules_of_all(["a", "b", "c"], &Dialect::RFC9309);
    /// assert_eq!(rules.distinct().len(), 2);
    /// let target = Target::new("https://example.com/y");
    /// let allowed: Vec<bool> = rules.verdicts(&target).map(|verdict| verdict.is_allowed()).collect();
    /// assert_eq!(allowed, [true, false, false]);
    /// ```
    pub fn rules_of_all<'n, A: Into<Agent<'n>>>(
        &self,
        agents: impl IntoIterator<Item = A>,
        dialect: &Dialect,
    ) -> RulesOfAll {
        let mut all = RulesOfAll {
            distinct: Vec::new(),
            indices: Vec::new(),
        };
        let mut agents = agents.into_iter().peekable();
        if agents.peek().is_none() {
            return all;
        }
        let mut compiler = Compiler::new(self, dialect);
        let mut index_of = HashMap::new();
        for agent in agents {
            let agent = agent.into();
            let selection = compiler.index.select(&agent);
            // Robots with the same lines may differ in this: whether the delay of the robot `*` applies.
            let uses_star_delay =
                dialect.delay_scope == DelayScope::GroupOrDefault && agent.obeys_star();
            let index = *index_of
                .entry((selection, uses_star_delay))
                .or_insert_with_key(|(selection, uses_star_delay)| {
                    let rules = compiler.rules(selection, *uses_star_delay);
                    all.distinct.push(rules);
                    all.distinct.len() - 1
                });
            all.indices.push(index);
        }
        all
    }
}

impl RobotsTxt {
    /// Returns for each of some robots whether a `User-agent` line has one of its names, by the rule
    /// of a dialect; `*` does not count. Reads the file once.
    pub fn are_named<'n, A: Into<Agent<'n>>>(
        &self,
        agents: impl IntoIterator<Item = A>,
        dialect: &Dialect,
    ) -> Vec<bool> {
        let index = AgentIndex::of_all_lines(self.view(dialect));
        let agents = agents.into_iter().map(Into::into);
        agents.map(|agent| index.names_robot(&agent)).collect()
    }
}

/// A compiler of the rules of many robots.
struct Compiler<'r> {
    robots: &'r RobotsTxt,
    dialect: &'r Dialect,
    index: AgentIndex<'r>,
    /// The rules of the robots so far, by the indices of their groups.
    by_groups: HashMap<Vec<u32>, Rules>,
    /// The rules of large groups, by the index of the group and by whether a group of the robot has Conner's version 2.0. A
    /// dialect that reads this version then ranks the rules of all groups of the robot by the types of their patterns.
    large: HashMap<(u32, bool), Arc<Compiled>>,
    /// The delay of the robot `*`, once it was needed.
    star_delay: OnceCell<Option<CrawlDelay>>,
}

impl<'r> Compiler<'r> {
    fn new(robots: &'r RobotsTxt, dialect: &'r Dialect) -> Self {
        Self {
            robots,
            dialect,
            index: AgentIndex::new(robots.view(dialect)),
            by_groups: HashMap::new(),
            large: HashMap::new(),
            star_delay: OnceCell::new(),
        }
    }

    /// Returns the rules of the robots that some lines select. `uses_star_delay` is true if a robot whose groups have no
    /// delay has that of the robot `*`.
    fn rules(&mut self, selection: &Selection, uses_star_delay: bool) -> Rules {
        let selected = self.index.groups(selection);
        let mut crawl_delay = self.delay(&selected);
        if crawl_delay.is_none() && uses_star_delay {
            crawl_delay = *self.star_delay.get_or_init(|| {
                // Not `Selection::Default`: the robot `*` may obey other groups, as an empty `User-agent` line
                // names every robot if a part of a name is enough.
                let of_star = self.index.select(&Agent::new("*"));
                self.delay(&self.index.groups(&of_star))
            });
        }
        let groups: Vec<u32> = selected.iter().map(|group| group.group).collect();
        if let Some(rules) = self.by_groups.get(&groups) {
            let names = selected.iter().filter_map(|group| self.name(group));
            return rules.for_other(PerRobot {
                groups: names.collect(),
                crawl_delay,
            });
        }
        let rules = self.compile(&selected, crawl_delay);
        self.by_groups.insert(groups, rules.clone());
        rules
    }

    /// Compiles the rules of some groups.
    fn compile(&mut self, selected: &[SelectedGroup], crawl_delay: Option<CrawlDelay>) -> Rules {
        let mut builder = RulesBuilder::new(self.dialect, self.robots.url());
        builder.has_group = !selected.is_empty();
        builder.crawl_delay = crawl_delay;
        let mut groups = selected.iter().map(|group| group.group);
        builder.is_version_2 = groups.any(|group| self.index.is_version_2(group));
        for group in selected {
            builder.groups.extend(self.name(group));
            let is_large = self.index.rules(group.group).len() >= LARGE_GROUP;
            if is_large && selected.len() > 1 {
                let rules = self.large_group((group.group, builder.is_version_2));
                builder.shared.push(rules);
            } else {
                self.add_rules(group.group, &mut builder);
            }
        }
        builder.finish(Arc::clone(self.robots.shared_body()))
    }

    /// Returns the rules of a large group, which are compiled once for each key.
    fn large_group(&mut self, key: (u32, bool)) -> Arc<Compiled> {
        if let Some(rules) = self.large.get(&key) {
            return Arc::clone(rules);
        }
        let mut builder = RulesBuilder::new(self.dialect, self.robots.url());
        builder.is_version_2 = key.1;
        self.add_rules(key.0, &mut builder);
        let rules = builder.finish(Arc::clone(self.robots.shared_body()));
        self.large.insert(key, Arc::clone(&rules.compiled));
        rules.compiled
    }

    /// Adds the rules of a group.
    fn add_rules(&self, group: u32, builder: &mut RulesBuilder<'_>) {
        let is_version_2 = self.index.is_version_2(group);
        for rule in self.index.rules(group) {
            builder.add_line(self.robots.body(), &rule, is_version_2);
        }
    }

    /// Returns the name of a group; `None` if it has no rule.
    fn name(&self, group: &SelectedGroup) -> Option<GroupName> {
        let first = self.index.rules(group.group).next()?;
        Some(GroupName::new(self.robots.body(), &first, group.agent_line))
    }

    /// Returns the longest delay of some groups.
    fn delay(&self, groups: &[SelectedGroup]) -> Option<CrawlDelay> {
        groups
            .iter()
            .flat_map(|group| self.index.delays(group))
            .fold(None, |delay, line| longer(delay, self.robots.body(), &line))
    }
}

impl RulesOfAll {
    /// Returns the rules of each robot, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Rules> {
        self.indices.iter().map(|&index| &self.distinct[index])
    }

    /// Returns each distinct set of rules once.
    pub fn distinct(&self) -> &[Rules] {
        &self.distinct
    }

    /// Returns the verdict of each robot on a target, in order. Each distinct set of rules is applied
    /// once.
    pub fn verdicts(&self, target: &Target<'_>) -> impl ExactSizeIterator<Item = Verdict<'_>> {
        let verdicts: Vec<Verdict<'_>> = self
            .distinct
            .iter()
            .map(|rules| rules.verdict(target))
            .collect();
        self.indices.iter().map(move |&index| verdicts[index])
    }
}

impl Rules {
    /// Returns the verdicts on many targets, in order.
    pub fn verdicts<'r, 't, 'u: 't>(
        &'r self,
        targets: impl IntoIterator<Item = &'t Target<'u>>,
    ) -> impl Iterator<Item = Verdict<'r>> {
        targets.into_iter().map(|target| self.verdict(target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::{AgentList, AgentMatch};
    use crate::parse::field::Field;
    use proptest::prelude::*;

    #[test]
    fn robots_with_the_same_groups_share_their_rules() {
        let robots = RobotsTxt::parse(
            b"User-agent: a\nUser-agent: b\nDisallow: /x\n\nUser-agent: *\nDisallow: /y",
        );
        let rules = robots.rules_of_all(["a", "b", "c", "A", "d"], &Dialect::RFC9309);
        // `a` and `b` are named on lines of their own, which their verdicts name.
        assert_eq!(rules.indices, [0, 1, 2, 0, 2]);
        let targets = [Target::new("/x"), Target::new("/y")];
        for target in &targets {
            let alone = ["a", "b", "c", "A", "d"].map(|agent| {
                let rules = robots.rules(agent, &Dialect::RFC9309);
                rules.verdict(target).to_string()
            });
            let together: Vec<_> = rules.verdicts(target).map(|one| one.to_string()).collect();
            assert_eq!(together, alone);
        }
        let first = rules.iter().next().unwrap();
        let lines: Vec<_> = first.verdicts(&targets).map(|one| one.line()).collect();
        assert_eq!(lines, [Some(3), None]);
    }

    #[test]
    fn each_robot_may_have_a_dialect_of_its_own() {
        let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /a%62c\nAllow: /\nDisallow: /d");
        let dialects = [&Dialect::RFC9309, &Dialect::GOOGLE, &Dialect::KOSTER_1996];
        let asked: Vec<(Agent<'_>, &Dialect)> = (0..9)
            .map(|number| (Agent::new(format!("bot{number}")), dialects[number % 3]))
            .collect();
        let rules = robots.rules_of_each(&asked);
        assert_eq!(rules.indices, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        for target in [Target::new("/abc"), Target::new("/d")] {
            for ((agent, dialect), together) in asked.iter().zip(rules.verdicts(&target)) {
                let alone = robots.rules(agent, dialect);
                assert_eq!(together.line(), alone.verdict(&target).line());
            }
        }
    }

    #[test]
    fn an_empty_name_is_a_part_of_the_default_robot() {
        let robots = RobotsTxt::parse(b"User-agent:\nAllow: *\nUser-agent: *\nCrawl-delay: 3\n");
        let dialect = Dialect::BING.with_agent_match(AgentMatch::LineInName);
        let all = robots.rules_of_all(["a"], &dialect);
        let alone = robots.rules("a", &dialect);
        let together = all.iter().next().map(Rules::crawl_delay);
        assert_eq!(together, Some(alone.crawl_delay()));
    }

    #[test]
    fn robots_share_the_rules_of_a_large_group() {
        // Each of 50 robots is in a common group with this number of rules, and in a group of its own with one rule.
        // Returns the number of rules that are compiled for a single robot, and of those that robots share.
        let count = |rules: usize| -> (usize, usize) {
            let names = |at: usize| format!("User-agent: bot{at}\n");
            let joined: String = (0..50).map(names).collect();
            let rule = |at: usize| format!("Disallow: /{at}/\n");
            let rules: String = (0..rules).map(rule).collect();
            let own = |at: usize| format!("{}Allow: /{at}/own\n", names(at));
            let own: String = (0..50).map(own).collect();
            let robots = RobotsTxt::parse([joined, rules, own].concat());
            let agents: Vec<String> = (0..50).map(|at| format!("bot{at}")).collect();
            let all = robots.rules_of_all(&agents, &Dialect::RFC9309);
            for (agent, rules) in agents.iter().zip(all.iter()) {
                let alone = robots.rules(agent.as_str(), &Dialect::RFC9309);
                assert_eq!(rules.to_bytes(), alone.to_bytes());
                let own = format!("/{}/own", agent.trim_start_matches("bot"));
                for path in [own.as_str(), "/1/x", "/49/own", "/x"] {
                    let [one, two] = [rules, &alone].map(|rules| {
                        let target = Target::new(path);
                        let matching: Vec<usize> =
                            rules.matching(&target).map(|rule| rule.line()).collect();
                        (rules.verdict(&target).to_string(), matching)
                    });
                    assert_eq!(one, two, "{agent} {path}");
                }
            }
            let own = |rules: &Rules| rules.compiled.index.entries().len();
            let shared = |rules: &Rules| rules.compiled.shared.clone();
            let mut shared: Vec<_> = all.iter().flat_map(shared).collect();
            shared.dedup_by(|one, two| Arc::ptr_eq(one, two));
            let shared = shared.iter().map(|rules| rules.index.entries().len());
            (all.iter().map(own).sum(), shared.sum())
        };
        assert_eq!(count(LARGE_GROUP - 1), (50 * LARGE_GROUP, 0));
        assert_eq!(count(LARGE_GROUP), (50, LARGE_GROUP));
        assert_eq!(count(1000), (50, 1000));
    }

    #[test]
    fn robots_of_one_group_are_compiled_once() {
        let robots = RobotsTxt::parse(
            b"User-agent: a\nCrawl-delay: 1\nUser-agent: b\nCrawl-delay: 2\nDisallow: /x\n",
        );
        let all = robots.rules_of_all(["a", "b"], &Dialect::RFC9309);
        let [a, b] = all.distinct() else {
            panic!("two robots")
        };
        assert!(a.shares_rules_with(b));
        let named = |rules: &Rules| [0, 1, 3].map(|line| rules.is_named_on_line(line));
        assert_eq!(
            [named(a), named(b)],
            [[false, true, false], [false, false, true]]
        );
        let target = Target::new("/x");
        let verdict = a.verdict(&target);
        let for_b = b.verdict_as(a, &verdict).map(|verdict| verdict.to_string());
        assert_eq!(for_b, Some(b.verdict(&target).to_string()));
        let other = robots.rules("a", &Dialect::RFC9309);
        assert_eq!(other.verdict_as(a, &verdict), None);
        let seconds = |rules: &Rules| rules.crawl_delay().map(|delay| delay.delay().as_secs());
        assert_eq!([seconds(a), seconds(b)], [Some(1), Some(2)]);
        let rules = |rules: &'_ Rules| rules.iter().next().map(|rule| rule.agent().to_vec());
        assert_eq!(
            [rules(a), rules(b)],
            [Some(b"a".to_vec()), Some(b"b".to_vec())]
        );
        // The same line, but in the rules of two robots.
        assert_ne!(a.iter().next(), b.iter().next());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn rules_of_many_robots_are_those_of_each(
            large in 0..2_usize,
            lines in prop::collection::vec(
                "(User-agent|User-agent|Allow|Disallow|Crawl-delay|Sitemap|Robot-version|x|):? ?\
                 (\\*|a|A|ab|abc/1|a b|c, a|1a|[a-c]{0,3}|/x|2.0|3|)[\r\n]{1,2}",
                0..16,
            ),
        ) {
            // A large group, which some robots share next to groups of their own.
            let large_group = (0..large * LARGE_GROUP).map(|at| match at % 4 {
                0 => format!("Allow: /{at}*\n"),
                1 => format!("Disallow: /x{at}$\n"),
                2 => "Allow: /x\n".to_owned(),
                _ => format!("Disallow: /{at}\n"),
            });
            let large_group: String = large_group.collect();
            let names = if large > 0 { "User-agent: a\nUser-agent: b\n" } else { "" };
            let body = format!("{names}{large_group}{}", lines.concat());
            let robots = RobotsTxt::parse(body.as_bytes());
            let agents = ["a", "AB", "abc", "b/2", "c a", "1a", "*", "", "a\nb", "cabcabcabca"];
            let agents: Vec<Agent<'_>> = agents
                .into_iter()
                .map(Agent::new)
                .chain([Agent::new("b").or("a"), Agent::new("c").without_star()])
                .collect();
            let more = [
                Dialect::RFC9309.with_agent_list(AgentList::Commas),
                Dialect::RFC9309.with_agent_match(AgentMatch::NameInLine),
                Dialect::BING.with_agent_match(AgentMatch::LineInName),
                Dialect::PROTEGO.with_agent_match(AgentMatch::LineInName),
            ];
            for dialect in Dialect::ALL.iter().chain(&more) {
                let all = robots.rules_of_all(&agents, dialect);
                for (agent, rules) in agents.iter().zip(all.iter()) {
                    let alone = robots.rules(agent, dialect);
                    prop_assert_eq!(
                        rules.to_bytes(),
                        alone.to_bytes(),
                        "{} under {}", agent, dialect.name()
                    );
                    prop_assert_eq!(rules.has_group(), alone.has_group());
                    for path in ["/x", "/x1", "/3", "/", "/4a", "/x5"] {
                        let target = Target::new(path);
                        let matching = |rules: &Rules| -> Vec<usize> {
                            rules.matching(&target).map(|rule| rule.line()).collect()
                        };
                        prop_assert_eq!(matching(rules), matching(&alone));
                        let [one, two] = [rules.verdict(&target), alone.verdict(&target)];
                        prop_assert_eq!(one.to_string(), two.to_string());
                    }
                    let mut values = robots
                        .directives(dialect)
                        .filter(|directive| directive.field() == Field::UserAgent)
                        .map(|directive| directive.line().value());
                    let is_named = values.any(|value| {
                        let agent = agent.clone().without_star();
                        agent.nearness(value, dialect).is_some()
                    });
                    prop_assert_eq!(robots.are_named([agent], dialect), [is_named]);
                    prop_assert_eq!(rules.crawl_delay(), alone.crawl_delay());
                }
            }
        }
    }
}
