//! Policies as text: the facts on which their decisions, and the compilation of robots.txt files for them, depend.

use crate::error::BookError;
use robots_policy::{Policies, Policy, Profile};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A policy as text. Whether it has reasons does not count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyText {
    /// The name of the robot.
    agent: String,
    /// The profile as TOML.
    profile: String,
    /// The same profile with this robot alone.
    robot: String,
    /// The switches of the dialect.
    dialect: Vec<String>,
}

impl PolicyText {
    pub(crate) fn of(policy: &Policy) -> Self {
        let profile = policy.profile();
        let alone = profile.clone().with_robots([policy.robot().clone()]);
        let dialect = profile.dialect();
        let switches = robots_txt::dialect::Switch::ALL.iter();
        Self {
            agent: policy.agent().to_owned(),
            profile: profile.to_toml(),
            robot: alone.to_toml(),
            dialect: switches.map(|switch| dialect.value_of(*switch)).collect(),
        }
    }

    /// Returns the texts of some policies.
    pub(crate) fn of_all(policies: &Policies) -> Vec<Self> {
        policies.iter().map(Self::of).collect()
    }

    /// Returns the policy: that of the robot of this name under the profile.
    pub(super) fn policy(&self) -> Result<Policy, BookError> {
        let profile = Profile::from_toml(&self.profile).map_err(|_| BookError::Damaged)?;
        let policy = Policy::for_robot(&profile, profile.robot(&self.agent));
        if Self::of(&policy) != *self {
            return Err(BookError::ChangedPolicy(self.to_string()));
        }
        Ok(policy)
    }
}

impl fmt::Display for PolicyText {
    /// Writes the name of the robot, and that of its profile.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Profile::from_toml(&self.profile) {
            Ok(profile) => write!(f, "{} under {}", self.agent, profile.name()),
            Err(_) => write!(f, "{} under an unknown profile", self.agent),
        }
    }
}

/// Checks that a book has the expected policies.
pub(super) fn compare(book: &[PolicyText], expected: &Policies) -> Result<(), BookError> {
    let expected = PolicyText::of_all(expected);
    if book == expected {
        return Ok(());
    }
    let names = |texts: &[PolicyText]| {
        let names: Vec<String> = texts.iter().map(PolicyText::to_string).collect();
        names.join(", ")
    };
    let (book_names, expected_names) = (names(book), names(&expected));
    let changed = book.iter().zip(&expected).find(|(a, b)| a != b);
    match changed {
        Some((changed, _)) if book_names == expected_names => {
            Err(BookError::ChangedPolicy(changed.to_string()))
        }
        _ => Err(BookError::OtherPolicies {
            book: book_names,
            expected: expected_names,
        }),
    }
}
