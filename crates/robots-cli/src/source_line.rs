//! A line of a file for people, with a part of it marked.

use crate::terminal::printable;
use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use std::ops::Range;

/// The maximum length of the part, and of the text before and after it, in bytes. It is more than the renderer shows,
/// so that the renderer marks the cut.
const MAX_BYTES: usize = 1024;

/// A line with a part of it, as printable text.
#[derive(Debug)]
pub(crate) struct SourceLine {
    number: usize,
    text: String,
    part: Range<usize>,
}

impl SourceLine {
    /// Creates a line with its 1-based number, and a range of its bytes. Bytes that are not UTF-8 become U+FFFD. A
    /// long line is cut around the part.
    pub(crate) fn new(number: usize, line: &[u8], part: &Range<usize>) -> Self {
        let start = part.start.min(line.len());
        let end = part.end.clamp(start, line.len().min(start + MAX_BYTES));
        let from = start.saturating_sub(MAX_BYTES);
        let to = (end + MAX_BYTES).min(line.len());
        let mut text = shown(&line[from..start]);
        let part_start = text.len();
        text.push_str(&shown(&line[start..end]));
        let part_end = text.len();
        text.push_str(&shown(&line[end..to]));
        Self {
            number,
            text,
            part: part_start..part_end,
        }
    }

    /// Returns the line as a part of a report, in a file of this name.
    pub(crate) fn snippet<'s>(
        &'s self,
        file: &'s str,
        kind: AnnotationKind,
        label: &'s str,
    ) -> Snippet<'s, Annotation<'s>> {
        let mark = kind.span(self.part.clone());
        let mark = if label.is_empty() {
            mark
        } else {
            mark.label(label)
        };
        Snippet::source(self.text.as_str())
            .path(file)
            .line_start(self.number)
            .annotation(mark)
    }
}

/// Returns bytes as printable text. Tabs are left to the renderer.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let parts: Vec<_> = text.split('\t').map(printable).collect();
    parts.join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_part_keeps_its_text() {
        let part = |line: &[u8], part: Range<usize>| {
            let shown = SourceLine::new(1, line, &part);
            shown.text.get(shown.part.clone()).map(str::to_owned)
        };
        assert_eq!(part(b"Disallow: /a", 10..12).as_deref(), Some("/a"));
        assert_eq!(part(b"\xff\x1b: /a", 4..6).as_deref(), Some("/a"));
        assert_eq!(part(b"\xff\xfe", 1..2).as_deref(), Some("\u{fffd}"));
        assert_eq!(part(b"ab", 5..9).as_deref(), Some(""));
        let long = vec![b'a'; 1 << 20];
        let shown = SourceLine::new(1, &long, &(5_000..1 << 19));
        assert_eq!(shown.text.len(), 3 * MAX_BYTES);
    }
}
