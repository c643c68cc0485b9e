//! The parts of a log line that take most of its time, written as `tracing_subscriber` writes them.

use jiff::Timestamp;
use std::cell::RefCell;
use std::error::Error;
use std::fmt::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing_subscriber::field::{RecordFields, VisitOutput};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};
use tracing_subscriber::fmt::time::FormatTime;

/// The present time in UTC, with microseconds. Its second is kept from line to line.
#[derive(Debug)]
pub(super) struct Time;

/// A second, and its text up to the seconds.
#[derive(Debug, Default)]
struct Second {
    number: u64,
    text: String,
}

thread_local! {
    static LAST_SECOND: RefCell<Second> = RefCell::default();
}

impl FormatTime for Time {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        // A clock before 1970 is shown as 1970.
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.unwrap_or_default();
        LAST_SECOND
            .with_borrow_mut(|last| write_time(now.as_secs(), now.subsec_micros(), last, writer))
    }
}

/// Writes the time at `second` and `micros` since 1970.
fn write_time(second: u64, micros: u32, last: &mut Second, out: &mut impl Write) -> fmt::Result {
    if last.number != second || last.text.is_empty() {
        let number = i64::try_from(second).unwrap_or(i64::MAX);
        let time = Timestamp::from_second(number).unwrap_or(Timestamp::MAX);
        last.text.clear();
        write!(last.text, "{}", time.strftime("%Y-%m-%dT%H:%M:%S"))?;
        last.number = second;
    }
    out.write_str(&last.text)?;
    write!(out, ".{micros:06}Z")
}

/// The fields of a line in text: the message, and then `name=value`.
#[derive(Debug)]
pub(super) struct Fields;

impl<'w> FormatFields<'w> for Fields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut visitor = FieldWriter {
            writer,
            is_first: true,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.result
    }
}

/// A writer of fields. Only texts without escapes are written here: the library reads each of their characters.
struct FieldWriter<'w> {
    writer: Writer<'w>,
    is_first: bool,
    result: fmt::Result,
}

impl FieldWriter<'_> {
    fn write(&mut self, write: impl FnOnce(&mut Writer<'_>, bool) -> fmt::Result) {
        if self.result.is_ok() {
            self.result = write(&mut self.writer, self.is_first);
        }
        self.is_first = false;
    }

    fn write_by_library(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        self.write(|writer, is_first| {
            let mut visitor = DefaultVisitor::new(writer.by_ref(), is_first);
            record(&mut visitor);
            visitor.finish()
        });
    }
}

impl Visit for FieldWriter<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\');
        if field.name() == "message" || !value.bytes().all(is_plain) {
            return self.write_by_library(|visitor| visitor.record_str(field, value));
        }
        self.write(|writer, is_first| {
            let space = if is_first { "" } else { " " };
            for part in [space, field.name(), "=\"", value, "\""] {
                writer.write_str(part)?;
            }
            Ok(())
        });
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.write_by_library(|visitor| visitor.record_error(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.write_by_library(|visitor| visitor.record_debug(field, value));
    }
}

#[cfg(test)]
mod tests {
    use super::{Fields, Second, write_time};
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::fmt::MakeWriter;

    #[test]
    fn a_time_has_its_second_and_microseconds() {
        let mut last = Second::default();
        for (second, micros, expected) in [
            (0, 0, "1970-01-01T00:00:00.000000Z"),
            (0, 7, "1970-01-01T00:00:00.000007Z"),
            (951_827_696, 999_999, "2000-02-29T12:34:56.999999Z"),
            (951_827_697, 120, "2000-02-29T12:34:57.000120Z"),
            (0, 1, "1970-01-01T00:00:00.000001Z"),
        ] {
            let mut text = String::new();
            write_time(second, micros, &mut last, &mut text).unwrap();
            assert_eq!(text, expected);
        }
    }

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl MakeWriter<'_> for Lines {
        type Writer = Self;

        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    fn log_lines() {
        for text in [
            "",
            "plain words",
            "\"",
            "\\",
            "\n",
            "\u{1b}[1m",
            "\u{e9}",
            "\u{7f}",
        ] {
            tracing::info!(text, shown = %text, debug = ?text, "message {text}");
        }
        let none: Option<&str> = None;
        let error = io::Error::other("\u{1b} cause");
        let source = &error as &(dyn std::error::Error + 'static);
        tracing::warn!(
            none,
            some = Some("x"),
            whole = -7,
            time = 0.000_012_5,
            yes = true
        );
        tracing::error!(%error, source, "failed");
        tracing::info!(message = "\u{1b} given as a field", a = 1_u64);
        tracing::info!("no fields");
    }

    /// The lines are those of the library, to the byte.
    #[test]
    fn fields_are_written_as_the_library_writes_them() {
        let subscriber = || tracing_subscriber::fmt().without_time().with_ansi(false);
        let (ours, theirs) = (Lines::default(), Lines::default());
        let lines = subscriber().with_writer(ours.clone()).fmt_fields(Fields);
        tracing::subscriber::with_default(lines.finish(), log_lines);
        let lines = subscriber().with_writer(theirs.clone());
        tracing::subscriber::with_default(lines.finish(), log_lines);
        let [ours, theirs] = [ours, theirs].map(|lines| {
            let bytes = lines.0.lock().unwrap().clone();
            String::from_utf8(bytes).unwrap()
        });
        assert!(ours.contains("message \u{e9} text=\"\u{e9}\""), "{ours}");
        assert_eq!(ours, theirs);
    }
}
