//! Text in HTML: escaped by its type.

use crate::terminal::printable;
use maud::{Escaper, Render};
use std::fmt::Write;

/// A text to show in a page, with markup and unprintable characters escaped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain<'t>(pub(super) &'t str);

impl Render for Plain<'_> {
    fn render_to(&self, buffer: &mut String) {
        // Writing to a string cannot fail.
        let _ = Escaper::new(buffer).write_str(&printable(self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn markup_and_unprintable_characters_are_escaped() {
        let text = Plain("<a href='\"'>&\u{7}\u{202e}\u{2028}");
        let page = html! { p title=(text) { (text) } };
        let escaped = "&lt;a href='&quot;'&gt;&amp;\\u{7}\\u{202e}\\u{2028}";
        let expected = format!("<p title=\"{escaped}\">{escaped}</p>");
        assert_eq!(page.into_string(), expected);
    }
}
