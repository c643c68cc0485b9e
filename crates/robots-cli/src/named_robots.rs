//! The robots that robots.txt files name, and how many of them are asked about.

use robots_txt::parse::Field;
use robots_txt::select::product_token;
use robots_txt::{Dialect, RobotsTxt};
use std::collections::HashSet;

/// How many robots are asked about at once: for each, rules are compiled anew.
const MOST_ROBOTS: usize = 1_000;

/// The product tokens of all lines that a dialect reads as `User-agent`, as they are written: each as often as it stands
/// there.
pub(crate) fn named<'a>(
    robots: &'a RobotsTxt,
    dialect: &'a Dialect,
) -> impl Iterator<Item = String> + use<'a> {
    robots
        .directives(dialect)
        .filter(|directive| directive.field() == Field::UserAgent)
        .map(|directive| {
            let value = String::from_utf8_lossy(directive.line().value()).into_owned();
            product_token(&value).to_owned()
        })
}

/// The robot that nobody names, and these, each once: no more than [`MOST_ROBOTS`], which is told.
pub(crate) fn with_everyone(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::from(["*".to_owned(), String::new()]);
    let mut all = vec!["*".to_owned()];
    all.extend(
        names
            .into_iter()
            .filter(|name| seen.insert(name.to_ascii_lowercase())),
    );
    if all.len() > MOST_ROBOTS {
        anstream::eprintln!(
            "warning: too many named robots; only the first {MOST_ROBOTS} are considered"
        );
        all.truncate(MOST_ROBOTS);
    }
    all
}
