//! Counts a robots.txt: its sizes, findings and statements, and the restrictions of robots.

use super::count::{self, Robots};
use super::files::FileFacts;
use super::lines::LineCounts;
use memchr::memmem;
use robots_lint::{FindingKind, RobotsTxtLinter, Severity};
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, KnownAgent};
use robots_txt::analysis::Restriction;
use robots_txt::dialect::AgentList;
use robots_txt::extension::Extension;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::Field;
use robots_txt::robots_usage::Preference;
use robots_txt::robots_usage::content_usage::UsageCategory;
use robots_txt::rules::RulesOfAll;
use robots_txt::select::Group;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// The maximum number of named robots of a file whose restrictions are counted. For the others, only the name is counted.
pub(super) const MAX_RESTRICTIONS: usize = 1_000;

/// The maximum work for the restrictions of a file: comparisons of robots with lines, and directives that are compiled. Beyond the
/// limit, restrictions are unknown.
const MAX_WORK: usize = 10_000_000;

/// The error of 1997 that is valid today, and has no part in a chart of mistakes.
pub(super) const CRLF: &str = "CRLF line end";

/// A counter of robots.txt files. Each worker has one.
pub(super) struct FileCounter<'t> {
    table: &'t AgentTable,
    /// `*` and the robots of the table, in its order, each with the dialect of its operator.
    known: Vec<(Agent<'t>, &'static Dialect)>,
    linter: RobotsTxtLinter,
    /// The dialect under which files are read. Without one, each robot reads them as its operator does, and groups are those of RFC
    /// 9309.
    dialect: Option<Dialect>,
}

impl<'t> FileCounter<'t> {
    pub(super) fn new(table: &'t AgentTable, dialect: Option<Dialect>) -> Self {
        // Findings are only counted: the linter needs to store none.
        let linter = RobotsTxtLinter::new().with_limit(0);
        let known = table.iter().map(KnownAgent::agent);
        Self {
            table,
            known: std::iter::once(Agent::new("*"))
                .chain(known)
                .map(with_own_dialect)
                .collect(),
            linter: linter.with_known_robots(table),
            dialect,
        }
    }

    /// Counts a file, and returns its facts. Nothing else is counted in a file that is HTML.
    pub(super) fn count(&self, body: &[u8], count: &mut Robots) -> FileFacts {
        let robots = RobotsTxt::parse(body);
        count.files += 1;
        if robots.looks_like_html() {
            count.html += 1;
            return FileFacts {
                bytes: body.len(),
                ..FileFacts::default()
            };
        }
        let is_over = body.len() > RFC9309_SIZE_LIMIT;
        count.over_limit += u64::from(is_over);
        let lines = LineCounts::of(&robots);
        lines.add_to(count);
        let dialect = self.dialect.unwrap_or(Dialect::RFC9309);
        let groups = robots.groups(&dialect);
        sizes_of_groups(&groups, count);
        longest_delay(&groups, count);
        let named_robots = self.count_robots(&robots, &lines, count);
        ai_statements(&robots, &dialect, count);
        let lint = self.linter.lint(&robots);
        let findings: BTreeMap<_, usize> = lint.counts().collect();
        for (label, is_in_file) in webwatch_errors(body, &lines, &groups, &findings) {
            let files = count.webwatch_errors.entry(label.to_owned()).or_default();
            *files += u64::from(is_in_file);
        }
        for (kind, times) in &findings {
            count.findings.entry(*kind).or_default().add(*times as u64);
        }
        let errors = findings.iter();
        let errors = errors.filter(|(kind, _)| kind.severity() == Severity::Error);
        FileFacts {
            bytes: body.len(),
            errors: errors.map(|(_, times)| times).sum(),
            lines: Some(lines),
            groups: groups.len(),
            named_robots,
            findings: findings.keys().map(|kind| kind.code()).collect(),
        }
    }

    /// Counts the robots of a file, with how much it disallows to each. Returns the number of robots that it names. All restrictions
    /// are unknown if the comparisons of robots with `User-agent` lines and the directives to compile may be more than [`MAX_WORK`].
    fn count_robots(&self, robots: &RobotsTxt, lines: &LineCounts, count: &mut Robots) -> usize {
        let dialect = self.dialect.unwrap_or(Dialect::RFC9309);
        // In lower case, in order.
        let mut named: Vec<String> = Vec::new();
        let mut seen = HashSet::new();
        let mut add = |name: &str| {
            // A file that has several tokens of a robot names one robot.
            let name = self.spelling(name).to_ascii_lowercase();
            if seen.insert(name.clone()) {
                named.push(name);
            }
        };
        for value in robots
            .directives(&dialect)
            .filter(|directive| directive.field() == Field::UserAgent)
            .map(|directive| directive.line().value())
        {
            if names_everyone(value, &dialect) {
                add("*");
            }
            for name in dialect.named_robots(value) {
                add(&name);
            }
        }
        let number_of_named = named.len().min(MAX_RESTRICTIONS);
        let first_named = named.iter().take(number_of_named).map(String::as_str);
        let agents: Vec<(Agent<'_>, &Dialect)> = first_named
            .map(|name| with_own_dialect(self.named_agent(name)))
            .chain(self.known.iter().cloned())
            .map(|(agent, own)| (agent, self.dialect.as_ref().unwrap_or(own)))
            .collect();
        // Each robot is compared with each `User-agent` line, and the rules of each named robot may be compiled.
        let work = agents.len() * lines.user_agents() + number_of_named * lines.directives;
        let restrictions = if work <= MAX_WORK {
            restrictions(&robots.rules_of_each(&agents))
        } else {
            vec![Restriction::Unknown; agents.len()]
        };
        let (of_named, of_known) = restrictions.split_at(number_of_named);
        count.beyond_restriction_limit += u64::from(named.len() > MAX_RESTRICTIONS);
        for (number, token) in named.iter().enumerate() {
            let Some(robot) = count.agents.of(self.spelling(token)) else {
                continue;
            };
            robot.files += 1;
            if let Some(restriction) = of_named.get(number) {
                robot.add(*restriction);
            }
        }
        count
            .known_agents
            .resize_with(of_known.len(), count::Agent::default);
        for (count, restriction) in count.known_agents.iter_mut().zip(of_known) {
            count.add(*restriction);
        }
        named.len()
    }

    /// Returns a robot that a file names: it obeys the groups of all its tokens, and no others.
    fn named_agent<'n>(&'n self, token: &'n str) -> Agent<'n> {
        let known = self.table.get(token).into_iter();
        let others = known.flat_map(|known| &known.other_tokens);
        others.fold(Agent::new(token), |agent, other| agent.or(other.as_str()))
    }

    /// Returns the token of a robot as the table spells it, if it is there under any token.
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
            count.add_size("directives_of_agent", directives);
            count.add_size("disallows_of_agent", disallows);
            count.add_size("allows_of_agent", allows);
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
    findings: &BTreeMap<FindingKind, usize>,
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
        (CRLF, memmem::find(body, b"\r\n").is_some()),
        ("empty file", lines.is_blank_file()),
        (
            "several fields for one agent",
            has(FindingKind::RepeatedAgent),
        ),
    ]
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
        let signals = everyone.content_signals(&root).value();
        let usage = everyone.content_usage(&root).value();
        let usage = usage.combine(signals.usage());
        let mut add = |name, is_stated: bool| {
            if is_stated {
                statements.insert(name);
            }
        };
        let train = usage.preference(UsageCategory::TrainAi);
        add("no training, to everyone", train == Preference::Disallow);
        add("training allowed, to everyone", train == Preference::Allow);
        let input = usage.preference(UsageCategory::AiUse);
        add("no AI input, to everyone", input == Preference::Disallow);
        let search = usage.preference(UsageCategory::Search);
        add("no search, to everyone", search == Preference::Disallow);
    }
    for name in statements {
        *count.ai.entry(name.to_owned()).or_default() += 1;
    }
}

/// Returns a robot with the dialect of its operator.
fn with_own_dialect(agent: Agent<'_>) -> (Agent<'_>, &'static Dialect) {
    let dialect = Profile::of_robot(agent.name()).dialect();
    (agent, dialect)
}

/// Returns the restriction of each robot. Computes it once for robots that share their rules in memory.
fn restrictions(rules: &RulesOfAll) -> Vec<Restriction> {
    let mut computed = HashMap::new();
    let restriction = |rules: &Rules| {
        let restriction = computed.entry(std::ptr::from_ref(rules));
        *restriction.or_insert_with(|| rules.restriction())
    };
    rules.iter().map(restriction).collect()
}

/// Returns whether the value of a `User-agent` line names `*`, alone or in a list with commas under a dialect that reads one.
fn names_everyone(value: &[u8], dialect: &Dialect) -> bool {
    // The switch changes only a dialect that does not read lists.
    let has_lists = dialect.with_agent_list(AgentList::Commas) == *dialect;
    let mut names = value.split(|byte| has_lists && *byte == b',');
    names.any(|name| name.trim_ascii_start().starts_with(b"*"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn restrictions_are_unknown_beyond_the_work_limit() {
        let table = AgentTable::built_in();
        let counter = FileCounter::new(table, None);
        // 100 robots are named. Each line is compared with them, with `*`, and with each robot of the table.
        let letters = || 'a'..='j';
        let names = letters().flat_map(|one| letters().map(move |two| [one, two]));
        let names = names.map(|[one, two]| format!("User-agent: {one}{two}\n"));
        let names: String = names.collect();
        let compared = 100 * (100 + 1 + table.iter().count());
        // The rest of the work is to compile the directives for each name. The `User-agent` lines are directives, too.
        let directives = (MAX_WORK - compared) / 100;
        for (directives, unknown) in [(directives, 0), (directives + 1, 1)] {
            let rules = "allow:\n".repeat(directives - 100);
            let mut count = Robots::default();
            counter.count(format!("{names}{rules}").as_bytes(), &mut count);
            let (agents, _) = count.agents.into_parts();
            assert_eq!(agents["aa"].unknown, unknown, "{directives}");
        }
    }
}
