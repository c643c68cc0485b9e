//! Elements whose content is text up to their own end tag: SCRIPT, STYLE, TITLE and their like
//! (HTML, 13.2.5.2 to 13.2.5.31, read 2026-11-21).

use super::tag::ends_name;
use memchr::{memchr, memchr2};

/// An element whose content is text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RawText {
    Iframe,
    Noembed,
    Noframes,
    Noscript,
    Script,
    Style,
    Textarea,
    Title,
    Xmp,
}

/// The length of the longest end tag of a raw text element: `</noframes>`.
pub(crate) const LONGEST_END: usize = 11;

impl RawText {
    pub(crate) fn name(self) -> &'static [u8] {
        match self {
            Self::Iframe => b"iframe",
            Self::Noembed => b"noembed",
            Self::Noframes => b"noframes",
            Self::Noscript => b"noscript",
            Self::Script => b"script",
            Self::Style => b"style",
            Self::Textarea => b"textarea",
            Self::Title => b"title",
            Self::Xmp => b"xmp",
        }
    }

    /// Returns the element of this name, in lower case.
    pub(crate) fn of(name: &str) -> Option<Self> {
        [
            Self::Iframe,
            Self::Noembed,
            Self::Noframes,
            Self::Noscript,
            Self::Script,
            Self::Style,
            Self::Textarea,
            Self::Title,
            Self::Xmp,
        ]
        .into_iter()
        .find(|element| element.name() == name.as_bytes())
    }
}

/// The degree to which the text of a script is hidden from browsers without scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Hidden {
    #[default]
    No,
    /// After `<!--`: `-->` ends it, and `</script>` still ends the script.
    Once,
    /// After `<!--` and `<script`: `</script>` ends only this inner script, and `-->` ends both.
    Twice,
}

/// The state of reading the content of a [`RawText`] element.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Content {
    element: RawText,
    hidden: Hidden,
    /// The number of hyphens directly before the next byte, at most 2. Only counted in hidden text.
    hyphens: u8,
}

/// The result of reading content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Until {
    /// The end tag begins at this offset.
    EndTag(usize),
    /// The bytes before this offset were read. If bytes follow, they begin with a `<` whose kind depends
    /// on the bytes after them.
    More(usize),
}

/// The kind of text that begins with a `<`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    EndTag,
    /// `<script`, or its end tag, where it changes [`Hidden`].
    Script,
    /// `<!--`
    Hide,
    Text,
    NeedMore,
}

impl Content {
    pub(crate) fn new(element: RawText) -> Self {
        Self {
            element,
            hidden: Hidden::No,
            hyphens: 0,
        }
    }

    /// Returns the length of the element's end tag up to the end of its name: that of `</title`.
    pub(crate) fn bare_end_tag_length(self) -> usize {
        self.element.name().len() + 2
    }

    /// Reads content up to the end tag or the end of the bytes. After [`Until::More`], the bytes from its
    /// offset on must be passed again, with more after them.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Until {
        let mut at = 0_usize;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            if self.hidden == Hidden::No {
                let Some(found) = memchr(b'<', rest) else {
                    return Until::More(bytes.len());
                };
                at += found;
            } else {
                match self.hidden_text(rest) {
                    Some(length) => at += length,
                    None => return Until::More(bytes.len()),
                }
                if self.hidden == Hidden::No {
                    continue;
                }
            }
            let rest = bytes.get(at..).unwrap_or_default();
            let step = match self.opening(rest) {
                Opening::EndTag => return Until::EndTag(at),
                Opening::NeedMore => return Until::More(at),
                Opening::Text => {
                    self.hyphens = 0;
                    1
                }
                Opening::Hide => {
                    self.hidden = Hidden::Once;
                    // These hyphens may also be those of the `-->`: `<!-->`.
                    self.hyphens = 2;
                    4
                }
                Opening::Script => {
                    self.hidden = match self.hidden {
                        Hidden::Twice => Hidden::Once,
                        _ => Hidden::Twice,
                    };
                    self.hyphens = 0;
                    // Any offset within the tag's name will do: the rest of the name has no `<` or `-`.
                    self.element.name().len()
                }
            };
            at += step;
        }
    }

    /// Reads hidden text up to a `<`, or past the `-->` that ends it. Returns the length; `None` if the text
    /// has neither.
    fn hidden_text(&mut self, text: &[u8]) -> Option<usize> {
        let mut at = 0_usize;
        loop {
            // After a hyphen, any next byte matters.
            if self.hyphens == 0 {
                at += memchr2(b'<', b'-', text.get(at..)?)?;
            }
            match text.get(at)? {
                b'<' => {
                    return Some(at);
                }
                b'-' => self.hyphens = (self.hyphens + 1).min(2),
                b'>' if self.hyphens == 2 => {
                    self.hidden = Hidden::No;
                    self.hyphens = 0;
                    return Some(at + 1);
                }
                _ => self.hyphens = 0,
            }
            at += 1;
        }
    }

    /// Returns the kind of `text`, which begins with a `<`.
    fn opening(self, text: &[u8]) -> Opening {
        let is_script = self.element == RawText::Script;
        match (text.get(1), self.hidden) {
            (None, _) => Opening::NeedMore,
            (Some(b'!'), Hidden::No) if is_script => match (text.get(2), text.get(3)) {
                (Some(b'-'), Some(b'-')) => Opening::Hide,
                (None, _) | (Some(b'-'), None) => Opening::NeedMore,
                _ => Opening::Text,
            },
            (Some(b'/'), hidden) => {
                let opening = match hidden {
                    Hidden::Twice => Opening::Script,
                    _ => Opening::EndTag,
                };
                self.named(text.get(2..).unwrap_or_default(), opening)
            }
            (Some(_), Hidden::Once) => {
                self.named(text.get(1..).unwrap_or_default(), Opening::Script)
            }
            _ => Opening::Text,
        }
    }

    /// Returns `then` if the text begins with the element's name and a byte that ends a name.
    fn named(self, text: &[u8], then: Opening) -> Opening {
        let name = self.element.name();
        let length = name.len().min(text.len());
        let (start, rest) = text.split_at_checked(length).unwrap_or((text, &[]));
        if !start.eq_ignore_ascii_case(name.get(..length).unwrap_or_default()) {
            return Opening::Text;
        }
        match rest.first() {
            None => Opening::NeedMore,
            Some(&byte) if ends_name(byte) => then,
            Some(_) => Opening::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the start of the end tag, read in one part and byte by byte.
    fn end(element: RawText, text: &str) -> Option<usize> {
        let mut content = Content::new(element);
        let whole = match content.read(text.as_bytes()) {
            Until::EndTag(at) => Some(at),
            Until::More(_) => None,
        };
        let mut content = Content::new(element);
        let mut from = 0;
        let mut parts = None;
        for to in 1..=text.len() {
            match content.read(&text.as_bytes()[from..to]) {
                Until::EndTag(at) => {
                    parts = Some(from + at);
                    break;
                }
                Until::More(at) => from += at,
            }
        }
        assert_eq!(parts, whole, "{text}");
        whole
    }

    #[test]
    fn text_ends_at_its_own_end_tag() {
        assert_eq!(end(RawText::Title, "a<b</titl></TITLE>"), Some(10));
        assert_eq!(end(RawText::Title, "a</title/"), Some(1));
        assert_eq!(end(RawText::Title, "a</titlex></title\n"), Some(10));
        assert_eq!(end(RawText::Title, "<!--</title>"), Some(4));
        assert_eq!(end(RawText::Title, "</title"), None);
    }

    #[test]
    fn scripts_hide_their_end() {
        let script = |text| end(RawText::Script, text);
        assert_eq!(script("a</script>"), Some(1));
        assert_eq!(script("<!--</script>"), Some(4));
        assert_eq!(script("<!--<script></script></script>"), Some(21));
        assert_eq!(script("<!--<script>--></script>"), Some(15));
        assert_eq!(script("<!--<script></script>--></script>"), Some(24));
        assert_eq!(script("<!--><script></script>"), Some(13));
        assert_eq!(script("<!---><script></script>"), Some(14));
        assert_eq!(script("<!--<scriptx></script>"), Some(13));
        assert_eq!(script("<!--<script </script/</script>"), Some(21));
        assert_eq!(script("<!--<script>--!></script>"), None);
        assert_eq!(script("<!--<script>-<->--></script>"), Some(19));
        assert_eq!(script("<!--<script>-<--></script>"), Some(17));
        assert_eq!(script("<!--<script>-></script>"), None);
        assert_eq!(script("<!-</script>"), Some(3));
        assert_eq!(script("<!--<script>"), None);
        assert_eq!(script("<!--<script>--<script></script></script>"), Some(31));
    }
}
