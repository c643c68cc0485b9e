//! Text from archives and pages, made safe for terminals and spreadsheets.

pub use robots_policy::text::{counted, printable};

use robots_policy::text::has_unprintable;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write;
use std::path::Path;

/// Returns a text as a cell of a CSV table, which no spreadsheet takes for a formula and no terminal for a command.
///
/// A text is guarded if it contains an unprintable character, begins with an apostrophe, or begins with `=`, `+`, `-` or
/// `@`, as formulas do. A number, and one of these characters alone, are not guarded. A guarded text is preceded by an
/// apostrophe, its unprintable characters are escapes of Rust (`\n`, `\u{202e}`), and its backslashes are doubled. Any other
/// text is kept as it is. So a cell that begins with an apostrophe is guarded, and every text can be restored.
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.len() > 1 && !is_number(text);
    if !is_formula && !text.starts_with('\'') && !has_unprintable(text) {
        return Cow::Borrowed(text);
    }
    let cell = printable(&text.replace('\\', r"\\")).into_owned();
    Cow::Owned(format!("'{cell}"))
}

/// Returns the text of a cell that [`csv_cell`] returned, by the rule of docs/columns.md. An escape that is not one of it stays.
pub(crate) fn restored_cell(cell: &str) -> Cow<'_, str> {
    let Some(mut rest) = cell.strip_prefix('\'') else {
        return Cow::Borrowed(cell);
    };
    let mut text = String::with_capacity(rest.len());
    while let Some((before, escape)) = rest.split_once('\\') {
        text.push_str(before);
        let code = escape
            .strip_prefix("u{")
            .and_then(|code| code.split_once('}'));
        let coded = code.and_then(|(code, after)| {
            let code = u32::from_str_radix(code, 16).ok()?;
            Some((char::from_u32(code)?, after))
        });
        let named = || {
            let mut rest = escape.chars();
            let character = match rest.next()? {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '\\' => '\\',
                _ => return None,
            };
            Some((character, rest.as_str()))
        };
        let (character, after) = coded.or_else(named).unwrap_or(('\\', escape));
        text.push(character);
        rest = after;
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// Returns whether a text is a number such as `-5.5`, which is not a formula.
fn is_number(text: &str) -> bool {
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(is_numeric) && text.parse::<f64>().is_ok()
}

/// Returns a path as text, from which the name of the file can be restored.
///
/// A byte that is not part of a character in UTF-8 becomes `\x` and two hexadecimal digits in lower case: `caf\xe9.html`. A
/// backslash that is followed by `x` and two such digits in the name itself becomes `\x5c`. Any other text is kept as it is.
/// So each `\xHH` in the result is a byte of the name, and every name can be restored.
pub fn path_text(path: impl AsRef<Path>) -> String {
    let bytes = path.as_ref().as_os_str().as_encoded_bytes();
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        let mut parts = chunk.valid().split('\\');
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let is_escape = ends_byte_escape(part);
            text.push_str(if is_escape { "\\x5c" } else { "\\" });
            text.push_str(part);
        }
        for byte in chunk.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    text
}

/// Returns whether a text begins with `x` and two hexadecimal digits in lower case.
fn ends_byte_escape(text: &str) -> bool {
    let is_digit = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let digits = text
        .strip_prefix('x')
        .and_then(|rest| rest.as_bytes().get(..2));
    digits.is_some_and(|digits| digits.iter().all(is_digit))
}

/// Returns an error and its causes as one line: `cannot read a.warc: permission denied`.
pub fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(source) = cause {
        let _ = write!(text, ": {source}");
        cause = source.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::text::is_unprintable;

    /// Returns the bytes of a name, by the rule of docs/columns.md.
    fn restored_name(text: &str) -> Vec<u8> {
        let mut name = Vec::new();
        let mut rest = text.as_bytes();
        while let [first, after @ ..] = rest {
            let escape = after.strip_prefix(b"x").and_then(|digits| digits.get(..2));
            let escape = escape.filter(|digits| {
                let is_digit = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
                *first == b'\\' && digits.iter().all(is_digit)
            });
            if let Some(digits) = escape {
                let digits = str::from_utf8(digits).unwrap();
                name.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &after[3..];
            } else {
                name.push(*first);
                rest = after;
            }
        }
        name
    }

    #[cfg(unix)]
    #[test]
    fn every_name_of_a_file_can_be_restored() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let text = |name: &[u8]| path_text(OsStr::from_bytes(name));
        for (name, expected) in [
            (&b"a/b.html"[..], "a/b.html"),
            (b"caf\xc3\xa9", "caf\u{e9}"),
            (b"caf\xe9.html", r"caf\xe9.html"),
            (br"caf\xe9.html", r"caf\x5cxe9.html"),
            (br"a\xE9\x4\xg0\b", r"a\xE9\x4\xg0\b"),
            (b"\xf0\x9f\x98", r"\xf0\x9f\x98"),
        ] {
            assert_eq!(text(name), expected);
        }
        let parts = [
            &b"\\"[..],
            b"x",
            b"5",
            b"5c",
            b"f",
            b"\xe9",
            b"\xc3\xa9",
            b"\xff",
            b"/",
            b"\xf0\x9f",
        ];
        for first in parts {
            for second in parts {
                for third in parts {
                    for fourth in parts {
                        let name = [first, second, third, fourth].concat();
                        assert_eq!(restored_name(&text(&name)), name, "{name:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, cell) in [
            ("=HYPERLINK(\"a\")", "'=HYPERLINK(\"a\")"),
            ("=cmd|' /c calc'!A0", "'=cmd|' /c calc'!A0"),
            ("+a", "'+a"),
            ("@a", "'@a"),
            ("-inf", "'-inf"),
            ("-5.5", "-5.5"),
            ("+1e9", "+1e9"),
            ("-1+2", "'-1+2"),
            ("-", "-"),
            ("", ""),
            ("'a", "''a"),
            ("a'", "a'"),
            ("/a\\b=", "/a\\b="),
            ("=\\", "'=\\\\"),
            ("\t=1", "'\\t=1"),
            ("\r=1", "'\\r=1"),
            ("a\u{1b}\\u", "'a\\u{1b}\\\\u"),
            ("a\u{202e}b\u{2028}", "'a\\u{202e}b\\u{2028}"),
        ] {
            assert_eq!(csv_cell(text), cell);
        }
    }

    #[test]
    fn every_text_can_be_restored() {
        let parts = [
            "=", "-", "'", "\\", "u{41}", "n", "\n", "\u{1b}", "\u{202e}", "1", "\"", ",", "\u{e9}",
        ];
        for first in parts {
            for second in parts {
                for third in parts {
                    let text = [first, second, third].concat();
                    let cell = csv_cell(&text);
                    assert_eq!(restored_cell(&cell), text, "{cell}");
                    assert!(!cell.contains(is_unprintable), "{cell}");
                }
            }
        }
    }
}
