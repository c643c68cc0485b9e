//! `Robots-Tag`: a structured field, a list of robots with rules as parameters
//! (draft-illyes-repext-03; docs/semantics.md, section 4.2). Linear in the value.

use super::valid_start;
use crate::directive::{Directive, DirectiveValue, Directives, offset_in};
use sfv::visitor::{
    EntryVisitor, InnerListVisitor, ItemVisitor, ListVisitor, Never, ParameterVisitor,
};
use sfv::{BareItemFromInput, KeyRef, Parser};
use smallvec::SmallVec;
use std::error::Error;
use std::fmt;

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
    if is_text {
        let list = text.trim_matches([' ', '\t']);
        // The last member of a truncated text may continue past the cut, unless a comma follows it.
        let (list, is_whole) = if is_cut && list.ends_with(',') {
            (list.trim_end_matches([' ', '\t', ',']), true)
        } else {
            (list, !is_cut)
        };
        let mut members = Members {
            text,
            found: Vec::new(),
            last: 0,
        };
        let is_list = Parser::new(list)
            .parse_list_with_visitor(&mut members)
            .is_ok();
        if !is_list || !is_whole {
            members.found.truncate(members.last);
        }
        if is_list || is_cut {
            return members.found;
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

/// The members of a list so far.
struct Members<'a> {
    text: &'a str,
    found: Vec<(Option<&'a str>, Directive<'a>)>,
    /// The number of directives before the last member.
    last: usize,
}

/// A member of a list: `token *( ";" *SP key [ "=" value ] )`.
struct Member<'m, 'a> {
    members: &'m mut Members<'a>,
    agent: Option<&'a str>,
    /// The rules of the member, and the index of each. There are few rules, so the time is linear in the parameters.
    rules: SmallVec<[(Directives, usize); 8]>,
}

/// The error for a member that is not a token, or whose bytes have incomplete padding.
#[derive(Debug)]
struct InvalidMember;

impl fmt::Display for InvalidMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the member is not a token with valid parameters")
    }
}

impl Error for InvalidMember {}

impl<'a> ListVisitor<'a> for &mut Members<'a> {
    type Out = ();
    type Error = InvalidMember;

    fn entry(&mut self) -> Result<impl EntryVisitor<'a>, InvalidMember> {
        self.last = self.found.len();
        Ok(Member {
            members: self,
            agent: None,
            rules: SmallVec::new(),
        })
    }

    fn finish(self) -> Result<(), InvalidMember> {
        Ok(())
    }
}

impl<'a> EntryVisitor<'a> for Member<'_, 'a> {
    type Error = InvalidMember;

    fn item(self) -> Result<impl ItemVisitor<'a>, InvalidMember> {
        Ok(self)
    }

    fn inner_list(self) -> Result<impl InnerListVisitor<'a>, InvalidMember> {
        Err::<Never, _>(InvalidMember)
    }
}

impl<'a> ItemVisitor<'a> for Member<'_, 'a> {
    type Out = ();
    type Error = InvalidMember;

    fn bare_item(
        mut self,
        item: BareItemFromInput<'a>,
    ) -> Result<impl ParameterVisitor<'a, Out = ()>, InvalidMember> {
        let BareItemFromInput::Token(agent) = item else {
            return Err(InvalidMember);
        };
        self.agent = Some(agent.as_str()).filter(|agent| *agent != "*");
        Ok(self)
    }
}

impl<'a> ParameterVisitor<'a> for Member<'_, 'a> {
    type Out = ();
    type Error = InvalidMember;

    fn parameter(
        &mut self,
        key: &'a KeyRef,
        value: BareItemFromInput<'a>,
    ) -> Result<(), InvalidMember> {
        let Members { text, found, .. } = &mut *self.members;
        let offset = offset_in(text, key.as_str());
        let end = offset + key.as_str().len();
        let length = written_length(text.get(end..).unwrap_or_default(), &value);
        let rule = Directives::from_token(key.as_str());
        // A rule is a parameter that is true: a key alone, or `?1`. Keys are in lower case.
        let flags = rule.filter(|_| matches!(value, BareItemFromInput::Boolean(true)));
        let directive = Directive {
            text: text.get(offset..end + length).unwrap_or_default(),
            offset,
            value: flags.map_or(DirectiveValue::Unknown, DirectiveValue::Flags),
        };
        if matches!(value, BareItemFromInput::ByteSequence(_)) && !is_padded(directive.text) {
            return Err(InvalidMember);
        }
        let same = |(known, _): &&(Directives, usize)| Some(*known) == rule;
        let before = self.rules.iter().find(same).map(|(_, index)| *index);
        if let Some(before) = before.and_then(|index| found.get_mut(index)) {
            // Of several with one name, the last counts (RFC 9651, section 4.2.3.2).
            before.1 = directive;
        } else {
            self.rules.extend(rule.map(|rule| (rule, found.len())));
            found.push((self.agent, directive));
        }
        Ok(())
    }

    fn finish(self) -> Result<(), InvalidMember> {
        Ok(())
    }
}

/// Returns whether the base64 between the colons of a parameter has all of its padding, or none. The library accepts a part of it.
fn is_padded(parameter: &str) -> bool {
    let base64 = parameter.split(':').nth(1).unwrap_or_default();
    let digits = base64.trim_end_matches('=').len();
    base64.len() == digits || digits % 4 > 1 && base64.len().is_multiple_of(4)
}

/// Returns the length of a valid value as it is written after its key, with the `=`; 0 if there is none. The library's parser does not
/// report it.
fn written_length(after_key: &str, value: &BareItemFromInput<'_>) -> usize {
    let Some(written) = after_key.strip_prefix('=') else {
        return 0;
    };
    // Returns the length up to the end character of a value whose opening has this length.
    let up_to = |opening: usize, end: char| {
        let text = written.get(opening..).unwrap_or_default();
        text.find(end).map_or(written.len(), |at| opening + at + 1)
    };
    let length = match value {
        BareItemFromInput::String(text) => {
            let escaped = text.as_str().matches(['"', '\\']).count();
            text.as_str().len() + escaped + 2
        }
        BareItemFromInput::DisplayString(_) => up_to(2, '"'),
        BareItemFromInput::ByteSequence(_) => up_to(1, ':'),
        _ => written.find([';', ',', ' ', '\t']).unwrap_or(written.len()),
    };
    length + 1
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
        assert_eq!(
            read("robots-tag", "*;a=%\"b;c\";d=:YQ==:;e"),
            [(None, "a=%\"b;c\""), (None, "d=:YQ==:"), (None, "e")]
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
