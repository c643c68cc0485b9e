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

impl LineCounts {
    /// Counts the lines of a file.
    pub(super) fn of(robots: &RobotsTxt) -> Self {
        let mut counts = Self {
            bytes: robots.body().len(),
            ..Self::default()
        };
        let mut is_last_empty = false;
        for line in robots.lines() {
            counts.add(&line);
            is_last_empty = line.bytes().is_empty();
        }
        // The parser returns an empty line after the last line end: it is not counted.
        if is_last_empty {
            counts.lines -= 1;
            counts.blank -= 1;
        }
        counts
    }

    fn add(&mut self, line: &Line<'_>) {
        self.lines += 1;
        match line.kind() {
            LineKind::Blank => self.blank += 1,
            LineKind::Comment => self.comments += 1,
            LineKind::Directive => {
                self.directives += 1;
                self.with_comment += usize::from(line.facts().contains(LineFacts::COMMENT));
                *match line.field() {
                    Field::Other => {
                        let name = String::from_utf8_lossy(line.key()).to_lowercase();
                        self.unknown_fields.entry(name).or_default()
                    }
                    field => self.fields.entry(field).or_default(),
                } += 1;
            }
            // A line of another kind has no field: it counts only as a line.
            _ => {}
        }
    }

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
        for (name, size) in [
            ("bytes", self.bytes),
            ("lines", self.lines),
            ("comment_lines", self.comments),
            ("lines_with_comment", self.with_comment),
            ("blank_lines", self.blank),
            ("directives", self.directives),
            ("user_agents", self.user_agents()),
            ("disallows", self.number_of(Field::Disallow)),
            ("allows", self.number_of(Field::Allow)),
            ("sitemaps", self.number_of(Field::Sitemap)),
        ] {
            count.add_size(name, size);
        }
        // A mean and a share of no lines do not exist.
        if self.lines > 0 {
            count.add_size("bytes_per_line", rounded(self.bytes, self.lines));
            let percent = rounded(self.unparsed() * 100, self.lines);
            count.add_size("unparsed_percent", percent);
        }
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

/// Returns a quotient, rounded to the nearest number.
fn rounded(number: usize, divisor: usize) -> usize {
    (number + divisor / 2) / divisor
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
            let lines = LineCounts::of(&RobotsTxt::parse(body));
            let found = (lines.is_blank_file(), lines.is_comments_alone());
            assert_eq!(found, (are_blank, are_comments), "{body:?}");
        }
    }

    #[test]
    fn quotients_are_rounded() {
        assert_eq!((rounded(7, 2), rounded(4, 3)), (4, 1));
    }
}
