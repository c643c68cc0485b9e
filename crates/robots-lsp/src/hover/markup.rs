//! Markup: code in Markdown, and plain text of Markdown.

use pulldown_cmark::{Event, Parser, Tag, TagEnd};
use robots_policy::text::{printable, shortened};

/// The maximum length of a text that is shown, in characters.
const MAX_SHOWN: usize = 1_000;

/// Returns a text as code in Markdown, so that nothing in it is markup. Of a long text, it is the start.
pub(super) fn code(text: &str) -> String {
    let text = shortened(text, MAX_SHOWN);
    let text = printable(&text);
    let runs = text.split(|c| c != '`').map(str::len);
    // Longer than each run of backticks in the text.
    let fence = "`".repeat(runs.max().unwrap_or(0) + 1);
    if text.is_empty() || text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) {
        format!("{fence} {text} {fence}")
    } else {
        format!("{fence}{text}{fence}")
    }
}

/// Returns Markdown as plain text. The address of a link follows its text. Linear in the text.
pub(super) fn plain(markdown: &str) -> String {
    let mut text = String::new();
    let mut address = String::new();
    for event in Parser::new(markdown) {
        match event {
            Event::Text(part) | Event::Code(part) | Event::Html(part) | Event::InlineHtml(part) => {
                text.push_str(&part);
            }
            Event::SoftBreak | Event::HardBreak => text.push('\n'),
            Event::Start(Tag::Item) => text.push_str("* "),
            Event::Start(Tag::Link { dest_url, .. }) => address = dest_url.into_string(),
            Event::End(TagEnd::Link) => text.extend([" (", &address, ")"]),
            Event::End(TagEnd::Item) => end_with(&mut text, "\n"),
            Event::End(
                TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::CodeBlock | TagEnd::List(_),
            ) => end_with(&mut text, "\n\n"),
            _ => {}
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Ends a text with line ends instead of those that it ends with.
fn end_with(text: &mut String, end: &str) {
    text.truncate(text.trim_end().len());
    text.push_str(end);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_has_no_markup() {
        for (text, expected) in [
            ("/a", "`/a`"),
            ("/a`b``c", "```/a`b``c```"),
            ("`", "`` ` ``"),
            ("", "`  `"),
            ("[x](http://example.com)", "`[x](http://example.com)`"),
        ] {
            assert_eq!(code(text), expected);
            if !text.is_empty() {
                assert_eq!(plain(&code(text)), text);
            }
        }
    }

    #[test]
    fn code_has_a_length() {
        for (length, end) in [
            (999, "x`"),
            (1_000, "x`"),
            (1_001, "x\u{2026}`"),
            (16 << 20, "x\u{2026}`"),
        ] {
            let shown = code(&"x".repeat(length));
            assert!(shown.ends_with(end) && shown.len() <= 1_005, "{length}");
        }
    }

    #[test]
    fn plain_text_has_no_markup() {
        let markdown =
            "**a** `b`\n\n---\n\n### c\n\n* d\n* [e](https://example.com/)\n\n```\nf\n```\n";
        assert_eq!(
            plain(markdown),
            "a b\n\nc\n\n* d\n* e (https://example.com/)\n\nf"
        );
    }
}
