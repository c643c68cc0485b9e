//! Findings: why a recorded decision is not equal.

use super::again::Again;
use super::cells::{COLUMNS, Keys, fingerprint};
use super::parse_time;
use super::recorded::{Place, Recorded};
use crate::evidence::page_digests::MAX_RECORDED_DIGESTS;
use serde::Serialize;

/// A recorded decision that is not equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The place of the row.
    #[serde(flatten)]
    pub place: Place,
    /// The URL of the page.
    pub url: String,
    /// The robot.
    pub agent: String,
    /// The name of the profile.
    pub profile: String,
    /// The reason.
    #[serde(flatten)]
    pub status: Status,
}

impl Finding {
    pub(super) fn new(row: &Recorded, status: Status) -> Self {
        Self {
            place: row.place.clone(),
            url: row.text("url"),
            agent: row.text("agent"),
            profile: row.text("profile"),
            status,
        }
    }
}

/// The reason why a recorded decision is not equal.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// It was made again from the same page, and is another one.
    #[non_exhaustive]
    Different {
        /// The columns that differ.
        differences: Vec<Difference>,
    },
    /// It cannot be made again, or not by the same robots.txt, as a file is missing.
    #[non_exhaustive]
    Missing {
        /// The kind of the file.
        subject: Subject,
        /// Its URL, or the name of the profile.
        name: String,
        /// Its recorded time.
        time: Option<String>,
    },
    /// A file has changed.
    #[non_exhaustive]
    Changed {
        /// The kind of the file.
        subject: Subject,
        /// Its URL, or the name of the profile.
        name: String,
        /// Its recorded time.
        time: Option<String>,
        /// The recorded digest.
        recorded: String,
        /// The digest that was found.
        found: String,
    },
}

/// The kind of a file on which a decision depends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Subject {
    /// The page.
    Page,
    /// The robots.txt.
    RobotsTxt,
    /// The profile.
    Profile,
}

impl Subject {
    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::RobotsTxt => "robots.txt",
            Self::Profile => "profile",
        }
    }
}

/// A column in which a decision differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The name of the column.
    pub column: &'static str,
    /// The recorded value, as in CSV.
    pub recorded: String,
    /// The value of the decision that was made again.
    pub found: String,
}

/// The search for reasons.
pub(super) struct Findings<'a> {
    pub(super) again: &'a Again,
}

impl Findings<'_> {
    /// Returns why the decision of a row is not equal; `None` if it is.
    pub(super) fn status(&self, row: &Recorded) -> Option<Status> {
        let index = &self.again.index;
        if let Some((_, true)) = index.rows.get(&fingerprint(row.cells(), index.compared)) {
            return None;
        }
        let keys = Keys::of(|position| row.cell(position));
        if let Some(Some(found)) = index.by_payload.get(&keys.payload) {
            return Some(self.compared(row, found));
        }
        let (name, time) = (row.text("url"), optional(row.text("captured_at")));
        let subject = Subject::Page;
        Some(match index.by_page.get(&keys.page) {
            Some(Some(found)) => Status::Changed {
                subject,
                name,
                time,
                recorded: row.text("payload_digest"),
                found: found.clone(),
            },
            _ => Status::Missing {
                subject,
                name,
                time,
            },
        })
    }

    /// Returns the status of a row about a page that was decided again, with other cells.
    fn compared(&self, row: &Recorded, found: &[String]) -> Status {
        let pairs = COLUMNS
            .iter()
            .zip(self.again.index.compared.columns())
            .zip(row.cells().zip(found));
        let differences = pairs
            .filter(|((_, is_compared), (recorded, found))| **is_compared && recorded != found);
        let differences: Vec<Difference> = differences
            .map(|((column, _), (recorded, found))| Difference {
                column: column.name(),
                recorded: recorded.to_owned(),
                found: found.clone(),
            })
            .collect();
        let differs = |name: &str| differences.iter().any(|found| found.column == name);
        let is_other_file = ["robots_url", "robots_captured_at", "robots_digest"]
            .into_iter()
            .any(differs);
        let url = row.text("robots_url");
        if !is_other_file || url.is_empty() {
            return Status::Different { differences };
        }
        let at = parse_time(&row.text("robots_captured_at"));
        let digests = self.again.book.as_ref();
        let digests = digests
            .map(|book| book.digests_at(&url, at, MAX_RECORDED_DIGESTS))
            .unwrap_or_default();
        let recorded = row.text("robots_digest");
        let time = optional(row.text("robots_captured_at"));
        let (subject, name) = (Subject::RobotsTxt, url);
        match digests.first() {
            None => Status::Missing {
                subject,
                name,
                time,
            },
            // The file is there, and another one is in force.
            Some(_) if digests.contains(&recorded) => Status::Different { differences },
            Some(found) => Status::Changed {
                subject,
                name,
                time,
                recorded,
                found: found.clone(),
            },
        }
    }
}

fn optional(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
