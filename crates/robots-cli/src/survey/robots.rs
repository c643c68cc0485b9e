//! Counts a robots.txt: its sizes, findings and statements, and the restrictions of robots.

use super::count::{Restrictions, Robots};
use super::files::FileFacts;
use super::lines::{LineCounter, LineCounts};
use super::restrictions::{MAX_WORK, NamedRobots, RestrictionCache, names_everyone, restrictions};
use memchr::memmem;
use robots_lint::{FindingKind, RobotsTxtLinter, Severity};
use robots_policy::profile::AgentTable;
use robots_txt::analysis::Restriction;
use robots_txt::extension::Extension;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::Field;
use robots_txt::robots_usage::Preference;
use robots_txt::select::Group;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The maximum number of named robots of a file whose restrictions are counted. For the others, only the name is counted.
pub(super) const MAX_RESTRICTIONS: usize = 1_000;

/// The robots that a file names, and how much it disallows to each.
struct FileRobots {
    /// The named robots in lower case, in order.
    named: Vec<String>,
    /// The restrictions of the named robots, in their order; those of the first [`MAX_RESTRICTIONS`].
    of_named: Vec<Restriction>,
    /// The restrictions of `*` and of each robot of the table, whether the file names it or not.
    of_known: Vec<Restriction>,
}

/// A robot of the table, as RFC 9309 selects its groups.
struct KnownRobot {
    /// The names whose groups it may obey, in lower case. It obeys those of the first name that has a group.
    names: Vec<String>,
    /// Whether it obeys the groups of `*` if none of the names has one.
    obeys_star: bool,
}

/// A counter of robots.txt files. Each worker has one.
pub(super) struct FileCounter<'t> {
    table: &'t AgentTable,
    /// The robots of the table, in its order.
    known: Vec<KnownRobot>,
    /// The indexes of the robots of the table that obey the groups of a name, by that name.
    robots_by_name: HashMap<String, Vec<usize>>,
    linter: RobotsTxtLinter,
    /// The dialect under which files are read.
    dialect: Dialect,
}

impl<'t> FileCounter<'t> {
    pub(super) fn new(table: &'t AgentTable, dialect: Dialect) -> Self {
        let known = table.iter().map(|agent| {
            let names = std::iter::once(&agent.token).chain(&agent.or);
            KnownRobot {
                names: names.map(|name| name.to_ascii_lowercase()).collect(),
                obeys_star: agent.obeys_star,
            }
        });
        let known: Vec<KnownRobot> = known.collect();
        let mut robots_by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, robot) in known.iter().enumerate() {
            for name in &robot.names {
                robots_by_name.entry(name.clone()).or_default().push(index);
            }
        }
        Self {
            table,
            known,
            robots_by_name,
            // Findings are only counted: the linter needs to store none.
            linter: RobotsTxtLinter::new()
                .with_limit(0)
                .with_known_robots(table),
            dialect,
        }
    }

    /// Counts a file, and returns its facts. Nothing else is counted in a file that is HTML.
    pub(super) fn count(&self, body: &[u8], count: &mut Robots) -> FileFacts {
        let robots = RobotsTxt::parse(body);
        count.files = count.files.saturating_add(1);
        if robots.looks_like_html() {
            count.html = count.html.saturating_add(1);
            return FileFacts::of_html(body.len());
        }
        let is_over = body.len() > RFC9309_SIZE_LIMIT;
        count.over_limit = count.over_limit.saturating_add(u64::from(is_over));
        let mut line_counter = LineCounter::new(&robots);
        let is_rfc = self.dialect == Dialect::RFC9309;
        // One pass over the lines serves the linter, the counts and the groups. Other dialects may divide lines differently.
        let mut group_builder = is_rfc.then(|| robots.group_builder(&self.dialect));
        let mut may_state_ai = !is_rfc;
        let lint = self.linter.lint_visiting_lines(&robots, &mut |line| {
            line_counter.add(&line);
            if let Some(builder) = &mut group_builder
                && let Some(directive) = builder.add(line)
            {
                may_state_ai |= is_of_ai(directive.field());
            }
        });
        let lines = line_counter.finish();
        lines.add_to(count);
        let groups = match group_builder {
            Some(builder) => builder.finish(),
            None => robots.groups(&self.dialect),
        };
        sizes_of_groups(&groups, count);
        longest_delay(&groups, count);
        let file_robots = if is_rfc {
            self.robots_by_groups(&robots, &groups)
        } else {
            self.robots_by_rules(&robots, &lines)
        };
        self.add_robots(&file_robots, count);
        // Few files have such a field, so few are read again for it.
        if may_state_ai {
            ai_statements(&robots, &self.dialect, count);
        }
        let findings = lint.counts();
        let findings: BTreeMap<_, u64> = findings
            .into_iter()
            .map(|(kind, times)| (kind, times as u64))
            .collect();
        for (label, is_in_file) in webwatch_errors(body, &lines, &groups, &findings) {
            let files = count.webwatch_errors.entry(label).or_default();
            *files = files.saturating_add(u64::from(is_in_file));
        }
        for (kind, times) in &findings {
            count.findings.entry(*kind).or_default().add(*times);
        }
        let errors = findings.iter();
        let errors = errors.filter(|(kind, _)| kind.severity() == Severity::Error);
        FileFacts {
            bytes: body.len(),
            lines: Some(lines),
            groups: groups.len(),
            named_robots: file_robots.named.len(),
            errors: usize::try_from(errors.map(|(_, times)| times).sum::<u64>())
                .unwrap_or(usize::MAX),
            findings: findings.keys().map(|kind| kind.code()).collect(),
        }
    }

    /// Returns the robots of a file under RFC 9309, where a robot obeys the groups that have its name.
    ///
    /// This is faster than [`Self::robots_by_rules`], with the same result; a test compares the two.
    fn robots_by_groups(&self, robots: &RobotsTxt, groups: &[Group<'_>]) -> FileRobots {
        let mut named = NamedRobots::default();
        for (index, group) in groups.iter().enumerate() {
            for agent in group.agents() {
                named.add(agent.value(), index);
            }
        }
        let mut cache = RestrictionCache::new(robots, groups);
        let of_named = named.tokens.iter().take(MAX_RESTRICTIONS);
        let of_named: Vec<Restriction> = of_named
            .map(|(_, groups)| cache.restriction(groups))
            .collect();
        let everyone = named.groups_of("*");
        let everyone = everyone.map_or(Restriction::None, |groups| cache.restriction(groups));
        // The restrictions of all known robots, as if the file had groups of `*` alone.
        let of_known = self.known.iter().map(|robot| {
            if robot.obeys_star {
                everyone
            } else {
                Restriction::None
            }
        });
        let mut of_known: Vec<Restriction> = of_known.collect();
        // The few known robots that the file names, by their own name or by another that they obey, get the restrictions of
        // the groups with that name.
        let obeying = named.tokens.iter();
        let obeying = obeying.filter_map(|(token, _)| self.robots_by_name.get(token));
        for &index in obeying.flatten() {
            let robot = self.known.get(index);
            let groups =
                robot.and_then(|robot| robot.names.iter().find_map(|name| named.groups_of(name)));
            if let (Some(groups), Some(restriction)) = (groups, of_known.get_mut(index)) {
                *restriction = cache.restriction(groups);
            }
        }
        FileRobots {
            named: named.tokens.into_iter().map(|(token, _)| token).collect(),
            of_named,
            of_known: std::iter::once(everyone).chain(of_known).collect(),
        }
    }

    /// Returns the robots of a file under any dialect.
    ///
    /// Compiles the rules of every robot. All restrictions are unknown if the comparisons of robots with `User-agent` lines and
    /// the directives to compile may be more than [`MAX_WORK`].
    fn robots_by_rules(&self, robots: &RobotsTxt, lines: &LineCounts) -> FileRobots {
        let mut named: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        let mut add = |name: &str| {
            let name = name.to_ascii_lowercase();
            if seen.insert(name.clone()) {
                named.push(name);
            }
        };
        for value in robots
            .directives(&self.dialect)
            .filter(|directive| directive.field() == Field::UserAgent)
            .map(|directive| directive.line().value())
        {
            if names_everyone(value, &self.dialect) {
                add("*");
            }
            for name in self.dialect.named_robots(value) {
                add(&name);
            }
        }
        let known = self.table.iter().map(|known| known.token.as_str());
        let known = std::iter::once("*").chain(known);
        let number_of_named = named.len().min(MAX_RESTRICTIONS);
        let first_named = named.iter().take(number_of_named).map(String::as_str);
        let agents: Vec<Agent<'_>> = first_named
            .map(Agent::new)
            .chain(known.map(|token| self.table.agent(token)))
            .collect();
        // Each robot is compared with each `User-agent` line, and the rules of each named robot may be compiled.
        let compared = agents.len().saturating_mul(lines.user_agents());
        let compiled = number_of_named.saturating_mul(lines.directives);
        let mut of_named = if compared.saturating_add(compiled) <= MAX_WORK {
            restrictions(&robots.rules_of_all(agents, &self.dialect))
        } else {
            vec![Restriction::Unknown; agents.len()]
        };
        let of_known = of_named.split_off(number_of_named);
        FileRobots {
            named,
            of_named,
            of_known,
        }
    }

    /// Counts the robots of a file.
    fn add_robots(&self, robots: &FileRobots, count: &mut Robots) {
        if robots.named.len() > MAX_RESTRICTIONS {
            count.beyond_restriction_limit = count.beyond_restriction_limit.saturating_add(1);
        }
        for (number, token) in robots.named.iter().enumerate() {
            let Some(robot) = count.agents.of(self.spelling(token)) else {
                continue;
            };
            robot.files = robot.files.saturating_add(1);
            if let Some(restriction) = robots.of_named.get(number) {
                robot.restrictions.add(*restriction);
            }
        }
        count
            .restrictions
            .resize_with(robots.of_known.len(), Restrictions::default);
        for (count, restriction) in count.restrictions.iter_mut().zip(&robots.of_known) {
            count.add(*restriction);
        }
    }

    /// Returns the token as the table spells it, if it is there.
    fn spelling<'n>(&'n self, token: &'n str) -> &'n str {
        self.table.get(token).map_or(token, |known| &known.token)
    }
}

/// Counts the directives in the group of each `User-agent` line.
fn sizes_of_groups(groups: &[Group<'_>], count: &mut Robots) {
    for group in groups {
        let disallows = number_of(Field::Disallow, group);
        let allows = number_of(Field::Allow, group);
        for _ in group.agents() {
            let directives = group.directives().len();
            count.sizes.directives_of_agent.add(directives);
            count.sizes.disallows_of_agent.add(disallows);
            count.sizes.allows_of_agent.add(allows);
        }
    }
}

/// Counts the longest delay of the file, for any robot.
fn longest_delay(groups: &[Group<'_>], count: &mut Robots) {
    let directives = groups.iter().flat_map(Group::directives);
    let delays = directives
        .filter(|directive| directive.field() == Field::CrawlDelay)
        .filter_map(|directive| match Extension::read(*directive) {
            Some(Extension::CrawlDelay(delay)) => Some(delay.delay().as_secs()),
            _ => None,
        });
    if let Some(longest) = delays.max() {
        count
            .delays
            .add(usize::try_from(longest).unwrap_or(usize::MAX));
    }
}

/// Returns the number of directives of a group with a field.
fn number_of(field: Field, group: &Group<'_>) -> usize {
    let directives = group.directives().iter();
    directives
        .filter(|directive| directive.field() == field)
        .count()
}

/// Returns the kinds of errors that WebWatch counted (`docs/semantics.md`, section 0.7), and whether a file has each.
/// WebWatch attributed unknown fields to a missing colon, or to white space before the field, which robots accept today.
fn webwatch_errors(
    body: &[u8],
    lines: &LineCounts,
    groups: &[Group<'_>],
    findings: &BTreeMap<FindingKind, u64>,
) -> [(&'static str, bool); 7] {
    let has = |kind| findings.contains_key(&kind);
    let has_unknown_field = [
        FindingKind::MissingColon,
        FindingKind::MisspeltField,
        FindingKind::NearField,
        FindingKind::UnknownField,
    ]
    .into_iter()
    .any(has);
    // A group with only Allow rules counts too: robots of 1997 read only Disallow.
    let has_no_disallow = |group: &Group<'_>| number_of(Field::Disallow, group) == 0;
    [
        ("User-agent without a value", has(FindingKind::EmptyAgent)),
        (
            "Disallow without a User-agent",
            has(FindingKind::RuleWithoutGroup),
        ),
        (
            "User-agent without a Disallow",
            groups.iter().any(has_no_disallow),
        ),
        ("unknown field", has_unknown_field),
        ("CRLF line end", memmem::find(body, b"\r\n").is_some()),
        ("empty file", lines.is_blank_file()),
        (
            "several fields for one agent",
            has(FindingKind::RepeatedAgent),
        ),
    ]
}

/// Returns whether a field is one of those that [`ai_statements`] counts.
fn is_of_ai(field: Field) -> bool {
    matches!(
        field,
        Field::ContentUsage
            | Field::ContentSignal
            | Field::AllowAiTraining
            | Field::DisallowAiTraining
            | Field::License
    )
}

/// Counts the statements about AI: the fields for any robot, and the preferences for `*`.
fn ai_statements(robots: &RobotsTxt, dialect: &Dialect, count: &mut Robots) {
    let mut statements: BTreeSet<&'static str> = BTreeSet::new();
    for extension in robots.extensions(dialect) {
        match extension {
            Extension::ContentUsage(_) => statements.insert("Content-Usage"),
            Extension::ContentSignal(_) => statements.insert("Content-Signal"),
            Extension::AiTraining(_) => statements.insert("AI training fields"),
            Extension::License(_) => statements.insert("License"),
            _ => false,
        };
    }
    // Without these fields, there is no preference to look up.
    if !statements.is_empty() {
        let everyone = robots.extensions_for(Agent::new("*"), dialect);
        let everyone = everyone.preferences();
        let root = robots_txt::Target::new("/");
        let usage = everyone.content_usage(&root).value();
        let signals = everyone.content_signals(&root).value();
        let mut add = |name, is_stated: bool| {
            if is_stated {
                statements.insert(name);
            }
        };
        let train = usage.train_ai().combine(signals.ai_train());
        add("no training, to everyone", train == Preference::Disallow);
        add("training allowed, to everyone", train == Preference::Allow);
        let input = signals.ai_input();
        add("no AI input, to everyone", input == Preference::Disallow);
        let search = usage.search().combine(signals.search());
        add("no search, to everyone", search == Preference::Disallow);
    }
    for name in statements {
        let files = count.ai.entry(name).or_default();
        *files = files.saturating_add(1);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use robots_txt::dialect::AgentList;

    /// Returns the files that name each robot with their restrictions, and the restrictions of known robots, as text.
    fn counts(body: &str, count: impl Fn(&FileCounter<'_>, &RobotsTxt, &mut Robots)) -> String {
        let counter = FileCounter::new(AgentTable::built_in(), Dialect::RFC9309);
        let mut robots = Robots::default();
        count(&counter, &RobotsTxt::parse(body), &mut robots);
        let (agents, _) = robots.agents.into_parts();
        let agents: BTreeMap<_, _> = agents.into_iter().collect();
        format!(
            "{agents:?} {:?} {}",
            robots.restrictions, robots.beyond_restriction_limit
        )
    }

    #[test]
    fn both_ways_to_count_robots_agree() {
        for body in [
            "",
            "User-agent: *\nDisallow: /\nAllow: /a\n",
            "User-agent: Googlebot/2.1\nDisallow: /a\n\nUser-agent: googlebot\nAllow: /a\nUser-agent:\nDisallow: /\n",
            "User-agent: GPTBot\nUser-agent: CCBot\nDisallow: /\n\nUser-agent: * \nUser-agent: *bot\nDisallow:\n",
            "User-agent: Googlebot\nDisallow: /\n\nUser-agent: AdsBot-Google\nDisallow: /x\n\nUser-agent: a, b\nDisallow: /*\n",
            "Disallow: /\nUser-agent: Yandex\nCrawl-delay: 5\nDisallow: /$\n",
        ] {
            let fast = counts(body, |counter, robots, count| {
                let groups = robots.groups(&Dialect::RFC9309);
                counter.add_robots(&counter.robots_by_groups(robots, &groups), count);
            });
            let slow = counts(body, |counter, robots, count| {
                let mut lines = LineCounter::new(robots);
                robots.lines().for_each(|line| lines.add(&line));
                let lines = lines.finish();
                counter.add_robots(&counter.robots_by_rules(robots, &lines), count);
            });
            assert_eq!(fast, slow, "{body}");
        }
    }

    #[test]
    fn restrictions_are_unknown_beyond_the_work_limit() {
        let table = AgentTable::built_in();
        let dialect = Dialect::RFC9309.with_agent_list(AgentList::Commas);
        let counter = FileCounter::new(table, dialect);
        // One `User-agent` line is compared with x, with `*`, and with each robot of the table.
        let spent = table.iter().count() + 2;
        // The rest of the work is to compile the directives for x. The `User-agent` line is one of them.
        for (directives, unknown) in [(MAX_WORK - spent, 0), (MAX_WORK - spent + 1, 1)] {
            let rules = "Disallow: /a\n".repeat(directives - 1);
            let mut count = Robots::default();
            counter.count(format!("User-agent: x\n{rules}").as_bytes(), &mut count);
            let (agents, _) = count.agents.into_parts();
            assert_eq!(agents["x"].restrictions.unknown, unknown, "{directives}");
        }
    }
}
