//! Character references: `&amp;`, `&#38;`, `&#x26;`.
//!
//! They are resolved as by the tokenizer of the HTML standard (13.2.5.72 to 13.2.5.80, read
//! 2026-11-21), but in complete text: the value of an attribute, or the text between the tags of a
//! title.

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};

/// The length in bytes of the longest name, its semicolon included.
const LONGEST_NAME: usize = 32;

/// The length in bytes of the longest name that may be without a semicolon.
const LONGEST_BARE_NAME: usize = 6;

/// The length in bytes of the shortest name that may be without a semicolon.
const SHORTEST_BARE_NAME: usize = 2;

/// The context of a text, which decides the references that it may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
    /// In the value of an attribute, where `&copy=` and `&copyx` are not meant as references.
    Attribute,
    /// In text that has references, but no tags: that of a title (RCDATA).
    Text,
}

/// Appends `text` to `out` as the tokenizer returns it: CR LF and CR become LF (before
/// references, so that `&#13;` stays a CR), NUL becomes U+FFFD, references are resolved.
///
/// The text is a whole value or a whole title: a reference that its end cuts is not continued.
pub(crate) fn resolve(text: &str, context: Context, out: &mut String) {
    out.reserve(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'&', b'\r', b'\0', rest.as_bytes()) {
        let Some((run, special)) = rest.split_at_checked(at) else {
            break;
        };
        out.push_str(run);
        rest = if let Some(after) = special.strip_prefix('&') {
            numeric(after, out)
                .or_else(|| named(after, context, out))
                .unwrap_or_else(|| {
                    out.push('&');
                    after
                })
        } else if let Some(after) = special.strip_prefix('\r') {
            out.push('\n');
            after.strip_prefix('\n').unwrap_or(after)
        } else {
            out.push(char::REPLACEMENT_CHARACTER);
            special.strip_prefix('\0').unwrap_or_default()
        };
    }
    out.push_str(rest);
}

/// Returns the value of an attribute with its references, line ends and NULs resolved ([`resolve`]). Returns `None` for a
/// value without `&`, CR and NUL, which is its own text.
pub(crate) fn resolved(value: &[u8]) -> Option<String> {
    memchr::memchr3(b'&', b'\r', 0, value)?;
    let mut text = String::new();
    resolve(
        &String::from_utf8_lossy(value),
        Context::Attribute,
        &mut text,
    );
    Some(text)
}

/// Appends the character of the number at the start of `text`, which follows an ampersand: `#38;`,
/// `#x26;`, with or without the semicolon. Returns the rest.
fn numeric<'a>(text: &'a str, out: &mut String) -> Option<&'a str> {
    let number = text.strip_prefix('#')?;
    let (digits, radix) = number
        .strip_prefix(['x', 'X'])
        .map_or((number, 10), |digits| (digits, 16));
    let mut value = 0_u32;
    let mut length = 0_usize;
    for digit in digits
        .bytes()
        .map_while(|byte| char::from(byte).to_digit(radix))
    {
        // A saturated value is not a character, and stays invalid.
        value = value.saturating_mul(radix).saturating_add(digit);
        length += 1;
    }
    if length == 0 {
        return None;
    }
    let after = digits.get(length..)?;
    out.push(numbered(value));
    Some(after.strip_prefix(';').unwrap_or(after))
}

/// Returns the character of a numeric reference.
fn numbered(value: u32) -> char {
    // Numbers of C1 controls are taken for bytes of windows-1252.
    let replaced = value
        .checked_sub(0x80)
        .and_then(|at| C1_REPLACEMENTS.get(usize::try_from(at).ok()?));
    if let Some(&Some(character)) = replaced {
        return character;
    }
    match char::from_u32(value) {
        None | Some('\0') => char::REPLACEMENT_CHARACTER,
        Some(character) => character,
    }
}

/// Appends the characters of the longest name of the table at the start of `text`, which follows an
/// ampersand. Returns the rest.
fn named<'a>(text: &'a str, context: Context, out: &mut String) -> Option<&'a str> {
    let bytes = text.as_bytes();
    let window = bytes.get(..LONGEST_NAME).unwrap_or(bytes);
    let length = window
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric())
        .unwrap_or(window.len());
    let next = bytes.get(length);
    if next == Some(&b';')
        && let Some((name, after)) = text.split_at_checked(length + 1)
        && let Some(characters) = characters_of(name)
    {
        out.extend(characters);
        return Some(after);
    }
    let shortest = match context {
        Context::Attribute if next == Some(&b'=') => return None,
        // A letter or digit must not follow the name, so the name must be the whole word.
        Context::Attribute => length,
        Context::Text => SHORTEST_BARE_NAME,
    };
    let longest = length.min(LONGEST_BARE_NAME);
    let (characters, after) = (shortest..=longest).rev().find_map(|length| {
        let (name, after) = text.split_at_checked(length)?;
        Some((characters_of(name)?, after))
    })?;
    out.extend(characters);
    Some(after)
}

/// Returns the one or two characters of a name, given without its ampersand.
fn characters_of(name: &str) -> Option<impl Iterator<Item = char> + use<>> {
    let &(first, second) = NAMED_ENTITIES.get(name)?;
    // The characters of a prefix of names are NUL, and so is the second of a name with one.
    let characters = [first, second].into_iter().filter(|number| *number != 0);
    (first != 0).then(|| characters.filter_map(char::from_u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use html5ever::buffer_queue::BufferQueue;
    use html5ever::data::NAMED_ENTITIES;
    use html5ever::tendril::SliceExt;
    use html5ever::tokenizer::states::{RawKind, State};
    use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
    use proptest::prelude::*;
    use std::cell::RefCell;

    fn resolved(text: &str, context: Context) -> String {
        let mut out = String::new();
        resolve(text, context, &mut out);
        out
    }

    /// The text of characters and of values of attributes.
    #[derive(Default)]
    struct Kept(RefCell<String>);

    impl TokenSink for Kept {
        type Handle = ();

        fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
            match token {
                Token::CharacterTokens(text) => self.0.borrow_mut().push_str(&text),
                Token::TagToken(tag) => {
                    for attribute in tag.attrs {
                        self.0.borrow_mut().push_str(&attribute.value);
                    }
                }
                _ => {}
            }
            TokenSinkResult::Continue
        }
    }

    /// Returns the output of html5ever's tokenizer for a text without `<` and `"`.
    fn tokenized(text: &str, context: Context) -> String {
        let (page, state) = match context {
            Context::Attribute => (format!("<a b=\"{text}\">"), State::Data),
            Context::Text => (text.to_owned(), State::RawData(RawKind::Rcdata)),
        };
        let options = TokenizerOpts {
            discard_bom: false,
            initial_state: Some(state),
            ..TokenizerOpts::default()
        };
        let tokenizer = Tokenizer::new(Kept::default(), options);
        let input = BufferQueue::default();
        input.push_back(page.as_str().to_tendril());
        let _ = tokenizer.feed(&input);
        tokenizer.end();
        tokenizer.sink.0.take()
    }

    /// Checks that texts are resolved as html5ever's tokenizer resolves them.
    fn check(texts: &[&str]) {
        for text in texts {
            for context in [Context::Attribute, Context::Text] {
                let expected = tokenized(text, context);
                assert_eq!(resolved(text, context), expected, "{text:?} {context:?}");
            }
        }
    }

    #[test]
    fn references_are_resolved_as_in_html5ever() {
        check(&[
            "", "&amp;", "&amp", "&AMP;", "&Amp;", "&notin;", "&nGt;", "&fjlig;", "&there4;",
            "&there4", "&frac12", "&;", "&", "&&", "&&amp;", "& amp;", "&\u{e9};", "&x;", "a & b",
            "&=", "&amp=", "&ampx", "&amp1;", "&ampamp;", "&notit;", "&notin", "&frac12x", "&gtr",
            "&#65;", "&#65", "&#65B", "&#65=", "&#x41;", "&#X41", "&#x41G", "&#x80;", "&#150;",
            "&#x81;", "&#0;", "&#x0", "&#xD800;", "&#xDFFF;", "&#xFFFE;", "&#;", "&#", "&#x;",
            "&#X", "&#xG", "&#a;", "&#-1;", "&#\u{e9}", "&#&#65;", "&#x&amp;", "&# 65;", "a\r\nb",
            "a\rb", "\r", "\r\r\n\n", "\n\r", "\r\n\r\n", "&#13;", "&#13;\n", "\r&#10;",
            "&amp\r\n", "&\r\n", "&#\r", "&a\rmp;", "a\0b", "\0\0", "&\0", "&amp\0", "\r\0\n",
        ]);
        check(&[
            "plain \u{e9} text",
            "&amp &lt;&gt",
            "&amp\u{e9}",
            "&amp&amp;",
            "&amp;amp;",
            "&NotEqualTilde;",
            "&NotEqualTilde",
            "&CounterClockwiseContourIntegral;",
            "&CounterClockwiseContourIntegrals;",
            "&nbsp;&frac12;",
            "&parallel",
            "&copy2019",
            "?a=1&copy=2&lt=3",
            "&#xe9;&#xE9;",
            "&#00000000000000065;",
            "&#x7F;&#xA0;",
            "&#xD7FF;&#xE000;",
            "&#x10FFFF;",
            "&#x110000;",
            "&#99999999999;",
            "&#4294967361;",
            "&#x100000041;",
            "&#xD;&#xA;",
        ]);
    }

    #[test]
    fn the_context_decides_about_bare_names() {
        for (text, in_text) in [("&copy2019", "\u{a9}2019"), ("&amp=", "&="), ("&gtr", ">r")] {
            assert_eq!(resolved(text, Context::Text), in_text);
            assert_eq!(resolved(text, Context::Attribute), text);
        }
    }

    #[test]
    fn earlier_output_is_kept() {
        let mut out = "before&".to_owned();
        resolve("amp;&gt;", Context::Text, &mut out);
        assert_eq!(out, "before&amp;>");
    }

    #[test]
    fn the_longest_names_have_the_stated_lengths() {
        let names = || {
            NAMED_ENTITIES
                .entries()
                .filter(|(_, characters)| characters.0 != 0)
                .map(|(name, _)| *name)
        };
        let bare = || names().filter(|name| !name.ends_with(';')).map(str::len);
        assert_eq!(names().map(str::len).max(), Some(LONGEST_NAME));
        assert_eq!(bare().max(), Some(LONGEST_BARE_NAME));
        assert_eq!(bare().min(), Some(SHORTEST_BARE_NAME));
        assert!(names().all(|name| {
            name.strip_suffix(';')
                .unwrap_or(name)
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric())
        }));
    }

    #[test]
    fn every_name_and_every_prefix_of_one_is_as_in_html5ever() {
        for (name, _) in NAMED_ENTITIES.entries() {
            for end in ["", ";", "x", "="] {
                check(&[&format!("&{name}{end}")]);
            }
        }
    }

    #[test]
    fn time_is_linear() {
        for unit in ["&", "&a", "&#", "&#x", "&am", "\r", "\0"] {
            let text = unit.repeat(500_000);
            let _ = resolved(&text, Context::Text);
        }
        for tail in ["a", "1"] {
            let tail = tail.repeat(2_000_000);
            for start in ["&", "&#", "&#x"] {
                let text = format!("{start}{tail}");
                let _ = resolved(&text, Context::Attribute);
            }
        }
        let text = format!("&#{}65;", "0".repeat(2_000_000));
        assert_eq!(resolved(&text, Context::Text), "A");
    }

    const PIECES: &[&str] = &[
        "&",
        "&#",
        "&#x",
        "#",
        "x",
        "X",
        ";",
        "=",
        " ",
        "\r",
        "\n",
        "\0",
        "0",
        "1",
        "9",
        "a",
        "e",
        "f",
        "amp",
        "AMP",
        "not",
        "in",
        "it",
        "notin;",
        "&copy",
        "&lt",
        "gt",
        "&para",
        "llel",
        "frac12",
        "128",
        "xD8",
        "00",
        "65",
        "\u{e9}",
        "\u{1f600}",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn texts_are_as_in_html5ever(
            pieces in prop::collection::vec(prop::sample::select(PIECES), 0..16),
        ) {
            let text = pieces.concat();
            for context in [Context::Attribute, Context::Text] {
                prop_assert_eq!(resolved(&text, context), tokenized(&text, context), "{:?}", text);
            }
        }

        #[test]
        fn any_text_is_accepted(characters in prop::collection::vec(any::<char>(), 0..64)) {
            let text = String::from_iter(characters);
            for context in [Context::Attribute, Context::Text] {
                let found = resolved(&text, context);
                prop_assert!(!found.contains('\0'));
            }
        }

        #[test]
        fn text_without_specials_is_unchanged(
            characters in prop::collection::vec(any::<char>(), 0..64),
        ) {
            let text = String::from_iter(characters).replace(['&', '\r', '\0'], "");
            for context in [Context::Attribute, Context::Text] {
                prop_assert_eq!(&resolved(&text, context), &text);
            }
        }
    }
}
