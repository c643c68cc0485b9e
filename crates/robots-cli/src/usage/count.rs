//! Counts recorded decisions by robot, use and statement.

use robots_pipeline::verify::Recorded;
use robots_policy::decision::{Effect, Field, Reason, Source};
use robots_policy::text::shortened;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The version of the JSON form.
const VERSION: u32 = 1;

/// The maximum number of different statements that are counted for a use; later ones are counted together.
const MAX_COUNTED_STATEMENTS: usize = 20_000;

/// The maximum length of a statement, in characters. A longer one is cut.
const MAX_STATEMENT_CHARS: usize = 200;

/// A use of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Use {
    Fetch,
    Index,
    Archive,
    AiTrain,
    AiInput,
    AiSearch,
}

impl Use {
    pub(super) const ALL: [Self; 6] = [
        Self::Fetch,
        Self::Index,
        Self::Archive,
        Self::AiTrain,
        Self::AiInput,
        Self::AiSearch,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Index => "index",
            Self::Archive => "archive",
            Self::AiTrain => "ai-train",
            Self::AiInput => "ai-input",
            Self::AiSearch => "ai-search",
        }
    }

    /// Returns the use in words.
    pub(super) fn about(self) -> &'static str {
        match self {
            Self::Fetch => "fetching the page",
            Self::Index => "listing it in a search index",
            Self::Archive => "keeping and showing a copy",
            Self::AiTrain => "training models",
            Self::AiInput => "input to models that answer",
            Self::AiSearch => "search with models",
        }
    }

    /// Returns the field of the answer, whose reasons state why.
    fn field(self) -> Field {
        match self {
            Self::Fetch => Field::Fetch,
            Self::Index => Field::Index,
            Self::Archive => Field::Archive,
            Self::AiTrain => Field::MayTrain,
            Self::AiInput => Field::AiInput,
            Self::AiSearch => Field::AiSearch,
        }
    }
}

/// The numbers of decisions by answer.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub(super) struct Answers {
    pub(super) permitted: u64,
    pub(super) limited: u64,
    pub(super) refused: u64,
    pub(super) not_known: u64,
    /// The number of decisions for robots that do not fetch pages.
    pub(super) not_applicable: u64,
}

impl Answers {
    /// Returns the number of decisions with the answer of a cell.
    fn of(&mut self, cell: &str) -> &mut u64 {
        match cell {
            "allow" | "yes" => &mut self.permitted,
            "limited" | "url_only" => &mut self.limited,
            "disallow" | "no" | "defer" => &mut self.refused,
            "not_applicable" => &mut self.not_applicable,
            _ => &mut self.not_known,
        }
    }

    pub(super) fn all(&self) -> u64 {
        self.permitted + self.limited + self.refused + self.not_known + self.not_applicable
    }
}

/// The decisions for a robot under a profile.
#[derive(Debug, Serialize)]
pub(super) struct RobotUsage {
    pub(super) agent: String,
    pub(super) profile: String,
    pub(super) profile_digests: BTreeSet<String>,
    pub(super) decisions: u64,
    pub(super) overridden: u64,
    pub(super) uses: BTreeMap<Use, Answers>,
}

/// A statement that refuses or limits a use, without its place.
#[derive(Debug, Serialize)]
pub(super) struct Statement {
    #[serde(rename = "use")]
    pub(super) refused_use: Use,
    #[serde(rename = "statement")]
    pub(super) text: String,
    pub(super) decisions: u64,
}

/// What a crawl may be used for.
#[derive(Debug, Serialize)]
pub(super) struct Usage {
    version: u32,
    /// The name and version of this program.
    pub(super) program: String,
    pub(super) decisions: u64,
    /// The number of rows that are not decisions with evidence.
    pub(super) unreadable: u64,
    pub(super) overridden: u64,
    pub(super) robots: Vec<RobotUsage>,
    /// Those with the most decisions first.
    pub(super) statements: Vec<Statement>,
    /// The number of decisions whose statement is not listed, as there are too many.
    pub(super) statements_left_out: u64,
    /// The versions of the program that decided, and the dates of its tables of robots.
    pub(super) decided_by: BTreeSet<String>,
    pub(super) agents_dates: BTreeSet<String>,
    /// The first and last times.
    pub(super) decided_at: Option<(String, String)>,
    pub(super) captured_at: Option<(String, String)>,
}

/// The counts so far.
#[derive(Debug, Default)]
pub(super) struct Count {
    decisions: u64,
    unreadable: u64,
    robots: BTreeMap<(String, String), RobotUsage>,
    statements: BTreeMap<Use, BTreeMap<String, u64>>,
    statements_left_out: u64,
    decided_by: BTreeSet<String>,
    agents_dates: BTreeSet<String>,
    decided_at: Option<(String, String)>,
    captured_at: Option<(String, String)>,
}

impl Count {
    pub(super) fn add_unreadable(&mut self) {
        self.unreadable += 1;
    }

    /// Adds a row.
    ///
    /// # Errors
    ///
    /// If its reasons are not those of a decision.
    pub(super) fn add(&mut self, row: &Recorded) -> Result<(), serde_json::Error> {
        let reasons: Vec<Reason> = serde_json::from_str(&row.text("reasons_json"))?;
        self.decisions += 1;
        let key = (row.text("agent"), row.text("profile"));
        let robot = self
            .robots
            .entry(key)
            .or_insert_with_key(|(agent, profile)| RobotUsage {
                agent: agent.clone(),
                profile: profile.clone(),
                profile_digests: BTreeSet::new(),
                decisions: 0,
                overridden: 0,
                uses: BTreeMap::new(),
            });
        robot.decisions += 1;
        robot.overridden += u64::from(!row.text("override").is_empty());
        robot.profile_digests.insert(row.text("profile_digest"));
        for one in Use::ALL {
            let field = one.field();
            let answers = robot.uses.entry(one).or_default();
            let before = answers.refused + answers.limited;
            *answers.of(&row.text(field.name())) += 1;
            if answers.refused + answers.limited > before {
                let mut deciding = reasons.iter();
                let deciding = deciding
                    .find(|reason| reason.field == field && reason.effect == Effect::Decides);
                let statement = deciding.map_or_else(|| "no statement".to_owned(), statement);
                let counts = self.statements.entry(one).or_default();
                if counts.len() < MAX_COUNTED_STATEMENTS || counts.contains_key(&statement) {
                    *counts.entry(statement).or_default() += 1;
                } else {
                    self.statements_left_out += 1;
                }
            }
        }
        self.decided_by.insert(row.text("program"));
        self.agents_dates.insert(row.text("agents_date"));
        widen(&mut self.decided_at, row.text("decided_at"));
        widen(&mut self.captured_at, row.text("captured_at"));
        Ok(())
    }

    pub(super) fn finish(self) -> Usage {
        let mut statements = Vec::new();
        for (refused_use, counts) in self.statements {
            statements.extend(counts.into_iter().map(|(text, decisions)| Statement {
                refused_use,
                text,
                decisions,
            }));
        }
        statements.sort_by(|a, b| {
            let key = |one: &Statement| (one.refused_use, Reverse(one.decisions));
            key(a).cmp(&key(b)).then_with(|| a.text.cmp(&b.text))
        });
        let robots: Vec<RobotUsage> = self.robots.into_values().collect();
        Usage {
            version: VERSION,
            program: concat!("robots ", env!("CARGO_PKG_VERSION")).to_owned(),
            decisions: self.decisions,
            unreadable: self.unreadable,
            overridden: robots.iter().map(|robot| robot.overridden).sum(),
            robots,
            statements,
            statements_left_out: self.statements_left_out,
            decided_by: self.decided_by,
            agents_dates: self.agents_dates,
            decided_at: self.decided_at,
            captured_at: self.captured_at,
        }
    }
}

/// Returns a statement with the kind of its source, so that equal ones of many sites are one: `META: noindex`.
fn statement(reason: &Reason) -> String {
    let text = shortened(&reason.text, MAX_STATEMENT_CHARS);
    match &reason.source {
        Source::RobotsTxt { .. } | Source::RobotsFetch => format!("robots.txt: {text}"),
        Source::Header { name, .. } => format!("{name}: {text}"),
        Source::PageHeader { name, .. } => format!("{name}: {text}"),
        Source::Tdmrep { .. } => format!("tdmrep.json: {text}"),
        Source::Meta { .. } => format!("META: {text}"),
        Source::Rsl { .. } => format!("RSL licence: {text}"),
        source => format!("{source}: {text}"),
    }
}

/// Adds a time to a range. Texts of times are in their order.
fn widen(range: &mut Option<(String, String)>, time: String) {
    if time.is_empty() {
        return;
    }
    match range {
        None => *range = Some((time.clone(), time)),
        Some((first, _)) if time < *first => *first = time,
        Some((_, last)) if time > *last => *last = time,
        Some(_) => {}
    }
}
