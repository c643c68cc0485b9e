//! The places of statements, for people: METAs by line and column.

use super::evidence::KnownPage;
use robots_lint::report::lines::{Lines, Position, encoding_of, next_line_start};
use robots_meta::HeadOptions;
use robots_policy::decision::Source;
use std::collections::BTreeMap;
use std::ops::Range;

/// The places of the statements about a page, for people.
#[derive(Debug, Clone, Default)]
pub struct StatementPlaces {
    /// The positions of METAs, by offset.
    metas: BTreeMap<usize, Option<Position>>,
}

impl StatementPlaces {
    /// Returns the places of the statements of a page, some of which are METAs with these offsets. Linear in the page.
    pub fn new(page: &KnownPage, metas: impl IntoIterator<Item = usize>) -> Self {
        let metas = metas.into_iter().map(|offset| (offset, None));
        let mut metas: BTreeMap<usize, Option<Position>> = metas.collect();
        if metas.is_empty() {
            return Self { metas };
        }
        let mut lines = lines(page);
        for (offset, position) in &mut metas {
            *position = Some(lines.position(*offset));
        }
        Self { metas }
    }

    /// Returns the place of a statement, such as `META in line 2, column 5`: line and column are counted from 1, columns in
    /// characters.
    pub fn text(&self, source: &Source) -> String {
        if let Source::Meta { offset } = source
            && let Some(Some(position)) = self.metas.get(offset)
        {
            return format!("META in line {}, column {}", position.line, position.column);
        }
        source.to_string()
    }
}

/// Returns the finder of lines in the encoding of a page.
fn lines(page: &KnownPage) -> Lines<'_> {
    let head = HeadOptions::new().with_charset(page.charset().unwrap_or_default());
    Lines::new(&page.body, encoding_of(head.read(&page.body).encoding()))
}

/// Returns the line in which a META at an offset begins: its number from 1, its text, and the range in bytes of the tag in the text,
/// as far as it is in this line. `None` if the page is shorter. Linear in the page.
pub fn meta_line(page: &KnownPage, offset: usize) -> Option<(usize, String, Range<usize>)> {
    let mut lines = lines(page);
    let (position, encoding) = (lines.position(offset), lines.encoding());
    let before = page.body.get(position.line_start..offset)?;
    let rest = page.body.get(offset..)?;
    let end = next_line_start(rest, encoding).unwrap_or(rest.len());
    let text = |bytes| encoding.decode_without_bom_handling(bytes).0;
    let (before, rest) = (text(before), text(rest.get(..end)?));
    let rest = rest.trim_end();
    let tag = rest.find('>').map_or(rest.len(), |at| at + 1);
    let part = before.len()..before.len() + tag;
    Some((position.line, before.into_owned() + rest, part))
}

/// Returns the tag of the META at an offset as it is in the source of a page, on one line. `None` in UTF-16, and if there is no META.
/// Linear in the page.
pub fn meta_tag(page: &KnownPage, offset: usize) -> Option<String> {
    let head = HeadOptions::new().with_charset(page.charset().unwrap_or_default());
    let facts = head.read_document(&page.body);
    let encoding = encoding_of(facts.encoding());
    let meta = facts.metas().find(|meta| meta.offset() == offset)?;
    let span = Some(meta.span()).filter(|_| encoding.is_ascii_compatible())?;
    let (text, _) = encoding.decode_without_bom_handling(page.body.get(span)?);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Some(lines.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_that_of_the_source_and_nothing_else() {
        let tag = |html: &[u8], offset| meta_tag(&KnownPage::of_html(html.to_vec()), offset);
        let html = b"<p>secret<META\r\n  name='robots'\n\n content=\"a>b, noindex\">secret";
        let found = tag(html, 9);
        assert_eq!(
            found.as_deref(),
            Some("<META name='robots' content=\"a>b, noindex\">")
        );
        assert_eq!(tag(html, 0), None);
        assert_eq!(
            tag(b"<meta name=robots content=noindex", 0),
            None,
            "not closed"
        );
    }

    #[test]
    fn metas_have_lines_and_columns() {
        let html = "<title>\u{e9}</title>\r\n \u{e9}<meta name=robots><meta name=robots>";
        let mut page = KnownPage::of_html(html.as_bytes().to_vec());
        page.charset = Some("utf-8".to_owned());
        let places = StatementPlaces::new(&page, [40, 22]);
        let text = |offset| places.text(&Source::Meta { offset });
        assert_eq!(&html[22..27], "<meta");
        assert_eq!(text(22), "META in line 2, column 3");
        assert_eq!(&html[40..45], "<meta");
        assert_eq!(text(40), "META in line 2, column 21");
        assert_eq!(text(1), "META at byte 1");
        assert_eq!(places.text(&Source::Page), "page");
        let utf16: Vec<u8> = "\n <meta"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let mut page = KnownPage::of_html(utf16);
        page.charset = Some("utf-16le".to_owned());
        let places = StatementPlaces::new(&page, [4]);
        assert_eq!(
            places.text(&Source::Meta { offset: 4 }),
            "META in line 2, column 2"
        );
        assert_eq!(meta_line(&page, 4), Some((2, " <meta".to_owned(), 1..6)));
    }
}
