//! The lines and columns of findings in a robots.txt file.

use super::finding::Finding;
use crate::catalogue::FindingKind as Kind;
use crate::report::json::MAX_LISTED_EDITS;
use crate::report::lines::column_after;
use crate::report::{LocatedEdit, LocatedFinding, Location};
use robots_txt::RobotsTxt;
use robots_txt::parse::range_in;
use std::borrow::Cow;
use std::ops::Range;

/// Returns a finding with its line and column; `robots` is the file that it was found in.
pub fn locate<'a>(robots: &'a RobotsTxt, finding: &'a Finding) -> LocatedFinding<'a> {
    let kind = finding.kind();
    LocatedFinding {
        kind,
        message: finding.message(),
        location: location(robots, finding.line(), Some(finding.span())),
        related: finding
            .related()
            .map(|line| (location(robots, line, None), finding.related_label())),
        fix: finding.fix(),
    }
}

/// Returns the edits of the fix of a finding with their places; none if there is no fix, or it has more than
/// [`MAX_LISTED_EDITS`] edits. Linear in the body.
pub fn locate_edits(robots: &RobotsTxt, finding: &Finding) -> Vec<LocatedEdit> {
    let Some(fix) = finding.fix() else {
        return Vec::new();
    };
    if fix.edits().len() > MAX_LISTED_EDITS {
        return Vec::new();
    }
    let mut lines = robots.lines().peekable();
    let mut line = (1, 0);
    // The places are asked for in ascending order.
    let mut place = |offset: usize| {
        while let Some(next) = lines.next_if(|next| next.offset() <= offset) {
            line = (next.number(), next.offset());
        }
        let (number, start) = line;
        let before = robots.body().get(start..offset).unwrap_or_default();
        if before.ends_with(b"\n") || before.ends_with(b"\r") {
            // After the end of the last line, a line begins that has no text.
            return (number + 1, 1);
        }
        (number, column_after(before))
    };
    let edits = fix.edits().map(|edit| LocatedEdit {
        start: place(edit.span().start),
        end: place(edit.span().end),
        edit,
    });
    edits.collect()
}

/// Returns the location of a part of a line. Without a `span`, it is the whole line without white space around it.
fn location(robots: &RobotsTxt, line: usize, span: Option<Range<usize>>) -> Location<'_> {
    let text = robots.line_text(line).unwrap_or_default();
    let start = range_in(robots.body(), text).start;
    let span = span.unwrap_or_else(|| {
        let trimmed = text.trim_ascii_end();
        let indent = trimmed.len() - trimmed.trim_ascii_start().len();
        start + indent..start + trimmed.len()
    });
    let column = |offset: usize| column_after(robots.body().get(start..offset).unwrap_or_default());
    Location {
        is_header: false,
        line,
        column: column(span.start),
        end_column: column(span.end),
        offset: span.start,
        length: span.len(),
        text: Cow::Borrowed(text),
        part: span.start.saturating_sub(start)..span.end.saturating_sub(start),
    }
}

impl Finding {
    /// Returns the label of the [related](Self::related) line.
    pub fn related_label(&self) -> &'static str {
        match self.kind() {
            Kind::RepeatedAgent => "named here before",
            Kind::DuplicateRule => "the first is here",
            Kind::ShadowedRule => "this rule has precedence",
            Kind::HidesStar | Kind::TrainerAllowed => "in the group of `*`",
            Kind::LosesRules => "closed by the group of `*`",
            Kind::SignalAndClosed => "allowed here",
            Kind::PreferencesDisagree => "the opposite here",
            Kind::ManagedBlock => "in the managed block",
            Kind::RunOnGroup => "this does not end the group",
            Kind::BlankInGroup => "this belongs to the group",
            _ => "see also this part",
        }
    }
}
