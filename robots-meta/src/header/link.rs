//! `Link: <URL>; rel="canonical"`: links about the page (RFC 8288).
//!
//! A value becomes links, each with its place; only those with a relation that concerns robots are
//! kept. The steps are those of RFC 8288, appendix B.2 to B.4. Linear in the value.

use crate::cursor::Cursor;
use crate::directive::offset_in;
use crate::value::MediaType;
use std::borrow::Cow;

/// The relations that are kept: the page's canonical URL (RFC 6596), and its licence (RFC 4946;
/// docs/semantics.md, section 4.7).
const RELATIONS: [&str; 2] = ["canonical", "license"];

/// A link of a `Link` header that concerns robots.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct HeaderLink<'a> {
    index: usize,
    offset: usize,
    href: &'a str,
    rel: Cow<'a, str>,
    anchor: Option<Cow<'a, str>>,
    media_type: Option<Cow<'a, str>>,
}

impl<'a> HeaderLink<'a> {
    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the offset of its `<` in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the URL as written, without white space around it. It may be relative to that of the
    /// page, or empty.
    pub fn href(&self) -> &'a str {
        self.href
    }

    /// Returns its relations, as written.
    pub fn relations(&self) -> impl Iterator<Item = &str> {
        self.rel.split_ascii_whitespace()
    }

    /// Returns whether it has this relation, ASCII case ignored.
    pub fn has_relation(&self, relation: &str) -> bool {
        self.relations()
            .any(|found| found.eq_ignore_ascii_case(relation))
    }

    /// Returns the value of `anchor`: the URL of the subject of the link, if it is not the page.
    pub fn anchor(&self) -> Option<&str> {
        self.anchor.as_deref()
    }

    /// Returns whether the link is about the page: it has no `anchor` (RFC 8288, section 3.2, lets
    /// readers ignore other links).
    pub fn is_about_page(&self) -> bool {
        self.anchor.is_none()
    }

    /// Returns the value of `type`: a hint at the media type of the target, such as
    /// `application/rsl+xml`.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns whether the type is that of a licence of RSL ([`MediaType::is_rsl`]).
    pub fn is_rsl(&self) -> bool {
        let media_type = self.media_type();
        media_type.is_some_and(|media_type| MediaType::parse(media_type).is_rsl())
    }
}

/// Reads the links of a line. Text that is not a link ends it (RFC 8288, appendix B.2).
pub(super) fn read<'a>(index: usize, value: &'a str, links: &mut Vec<HeaderLink<'a>>) {
    let mut cursor = Cursor(value);
    loop {
        // Lists may have empty members (RFC 9110, 5.6.1.2).
        cursor.skip(", \t");
        let offset = offset_in(value, cursor.0);
        if !cursor.eat('<') {
            return;
        }
        let href = cursor.take(|c| c != '>').trim();
        if !cursor.eat('>') {
            return;
        }
        let parameters = Parameters::read(&mut cursor);
        let link = HeaderLink {
            index,
            offset,
            href,
            rel: parameters.rel.unwrap_or_default(),
            anchor: parameters.anchor,
            media_type: parameters.media_type,
        };
        if RELATIONS.iter().any(|relation| link.has_relation(relation)) {
            links.push(link);
        }
    }
}

/// The parameters of a link that have a meaning here; of those with one name, the first.
#[derive(Debug, Default)]
struct Parameters<'a> {
    rel: Option<Cow<'a, str>>,
    anchor: Option<Cow<'a, str>>,
    media_type: Option<Cow<'a, str>>,
}

impl<'a> Parameters<'a> {
    /// Reads `*( ";" name [ "=" value ] )`, with white space anywhere (RFC 8288, B.3).
    fn read(cursor: &mut Cursor<'a>) -> Self {
        let mut parameters = Self::default();
        loop {
            cursor.skip(" \t");
            if !cursor.eat(';') {
                return parameters;
            }
            cursor.skip(" \t");
            let name = cursor.take(|c| !" \t=;,".contains(c));
            cursor.skip(" \t");
            let value = if cursor.eat('=') {
                cursor.skip(" \t");
                value(cursor)
            } else {
                Cow::default()
            };
            if let Some(slot) = parameters.slot(name)
                && slot.is_none()
            {
                *slot = Some(value);
            }
        }
    }

    fn slot(&mut self, name: &str) -> Option<&mut Option<Cow<'a, str>>> {
        if name.eq_ignore_ascii_case("rel") {
            Some(&mut self.rel)
        } else if name.eq_ignore_ascii_case("anchor") {
            Some(&mut self.anchor)
        } else if name.eq_ignore_ascii_case("type") {
            Some(&mut self.media_type)
        } else {
            None
        }
    }
}

/// Reads a value in quotes, or the text before the next parameter or link.
fn value<'a>(cursor: &mut Cursor<'a>) -> Cow<'a, str> {
    if cursor.eat('"') {
        quoted(cursor)
    } else {
        let value = cursor.take(|c| c != ';' && c != ',');
        Cow::Borrowed(value.trim_end_matches([' ', '\t']))
    }
}

/// Reads the text before the closing quote, or the end; a backslash escapes any character (RFC
/// 8288, appendix B.4).
fn quoted<'a>(cursor: &mut Cursor<'a>) -> Cow<'a, str> {
    let is_plain = |c: char| c != '"' && c != '\\';
    let mut text = Cow::Borrowed(cursor.take(is_plain));
    while cursor.eat('\\') {
        let text = text.to_mut();
        text.extend(cursor.take_one());
        text.push_str(cursor.take(is_plain));
    }
    cursor.eat('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn links(value: &str) -> Vec<HeaderLink<'_>> {
        let mut links = Vec::new();
        read(0, value, &mut links);
        links
    }

    fn canonicals(value: &str) -> Vec<&str> {
        links(value)
            .iter()
            .filter(|link| link.has_relation("canonical") && link.is_about_page())
            .map(HeaderLink::href)
            .collect()
    }

    #[test]
    fn links_as_servers_write_them() {
        for value in [
            "<https://a.example/>; rel=\"canonical\"",
            "<https://a.example/>;rel=canonical",
            " < https://a.example/ > ; REL = \"Canonical\" ",
            "<https://a.example/>; rel=\"alternate canonical\"",
            "<https://a.example/>; rel=\"\tcanonical\t \"",
            "<https://a.example/>; rel=alternate canonical",
            "<https://a.example/>; rel=\"c\\anon\\ical\"",
            "<https://a.example/>; hreflang=de; rel=canonical; title=\"a, <b>; rel=x\"",
            "<https://a.example/>; crossorigin; rel=canonical;",
            "<https://a.example/>;;rel=canonical",
            // A quote that is not closed extends to the end.
            "<https://a.example/>; rel=\"canonical",
            ",, <https://a.example/>; rel=canonical ,",
        ] {
            assert_eq!(canonicals(value), ["https://a.example/"], "{value}");
        }
    }

    #[test]
    fn several_links_on_a_line() {
        let value = "</a,b>; rel=\"preload, canonical\"; as=style, </c>; rel=canonical, \
                     </d>; rel=license; type=application/rsl+xml,</e>;rel=\"license canonical\"";
        let found = links(value);
        let hrefs: Vec<_> = found.iter().map(HeaderLink::href).collect();
        // The first one's relations are `preload,` and `canonical`.
        assert_eq!(hrefs, ["/a,b", "/c", "/d", "/e"]);
        assert_eq!(found[2].media_type(), Some("application/rsl+xml"));
        assert_eq!(found[3].media_type(), None);
        for link in &found {
            assert!(value[link.offset()..].starts_with(&format!("<{}>", link.href())));
        }
        assert_eq!(
            found[3].relations().collect::<Vec<_>>(),
            ["license", "canonical"]
        );
    }

    #[test]
    fn the_first_parameter_of_a_name_counts() {
        assert_eq!(canonicals("</a>; rel=canonical; rel=next"), ["/a"]);
        assert_eq!(canonicals("</a>; rel=next; rel=canonical"), [""; 0]);
        assert_eq!(canonicals("</a>; rel; rel=canonical"), [""; 0]);
        let found = links("</a>; rel=license; type=a/b; type=c/d");
        assert_eq!(found[0].media_type(), Some("a/b"));
    }

    #[test]
    fn a_link_with_an_anchor_is_about_something_else() {
        let found = links("</a>; rel=canonical; anchor=\"/b\", </c>; anchor=\"\"; rel=canonical");
        let anchors: Vec<_> = found.iter().map(HeaderLink::anchor).collect();
        assert_eq!(anchors, [Some("/b"), Some("")]);
        assert!(!found.iter().any(HeaderLink::is_about_page));
    }

    #[test]
    fn lines_without_a_canonical_link() {
        for value in [
            "",
            "https://a.example/; rel=canonical",
            "</a; rel=canonical",
            "</a> rel=canonical",
            "</a>; rel='canonical'",
            "</a>; rel=canonicals",
            "</a>; rev=canonical",
            "</a>; rel*=canonical",
            "x, </a>; rel=canonical",
            "</a>; rel=\"next\"x, </b>; rel=canonical",
        ] {
            assert_eq!(canonicals(value), [""; 0], "{value}");
        }
        // Text that is not a link ends the line: links before it are read, links after it are not.
        assert_eq!(
            canonicals("</a>; rel=canonical, x, </b>; rel=canonical"),
            ["/a"]
        );
        assert_eq!(canonicals("<>; rel=canonical"), [""]);
    }

    proptest! {
        #[test]
        fn any_text_is_accepted(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "<", ">", "</a>;rel=canonical", ";", ",", "=", "\"", "\\", " ", "rel", "anchor",
                    "license", "é",
                ]),
                0..30,
            ),
        ) {
            let value = parts.concat();
            for link in links(&value) {
                prop_assert!(value[link.offset()..].starts_with('<'));
            }
        }

        #[test]
        fn quoted_values_are_read_back(title in "\\PC{0,20}") {
            let quoted = title.replace('\\', "\\\\").replace('"', "\\\"");
            let value = format!("</a>; rel=license; type=\"{quoted}\", </b>; rel=canonical");
            let found = links(&value);
            prop_assert_eq!(found.len(), 2);
            prop_assert_eq!(found[0].media_type(), Some(title.as_str()));
        }
    }
}
