//! `Visit-time: hhmm-hhmm`: the hours for visits of robots, in UTC. Sean Conner's extended standard
//! (docs/semantics.md, section 3.3); also as `hh:mm - hh:mm`, which is in use.

use crate::parse::text::trim;
use memchr::memchr;
use std::fmt;

/// A part of the day, in minutes since midnight UTC. It includes its start and excludes its end; the
/// extended standard does not say whether the two are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window {
    start: u16,
    end: u16,
}

impl Window {
    /// The minutes of a day.
    pub const MINUTES_OF_DAY: u16 = 24 * 60;

    /// Reads `0800-1600`, `800-1600`, `08:00 - 16:00` or `8:00-16:00`. The latest start is 2359, the
    /// latest end 2400.
    pub(crate) fn read(value: &[u8]) -> Option<Self> {
        let (start, end) = value.split_at_checked(memchr(b'-', value)?)?;
        let start = minute_of_day(trim(start))?;
        let end = minute_of_day(trim(end.get(1..)?))?;
        (start < Self::MINUTES_OF_DAY).then_some(Self { start, end })
    }

    /// Returns the first minute of the window: 0 to 1439.
    pub fn start(self) -> u16 {
        self.start
    }

    /// Returns the first minute after the window: 0 to 1440. If it is not greater than the start, it is a minute of
    /// the next day.
    pub fn end(self) -> u16 {
        self.end
    }

    /// Returns whether a minute of the day (0 to 1439, in UTC) is in the window. Any other number is
    /// not.
    ///
    /// A window whose end is before its start continues past midnight. If both are equal, the window is
    /// the whole day.
    pub fn contains(self, minute_of_day: u16) -> bool {
        if minute_of_day >= Self::MINUTES_OF_DAY {
            return false;
        }
        let started = self.start <= minute_of_day;
        let ended = self.end <= minute_of_day;
        if self.start < self.end {
            started && !ended
        } else {
            started || !ended
        }
    }
}

impl fmt::Display for Window {
    /// Writes the value of a line: `2200-0400`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clock = |minute: u16| (minute / 60, minute % 60);
        let ((hour, minute), (end_hour, end_minute)) = (clock(self.start), clock(self.end));
        write!(f, "{hour:02}{minute:02}-{end_hour:02}{end_minute:02}")
    }
}

/// Returns the minutes since midnight of `hhmm`, `hmm`, `hh:mm` or `h:mm`; 1440 for 2400.
fn minute_of_day(text: &[u8]) -> Option<u16> {
    let digits = match *text {
        [hour, b':', ten, one] | [hour, ten, one] => [b'0', hour, ten, one],
        [ten_hours, hour, b':', ten, one] | [ten_hours, hour, ten, one] => {
            [ten_hours, hour, ten, one]
        }
        _ => return None,
    };
    let [ten_hours, hour, ten, one] = digits.map(|byte| char::from(byte).to_digit(10));
    let (hours, minutes) = (ten_hours? * 10 + hour?, ten? * 10 + one?);
    if minutes >= 60 {
        return None;
    }
    let minutes = u16::try_from(hours * 60 + minutes).ok()?;
    (minutes <= Window::MINUTES_OF_DAY).then_some(minutes)
}

/// The hours for visits, with their line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisitTime {
    line: usize,
    window: Window,
}

impl VisitTime {
    /// Reads a value; `None` if it is not a window.
    pub(crate) fn read(line: usize, value: &[u8]) -> Option<Self> {
        Window::read(value).map(|window| Self { line, window })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the part of the day.
    pub fn window(&self) -> Window {
        self.window
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<(u16, u16)> {
        let found = VisitTime::read(1, value.as_bytes())?;
        Some((found.window().start(), found.window().end()))
    }

    #[test]
    fn a_window_prints_as_it_is_read() {
        for text in ["2200-0400", "0000-2400", "0845-0846"] {
            assert_eq!(Window::read(text.as_bytes()).unwrap().to_string(), text);
        }
    }

    #[test]
    fn windows_are_read_as_they_are_written() {
        let cases = [
            ("0400-0845", (240, 525)),
            ("600-845", (360, 525)),
            ("13:00 - 20:00", (780, 1200)),
            ("6:00-08:45", (360, 525)),
            ("0000\t-\t2359", (0, 1439)),
            ("0000-2400", (0, 1440)),
            ("2200-0400", (1320, 240)),
            ("1000-1000", (600, 600)),
        ];
        for (value, expected) in cases {
            assert_eq!(read(value), Some(expected), "{value}");
        }
    }

    #[test]
    fn invalid_windows_are_rejected() {
        for junk in [
            "",
            "-",
            "0400",
            "0400-",
            "-0845",
            "0400-0845-0900",
            "0460-0800",
            "0000-2401",
            "2400-0400",
            "2500-2600",
            "04-08",
            "04000-08450",
            "04:0-08:45",
            "04.00-08.45",
            "+400-0845",
            "0400-0845 UTC",
            "04 00-08 45",
        ] {
            assert_eq!(read(junk), None, "{junk:?}");
        }
    }

    #[test]
    fn the_start_is_in_and_the_end_is_out() {
        let contains =
            |value: &str, minute| Window::read(value.as_bytes()).unwrap().contains(minute);
        assert!(!contains("0400-0845", 239));
        assert!(contains("0400-0845", 240));
        assert!(contains("0400-0845", 524));
        assert!(!contains("0400-0845", 525));
        assert!(contains("0000-2400", 0));
        assert!(contains("0000-2400", 1439));
        assert!(!contains("0000-2400", 1440));
    }

    #[test]
    fn a_window_goes_over_midnight() {
        let night = Window::read(b"2200-0400").unwrap();
        for (minute, expected) in [
            (0, true),
            (239, true),
            (240, false),
            (1319, false),
            (1320, true),
            (1439, true),
            (1440, false),
        ] {
            assert_eq!(night.contains(minute), expected, "{minute}");
        }
        let to_midnight = Window::read(b"2200-0000").unwrap();
        assert!(to_midnight.contains(1439));
        assert!(!to_midnight.contains(0));
    }

    #[test]
    fn an_end_that_is_the_start_is_the_whole_day() {
        let day = Window::read(b"1000-1000").unwrap();
        assert!((0..Window::MINUTES_OF_DAY).all(|minute| day.contains(minute)));
    }
}
