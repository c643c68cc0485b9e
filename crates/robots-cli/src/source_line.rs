//! A line of a file as it is shown to people, with a part of it marked.

use crate::terminal::printable;
use annotate_snippets::{Annotation, AnnotationKind, Snippet};
use std::ops::Range;

/// How many bytes are taken of what stands before the part and behind it, and of the part: more
/// than the renderer shows, so that it says that there is more.
const AROUND: usize = 1024;

/// A line with a part of it, as text that can be printed.
#[derive(Debug)]
pub(crate) struct SourceLine {
    number: usize,
    text: String,
    part: Range<usize>,
}

impl SourceLine {
    /// A line of this number, from 1, and a range of its bytes. Bytes that are no UTF-8 are shown
    /// as U+FFFD; of a line that is long, what is near the part is taken.
    pub(crate) fn new(number: usize, line: &[u8], part: &Range<usize>) -> Self {
        let start = part.start.min(line.len());
        let end = part
            .end
            .clamp(start, line.len().min(start.saturating_add(AROUND)));
        let from = start.saturating_sub(AROUND);
        let to = end.saturating_add(AROUND).min(line.len());
        let mut text = shown(line.get(from..start));
        let begins = text.len();
        text.push_str(&shown(line.get(start..end)));
        let ends = text.len();
        text.push_str(&shown(line.get(end..to)));
        Self {
            number,
            text,
            part: begins..ends,
        }
    }

    /// As a part of a report, in a file of this name.
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

/// Tabs are left to the renderer.
fn shown(bytes: Option<&[u8]>) -> String {
    let text = String::from_utf8_lossy(bytes.unwrap_or_default());
    let parts: Vec<_> = text.split('\t').map(printable).collect();
    parts.join("\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_is_where_it_was() {
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
        assert_eq!(shown.text.len(), 3 * AROUND);
    }
}
