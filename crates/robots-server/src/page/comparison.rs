//! What changes between two versions of a robots.txt: the decisions of robots, and the text.

use super::file::line_text;
use super::mark::Mark;
use super::plain::counted;
use crate::problem::Problem;
use crate::work::Cancelled;
use indexmap::IndexMap;
use maud::{Markup, PreEscaped, html};
use robots_answers::diff::{RobotDiff, compared_robots, diffs};
use robots_answers::named_robots::MAX_ROBOTS;
use robots_policy::profile::AgentTable;
use robots_policy::text::{joined, printable, shortened, thousands};
use robots_txt::{Agent, RobotsTxt};
use similar::{Change, ChangeTag, TextDiff};
use std::borrow::Cow;
use std::time::Duration;

/// The maximum number of changes of a robot that are shown.
const MAX_CHANGES: usize = 100;

/// The maximum number of changes that are shown. Those that several robots have in common count once.
const MAX_ALL_CHANGES: usize = 1_000;

/// The maximum number of characters that are shown of a path or a rule.
const MAX_CHARS: usize = 500;

/// The maximum number of lines of the difference that are shown.
pub(super) const MAX_LINES: usize = 400;

/// The number of unchanged lines that are shown around a changed one.
const CONTEXT_LINES: usize = 3;

/// The maximum time to search for the shortest difference. After it, a longer one is accepted.
const TIMEOUT: Duration = Duration::from_millis(500);

/// The decisions that change between two versions, for the robots that one of them concerns, each as its operator reads.
#[derive(Debug)]
pub(super) struct Comparison {
    /// The robots with the same changes, by the list of these as HTML.
    groups: IndexMap<String, Vec<String>>,
    /// The number of changes that can still be shown.
    room: usize,
    /// The number of robots that may fetch a path which they might not before.
    more: usize,
    /// The number of robots that may not fetch a path which they might before.
    less: usize,
    /// The number of robots with any change.
    changed: usize,
    /// Whether the files name more robots than are compared.
    is_cut: bool,
    /// Whether every path was considered for the robots that are compared.
    is_complete: bool,
}

impl Comparison {
    /// Compares an old and a new version.
    pub(super) fn of(versions: &[RobotsTxt; 2], cancelled: &Cancelled) -> Result<Self, Problem> {
        let table = AgentTable::built_in();
        let robots = compared_robots(versions, table, None);
        let agents = robots.names.iter().map(|name| table.agent(name));
        let agents: Vec<Agent<'static>> = agents.collect();
        let mut comparison = Self {
            groups: IndexMap::new(),
            room: MAX_ALL_CHANGES,
            more: 0,
            less: 0,
            changed: 0,
            is_cut: robots.is_cut,
            is_complete: true,
        };
        for diff in diffs(versions, &agents, None) {
            cancelled.check()?;
            comparison.is_complete &= diff.changes.is_complete();
            if diff.is_reported() {
                comparison.add(diff);
            }
        }
        Ok(comparison)
    }

    /// Adds the changes of a robot. Those that are not shown are not kept.
    fn add(&mut self, diff: RobotDiff) {
        let has = |is_allowed: bool| {
            let mut changes = diff.changes.iter();
            changes.any(|change| change.after().is_allowed() == is_allowed)
        };
        let [more, less] = [true, false].map(|is_allowed| usize::from(has(is_allowed)));
        self.more += more;
        self.less += less;
        self.changed += usize::from(diff.has_changes());
        let shown = self.room.min(MAX_CHANGES).min(diff.changes.iter().len());
        let list = changes(&diff, shown).into_string();
        if !self.groups.contains_key(&list) {
            self.room -= shown;
        }
        self.groups.entry(list).or_default().push(diff.agent);
    }

    /// Returns whether every answer was compared. If not, robots without a change may have one.
    fn is_whole(&self) -> bool {
        self.is_complete && !self.is_cut
    }

    /// Returns the answer in words.
    pub(super) fn headline(&self) -> String {
        let headline = match (self.more, self.less) {
            (0, 0) if self.changed == 0 && self.is_whole() => {
                "No robot gets another answer".to_owned()
            }
            (0, 0) if self.changed == 0 => "No change was found".to_owned(),
            (0, 0) => format!(
                "{} asked for another pause between requests",
                are(self.changed)
            ),
            (more, 0) if self.is_whole() => {
                format!("{} may fetch more, and none less", robots(more))
            }
            (0, less) if self.is_whole() => {
                format!("{} may fetch less, and none more", robots(less))
            }
            (more, 0) => format!("{} may fetch more", robots(more)),
            (0, less) => format!("{} may fetch less", robots(less)),
            (more, less) => format!("{} may fetch more, and {less} less", robots(more)),
        };
        if self.is_whole() {
            headline
        } else {
            format!("{headline}; not every answer was compared")
        }
    }

    /// Returns the section about the decisions that change.
    pub(super) fn section(&self) -> Markup {
        html! {
            section id="decisions" aria-labelledby="decisions-heading" {
                h2 id="decisions-heading" { "Decisions that change" }
                @if self.groups.is_empty() && self.is_whole() {
                    p { "Every path has the same answer for every robot in both versions." }
                }
                @else {
                    p class="note" { "Each known robot reads both versions as its operator does, any other as RFC 9309 says." }
                }
                @for (list, agents) in &self.groups {
                    @let names: Vec<&str> = agents.iter().map(|agent| if agent == "*" { "Any robot" } else { agent }).collect();
                    h3 { (printable(&joined(&names))) }
                    (PreEscaped(list.as_str()))
                }
                @if self.groups.is_empty() && !self.is_whole() {
                    p { "No change was found for the robots that are compared." }
                }
                @if self.is_cut { p class="note" { "The files and the table of known robots have more robots to compare than the " (thousands(&MAX_ROBOTS.to_string())) " that are compared." } }
            }
        }
    }
}

/// Returns a number of robots.
fn robots(number: usize) -> String {
    counted(number, "robot")
}

fn are(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb}", robots(number))
}

/// Returns the changes for a robot, up to a number.
fn changes(diff: &RobotDiff, shown: usize) -> Markup {
    let left_out = diff.changes.iter().len() - shown;
    html! {
        ul class="changes" {
            @for change in diff.changes.iter().take(shown) {
                @let (mark, text) = if change.after().is_allowed() { (Mark::Yes, "allowed now") } else { (Mark::No, "disallowed now") };
                li {
                    (mark.with_words(text)) " " code { (printable(&shortened(change.path(), MAX_CHARS))) }
                    span class="who" { "Before: " (printable(&shortened(&change.before().to_string(), MAX_CHARS))) }
                    span class="who" { "Now: " (printable(&shortened(&change.after().to_string(), MAX_CHARS))) }
                }
            }
            @if left_out > 0 { li class="note" { (not_listed(left_out)) } }
            @if let Some(delay) = diff.crawl_delay_text() { li { (delay) } }
            @if !diff.changes.is_complete() {
                li class="note" { "There may be more changes: there are too many rules to consider every path." }
            }
        }
    }
}

fn not_listed(number: usize) -> String {
    let verb = if number == 1 { "is" } else { "are" };
    format!("{} {verb} not listed.", counted(number, "more change"))
}

/// Returns the lines of a file without their ends, which are those of a form in a pasted text.
fn lines_of(file: &RobotsTxt) -> Vec<Cow<'_, str>> {
    let lines = file.lines().map(|line| text_of(line.bytes()));
    let mut lines: Vec<_> = lines.collect();
    // After the end of the last line, a line without text begins.
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    lines
}

fn text_of(line: &[u8]) -> Cow<'_, str> {
    let end = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    String::from_utf8_lossy(&line[..end.map_or(0, |end| end + 1)])
}

/// Returns the section about the lines that change.
pub(super) fn text(old: &RobotsTxt, new: &RobotsTxt) -> Markup {
    let [before, after] = [old, new].map(lines_of);
    let [before, after] =
        [&before, &after].map(|lines| -> Vec<&str> { lines.iter().map(|line| &**line).collect() });
    let diff = TextDiff::configure()
        .timeout(TIMEOUT)
        .diff_slices(&before, &after);
    // Each line with its group, between which are lines without changes.
    let groups = diff.grouped_ops(CONTEXT_LINES);
    let groups = groups.iter().enumerate();
    let lines = groups.flat_map(|(group, ops)| {
        let changes = ops.iter().flat_map(|op| diff.iter_changes(op));
        changes.map(move |change| (group, change))
    });
    let lines: Vec<_> = lines.take(MAX_LINES + 1).collect();
    let mut last = 0;
    html! {
        section id="lines" aria-labelledby="lines-heading" {
            h2 id="lines-heading" { "Lines that change" }
            @if lines.is_empty() {
                p { "The two versions have the same lines." }
            } @else {
                p class="note" { "Removed lines begin with −, added lines with +." }
                ol class="file" {
                    @for (group, change) in lines.iter().take(MAX_LINES) {
                        @if std::mem::replace(&mut last, *group) != *group { (gap("Lines without changes.")) }
                        (one(change))
                    }
                    @if lines.len() > MAX_LINES { (gap("Further lines are not shown.")) }
                }
            }
        }
    }
}

/// Returns a line of the difference: its sign, its number in its version, and its text.
fn one(change: &Change<&str>) -> Markup {
    let (class, sign, index) = match change.tag() {
        ChangeTag::Delete => (Some("removed"), "−", change.old_index()),
        ChangeTag::Insert => (Some("added"), "+", change.new_index()),
        ChangeTag::Equal => (None, "", change.new_index()),
    };
    let number = index.map_or(0, |index| index + 1);
    html! {
        li class=[class] {
            span class="number" { (sign) (number) }
            (line_text(change.value().as_bytes()))
        }
    }
}

fn gap(text: &str) -> Markup {
    html! {
        li class="gap" {
            span class="number" aria-hidden="true" { "…" }
            span { (text) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write;

    fn versions(old: &str, new: &str) -> [RobotsTxt; 2] {
        [old, new].map(RobotsTxt::parse)
    }

    #[test]
    fn lines_are_compared_without_their_ends() {
        let [old, new] = versions("a\nb\n\nc", "a\r\nb\r\n\r\nc\r\n");
        let html = text(&old, &new).into_string();
        assert!(
            html.contains("The two versions have the same lines."),
            "{html}"
        );
        let [old, new] = versions("a\nb\n\nc", "a\r\nb\r\n\r\nd\r\n");
        let html = text(&old, &new).into_string();
        assert!(
            html.contains("−4</span>") && html.contains("+4</span>"),
            "{html}"
        );
        assert_eq!(html.matches("class=\"added\"").count(), 1, "{html}");
    }

    /// Returns the section about files that differ in the rules of some robots: each has as many changes.
    fn section(robots: usize, changes: usize) -> String {
        let mut new = String::new();
        for robot in 0..robots {
            writeln!(new, "User-agent: Bot{robot}").unwrap();
            for rule in 0..changes {
                writeln!(new, "Disallow: /{robot}-{rule}/").unwrap();
            }
        }
        let comparison = Comparison::of(&versions("", &new), &Cancelled::default()).unwrap();
        comparison.section().into_string()
    }

    /// Returns the headline of a comparison, and its section.
    fn compared(old: &str, new: &str) -> (String, String) {
        let comparison = Comparison::of(&versions(old, new), &Cancelled::default()).unwrap();
        (comparison.headline(), comparison.section().into_string())
    }

    #[test]
    fn what_was_not_compared_is_not_called_unchanged() {
        let all = "Every path has the same answer";
        let (headline, section) = compared(
            "User-agent: a\nDisallow: /x",
            "User-agent: a\nDisallow: /x\n",
        );
        assert_eq!(headline, "No robot gets another answer");
        assert!(section.contains(all));
        // More robots than are compared.
        let mut named = String::new();
        for robot in 0..=MAX_ROBOTS {
            writeln!(named, "User-agent: Bot{robot}\nDisallow: /a").unwrap();
        }
        let (headline, section) = compared(&named, &named);
        assert_eq!(
            headline,
            "No change was found; not every answer was compared"
        );
        assert!(
            !section.contains(all) && section.contains("more robots to compare"),
            "{section}"
        );
        let (headline, _) = compared(&named, &named.replacen("Disallow: /a", "Disallow: /", 1));
        assert_eq!(
            headline,
            "1 robot may fetch less; not every answer was compared"
        );
        // More rules with wildcards than are searched.
        let mut rules = String::from("User-agent: *\n");
        for rule in 0..300 {
            writeln!(rules, "Disallow: /*{rule}*a*b*c*{rule}").unwrap();
        }
        let (headline, section) = compared(&rules, &rules.replacen("*7*", "*7x*", 1));
        assert!(
            !headline.contains("No robot") && !headline.contains("none"),
            "{headline}"
        );
        assert!(!section.contains(all), "{section}");
    }

    #[test]
    fn changes_have_maximum_numbers() {
        let listed = |html: &str| html.matches("disallowed now").count();
        let robots = MAX_ALL_CHANGES / MAX_CHANGES;
        let html = section(robots, MAX_CHANGES);
        assert_eq!(listed(&html), MAX_ALL_CHANGES);
        assert!(!html.contains("not listed"), "{html}");
        let html = section(1, MAX_CHANGES + 1);
        assert_eq!(listed(&html), MAX_CHANGES);
        assert!(html.contains("1 more change is not listed"), "{html}");
        let html = section(robots + 1, MAX_CHANGES);
        assert_eq!(listed(&html), MAX_ALL_CHANGES);
        assert!(html.contains("100 more changes are not listed"), "{html}");
    }

    #[test]
    fn long_paths_are_cut() {
        let of = |chars: usize| {
            let new = format!("User-agent: *\nDisallow: /{}\n", "a".repeat(chars - 1));
            let comparison = Comparison::of(&versions("", &new), &Cancelled::default());
            comparison.unwrap().section().into_string()
        };
        assert!(!of(MAX_CHARS).contains("a…</code>"));
        assert!(of(MAX_CHARS + 1).contains("a…</code>"));
    }
}
