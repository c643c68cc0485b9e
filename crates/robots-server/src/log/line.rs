//! The parts of a log line that take most of its time, written as `tracing_subscriber` writes them.

use jiff::Timestamp;
use std::cell::RefCell;
use std::error::Error;
use std::fmt::{self, Write};
use std::net::IpAddr;
use std::time::{SystemTime, UNIX_EPOCH};
use tracing::field::{Field, Visit};
use tracing_subscriber::field::{RecordFields, VisitOutput};
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};
use tracing_subscriber::fmt::time::FormatTime;

/// The present time in UTC, with microseconds. Its second is kept from line to line.
#[derive(Debug)]
pub(super) struct Time;

/// The number of decimal places of a microsecond.
const MICROS_DIGITS: usize = 6;

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
    out.write_char('.')?;
    write_digits(micros.into(), MICROS_DIGITS, out)?;
    out.write_char('Z')
}

/// Writes a number with zeros before it, if it has fewer digits than this.
fn write_digits(number: u64, digits: usize, out: &mut impl Write) -> fmt::Result {
    let mut buffer = itoa::Buffer::new();
    let number = buffer.format(number);
    let zeros = "000000000".get(number.len()..digits);
    out.write_str(zeros.unwrap_or_default())?;
    out.write_str(number)
}

/// The fields of a line in text: the message, and then `name=value`.
#[derive(Debug)]
pub(super) struct Fields;

/// The room for the fields of a line at first, in bytes: enough for those of a request.
const FIRST_BYTES: usize = 256;

/// The field whose value stands alone.
const MESSAGE: &str = "message";

impl<'w> FormatFields<'w> for Fields {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut visitor = FieldWriter {
            text: String::with_capacity(FIRST_BYTES),
            is_first: true,
            result: Ok(()),
        };
        fields.record(&mut visitor);
        visitor.result?;
        writer.write_str(&visitor.text)
    }
}

/// A writer of fields. Texts without escapes are written here; others by the library, which looks at each character.
struct FieldWriter {
    text: String,
    is_first: bool,
    result: fmt::Result,
}

impl FieldWriter {
    /// Writes what is before the value of a field.
    fn write_name(&mut self, name: &str) {
        if !self.is_first {
            self.text.push(' ');
        }
        self.is_first = false;
        if name != MESSAGE {
            // Names that are words of Rust are written as they are meant.
            self.text.push_str(name.strip_prefix("r#").unwrap_or(name));
            self.text.push('=');
        }
    }

    fn write_by_library(&mut self, record: impl FnOnce(&mut DefaultVisitor<'_>)) {
        let mut visitor = DefaultVisitor::new(Writer::new(&mut self.text), self.is_first);
        record(&mut visitor);
        self.result = self.result.and(visitor.finish());
        self.is_first = false;
    }
}

impl Visit for FieldWriter {
    fn record_str(&mut self, field: &Field, value: &str) {
        // Without an early end, several bytes are compared at once.
        let is_plain = |byte: u8| matches!(byte, b' ' | b'!' | b'#'..=b'[' | b']'..=b'~');
        let has_escapes = !value.bytes().fold(true, |all, byte| all & is_plain(byte));
        if field.name() == MESSAGE || has_escapes {
            return self.write_by_library(|visitor| visitor.record_str(field, value));
        }
        self.write_name(field.name());
        self.text.push('"');
        self.text.push_str(value);
        self.text.push('"');
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        match nanoseconds(value) {
            Some(number) => {
                self.write_name(field.name());
                self.result = self.result.and(write_seconds(number, &mut self.text));
            }
            None => self.record_debug(field, &value),
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.write_name(field.name());
        self.text.push_str(itoa::Buffer::new().format(value));
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        self.write_by_library(|visitor| visitor.record_error(field, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let before = (self.text.len(), self.is_first);
        self.write_name(field.name());
        let start = self.text.len();
        let is_written = write!(self.text, "{value:?}").is_ok();
        if is_written && self.text.get(start..).is_some_and(is_plain) {
            return;
        }
        self.text.truncate(before.0);
        self.is_first = before.1;
        self.write_by_library(|visitor| visitor.record_debug(field, value));
    }
}

/// The number of nanoseconds in a second.
const NANOS: u64 = 1_000_000_000;

/// The number of decimal places of a nanosecond.
const NANOS_DIGITS: usize = 9;

/// Returns a number of seconds in nanoseconds, if it is a whole number of them and has up to 15 digits. No other number has these
/// digits then, so the library writes them.
fn nanoseconds(seconds: f64) -> Option<u64> {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "at most 10^15, and compared with the number afterwards"
    )]
    let (number, again) = {
        let number = (seconds * NANOS as f64).round() as u64;
        (number, number as f64 / NANOS as f64)
    };
    #[allow(clippy::float_cmp, reason = "only the same number has these digits")]
    let is_same = again == seconds;
    ((1e-9..1e6).contains(&seconds) && is_same).then_some(number)
}

/// Writes nanoseconds as seconds, in the form of the library: with an exponent below 0.0001.
fn write_seconds(nanoseconds: u64, out: &mut impl Write) -> fmt::Result {
    if nanoseconds < NANOS / 10_000 {
        let mut buffer = itoa::Buffer::new();
        let digits = buffer.format(nanoseconds);
        let exponent = NANOS_DIGITS.saturating_sub(digits.len().saturating_sub(1));
        let (first, rest) = digits.trim_end_matches('0').split_at(1);
        let point = if rest.is_empty() { "" } else { "." };
        return write!(out, "{first}{point}{rest}e-{exponent}");
    }
    let (whole, mut rest) = (nanoseconds.div_euclid(NANOS), nanoseconds.rem_euclid(NANOS));
    let mut width = NANOS_DIGITS;
    while width > 1 && rest.is_multiple_of(10) {
        rest = rest.div_euclid(10);
        width = width.saturating_sub(1);
    }
    write_digits(whole, 1, out)?;
    out.write_char('.')?;
    write_digits(rest, width, out)
}

/// An IP address, as it displays itself.
#[derive(Debug)]
pub(crate) struct AddressText(pub(crate) IpAddr);

impl fmt::Display for AddressText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let IpAddr::V4(address) = self.0 else {
            return self.0.fmt(f);
        };
        // The library writes each part with the options of formats, which takes most of the time.
        let mut buffer = itoa::Buffer::new();
        let [first, others @ ..] = address.octets();
        f.write_str(buffer.format(first))?;
        others.into_iter().try_for_each(|octet| {
            f.write_char('.')?;
            f.write_str(buffer.format(octet))
        })
    }
}

/// Returns whether a text has only characters of ASCII that can be seen, and spaces.
fn is_plain(text: &str) -> bool {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
    text.bytes().fold(true, |all, byte| all & is_plain(byte))
}

#[cfg(test)]
mod tests {
    use super::{AddressText, Fields, Second, nanoseconds, write_seconds, write_time};
    use proptest::prelude::*;
    use std::io::{self, Write};
    use std::net::{IpAddr, Ipv4Addr};
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
        tracing::info!(address = %Ipv4Addr::LOCALHOST, small = 1e-9, not = f64::NAN, big = u128::MAX);
        tracing::info!(long = %"\u{e9}x".repeat(400), parts = ?("a\n", 'b', 1.5), status = 200_u16, "");
        tracing::info!(first = "", second = 1, "");
        tracing::info!(r#type = 1, r#match = "text", "");
        tracing::info!(%error, after = ?"\u{1b}");
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

    /// Asserts that seconds are written as the library does. Returns whether they are written here.
    fn assert_seconds(seconds: f64) -> bool {
        let Some(number) = nanoseconds(seconds) else {
            return false;
        };
        let mut text = String::new();
        write_seconds(number, &mut text).unwrap();
        assert_eq!(text, format!("{seconds:?}"));
        true
    }

    #[test]
    fn seconds_at_the_limits() {
        for (seconds, is_here) in [
            (0.0, false),
            (-0.5, false),
            (1e-10, false),
            (1e-9, true),
            (99_999e-9, true),
            (1e-4, true),
            (1.0, true),
            (999_999.999_999_999, true),
            (1e6, false),
            (1.0 / 3.0, false),
            (f64::NAN, false),
            (f64::INFINITY, false),
        ] {
            assert_eq!(assert_seconds(seconds), is_here, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn durations_are_written_as_the_library_does(exponent in 0..15_u32, digits: u64) {
            let nanos = digits % 10_u64.pow(exponent + 1) + 1;
            let seconds = std::time::Duration::from_nanos(nanos).as_secs_f64();
            // A sum of seconds and parts of one may not be the number that is nearest to its digits.
            prop_assert!(assert_seconds(seconds) || seconds >= 1.0);
        }

        #[test]
        fn addresses_are_written_as_the_library_does(number: u32, wide: u128) {
            for address in [IpAddr::V4(number.into()), IpAddr::V6(wide.into())] {
                prop_assert_eq!(AddressText(address).to_string(), address.to_string());
            }
        }
    }
}
