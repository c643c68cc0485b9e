//! `Robot-version: 2.0`: the version of the exclusion standard that a group is written in. Sean
//! Conner's extended standard (docs/semantics.md, section 3.3).

use crate::parse::field::Field;
use crate::parse::text::number;
use crate::select::view::ViewLine;

/// A version, with the line that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotVersion {
    line: usize,
    major: u32,
    minor: u32,
}

impl RobotVersion {
    /// Reads one to three numbers with dots between them; a minor number that is missing is 0, and
    /// the third means nothing (`2.0.0` is the older way to write `2.0`). `None` for anything else.
    pub(crate) fn read(line: usize, value: &[u8]) -> Option<Self> {
        let mut parts = value.splitn(3, |&byte| byte == b'.').map(number);
        let major = parts.next()??;
        let minor = parts.next().unwrap_or(Some(0))?;
        if let Some(third) = parts.next() {
            third?;
        }
        Some(Self { line, major, minor })
    }

    /// Returns whether a line states version 2.0 or later.
    pub(crate) fn states_version_2(line: &ViewLine, body: &[u8]) -> bool {
        line.field == Some(Field::RobotVersion)
            && Self::read(line.number(), line.value(body)).is_some_and(|read| read.is_version_2())
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the first number.
    pub fn major(&self) -> u32 {
        self.major
    }

    /// Returns the second number.
    pub fn minor(&self) -> u32 {
        self.minor
    }

    /// Returns whether the group is written in the extended standard: version 2.0 or later.
    pub fn is_version_2(&self) -> bool {
        self.major >= 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_with_dots() {
        let read = |value: &str| {
            RobotVersion::read(1, value.as_bytes())
                .map(|found| (found.major(), found.minor(), found.is_version_2()))
        };
        assert_eq!(read("2.0"), Some((2, 0, true)));
        assert_eq!(read("2.0.0"), Some((2, 0, true)));
        assert_eq!(read("2"), Some((2, 0, true)));
        assert_eq!(read("1.0"), Some((1, 0, false)));
        assert_eq!(read("1.0.0"), Some((1, 0, false)));
        assert_eq!(read("10.21"), Some((10, 21, true)));
        for junk in [
            "",
            ".",
            "2.",
            ".0",
            "2.0.",
            "2.0.0.0",
            "v2.0",
            "2.0b",
            "2,0",
            "-2.0",
            "+2.0",
            "2 .0",
            "4294967296.0",
        ] {
            assert_eq!(read(junk), None, "{junk:?}");
        }
    }
}
