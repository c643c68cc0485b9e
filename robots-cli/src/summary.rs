//! What a run did: decisions by kind, what was skipped and why.

use robots_policy::{Decision, Fetch, Index, Permission};
use std::collections::BTreeMap;
use std::fmt;

/// Why a record has no decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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

/// Counts over a run.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    decided: u64,
    fetch: BTreeMap<&'static str, u64>,
    index: BTreeMap<&'static str, u64>,
    follow: BTreeMap<&'static str, u64>,
    archive: BTreeMap<&'static str, u64>,
    without_robots: u64,
    skipped: BTreeMap<Skip, u64>,
    faults: u64,
    inputs_failed: u64,
}

fn increase<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K) {
    let count = counts.entry(key).or_default();
    *count = count.saturating_add(1);
}

impl Summary {
    pub(crate) fn count(&mut self, decision: &Decision) {
        self.decided = self.decided.saturating_add(1);
        increase(&mut self.fetch, decision.fetch.as_str());
        increase(&mut self.index, decision.index.as_str());
        increase(&mut self.follow, decision.follow.as_str());
        increase(&mut self.archive, decision.archive.as_str());
    }

    pub(crate) fn skip(&mut self, why: Skip) {
        increase(&mut self.skipped, why);
    }

    /// A page whose robots.txt is not known.
    pub(crate) fn without_robots(&mut self) {
        self.without_robots = self.without_robots.saturating_add(1);
    }

    pub(crate) fn fault(&mut self) {
        self.faults = self.faults.saturating_add(1);
    }

    pub(crate) fn input_failed(&mut self) {
        self.inputs_failed = self.inputs_failed.saturating_add(1);
    }

    /// Whether nothing was decided, and something is broken.
    pub(crate) fn has_failed(&self) -> bool {
        let unread = [Skip::Unread, Skip::Unreadable]
            .iter()
            .any(|skip| self.skipped.contains_key(skip));
        let broken = self.inputs_failed > 0 || self.faults > 0 || unread;
        self.decided == 0 && broken
    }

    /// Writes the summary to standard error.
    pub(crate) fn print(&self, agent: &str) {
        anstream::eprint!("{}", Lines(self, agent));
    }
}

struct Lines<'a>(&'a Summary, &'a str);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(summary, agent) = self;
        writeln!(f, "{} pages decided for {agent}", summary.decided)?;
        let order = |field, counts: &BTreeMap<&'static str, u64>, answers: &[&'static str]| {
            let parts: Vec<String> = answers
                .iter()
                .filter_map(|answer| Some(format!("{answer} {}", counts.get(answer)?)))
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
        f.write_str(&order("fetch", &summary.fetch, &fetch))?;
        f.write_str(&order("index", &summary.index, &index))?;
        f.write_str(&order("follow", &summary.follow, &others))?;
        f.write_str(&order("archive", &summary.archive, &others))?;
        if summary.without_robots > 0 {
            writeln!(
                f,
                "{} pages without a known robots.txt",
                summary.without_robots
            )?;
        }
        for (why, count) in &summary.skipped {
            writeln!(f, "{count} records skipped: {why}")?;
        }
        if summary.faults > 0 {
            writeln!(f, "{} broken places in the input", summary.faults)?;
        }
        if summary.inputs_failed > 0 {
            writeln!(f, "{} inputs left out", summary.inputs_failed)?;
        }
        Ok(())
    }
}
