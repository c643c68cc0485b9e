//! `Robots-Tag`: a structured field, a list of robots with rules as parameters
//! (draft-illyes-repext-03; docs/semantics.md, section 4.2). Linear in the value.

use super::cursor::Cursor;
use super::valid_start;
use crate::directive::{Directive, DirectiveValue, Directives};

/// The number of bytes of a `Robots-Tag` line that are read; a member that is not complete within
/// them is ignored, with everything after it. The draft asks for at least 8 KiB (docs/semantics.md,
/// section 4.2).
pub const ROBOTS_TAG_LIMIT: usize = 64 * 1024;

/// Returns the parameters in a list of tokens (RFC 9651, sections 3.1 and 4.2), each with its token.
///
/// A list that is cut by the limit counts up to its last whole member. A value that is not such a
/// list is one invalid directive.
pub(super) fn read(value: &[u8]) -> Vec<(Option<&str>, Directive<'_>)> {
    let is_cut = value.len() > ROBOTS_TAG_LIMIT;
    let within = value.get(..ROBOTS_TAG_LIMIT).unwrap_or(value);
    let (text, is_text) = match str::from_utf8(within) {
        Ok(text) => (text, true),
        // The limit may cut a character.
        Err(error) => (valid_start(within), is_cut && error.error_len().is_none()),
    };
    let mut found = Vec::new();
    if is_text {
        let mut scan = Scan {
            cursor: Cursor::new(text),
            is_cut,
        };
        let is_list = scan.list(&mut found).is_some();
        if is_list || is_cut {
            return found;
        }
    }
    // A field that cannot be parsed is ignored as a whole (RFC 9651, section 4.2).
    let directive = Directive {
        text,
        offset: 0,
        value: DirectiveValue::Invalid,
    };
    vec![(None, directive)]
}

/// A structured field, read from the front.
struct Scan<'a> {
    cursor: Cursor<'a>,
    /// True if the field continues after the text.
    is_cut: bool,
}

impl<'a> Scan<'a> {
    /// Reads members between commas. Returns `None` at the first error; `found` then has the directives
    /// of the members before it.
    fn list(&mut self, found: &mut Vec<(Option<&'a str>, Directive<'a>)>) -> Option<()> {
        self.cursor.skip(" \t");
        while !self.cursor.is_at_end() {
            let found_before = found.len();
            let is_member = self.member(found).is_some();
            self.cursor.skip(" \t");
            // At the end of a truncated text, the member may continue past the cut.
            let is_last = self.cursor.is_at_end() && !self.is_cut;
            if is_member && is_last {
                return Some(());
            }
            if !is_member || !self.cursor.eat(',') {
                found.truncate(found_before);
                return None;
            }
            self.cursor.skip(" \t");
            // A comma at the end of a list is an error.
            if self.cursor.is_at_end() {
                return None;
            }
        }
        Some(())
    }

    /// Reads `token *( ";" *SP key [ "=" value ] )`. Returns `None` at an error; `found` may then have
    /// some of the member's directives.
    fn member(&mut self, found: &mut Vec<(Option<&'a str>, Directive<'a>)>) -> Option<()> {
        let agent = self.token()?;
        let agent = (agent != "*").then_some(agent);
        while self.cursor.eat(';') {
            self.cursor.skip(" ");
            let start = self.cursor.at();
            let key = self.key()?;
            // A key alone is true, as is `?1`.
            let is_true = !self.cursor.eat('=') || self.bare_item()? == "?1";
            let text = self.cursor.since(start);
            // A rule is a parameter that is true; keys are in lower case.
            let flags = Directives::from_token(key).filter(|_| is_true);
            found.push((
                agent,
                Directive {
                    text,
                    offset: start,
                    value: flags.map_or(DirectiveValue::Unknown, DirectiveValue::Flags),
                },
            ));
        }
        Some(())
    }

    fn token(&mut self) -> Option<&'a str> {
        let token = self
            .cursor
            .take(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~:/".contains(c));
        token
            .starts_with(|c: char| c.is_ascii_alphabetic() || c == '*')
            .then_some(token)
    }

    fn key(&mut self) -> Option<&'a str> {
        let key = self
            .cursor
            .take(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-.*".contains(c));
        key.starts_with(|c: char| c.is_ascii_lowercase() || c == '*')
            .then_some(key)
    }

    /// Reads a value: a string, a display string, or another value.
    fn bare_item(&mut self) -> Option<&'a str> {
        let start = self.cursor.at();
        let is_display = self.cursor.rest().starts_with("%\"") && self.cursor.eat('%');
        if self.cursor.eat('"') {
            loop {
                self.cursor
                    .take(|c| matches!(c, ' '..='~') && c != '"' && c != '\\');
                if self.cursor.eat('"') {
                    return Some(self.cursor.since(start));
                }
                // A backslash escapes a quote or a backslash; in a display string it is a plain
                // character. Any other character here is an error.
                let is_valid = self.cursor.eat('\\')
                    && (is_display || self.cursor.eat('"') || self.cursor.eat('\\'));
                if !is_valid {
                    return None;
                }
            }
        }
        let value = self
            .cursor
            .take(|c| matches!(c, '!'..='~') && !",;\"".contains(c));
        (!value.is_empty()).then_some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::header::robots_headers;

    fn read<'a>(name: &'a str, value: &'a str) -> Vec<(Option<&'a str>, &'a str)> {
        robots_headers([(name, value)])
            .map(|found| (found.agent(), found.directive().text()))
            .collect()
    }

    #[test]
    fn robots_tag_is_a_list_of_tokens_with_parameters() {
        assert_eq!(
            read(
                "Robots-Tag",
                "*;nosnippet, ExampleBot;noindex; nofollow ,a;x=\"b,\\\"c\";y=1"
            ),
            [
                (None, "nosnippet"),
                (Some("ExampleBot"), "noindex"),
                (Some("ExampleBot"), "nofollow"),
                (Some("a"), "x=\"b,\\\"c\""),
                (Some("a"), "y=1"),
            ]
        );
        assert_eq!(read("robots-tag", ""), []);
        assert_eq!(read("robots-tag", "*"), []);
        let value = |value| {
            robots_headers([("robots-tag", value)])
                .next()
                .map(|found| found.directive().value())
        };
        assert_eq!(
            value("*;noindex"),
            Some(DirectiveValue::Flags(Directives::NOINDEX))
        );
        let noindex = Some(DirectiveValue::Flags(Directives::NOINDEX));
        assert_eq!(value("*;noindex=?1"), noindex);
        assert_eq!(value("*;noindex;t=%\"x%c3%bc\""), noindex);
        assert_eq!(value("*;noindex=?0"), Some(DirectiveValue::Unknown));
        assert_eq!(value("*;noindex=1"), Some(DirectiveValue::Unknown));
        for broken in [
            "noindex nofollow",
            "*;NOINDEX",
            "*;",
            ";noindex",
            "*;a,",
            "*;a=",
            "*;a=\"b",
            "1;a",
            "*;a,,b",
        ] {
            assert_eq!(value(broken), Some(DirectiveValue::Invalid), "{broken}");
        }
    }

    #[test]
    fn robots_tag_is_read_up_to_its_limit() {
        let read = |length: usize| {
            let name_length = length - "*;noindex, ;noindex".len();
            let value = format!("*;noindex, {};noindex", "a".repeat(name_length));
            assert_eq!(value.len(), length);
            robots_headers([("robots-tag", value.as_str())]).count()
        };
        assert_eq!(read(ROBOTS_TAG_LIMIT - 1), 2);
        assert_eq!(read(ROBOTS_TAG_LIMIT), 2);
        assert_eq!(read(ROBOTS_TAG_LIMIT + 1), 1);
        let broken_behind = format!("*;noindex, {} broken", "a".repeat(ROBOTS_TAG_LIMIT));
        let found: Vec<_> = robots_headers([("robots-tag", broken_behind.as_str())]).collect();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].directive().flags(), Directives::NOINDEX);
    }
}
