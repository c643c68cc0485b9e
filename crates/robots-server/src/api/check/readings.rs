//! The dialects and profiles of a question.

use crate::api::value::{Word, values};
use crate::checked_files::{dialect_reading, profile_reading};
use crate::policies::BuiltInProfile;
use crate::problem::Problem;
use robots_answers::check::Reading;
use robots_txt::Dialect;

/// The readings of a question. Without any, the file is read for each robot as its operator does.
pub(super) struct Readings {
    /// If files are kept under each of them, all.
    pub(super) kept: Option<Vec<&'static Reading>>,
    /// All otherwise; none if they are kept.
    others: Vec<Reading>,
}

impl Readings {
    pub(super) fn new(
        all_dialects: bool,
        dialects: Vec<Word<Dialect>>,
        profiles: Vec<Word<BuiltInProfile>>,
    ) -> Result<Self, Problem> {
        let (mut dialects, profiles) = (values(dialects), values(profiles));
        if all_dialects {
            if !dialects.is_empty() || !profiles.is_empty() {
                return Err(Problem::invalid(
                    "\"all_dialects\": not together with \"dialects\" or \"profiles\"",
                ));
            }
            dialects = Dialect::ALL.to_vec();
        }
        let kept = dialects.iter().map(dialect_reading);
        let kept = kept.chain(profiles.iter().copied().map(profile_reading));
        let kept: Option<Vec<&'static Reading>> = kept.collect();
        let mut others = Vec::new();
        if kept.is_none() {
            others.extend(dialects.into_iter().map(Reading::from));
            let profiles = profiles.into_iter();
            others.extend(profiles.map(|profile| Reading::from(profile.clone())));
        }
        Ok(Self { kept, others })
    }

    /// Returns all readings: dialects, and then profiles, in the order of the question.
    pub(super) fn all(&self) -> impl Iterator<Item = &Reading> {
        self.kept.iter().flatten().copied().chain(&self.others)
    }

    /// Returns whether patterns are resolved against the URL of the file under any of them.
    pub(super) fn depend_on_url(&self) -> bool {
        self.all().any(|reading| reading.dialect.depends_on_url())
    }
}
