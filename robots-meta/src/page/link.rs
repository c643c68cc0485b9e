//! The links of a page.

use crate::value::Rel;

/// A link of a HEAD: the canonical URL of the page, or a licence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HeadLink<'p> {
    pub(crate) offset: usize,
    pub(crate) href: &'p str,
}

impl<'p> HeadLink<'p> {
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
