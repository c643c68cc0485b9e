//! What a run did: decisions by robot and kind, what was skipped and why.

use robots_policy::{Decision, Fetch, Index, Permission, Policy};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Why a record has no decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Skip {
    NotHtml,
    RobotsTxt,
    NoResponse,
    Revisit,
    OtherKind,
    NotHttp,
    NoUrl,
    Unread,
    Unreadable,
}

impl fmt::Display for Skip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotHtml => "not HTML",
            Self::RobotsTxt => "robots.txt itself",
            Self::NoResponse => "requests, metadata and descriptions of the archive",
            Self::Revisit => "revisits, whose page is stored elsewhere",
            Self::OtherKind => "records of other kinds",
            Self::NotHttp => "not HTTP",
            Self::NoUrl => "without a URL",
            Self::Unread => "compressed in an unknown way",
            Self::Unreadable => "files and folders that cannot be read",
        })
    }
}

/// How often each answer was given.
type Counts = BTreeMap<Cow<'static, str>, u64>;

fn increase<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

/// Counts over a run.
#[derive(Debug, Clone)]
pub(crate) struct Summary {
    decided: Decided,
    /// What was met before the first decision.
    before: Met,
    /// What was met since.
    since: Met,
    is_deciding: bool,
}

/// What a run decided, and what it met while it did: what a journal keeps.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Kept {
    decided: Decided,
    met: Met,
}

/// Decisions, counted.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Decided {
    pages: u64,
    without_robots: u64,
    robots: Vec<OfRobot>,
}

/// The decisions for one robot.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct OfRobot {
    agent: String,
    profile: String,
    fetch: Counts,
    index: Counts,
    follow: Counts,
    archive: Counts,
}

/// What else there was.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Met {
    skipped: BTreeMap<Skip, u64>,
    faults: u64,
    /// The inputs that were left out, or not read to their end, and why.
    failed: Vec<String>,
}

impl Summary {
    /// Nothing yet.
    pub(crate) fn new(policies: &[Policy]) -> Self {
        let robots = policies.iter().map(|policy| OfRobot {
            agent: policy.agent().to_owned(),
            profile: policy.profile().name().to_owned(),
            fetch: Counts::new(),
            index: Counts::new(),
            follow: Counts::new(),
            archive: Counts::new(),
        });
        Self {
            decided: Decided {
                pages: 0,
                without_robots: 0,
                robots: robots.collect(),
            },
            before: Met::default(),
            since: Met::default(),
            is_deciding: false,
        }
    }

    /// What is met from here on, is met while pages are decided.
    pub(crate) fn begin_deciding(&mut self) {
        self.is_deciding = true;
    }

    /// What is to be kept, for the run to go on.
    pub(crate) fn keep(&self) -> Kept {
        Kept {
            decided: self.decided.clone(),
            met: self.since.clone(),
        }
    }

    /// Goes on from what was kept.
    pub(crate) fn go_on(&mut self, kept: Kept) {
        self.decided = kept.decided;
        self.since = kept.met;
    }

    /// How many pages were decided.
    pub(crate) fn pages(&self) -> u64 {
        self.decided.pages
    }

    /// A page is decided.
    pub(crate) fn page(&mut self, has_robots: bool) {
        let decided = &mut self.decided;
        decided.pages = decided.pages.saturating_add(1);
        if !has_robots {
            decided.without_robots = decided.without_robots.saturating_add(1);
        }
    }

    /// What was decided for the robot of this index.
    pub(crate) fn count(&mut self, robot: usize, decision: &Decision) {
        if let Some(robot) = self.decided.robots.get_mut(robot) {
            increase(&mut robot.fetch, decision.fetch.as_str().into());
            increase(&mut robot.index, decision.index.as_str().into());
            increase(&mut robot.follow, decision.follow.as_str().into());
            increase(&mut robot.archive, decision.archive.as_str().into());
        }
    }

    fn met(&mut self) -> &mut Met {
        if self.is_deciding {
            &mut self.since
        } else {
            &mut self.before
        }
    }

    pub(crate) fn skip(&mut self, why: Skip) {
        increase(&mut self.met().skipped, why);
    }

    pub(crate) fn fault(&mut self) {
        let met = self.met();
        met.faults = met.faults.saturating_add(1);
    }

    /// An input is left out, or what is left of it.
    pub(crate) fn input_failed(&mut self, why: String) {
        self.met().failed.push(why);
    }

    fn all_met(&self) -> Met {
        let mut all = self.before.clone();
        for (&why, &count) in &self.since.skipped {
            let sum = all.skipped.entry(why).or_default();
            *sum = sum.saturating_add(count);
        }
        all.faults = all.faults.saturating_add(self.since.faults);
        all.failed.extend(self.since.failed.iter().cloned());
        all
    }

    /// Whether nothing was decided, and something is broken.
    pub(crate) fn has_failed(&self) -> bool {
        let met = self.all_met();
        let unread = [Skip::Unread, Skip::Unreadable]
            .iter()
            .any(|skip| met.skipped.contains_key(skip));
        let broken = !met.failed.is_empty() || met.faults > 0 || unread;
        self.decided.pages == 0 && broken
    }

    /// The summary as a JSON object; `end` is what ended the run.
    pub(crate) fn to_json(&self, end: &str) -> serde_json::Value {
        let met = self.all_met();
        serde_json::json!({
            "version": 1,
            "end": end,
            "pages": self.decided.pages,
            "pages_without_robots_txt": self.decided.without_robots,
            "robots": self.decided.robots,
            "skipped": met.skipped,
            "faults": met.faults,
            "failed_inputs": met.failed,
        })
    }

    /// Writes the summary to standard error.
    pub(crate) fn print(&self) {
        anstream::eprint!("{}", Lines(self));
    }
}

struct Lines<'a>(&'a Summary);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(summary) = self;
        let decided = &summary.decided;
        if let [robot] = &decided.robots[..] {
            writeln!(f, "{} pages decided for {}", decided.pages, robot.agent)?;
            robot.fmt(f)?;
        } else {
            let robots = decided.robots.len();
            writeln!(f, "{} pages decided for {robots} robots", decided.pages)?;
            for robot in &decided.robots {
                writeln!(f, "{} under {}", robot.agent, robot.profile)?;
                robot.fmt(f)?;
            }
        }
        if decided.without_robots > 0 {
            let count = decided.without_robots;
            writeln!(f, "{count} pages without a known robots.txt")?;
        }
        let met = summary.all_met();
        for (why, count) in &met.skipped {
            writeln!(f, "{count} records skipped: {why}")?;
        }
        if met.faults > 0 {
            writeln!(f, "{} broken places in the input", met.faults)?;
        }
        if !met.failed.is_empty() {
            writeln!(f, "{} inputs left out", met.failed.len())?;
        }
        // One was told when it came; of many that is far above.
        if met.failed.len() > 1 {
            for why in &met.failed {
                writeln!(f, "  {}", crate::terminal::printable(why))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for OfRobot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = |field, counts: &Counts, answers: &[&'static str]| {
            let parts: Vec<String> = answers
                .iter()
                .filter_map(|&answer| Some(format!("{answer} {}", counts.get(answer)?)))
                .collect();
            if parts.is_empty() {
                String::new()
            } else {
                format!("  {field:<8} {}\n", parts.join(", "))
            }
        };
        let fetch =
            [Fetch::Allow, Fetch::Disallow, Fetch::Defer, Fetch::Unknown].map(Fetch::as_str);
        let index = [Index::Yes, Index::No, Index::UrlOnly, Index::Unknown].map(Index::as_str);
        let others = [Permission::Yes, Permission::No, Permission::Unknown].map(Permission::as_str);
        f.write_str(&order("fetch", &self.fetch, &fetch))?;
        f.write_str(&order("index", &self.index, &index))?;
        f.write_str(&order("follow", &self.follow, &others))?;
        f.write_str(&order("archive", &self.archive, &others))
    }
}
