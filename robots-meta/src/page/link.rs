//! The links of a page.

use crate::value::Rel;

/// The link of a HEAD with the canonical URL of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical<'p> {
    pub(crate) offset: usize,
    pub(crate) href: &'p str,
}

impl<'p> Canonical<'p> {
    /// Returns the offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the URL as written, without white space around it; it may be relative.
    pub fn href(&self) -> &'p str {
        self.href
    }
}

/// A link of the document: an `a`, `area` or `form` with an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link<'p> {
    pub(crate) offset: usize,
    pub(crate) href: &'p str,
    pub(crate) rel: Rel,
}

impl<'p> Link<'p> {
    /// Returns the offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the value of `href` (of a form, `action`), as written; it may be relative.
    pub fn href(&self) -> &'p str {
        self.href
    }

    /// Returns the tokens of its `rel` that concern robots.
    pub fn rel(&self) -> Rel {
        self.rel
    }
}
