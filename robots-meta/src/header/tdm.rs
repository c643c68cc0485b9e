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

/// Reads a `tdm-reservation` line; its text is empty if it is not UTF-8.
pub(super) fn reservation(index: usize, value: &[u8]) -> HeaderFact<'_, Option<Reservation>> {
    let (offset, text) = trimmed(str::from_utf8(value).unwrap_or_default());
    HeaderFact {
        index,
        offset,
        text,
        meaning: Reservation::parse(text),
    }
}

/// Reads a `tdm-policy` line; `None` if it is empty or not UTF-8, and names no policy.
pub(super) fn policy(index: usize, value: &[u8]) -> Option<HeaderFact<'_, ()>> {
    let (offset, text) = trimmed(str::from_utf8(value).ok()?);
    (!text.is_empty()).then_some(HeaderFact {
        index,
        offset,
        text,
        meaning: (),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_and_zero_have_a_meaning() {
        let read = |value: &str| reservation(3, value.as_bytes()).meaning();
        assert_eq!(read("1"), Some(Reservation::Reserved));
        assert_eq!(read("\t0 "), Some(Reservation::NotReserved));
        for value in ["", "2", "01", "true", "\"1\"", "1, 1", "1;a", "-1", "１"] {
            assert_eq!(read(value), None, "{value:?}");
        }
    }

    #[test]
    fn values_have_places() {
        let found = reservation(3, b"  yes ");
        assert_eq!((found.index, found.offset, found.text), (3, 2, "yes"));
        let found = policy(4, b" https://a.example/p.json\t").unwrap();
        assert_eq!(
            (found.index, found.offset, found.text),
            (4, 1, "https://a.example/p.json")
        );
        assert_eq!(policy(0, b" "), None);
        assert_eq!(policy(0, b"/\xE9"), None);
        assert_eq!(reservation(0, b"1\xE9").meaning, None);
    }
}
