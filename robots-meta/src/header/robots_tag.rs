//! `Robots-Tag`: a structured field, a list of robots with rules as parameters
//! (draft-illyes-repext-03; docs/semantics.md, section 4.2). Linear in the value.

use super::cursor::Cursor;
use super::valid_start;
use crate::directive::{Directive, DirectiveValue, Directives};
use smallvec::SmallVec;

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
        // The rules of the member, and the index of each. There are few rules, so the time is linear in the parameters.
        let mut rules: SmallVec<[(Directives, usize); 8]> = SmallVec::new();
        while self.cursor.eat(';') {
            self.cursor.skip(" ");
            let start = self.cursor.at();
            let key = self.key()?;
            // A key alone is true, as is `?1`.
            let is_true = !self.cursor.eat('=') || self.bare_item()? == "?1";
            let text = self.cursor.since(start);
            let rule = Directives::from_token(key);
            // A rule is a parameter that is true; keys are in lower case.
            let flags = rule.filter(|_| is_true);
            let directive = Directive {
                text,
                offset: start,
                value: flags.map_or(DirectiveValue::Unknown, DirectiveValue::Flags),
            };
            let same = |(known, _): &&(Directives, usize)| Some(*known) == rule;
            let before = rules.iter().find(same).map(|(_, index)| *index);
            if let Some(before) = before.and_then(|index| found.get_mut(index)) {
                // Of several with one name, the last counts (RFC 9651, section 4.2.3.2).
                before.1 = directive;
            } else {
                rules.extend(rule.map(|rule| (rule, found.len())));
                found.push((agent, directive));
            }
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

    /// Reads a value (RFC 9651, section 4.2.3.1).
    fn bare_item(&mut self) -> Option<&'a str> {
        let start = self.cursor.at();
        match self.cursor.rest().bytes().next()? {
            b'"' => self.string()?,
            b'%' => self.display_string()?,
            b'?' => {
                self.cursor.eat('?');
                self.cursor.take_one().filter(|c| matches!(c, '0' | '1'))?;
            }
            b':' => self.byte_sequence()?,
            b'@' => {
                self.cursor.eat('@');
                self.number().filter(|number| !number.contains('.'))?;
            }
            b'-' | b'0'..=b'9' => {
                self.number()?;
            }
            _ => {
                self.token()?;
            }
        }
        Some(self.cursor.since(start))
    }

    /// Reads an integer of up to 15 digits, or a decimal number of up to 12 and 3.
    fn number(&mut self) -> Option<&'a str> {
        let start = self.cursor.at();
        self.cursor.eat('-');
        let whole = self.cursor.take(|c| c.is_ascii_digit()).len();
        if self.cursor.eat('.') {
            let fraction = self.cursor.take(|c| c.is_ascii_digit()).len();
            ((1..=12).contains(&whole) && (1..=3).contains(&fraction)).then_some(())?;
        } else {
            (1..=15).contains(&whole).then_some(())?;
        }
        Some(self.cursor.since(start))
    }

    /// Reads a string: in it, a backslash escapes a quote or a backslash.
    fn string(&mut self) -> Option<()> {
        self.cursor.eat('"').then_some(())?;
        loop {
            self.cursor
                .take(|c| matches!(c, ' '..='~') && c != '"' && c != '\\');
            if self.cursor.eat('"') {
                return Some(());
            }
            self.cursor.eat('\\').then_some(())?;
            self.cursor.take_one().filter(|c| "\"\\".contains(*c))?;
        }
    }

    /// Reads bytes in base64 between colons. Padding may be missing.
    fn byte_sequence(&mut self) -> Option<()> {
        self.cursor.eat(':').then_some(())?;
        let digits = self
            .cursor
            .take(|c| c.is_ascii_alphanumeric() || "+/".contains(c))
            .len();
        let padding = self.cursor.take(|c| c == '=').len();
        let is_whole = match digits % 4 {
            0 => padding == 0,
            // One digit is less than a byte.
            1 => false,
            rest => padding == 0 || rest + padding == 4,
        };
        (is_whole && self.cursor.eat(':')).then_some(())
    }

    /// Reads a display string: in it, `%` and two digits in lower case are a byte of UTF-8.
    fn display_string(&mut self) -> Option<()> {
        self.cursor.eat('%').then_some(())?;
        self.cursor.eat('"').then_some(())?;
        let mut bytes = Vec::new();
        loop {
            let plain = self
                .cursor
                .take(|c| matches!(c, ' '..='~') && c != '"' && c != '%');
            bytes.extend_from_slice(plain.as_bytes());
            if self.cursor.eat('"') {
                return str::from_utf8(&bytes).is_ok().then_some(());
            }
            self.cursor.eat('%').then_some(())?;
            let mut digit = || {
                let digit = self.cursor.take_one()?;
                let digit = digit.to_digit(16).filter(|_| !digit.is_ascii_uppercase())?;
                u8::try_from(digit).ok()
            };
            bytes.push((digit()? << 4) | digit()?);
        }
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
        let value = |value: &str| {
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
        // The last parameter of a name counts.
        assert_eq!(value("*;noindex;noindex=?0"), Some(DirectiveValue::Unknown));
        assert_eq!(value("*;noindex;a;noindex"), noindex);
        assert_eq!(value("*;noindex;nofollow=?0"), noindex);
        assert_eq!(value("*;noindex, *;noindex=?0"), noindex);
        for whole in [
            "1",
            "-1",
            "123456789012345",
            "123456789012.123",
            "0.1",
            "token/x:*",
            ":YQ==:",
            ":YQ:",
            ":YWJj:",
            "::",
            "@-1",
            "?0",
            "\"\\\"\"",
            "%\"\"",
            "%\"%c3%bc\"",
        ] {
            assert_eq!(value(&format!("*;noindex;x={whole}")), noindex, "{whole}");
        }
        for broken in [
            "(",
            "1234567890123456",
            "1234567890123.1",
            "1.1234",
            "1.",
            "-",
            ".1",
            "--1",
            "?2",
            "?",
            ":a",
            ":a b:",
            ":a:",
            ":=:",
            ":a=b:",
            ":YQ=:",
            ":YWJj=:",
            "@1.0",
            "@",
            "\"\\a\"",
            "%\"%C3%BC\"",
            "%\"%c3\"",
            "%\"%c\"",
            "%a",
            "[",
            "\u{e9}",
        ] {
            let found = value(&format!("*;noindex;x={broken}"));
            assert_eq!(found, Some(DirectiveValue::Invalid), "{broken}");
        }
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
