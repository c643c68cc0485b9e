//! An index of the names in `User-agent` lines: many robots find their groups without a walk over
//! the file for each.
//!
//! One walk keeps the groups' rules and delays, and each name with its lines. Then a robot costs a
//! look-up for each of its names, and its own lines. Under the dialects that compare parts of names
//! it costs up to one pass over all names. The groups are those of [`read_obeyed`](super::group::read_obeyed).

use crate::dialect::{AgentMatch, Dialect, GroupChoice};
use crate::parse::field::Field;
use crate::select::agent::{
    Agent, characters, is_in_words, is_star, key_of_line, key_of_robot, names,
};
use crate::select::group::{Grouping, Membership};
use crate::select::robot_version::RobotVersion;
use crate::select::view::{View, ViewLine};
use memchr::memmem;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;

/// The groups of a file and the names of their robots.
pub(crate) struct AgentIndex<'a> {
    body: &'a [u8],
    dialect: &'a Dialect,
    groups: Vec<IndexedGroup>,
    /// The rules of all groups, in order.
    rules: Vec<ViewLine>,
    /// The delays of all groups, in order.
    delays: Vec<Delay>,
    /// The `User-agent` lines, in order.
    agents: Vec<AgentLine>,
    names: Names,
    /// The indices of the agent lines of default groups.
    default_lines: Vec<u32>,
}

/// A group, as rules need it.
pub(crate) struct IndexedGroup {
    /// The range of its rules in [`AgentIndex::rules`].
    rules: Range<u32>,
    /// The range of its delays in [`AgentIndex::delays`].
    delays: Range<u32>,
    /// Whether it has Conner's version 2.0; `None` before its first known field.
    is_version_2: Option<bool>,
    /// The index of the last run of its `User-agent` lines. What ends a run: see
    /// [`Group::directives`](super::group::Group::directives).
    last_run: u32,
    /// Whether a directive has ended that run.
    has_run_ended: bool,
}

/// A delay, and the index of the run of `User-agent` lines that it follows.
#[derive(Clone, Copy)]
struct Delay {
    line: ViewLine,
    run: u32,
}

/// A `User-agent` line.
#[derive(Clone, Copy)]
struct AgentLine {
    /// `None` for the group of the rules before the first such line.
    line: Option<ViewLine>,
    /// The index of its group.
    group: u32,
    /// The index of its run in the group.
    run: u32,
}

/// The `User-agent` lines that select groups for a robot.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Selection {
    /// The lines with these names, which are indices in [`Names`].
    Named(SmallVec<[u32; 2]>),
    /// The lines of the default groups.
    Default,
    /// None: no group applies to the robot.
    Nothing,
}

/// A group that a robot obeys.
pub(crate) struct SelectedGroup {
    /// Its index.
    pub(crate) group: u32,
    /// The first line that names the robot.
    pub(crate) agent_line: Option<ViewLine>,
    /// The indices of the runs of `User-agent` lines that name it, in order.
    runs: SmallVec<[u32; 1]>,
}

impl<'a> AgentIndex<'a> {
    /// Reads the groups of a file as a dialect sees them. Linear in the file.
    pub(crate) fn new(view: View<'a>) -> Self {
        let (body, dialect) = (view.body(), view.dialect);
        let records = view.records();
        Self::of_lines(view.for_groups(records.as_deref()), body, dialect)
    }

    /// Reads all `User-agent` lines of a file, those without effect too. Linear in the file.
    pub(crate) fn of_all_lines(view: View<'a>) -> Self {
        let (body, dialect) = (view.body(), view.dialect);
        Self::of_lines(view, body, dialect)
    }

    fn of_lines(view: View<'_>, body: &'a [u8], dialect: &'a Dialect) -> Self {
        let mut index = Self {
            body,
            dialect,
            groups: Vec::new(),
            rules: Vec::new(),
            delays: Vec::new(),
            agents: Vec::new(),
            names: Names::new(dialect.agent_match),
            default_lines: Vec::new(),
        };
        let mut grouping = Grouping::new(dialect);
        for line in view {
            let membership = grouping.assign(line.field);
            if membership == Membership::New {
                index.begin_group(line.field);
            }
            if membership != Membership::None {
                index.add(line);
            }
        }
        index
    }

    fn begin_group(&mut self, field: Option<Field>) {
        let [rules, delays] = [self.rules.len(), self.delays.len()].map(number);
        self.groups.push(IndexedGroup {
            rules: rules..rules,
            delays: delays..delays,
            is_version_2: None,
            last_run: 0,
            has_run_ended: false,
        });
        if field != Some(Field::UserAgent) {
            self.default_lines.push(number(self.agents.len()));
            self.agents.push(AgentLine {
                line: None,
                group: number(self.groups.len() - 1),
                run: 0,
            });
        }
    }

    /// Adds a line to the last group.
    fn add(&mut self, line: ViewLine) {
        let Some(group) = self.groups.last_mut() else {
            return;
        };
        RobotVersion::note(&mut group.is_version_2, &line, self.body);
        match line.field {
            Some(Field::UserAgent) => {
                if std::mem::take(&mut group.has_run_ended) {
                    group.last_run += 1;
                }
                let run = group.last_run;
                let group = number(self.groups.len() - 1);
                self.add_agent(line, group, run);
            }
            // A rule ends no run: the next `User-agent` line begins another group.
            Some(Field::Allow | Field::Disallow) => {
                self.rules.push(line);
                group.rules.end = number(self.rules.len());
            }
            Some(Field::CrawlDelay) => {
                group.has_run_ended = true;
                let run = group.last_run;
                self.delays.push(Delay { line, run });
                group.delays.end = number(self.delays.len());
            }
            field => group.has_run_ended |= field.is_some_and(Field::ends_run),
        }
    }

    /// Adds a `User-agent` line of a group, with its names.
    fn add_agent(&mut self, line: ViewLine, group: u32, run: u32) {
        let at = number(self.agents.len());
        for name in names(line.value(self.body), self.dialect) {
            if is_star(name, self.dialect.agent_match) {
                if self.default_lines.last() != Some(&at) {
                    self.default_lines.push(at);
                }
            } else {
                self.names.add(name, at);
            }
        }
        self.agents.push(AgentLine {
            line: Some(line),
            group,
            run,
        });
    }

    /// Returns whether a line has one of a robot's names; `*` does not count.
    pub(crate) fn names_robot(&self, agent: &Agent<'_>) -> bool {
        agent.names().any(|name| !self.names.find(name).is_empty())
    }

    /// Returns the lines with the nearest of a robot's names.
    pub(crate) fn select(&self, agent: &Agent<'_>) -> Selection {
        let mut names = agent.names().peekable();
        while let Some(name) = names.next() {
            let mut found = self.names.find(name);
            if self.dialect.group_choice == GroupChoice::LongestName
                && let Some(longest) = self.names.longest(&found)
            {
                found = SmallVec::from_slice(&[longest]);
                // `*` is a name of one character, and of two as long, the first in the file counts.
                let star = self.default_lines.first().filter(|_| agent.obeys_star());
                let characters = self.names.characters[longest as usize];
                if let Some(star) = star
                    && names.peek().is_none()
                    && (characters == 0
                        || characters == 1 && Some(star) < self.names.lines(longest).first())
                {
                    return Selection::Default;
                }
            }
            if !found.is_empty() {
                return Selection::Named(found);
            }
        }
        if agent.obeys_star() && !self.default_lines.is_empty() {
            Selection::Default
        } else {
            Selection::Nothing
        }
    }

    /// Returns the groups of the selected lines, in order; only the first if the dialect's
    /// [`GroupChoice`] says so.
    pub(crate) fn groups(&self, selection: &Selection) -> Vec<SelectedGroup> {
        let lines: Vec<u32> = match selection {
            Selection::Nothing => Vec::new(),
            Selection::Default => self.default_lines.clone(),
            Selection::Named(names) => {
                let mut lines: Vec<u32> = names
                    .iter()
                    .flat_map(|&name| self.names.lines(name))
                    .copied()
                    .collect();
                lines.sort_unstable();
                lines.dedup();
                lines
            }
        };
        let mut groups: Vec<SelectedGroup> = Vec::new();
        for line in lines {
            let agent = &self.agents[line as usize];
            match groups.last_mut() {
                Some(last) if last.group == agent.group => {
                    if last.runs.last() != Some(&agent.run) {
                        last.runs.push(agent.run);
                    }
                }
                _ => groups.push(SelectedGroup {
                    group: agent.group,
                    agent_line: agent.line,
                    runs: SmallVec::from_slice(&[agent.run]),
                }),
            }
        }
        match self.dialect.group_choice {
            GroupChoice::FirstOrAllDefault if *selection == Selection::Default => {}
            GroupChoice::First | GroupChoice::FirstOrAllDefault => groups.truncate(1),
            GroupChoice::All | GroupChoice::LongestName => {}
        }
        groups
    }

    /// Returns whether a group has Conner's version 2.0.
    pub(crate) fn is_version_2(&self, group: u32) -> bool {
        self.groups[group as usize].is_version_2 == Some(true)
    }

    /// Returns the rules of a group, in order.
    pub(crate) fn rules(&self, group: u32) -> impl ExactSizeIterator<Item = ViewLine> {
        let range = &self.groups[group as usize].rules;
        self.rules[range.start as usize..range.end as usize]
            .iter()
            .copied()
    }

    /// Returns the delays of a group that follow a run with the robot's name, in order.
    pub(crate) fn delays<'s>(
        &'s self,
        selected: &'s SelectedGroup,
    ) -> impl Iterator<Item = ViewLine> + 's {
        let range = &self.groups[selected.group as usize].delays;
        self.delays[range.start as usize..range.end as usize]
            .iter()
            .filter(|delay| selected.runs.binary_search(&delay.run).is_ok())
            .map(|delay| delay.line)
    }
}

/// Each name of the `User-agent` lines once, in the form in which it is compared, with its lines.
struct Names {
    how: AgentMatch,
    /// The index of each name.
    indices: HashMap<Vec<u8>, u32>,
    /// The indices of the lines of each name, in order.
    lines: Vec<SmallVec<[u32; 2]>>,
    /// The number of characters of each name.
    characters: Vec<u32>,
    /// The different lengths of the names, ascending. This field and the next two are only filled for
    /// dialects that compare parts of names.
    lengths: Vec<usize>,
    /// All names, each followed by a line feed, which no name has.
    text: Vec<u8>,
    /// The start of each name in the text.
    starts: Vec<usize>,
}

impl Names {
    fn new(how: AgentMatch) -> Self {
        Self {
            how,
            indices: HashMap::new(),
            lines: Vec::new(),
            characters: Vec::new(),
            lengths: Vec::new(),
            text: Vec::new(),
            starts: Vec::new(),
        }
    }

    /// Adds a name of a line.
    fn add(&mut self, name: &[u8], line: u32) {
        // Without a key, the name matches no robot.
        let Some(key) = key_of_line(name, self.how) else {
            return;
        };
        if let Some(&index) = self.indices.get(&key) {
            let lines = &mut self.lines[index as usize];
            if lines.last() != Some(&line) {
                lines.push(line);
            }
            return;
        }
        if matches!(
            self.how,
            AgentMatch::LineInName
                | AgentMatch::UnquotedLineInName
                | AgentMatch::LineInWords
                | AgentMatch::NameInLine
        ) {
            self.starts.push(self.text.len());
            self.text.extend(&key);
            self.text.push(b'\n');
            if let Err(at) = self.lengths.binary_search(&key.len()) {
                self.lengths.insert(at, key.len());
            }
        }
        self.characters.push(number(characters(&key)));
        self.indices.insert(key, number(self.lines.len()));
        self.lines.push(SmallVec::from_slice(&[line]));
    }

    /// Returns the indices of the lines of a name.
    fn lines(&self, name: u32) -> &[u32] {
        &self.lines[name as usize]
    }

    /// Returns the index of the longest of some names; the first in the file of several as long.
    fn longest(&self, names: &[u32]) -> Option<u32> {
        let length = |name: &u32| Reverse(self.characters[*name as usize]);
        names
            .iter()
            .copied()
            .min_by_key(|name| (length(name), *name))
    }

    /// Returns the indices of the names that match a robot's name.
    fn find(&self, robot: &str) -> SmallVec<[u32; 2]> {
        let Some(key) = key_of_robot(robot.as_bytes(), self.how) else {
            return SmallVec::new();
        };
        match self.how {
            AgentMatch::LineInName | AgentMatch::UnquotedLineInName | AgentMatch::LineInWords => {
                self.names_in(&key)
            }
            // A name with a line feed could match across two names in `text`.
            AgentMatch::NameInLine if key.contains(&b'\n') => SmallVec::new(),
            AgentMatch::NameInLine => self.names_with(&key),
            _ => self.indices.get(&key).copied().into_iter().collect(),
        }
    }

    /// Returns the names that are a part of a robot's name. Looks up each part of the robot's name, or
    /// tries each name, whichever is less work. Where the part must begin a word, tries each name.
    fn names_in(&self, robot: &[u8]) -> SmallVec<[u32; 2]> {
        let mut found = SmallVec::new();
        let lengths = self
            .lengths
            .partition_point(|&length| length <= robot.len());
        if lengths * robot.len() > self.lines.len() || self.how == AgentMatch::LineInWords {
            let names = self.indices.iter();
            found.extend(
                names
                    .filter(|(name, _)| match self.how {
                        AgentMatch::LineInWords => is_in_words(name, robot),
                        _ => memmem::find(robot, name).is_some(),
                    })
                    .map(|(_, index)| *index),
            );
        } else {
            for &length in &self.lengths[..lengths] {
                let parts = (0..=robot.len() - length).map(|at| &robot[at..at + length]);
                found.extend(parts.filter_map(|part| self.indices.get(part).copied()));
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the names that have a robot's name as a part.
    fn names_with(&self, robot: &[u8]) -> SmallVec<[u32; 2]> {
        let mut found = SmallVec::new();
        let finder = memmem::Finder::new(robot);
        let mut at = 0;
        while let Some(next) = finder.find(&self.text[at..]) {
            let after = self.starts.partition_point(|&start| start <= at + next);
            found.push(number(after - 1));
            // Resumes at the next name: one match in this name is enough.
            at = self.starts.get(after).copied().unwrap_or(self.text.len());
        }
        found
    }
}

/// Converts a count or index of lines, names or groups: all are less than the size of a body.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
