//! One robots.txt, counted.

use super::count::{Restrictions, Robots};
use robots_lint::{DiagnosticKind, RobotsTxtLinter};
use robots_policy::profile::AgentTable;
use robots_txt::analysis::Restriction;
use robots_txt::extension::Extension;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::parse::{Field, LineFacts, LineKind};
use robots_txt::robots_usage::Preference;
use robots_txt::select::{Group, product_token};
use robots_txt::{Agent, Dialect, RobotsTxt, Rules};
use std::collections::{BTreeMap, HashMap};

/// How many robots of a file are judged. A file that names more is counted as crowded: its other
/// robots count as named alone.
pub(super) const MOST_JUDGED: usize = 1_000;

/// The kinds of errors that WebWatch looked for (`docs/semantics.md`, section 0.7), and the findings that are
/// those. Its causes of unknown fields were a missing colon, and white space before the field, which robots
/// read by now.
const WEBWATCH: [(&str, &[DiagnosticKind]); 7] = [
    ("User-agent without a value", &[DiagnosticKind::EmptyAgent]),
    (
        "Disallow without a User-agent",
        &[DiagnosticKind::RuleWithoutGroup],
    ),
    (
        "User-agent without a Disallow",
        &[DiagnosticKind::GroupWithoutRules],
    ),
    (
        "unknown field",
        &[
            DiagnosticKind::MissingColon,
            DiagnosticKind::MisspeltField,
            DiagnosticKind::NearField,
            DiagnosticKind::UnknownField,
        ],
    ),
    ("CR line end", &[DiagnosticKind::BareCr]),
    ("empty file", &[DiagnosticKind::EmptyFile]),
    (
        "several fields for one agent",
        &[DiagnosticKind::RepeatedAgent],
    ),
];

/// How many directives of a file are looked at to judge its robots, a directive as often as there are different
/// sets of groups that it is in. Beyond that it is not known how much is disallowed.
const MOST_WORK: usize = 400_000;

/// How files are read: as RFC 9309 has it.
const DIALECT: Dialect = Dialect::RFC9309;

/// What every worker has.
pub(super) struct Counting<'t> {
    table: &'t AgentTable,
    /// For each robot of the table the names whose groups it obeys, in lower case, and whether `*` speaks to it.
    chains: Vec<(Vec<String>, bool)>,
    /// The robots of the table in whose chains a name is, by their places.
    hearers: HashMap<String, Vec<usize>>,
    linter: RobotsTxtLinter,
}

impl<'t> Counting<'t> {
    pub(super) fn new(table: &'t AgentTable) -> Self {
        let chains = table.iter().map(|agent| {
            let names = std::iter::once(&agent.token).chain(&agent.or);
            let names = names.map(|name| name.to_ascii_lowercase()).collect();
            (names, agent.takes_star)
        });
        let chains: Vec<(Vec<String>, bool)> = chains.collect();
        let mut hearers: HashMap<String, Vec<usize>> = HashMap::new();
        for (place, (names, _)) in chains.iter().enumerate() {
            for name in names {
                hearers.entry(name.clone()).or_default().push(place);
            }
        }
        Self {
            table,
            chains,
            hearers,
            linter: RobotsTxtLinter::new()
                .with_trainers(table.trainers().map(|agent| &agent.token)),
        }
    }

    /// Counts a file. Those that are HTML are counted as such, and no more.
    pub(super) fn count(&self, body: &[u8], count: &mut Robots) {
        let robots = RobotsTxt::parse(body);
        count.files = count.files.saturating_add(1);
        if robots.looks_like_html() {
            count.html = count.html.saturating_add(1);
            return;
        }
        let is_over = body.len() > RFC9309_SIZE_LIMIT;
        count.over_limit = count.over_limit.saturating_add(u64::from(is_over));
        lines(&robots, count);
        self.groups(&robots, count);
        extensions(&robots, count);
        let lint = self.linter.lint(&robots);
        let mut found: BTreeMap<_, u64> = BTreeMap::new();
        for (kind, times) in lint.counts() {
            found.insert(kind, times as u64);
        }
        for (label, kinds) in WEBWATCH {
            let files = count.webwatch_errors.entry(label).or_default();
            let has_one = kinds.iter().any(|kind| found.contains_key(kind));
            *files = files.saturating_add(u64::from(has_one));
        }
        for (kind, times) in found {
            count.findings.entry(kind).or_default().add(times);
        }
    }

    /// Who is named, and how much is disallowed to whom.
    fn groups(&self, robots: &RobotsTxt, count: &mut Robots) {
        let groups = robots.groups(&DIALECT);
        let mut named = Named::default();
        for (place, group) in groups.iter().enumerate() {
            let of = |field| {
                let directives = group.directives().iter();
                directives
                    .filter(|directive| directive.field() == field)
                    .count()
            };
            let (disallows, allows) = (of(Field::Disallow), of(Field::Allow));
            for agent in group.agents() {
                count.sizes.disallows_of_agent.add(disallows);
                count.sizes.allows_of_agent.add(allows);
                named.add(agent.value(), place);
            }
        }
        if named.tokens.len() > MOST_JUDGED {
            count.crowded = count.crowded.saturating_add(1);
        }
        let mut judged = Judged {
            robots,
            groups: &groups,
            known: HashMap::new(),
            left: MOST_WORK,
        };
        for (number, (token, groups)) in named.tokens.iter().enumerate() {
            let Some(told) = count.agents.of(self.spelling(token)) else {
                continue;
            };
            told.files = told.files.saturating_add(1);
            if number < MOST_JUDGED {
                told.restrictions.add(judged.restriction(groups));
            }
        }
        let everyone = named.groups_of("*");
        let everyone = everyone.map_or(Restriction::None, |groups| judged.restriction(groups));
        let unheard = |takes_star: bool| {
            if takes_star {
                everyone
            } else {
                Restriction::None
            }
        };
        let known = self.chains.iter().map(|(_, star)| unheard(*star));
        let mut known: Vec<Restriction> = known.collect();
        // Files name few of them.
        let heard = named.tokens.iter();
        let heard = heard.filter_map(|(token, _)| self.hearers.get(token));
        for &place in heard.flatten() {
            let names = self.chains.get(place).map(|(names, _)| names);
            let groups =
                names.and_then(|names| names.iter().find_map(|name| named.groups_of(name)));
            if let (Some(groups), Some(known)) = (groups, known.get_mut(place)) {
                *known = judged.restriction(groups);
            }
        }
        let all = std::iter::once(everyone).chain(known);
        count
            .restrictions
            .resize_with(self.chains.len().saturating_add(1), Restrictions::default);
        for (restrictions, restriction) in count.restrictions.iter_mut().zip(all) {
            restrictions.add(restriction);
        }
        Self::delay(&groups, count);
    }

    /// The token as the table has it.
    fn spelling<'n>(&'n self, token: &'n str) -> &'n str {
        self.table.get(token).map_or(token, |known| &known.token)
    }

    /// The longest delay that the file asks anybody for.
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

/// The robots that a file names, in the order in which it does.
#[derive(Default)]
struct Named {
    /// Tokens in lower case, and the places of their groups.
    tokens: Vec<(String, Vec<usize>)>,
    places: HashMap<String, usize>,
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
        let place = *self.places.entry(token.clone()).or_insert_with(|| {
            self.tokens.push((token, Vec::new()));
            self.tokens.len().saturating_sub(1)
        });
        if let Some((_, groups)) = self.tokens.get_mut(place)
            && groups.last() != Some(&group)
        {
            groups.push(group);
        }
    }

    /// The places of the groups that name a robot.
    fn groups_of(&self, token: &str) -> Option<&[usize]> {
        let place = *self.places.get(token)?;
        self.tokens.get(place).map(|(_, groups)| groups.as_slice())
    }
}

/// How much groups disallow, each set of them asked once.
struct Judged<'g> {
    robots: &'g RobotsTxt,
    groups: &'g [Group<'g>],
    known: HashMap<Vec<usize>, Restriction>,
    /// How many directives may still be looked at.
    left: usize,
}

impl Judged<'_> {
    fn restriction(&mut self, places: &[usize]) -> Restriction {
        if let Some(restriction) = self.known.get(places) {
            return *restriction;
        }
        let groups = places.iter().filter_map(|place| self.groups.get(*place));
        let work = groups.clone().map(|group| group.directives().len());
        match self.left.checked_sub(work.fold(0, usize::saturating_add)) {
            Some(left) => self.left = left,
            None => return Restriction::Unknown,
        }
        let restriction = Rules::restriction_of_groups(self.robots, groups, &DIALECT);
        self.known.insert(places.to_vec(), restriction);
        restriction
    }
}

fn lines(robots: &RobotsTxt, count: &mut Robots) {
    let (mut lines, mut comments, mut with_comment, mut blank) =
        (0_usize, 0_usize, 0_usize, 0_usize);
    let mut fields: BTreeMap<Field, u64> = BTreeMap::new();
    let mut unknown: HashMap<String, u64> = HashMap::new();
    let mut last_is_empty = false;
    for line in robots.lines() {
        lines = lines.saturating_add(1);
        last_is_empty = line.bytes().is_empty();
        match line.kind() {
            LineKind::Blank => blank = blank.saturating_add(1),
            LineKind::Comment => comments = comments.saturating_add(1),
            LineKind::Directive => {
                if line.facts().contains(LineFacts::COMMENT) {
                    with_comment = with_comment.saturating_add(1);
                }
                let times = match line.field() {
                    Field::Other => {
                        let name = String::from_utf8_lossy(line.key()).to_lowercase();
                        unknown.entry(name).or_default()
                    }
                    field => fields.entry(field).or_default(),
                };
                *times = times.saturating_add(1);
            }
            _ => {}
        }
    }
    // What follows the last line end is no line if it is nothing.
    if last_is_empty {
        lines = lines.saturating_sub(1);
        blank = blank.saturating_sub(1);
    }
    let number = |field: Field| {
        let times = fields.get(&field).copied().unwrap_or_default();
        usize::try_from(times).unwrap_or(usize::MAX)
    };
    let sizes = &mut count.sizes;
    sizes.bytes.add(robots.body().len());
    sizes.lines.add(lines);
    sizes.comment_lines.add(comments);
    sizes.lines_with_comment.add(with_comment);
    sizes.blank_lines.add(blank);
    sizes.user_agents.add(number(Field::UserAgent));
    sizes.disallows.add(number(Field::Disallow));
    sizes.allows.add(number(Field::Allow));
    sizes.sitemaps.add(number(Field::Sitemap));
    for (field, times) in fields {
        count.fields.entry(field.name()).or_default().add(times);
    }
    for (name, times) in unknown {
        if let Some(hits) = count.unknown_fields.of(&name) {
            hits.add(times);
        }
    }
}

/// What is said about AI to everyone, and with which fields to anybody.
fn extensions(robots: &RobotsTxt, count: &mut Robots) {
    let mut says: BTreeMap<&'static str, bool> = BTreeMap::new();
    for extension in robots.extensions(&DIALECT) {
        match extension {
            Extension::ContentUsage(_) => says.insert("Content-Usage", true),
            Extension::ContentSignal(_) => says.insert("Content-Signal", true),
            Extension::AiTraining(_) => says.insert("AI training fields", true),
            Extension::License(_) => says.insert("License", true),
            _ => None,
        };
    }
    if !says.is_empty() {
        let everyone = robots.extensions_for(Agent::new("*"), &DIALECT);
        let root = robots_txt::Target::new("/");
        let (usage, signals) = (
            everyone.content_usage(&root),
            everyone.content_signals(&root),
        );
        let mut told = |name, is_told: bool| {
            if is_told {
                says.insert(name, true);
            }
        };
        let train = usage
            .usage()
            .train_ai()
            .combine(signals.signals().ai_train());
        told("no training, to everyone", train == Preference::Disallow);
        told("training allowed, to everyone", train == Preference::Allow);
        let input = signals.signals().ai_input();
        told("no AI input, to everyone", input == Preference::Disallow);
        let search = usage.usage().search().combine(signals.signals().search());
        told("no search, to everyone", search == Preference::Disallow);
    }
    for name in says.into_keys() {
        let files = count.ai.entry(name).or_default();
        *files = files.saturating_add(1);
    }
}
