//! Markdown for the terminal: blocks in lines of a width, with styles where they are shown.
//!
//! Reads what the explanations of findings use: headings, paragraphs, lists, fenced code, code in a line, emphasis and links.

use crate::terminal::filled;
use anstyle::{AnsiColor, Style};

const HEADING: Style = Style::new().bold().underline();
const CODE: Style = AnsiColor::Cyan.on_default();

/// Stands for a space at which a line must not end.
const FIXED_SPACE: &str = "\u{a0}";

/// Returns Markdown as text in lines of up to `width` columns. A word or code that is longer is kept whole. With `is_styled`,
/// styles distinguish headings and code; without, code in a line is in backticks.
pub(crate) fn rendered(markdown: &str, width: usize, is_styled: bool) -> String {
    let styled = |style: Style, text: &str| {
        if is_styled && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    };
    let mut lines: Vec<String> = Vec::new();
    // The lines of the paragraph or list item so far.
    let mut block = String::new();
    let mut is_code = false;
    // A last empty line ends the last block.
    for line in markdown.lines().chain([""]) {
        let begins_item = line.starts_with("* ") || line.starts_with("- ");
        let is_fence = line.starts_with("```");
        if is_code && !is_fence {
            let indent = if line.is_empty() { "" } else { "    " };
            lines.push(format!("{indent}{}", styled(CODE, line)));
            continue;
        }
        if is_fence || begins_item || line.is_empty() {
            for line in block_lines(&block, width) {
                let parts = line.split('`').enumerate().map(|(index, part)| {
                    let is_code = index % 2 == 1;
                    match (is_code, is_styled) {
                        (true, true) => styled(CODE, part),
                        (true, false) => format!("`{part}`"),
                        _ => part.to_owned(),
                    }
                });
                lines.push(parts.collect());
            }
            block.clear();
        }
        if is_fence {
            is_code = !is_code;
        } else if line.starts_with('#') {
            lines.push(styled(
                HEADING,
                &inline(line.trim_start_matches(['#', ' '])),
            ));
        } else if line.is_empty() {
            lines.push(String::new());
        } else {
            block.push_str(line.trim_start());
            block.push('\n');
        }
    }
    lines.join("\n").trim_end().to_owned() + "\n"
}

/// Returns a paragraph or an item of a list in lines of up to `width` columns.
fn block_lines(block: &str, width: usize) -> Vec<String> {
    let (marker, text) = match block.strip_prefix("* ").or(block.strip_prefix("- ")) {
        Some(text) => ("- ", text),
        None => ("", block),
    };
    let text = inline(text);
    let words = text.split([' ', '\n']).filter(|word| !word.is_empty());
    let words = words.map(|word| word.replace(FIXED_SPACE, " "));
    filled(words, width, marker, &" ".repeat(marker.len()))
}

/// Returns text without the marks of emphasis, and with the addresses of links after their names. A line must not end in code.
fn inline(text: &str) -> String {
    let parts = text
        .split('`')
        .enumerate()
        .map(|(index, part)| match index % 2 {
            1 => format!("`{}`", part.replace([' ', '\n'], FIXED_SPACE)),
            _ => part.replace('*', ""),
        });
    let text: String = parts.collect();
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        let (address, after) = after.split_once(')').unwrap_or((after, ""));
        shown.push_str(&before.replacen('[', "", 1));
        // An address within the document leads nowhere here.
        if !address.starts_with('#') {
            shown.extend([" (", address, ")"]);
        }
        rest = after;
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_lint::FindingKind;
    use unicode_width::UnicodeWidthStr;

    const TEXT: &str = "\
## R001 a *name*

*Error. [A standard](https://example.com/a); [here](#b).*

Text with `code in it`, **bold
text** and <b>.

* one item with
  more words
* two

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

    Allow: /*

      x
";
        assert_eq!(rendered(TEXT, 30, false), expected);
        assert_eq!(rendered("", 30, false), "\n");
    }

    #[test]
    fn markdown_has_styles_on_request() {
        let styled = rendered(TEXT, 30, true);
        for part in [
            "\u{1b}[1m\u{1b}[4mR001 a name\u{1b}[0m\n",
            "\u{1b}[36mcode in it\u{1b}[0m",
            "    \u{1b}[36mAllow: /*",
        ] {
            assert!(styled.contains(part), "{part:?} {styled:?}");
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
