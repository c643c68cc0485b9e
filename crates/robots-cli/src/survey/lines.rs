//! The lines of a robots.txt, by kind.

use super::count::Robots;
use robots_txt::RobotsTxt;
use robots_txt::parse::{Field, Line, LineFacts, LineKind};
use std::collections::{BTreeMap, HashMap};

/// The numbers of lines of a robots.txt.
#[derive(Debug, Default)]
pub(super) struct LineCounts {
    bytes: usize,
    pub(super) lines: usize,
    /// The lines with nothing but a comment.
    pub(super) comments: usize,
    /// The directives with a comment after them.
    pub(super) with_comment: usize,
    pub(super) blank: usize,
    /// The lines with a field, known or not.
    pub(super) directives: usize,
    /// The number of lines with each known field.
    fields: BTreeMap<Field, u64>,
    /// The number of lines with each unknown field, by its name in lower case.
    unknown_fields: HashMap<String, u64>,
}

/// A counter of the lines of a robots.txt.
pub(super) struct LineCounter {
    counts: LineCounts,
    /// Whether the last line so far has no bytes.
    is_last_empty: bool,
}

impl LineCounter {
    pub(super) fn new(robots: &RobotsTxt) -> Self {
        Self {
            counts: LineCounts {
                bytes: robots.body().len(),
                ..LineCounts::default()
            },
            is_last_empty: false,
        }
    }

    /// Adds the next line of the file.
    pub(super) fn add(&mut self, line: &Line<'_>) {
        let counts = &mut self.counts;
        counts.lines += 1;
        self.is_last_empty = line.bytes().is_empty();
        match line.kind() {
            LineKind::Blank => counts.blank += 1,
            LineKind::Comment => counts.comments += 1,
            LineKind::Directive => {
                counts.directives += 1;
                if line.facts().contains(LineFacts::COMMENT) {
                    counts.with_comment += 1;
                }
                *match line.field() {
                    Field::Other => {
                        let name = String::from_utf8_lossy(line.key()).to_lowercase();
                        counts.unknown_fields.entry(name).or_default()
                    }
                    field => counts.fields.entry(field).or_default(),
                } += 1;
            }
            // A line of another kind has no field: it counts only as a line.
            _ => {}
        }
    }

    /// Returns the numbers. The parser returns an empty line after the last line end: it is not counted.
    pub(super) fn finish(self) -> LineCounts {
        let mut counts = self.counts;
        if self.is_last_empty {
            counts.lines -= 1;
            counts.blank -= 1;
        }
        counts
    }
}

impl LineCounts {
    /// Returns whether the file has nothing but white space.
    pub(super) fn is_blank_file(&self) -> bool {
        self.lines == self.blank
    }

    /// Returns whether the file has comments, and nothing else.
    fn is_comments_alone(&self) -> bool {
        self.comments > 0 && self.lines == self.unparsed()
    }

    /// Returns the number of unparsed lines: comments and blank lines, which have no content for a robot.
    fn unparsed(&self) -> usize {
        self.comments + self.blank
    }

    /// Returns the number of `User-agent` lines.
    pub(super) fn user_agents(&self) -> usize {
        self.number_of(Field::UserAgent)
    }

    /// Returns the number of lines with this field.
    fn number_of(&self, field: Field) -> usize {
        let times = self.fields.get(&field).copied().unwrap_or_default();
        usize::try_from(times).unwrap_or(usize::MAX)
    }

    /// Adds the numbers to the counts of a survey.
    pub(super) fn add_to(&self, count: &mut Robots) {
        count.add_size("bytes", self.bytes);
        count.add_size("lines", self.lines);
        if let Some(bytes) = rounded(self.bytes, self.lines) {
            count.add_size("bytes_per_line", bytes);
        }
        count.add_size("comment_lines", self.comments);
        count.add_size("lines_with_comment", self.with_comment);
        count.add_size("blank_lines", self.blank);
        if let Some(percent) = rounded(self.unparsed() * 100, self.lines) {
            count.add_size("unparsed_percent", percent);
        }
        count.add_size("directives", self.directives);
        count.add_size("user_agents", self.user_agents());
        count.add_size("disallows", self.number_of(Field::Disallow));
        count.add_size("allows", self.number_of(Field::Allow));
        count.add_size("sitemaps", self.number_of(Field::Sitemap));
        count.comments_alone += u64::from(self.is_comments_alone());
        for (field, times) in &self.fields {
            count.fields.entry(field.name()).or_default().add(*times);
        }
        for (name, times) in &self.unknown_fields {
            if let Some(hits) = count.unknown_fields.of(name) {
                hits.add(*times);
            }
        }
    }
}

/// Returns a quotient, rounded to the nearest number; `None` if the divisor is 0.
fn rounded(number: usize, divisor: usize) -> Option<usize> {
    (number + divisor / 2).checked_div(divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_comments_are_not_empty() {
        for (body, are_blank, are_comments) in [
            ("", true, false),
            (" \n\n", true, false),
            ("# a\n\n# b", false, true),
            ("# a\nDisallow:\n", false, false),
            ("junk\n", false, false),
        ] {
            let robots = RobotsTxt::parse(body);
            let mut counter = LineCounter::new(&robots);
            robots.lines().for_each(|line| counter.add(&line));
            let lines = counter.finish();
            let found = (lines.is_blank_file(), lines.is_comments_alone());
            assert_eq!(found, (are_blank, are_comments), "{body:?}");
        }
    }

    #[test]
    fn quotients_are_rounded() {
        for (number, divisor, expected) in [(7, 2, Some(4)), (4, 3, Some(1)), (1, 0, None)] {
            assert_eq!(rounded(number, divisor), expected);
        }
    }
}
