//! Texts for people in HTML.

use maud::Render;
use robots_policy::text::{self, joined, printable};

/// Returns a text of up to `max` characters, and the number of characters that were left out.
pub(super) fn cut(text: &str, max: usize) -> (&str, usize) {
    match text.char_indices().nth(max) {
        Some((end, _)) => {
            let (start, rest) = text.split_at(end);
            (start, rest.chars().count())
        }
        None => (text, 0),
    }
}

/// Returns the engines of an answer in words, out of all engines that were asked.
pub(super) fn engines(some: &[&str], all: &[&str]) -> String {
    let others: Vec<&str> = all
        .iter()
        .filter(|name| !some.contains(name))
        .copied()
        .collect();
    match others.len() {
        0 if all.len() > 1 => "every engine".to_owned(),
        1 | 2 if some.len() > others.len() + 1 => {
            format!("every engine but {}", joined(&others))
        }
        _ => joined(some),
    }
}

/// Returns a sentence: with a capital letter at its start, and a full stop.
pub(super) fn sentence(clause: &str) -> String {
    format!("{}.", capitalised(clause))
}

/// Returns a text with a capital letter at its start, unless it is the name of the file.
pub(super) fn capitalised(text: &str) -> String {
    if text.starts_with("robots.txt") {
        return text.to_owned();
    }
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

/// A message, in which texts in backticks are code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'t>(pub(super) &'t str);

impl Render for Message<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut parts = self.0.split('`').peekable();
        let mut is_code = false;
        while let Some(part) = parts.next() {
            // A backtick without a second one is shown.
            let is_closed = parts.peek().is_some();
            match (is_code, is_closed) {
                (true, true) => {
                    buffer.push_str("<code>");
                    printable(part).render_to(buffer);
                    buffer.push_str("</code>");
                }
                (true, false) => {
                    buffer.push('`');
                    printable(part).render_to(buffer);
                }
                (false, _) => printable(part).render_to(buffer),
            }
            is_code = !is_code;
        }
    }
}

/// Returns a number with its noun, in the plural if needed: `1 line`, `12,000 lines`.
pub(super) fn counted(number: usize, noun: &str) -> String {
    text::counted(number as u64, noun)
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn markup_and_unprintable_characters_are_escaped() {
        let text = printable("<a href='\"'>&\u{7}\u{202e}\u{2028}");
        let page = html! { p title=(text) { (text) } };
        let escaped = "&lt;a href='&quot;'&gt;&amp;\\u{7}\\u{202e}\\u{2028}";
        let expected = format!("<p title=\"{escaped}\">{escaped}</p>");
        assert_eq!(page.into_string(), expected);
    }

    #[test]
    fn texts_in_backticks_are_code() {
        let html = |text: &str| Message(text).render().into_string();
        assert_eq!(html("a `<b>` c"), "a <code>&lt;b&gt;</code> c");
        assert_eq!(html("a `b"), "a `b");
        assert_eq!(html("`a` `b` `"), "<code>a</code> <code>b</code> `");
    }

    #[test]
    fn texts_are_cut_at_a_character() {
        assert_eq!(cut("caf\u{e9}s", 5), ("caf\u{e9}s", 0));
        assert_eq!(cut("caf\u{e9}s", 4), ("caf\u{e9}", 1));
        assert_eq!(cut("", 0), ("", 0));
    }

    #[test]
    fn names_and_numbers_are_for_people() {
        let all = ["a", "b", "c", "d", "e"];
        assert_eq!(engines(&all, &all), "every engine");
        assert_eq!(engines(&all[1..], &all), "every engine but a");
        assert_eq!(engines(&all[3..], &all), "d and e");
        assert_eq!(engines(&["a"], &["a"]), "a");
        assert_eq!(sentence("a b"), "A b.");
        assert_eq!(sentence("robots.txt is cut"), "robots.txt is cut.");
    }
}
