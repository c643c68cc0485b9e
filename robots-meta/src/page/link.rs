//! The links of a page.

use crate::value::Rel;

/// The link of a HEAD that names the page's canonical URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical<'p> {
    pub(crate) offset: usize,
    pub(crate) href: &'p str,
}

impl<'p> Canonical<'p> {
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The URL as written, without white space around it; it may be relative.
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
    /// The offset of its `<` in the bytes of the page.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The value of `href` (of a form, `action`), as it is written; it may be relative.
    pub fn href(&self) -> &'p str {
        self.href
    }

    /// What it says to robots.
    pub fn rel(&self) -> Rel {
        self.rel
    }
}
