//! Parts of a page, or header lines, under which stands what they mean, as a compiler shows them.
//!
//! A page may be one line of ten megabytes, and a META a megabyte long. What is shown of it is
//! bounded, and finding its places takes time that is linear in the page for all METAs together
//! ([`Lines`]).

use crate::terminal::printable;
use annotate_snippets::renderer::DEFAULT_LINE_NUM_STYLE;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use encoding_rs::{Encoding, UTF_8};
use robots_lint::report::lines::{Lines, Position, line_end};
use std::ops::Range;

/// How many bytes are taken of what stands on a line before and behind: more than the renderer
/// shows, so that it says that there is more.
const AROUND: usize = 1024;

/// How many bytes are shown of a list of directives.
const SHOWN: usize = 2048;

/// How many parts of a list are marked, and how many remarks are made.
const MARKS: usize = 24;

/// How many lines a tag may have that is shown whole; of one that has more, the lines with marks are.
const WHOLE_LINES: usize = 12;

/// A part of the bytes, and what is said under it.
#[derive(Debug)]
struct Mark {
    span: Range<usize>,
    label: String,
}

/// What is said under all.
#[derive(Debug)]
pub(super) struct Note {
    pub(super) is_warning: bool,
    pub(super) text: String,
}

/// Bytes with marks under them.
#[derive(Debug)]
pub(super) struct Excerpt<'a> {
    bytes: &'a [u8],
    encoding: &'static Encoding,
    /// What of the bytes is taken.
    window: Range<usize>,
    /// The tag, or the header line.
    tag: Range<usize>,
    /// What begins here or behind is not marked.
    stop: usize,
    /// The number of the line in which the window begins; header lines have none.
    first_line: Option<usize>,
    marks: Vec<Mark>,
    notes: Vec<Note>,
    left_out: usize,
}

impl<'a> Excerpt<'a> {
    /// Of the lines of a page that a tag is on; `list` is what is to be seen of it.
    pub(super) fn of_tag(lines: &mut Lines<'a>, tag: Range<usize>, list: &Range<usize>) -> Self {
        let is_far = list.start.saturating_sub(tag.start) > AROUND;
        let from = if is_far { list.start } else { tag.start };
        let position = lines.position(from);
        let stop = tag.end.min(list.start.saturating_add(SHOWN));
        let behind = lines.page().get(stop..).unwrap_or_default();
        let behind = behind.get(..AROUND).unwrap_or(behind);
        let rest = line_end(behind, lines.encoding()).unwrap_or(behind.len());
        let start = position.line_start.max(from.saturating_sub(AROUND));
        Self {
            bytes: lines.page(),
            encoding: lines.encoding(),
            window: start..stop.saturating_add(rest),
            tag,
            stop,
            first_line: Some(position.line),
            marks: Vec::new(),
            notes: Vec::new(),
            left_out: 0,
        }
    }

    /// Of a header line.
    pub(super) fn of_header(line: &'a str) -> Self {
        let end = line.len().min(SHOWN.saturating_add(AROUND));
        Self {
            bytes: line.as_bytes(),
            encoding: UTF_8,
            window: 0..end,
            tag: 0..line.len(),
            stop: SHOWN,
            first_line: None,
            marks: Vec::new(),
            notes: Vec::new(),
            left_out: 0,
        }
    }

    /// Marks a part, which is behind those marked before. What is too much is counted only.
    pub(super) fn mark(&mut self, span: Range<usize>, label: String) {
        if self.marks.len() < MARKS && span.start < self.stop {
            self.marks.push(Mark { span, label });
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    /// Marks a part, however far behind it is.
    pub(super) fn mark_whole(&mut self, span: Range<usize>, label: String) {
        self.marks.push(Mark { span, label });
    }

    pub(super) fn has_marks(&self) -> bool {
        !self.marks.is_empty()
    }

    /// Says something under all. What is too much is counted only.
    pub(super) fn note(&mut self, note: Note) {
        if self.notes.len() < MARKS {
            self.notes.push(note);
        } else {
            self.left_out = self.left_out.saturating_add(1);
        }
    }

    /// The position of the first mark.
    pub(super) fn position(&self, lines: &mut Lines<'_>) -> Position {
        let first = self.marks.first().map(|mark| mark.span.start);
        lines.position(first.unwrap_or(self.tag.start))
    }

    /// As text with colours, under the place that it comes from.
    pub(super) fn render(&self, origin: Option<&str>) -> String {
        let shown = Shown::new(self);
        let tag = shown.span(&self.tag);
        let tag_lines = shown.text.get(tag.clone()).unwrap_or_default().lines();
        let whole = (tag_lines.count() <= WHOLE_LINES).then_some(tag);
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
        let is_odd = self.notes.iter().any(|note| note.is_warning);
        let report = [Group::with_level(level(is_odd))
            .element(snippet)
            .elements(notes.chain(more))];
        let rendered = Renderer::styled().render(&report);
        let Some(origin) = origin else {
            return rendered;
        };
        let gutter = self.gutter(&shown, end.unwrap_or_default());
        let style = DEFAULT_LINE_NUM_STYLE;
        format!("{:gutter$}{style}--> {style:#}{origin}\n{rendered}", "")
    }

    /// How wide the renderer writes the numbers of lines, up to the one that `end` is on.
    fn gutter(&self, shown: &Shown, end: usize) -> usize {
        let lines = shown.text.get(..end).unwrap_or_default().lines().count();
        let behind_first = lines.saturating_sub(1);
        self.first_line.map_or(0, |first| {
            first.saturating_add(behind_first).to_string().len()
        })
    }
}

fn level<'a>(is_warning: bool) -> Level<'a> {
    if is_warning {
        Level::WARNING
    } else {
        Level::NOTE
    }
}

/// What is taken of the bytes, as text that can be printed.
#[derive(Debug)]
struct Shown {
    text: String,
    /// Offsets in the bytes and in the text that go together, in order.
    places: Vec<(usize, usize)>,
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
            places: Vec::with_capacity(cuts.len()),
        };
        let mut at = window.start;
        for cut in cuts {
            let bytes = excerpt.bytes.get(at..cut).unwrap_or_default();
            shown.add(bytes, excerpt.encoding);
            shown.places.push((cut, shown.text.len()));
            at = cut;
        }
        shown
    }

    /// Adds bytes as text; line feeds and tabs are left to the renderer.
    fn add(&mut self, bytes: &[u8], encoding: &'static Encoding) {
        let (decoded, _) = encoding.decode_without_bom_handling(bytes);
        let mut chars = decoded.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' | '\t' => self.text.push(c),
                '\r' if chars.peek().is_none_or(|next| *next == '\n') => {}
                c => self.text.push_str(&printable(c.encode_utf8(&mut [0; 4]))),
            }
        }
    }

    /// Where a part of the bytes stands in the text, as far as it is shown.
    fn span(&self, span: &Range<usize>) -> Range<usize> {
        self.place(span.start)..self.place(span.end)
    }

    fn place(&self, offset: usize) -> usize {
        self.places
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
    fn marks_stand_under_what_is_shown() {
        let page = b"<p>\r\n\t\x1b<meta \xe9 a>\n<p>";
        let mut lines = Lines::new(page, WINDOWS_1252);
        let mut excerpt = Excerpt::of_tag(&mut lines, 7..17, &(15..16));
        excerpt.mark(15..16, "here".to_owned());
        let shown = Shown::new(&excerpt);
        assert_eq!(shown.text, "\t\\u{1b}<meta é a>\n");
        assert_eq!(shown.text.get(shown.span(&(15..16))), Some("a"));
        assert_eq!(shown.text.get(shown.span(&(7..17))), Some("<meta é a>"));
        let found = excerpt.position(&mut lines);
        assert_eq!((found.line, found.column), (2, 11));
    }

    #[test]
    fn what_is_shown_of_a_long_line_is_bounded() {
        let before = "a".repeat(1 << 20);
        let list = "noindex,".repeat(1 << 16);
        let page = format!("{before}<meta content='{list}'>{before}");
        let tag = before.len()..before.len() + 17 + list.len();
        let inner = tag.start + 15..tag.end - 2;
        let mut lines = Lines::new(page.as_bytes(), UTF_8);
        let mut excerpt = Excerpt::of_tag(&mut lines, tag, &inner);
        for at in inner.clone().step_by(8) {
            excerpt.mark(at..at + 7, "noindex".to_owned());
            excerpt.note(Note {
                is_warning: true,
                text: "again".to_owned(),
            });
        }
        assert_eq!((excerpt.marks.len(), excerpt.notes.len()), (MARKS, MARKS));
        assert_eq!(excerpt.left_out, 2 * ((1 << 16) - MARKS));
        assert!(Shown::new(&excerpt).text.len() <= 2 * AROUND + SHOWN + 100);
        assert!(excerpt.render(Some("page")).len() < 100_000);
    }
}
