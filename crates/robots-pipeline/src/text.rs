//! Text from archives and pages, made safe for terminals and spreadsheets.

pub use robots_policy::text::printable;

use robots_policy::text::is_unprintable;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Write;

/// Returns a text as a cell of a CSV table, which no spreadsheet takes for a formula and no terminal for a command.
///
/// A text is guarded if it contains an unprintable character, begins with an apostrophe, or begins with `=`, `+`, `-` or
/// `@`, as formulas do. A number, and one of these characters alone, are not guarded. A guarded text is preceded by an
/// apostrophe, its unprintable characters are escapes of Rust (`\n`, `\u{202e}`), and its backslashes are doubled. Any other
/// text is kept as it is. So a cell that begins with an apostrophe is guarded, and every text can be restored.
pub fn csv_cell(text: &str) -> Cow<'_, str> {
    let is_formula = text.starts_with(['=', '+', '-', '@']) && text.len() > 1 && !is_number(text);
    if !is_formula && !text.starts_with('\'') && !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut cell = String::with_capacity(text.len().saturating_add(1));
    cell.push('\'');
    for c in text.chars() {
        if c == '\\' || is_unprintable(c) {
            // Writing to a string cannot fail.
            let _ = write!(cell, "{}", c.escape_default());
        } else {
            cell.push(c);
        }
    }
    Cow::Owned(cell)
}

/// Returns whether a text is a number such as `-5.5`, which is not a formula.
fn is_number(text: &str) -> bool {
    let is_numeric = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
    text.bytes().all(is_numeric) && text.parse::<f64>().is_ok()
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

    /// Returns the text of a cell, by the rule of docs/columns.md.
    fn restored(cell: &str) -> String {
        let Some(guarded) = cell.strip_prefix('\'') else {
            return cell.to_owned();
        };
        let mut text = String::new();
        let mut rest = guarded;
        while let Some((before, escape)) = rest.split_once('\\') {
            text.push_str(before);
            rest = match escape.split_at(1) {
                ("n", rest) => {
                    text.push('\n');
                    rest
                }
                ("r", rest) => {
                    text.push('\r');
                    rest
                }
                ("t", rest) => {
                    text.push('\t');
                    rest
                }
                ("\\", rest) => {
                    text.push('\\');
                    rest
                }
                // An escape such as `\u{202e}`.
                (_, rest) => {
                    let (code, rest) = rest[1..].split_once('}').unwrap();
                    let code = u32::from_str_radix(code, 16).unwrap();
                    text.push(char::from_u32(code).unwrap());
                    rest
                }
            };
        }
        text.push_str(rest);
        text
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
                    assert_eq!(restored(&cell), text, "{cell}");
                    assert!(!cell.contains(is_unprintable), "{cell}");
                }
            }
        }
    }
}
