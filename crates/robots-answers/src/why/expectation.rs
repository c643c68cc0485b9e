//! Expected answers about a page.

use robots_policy::Decision;
use robots_policy::decision::Field;
use std::str::FromStr;
use thiserror::Error;

/// An expected answer: its name, and the value of a field.
#[derive(Debug, Clone, Copy)]
pub struct Expectation {
    name: &'static str,
    field: Field,
    value: &'static str,
}

const fn of(name: &'static str, field: Field, value: &'static str) -> Expectation {
    Expectation { name, field, value }
}

const ALL: [Expectation; 10] = [
    of("fetch", Field::Fetch, "allow"),
    of("nofetch", Field::Fetch, "disallow"),
    of("index", Field::Index, "yes"),
    of("noindex", Field::Index, "no"),
    of("follow", Field::Follow, "yes"),
    of("nofollow", Field::Follow, "no"),
    of("archive", Field::Archive, "yes"),
    of("noarchive", Field::Archive, "no"),
    of("train", Field::MayTrain, "yes"),
    of("notrain", Field::MayTrain, "no"),
];

impl Expectation {
    /// Returns the names of all expectations, with commas between them.
    pub fn names() -> String {
        ALL.map(Self::name).join(", ")
    }

    /// Returns the name: `noindex`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns the field that it is about.
    pub fn field(self) -> Field {
        self.field
    }

    /// Returns whether a decision has the expected answer.
    pub fn is_met_by(self, decision: &Decision) -> bool {
        self.field.text(decision) == self.value
    }
}

/// A name that is not that of an [`Expectation`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("expected one of {}", Expectation::names())]
#[non_exhaustive]
pub struct UnknownExpectation;

impl FromStr for Expectation {
    type Err = UnknownExpectation;

    /// Reads the name of an expectation.
    fn from_str(name: &str) -> Result<Self, UnknownExpectation> {
        let mut all = ALL.into_iter();
        all.find(|expectation| expectation.name == name)
            .ok_or(UnknownExpectation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Page, Policy, Profile, RobotsFetch};

    /// Every expected value is one that the field can have: otherwise an expectation could never be met.
    #[test]
    fn each_expectation_can_be_met() {
        let policy = Policy::under(&Profile::google(), "Googlebot").unwrap();
        let decide = |robots: &[u8], html: &[u8]| {
            let state = policy.robots(RobotsFetch::Body(robots));
            policy.decide_under(&state, &Page::new("https://example.com/x").with_html(html))
        };
        let neutral = Policy::default();
        let no_archive = neutral.decide_under(
            &neutral.robots(RobotsFetch::Status(404)),
            &Page::new("https://example.com/x").with_html(b"<meta name=robots content=noarchive>"),
        );
        let decisions = [
            decide(b"", b""),
            decide(b"", b"<meta name=robots content=none>"),
            decide(b"User-agent: *\nDisallow: /", b""),
            no_archive,
        ];
        for expectation in ALL {
            assert!(
                decisions
                    .iter()
                    .any(|decision| expectation.is_met_by(decision)),
                "{}",
                expectation.name()
            );
        }
        let index: Expectation = "noindex".parse().unwrap();
        assert!(!index.is_met_by(&decisions[2]), "its URL may be listed");
        assert!("no-index".parse::<Expectation>().is_err());
    }
}
