//! Excerpts of a page or header lines, with labels below parts of them, like those of a compiler.
//!
//! A page may be one line of ten megabytes, and a META a megabyte long: excerpts have a maximum length. Finding the
//! lines of all METAs takes linear time in the length of the page ([`Lines`]).

use crate::terminal::printable;
use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use encoding_rs::{Encoding, UTF_8};
use robots_lint::report::lines::{Lines, Position, next_line_start};
use std::ops::Range;

/// The maximum length of the text before and after the list of directives, in bytes. It is more than the renderer
/// shows, so that the renderer marks the cut.
const MAX_CONTEXT_BYTES: usize = 1024;

/// The maximum length of the list of directives, in bytes.
const MAX_LIST_BYTES: usize = 2048;

/// The maximum number of marks, and of notes.
const MAX_MARKS: usize = 24;

/// The maximum number of lines of a tag that is shown whole; of a longer one, only lines with marks are shown.
const MAX_TAG_LINES: usize = 12;

/// A label below a range of bytes.
#[derive(Debug)]
struct Mark {
    span: Range<usize>,
    label: String,
}

/// A remark below the excerpt.
#[derive(Debug)]
struct Note {
    is_warning: bool,
    text: String,
}

/// A range of bytes with marks and notes.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    bytes: &'a [u8],
    encoding: &'static Encoding,
    /// The range that is shown.
    window: Range<usize>,
    /// The range of the tag or header line.
    tag: Range<usize>,
    /// The offset from which on nothing is marked.
    marks_end: usize,
    /// The 1-based number of the first line of the window; header lines have none.
    first_line: Option<usize>,
    marks: Vec<Mark>,
    notes: Vec<Note>,
    /// The number of marks and notes beyond their maximum.
    left_out: usize,
}

impl<'a> Excerpt<'a> {
    /// Creates an excerpt of the lines of a tag. It shows the start of the list of directives, at `list` in the tag.
    pub(super) fn of_tag(lines: &mut Lines<'a>, tag: Range<usize>, list: &Range<usize>) -> Self {
        // The window begins with the line of the tag, or with the line of the list if the tag begins far before it.
        let is_far = list.start.saturating_sub(tag.start) > MAX_CONTEXT_BYTES;
        let from = if is_far { list.start } else { tag.start };
        let position = lines.position(from);
        // The window ends with the line in which the tag ends. If the list is long, it ends with the line of the last mark.
        let marks_end = tag.end.min(list.start + MAX_LIST_BYTES);
        let after = lines.page().get(marks_end..).unwrap_or_default();
        let after = after.get(..MAX_CONTEXT_BYTES).unwrap_or(after);
        let rest = next_line_start(after, lines.encoding()).unwrap_or(after.len());
        let start = position
            .line_start
            .max(from.saturating_sub(MAX_CONTEXT_BYTES));
        Self {
            bytes: lines.page(),
            encoding: lines.encoding(),
            window: start..marks_end + rest,
            tag,
            marks_end,
            first_line: Some(position.line),
            marks: Vec::new(),
            notes: Vec::new(),
            left_out: 0,
        }
    }

    /// Creates an excerpt of a header line.
    pub(super) fn of_header(line: &'a str) -> Self {
        let end = line.len().min(MAX_LIST_BYTES + MAX_CONTEXT_BYTES);
        Self {
            bytes: line.as_bytes(),
            encoding: UTF_8,
            window: 0..end,
            tag: 0..line.len(),
            marks_end: MAX_LIST_BYTES,
            first_line: None,
            marks: Vec::new(),
            notes: Vec::new(),
            left_out: 0,
        }
    }

    /// Marks a range; ranges come in order. Beyond the maximum number or the end of marks, ranges are only counted.
    pub(super) fn mark(&mut self, span: Range<usize>, label: String) {
        if self.marks.len() < MAX_MARKS && span.start < self.marks_end {
            self.marks.push(Mark { span, label });
        } else {
            self.left_out += 1;
        }
    }

    /// Marks a range without these limits.
    pub(super) fn mark_always(&mut self, span: Range<usize>, label: String) {
        self.marks.push(Mark { span, label });
    }

    pub(super) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Adds a note. Beyond the maximum, notes are only counted.
    pub(super) fn note(&mut self, is_warning: bool, text: String) {
        if self.notes.len() < MAX_MARKS {
            self.notes.push(Note { is_warning, text });
        } else {
            self.left_out += 1;
        }
    }

    /// Returns the position of the first mark, or else of the tag.
    pub(super) fn position(&self, lines: &mut Lines<'_>) -> Position {
        let first = self.marks.first().map(|mark| mark.span.start);
        lines.position(first.unwrap_or(self.tag.start))
    }

    /// Returns the excerpt as text with colours. If `location` is known (the file, line and column: `a.html:2:28`), the text
    /// begins with it.
    pub(super) fn render(&self, location: Option<&str>) -> String {
        let shown = Shown::new(self);
        let tag = shown.span(&self.tag);
        let tag_lines = shown.text[tag.clone()].lines();
        let whole = (tag_lines.count() <= MAX_TAG_LINES).then_some(tag);
        let ends = self.marks.iter().map(|mark| shown.span(&mark.span).end);
        let end = ends.chain(whole.iter().map(|whole| whole.end)).max();
        let marks = self.marks.iter().map(|mark| {
            AnnotationKind::Primary
                .span(shown.span(&mark.span))
                .label(mark.label.as_str())
        });
        let visible = whole
            .iter()
            .map(|whole| AnnotationKind::Visible.span(whole.clone()));
        let snippet = Snippet::source(shown.text.as_str())
            .line_start(self.first_line.unwrap_or(1))
            .line_numbering(self.first_line.is_some())
            .annotations(marks.chain(visible));
        let more = (self.left_out > 0).then(|| format!("and {} more", self.left_out));
        let notes = self
            .notes
            .iter()
            .map(|note| level(note.is_warning).message(note.text.as_str()));
        let more = more.iter().map(|more| level(false).message(more.as_str()));
        let has_warning = self.notes.iter().any(|note| note.is_warning);
        let report = [Group::with_level(level(has_warning))
            .element(snippet)
            .elements(notes.chain(more))];
        let rendered = Renderer::styled().render(&report);
        let Some(location) = location else {
            return rendered;
        };
        // The renderer knows only the window, not the line and column in the page: the arrow before them is written here.
        let gutter = self.gutter(&shown, end.unwrap_or_default());
        let style = DEFAULT_LINE_NUM_STYLE;
        format!("{:gutter$}{style}--> {style:#}{location}\n{rendered}", "")
    }

    /// Returns the width of the line numbers in columns, if the last shown line is that of `end`.
    fn gutter(&self, shown: &Shown, end: usize) -> usize {
        let lines = shown.text[..end].lines().count();
        let after_first = lines.saturating_sub(1);
        self.first_line
            .map_or(0, |first| (first + after_first).to_string().len())
    }
}

fn level<'a>(is_warning: bool) -> Level<'a> {
    if is_warning {
        Level::WARNING
    } else {
        Level::NOTE
    }
}

/// The window of an excerpt as printable text.
#[derive(Debug)]
struct Shown {
    text: String,
    /// Offsets in the bytes, each with its offset in the text, in order.
    offsets: Vec<(usize, usize)>,
}

impl Shown {
    fn new(excerpt: &Excerpt<'_>) -> Self {
        let window = &excerpt.window;
        let spans = excerpt.marks.iter().map(|mark| &mark.span);
        let mut cuts: Vec<usize> = spans
            .chain([&excerpt.tag, window])
            .flat_map(|span| [span.start, span.end])
            .map(|cut| cut.min(window.end).max(window.start))
            .collect();
        cuts.sort_unstable();
        let mut shown = Self {
            text: String::new(),
            offsets: Vec::with_capacity(cuts.len()),
        };
        let mut at = window.start;
        for cut in cuts {
            let bytes = &excerpt.bytes[at..cut];
            shown.add(bytes, excerpt.encoding);
            shown.offsets.push((cut, shown.text.len()));
            at = cut;
        }
        shown
    }

    /// Adds bytes as text. Line feeds and tabs are left to the renderer.
    fn add(&mut self, bytes: &[u8], encoding: &'static Encoding) {
        let (decoded, _) = encoding.decode_without_bom_handling(bytes);
        let mut chars = decoded.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' | '\t' => self.text.push(c),
                // The CR of a line end; at the end of the bytes, its LF may be the first of the next bytes.
                '\r' if chars.peek().is_none_or(|next| *next == '\n') => {}
                c => self.text.push_str(&printable(c.encode_utf8(&mut [0; 4]))),
            }
        }
    }

    /// Returns the range in the text of a range of bytes, as far as it is shown.
    fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.text_offset(span.start)..self.text_offset(span.end)
    }

    fn text_offset(&self, offset: usize) -> usize {
        self.offsets
            .iter()
            .find(|(cut, _)| *cut >= offset)
            .map_or(self.text.len(), |(_, at)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use encoding_rs::WINDOWS_1252;

    #[test]
    fn marks_are_at_their_text() {
        let page = b"<p>\r\n\t\x1b<meta \xe9 a>\n<p>";
        let mut lines = Lines::new(page, WINDOWS_1252);
        let mut excerpt = Excerpt::of_tag(&mut lines, 7..17, &(15..16));
        excerpt.mark(15..16, "here".to_owned());
        let shown = Shown::new(&excerpt);
        assert_eq!(shown.text, "\t\\u{1b}<meta é a>\n");
        assert_eq!(shown.text.get(shown.span(&(15..16))), Some("a"));
        assert_eq!(shown.text.get(shown.span(&(7..17))), Some("<meta é a>"));
        let position = excerpt.position(&mut lines);
        assert_eq!((position.line, position.column), (2, 11));
    }

    #[test]
    fn excerpts_of_long_lines_are_short() {
        let before = "a".repeat(1 << 20);
        let list = "noindex,".repeat(1 << 16);
        let (open, close) = ("<meta content='", "'>");
        let page = format!("{before}{open}{list}{close}{before}");
        let list_start = before.len() + open.len();
        let inner = list_start..list_start + list.len();
        let tag = before.len()..inner.end + close.len();
        let mut lines = Lines::new(page.as_bytes(), UTF_8);
        let mut excerpt = Excerpt::of_tag(&mut lines, tag, &inner);
        for at in inner.clone().step_by(8) {
            excerpt.mark(at..at + 7, "noindex".to_owned());
            excerpt.note(true, "again".to_owned());
        }
        assert_eq!(
            (excerpt.marks.len(), excerpt.notes.len()),
            (MAX_MARKS, MAX_MARKS)
        );
        assert_eq!(excerpt.left_out, 2 * ((1 << 16) - MAX_MARKS));
        let most = 2 * MAX_CONTEXT_BYTES + open.len() + MAX_LIST_BYTES;
        assert!(Shown::new(&excerpt).text.len() <= most);
        assert!(excerpt.render(Some("page")).len() < 100_000);
    }
}
