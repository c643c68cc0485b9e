//! `tdm-reservation` and `tdm-policy`: whether the rights in text and data mining are reserved, and
//! where a licence is to be had. `TDMRep`, W3C community group, final of 2024-05-10 (SEMANTICS 4.6).
//!
//! A response is one carrier of several; which carrier counts is not settled here.

use super::trimmed;

/// Whether the rights in text and data mining are reserved: `tdm-reservation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// Reads a value, of a header or a META, white space around it ignored; `None` if it is neither
    /// `1` nor `0`, which is as if nothing were said (SEMANTICS 4.6).
    ///
    /// ```
    /// use robots_meta::Reservation;
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
    line: usize,
    offset: usize,
    text: &'a str,
}

impl<'a> TdmReservation<'a> {
    pub(super) fn read(line: usize, value: &'a str) -> Self {
        let (offset, text) = trimmed(value);
        Self { line, offset, text }
    }

    /// The index of the line among all that were given, from 0.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where the text begins in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The value as written, without white space around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// What it says; `None` if it cannot be read, which is as if nothing were said.
    pub fn reservation(&self) -> Option<Reservation> {
        Reservation::parse(self.text)
    }
}

/// A `tdm-policy` line: the URL of a policy, which says under which terms mining is licensed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TdmPolicy<'a> {
    line: usize,
    offset: usize,
    url: &'a str,
}

impl<'a> TdmPolicy<'a> {
    /// `None` if the value is empty, which names no policy.
    pub(super) fn read(line: usize, value: &'a str) -> Option<Self> {
        let (offset, url) = trimmed(value);
        (!url.is_empty()).then_some(Self { line, offset, url })
    }

    /// The index of the line among all that were given, from 0.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where the URL begins in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The URL as written, without white space around it; it may be anything.
    pub fn url(&self) -> &'a str {
        self.url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_and_zero_say_something() {
        let read = |value| TdmReservation::read(3, value).reservation();
        assert_eq!(read("1"), Some(Reservation::Reserved));
        assert_eq!(read("\t0 "), Some(Reservation::NotReserved));
        for value in ["", "2", "01", "true", "\"1\"", "1, 1", "1;a", "-1", "１"] {
            assert_eq!(read(value), None, "{value:?}");
        }
    }

    #[test]
    fn values_have_places() {
        let reservation = TdmReservation::read(3, "  yes ");
        assert_eq!(
            (reservation.line(), reservation.offset(), reservation.text()),
            (3, 2, "yes")
        );
        let policy = TdmPolicy::read(4, " https://a.example/p.json\t").unwrap();
        assert_eq!(
            (policy.line(), policy.offset(), policy.url()),
            (4, 1, "https://a.example/p.json")
        );
        assert_eq!(TdmPolicy::read(0, " "), None);
    }
}
