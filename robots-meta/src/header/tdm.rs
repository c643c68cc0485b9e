//! `tdm-reservation` and `tdm-policy`: whether the rights in text and data mining are reserved, and
//! the URL of a licence. `TDMRep`, W3C community group, final of 2024-05-10 (docs/semantics.md,
//! section 4.6).
//!
//! A response is one carrier of such statements; METAs and the site's tdmrep.json are others. The
//! decision between carriers is up to `robots-policy`.

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

/// A `tdm-reservation` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TdmReservation<'a> {
    index: usize,
    offset: usize,
    text: &'a str,
}

impl<'a> TdmReservation<'a> {
    pub(super) fn read(index: usize, value: &'a [u8]) -> Self {
        let (offset, text) = trimmed(str::from_utf8(value).unwrap_or_default());
        Self {
            index,
            offset,
            text,
        }
    }

    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the offset of the text in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the value as written, without white space around it; empty if it is not UTF-8.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns its meaning; `None` if it cannot be read, which counts as no statement.
    pub fn reservation(&self) -> Option<Reservation> {
        Reservation::parse(self.text)
    }
}

/// A `tdm-policy` line: the URL of a policy with the terms under which mining is licensed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TdmPolicy<'a> {
    index: usize,
    offset: usize,
    url: &'a str,
}

impl<'a> TdmPolicy<'a> {
    /// Reads a value; `None` if it is empty or not UTF-8, and names no policy.
    pub(super) fn read(index: usize, value: &'a [u8]) -> Option<Self> {
        let (offset, url) = trimmed(str::from_utf8(value).ok()?);
        (!url.is_empty()).then_some(Self { index, offset, url })
    }

    /// Returns the index of the header line among all lines, from 0.
    pub fn header_index(&self) -> usize {
        self.index
    }

    /// Returns the offset of the URL in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the URL as written, without white space around it; it may be any text.
    pub fn url(&self) -> &'a str {
        self.url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_and_zero_have_a_meaning() {
        let read = |value: &str| TdmReservation::read(3, value.as_bytes()).reservation();
        assert_eq!(read("1"), Some(Reservation::Reserved));
        assert_eq!(read("\t0 "), Some(Reservation::NotReserved));
        for value in ["", "2", "01", "true", "\"1\"", "1, 1", "1;a", "-1", "１"] {
            assert_eq!(read(value), None, "{value:?}");
        }
    }

    #[test]
    fn values_have_places() {
        let reservation = TdmReservation::read(3, b"  yes ");
        assert_eq!(
            (
                reservation.header_index(),
                reservation.offset(),
                reservation.text()
            ),
            (3, 2, "yes")
        );
        let policy = TdmPolicy::read(4, b" https://a.example/p.json\t").unwrap();
        assert_eq!(
            (policy.header_index(), policy.offset(), policy.url()),
            (4, 1, "https://a.example/p.json")
        );
        assert_eq!(TdmPolicy::read(0, b" "), None);
        assert_eq!(TdmPolicy::read(0, b"/\xE9"), None);
        assert_eq!(TdmReservation::read(0, b"1\xE9").reservation(), None);
    }
}
