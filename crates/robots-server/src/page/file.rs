//! A robots.txt with numbered lines: the lines that decide answers, and findings at their lines.

use super::engines::Statements;
use super::findings::LintedFile;
use super::plain::{counted, cut};
use maud::{Markup, html};
use robots_lint::Severity;
use robots_policy::text::{printable, thousands};
use robots_txt::RobotsTxt;
use robots_txt::parse::Line;
use std::collections::BTreeSet;

/// The maximum number of lines that are shown. Of a longer file, the start and the lines around decisions and findings are.
pub(super) const MAX_LINES: usize = 400;

/// The number of lines that are shown at the start of a longer file.
const START_LINES: usize = 40;

/// The number of lines that are shown before and after a line with a decision or a finding.
const CONTEXT_LINES: usize = 3;

/// The maximum number of characters that are shown of a line.
pub(super) const MAX_LINE_CHARS: usize = 500;

/// Returns the lines of a file. Linear in the file.
pub(super) fn lines(
    robots: &RobotsTxt,
    statements: &Statements<'_>,
    linted: &LintedFile,
) -> Markup {
    let deciding: BTreeSet<usize> = statements.lines().collect();
    // After the end of the last line, a line without text begins.
    let last_line = robots
        .lines()
        .filter(|line| !line.bytes().is_empty())
        .last();
    let all = last_line.map_or(0, |line| line.number());
    let shown = shown_lines(all, deciding.iter().copied(), linted.lines());
    let mut last = 0_usize;
    let mut items = Vec::new();
    for line in robots
        .lines()
        .take(all)
        .filter(|line| shown.contains(&line.number()))
    {
        items.extend(gap(last, line.number(), linted));
        last = line.number();
        items.push(one(&line, deciding.contains(&last), statements, linted));
    }
    items.extend(gap(last, all + 1, linted));
    html! { ol class="file" { @for item in items { (item) } } }
}

/// Returns the lines that are shown of a file with a number of lines. Those of decisions come before those of findings, and the start
/// comes last.
fn shown_lines(
    all: usize,
    deciding: impl Iterator<Item = usize>,
    found: impl Iterator<Item = usize>,
) -> BTreeSet<usize> {
    if all <= MAX_LINES {
        return (1..=all).collect();
    }
    let around = |line: usize| {
        let from = line.saturating_sub(CONTEXT_LINES).max(1);
        from..=(line + CONTEXT_LINES).min(all)
    };
    let marked = deciding.chain(found).flat_map(around);
    let mut shown = BTreeSet::new();
    for line in marked.chain(1..=START_LINES) {
        if shown.len() == MAX_LINES {
            break;
        }
        shown.insert(line);
    }
    shown
}

/// Returns the statement that the lines between two lines are not shown, with the number of their findings; nothing if there are no
/// lines.
fn gap(last: usize, next: usize, linted: &LintedFile) -> Option<Markup> {
    let (from, to) = (last + 1, next - 1);
    if from > to {
        return None;
    }
    let lines = linted.lines().filter(|line| (from..=to).contains(line));
    let findings: usize = lines.map(|line| linted.at(line).len()).sum();
    Some(html! {
        li class="gap" {
            span class="number" aria-hidden="true" { "…" }
            span {
                @if from == to { "Line " (thousands(&from.to_string())) " is not shown." }
                @else { "Lines " (thousands(&from.to_string())) " to " (thousands(&to.to_string())) " are not shown." }
                @if findings > 0 {
                    " They have " @if linted.is_cut() { "at least " } (counted(findings, "finding")) "."
                }
            }
        }
    })
}

fn one(line: &Line<'_>, decides: bool, statements: &Statements<'_>, linted: &LintedFile) -> Markup {
    let number = line.number();
    let findings = linted.at(number);
    let worst = findings.iter().map(|finding| finding.severity).max();
    let class = match (decides, worst) {
        (true, _) => "decides",
        (false, Some(Severity::Error)) => "has-error",
        (false, Some(_)) => "has-warning",
        (false, None) => "",
    };
    html! {
        li id={ "L" (number) } class=[(!class.is_empty()).then_some(class)] {
            span class="number" { (number) }
            (line_text(line.bytes()))
            @if decides {
                @for (mark, text) in statements.of_line(number) {
                    span class="tag" { span class={ "mark " (mark.class()) } { (mark.shape()) } " " (text) }
                }
            }
            @for finding in findings { (finding.details()) }
        }
    }
}

/// Returns a line without its end: the name of its field and its comment are distinguished.
pub(super) fn line_text(bytes: &[u8]) -> Markup {
    let line = String::from_utf8_lossy(bytes);
    let (line, left_out) = cut(line.trim_end_matches(['\r', '\n']), MAX_LINE_CHARS);
    let (statement, comment) = match line.find('#') {
        Some(at) => line.split_at(at),
        None => (line, ""),
    };
    let (field, value) = match statement.find(':') {
        Some(at) => statement.split_at(at + 1),
        None => ("", statement),
    };
    html! {
        code class="text" {
            @if !field.is_empty() { b { (Tabbed(field)) } }
            (Tabbed(value))
            @if !comment.is_empty() { span class="comment" { (Tabbed(comment)) } }
            @if left_out > 0 { span class="comment" { " … " (counted(left_out, "more character")) } }
        }
    }
}

/// A part of a line, whose tabs are shown as such.
#[derive(Debug, Clone, Copy)]
struct Tabbed<'t>(&'t str);

impl maud::Render for Tabbed<'_> {
    fn render_to(&self, buffer: &mut String) {
        for (index, part) in self.0.split('\t').enumerate() {
            if index > 0 {
                buffer.push('\t');
            }
            printable(part).render_to(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_answers::why::StatementPlaces;

    fn file(body: &str) -> String {
        let robots = RobotsTxt::parse(body);
        let linted = LintedFile::of(&robots);
        lines(
            &robots,
            &Statements::of(&[], &StatementPlaces::default()),
            &linted,
        )
        .into_string()
    }

    #[test]
    fn text_of_a_line_cannot_become_markup() {
        let html = line_text(b"User-agent: <b>\t\x07\xe2\x80\xae&# </code>\r\n").into_string();
        let expected = "<code class=\"text\"><b>User-agent:</b> &lt;b&gt;\t\\u{7}\\u{202e}&amp;\
                        <span class=\"comment\"># &lt;/code&gt;</span></code>";
        assert_eq!(html, expected);
    }

    #[test]
    fn long_lines_are_cut_with_words() {
        let line = |chars: usize| line_text("a".repeat(chars).as_bytes()).into_string();
        assert!(!line(MAX_LINE_CHARS).contains("more"));
        assert!(line(MAX_LINE_CHARS + 1).contains(" … 1 more character<"));
    }

    #[test]
    fn long_files_are_cut_with_words() {
        let of = |number: usize| file(&"# x\n".repeat(number));
        assert!(!of(MAX_LINES).contains("not shown"));
        let long = of(MAX_LINES + 1);
        assert!(long.contains("Lines 41 to 401 are not shown."), "{long}");
        assert_eq!(long.matches("id=\"L").count(), START_LINES);
        // The line of a finding is shown with those around it.
        let body = format!("User-agent: *\n{}Disalow: /x\n", "# x\n".repeat(1_000));
        let html = file(&body);
        assert!(html.contains("id=\"L1002\"") && html.contains("id=\"L999\""));
        assert!(html.contains("Lines 41 to 998 are not shown."), "{html}");
        assert!(!html.contains("They have"), "{html}");
        // What is left out says how many findings it has.
        let rule = format!("Disalow: /x\n{}", "# x\n".repeat(9));
        let html = file(&format!("User-agent: *\n{}", rule.repeat(90)));
        let shown = html.matches("id=\"L").count();
        assert_eq!(shown, MAX_LINES);
        assert!(
            html.contains("are not shown. They have 33 findings."),
            "{html}"
        );
    }
}
