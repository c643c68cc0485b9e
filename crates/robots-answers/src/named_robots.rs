//! The robots that robots.txt files name.

use robots_txt::parse::Field;
use robots_txt::{Dialect, RobotsTxt};
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of robots that are considered: the rules are compiled for each.
pub const MAX_ROBOTS: usize = 1_000;

/// Robots, each once, up to [`MAX_ROBOTS`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DistinctRobots {
    /// The names: `*` is the first.
    pub names: Vec<String>,
    /// Whether there were more than [`MAX_ROBOTS`]. The rest is left out.
    pub is_cut: bool,
}

/// Returns the robots that the `User-agent` lines of a file name by the rule of a dialect, with repetitions.
pub fn named_robots<'a>(
    robots: &'a RobotsTxt,
    dialect: &'a Dialect,
) -> impl Iterator<Item = String> + use<'a> {
    robots
        .directives(dialect)
        .filter(|directive| directive.field() == Field::UserAgent)
        .flat_map(|directive| dialect.named_robots(directive.line().value()))
        .map(Cow::into_owned)
}

impl DistinctRobots {
    /// Returns `*` and these names, each once, without regard to case.
    pub fn with_star(names: impl IntoIterator<Item = String>) -> Self {
        // `*` comes first, and an empty name is not a robot.
        let mut seen = HashSet::from(["*".to_owned(), String::new()]);
        let mut all = vec!["*".to_owned()];
        all.extend(
            names
                .into_iter()
                .filter(|name| seen.insert(name.to_ascii_lowercase()))
                // Together with `*`, one more than the maximum: it shows that there are too many.
                .take(MAX_ROBOTS),
        );
        let is_cut = all.len() > MAX_ROBOTS;
        all.truncate(MAX_ROBOTS);
        Self { names: all, is_cut }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_have_a_maximum_number() {
        // Together with `*`, these are one more.
        for (others, is_cut) in [
            (MAX_ROBOTS - 2, false),
            (MAX_ROBOTS - 1, false),
            (MAX_ROBOTS, true),
        ] {
            let names = (0..others).map(|number| format!("Bot{number}"));
            let robots = DistinctRobots::with_star(names);
            let number = (others + 1).min(MAX_ROBOTS);
            assert_eq!((robots.names.len(), robots.is_cut), (number, is_cut));
        }
        let robots = DistinctRobots::with_star(["A", "a", "", "*"].map(str::to_owned));
        assert_eq!(robots.names, ["*", "A"]);
    }
}
