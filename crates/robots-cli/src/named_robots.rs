//! The robots that robots.txt files name.

use robots_txt::parse::Field;
use robots_txt::{Dialect, RobotsTxt};
use std::borrow::Cow;
use std::collections::HashSet;

/// The maximum number of robots that are considered: the rules are compiled for each.
const MAX_ROBOTS: usize = 1_000;

/// Returns the robots that the `User-agent` lines of a file name by the rule of a dialect, with repetitions.
pub(crate) fn named_robots<'a>(
    robots: &'a RobotsTxt,
    dialect: &'a Dialect,
) -> impl Iterator<Item = String> + use<'a> {
    robots
        .directives(dialect)
        .filter(|directive| directive.field() == Field::UserAgent)
        .flat_map(|directive| dialect.named_robots(directive.line().value()))
        .map(Cow::into_owned)
}

/// Returns `*` and these names, each once. Warns if they are more than [`MAX_ROBOTS`], and leaves out the rest.
pub(crate) fn with_star(names: impl IntoIterator<Item = String>) -> Vec<String> {
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
    if all.len() > MAX_ROBOTS {
        notice!("warning: too many named robots; only the first {MAX_ROBOTS} are considered");
        all.truncate(MAX_ROBOTS);
    }
    all
}
