//! `/.well-known/tdmrep.json`: the rights in text and data mining that a site reserves. `TDMRep`,
//! W3C community group, final of 2024-05-10 (`docs/semantics.md`, section 4.6).
//!
//! The file becomes a list of entries, each with a path pattern and a reservation: the first that
//! matches a page counts. An entry that is valid JSON, but not as the standard says, is skipped. A file
//! that is too long or not a JSON array is an error ([`TdmrepError`]). It may reserve anything, so a file can also be
//! [unreadable](Tdmrep::unreadable): no permission to train follows from it. Headers and METAs override the file (module `usage::tdm`). Reading is linear in the bytes.
//! A look-up tries the entries one by one.

use crate::limits::{MAX_TDMREP_BYTES, MAX_TDMREP_ENTRIES};
use robots_meta::header::Reservation;
use robots_txt::extension::PathPattern;
use robots_txt::{Dialect, Target};
use serde::Deserializer as _;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// A tdmrep.json. Cheap to clone.
///
/// ```
/// use robots_policy::site::Tdmrep;
/// use robots_policy::robots_meta::header::Reservation;
/// use robots_policy::robots_txt::Target;
///
/// let file = Tdmrep::parse(
///     br#"[
///         {"location": "/free/*.pdf$", "tdm-reservation": 0},
///         {"location": "/", "tdm-reservation": 1, "tdm-policy": "https://a.example/policy.json"}
///     ]"#,
/// )?;
/// let entry = file.for_target(&Target::new("https://a.example/free/book.pdf")).unwrap();
/// assert_eq!(entry.reservation(), Reservation::NotReserved);
/// let entry = file.for_target(&Target::new("https://a.example/book.pdf")).unwrap();
/// assert_eq!((entry.index(), entry.reservation()), (1, Reservation::Reserved));
/// assert_eq!(entry.policy(), Some("https://a.example/policy.json"));
/// # Ok::<(), robots_policy::site::TdmrepError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Tdmrep {
    file: Arc<File>,
}

#[derive(Debug, Default)]
struct File {
    /// The bytes of the file, for stores.
    source: Box<[u8]>,
    entries: Vec<TdmrepEntry>,
    skipped: Vec<usize>,
    is_cut: bool,
    /// Why nothing is known of the file.
    unread: Option<Box<str>>,
}

impl Tdmrep {
    /// The path of the file at an origin.
    pub const PATH: &'static str = "/.well-known/tdmrep.json";

    /// Reads a file. One that is an error of [`parse`](Self::parse) is [unreadable](Self::unreadable).
    ///
    /// ```
    /// use robots_policy::site::Tdmrep;
    ///
    /// let file = Tdmrep::read(b"<html>");
    /// assert_eq!(file.unread(), Some("not a JSON array, at line 1, column 1"));
    /// ```
    pub fn read(bytes: &[u8]) -> Self {
        Self::parse(bytes).unwrap_or_else(|error| Self {
            file: Arc::new(File {
                // A store keeps what is read again with the same result.
                source: Box::from(&bytes[..bytes.len().min(MAX_TDMREP_BYTES + 1)]),
                unread: Some(error.to_string().into()),
                ..File::default()
            }),
        })
    }

    /// Reads the body of a successful response, as [`read`](Self::read) does. Returns `None` for markup, which many servers send with a success
    /// for files that do not exist.
    ///
    /// ```
    /// use robots_policy::site::Tdmrep;
    ///
    /// assert!(Tdmrep::of_response(b"<!doctype html>").is_none());
    /// assert!(Tdmrep::of_response(b"{}").is_some_and(|file| file.unread().is_some()));
    /// ```
    pub fn of_response(body: &[u8]) -> Option<Self> {
        let text = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
        let is_markup = text.trim_ascii_start().starts_with(b"<");
        (!is_markup).then(|| Self::read(body))
    }

    /// Returns a file that could not be read, such as one whose request failed, with the cause. It may reserve anything: it
    /// is not known whether models may be trained, unless a header or META of the page says so.
    pub fn unreadable(cause: &str) -> Self {
        Self {
            file: Arc::new(File {
                unread: Some(cause.into()),
                ..File::default()
            }),
        }
    }

    /// Returns why nothing is known of the file, if it could not be read.
    pub fn unread(&self) -> Option<&str> {
        self.file.unread.as_deref()
    }

    /// Returns why it is not known what the file reserves of a target: nothing is known of the file, or the entry that counts may be one
    /// that was [skipped](Self::skipped), or not read ([`is_cut`](Self::is_cut)).
    pub fn unread_for(&self, target: &Target<'_>) -> Option<&str> {
        let entry = self.for_target(target);
        let is_before = |skipped: &usize| entry.is_none_or(|entry| *skipped < entry.index());
        if let Some(cause) = self.unread() {
            Some(cause)
        } else if self.file.skipped.first().is_some_and(is_before) {
            Some("an entry that may count has no valid location or reservation")
        } else if self.is_cut() && entry.is_none() {
            Some("it has more entries than are read, and none of these counts")
        } else {
            None
        }
    }

    /// Reads a file; a byte order mark is skipped.
    ///
    /// # Errors
    ///
    /// If it has more than [`MAX_TDMREP_BYTES`] bytes, or is not a JSON array.
    pub fn parse(bytes: &[u8]) -> Result<Self, TdmrepError> {
        if bytes.len() > MAX_TDMREP_BYTES {
            let length = bytes.len();
            return Err(TdmrepError {
                message: format!(
                    "tdmrep.json has {length} bytes: expected up to {MAX_TDMREP_BYTES}"
                ),
                source: None,
            });
        }
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match read(text) {
            Ok(file) => Ok(Self {
                file: Arc::new(File {
                    source: Box::from(bytes),
                    ..file
                }),
            }),
            Err(source) => Err(TdmrepError {
                message: format!(
                    "not a JSON array, at line {}, column {}",
                    source.line(),
                    source.column()
                ),
                source: Some(source),
            }),
        }
    }

    /// Returns the entry that counts for a target: the first that matches, if one does.
    pub fn for_target(&self, target: &Target<'_>) -> Option<&TdmrepEntry> {
        self.file
            .entries
            .iter()
            .find(|entry| entry.location.matches(target))
    }

    /// Returns the readable entries, in order.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = &TdmrepEntry> {
        self.file.entries.iter()
    }

    /// Returns the 0-based indexes of the entries that were skipped: without a location or a reservation, or
    /// with an invalid value.
    pub fn skipped(&self) -> &[usize] {
        &self.file.skipped
    }

    /// Returns the approximate size in memory in bytes: of the file and its entries.
    pub fn bytes(&self) -> usize {
        // The entries are counted like the text from which they were read.
        self.file.source.len() * 2
    }

    /// Returns the bytes of the file.
    pub fn source(&self) -> &[u8] {
        &self.file.source
    }

    /// Returns whether the file has more than [`MAX_TDMREP_ENTRIES`] entries.
    pub fn is_cut(&self) -> bool {
        self.file.is_cut
    }
}

/// An entry of a tdmrep.json: the reservation for some paths.
#[derive(Debug)]
pub struct TdmrepEntry {
    index: usize,
    location: PathPattern,
    reservation: Reservation,
    policy: Option<Box<str>>,
}

impl TdmrepEntry {
    /// Returns its 0-based index in the array, skipped entries included.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Returns the pattern of its paths.
    pub fn location(&self) -> &PathPattern {
        &self.location
    }

    /// Returns the reservation.
    pub fn reservation(&self) -> Reservation {
        self.reservation
    }

    /// Returns the URL of a policy for mining, as written and not validated. It has no effect if mining is not
    /// reserved.
    pub fn policy(&self) -> Option<&str> {
        self.policy.as_deref()
    }

    /// Reads an element of the array; `None` if it has no valid location or reservation.
    fn read(index: usize, value: &serde_json::Value) -> Option<Self> {
        let location = value.get("location")?.as_str()?;
        let reservation = match value.get("tdm-reservation")?.as_u64()? {
            0 => Reservation::NotReserved,
            1 => Reservation::Reserved,
            _ => return None,
        };
        let policy = value
            .get("tdm-policy")
            .and_then(serde_json::Value::as_str)
            .map(str::trim_ascii)
            .filter(|policy| !policy.is_empty());
        Some(Self {
            index,
            location: PathPattern::new(location.as_bytes(), &Dialect::RFC9309)?,
            reservation,
            policy: policy.map(Box::from),
        })
    }
}

fn read(text: &[u8]) -> serde_json::Result<File> {
    let mut json = serde_json::Deserializer::from_slice(text);
    let file = json.deserialize_seq(Entries)?;
    json.end()?;
    Ok(file)
}

/// Reads the elements of the array one by one, so that only one is held as JSON. `serde_json` limits its
/// depth.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = File;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of entries")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<File, A::Error> {
        let mut file = File::default();
        for index in 0..MAX_TDMREP_ENTRIES {
            let Some(value) = array.next_element::<serde_json::Value>()? else {
                return Ok(file);
            };
            match TdmrepEntry::read(index, &value) {
                Some(entry) => file.entries.push(entry),
                None => file.skipped.push(index),
            }
        }
        // Invalid JSON after the last entry that counts is an error, too.
        while array.next_element::<IgnoredAny>()?.is_some() {
            file.is_cut = true;
        }
        Ok(file)
    }
}

/// The error for a file that is not a tdmrep.json: it has more than [`MAX_TDMREP_BYTES`] bytes, or is not a JSON array.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct TdmrepError {
    message: String,
    source: Option<serde_json::Error>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error as _;

    const RESERVED: &str = r#"{"location":"/","tdm-reservation":1}"#;

    fn parse(text: &str) -> Tdmrep {
        Tdmrep::parse(text.as_bytes()).unwrap()
    }

    /// Returns the index of the entry that counts, and whether it reserves.
    fn counting(file: &Tdmrep, url: &str) -> Option<(usize, bool)> {
        file.for_target(&Target::new(url)).map(|entry| {
            let is_reserved = entry.reservation() == Reservation::Reserved;
            (entry.index(), is_reserved)
        })
    }

    #[test]
    fn the_first_entry_that_matches_counts() {
        let file = parse(
            r#"[
                {"location": "/a/b/*.html$", "tdm-reservation": 0},
                {"location": "/a", "tdm-reservation": 1, "tdm-policy": " https://a.example/p "},
                {"location": "/a/longer", "tdm-reservation": 0},
                {"location": "/%62", "tdm-reservation": 1}
            ]"#,
        );
        let url = |path: &str| format!("https://a.example{path}");
        assert_eq!(counting(&file, &url("/a/b/c.html")), Some((0, false)));
        assert_eq!(counting(&file, &url("/a/b/c.html?d")), Some((1, true)));
        // Unlike in robots.txt, the longest does not win.
        assert_eq!(counting(&file, &url("/a/longer")), Some((1, true)));
        assert_eq!(counting(&file, &url("/b")), Some((3, true)));
        assert_eq!(counting(&file, &url("/A")), None);
        let policies: Vec<_> = file.entries().map(TdmrepEntry::policy).collect();
        assert_eq!(policies, [None, Some("https://a.example/p"), None, None]);
    }

    /// A refusal that could not be read does not permit anything.
    #[test]
    fn what_could_not_be_read_may_reserve() {
        let free = r#"{"location": "/free", "tdm-reservation": 0}"#;
        let bad = r#"{"location": "/", "tdm-reservation": "1"}"#;
        let unread = |entries: &[&str], path: &str| {
            let file = Tdmrep::parse(format!("[{}]", entries.join(",")).as_bytes()).unwrap();
            let url = format!("https://a.example{path}");
            file.unread_for(&Target::new(&url)).map(str::to_owned)
        };
        assert_eq!(unread(&[free], "/free"), None);
        assert_eq!(unread(&[free], "/x"), None);
        // The first entry that matches counts, so a later one does not matter.
        assert_eq!(unread(&[free, bad], "/free"), None);
        assert!(unread(&[free, bad], "/x").unwrap().contains("no valid"));
        assert!(unread(&[bad, free], "/free").unwrap().contains("no valid"));
        let many = vec![free; MAX_TDMREP_ENTRIES + 1];
        assert_eq!(unread(&many, "/free"), None);
        assert!(unread(&many, "/x").unwrap().contains("more entries"));
        assert_eq!(unread(&many[1..], "/x"), None);
    }

    #[test]
    fn an_unreadable_entry_is_skipped() {
        let unreadable = [
            "{}",
            "1",
            "null",
            "[]",
            r#"{"location": "/"}"#,
            r#"{"tdm-reservation": 1}"#,
            r#"{"location": 1, "tdm-reservation": 1}"#,
            r#"{"location": "/", "tdm-reservation": 2}"#,
            r#"{"location": "/", "tdm-reservation": -1}"#,
            r#"{"location": "/", "tdm-reservation": "1"}"#,
            r#"{"location": "/", "tdm-reservation": true}"#,
            r#"{"Location": "/", "tdm-reservation": 1}"#,
        ];
        for entry in unreadable {
            let file = parse(&format!("[{entry}, {RESERVED}]"));
            assert_eq!(file.skipped(), [0], "{entry}");
            assert_eq!(counting(&file, "/"), Some((1, true)), "{entry}");
        }
        // A policy that is not a text is ignored.
        for policy in ["1", "null", "\"\"", "\" \""] {
            let entry = format!(r#"{{"location":"/","tdm-reservation":1,"tdm-policy":{policy}}}"#);
            let file = parse(&format!("[{entry}]"));
            assert!(file.skipped().is_empty(), "{policy}");
            let entry = file.for_target(&Target::new("/")).unwrap();
            assert_eq!(entry.policy(), None, "{policy}");
        }
    }

    #[test]
    fn other_json_is_an_error_with_its_line() {
        let is_at_line = |text: &str, line: usize| {
            let error = Tdmrep::parse(text.as_bytes()).unwrap_err().to_string();
            error.starts_with(&format!("not a JSON array, at line {line}, column "))
        };
        for text in ["", "{}", "null", "[", "[1,]", "[] []", "<html>"] {
            assert!(is_at_line(text, 1), "{text:?}");
        }
        assert!(is_at_line(&format!("[\n{RESERVED},\n?]"), 3));
        let error = Tdmrep::parse(b"[\n{]").unwrap_err();
        assert_eq!(error.to_string(), "not a JSON array, at line 2, column 2");
        assert!(error.source().is_some());
        // Not UTF-8.
        assert!(Tdmrep::parse(b"[\"\xFF\"]").is_err());
    }

    #[test]
    fn a_file_that_is_not_read_has_its_cause_and_is_read_again_as_such() {
        let long = " ".repeat(MAX_TDMREP_BYTES + 2);
        for bytes in ["[\n{]", "", &long] {
            let error = Tdmrep::parse(bytes.as_bytes()).unwrap_err().to_string();
            let file = Tdmrep::read(bytes.as_bytes());
            assert_eq!(file.unread(), Some(&*error));
            assert!(file.source().len() <= MAX_TDMREP_BYTES + 1);
            assert!(Tdmrep::read(file.source()).unread().is_some());
            assert!(file.for_target(&Target::new("/")).is_none());
        }
        assert_eq!(parse("[]").unread(), None);
        let file = Tdmrep::unreadable("status 503");
        assert_eq!(file.unread(), Some("status 503"));
        assert!(Tdmrep::read(file.source()).unread().is_some());
    }

    #[test]
    fn empty_arrays_and_byte_order_marks_are_read() {
        assert_eq!(parse(" [] \n").entries().len(), 0);
        assert_eq!(parse("\u{feff}[]").entries().len(), 0);
        assert_eq!(
            counting(&parse(&format!("\u{feff}[{RESERVED}]")), "/x"),
            Some((0, true))
        );
    }

    #[test]
    fn a_deeply_nested_entry_is_an_error() {
        // The limit of `serde_json` is 128.
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(Tdmrep::parse(nested(100).as_bytes()).is_ok());
        assert!(Tdmrep::parse(nested(100_000).as_bytes()).is_err());
    }

    #[test]
    fn longer_files_are_errors() {
        let of = |bytes: usize| {
            let mut file = format!("[{RESERVED}]");
            file.push_str(&" ".repeat(bytes - file.len()));
            Tdmrep::parse(file.as_bytes()).map(|file| file.entries().len())
        };
        assert_eq!(of(MAX_TDMREP_BYTES - 1).unwrap(), 1);
        assert_eq!(of(MAX_TDMREP_BYTES).unwrap(), 1);
        let error = of(MAX_TDMREP_BYTES + 1).unwrap_err();
        assert!(error.source().is_none());
        let text = "tdmrep.json has 1048577 bytes: expected up to 1048576";
        assert_eq!(error.to_string(), text);
        // What is kept of it is too long, too.
        let unread = Tdmrep::read(&vec![b' '; MAX_TDMREP_BYTES + 1]);
        assert_eq!(Tdmrep::read(unread.source()).unread(), Some(text));
    }

    #[test]
    fn the_number_of_entries_is_limited() {
        let of = |count: usize| {
            let file = parse(&format!("[{}]", vec![RESERVED; count].join(",")));
            (file.entries().len(), file.is_cut())
        };
        let most = MAX_TDMREP_ENTRIES;
        assert_eq!(of(most - 1), (most - 1, false));
        assert_eq!(of(most), (most, false));
        assert_eq!(of(most + 1), (most, true));
        // Unreadable entries count, too, and the part after the limit must be valid JSON.
        let file = parse(&format!("[{}1]", "1,".repeat(most)));
        assert_eq!((file.skipped().len(), file.is_cut()), (most, true));
        let file = format!("[{}?]", "1,".repeat(most));
        assert!(Tdmrep::parse(file.as_bytes()).is_err());
    }

    #[test]
    fn files_and_errors_can_be_sent_and_shared_between_threads() {
        fn check<T: Send + Sync + 'static>() {}
        check::<Tdmrep>();
        check::<TdmrepError>();
    }
}
