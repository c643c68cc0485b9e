//! The summary of a run: decisions by robot and value, records without a decision, failed inputs.

use robots_policy::{Decision, Policies};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use thiserror::Error as ThisError;

/// The reason why a record has no decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ThisError)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SkipReason {
    /// It is not HTML.
    #[error("not HTML")]
    NotHtml,
    /// It is a robots.txt.
    #[error("robots.txt itself")]
    RobotsTxt,
    /// It is a request, metadata, or a description of the archive.
    #[error("requests, metadata and descriptions of the archive")]
    NoResponse,
    /// It is a revisit, whose page is stored elsewhere.
    #[error("revisits, whose page is stored elsewhere")]
    Revisit,
    /// It has another WARC type.
    #[error("records of other kinds")]
    OtherKind,
    /// It is not HTTP.
    #[error("not HTTP")]
    NotHttp,
    /// It has no URL.
    #[error("without a URL")]
    NoUrl,
    /// Its body has an unknown coding.
    #[error("compressed in an unknown way")]
    Unread,
    /// It is a file or a folder that cannot be read.
    #[error("files and folders that cannot be read")]
    Unreadable,
}

/// The number of decisions with each value of a field.
pub type Counts = BTreeMap<Cow<'static, str>, u64>;

/// The summary of a run. `robots decide --summary` writes its JSON form.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The version of the JSON form.
    pub version: u32,
    /// The way in which the run ended.
    pub end: End,
    /// The number of pages that were decided.
    pub pages: u64,
    /// The number of these pages whose robots.txt is not known.
    pub pages_without_robots_txt: u64,
    /// The decisions for each robot.
    pub robots: Vec<RobotSummary>,
    /// The number of records without a decision, by reason.
    pub skipped: BTreeMap<SkipReason, u64>,
    /// The number of damaged places in the inputs.
    pub faults: u64,
    /// The inputs that were left out or not read to their end, with the reasons.
    pub failed_inputs: Vec<String>,
}

/// The way in which a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum End {
    /// All pages were decided.
    Done,
    /// The limit of pages was reached.
    Limit,
    /// The observer stopped it.
    Interrupted,
}

/// The decisions for one robot.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RobotSummary {
    /// The product token.
    pub agent: String,
    /// The name of the profile.
    pub profile: String,
    /// By [`Decision::fetch`].
    pub fetch: Counts,
    /// By [`Decision::index`].
    pub index: Counts,
    /// By [`Decision::follow`].
    pub follow: Counts,
    /// By [`Decision::archive`].
    pub archive: Counts,
    /// By [`Decision::may_train`].
    pub train: Counts,
    /// The number of decisions with [warnings](Decision::warnings), such as those about unknown directives.
    pub with_warnings: u64,
    /// The number of decisions that were written: all, unless a [`Filter`](crate::sink::Filter) left some out.
    pub written: u64,
}

impl Summary {
    /// Returns whether an input, or a file in a folder, was left out, or nothing was decided and something is damaged.
    pub fn has_failed(&self) -> bool {
        let has_skipped = |reason| self.skipped.contains_key(&reason);
        let is_damaged = self.faults > 0 || has_skipped(SkipReason::Unread);
        !self.failed_inputs.is_empty()
            || has_skipped(SkipReason::Unreadable)
            || (self.pages == 0 && is_damaged)
    }
}

/// The counts of a run in progress.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counter {
    decided: Decided,
    /// The problems before the first decision, while robots.txt files, or all inputs, are read. A run that resumes reads
    /// them again and meets these problems again, so the journal does not keep them.
    before: Problems,
    /// The problems since the first decision, which the journal keeps.
    since: Problems,
    is_deciding: bool,
}

/// The counts that a journal keeps: decisions, and the problems met while deciding.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Checkpoint {
    decided: Decided,
    problems: Problems,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Decided {
    pages: u64,
    without_robots: u64,
    robots: Vec<RobotSummary>,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Problems {
    skipped: BTreeMap<SkipReason, u64>,
    faults: u64,
    /// The inputs that failed, with the reasons.
    failed: Vec<String>,
}

impl Counter {
    pub(crate) fn new(policies: &Policies) -> Self {
        let robots = policies.iter().map(|policy| RobotSummary {
            agent: policy.agent().to_owned(),
            profile: policy.profile().name().to_owned(),
            ..RobotSummary::default()
        });
        let mut counter = Self::default();
        counter.decided.robots = robots.collect();
        counter
    }

    /// Begins the stage of decisions: further problems are kept in the journal.
    pub(crate) fn begin_deciding(&mut self) {
        self.is_deciding = true;
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            decided: self.decided.clone(),
            problems: self.since.clone(),
        }
    }

    pub(crate) fn resume(&mut self, checkpoint: Checkpoint) {
        self.decided = checkpoint.decided;
        self.since = checkpoint.problems;
    }

    /// Returns the number of pages that were decided.
    pub(crate) fn pages(&self) -> u64 {
        self.decided.pages
    }

    /// Counts a page.
    pub(crate) fn add_page(&mut self, has_robots: bool) {
        let decided = &mut self.decided;
        decided.pages += 1;
        if !has_robots {
            decided.without_robots += 1;
        }
    }

    /// Counts the decision for the robot of this index.
    pub(crate) fn add_decision(&mut self, robot: usize, decision: &Decision, is_written: bool) {
        if let Some(robot) = self.decided.robots.get_mut(robot) {
            increase(&mut robot.fetch, decision.fetch.name().into());
            increase(&mut robot.index, decision.index.name().into());
            increase(&mut robot.follow, decision.follow.name().into());
            increase(&mut robot.archive, decision.archive.name().into());
            increase(&mut robot.train, decision.may_train.name().into());
            robot.written += u64::from(is_written);
            robot.with_warnings += u64::from(!decision.warnings.is_empty());
        }
    }

    fn problems(&mut self) -> &mut Problems {
        if self.is_deciding {
            &mut self.since
        } else {
            &mut self.before
        }
    }

    pub(crate) fn add_skip(&mut self, reason: SkipReason) {
        increase(&mut self.problems().skipped, reason);
    }

    pub(crate) fn add_damage(&mut self) {
        self.problems().faults += 1;
    }

    pub(crate) fn add_failed_input(&mut self, reason: String) {
        self.problems().failed.push(reason);
    }

    pub(crate) fn into_summary(self, end: End) -> Summary {
        let Problems {
            mut skipped,
            faults,
            mut failed,
        } = self.before;
        for (reason, count) in self.since.skipped {
            *skipped.entry(reason).or_default() += count;
        }
        failed.extend(self.since.failed);
        Summary {
            version: 1,
            end,
            pages: self.decided.pages,
            pages_without_robots_txt: self.decided.without_robots,
            robots: self.decided.robots,
            skipped,
            faults: faults + self.since.faults,
            failed_inputs: failed,
        }
    }
}

fn increase<K: Ord>(counts: &mut BTreeMap<K, u64>, key: K) {
    *counts.entry(key).or_default() += 1;
}
