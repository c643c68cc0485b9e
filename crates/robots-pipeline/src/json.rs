//! JSON that is safe to show: unprintable characters in strings are escapes.

use robots_policy::text::printable_json;
use serde::Serialize;
use serde_json::Result;
use std::io::Write;

/// Writes a value as JSON in one line, and a line feed.
///
/// # Errors
///
/// If it cannot be serialised or written.
pub fn write_line(writer: impl Write, value: &impl Serialize) -> Result<()> {
    write(writer, &serde_json::to_string(value)?)
}

/// Writes a value as indented JSON, and a line feed.
///
/// # Errors
///
/// If it cannot be serialised or written.
pub fn write_pretty(writer: impl Write, value: &impl Serialize) -> Result<()> {
    write(writer, &serde_json::to_string_pretty(value)?)
}

fn write(mut writer: impl Write, json: &str) -> Result<()> {
    let written = writer.write_all(printable_json(json).as_bytes());
    written
        .and_then(|()| writer.write_all(b"\n"))
        .map_err(serde_json::Error::io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn strings_are_escaped_and_keep_their_value() {
        let value = json!({"a\u{202e}": ["\u{9b}\n\"\u{e0041}", 1, {}, []], "b": {"c": null}});
        let (mut line, mut pretty) = (Vec::new(), Vec::new());
        write_line(&mut line, &value).unwrap();
        write_pretty(&mut pretty, &value).unwrap();
        for json in [&line, &pretty] {
            assert!(json.is_ascii());
            assert_eq!(serde_json::from_slice::<Value>(json).unwrap(), value);
        }
        let plain = json!({"caf\u{e9}": ["\u{1f600}", 1.5, {}, [[]]], "b": {"c": null}});
        line.clear();
        pretty.clear();
        write_line(&mut line, &plain).unwrap();
        write_pretty(&mut pretty, &plain).unwrap();
        assert_eq!(line, format!("{plain}\n").into_bytes());
        assert_eq!(pretty, format!("{plain:#}\n").into_bytes());
    }
}
