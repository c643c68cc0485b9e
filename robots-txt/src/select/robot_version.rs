//! `Robot-version: 2.0`: the version of the exclusion standard that a group is written in. Sean
//! Conner's extended standard (docs/semantics.md, section 3.3).

use crate::parse::field::Field;
use crate::parse::text::number;
use crate::select::view::ViewLine;

/// A version, with the line that gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotVersion {
    line: usize,
    is_version_2: bool,
}

impl RobotVersion {
    /// Reads one to three numbers with dots between them, of which only the first has a meaning (`2.0.0` is the older way to
    /// write `2.0`). `None` for anything else.
    pub(crate) fn read(line: usize, value: &[u8]) -> Option<Self> {
        let parts = value.splitn(3, |&byte| byte == b'.').map(number);
        let parts: Vec<u32> = parts.collect::<Option<_>>()?;
        Some(Self {
            line,
            is_version_2: *parts.first()? >= 2,
        })
    }

    /// Notes whether a group has version 2.0 or later, once its first known field after `User-agent` is read.
    #[inline]
    pub(crate) fn note(is_version_2: &mut Option<bool>, line: &ViewLine, body: &[u8]) {
        if !matches!(line.field, None | Some(Field::UserAgent | Field::Other)) {
            is_version_2.get_or_insert_with(|| {
                let read = || Self::read(line.number(), line.value(body));
                line.field == Some(Field::RobotVersion)
                    && read().is_some_and(|read| read.is_version_2)
            });
        }
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns whether the group is written in the extended standard: version 2.0 or later.
    pub fn is_version_2(&self) -> bool {
        self.is_version_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_numbers_with_dots() {
        let read =
            |value: &str| RobotVersion::read(1, value.as_bytes()).map(|found| found.is_version_2());
        assert_eq!(read("2.0"), Some(true));
        assert_eq!(read("2.0.0"), Some(true));
        assert_eq!(read("2"), Some(true));
        assert_eq!(read("1.0"), Some(false));
        assert_eq!(read("1.0.0"), Some(false));
        assert_eq!(read("10.21"), Some(true));
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
