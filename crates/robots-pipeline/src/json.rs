//! JSON that is safe to show: unprintable characters in strings are escapes.

use robots_policy::text::printable_json;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};
use serde_json::{Result, Serializer};
use std::io::{self, Write};

/// Writes a value as JSON in one line, and a line feed.
///
/// # Errors
///
/// If it cannot be serialised or written.
pub fn write_line(mut writer: impl Write, value: &impl Serialize) -> Result<()> {
    value.serialize(&mut Serializer::with_formatter(
        &mut writer,
        Escaping(CompactFormatter),
    ))?;
    writer.write_all(b"\n").map_err(serde_json::Error::io)
}

/// Writes a value as indented JSON, and a line feed.
///
/// # Errors
///
/// If it cannot be serialised or written.
pub fn write_pretty(mut writer: impl Write, value: &impl Serialize) -> Result<()> {
    let formatter = Escaping(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut writer, formatter))?;
    writer.write_all(b"\n").map_err(serde_json::Error::io)
}

/// Another formatter, with unprintable characters as escapes.
struct Escaping<F>(F);

/// Defines methods that call the same methods of the other formatter.
macro_rules! pass {
    ($($name:ident($($argument:ident: $type:ty)?)),*) => {$(
        fn $name<W: ?Sized + Write>(&mut self, writer: &mut W $(, $argument: $type)?) -> io::Result<()> {
            self.0.$name(writer $(, $argument)?)
        }
    )*};
}

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        writer.write_all(printable_json(fragment).as_bytes())
    }

    pass! {
        begin_array(), end_array(), begin_array_value(first: bool), end_array_value(),
        begin_object(), end_object(), begin_object_key(first: bool), end_object_key(),
        begin_object_value(), end_object_value()
    }
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
