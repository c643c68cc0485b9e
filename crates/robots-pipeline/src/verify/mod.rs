//! Verification: recorded decisions are made again from archives, and compared.
//!
//! ```text
//! recorded   files of decisions with evidence (JSON Lines, CSV, Parquet) -> rows of cells
//! index      rows -> a fingerprint of each; which pages and robots are needed
//! (decide)   archives -> the decisions about these pages
//! again      decisions -> fingerprints that were found; the nearest decision for the others
//! finding    rows whose fingerprint was not found -> why
//! ```
//!
//! A page is found by URL, time and digest, whatever the name of its archive and its place in it. The files of decisions are read
//! twice if some are not equal. Memory: about 200 bytes for each decision, and the decisions that differ.

mod again;
mod cells;
mod finding;
mod index;
#[cfg(feature = "columnar")]
mod parquet_rows;
mod recorded;

pub use finding::{Difference, Finding, Status, Subject};
pub use recorded::{MAX_LINE_BYTES, Place, Recorded, RowProblem, Visit, read_recorded};

use crate::decide::{Outcome, Rows, Source, decide_recorded};
use crate::error::Error;
use crate::evidence::profile_digest;
use crate::observer::Observer;
use crate::options::{Now, Options};
use crate::summary::End;
use again::Again;
use index::Index;
use robots_meta::Timestamp;
use robots_policy::{Policies, Policy};
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// The result of a verification.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verification {
    /// The version of this form.
    pub version: u32,
    /// The number of recorded decisions that could be read.
    pub decisions: u64,
    /// The number of these that are the same again, from the same files.
    pub equal: u64,
    /// The number of those that are not, from the same files.
    pub different: u64,
    /// The number of those that cannot be made again, as a file is missing.
    pub missing: u64,
    /// The number of those of which a file has changed.
    pub changed: u64,
    /// The number of recorded decisions with an override.
    pub overridden: u64,
    /// The number of those whose override has expired.
    pub expired: u64,
    /// The number of rows that are not decisions with evidence.
    pub unreadable: u64,
    /// The inputs that were left out or not read to their end, with the reasons.
    pub failed_inputs: Vec<String>,
    /// Whether the observer stopped the run. Decisions that were not reached count as missing.
    #[serde(rename = "interrupted")]
    pub is_interrupted: bool,
}

impl Verification {
    /// Returns whether every row was decided again, and is equal.
    pub fn is_equal(&self) -> bool {
        self.equal == self.decisions && !self.has_failed()
    }

    /// Returns whether rows or inputs could not be read, or the run was stopped.
    pub fn has_failed(&self) -> bool {
        self.unreadable > 0 || !self.failed_inputs.is_empty() || self.is_interrupted
    }
}

/// The maximum number of robots and profiles in recorded decisions: each page is decided again for each of them.
pub const MAX_ROBOTS: usize = 1_000;

/// A receiver of what a verification finds.
pub trait Report {
    /// Takes a row that is not a decision with evidence.
    fn unreadable(&mut self, problem: &RowProblem);

    /// Takes a decision that is not equal. They come in the order of the rows, after all archives were read.
    fn finding(&mut self, finding: Finding);
}

/// Decides recorded decisions again, from archives, and compares.
///
/// `policy` returns the policy of a robot under the profile of a name; `None` if the profile is not known. Its digest must be
/// the recorded one. Of the options, the sources of robots.txt, `base`, `threads`, `hold_back` and `verify_digests` apply;
/// with the last one, the digests of pages that archives state are compared with the bytes, too. With
/// [`overrides`](Options::overrides), those of the decisions are compared with them, too; without, they are counted. The time of the
/// options ([`now`](Options::now)) states which of them have expired since.
///
/// # Errors
///
/// If a file of decisions cannot be read, does not have all columns, or has the decisions of several runs, with another
/// `decided_at`. If there are no decisions, or more than [`MAX_ROBOTS`] robots. Rows that cannot be read are reported, and count.
pub fn verify(
    decisions: &[PathBuf],
    source: Source<'_>,
    policy: &dyn Fn(&str, &str) -> Option<Policy>,
    options: &Options,
    observer: &dyn Observer,
    report: &mut dyn Report,
) -> Result<Verification, Error> {
    let mut result = Verification {
        version: 1,
        ..Verification::default()
    };
    let mut index = Index::new(options.verify_digests, options.overrides.is_some());
    let today = match options.now {
        Now::At(time) | Now::Start(time) => Some(time),
        Now::Unknown => None,
    };
    let mut robots = Robots::default();
    read_recorded(decisions, &mut |row| {
        match row {
            Ok(row) => {
                result.decisions += 1;
                if !row.text("override").is_empty() {
                    result.overridden += 1;
                    result.expired += u64::from(row.override_has_expired(today));
                }
                if robots.status(&row, policy).is_none() {
                    if robots.policies.len() > MAX_ROBOTS {
                        return Err(Error::TooManyRobots(MAX_ROBOTS));
                    }
                    index.add(&row)?;
                }
            }
            Err(problem) => {
                result.unreadable += 1;
                report.unreadable(&problem);
            }
        }
        Ok(())
    })?;
    if result.decisions == 0 && result.unreadable == 0 {
        return Err(Error::NoDecisions);
    }
    let pages = std::mem::take(&mut index.pages);
    let mut again = Again::new(index);
    if !robots.policies.is_empty() {
        let policies = Policies::new(std::mem::take(&mut robots.policies));
        let options = Options {
            all_types: true,
            evidence: true,
            index: Vec::new(),
            limit: None,
            sample: None,
            now: again.index.now().map_or(Now::Unknown, Now::At),
            ..options.clone()
        };
        let rows = Rows::Sink(&mut again);
        let (outcome, book) =
            decide_recorded(source, &policies, &options, rows, Some(&pages), observer)?;
        if let Outcome::Ended { summary, .. } = outcome {
            result.is_interrupted = summary.end == End::Interrupted;
            if summary.has_failed() && summary.failed_inputs.is_empty() {
                let unread = "a file that cannot be read was left out".to_owned();
                result.failed_inputs.push(unread);
            }
            result.failed_inputs.extend(summary.failed_inputs);
        }
        again.book = Some(book);
    }
    let equal = again.equal();
    if equal == result.decisions {
        result.equal = equal;
        return Ok(result);
    }
    read_recorded(decisions, &mut |row| {
        let Ok(row) = row else {
            return Ok(());
        };
        let status = match robots.status(&row, policy) {
            Some(status) => Some(status),
            None => again.status(&row),
        };
        let Some(status) = status else {
            result.equal += 1;
            return Ok(());
        };
        match status {
            Status::Different { .. } => result.different += 1,
            Status::Missing { .. } => result.missing += 1,
            Status::Changed { .. } => result.changed += 1,
        }
        report.finding(Finding::new(&row, status));
        Ok(())
    })?;
    Ok(result)
}

/// The policies of recorded decisions.
#[derive(Default)]
struct Robots {
    /// By robot, profile and recorded digest: why decisions cannot be made again, if they cannot.
    known: BTreeMap<[String; 3], Option<Status>>,
    policies: Vec<Policy>,
    /// The digests of the policies.
    digests: HashSet<String>,
}

impl Robots {
    /// Returns why the decisions of a row's robot under its profile cannot be made again, if they cannot.
    fn status(
        &mut self,
        row: &Recorded,
        policy: &dyn Fn(&str, &str) -> Option<Policy>,
    ) -> Option<Status> {
        let key = [
            row.text("agent"),
            row.text("profile"),
            row.text("profile_digest"),
        ];
        if let Some(status) = self.known.get(&key) {
            return status.clone();
        }
        let [agent, profile, recorded] = &key;
        let status = match policy(agent, profile) {
            None => Some(Status::Missing {
                subject: Subject::Profile,
                name: profile.clone(),
                time: None,
            }),
            Some(policy) => {
                let found = profile_digest(&policy);
                if found == *recorded {
                    if self.digests.insert(found) {
                        self.policies.push(policy);
                    }
                    None
                } else {
                    Some(Status::Changed {
                        subject: Subject::Profile,
                        name: profile.clone(),
                        time: None,
                        recorded: recorded.clone(),
                        found,
                    })
                }
            }
        };
        self.known.insert(key, status.clone());
        status
    }
}

/// Returns a time as a cell has it.
fn parse_time(cell: &str) -> Option<Timestamp> {
    (!cell.is_empty()).then(|| Timestamp::parse(cell)).flatten()
}
