//! Expected answers of `robots why` (`--expect`).

use robots_policy::Decision;
use robots_policy::decision::Field;

/// An expected answer: its word, and the value of a field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expectation {
    word: &'static str,
    field: Field,
    value: &'static str,
}

const fn of(word: &'static str, field: Field, value: &'static str) -> Expectation {
    Expectation { word, field, value }
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
    /// Reads the word of an expectation.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        ALL.into_iter()
            .find(|expectation| expectation.word == text)
            .ok_or_else(|| format!("expected one of {}", words()))
    }

    /// Returns the long help of the option.
    pub(crate) fn help() -> String {
        format!(
            "Exit with code 1 unless each robot has these answers\n\nOne of {}.\n\nAn answer that is not known meets none. A page that may not be fetched can still be listed by its URL, so it does not meet noindex. Some engines do not obey every directive (Baidu documents no noindex): name the robots that matter with --agent or --profile.",
            words()
        )
    }

    pub(crate) fn word(self) -> &'static str {
        self.word
    }

    pub(crate) fn field(self) -> Field {
        self.field
    }

    /// Returns whether a decision has the expected answer.
    pub(crate) fn is_met_by(self, decision: &Decision) -> bool {
        self.field.text(decision) == self.value
    }
}

fn words() -> String {
    ALL.map(Expectation::word).join(", ")
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
                expectation.word()
            );
        }
        let index = Expectation::parse("noindex").unwrap();
        assert!(!index.is_met_by(&decisions[2]), "its URL may be listed");
        assert!(Expectation::parse("no-index").is_err());
    }
}
