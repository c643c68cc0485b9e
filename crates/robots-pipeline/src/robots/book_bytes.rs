//! The bytes of a book of captures.
//!
//! ```text
//! "robots-book", 0                     12 bytes
//! version                              4 bytes, little-endian
//! checksum                             8 bytes, little-endian: XXH64 of all other bytes
//! zlib stream of a postcard message:   the policies, the bodies, and for each URL its captures with indexes of bodies
//! ```
//!
//! The checksum shows damage, not changes that someone made on purpose. Any bytes result in a book or an error, if there is
//! memory for it: time and memory are linear in the unpacked bytes, which are at most 1,032 times the packed ones (a property of
//! deflate). So only the bytes of a book that comes from a trusted machine should be read.

use super::book::RobotsBook;
use super::kept_file::KeptFile;
use super::request::RequestResult;
use crate::error::BookError;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use robots_meta::Timestamp;
use robots_policy::{Policies, Policy, Profile};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::hash::Hasher;
use std::io::Read;
use std::sync::Arc;
use twox_hash::XxHash64;

/// The version that is written, and the only one that can be read.
const VERSION: u32 = 1;

/// The first bytes of a book.
const MAGIC: &[u8; 12] = b"robots-book\0";

/// A policy as text: what its decisions and the compilation of robots.txt files depend on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PolicyText {
    /// The name of the robot.
    agent: String,
    /// The profile as TOML.
    profile: String,
    /// The same profile with this robot alone.
    robot: String,
    /// The switches of the dialect.
    dialect: Vec<String>,
}

impl PolicyText {
    fn of(policy: &Policy) -> Self {
        let profile = policy.profile();
        let alone = profile.clone().with_robots([policy.robot().clone()]);
        let dialect = profile.dialect();
        let switches = robots_txt::dialect::Switch::ALL.iter();
        Self {
            agent: policy.agent().to_owned(),
            profile: profile.to_toml(),
            robot: alone.to_toml(),
            dialect: switches.map(|switch| dialect.value_of(*switch)).collect(),
        }
    }

    /// Returns the texts of some policies.
    pub(crate) fn of_all(policies: &Policies) -> Vec<Self> {
        policies.iter().map(Self::of).collect()
    }

    /// Adds the texts to a checksum.
    pub(crate) fn hash_into(&self, hasher: &mut impl Hasher) {
        let texts = [&self.agent, &self.profile, &self.robot];
        for text in texts.into_iter().chain(&self.dialect) {
            hasher.write(&(text.len() as u64).to_le_bytes());
            hasher.write(text.as_bytes());
        }
    }

    /// Returns the policy: that of the robot of this name under the profile.
    pub(crate) fn policy(&self) -> Result<Policy, BookError> {
        let profile = Profile::from_toml(&self.profile).map_err(|_| BookError::Damaged)?;
        let policy = Policy::for_robot(&profile, profile.robot(&self.agent));
        if Self::of(&policy) != *self {
            return Err(BookError::ChangedPolicy(self.to_string()));
        }
        Ok(policy)
    }

    /// Returns the name of the profile.
    fn profile_name(&self) -> String {
        let profile = Profile::from_toml(&self.profile);
        profile.map_or_else(
            |_| "an unknown profile".to_owned(),
            |profile| profile.name().to_owned(),
        )
    }
}

impl fmt::Display for PolicyText {
    /// Writes the name of the robot, and that of its profile.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} under {}", self.agent, self.profile_name())
    }
}

/// Checks that a book has the expected policies.
pub(crate) fn compare(book: &[PolicyText], expected: &[PolicyText]) -> Result<(), BookError> {
    if book == expected {
        return Ok(());
    }
    let names = |texts: &[PolicyText]| {
        let names: Vec<String> = texts.iter().map(PolicyText::to_string).collect();
        names.join(", ")
    };
    let (book_names, expected_names) = (names(book), names(expected));
    let changed = book.iter().zip(expected).find(|(a, b)| a != b);
    match changed {
        Some((changed, _)) if book_names == expected_names => {
            Err(BookError::ChangedPolicy(changed.to_string()))
        }
        _ => Err(BookError::OtherPolicies {
            book: book_names,
            expected: expected_names,
        }),
    }
}

/// A URL, and its captures.
type SiteCaptures<'b> = (&'b str, Vec<(Option<Timestamp>, RequestResult<u32>)>);

/// The captures of a book. A result has the index of its body.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct CaptureList<'b> {
    #[serde(borrow)]
    pub(crate) files: Vec<Body<'b>>,
    #[serde(borrow)]
    pub(crate) sites: Vec<SiteCaptures<'b>>,
}

/// Returns a book as bytes.
pub(crate) fn to_bytes(policies: &Policies, book: &RobotsBook<Arc<KeptFile>>) -> Vec<u8> {
    let mut indexes: HashMap<&[u8], u32> = HashMap::new();
    let mut files = Vec::new();
    let mut captures: Vec<_> = book.iter().collect();
    // By key. The captures of a key stay in their order, which is that of reading, so equal books may have different bytes.
    captures.sort_unstable_by_key(|(key, _)| *key);
    let sites = captures.into_iter().map(|(key, captures)| {
        let list = captures.map(|(date, result)| {
            let result = result.as_ref().try_map(|file| {
                let next = u32::try_from(files.len()).unwrap_or(u32::MAX);
                let index = indexes.entry(file.body()).or_insert(next);
                if *index == next {
                    files.push(Body(file.body()));
                }
                Some(*index)
            });
            (date, result.unwrap_or(RequestResult::Unreadable))
        });
        (key, list.collect())
    });
    let sites = sites.collect();
    let contents = (PolicyText::of_all(policies), CaptureList { files, sites });
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    let is_written = postcard::to_io(&contents, &mut packed).is_ok();
    let packed = packed.finish().unwrap_or_default();
    // Neither writing to memory nor serialising these types fails. A book with a part missing must not get a checksum.
    assert!(
        is_written && !packed.is_empty(),
        "a book is written to memory"
    );
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(checksum(&bytes, &packed).to_le_bytes());
    bytes.extend(packed);
    bytes
}

/// Returns the checksum of two parts.
pub(crate) fn checksum(head: &[u8], packed: &[u8]) -> u64 {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(head);
    hasher.write(packed);
    hasher.finish()
}

/// Checks the bytes of a book, and returns its unpacked contents.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, BookError> {
    let rest = bytes.strip_prefix(MAGIC).ok_or(BookError::NotBook)?;
    let (version, rest) = rest.split_first_chunk().ok_or(BookError::Damaged)?;
    let found = u32::from_le_bytes(*version);
    if found != VERSION {
        return Err(BookError::OtherVersion {
            found,
            known: VERSION,
        });
    }
    let (stated, packed) = rest.split_first_chunk().ok_or(BookError::Damaged)?;
    let head = [&MAGIC[..], version].concat();
    if u64::from_le_bytes(*stated) != checksum(&head, packed) {
        return Err(BookError::Damaged);
    }
    let mut contents = Vec::new();
    let mut decoder = ZlibDecoder::new(packed);
    let unpacked = decoder.read_to_end(&mut contents);
    if unpacked.is_err() || decoder.total_in() != packed.len() as u64 {
        return Err(BookError::Damaged);
    }
    Ok(contents)
}

/// Reads the contents of a book: its policies and its captures.
pub(crate) fn read(contents: &[u8]) -> Result<(Vec<PolicyText>, CaptureList<'_>), BookError> {
    match postcard::take_from_bytes(contents) {
        Ok((read, [])) => Ok(read),
        _ => Err(BookError::Damaged),
    }
}

/// The body of a robots.txt.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Body<'b>(pub(crate) &'b [u8]);

impl Serialize for Body<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'b, 'b> Deserialize<'de> for Body<'b> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A slice of bytes is read as bytes.
        <&'b [u8]>::deserialize(deserializer).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::capture_book::CaptureBook;
    use std::io::Write;

    fn policies() -> Arc<Policies> {
        let google = Policy::under(&Profile::google(), "Googlebot-News").unwrap();
        Arc::new(Policies::new(vec![
            google,
            Policy::new("ExampleBot").unwrap(),
        ]))
    }

    /// Returns a book with these contents, and a valid checksum.
    fn packed(contents: &[u8]) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(contents).unwrap();
        let packed = packed.finish().unwrap();
        let mut bytes = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        bytes.extend(checksum(&bytes.clone(), &packed).to_le_bytes());
        bytes.extend(packed);
        bytes
    }

    fn error(bytes: &[u8]) -> BookError {
        CaptureBook::from_bytes(bytes).unwrap_err()
    }

    #[test]
    fn the_header_shows_other_bytes_and_versions() {
        let bytes = CaptureBook::new(&policies()).to_bytes();
        assert!(CaptureBook::from_bytes(&bytes).unwrap().is_empty());
        assert_eq!(error(b""), BookError::NotBook);
        assert_eq!(error(b"robots-book"), BookError::NotBook);
        assert_eq!(error(&bytes[1..]), BookError::NotBook);
        for found in [0, VERSION + 1, u32::MAX] {
            let mut other = bytes.clone();
            other[12..16].copy_from_slice(&found.to_le_bytes());
            let known = VERSION;
            assert_eq!(error(&other), BookError::OtherVersion { found, known });
        }
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let bytes = CaptureBook::new(&policies()).to_bytes();
        for at in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                assert!(CaptureBook::from_bytes(&damaged).is_err(), "{at}");
            }
            assert!(CaptureBook::from_bytes(&bytes[..at]).is_err(), "{at}");
        }
        assert_eq!(error(&[&bytes[..], b"0"].concat()), BookError::Damaged);
    }

    #[test]
    fn contents_with_a_valid_checksum_may_be_anything() {
        let texts = PolicyText::of_all(&policies());
        let contents = |list: CaptureList<'_>| postcard::to_stdvec(&(&texts, list)).unwrap();
        let with_body = |index| {
            let rules = Some(index);
            let (status, content_type) = (200, None);
            let result = RequestResult::Response {
                status,
                content_type,
                rules,
            };
            contents(CaptureList {
                files: vec![Body(b"User-agent: *")],
                sites: vec![("http://a.example/robots.txt", vec![(None, result)])],
            })
        };
        let whole = with_body(0);
        let bytes = packed(&whole);
        assert_eq!(CaptureBook::from_bytes(&bytes).unwrap().len(), 1);
        assert_eq!(error(&packed(&with_body(1))), BookError::Damaged);
        assert_eq!(error(&packed(&with_body(u32::MAX))), BookError::Damaged);
        assert_eq!(
            error(&packed(&[&whole[..], b"0"].concat())),
            BookError::Damaged
        );
        for end in 0..whole.len() {
            assert_eq!(error(&packed(&whole[..end])), BookError::Damaged);
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] = changed[at].wrapping_add(101);
            // No panic; a change of a text may be valid.
            let _ = CaptureBook::from_bytes(&packed(&changed));
        }
        // The stated number of elements may be huge.
        assert_eq!(error(&packed(&[0xFF; 64])), BookError::Damaged);
    }

    #[test]
    fn other_policies_are_an_error_that_names_them() {
        let bytes = CaptureBook::new(&policies()).to_bytes();
        assert!(CaptureBook::from_bytes_for(&bytes, &policies()).is_ok());
        let one = Policy::under(&Profile::bing(), "bingbot").unwrap();
        let others = Arc::new(Policies::new(vec![one]));
        let other = CaptureBook::from_bytes_for(&bytes, &others).unwrap_err();
        assert_eq!(
            other.to_string(),
            "the book is of Googlebot-News under google, ExampleBot under neutral, not of bingbot under bing: read the \
             captures for these"
        );
        let mut book = CaptureBook::new(&others);
        assert!(book.merge(CaptureBook::new(&policies())).is_err());
    }

    #[test]
    fn a_changed_profile_or_robot_is_another() {
        let profile = Profile::neutral();
        let robot = profile.robot("ExampleBot");
        let policy = Policy::for_robot(&profile, robot.clone());
        let one = |policy| Arc::new(Policies::new(vec![policy]));
        let bytes = CaptureBook::new(&one(policy.clone())).to_bytes();
        assert!(
            CaptureBook::from_bytes_for(&bytes, &one(policy.clone().without_reasons())).is_ok()
        );
        let dialect = profile.dialect().with_size_limit(Some(100));
        for other in [
            Policy::for_robot(&profile.clone().with_dialect(dialect), robot.clone()),
            Policy::for_robot(&profile, robot.clone().or("OtherBot")),
            Policy::for_robot(&profile.clone().with_page_limit(Some(9)), robot),
        ] {
            let error = CaptureBook::from_bytes_for(&bytes, &one(other.clone())).unwrap_err();
            // A changed profile has another name, unless it was given the same.
            assert!(
                matches!(
                    error,
                    BookError::ChangedPolicy(_) | BookError::OtherPolicies { .. }
                ),
                "{error}"
            );
            let own = CaptureBook::new(&one(other.clone())).to_bytes();
            assert!(CaptureBook::from_bytes_for(&own, &one(other)).is_ok());
        }
    }
}
