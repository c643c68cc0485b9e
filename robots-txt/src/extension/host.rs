//! `Host: name`: the preferred one of a site's names. Yandex dropped it in March 2018 in favour of
//! redirects (docs/semantics.md, section 2.5). It belongs to the file, not to a group.

/// A preferred name, with its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Host<'a> {
    line: usize,
    text: &'a [u8],
}

impl<'a> Host<'a> {
    /// Takes a value as it is; `None` if it is empty.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        (!value.is_empty()).then_some(Self { line, text: value })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the value as written: a host, perhaps with a scheme or a port, or anything.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_kept_as_written() {
        let host = Host::read(3, b"https://WWW.a.example:8080").unwrap();
        assert_eq!(host.line(), 3);
        assert_eq!(host.text(), b"https://WWW.a.example:8080");
        assert_eq!(Host::read(3, b""), None);
    }
}
