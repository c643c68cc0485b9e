//! Comments, and markup that is read as one, up to its end (HTML, 13.2.5.41 to 13.2.5.52 and
//! 13.2.5.69 to 13.2.5.71, read 2026-11-21).

use super::tag::is_space;
use memchr::memchr;

/// Markup without a meaning for robots that is being read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Skipped {
    /// After `<!--`; with the last three bytes of the comment so far.
    Comment(Last),
    /// A declaration, an instruction, or an end tag without a name: up to the next `>`.
    Bogus,
    /// After `<![CDATA[`, in foreign content; with the last bytes so far, and the number of bytes
    /// that are neither white space nor NUL, `]]>` included: more than three means text.
    Cdata(Last, u8),
}

const CDATA_END: &[u8] = b"]]>";

/// The last three bytes that were read, the latest last; 0 is none.
pub(crate) type Last = [u8; 3];

impl Skipped {
    pub(crate) const COMMENT: Self = Self::Comment([0; 3]);
    pub(crate) const CDATA: Self = Self::Cdata([0; 3], 0);

    /// Continues reading. Returns the offset after the `>` that ends the markup; `None` if it does not end
    /// in these bytes.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut from = 0_usize;
        loop {
            let Some(found) = memchr(b'>', bytes.get(from..).unwrap_or_default()) else {
                self.remember(bytes);
                return None;
            };
            let at = from + found;
            let before = bytes.get(..at).unwrap_or_default();
            from = at + 1;
            let ends = match *self {
                Self::Bogus => true,
                Self::Comment(last) => match latest(last, before) {
                    // A comment may end at once (`<!-->`, `<!--->`), or with `-->` or `--!>`.
                    [0, 0, 0 | b'-'] | [_, b'-', b'-'] | [b'-', b'-', b'!'] => true,
                    _ => false,
                },
                Self::Cdata(last, _) => matches!(latest(last, before), [_, b']', b']']),
            };
            if ends {
                self.remember(bytes.get(..from).unwrap_or_default());
                return Some(from);
            }
        }
    }

    /// Updates the last bytes and the count after these bytes.
    fn remember(&mut self, bytes: &[u8]) {
        match self {
            Self::Comment(last) => *last = latest(*last, bytes),
            Self::Cdata(last, others) => {
                *last = latest(*last, bytes);
                // Four show that there is text; more need no count.
                let found = bytes.iter().filter(|&&byte| byte != 0 && !is_space(byte));
                let found = found.take(CDATA_END.len() + 1).count();
                *others = others.saturating_add(u8::try_from(found).unwrap_or(u8::MAX));
            }
            Self::Bogus => {}
        }
    }

    /// Returns whether markup that has ended was CDATA with more in it than white space and NUL.
    pub(crate) fn has_text(self) -> bool {
        matches!(self, Self::Cdata(_, others) if usize::from(others) > CDATA_END.len())
    }
}

/// Returns the last three bytes after these have been read. A NUL counts as another byte.
fn latest(last: Last, bytes: &[u8]) -> Last {
    let seen = |byte: &u8| if *byte == 0 { b'x' } else { *byte };
    if let [.., a, b, c] = bytes {
        return [seen(a), seen(b), seen(c)];
    }
    bytes
        .iter()
        .fold(last, |[_, a, b], byte| [a, b, seen(byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the end of the markup, read whole and byte by byte.
    fn end(skipped: Skipped, text: &[u8]) -> Option<usize> {
        let mut whole = skipped;
        let end = whole.read(text);
        let mut parts = skipped;
        let ended = (0..text.len()).find(|&at| parts.read(&text[at..=at]).is_some());
        assert_eq!(ended.map(|at| at + 1), end);
        end
    }

    #[test]
    fn comments_end_in_every_way() {
        let comment = |text: &str| end(Skipped::COMMENT, text.as_bytes());
        assert_eq!(comment(">x"), Some(1));
        assert_eq!(comment("->x"), Some(2));
        assert_eq!(comment("-->x"), Some(3));
        assert_eq!(comment("--->x"), Some(4));
        assert_eq!(comment("a-->x"), Some(4));
        assert_eq!(comment("a->-->"), Some(6));
        assert_eq!(comment("a--!>x"), Some(5));
        assert_eq!(comment("--!>x"), Some(4));
        assert_eq!(comment("!>-->"), Some(5));
        assert_eq!(comment("-!>-->"), Some(6));
        assert_eq!(comment("a--!->-->"), Some(9));
        assert_eq!(comment("--!-->"), Some(6));
        assert_eq!(comment("<!-->"), Some(5));
        assert_eq!(comment("\0>-->"), Some(5));
        assert_eq!(comment("\0->-->"), Some(6));
        assert_eq!(comment("a--x>"), None);
    }

    #[test]
    fn other_markup_ends() {
        assert_eq!(end(Skipped::Bogus, b"doctype '>'"), Some(10));
        assert_eq!(end(Skipped::CDATA, b"a]>]]>"), Some(6));
        assert_eq!(end(Skipped::CDATA, b"]]>"), Some(3));
        assert_eq!(end(Skipped::CDATA, b"]]]>"), Some(4));
        assert_eq!(end(Skipped::CDATA, b"> ]"), None);
        let has_text = |text: &[u8]| {
            let mut skipped = Skipped::CDATA;
            assert_eq!(skipped.read(text), Some(text.len()));
            skipped.has_text()
        };
        assert!(!has_text(b"]]>") && !has_text(b" \0\n]]>"));
        assert!(has_text(b"]]]>") && has_text(b" x ]]>"));
    }
}
