//! The texts after the options of a command's help: examples, lists and paragraphs.
//!
//! A text has a paragraph on each line. Indented lines are the entries of a list: a term and its description, or a text
//! after `- `. Further lines of an entry have a larger indent; they are joined, so that the width of the terminal alone
//! determines the lines of the help. Lines after `Examples:`, and those that begin with `{`, are kept as they are.

/// The indent of the entries of a list, in columns.
const INDENT: usize = 2;

/// The narrowest column for the descriptions of a list, in columns. In a narrower terminal, descriptions are below their
/// terms.
const NARROWEST: usize = 20;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Block {
    /// An empty line.
    Gap,
    Paragraph(String),
    List(Vec<Entry>),
    /// Lines that are shown as they are, without their indent.
    Verbatim(Vec<String>),
}

/// An entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// The term, `-`, or nothing before a text of its own.
    pub(super) term: String,
    pub(super) text: String,
}

/// Returns the parts of a text.
pub(super) fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut is_example = false;
    for line in text.lines() {
        let indent = line.len().saturating_sub(line.trim_start().len());
        let is_continued = indent > INDENT;
        let shown = line.get(INDENT..).filter(|_| indent >= INDENT);
        let Some(shown) = shown else {
            is_example = line == "Examples:";
            blocks.push(match line.trim() {
                "" => Block::Gap,
                paragraph => Block::Paragraph(paragraph.to_owned()),
            });
            continue;
        };
        match blocks.last_mut() {
            Some(Block::Verbatim(lines)) if is_example || is_continued => {
                lines.push(shown.to_owned());
            }
            _ if is_example || shown.starts_with('{') => {
                blocks.push(Block::Verbatim(vec![shown.to_owned()]));
            }
            Some(Block::List(entries)) => match entries.last_mut() {
                Some(last) if is_continued || last.is_unfinished() => {
                    last.text.push(' ');
                    last.text.push_str(shown.trim());
                }
                _ => entries.push(Entry::new(shown)),
            },
            _ => blocks.push(Block::List(vec![Entry::new(shown)])),
        }
    }
    blocks
}

impl Entry {
    fn new(line: &str) -> Self {
        let (term, text) = match line.strip_prefix("- ") {
            Some(text) => ("-", text),
            None => line.split_once("  ").unwrap_or(("", line)),
        };
        Self {
            term: term.to_owned(),
            text: text.trim().to_owned(),
        }
    }

    /// Returns whether the next line belongs to the entry, although its indent is not larger.
    fn is_unfinished(&self) -> bool {
        self.term.is_empty() && self.text.ends_with(',')
    }
}

/// Returns a text with its lists in lines of up to `width` columns. Lines of paragraphs are not wrapped.
pub(super) fn laid_out(text: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for block in blocks(text) {
        match block {
            Block::Gap => lines.push(String::new()),
            Block::Paragraph(text) => lines.push(text),
            Block::Verbatim(verbatim) => {
                lines.extend(verbatim.iter().map(|line| format!("{:INDENT$}{line}", "")));
            }
            Block::List(entries) => push_list(&mut lines, &entries, width),
        }
    }
    lines.join("\n")
}

/// Appends the lines of a list.
fn push_list(lines: &mut Vec<String>, entries: &[Entry], width: usize) {
    let terms = entries.iter().map(|entry| entry.term.len());
    let longest = terms.max().unwrap_or_default();
    // A term is followed by two spaces, `-` by one.
    let is_bullets = entries.iter().all(|entry| matches!(&*entry.term, "-" | ""));
    let column = match longest {
        0 => INDENT,
        _ if is_bullets => INDENT.saturating_add(2),
        longest => longest.saturating_add(INDENT).saturating_add(2),
    };
    let is_narrow = width < column.saturating_add(NARROWEST);
    let indent = if is_narrow {
        INDENT.saturating_mul(3)
    } else {
        column
    };
    for entry in entries {
        let mut line = format!("{:INDENT$}{}", "", entry.term);
        if is_narrow && !entry.term.is_empty() && !is_bullets {
            lines.push(std::mem::take(&mut line));
        }
        let mut is_first = true;
        for word in entry.text.split_whitespace() {
            let length = line.chars().count().saturating_add(word.chars().count());
            if !is_first && length >= width {
                lines.push(std::mem::take(&mut line));
                is_first = true;
            }
            if is_first {
                line = format!("{line:indent$}");
            } else {
                line.push(' ');
            }
            line.push_str(word);
            is_first = false;
        }
        lines.push(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Examples:
  robots check robots.txt \\
      /x

Keys:
  url, agent   the question
  reason       why: one of the words that the
               documentation lists
It is one of these:
  a, b,
  c
  - a text of
    two lines
  {\"a\": 1,
   \"b\": 2}";

    #[test]
    fn entries_are_wrapped_below_their_text() {
        assert_eq!(
            laid_out(TEXT, 80),
            "\
Examples:
  robots check robots.txt \\
      /x

Keys:
  url, agent  the question
  reason      why: one of the words that the documentation lists
It is one of these:
    a, b, c
  - a text of two lines
  {\"a\": 1,
   \"b\": 2}"
        );
        let narrow = laid_out(TEXT, 36);
        assert!(
            narrow.contains(
                "\
  reason      why: one of the words
              that the documentation
              lists
"
            ),
            "{narrow}"
        );
        let below = laid_out(TEXT, 30);
        assert!(
            below.contains("  reason\n      why: one of the words\n      that the documentation\n"),
            "{below}"
        );
        for width in 0..80 {
            let words = |text: &str| {
                text.split_whitespace()
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(words(&laid_out(TEXT, width)), words(TEXT));
        }
    }
}
