//! Findings of the linter, with their explanations, and the corrected file.

use super::plain::{Message, counted, sentence};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use robots_answers::lint::Linted;
use robots_lint::catalogue::Selection;
use robots_lint::{Finding, FindingKind, Fix, RobotsTxtLinter, Severity, apply_fixes};
use robots_policy::profile::AgentTable;
use robots_policy::text::is_unprintable;
use robots_txt::RobotsTxt;
use std::collections::{BTreeMap, HashSet};

/// The maximum size of a corrected file that is shown, in bytes.
pub(super) const MAX_CORRECTED_BYTES: usize = 256 * 1024;

/// The findings on a robots.txt, by line, and the file after its corrections.
#[derive(Debug)]
pub(super) struct LintedFile {
    by_line: BTreeMap<usize, Vec<ShownFinding>>,
    /// The number of findings, with those that are not listed.
    pub(super) findings: usize,
    left_out: usize,
    /// The findings that have a correction.
    corrected: usize,
    correction: Correction,
}

/// A corrected file.
#[derive(Debug)]
enum Correction {
    /// There is nothing to correct.
    None,
    Text(String),
    /// The file, or the corrected one, is larger than is shown.
    TooLarge,
    /// The file has bytes or characters that a text field would change.
    NotText,
}

/// A finding as the page shows it.
#[derive(Debug)]
pub(super) struct ShownFinding {
    kind: FindingKind,
    pub(super) severity: Severity,
    message: String,
    related: Option<(usize, &'static str)>,
    has_fix: bool,
    /// Whether it is the first of its kind, whose explanation is shown.
    is_first: bool,
}

impl LintedFile {
    /// Lints a file: errors and warnings, as `robots lint` does without options.
    pub(super) fn of(robots: &RobotsTxt) -> Self {
        let linter = RobotsTxtLinter::new().with_known_robots(AgentTable::built_in());
        let selection = Selection::of_level(Severity::Warning);
        let linted = Linted::of_robots_txt(robots.clone(), linter.lint(robots), &selection);
        let mut by_line: BTreeMap<usize, Vec<ShownFinding>> = BTreeMap::new();
        let mut seen = HashSet::new();
        let listed = linted.findings();
        let number = linted
            .counts()
            .iter()
            .map(|(_, count)| count)
            .sum::<usize>();
        for located in &listed {
            let shown = ShownFinding {
                kind: located.kind,
                severity: located.kind.severity(),
                has_fix: located.fix.is_some(),
                related: located
                    .related
                    .as_ref()
                    .map(|(place, label)| (place.line, *label)),
                message: located.message.clone(),
                is_first: seen.insert(located.kind),
            };
            by_line
                .entry(located.location.line)
                .or_default()
                .push(shown);
        }
        // A correction needs all findings, not only those that are listed. Those of a large file would take many times its bytes, and
        // its correction is not shown.
        let is_large = robots.body().len() > MAX_CORRECTED_BYTES;
        let all = (!is_large).then(|| linter.with_limit(usize::MAX).lint(robots));
        let all = all.map(|all| Linted::of_robots_txt(robots.clone(), all, &selection));
        let all = all.as_ref().unwrap_or(&linted);
        let fixes: Vec<&Fix> = all.in_robots_txt().filter_map(Finding::fix).collect();
        Self {
            by_line,
            findings: number,
            left_out: number - listed.len(),
            corrected: fixes.len(),
            correction: match fixes[..] {
                [_, ..] if is_large => Correction::TooLarge,
                _ => Correction::of(robots.body(), &fixes),
            },
        }
    }

    /// Returns whether there are more findings of a kind than are kept.
    pub(super) fn is_cut(&self) -> bool {
        self.left_out > 0
    }

    /// Returns the lines with findings, in order.
    pub(super) fn lines(&self) -> impl Iterator<Item = usize> {
        self.by_line.keys().copied()
    }

    /// Returns the findings at a line.
    pub(super) fn at(&self, line: usize) -> &[ShownFinding] {
        self.by_line.get(&line).map_or(&[], Vec::as_slice)
    }

    /// Returns the summary of the findings, and the corrected file to copy.
    pub(super) fn corrected(&self) -> Markup {
        html! {
            @if self.left_out > 0 {
                p class="note" { (counted(self.left_out, "more finding")) " of the same kinds are not listed." }
            }
            @match &self.correction {
                Correction::None => @if self.findings > 0 {
                    p class="note" { "No finding has an automatic correction: a person must decide." }
                },
                Correction::TooLarge => p class="note" {
                    "The corrected file is too large to show here: " code { "robots lint --fix" } " writes it."
                },
                Correction::NotText => p class="note" {
                    "The corrected file has characters that cannot be copied from a page: "
                    code { "robots lint --fix" } " writes it."
                },
                Correction::Text(body) => {
                    h3 { "Corrected file" }
                    p {
                        (self.corrected) " of " (counted(self.findings, "finding"))
                        " corrected. No answer of Google changes; other robots then read the file as Google does."
                    }
                    div class="entry" {
                        label for="corrected" { "robots.txt, corrected" }
                        // A line feed after the tag is removed by parsers.
                        textarea id="corrected" readonly spellcheck="false" { (PreEscaped("\n")) (body) }
                    }
                    p class="tools" data-needs-script hidden {
                        button class="quiet" type="button" data-copy="corrected" { "Copy the corrected file" }
                        output {}
                    }
                }
            }
        }
    }
}

impl Correction {
    fn of(body: &[u8], fixes: &[&Fix]) -> Self {
        let fixed = apply_fixes(body, fixes.iter().copied()).body;
        let is_kept = |c: char| matches!(c, '\n' | '\r' | '\t') || !is_unprintable(c);
        if fixed == body {
            Self::None
        } else if fixed.len() > MAX_CORRECTED_BYTES {
            Self::TooLarge
        } else {
            match String::from_utf8(fixed) {
                Ok(text) if text.chars().all(is_kept) => Self::Text(text),
                _ => Self::NotText,
            }
        }
    }
}

impl ShownFinding {
    /// Returns the finding; its advice and explanation are shown on request.
    pub(super) fn details(&self) -> Markup {
        html! {
            details {
                summary {
                    (label(self.kind)) " " (Message(&self.message))
                }
                div class="explanation" {
                    p { (sentence(self.kind.help())) @if self.has_fix { " The corrected file below has it." } }
                    @if let Some((line, label)) = self.related {
                        p { a href={ "#L" (line) } { "Line " (line) } ": " (label) "." }
                    }
                    @if self.is_first { (explanation(self.kind)) }
                    @else { p { "The first finding of this kind explains it." } }
                }
            }
        }
    }
}

/// Returns the severity and the code of a kind.
pub(super) fn label(kind: FindingKind) -> Markup {
    let severity = kind.severity().name();
    html! { span class={ "severity " (severity) } { (severity) " " (kind.code()) } }
}

/// Returns the explanation of a kind without its heading, which the summary has.
pub(super) fn explanation(kind: FindingKind) -> Markup {
    let markdown = kind.explanation();
    let mut is_heading = false;
    let events = Parser::new(&markdown).filter_map(move |event| match event {
        Event::Start(Tag::Heading { .. }) => {
            is_heading = true;
            None
        }
        Event::End(TagEnd::Heading(_)) => {
            is_heading = false;
            None
        }
        _ if is_heading => None,
        // The documents have no markup of their own.
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        other => Some(other),
    });
    let mut html = String::new();
    pulldown_cmark::html::push_html(&mut html, events);
    PreEscaped(html)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_an_explanation_without_a_heading() {
        for kind in FindingKind::ALL {
            let html = explanation(*kind).into_string();
            assert!(html.starts_with("<p><em>"), "{html}");
            assert!(!html.contains("<h2") && !html.contains("<img"), "{html}");
        }
    }

    #[test]
    fn a_file_is_corrected() {
        let linted = |body: &[u8]| LintedFile::of(&RobotsTxt::parse(body));
        let file = linted(b"User-agent: *\nDisalow: /<x>\nSitemap: /a.xml\n");
        assert_eq!((file.findings, file.corrected), (2, 1));
        assert_eq!(file.at(2).len(), 1);
        let html = file.corrected().into_string();
        assert!(
            html.contains("User-agent: *\nDisallow: /&lt;x&gt;\n"),
            "{html}"
        );
        assert!(html.contains("1 of 2 findings corrected"), "{html}");

        let none = linted(b"User-agent: *\nDisallow: /\n");
        assert_eq!(none.corrected().into_string(), "");
        let not_text = linted(b"User-agent: *\nDisalow: /\xe2\x80\xae\n").corrected();
        assert!(not_text.into_string().contains("cannot be copied"));
        let large = |bytes: usize| {
            let start = "User-agent: *\nDisalow: /x\n#";
            // A correction adds one byte.
            let body = format!("{start}{}", "x".repeat(bytes - start.len() - 1));
            linted(body.as_bytes()).corrected().into_string()
        };
        assert!(!large(MAX_CORRECTED_BYTES).contains("too large"));
        assert!(large(MAX_CORRECTED_BYTES + 1).contains("too large"));
        assert!(large(MAX_CORRECTED_BYTES + 2).contains("too large"));
    }

    #[test]
    fn explanations_are_shown_once_for_each_kind() {
        let robots = RobotsTxt::parse(b"User-agent: *\nDisalow: /a\nDisalow: /b\n");
        let file = LintedFile::of(&robots);
        let html = |line: usize| file.at(line)[0].details().into_string();
        assert!(html(2).contains("docs/semantics.md") && html(2).starts_with("<details>"));
        assert!(html(3).contains("The first finding of this kind"));
    }
}
