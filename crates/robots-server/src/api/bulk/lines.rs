//! The lines of a stream of bytes.

use crate::config::Bytes;
use crate::problem::{Problem, ProblemKind};
use std::mem::take;

/// The number of bytes from which on lines are a batch. A longer line is a batch of its own.
const BATCH_BYTES: usize = 128 << 10;

/// The most lines of a batch: each takes some 100 bytes beyond its own, which do not count as memory.
pub(super) const BATCH_LINES: usize = 512;

/// The most bytes of a body that are divided into lines at once.
const PIECE_BYTES: usize = 16 << 10;

/// A line of the stream.
#[derive(Debug)]
pub(super) enum Line {
    Question(Vec<u8>),
    /// There is no question, or none that is read.
    Problem(Box<Problem>),
}

/// The lines of a stream of bytes.
pub(super) struct Lines {
    limit: usize,
    /// The number of the line that begins or continues with the next bytes.
    pub(super) number: u64,
    /// The line that is not complete.
    partial: Vec<u8>,
    /// Whether that line is over the limit. The rest of it is skipped.
    is_skipping: bool,
    pub(super) complete: Vec<(u64, Line)>,
    /// The number of bytes of the complete lines.
    bytes: usize,
}

impl Lines {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            number: 1,
            partial: Vec::new(),
            is_skipping: false,
            complete: Vec::new(),
            bytes: 0,
        }
    }

    pub(super) fn add(&mut self, part: &[u8]) {
        let mut rest = part;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            self.extend(line);
            self.end_line();
            rest = after.get(1..).unwrap_or_default();
        }
        self.extend(rest);
    }

    fn extend(&mut self, part: &[u8]) {
        if self.is_skipping {
            return;
        }
        if part.len() > self.limit.saturating_sub(self.partial.len()) {
            self.is_skipping = true;
            self.partial = Vec::new();
            let limit = Bytes(self.limit);
            let detail = format!("the line has more than {limit}");
            let problem = Problem::new(ProblemKind::BodyTooLarge, detail);
            let problem = problem.with_limit("limits.line-bytes", limit);
            let line = Line::Problem(Box::new(problem));
            self.complete.push((self.number, line));
            return;
        }
        self.partial.extend_from_slice(part);
    }

    fn end_line(&mut self) {
        let line = take(&mut self.partial);
        if !line.trim_ascii().is_empty() {
            self.bytes = self.bytes.saturating_add(line.len());
            self.complete.push((self.number, Line::Question(line)));
        }
        self.is_skipping = false;
        self.number = self.number.saturating_add(1);
    }

    /// Ends the stream. Its last line needs no line feed.
    pub(super) fn end(&mut self) {
        self.end_line();
    }

    /// Ends a stream that broke off. A line over the limit has its problem already.
    pub(super) fn fail(&mut self, problem: Problem) {
        self.partial = Vec::new();
        if !self.is_skipping {
            let line = Line::Problem(Box::new(problem));
            self.complete.push((self.number, line));
        }
    }

    /// Returns whether the complete lines are a batch.
    pub(super) fn are_batch(&self) -> bool {
        self.bytes >= BATCH_BYTES || self.complete.len() >= BATCH_LINES
    }

    /// Returns the number of bytes to divide next: up to [`PIECE_BYTES`], and up to [`BATCH_LINES`] with the complete lines.
    pub(super) fn piece_len(&self, rest: &[u8]) -> usize {
        let piece = rest.get(..PIECE_BYTES).unwrap_or(rest);
        let room = BATCH_LINES.saturating_sub(self.complete.len());
        let last = memchr::memchr_iter(b'\n', piece).nth(room.saturating_sub(1));
        last.map_or(piece.len(), |end| end.saturating_add(1))
    }

    /// Returns the number of bytes of all lines, with the one that is not complete.
    pub(super) fn len(&self) -> usize {
        self.bytes.saturating_add(self.partial.len())
    }

    /// Returns the complete lines, and the number of their bytes.
    pub(super) fn take(&mut self) -> (Vec<(u64, Line)>, usize) {
        (take(&mut self.complete), take(&mut self.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Lines};
    use crate::problem::{Problem, ProblemKind};

    fn shown(lines: &mut Lines) -> Vec<String> {
        let (lines, _) = lines.take();
        let shown = lines.into_iter().map(|(number, line)| match line {
            Line::Question(line) => format!("{number} {}", String::from_utf8_lossy(&line)),
            Line::Problem(problem) => format!("{number} {}", problem.kind().name()),
        });
        shown.collect()
    }

    #[test]
    fn lines_have_numbers_however_they_arrive() {
        let text = b"one\n\ntwo\r\nlonger than eight\nend";
        let expected = ["1 one", "3 two\r", "4 body-too-large", "5 end"];
        for size in 1..text.len() {
            let mut lines = Lines::new(8);
            for part in text.chunks(size) {
                lines.add(part);
            }
            lines.end();
            assert_eq!(shown(&mut lines), expected, "{size}");
        }
    }

    #[test]
    fn a_line_may_have_as_many_bytes_as_the_limit() {
        for (length, shown_line) in [(7, "1 aaaaaaa"), (8, "1 aaaaaaaa"), (9, "1 body-too-large")] {
            let mut lines = Lines::new(8);
            lines.add(&vec![b'a'; length]);
            lines.end();
            assert_eq!(shown(&mut lines), [shown_line]);
        }
    }

    #[test]
    fn a_line_over_its_limit_has_one_problem_if_the_body_breaks_off() {
        let broken = || Problem::new(ProblemKind::MalformedRequest, "");
        for (text, expected) in [
            ("aaaaaaaaa", &["1 body-too-large"][..]),
            ("aaaa", &["1 malformed-request"]),
            ("", &["1 malformed-request"]),
            ("aaaaaaaaa\na", &["1 body-too-large", "2 malformed-request"]),
        ] {
            let mut lines = Lines::new(8);
            lines.add(text.as_bytes());
            lines.fail(broken());
            assert_eq!(shown(&mut lines), expected, "{text}");
        }
    }
}
