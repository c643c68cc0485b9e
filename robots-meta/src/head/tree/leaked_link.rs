//! The links of a TEMPLATE that the tree builder opens again after it.
//!
//! The end of a TEMPLATE clears the list of active formatting elements up to its last marker (HTML,
//! 13.2.4.3 and 13.2.6.4.4, read 2026-11-23). If the TEMPLATE leaves an `object`, `applet` or `marquee`
//! open, that marker is the `object`'s, and the formatting elements before it stay in the list. The
//! next content of BODY opens them again, as elements of the document. An `a` is the only formatting
//! element with a fact for robots.
//!
//! The tree builder copies the attributes of a tag to each element that it makes of the tag. So the
//! link travels as attributes. Each of its bytes becomes the character with the number of the byte, as the
//! encoding of the page may still be unknown.

use html5ever::Attribute;

/// The names of the attributes that carry a link to the tree builder.
const OFFSET: &str = "offset";
const HREF: &str = "href";
const REL: &str = "rel";

/// A link whose tag is in a TEMPLATE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LinkInTemplate {
    /// The offset of its `<` in the page.
    pub(crate) offset: usize,
    /// Its URL as written, with the byte that ends it, which decoding needs; `None` if the tag is too long to
    /// be read.
    pub(crate) href: Option<Vec<u8>>,
    /// The value of `rel` as written.
    pub(crate) rel: Vec<u8>,
}

impl LinkInTemplate {
    /// Returns the attributes that carry the link.
    pub(crate) fn to_attributes(&self) -> Vec<(String, String)> {
        let mut attributes = vec![(OFFSET.to_owned(), self.offset.to_string())];
        let href = self.href.as_ref().map(|href| (HREF, href));
        for (name, bytes) in href.into_iter().chain([(REL, &self.rel)]) {
            let text = bytes.iter().map(|&byte| char::from(byte)).collect();
            attributes.push((name.to_owned(), text));
        }
        attributes
    }

    /// Returns the offset of the link that attributes carry, if they carry one.
    pub(super) fn offset_in(attributes: &[Attribute]) -> Option<usize> {
        value(attributes, OFFSET)?.parse().ok()
    }

    /// Returns the link that attributes carry, if they carry one. Linear in their values.
    pub(super) fn of_attributes(attributes: &[Attribute]) -> Option<Self> {
        let value = |wanted: &str| value(attributes, wanted);
        let bytes = |text: &str| -> Vec<u8> {
            text.chars()
                .filter_map(|character| u8::try_from(character).ok())
                .collect()
        };
        Some(Self {
            offset: Self::offset_in(attributes)?,
            href: value(HREF).map(bytes),
            rel: value(REL).map(bytes).unwrap_or_default(),
        })
    }
}

fn value<'a>(attributes: &'a [Attribute], wanted: &str) -> Option<&'a str> {
    let found = attributes.iter().find(|found| *found.name.local == *wanted);
    found.map(|found| &*found.value)
}
