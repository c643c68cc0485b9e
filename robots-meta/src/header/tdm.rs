//! `tdm-reservation` and `tdm-policy`: whether the rights in text and data mining are reserved, and
//! the URL of a licence. `TDMRep`, W3C community group, final of 2024-05-10 (docs/semantics.md,
//! section 4.6).
//!
//! A response is one carrier of such statements; METAs and the site's tdmrep.json are others. The
//! decision between carriers is up to `robots-policy`.

use super::facts::HeaderFact;
use super::trimmed;

/// The reservation of the rights in text and data mining: `tdm-reservation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[allow(
    clippy::exhaustive_enums,
    reason = "closed by nature: a reservation is made, or it is not"
)]
pub enum Reservation {
    /// `0`: mining needs no licence.
    NotReserved,
    /// `1`: mining needs a licence, or an exception in law.
    Reserved,
}

impl Reservation {
    /// Reads a value of a header or a META, white space around it ignored. Returns `None` for
    /// anything but `1` and `0`, which counts as no statement (docs/semantics.md, section 4.6).
    ///
    /// ```
    /// use robots_meta::header::Reservation;
    ///
    /// assert_eq!(Reservation::parse(" 1 "), Some(Reservation::Reserved));
    /// assert_eq!(Reservation::parse("yes"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Self> {
        match text.trim_ascii() {
            "0" => Some(Self::NotReserved),
            "1" => Some(Self::Reserved),
            _ => None,
        }
    }
}

/// Reads the values of a `tdm-reservation` line, which commas separate; the text of one that is not UTF-8 is empty.
pub(super) fn reservations(
    index: usize,
    line: &[u8],
) -> impl Iterator<Item = HeaderFact<'_, Option<Reservation>>> {
    values(line, |_| true).map(move |(start, value)| {
        let (offset, text) = trimmed(str::from_utf8(value).unwrap_or_default());
        HeaderFact {
            index,
            offset: start + offset,
            text,
            meaning: Reservation::parse(text),
        }
    })
}

/// Reads the values of a `tdm-policy` line, which a comma and white space separate: a URL may have a comma. One that is
/// empty or not UTF-8 names no policy.
pub(super) fn policies(index: usize, line: &[u8]) -> impl Iterator<Item = HeaderFact<'_, ()>> {
    let is_end = |rest: &[u8]| matches!(rest, [] | [b' ' | b'\t', ..]);
    values(line, is_end).filter_map(move |(start, value)| {
        let (offset, text) = trimmed(str::from_utf8(value).ok()?);
        (!text.is_empty()).then_some(HeaderFact {
            index,
            offset: start + offset,
            text,
            meaning: (),
        })
    })
}

/// Returns the values of lines that were joined with commas (RFC 9110, 5.2), each with its offset. A comma separates if
/// `is_end` accepts the bytes after it.
fn values(line: &[u8], is_end: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = (usize, &[u8])> {
    let mut rest = Some((0, line));
    std::iter::from_fn(move || {
        let (start, bytes) = rest.take()?;
        let is_separator = |at: &usize| bytes.get(at + 1..).is_some_and(&is_end);
        let Some(comma) = memchr::memchr_iter(b',', bytes).find(is_separator) else {
            return Some((start, bytes));
        };
        let (value, after) = bytes.split_at_checked(comma)?;
        rest = after.get(1..).map(|after| (start + comma + 1, after));
        Some((start, value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_and_zero_have_a_meaning() {
        assert_eq!(Reservation::parse("1"), Some(Reservation::Reserved));
        assert_eq!(Reservation::parse("\t0 "), Some(Reservation::NotReserved));
        for value in ["", "2", "01", "true", "\"1\"", "1, 1", "1;a", "-1", "１"] {
            assert_eq!(Reservation::parse(value), None, "{value:?}");
        }
    }

    #[test]
    fn values_have_places() {
        let found: Vec<_> = reservations(3, b"  yes ,0,\t1, 1\xE9")
            .map(|found| (found.index, found.offset, found.text, found.meaning))
            .collect();
        let (yes, no) = (Reservation::Reserved, Reservation::NotReserved);
        assert_eq!(
            found,
            [
                (3, 2, "yes", None),
                (3, 7, "0", Some(no)),
                (3, 10, "1", Some(yes)),
                (3, 12, "", None)
            ]
        );
        let found: Vec<_> = policies(4, b" https://a.example/p,q.json\t, /r,\t/s, ,/\xE9")
            .map(|found| (found.index, found.offset, found.text))
            .collect();
        assert_eq!(
            found,
            [
                (4, 1, "https://a.example/p,q.json"),
                (4, 30, "/r"),
                (4, 34, "/s")
            ]
        );
        assert_eq!(policies(0, b" ").count(), 0);
        assert_eq!(policies(0, b"/\xE9").count(), 0);
    }
}
