//! Findings: why a recorded decision is not equal.

use super::again::Again;
use super::cells::{COLUMNS, Keys, fingerprint};
use super::parse_time;
use super::recorded::{Place, Recorded};
use crate::evidence::columns::TERMS;
use crate::evidence::page_digests::MAX_RECORDED_DIGESTS;
use crate::evidence::terms::TDMREP;
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
    /// The tdmrep.json.
    Tdmrep,
    /// A licence of RSL.
    License,
    /// The profile.
    Profile,
}

impl Subject {
    /// Returns the name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::RobotsTxt => "robots.txt",
            Self::Tdmrep => "tdmrep.json",
            Self::License => "licence",
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

impl Again {
    /// Returns why the decision of a row is not equal; `None` if it is.
    pub(super) fn status(&self, row: &Recorded) -> Option<Status> {
        let index = &self.index;
        if let Some((_, true)) = index.rows.get(&fingerprint(row.cells(), &index.compared)) {
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
            .zip(&self.index.compared)
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
        let status = self.changed_file(row, &differences);
        status.unwrap_or(Status::Different { differences })
    }

    /// Returns the status of the first recorded file of the site that is missing or has changed, if columns about it differ.
    fn changed_file(&self, row: &Recorded, differences: &[Difference]) -> Option<Status> {
        let differs = |names: &[&str]| {
            let mut columns = differences.iter();
            columns.any(|found| names.contains(&found.column))
        };
        let mut files = Vec::new();
        let url = row.text("robots_url");
        if !url.is_empty() && differs(&["robots_url", "robots_captured_at", "robots_digest"]) {
            let (time, digest) = (row.text("robots_captured_at"), row.text("robots_digest"));
            files.push((Subject::RobotsTxt, url, time, digest));
        }
        if differs(&[TERMS]) {
            files.extend(row.terms().unwrap_or_default().into_iter().map(|terms| {
                let subject = match &*terms.kind {
                    TDMREP => Subject::Tdmrep,
                    _ => Subject::License,
                };
                let time = terms.captured_at.unwrap_or_default();
                let digest = terms.digest.unwrap_or_default();
                (subject, terms.url.into_owned(), time, digest.into_owned())
            }));
        }
        let book = self.book.as_ref();
        files
            .into_iter()
            .find_map(|(subject, name, time, recorded)| {
                let at = parse_time(&time);
                let digests = book.map(|book| book.digests_at(&name, at, MAX_RECORDED_DIGESTS));
                let digests = digests.unwrap_or_default();
                let time = optional(time);
                match digests.first() {
                    None => Some(Status::Missing {
                        subject,
                        name,
                        time,
                    }),
                    // The file is there, and another one is in force.
                    Some(_) if digests.contains(&recorded) => None,
                    Some(found) => Some(Status::Changed {
                        subject,
                        name,
                        time,
                        recorded,
                        found: found.clone(),
                    }),
                }
            })
    }
}

fn optional(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}
