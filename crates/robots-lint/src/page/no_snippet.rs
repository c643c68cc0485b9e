//! `data-nosnippet` on elements where Google ignores it (docs/semantics.md, section 5.1).

use super::PageFinding;
use super::input::PageInput;
use super::location::Spot;
use crate::catalogue::FindingKind as Kind;
use robots_meta::PageFacts;

/// Returns a finding for each element with `data-nosnippet` that is not a `span`, `div` or `section`, at the name of
/// its tag.
pub(super) fn findings(page: &PageInput, facts: &PageFacts) -> impl Iterator<Item = PageFinding> {
    facts.no_snippets_on_other_elements().map(|offset| {
        let start = offset + "<".len();
        let tag = &page.html()[start..];
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
        let length = tag.iter().take_while(|byte| is_name(byte)).count();
        let spot = Spot::Page(start..start + length);
        PageFinding::new(Kind::NoSnippetElement, spot)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageLinter;
    use robots_meta::Timestamp;

    #[test]
    fn an_element_where_google_ignores_the_attribute() {
        let columns = |html: &str| -> Vec<(Kind, usize)> {
            let linter = PageLinter::new(&["robots"]);
            let linted = linter.lint(PageInput::new(html), Timestamp::from_seconds(0));
            let found = linted.findings().into_iter();
            found
                .map(|found| (found.kind, found.location.column))
                .collect()
        };
        let found = |column| vec![(Kind::NoSnippetElement, column)];
        assert_eq!(columns("<body><p data-nosnippet>x"), found(8));
        assert_eq!(columns("<B DATA-NOSNIPPET=false>x"), found(2));
        assert_eq!(columns("<x-note data-nosnippet>x"), found(2));
        for honoured in ["span", "div", "SECTION"] {
            assert_eq!(columns(&format!("<p><{honoured} data-nosnippet>x")), []);
        }
        // Not in the document.
        assert_eq!(columns("<template><p data-nosnippet></template>x"), []);
        assert_eq!(columns("<!-- <p data-nosnippet> -->x"), []);
    }
}
