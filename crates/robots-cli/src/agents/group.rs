//! A group for robots.txt that disallows the robots with certain purposes.

use crate::terminal::{filled, printable, with_commas};
use robots_policy::profile::{KnownAgent, Obeys, Purpose};
use std::fmt::{self, Write};

/// The maximum length of a comment line, in bytes.
const WIDTH: usize = 100;

/// The robots that a group names, and those that it leaves out.
pub(super) struct Group<'t> {
    purposes: Vec<&'static str>,
    named: Vec<&'t KnownAgent>,
    /// Robots without a source. The group names them only if `names_unverified`.
    unverified: Vec<&'t KnownAgent>,
    /// Robots that also serve a search index, which the purposes do not include. The group leaves them out.
    searching: Vec<&'t KnownAgent>,
    names_unverified: bool,
}

impl<'t> Group<'t> {
    /// Sorts robots that have one of these purposes into those that the group names and those that it leaves out.
    pub(super) fn new(
        robots: &[&'t KnownAgent],
        purposes: &[Purpose],
        names_unverified: bool,
    ) -> Self {
        let forbids_search = purposes.contains(&Purpose::Search);
        let (searching, others): (Vec<_>, Vec<_>) = robots
            .iter()
            .copied()
            .partition(|robot| !forbids_search && robot.purposes.contains(&Purpose::Search));
        let (named, unverified) = others.into_iter().partition(|robot| robot.is_sourced());
        let mut names: Vec<&str> = Vec::new();
        for purpose in purposes {
            if !names.contains(&purpose.name()) {
                names.push(purpose.name());
            }
        }
        Self {
            purposes: names,
            named,
            unverified,
            searching,
            names_unverified,
        }
    }

    /// Returns whether the group does not name any robot.
    pub(super) fn is_empty(&self) -> bool {
        self.named.is_empty() && (self.unverified.is_empty() || !self.names_unverified)
    }

    /// Returns the group, with comments that name the purposes, the day of the table and the robots
    /// that it leaves out.
    pub(super) fn text(&self, date: &str) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text, date);
        text
    }

    fn write(&self, text: &mut String, date: &str) -> fmt::Result {
        writeln!(
            text,
            "# Robots for {}, by the table of {} (robots agents)",
            self.purposes.join(", "),
            printable(date)
        )?;
        let ignoring = self.tokens_of(|robot| robot.obeys == Obeys::No);
        comment(
            text,
            "These do not obey robots.txt, by their vendors: ",
            &ignoring,
        )?;
        if !self.names_unverified {
            let left_out: Vec<_> = self.unverified.iter().map(|robot| &*robot.token).collect();
            comment(text, "Left out, as they were not verified: ", &left_out)?;
        }
        let searching: Vec<_> = self.searching.iter().map(|robot| &*robot.token).collect();
        comment(text, "Left out, as they are for search too: ", &searching)?;
        for robot in &self.named {
            writeln!(text, "User-agent: {}", printable(&robot.token))?;
        }
        if self.names_unverified && !self.unverified.is_empty() {
            writeln!(text, "# Not verified:")?;
            for robot in &self.unverified {
                writeln!(text, "User-agent: {}", printable(&robot.token))?;
            }
        }
        writeln!(text, "Disallow: /")
    }

    /// Returns the tokens of the named robots that a test accepts.
    fn tokens_of(&self, accepts: impl Fn(&KnownAgent) -> bool) -> Vec<&'t str> {
        let unverified = self.unverified.iter().filter(|_| self.names_unverified);
        let all = self.named.iter().chain(unverified);
        all.filter(|robot| accepts(robot))
            .map(|robot| &*robot.token)
            .collect()
    }
}

/// Writes a list as comment lines; nothing if it is empty.
fn comment(text: &mut String, start: &str, tokens: &[&str]) -> fmt::Result {
    if tokens.is_empty() {
        return Ok(());
    }
    let start = format!("# {start}");
    for line in filled(with_commas(tokens), WIDTH, &start, "#   ") {
        writeln!(text, "{line}")?;
    }
    Ok(())
}
