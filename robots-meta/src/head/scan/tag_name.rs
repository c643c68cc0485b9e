//! The names of the tags that matter to a HEAD.

/// A tag's name, as far as HEAD is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    Html,
    Head,
    Body,
    Base,
    Basefont,
    Bgsound,
    Br,
    Link,
    Meta,
    Noframes,
    Noscript,
    Script,
    Style,
    Template,
    Title,
    /// Any other.
    Other,
}

/// The bit 0x20 of each of eight bytes. Setting it makes ASCII letters small, and makes nothing else a letter.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// A name of at most eight bytes as a number: the first byte lowest.
#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which reports a panic"
)]
const fn key(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut key = 0;
    let mut at = bytes.len();
    while at > 0 {
        at -= 1;
        key = key << 8 | bytes[at] as u64;
    }
    key
}

const HTML: u64 = key("html");
const HEAD: u64 = key("head");
const BODY: u64 = key("body");
const BASE: u64 = key("base");
const BASEFONT: u64 = key("basefont");
const BGSOUND: u64 = key("bgsound");
const BR: u64 = key("br");
const LINK: u64 = key("link");
const META: u64 = key("meta");
const NOFRAMES: u64 = key("noframes");
const NOSCRIPT: u64 = key("noscript");
const SCRIPT: u64 = key("script");
const STYLE: u64 = key("style");
const TEMPLATE: u64 = key("template");
const TITLE: u64 = key("title");

impl Name {
    /// Returns the name that begins at `start` in some bytes and ends at `end`, in any case.
    #[inline]
    pub(crate) fn of(bytes: &[u8], start: usize, end: usize) -> Self {
        let rest = bytes.get(start..).unwrap_or_default();
        let word = match rest.first_chunk() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest
                .iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        // The bits of `word` that belong to the name.
        let used = match end - start {
            0 => 0,
            length @ 1..8 => !(u64::MAX << (8 * length)),
            8 => u64::MAX,
            // No known name is longer than eight bytes.
            _ => return Self::Other,
        };
        match (word | SMALL) & used {
            META => Self::Meta,
            LINK => Self::Link,
            SCRIPT => Self::Script,
            STYLE => Self::Style,
            TITLE => Self::Title,
            HTML => Self::Html,
            HEAD => Self::Head,
            BODY => Self::Body,
            BASE => Self::Base,
            BASEFONT => Self::Basefont,
            BGSOUND => Self::Bgsound,
            BR => Self::Br,
            NOFRAMES => Self::Noframes,
            NOSCRIPT => Self::Noscript,
            TEMPLATE => Self::Template,
            _ => Self::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(name: &[u8]) -> Name {
        let found = Name::of(name, 0, name.len());
        let among = [b"<", name, b" another"].concat();
        assert_eq!(Name::of(&among, 1, 1 + name.len()), found);
        found
    }

    #[test]
    fn names_are_known_in_any_case_and_only_whole() {
        assert_eq!(whole(b"meta"), Name::Meta);
        assert_eq!(whole(b"MeTa"), Name::Meta);
        assert_eq!(whole(b"NOSCRIPT"), Name::Noscript);
        assert_eq!(whole(b"br"), Name::Br);
        for other in [
            &b"met"[..],
            b"metas",
            b"meta\0",
            b"meta\0\0\0\0",
            b"noscripts",
            b"m\x25ta",
            b"",
            b"\xEF\xBB\xBFmeta",
        ] {
            assert_eq!(whole(other), Name::Other, "{other:?}");
        }
    }
}
