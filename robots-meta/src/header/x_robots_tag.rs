//! The items of an `X-Robots-Tag` line, whose value may be any bytes (RFC 9110, section 5.5).
//!
//! A value that is not UTF-8 is read in parts, the runs of valid text between the invalid bytes.
//! The name of a robot stays in force from part to part, and a directive that touches an invalid
//! byte is unknown. Linear in the value.

use crate::directive::{AgentPrefix, DirectiveValue, Item, Items, items};
use std::str::Utf8Chunks;

/// The items of one line. See [`x_robots_tag_items`].
pub(super) struct XRobotsTagItems<'a> {
    rest: Utf8Chunks<'a>,
    part: &'a str,
    items: Items<'a>,
    /// The start of the part in the value.
    start: usize,
    /// The start of the next part in the value; past the part if invalid bytes follow it.
    end: usize,
}

/// Returns the items of a value. Each has a flag: whether a robot's name applies to it and a comma is directly before
/// it. If the value was joined from several lines, such a name may be from an earlier line.
pub(super) fn x_robots_tag_items(value: &[u8]) -> XRobotsTagItems<'_> {
    XRobotsTagItems {
        rest: value.utf8_chunks(),
        part: "",
        items: items("", AgentPrefix::Accepted),
        start: 0,
        end: 0,
    }
}

impl<'a> Iterator for XRobotsTagItems<'a> {
    type Item = (Item<'a>, bool);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(mut item) = self.items.next() {
                let may_have_leaked = item.may_have_leaked(self.part);
                let directive = &mut item.directive;
                let end = directive.offset + directive.text.len();
                // Invalid bytes are before each part except the first, and after it if `self.end` is past it.
                let touches_before = directive.offset == 0 && self.start > 0;
                let invalid_follows = self.end - self.start > self.part.len();
                let touches_after = invalid_follows && end == self.part.len();
                if touches_before || touches_after {
                    directive.value = DirectiveValue::Unknown;
                }
                directive.offset += self.start;
                return Some((item, may_have_leaked));
            }
            let part = self.rest.next()?;
            self.part = part.valid();
            self.start = self.end;
            self.end = self.start + part.valid().len() + part.invalid().len();
            self.items = self.items.continue_in(self.part);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::header::robots_headers;

    fn read(value: &[u8]) -> Vec<(Option<&str>, &str, usize, bool)> {
        robots_headers([("X-Robots-Tag", value)])
            .map(|found| {
                let directive = found.directive();
                let is_known = !directive.flags().is_empty();
                (
                    found.agent(),
                    directive.text(),
                    directive.offset(),
                    is_known,
                )
            })
            .collect()
    }

    #[test]
    fn bytes_that_are_not_utf_8_spoil_the_directive_that_they_touch() {
        let noindex = (None, "noindex", 0, true);
        assert_eq!(read(b"noindex"), [noindex]);
        assert_eq!(read(b"noindex, \xE9"), [noindex]);
        assert_eq!(
            read(b"noindex, caf\xE9, nofollow"),
            [
                noindex,
                (None, "caf", 9, false),
                (None, "nofollow", 15, true)
            ]
        );
        assert_eq!(read(b"noindex\xE9"), [(None, "noindex", 0, false)]);
        assert_eq!(read(b"\xE9noindex"), [(None, "noindex", 1, false)]);
        assert_eq!(
            read(b"a: x\xE9\xE9, noindex"),
            [(Some("a"), "x", 3, false), (Some("a"), "noindex", 8, true)]
        );
        assert_eq!(read(b"\xE9"), []);
    }
}
