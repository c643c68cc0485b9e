//! Text in HTML: escaped by its type, without control characters.

use maud::{Escaper, Render};
use std::fmt::Write;

/// A text to show in a page. Markup in it is escaped, and control characters become U+FFFD.
#[derive(Debug, Clone, Copy)]
pub(super) struct Plain<'t>(pub(super) &'t str);

impl Render for Plain<'_> {
    fn render_to(&self, buffer: &mut String) {
        let mut escaper = Escaper::new(buffer);
        for c in self.0.chars() {
            let shown = if c.is_control() { '\u{fffd}' } else { c };
            // Writing to a string cannot fail.
            let _ = escaper.write_char(shown);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use maud::html;

    #[test]
    fn markup_is_escaped() {
        let text = Plain("<a href='\"'>&\u{7}");
        let page = html! { p title=(text) { (text) } };
        let escaped = "&lt;a href='&quot;'&gt;&amp;\u{fffd}";
        let expected = format!("<p title=\"{escaped}\">{escaped}</p>");
        assert_eq!(page.into_string(), expected);
    }
}
