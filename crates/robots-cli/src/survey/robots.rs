//! The counter of a robots.txt.

use super::count::{Restrictions, Robots};
use super::files::FileFacts;
use super::lines::LineCounts;
use memchr::memmem;
use robots_lint::{DiagnosticKind, RobotsTxtLinter, Severity};
use robots_policy::profile::AgentTable;
use robots_txt::analysis::Restriction;
use robots_txt::extension::Extension;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::Field;
use robots_txt::robots_usage::Preference;
use robots_txt::select::{Group, product_token};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::collections::{BTreeMap, HashMap};

/// The maximum number of robots of a file whose restrictions are counted. Further robots of a file count only as named.
pub(super) const MAX_JUDGED: usize = 1_000;

/// The maximum number of directives that are examined for the restrictions of a file. A directive counts once for each set of
/// groups that it is in. Beyond the limit, restrictions are unknown.
const MAX_WORK: usize = 400_000;

/// The dialect in which files are read.
const DIALECT: Dialect = Dialect::RFC9309;

/// A counter of robots.txt files. Each worker has one.
pub(super) struct FileCounter<'t> {
    table: &'t AgentTable,
    /// The names whose groups each robot of the table obeys, in lower case, and whether it obeys `*`.
    chains: Vec<(Vec<String>, bool)>,
    /// The indexes of the robots of the table that obey the groups of a name.
    robots_by_name: HashMap<String, Vec<usize>>,
    linter: RobotsTxtLinter,
}

impl<'t> FileCounter<'t> {
    pub(super) fn new(table: &'t AgentTable) -> Self {
        let chains = table.iter().map(|agent| {
            let names = std::iter::once(&agent.token).chain(&agent.or);
            let names = names.map(|name| name.to_ascii_lowercase()).collect();
            (names, agent.takes_star)
        });
        let chains: Vec<(Vec<String>, bool)> = chains.collect();
        let mut robots_by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, (names, _)) in chains.iter().enumerate() {
            for name in names {
                robots_by_name.entry(name.clone()).or_default().push(index);
            }
        }
        Self {
            table,
            chains,
            robots_by_name,
            linter: RobotsTxtLinter::new().with_robots(table),
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
        let lines = LineCounts::of(&robots);
        lines.add_to(count);
        let groups = robots.groups(&DIALECT);
        let named_robots = self.groups(&robots, &groups, count);
        extensions(&robots, count);
        let lint = self.linter.lint(&robots);
        let mut found: BTreeMap<_, u64> = BTreeMap::new();
        for (kind, times) in lint.counts() {
            found.insert(kind, times as u64);
        }
        for (label, is_in_file) in webwatch_errors(body, &lines, &groups, &found) {
            let files = count.webwatch_errors.entry(label).or_default();
            *files = files.saturating_add(u64::from(is_in_file));
        }
        let errors = found.iter();
        let errors = errors.filter(|(kind, _)| kind.severity() == Severity::Error);
        let facts = FileFacts {
            bytes: body.len(),
            lines: Some(lines),
            groups: groups.len(),
            named_robots,
            errors: errors.map(|(_, times)| times).sum(),
            findings: found.keys().map(|kind| kind.code()).collect(),
        };
        for (kind, times) in found {
            count.findings.entry(kind).or_default().add(times);
        }
        facts
    }

    /// Counts the named robots, and the restrictions of robots. Returns the number of named robots.
    fn groups(&self, robots: &RobotsTxt, groups: &[Group<'_>], count: &mut Robots) -> usize {
        let mut named = Named::default();
        for (index, group) in groups.iter().enumerate() {
            let disallows = number_of(Field::Disallow, group);
            let allows = number_of(Field::Allow, group);
            for agent in group.agents() {
                let directives = group.directives().len();
                count.sizes.directives_of_agent.add(directives);
                count.sizes.disallows_of_agent.add(disallows);
                count.sizes.allows_of_agent.add(allows);
                named.add(agent.value(), index);
            }
        }
        if named.tokens.len() > MAX_JUDGED {
            count.beyond_limit = count.beyond_limit.saturating_add(1);
        }
        let mut cache = RestrictionCache {
            robots,
            groups,
            known: HashMap::new(),
            left: MAX_WORK,
        };
        for (number, (token, groups)) in named.tokens.iter().enumerate() {
            let Some(robot) = count.agents.of(self.spelling(token)) else {
                continue;
            };
            robot.files = robot.files.saturating_add(1);
            if number < MAX_JUDGED {
                robot.restrictions.add(cache.restriction(groups));
            }
        }
        let everyone = named.groups_of("*");
        let everyone = everyone.map_or(Restriction::None, |groups| cache.restriction(groups));
        let of_unnamed = |takes_star: bool| {
            if takes_star {
                everyone
            } else {
                Restriction::None
            }
        };
        let known = self.chains.iter().map(|(_, star)| of_unnamed(*star));
        let mut known: Vec<Restriction> = known.collect();
        // Files name few of them.
        let obeying = named.tokens.iter();
        let obeying = obeying.filter_map(|(token, _)| self.robots_by_name.get(token));
        for &index in obeying.flatten() {
            let names = self.chains.get(index).map(|(names, _)| names);
            let groups =
                names.and_then(|names| names.iter().find_map(|name| named.groups_of(name)));
            if let (Some(groups), Some(known)) = (groups, known.get_mut(index)) {
                *known = cache.restriction(groups);
            }
        }
        let all = std::iter::once(everyone).chain(known);
        count
            .restrictions
            .resize_with(self.chains.len().saturating_add(1), Restrictions::default);
        for (restrictions, restriction) in count.restrictions.iter_mut().zip(all) {
            restrictions.add(restriction);
        }
        Self::delay(groups, count);
        named.tokens.len()
    }

    /// Returns the token in the spelling of the table.
    fn spelling<'n>(&'n self, token: &'n str) -> &'n str {
        self.table.get(token).map_or(token, |known| &known.token)
    }

    /// Counts the longest delay of the file, for any robot.
    fn delay(groups: &[Group<'_>], count: &mut Robots) {
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
    found: &BTreeMap<DiagnosticKind, u64>,
) -> [(&'static str, bool); 7] {
    let has = |kind| found.contains_key(&kind);
    let has_unknown_field = [
        DiagnosticKind::MissingColon,
        DiagnosticKind::MisspeltField,
        DiagnosticKind::NearField,
        DiagnosticKind::UnknownField,
    ]
    .into_iter()
    .any(has);
    // An Allow does not help: robots of 1997 knew only Disallow.
    let has_no_disallow = |group: &Group<'_>| number_of(Field::Disallow, group) == 0;
    [
        (
            "User-agent without a value",
            has(DiagnosticKind::EmptyAgent),
        ),
        (
            "Disallow without a User-agent",
            has(DiagnosticKind::RuleWithoutGroup),
        ),
        (
            "User-agent without a Disallow",
            groups.iter().any(has_no_disallow),
        ),
        ("unknown field", has_unknown_field),
        ("CRLF line end", memmem::find(body, b"\r\n").is_some()),
        ("empty file", lines.are_blank()),
        (
            "several fields for one agent",
            has(DiagnosticKind::RepeatedAgent),
        ),
    ]
}

/// The robots that a file names, in order.
#[derive(Default)]
struct Named {
    /// Tokens in lower case, with the indexes of their groups.
    tokens: Vec<(String, Vec<usize>)>,
    /// The index of each token.
    indexes: HashMap<String, usize>,
}

impl Named {
    /// Notes the value of a `User-agent` line of a group.
    fn add(&mut self, value: &[u8], group: usize) {
        let value = String::from_utf8_lossy(value);
        let token = match value.trim_start() {
            star if star.starts_with('*') => "*".to_owned(),
            name => product_token(name).to_ascii_lowercase(),
        };
        if token.is_empty() {
            return;
        }
        let index = *self.indexes.entry(token.clone()).or_insert_with(|| {
            self.tokens.push((token, Vec::new()));
            self.tokens.len().saturating_sub(1)
        });
        if let Some((_, groups)) = self.tokens.get_mut(index)
            && groups.last() != Some(&group)
        {
            groups.push(group);
        }
    }

    /// Returns the indexes of the groups that name a robot.
    fn groups_of(&self, token: &str) -> Option<&[usize]> {
        let index = *self.indexes.get(token)?;
        self.tokens.get(index).map(|(_, groups)| groups.as_slice())
    }
}

/// The restrictions of sets of groups, each computed once.
struct RestrictionCache<'g> {
    robots: &'g RobotsTxt,
    groups: &'g [Group<'g>],
    known: HashMap<Vec<usize>, Restriction>,
    /// The number of directives that may still be examined.
    left: usize,
}

impl RestrictionCache<'_> {
    fn restriction(&mut self, groups: &[usize]) -> Restriction {
        if let Some(restriction) = self.known.get(groups) {
            return *restriction;
        }
        let set = groups.iter().filter_map(|group| self.groups.get(*group));
        let work = set.clone().map(|group| group.directives().len());
        match self.left.checked_sub(work.fold(0, usize::saturating_add)) {
            Some(left) => self.left = left,
            None => return Restriction::Unknown,
        }
        let restriction = Rules::restriction_of_groups(self.robots, set, &DIALECT);
        self.known.insert(groups.to_vec(), restriction);
        restriction
    }
}

/// Counts the statements about AI: the fields for any robot, and the preferences for `*`.
fn extensions(robots: &RobotsTxt, count: &mut Robots) {
    let mut statements: BTreeMap<&'static str, bool> = BTreeMap::new();
    for extension in robots.extensions(&DIALECT) {
        match extension {
            Extension::ContentUsage(_) => statements.insert("Content-Usage", true),
            Extension::ContentSignal(_) => statements.insert("Content-Signal", true),
            Extension::AiTraining(_) => statements.insert("AI training fields", true),
            Extension::License(_) => statements.insert("License", true),
            _ => None,
        };
    }
    if !statements.is_empty() {
        let everyone = robots.extensions_for(Agent::new("*"), &DIALECT);
        let root = robots_txt::Target::new("/");
        let (usage, signals) = (
            everyone.content_usage(&root),
            everyone.content_signals(&root),
        );
        let mut add = |name, is_stated: bool| {
            if is_stated {
                statements.insert(name, true);
            }
        };
        let train = usage
            .usage()
            .train_ai()
            .combine(signals.signals().ai_train());
        add("no training, to everyone", train == Preference::Disallow);
        add("training allowed, to everyone", train == Preference::Allow);
        let input = signals.signals().ai_input();
        add("no AI input, to everyone", input == Preference::Disallow);
        let search = usage.usage().search().combine(signals.signals().search());
        add("no search, to everyone", search == Preference::Disallow);
    }
    for name in statements.into_keys() {
        let files = count.ai.entry(name).or_default();
        *files = files.saturating_add(1);
    }
}
