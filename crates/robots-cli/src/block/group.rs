//! The robots to block, and a group for robots.txt that disallows them.

use crate::terminal::{filled, printable, with_commas};
use anyhow::{Result, bail};
use robots_policy::profile::{AgentTable, KnownAgent, Obeys, Purpose};
use robots_policy::text::nearest;

/// The maximum length of a comment line, in bytes.
const WIDTH: usize = 100;

/// The robots that arguments name, in the order of the table.
pub(crate) struct Selection<'t> {
    /// The purposes and the product tokens, as the table spells them.
    names: Vec<&'t str>,
    date: &'t str,
    /// The robots to block.
    robots: Vec<Selected<'t>>,
    /// Robots with one of the purposes that also serve a search index.
    searching: Vec<&'t KnownAgent>,
    /// Robots with one of the purposes whose facts are not verified.
    unverified: Vec<&'t KnownAgent>,
    /// Robots that collect data with which others train, where training is a purpose.
    collecting: Vec<&'t KnownAgent>,
}

/// A robot to block.
#[derive(Clone, Copy)]
struct Selected<'t> {
    robot: &'t KnownAgent,
    /// Whether it is only blocked because unverified facts count.
    is_unverified: bool,
}

impl<'t> Selection<'t> {
    /// Finds the robots of purposes, and those with product tokens. Robots of a purpose that also serve a search index count
    /// only if search is a purpose, those without a source only with `with_unverified`; `option` is the name of that in messages.
    ///
    /// # Errors
    ///
    /// If a name is neither a purpose nor a product token, or if no robot is left.
    pub(crate) fn new(
        what: &[String],
        table: &'t AgentTable,
        with_unverified: bool,
        option: &str,
    ) -> Result<Self> {
        let mut names = Vec::new();
        let (mut purposes, mut tokens) = (Vec::new(), Vec::new());
        for name in what {
            let found = if let Ok(purpose) = name.parse::<Purpose>() {
                purposes.push(purpose);
                purpose.name()
            } else if let Some(robot) = table.get(name) {
                tokens.push(&*robot.token);
                &*robot.token
            } else {
                bail!("unknown purpose or robot {name:?}{}", meant(table, name));
            };
            if !names.contains(&found) {
                names.push(found);
            }
        }
        let mut selection = Self {
            names,
            date: table.date(),
            robots: Vec::new(),
            searching: Vec::new(),
            unverified: Vec::new(),
            collecting: Vec::new(),
        };
        let forbids_training = purposes.contains(&Purpose::AiTrain);
        let forbids_search = purposes.contains(&Purpose::Search);
        for robot in table.iter() {
            let mut is_unverified = false;
            if !tokens.contains(&&*robot.token) {
                if !robot.has_purpose(&purposes) {
                    if forbids_training && robot.has_purpose(&[Purpose::Dataset]) {
                        selection.collecting.push(robot);
                    }
                    continue;
                }
                if !forbids_search && robot.has_purpose(&[Purpose::Search]) {
                    selection.searching.push(robot);
                    continue;
                }
                is_unverified = !robot.is_sourced();
                if is_unverified && !with_unverified {
                    selection.unverified.push(robot);
                    continue;
                }
            }
            selection.robots.push(Selected {
                robot,
                is_unverified,
            });
        }
        if selection.robots.is_empty() {
            let hint = if selection.unverified.is_empty() {
                String::new()
            } else {
                format!("; {option} blocks those whose facts are not verified")
            };
            bail!("no robot to block for {}{hint}", selection.names.join(", "));
        }
        Ok(selection)
    }

    /// Returns the robots to block.
    pub(crate) fn robots(&self) -> impl Iterator<Item = &'t KnownAgent> {
        self.robots.iter().map(|selected| selected.robot)
    }

    /// Returns the group for the robots of a selection that `is_named` accepts. Comments have the arguments, the day of the
    /// table and the robots that are left out.
    pub(crate) fn group(&self, is_named: impl Fn(&KnownAgent) -> bool) -> String {
        let robots = self.robots.iter().copied();
        let robots: Vec<Selected> = robots.filter(|one| is_named(one.robot)).collect();
        let of = |unverified| {
            let some = robots
                .iter()
                .filter(move |one| one.is_unverified == unverified);
            some.map(|one| one.robot).collect::<Vec<_>>()
        };
        let [sourced, unverified] = [false, true].map(of);
        let mut ignoring = [&sourced[..], &unverified].concat();
        ignoring.retain(|robot| robot.obeys == Obeys::No);
        let mut text = format!(
            "# robots block {}, by the table of {}\n",
            self.names.join(" "),
            printable(self.date)
        );
        for (start, listed) in [
            (
                "These do not obey robots.txt, by their vendors: ",
                &ignoring,
            ),
            ("Left out, as they were not verified: ", &self.unverified),
            ("Left out, as they are for search too: ", &self.searching),
            (
                "Left out, though others train with what they collect (purpose dataset): ",
                &self.collecting,
            ),
        ] {
            text.push_str(&comment(start, listed));
        }
        text.push_str(&user_agents(&sourced));
        if !unverified.is_empty() {
            text.push_str("# Not verified:\n");
            text.push_str(&user_agents(&unverified));
        }
        text + "Disallow: /\n"
    }
}

/// Returns the end of an error about an unknown name: what was probably meant.
fn meant(table: &AgentTable, name: &str) -> String {
    let purposes = || Purpose::NAMES.iter().copied();
    let word = name.to_ascii_lowercase();
    let mut meant: Vec<&str> = purposes()
        .filter(|purpose| purpose.starts_with(&word))
        .collect();
    if meant.is_empty() {
        // Also another form of the word: ai-training.
        let stem = word.strip_suffix("ing").unwrap_or(&word);
        let near = nearest(name, purposes()).or_else(|| nearest(stem, purposes()));
        meant.extend(near);
    }
    if !meant.is_empty() {
        return format!("; did you mean {}?", meant.join(", "));
    }
    let named: Vec<&str> = table
        .named(name)
        .iter()
        .map(|robot| &*robot.token)
        .collect();
    if !named.is_empty() {
        // An operator, or a User-Agent header.
        return format!(": name its robots: {}", named.join(", "));
    }
    table.hint(name).unwrap_or_else(|| {
        let purposes = Purpose::NAMES.join(", ");
        format!(": expected the name of a known robot, or a purpose ({purposes})")
    })
}

fn user_agents(robots: &[&KnownAgent]) -> String {
    let mut text = String::new();
    for token in robots.iter().flat_map(|robot| robot.tokens()) {
        text.extend(["User-agent: ", token, "\n"]);
    }
    text
}

/// Returns a list as comment lines; nothing if it is empty.
fn comment(start: &str, robots: &[&KnownAgent]) -> String {
    if robots.is_empty() {
        return String::new();
    }
    let tokens: Vec<&str> = robots.iter().map(|robot| &*robot.token).collect();
    let start = format!("# {start}");
    filled(with_commas(&tokens), WIDTH, &start, "#   ").join("\n") + "\n"
}
