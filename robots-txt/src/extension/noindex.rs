//! `Noindex: path`: pages to keep out of an index. No standard defines it, and Google has ignored it
//! since 2019-09-01 (docs/semantics.md, section 10). Callers may report it; no
//! decision takes it into account.

/// A path pattern of pages to keep out of an index, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Noindex<'a> {
    line: usize,
    path: &'a [u8],
}

impl<'a> Noindex<'a> {
    /// Takes a value as it is; `None` if it is empty, which has no effect, like an empty
    /// `Disallow`.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, path: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the path pattern as written.
    pub fn path(&self) -> &'a [u8] {
        self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_kept_as_written() {
        let found = Noindex::read(2, b"/a/*.PDF$").unwrap();
        assert_eq!((found.line(), found.path()), (2, &b"/a/*.PDF$"[..]));
        assert_eq!(Noindex::read(2, b""), None);
    }
}
