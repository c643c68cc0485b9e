//! Markdown for the terminal: blocks in lines of a width, with styles where they are shown.
//!
//! Shows what the explanations of findings use: headings, paragraphs, lists, code, emphasis and links. The text of any other
//! markup is shown as that of a paragraph.

use anstyle::{AnsiColor, Style};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use std::fmt::Write;
use unicode_width::UnicodeWidthStr;

/// The indent of a code block, in columns.
const CODE_INDENT: usize = 4;

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();

/// Returns Markdown as text in lines of up to `width` columns. A word or a line of code that is longer is kept whole. With
/// `is_styled`, styles distinguish headings, emphasis and code; without, code in a line is in backticks.
pub(crate) fn rendered(markdown: &str, width: usize, is_styled: bool) -> String {
    let mut renderer = Renderer {
        text: String::new(),
        width,
        is_styled,
        styles: vec![Style::new()],
        words: Vec::new(),
        is_in_word: false,
        in_code: None,
        links: Vec::new(),
        lists: Vec::new(),
        marker: None,
        begins_list: false,
    };
    for event in Parser::new(markdown) {
        renderer.add(event);
    }
    renderer.end_block();
    renderer.text
}

/// A word: parts with different styles, and no white space at which a line may end.
#[derive(Debug, Default)]
struct Word(Vec<(Style, String)>);

impl Word {
    fn width(&self) -> usize {
        self.0.iter().map(|(_, part)| part.width()).sum()
    }
}

/// The state between two events.
struct Renderer {
    text: String,
    width: usize,
    is_styled: bool,
    /// The style of the text, after those around it.
    styles: Vec<Style>,
    /// The words of the block so far.
    words: Vec<Word>,
    /// Whether further text continues the last word.
    is_in_word: bool,
    /// The code of the code block, inside one.
    in_code: Option<String>,
    /// The addresses of the links around the text.
    links: Vec<String>,
    /// The number of the next item in each list around the text; `None` for a list without numbers.
    lists: Vec<Option<u64>>,
    /// The marker of the item that begins.
    marker: Option<String>,
    /// Whether the item that begins is the first of a list that is not in another one.
    begins_list: bool,
}

impl Renderer {
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.in_code {
                Some(code) => code.push_str(&text),
                None => self.add_text(&text),
            },
            Event::Code(code) => {
                let code = if self.is_styled {
                    code.into_string()
                } else {
                    format!("`{code}`")
                };
                self.add_part(self.style().fg_color(CODE.get_fg_color()), code);
            }
            Event::SoftBreak | Event::HardBreak => self.is_in_word = false,
            Event::Html(text) | Event::InlineHtml(text) => self.add_text(&text),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Heading { .. } => self.styles.push(HEADING),
            Tag::Emphasis => self.styles.push(style.italic()),
            Tag::Strong => self.styles.push(style.bold()),
            Tag::Link { dest_url, .. } => self.links.push(dest_url.into_string()),
            Tag::CodeBlock(CodeBlockKind::Fenced(_) | CodeBlockKind::Indented) => {
                self.in_code = Some(String::new());
            }
            Tag::List(first) => {
                self.end_block();
                self.begins_list = self.lists.is_empty();
                self.lists.push(first);
            }
            Tag::Item => {
                self.marker = Some(match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    _ => "- ".to_owned(),
                });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.end_block();
                self.styles.pop();
            }
            TagEnd::Emphasis | TagEnd::Strong => {
                self.styles.pop();
            }
            TagEnd::Link => {
                // An address within the document leads nowhere here.
                if let Some(address) = self.links.pop().filter(|address| !address.starts_with('#'))
                {
                    self.is_in_word = false;
                    self.add_part(self.style(), format!("({address})"));
                }
            }
            TagEnd::CodeBlock => {
                let code = self.in_code.take().unwrap_or_default();
                self.begin_block();
                for line in code.lines() {
                    let indent = " ".repeat(CODE_INDENT.saturating_add(self.indent()));
                    let indent = if line.is_empty() { "" } else { &indent };
                    self.text.push_str(indent);
                    self.push_styled(CODE, line);
                    self.text.push('\n');
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Item | TagEnd::Paragraph => self.end_block(),
            _ => {}
        }
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    /// Adds text, which is words with white space between them.
    fn add_text(&mut self, text: &str) {
        let style = self.style();
        if text.starts_with(char::is_whitespace) {
            self.is_in_word = false;
        }
        for word in text.split_whitespace() {
            self.add_part(style, word.to_owned());
            self.is_in_word = false;
        }
        self.is_in_word = !text.is_empty() && !text.ends_with(char::is_whitespace);
    }

    /// Adds a part to the last word, or a word.
    fn add_part(&mut self, style: Style, part: String) {
        match self.words.last_mut().filter(|_| self.is_in_word) {
            Some(word) => word.0.push((style, part)),
            None => self.words.push(Word(vec![(style, part)])),
        }
        self.is_in_word = true;
    }

    /// Returns the indent of the text, in columns: that of the lists around it.
    fn indent(&self) -> usize {
        self.lists.len().saturating_mul(2)
    }

    /// Separates a block from the one before it.
    fn begin_block(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }

    /// Writes the words of a block, if there are any.
    fn end_block(&mut self) {
        let words = std::mem::take(&mut self.words);
        self.is_in_word = false;
        if words.is_empty() {
            return;
        }
        // An item directly follows the one before it.
        if self.marker.is_none() || std::mem::take(&mut self.begins_list) {
            self.begin_block();
        }
        let indent = self.indent();
        let marker = self.marker.take().unwrap_or_default();
        let start = " ".repeat(indent.saturating_sub(marker.len()));
        self.text.push_str(&start);
        self.text.push_str(&marker);
        let mut column = start.len().saturating_add(marker.len());
        let mut line: Vec<(Style, String)> = Vec::new();
        for word in words {
            let width = word.width();
            if !line.is_empty() {
                if column.saturating_add(width) >= self.width {
                    self.push_line(&mut line);
                    self.text.push_str(&" ".repeat(indent));
                    column = indent;
                } else {
                    // A space between words of one style has that style.
                    let next = word.0.first().map(|(style, _)| *style);
                    let last = line.last().map(|(style, _)| *style);
                    push_part(
                        &mut line,
                        next.filter(|_| next == last).unwrap_or_default(),
                        " ",
                    );
                    column = column.saturating_add(1);
                }
            }
            for (style, part) in &word.0 {
                push_part(&mut line, *style, part);
            }
            column = column.saturating_add(width);
        }
        self.push_line(&mut line);
    }

    /// Writes the parts of a line, and its end.
    fn push_line(&mut self, line: &mut Vec<(Style, String)>) {
        for (style, part) in line.drain(..) {
            self.push_styled(style, &part);
        }
        self.text.push('\n');
    }

    fn push_styled(&mut self, style: Style, text: &str) {
        if self.is_styled && !style.is_plain() && !text.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{style}{text}{style:#}");
        } else {
            self.text.push_str(text);
        }
    }
}

/// Appends a part to a line. Parts of one style become one.
fn push_part(line: &mut Vec<(Style, String)>, style: Style, part: &str) {
    match line.last_mut().filter(|(last, _)| *last == style) {
        Some((_, last)) => last.push_str(part),
        None => line.push((style, part.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_lint::FindingKind;

    const TEXT: &str = "\
## R001 a *name*

*Error. [A standard](https://example.com/a); [here](#b).*

Text with `code in it`, **bold
text** and <b>.

* one item with
  more words
* two

1. first

```robots
Allow: /*

  x
```
";

    #[test]
    fn markdown_is_plain_text_without_styles() {
        let expected = "\
R001 a name

Error. A standard
(https://example.com/a); here.

Text with `code in it`, bold
text and <b>.

- one item with more words
- two

1. first

    Allow: /*

      x
";
        assert_eq!(rendered(TEXT, 30, false), expected);
        assert_eq!(rendered("", 30, false), "");
    }

    #[test]
    fn markdown_has_styles_on_request() {
        let styled = rendered(TEXT, 30, true);
        assert!(
            styled.starts_with("\u{1b}[1m\u{1b}[4mR001 a\u{1b}[0m "),
            "{styled:?}"
        );
        for part in [
            "\u{1b}[36mcode in it\u{1b}[39m",
            "\u{1b}[1mbold\u{1b}[0m",
            "\u{1b}[3mError. A standard\u{1b}[0m",
            "    \u{1b}[36mAllow: /*",
        ] {
            let part = part.replace("\u{1b}[39m", "\u{1b}[0m");
            assert!(styled.contains(&part), "{part:?} {styled:?}");
        }
        assert!(!styled.contains('`'));
    }

    #[test]
    fn explanations_fit_the_width_and_keep_no_markup() {
        for kind in FindingKind::ALL {
            let text = rendered(&kind.explanation(), 60, false);
            for line in text.lines() {
                let is_code = line.starts_with("    ");
                let is_word = !line.trim().contains(' ');
                assert!(
                    is_code || is_word || line.width() <= 60 || line.contains('`'),
                    "{line}"
                );
                let has_markup = ["```", "](", "##", "**"]
                    .iter()
                    .any(|mark| line.contains(mark));
                assert!(is_code || !has_markup, "{}: {line}", kind.code());
            }
            let words = |text: &str| text.split_whitespace().count();
            assert!(words(&text) >= words(&kind.explanation()) / 2);
        }
    }
}
