//! Records and bodies as bytes.
//!
//! Each of them is stored as a checksum of eight bytes, followed by the content. The checksum is the XXH64 of the key, a
//! zero byte and the content. The content of a record is an [`OriginRecord`] in the postcard format, with the keys of its
//! bodies in place of the bodies. With these checksums, a record that is not of its key leads to an error, not to a
//! wrong answer.

use super::bodies::BodyKey;
use super::record::{FileBytes, OriginRecord, SuccessUrl};
use crate::next_request::NextRequest;
use robots_policy::robots::OutcomeLog;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// A record as it is stored, and its bodies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EncodedRecord {
    pub(super) record: Vec<u8>,
    pub(super) bodies: Vec<(BodyKey, FileBytes)>,
}

/// The content of a stored record.
type RecordContent = (
    OutcomeLog<BodyKey>,
    Option<BodyKey>,
    NextRequest,
    SuccessUrl,
);

impl EncodedRecord {
    /// Encodes the record of an origin.
    pub(super) fn new(origin: &str, record: &OriginRecord) -> Result<Self, postcard::Error> {
        let mut bodies = Vec::new();
        let mut key_of = |body: &FileBytes| {
            let key = BodyKey::of(body.as_slice());
            bodies.push((key, body.clone()));
            key
        };
        let outcomes = record.outcomes.map_bodies(&mut key_of);
        let tdmrep = record.tdmrep.as_ref().map(key_of);
        let content = (outcomes, tdmrep, &record.next, &record.success_url);
        let mut record = postcard::to_extend(&content, vec![0; CHECKSUM_BYTES])?;
        write_checksum(origin.as_bytes(), &mut record);
        Ok(Self { record, bodies })
    }

    /// Returns the length in bytes of the record and its bodies.
    pub(super) fn byte_len(&self) -> usize {
        let bodies = self.bodies.iter().map(|(_, body)| body.as_slice().len());
        bodies.fold(self.record.len(), usize::saturating_add)
    }

    /// Decodes the record again; `None` if it is damaged.
    pub(super) fn decode(&self, origin: &str) -> Option<OriginRecord> {
        let body = |key: &BodyKey| {
            let mut bodies = self.bodies.iter();
            let found = bodies.find(|(other, _)| other == key);
            Ok::<_, std::convert::Infallible>(found.map(|(_, body)| body.clone()))
        };
        decode_record(origin, &self.record, body).unwrap_or_default()
    }
}

/// Decodes the record of an origin; `None` if it is damaged. `body` returns the body with a key, or `None`
/// if there is none or it is damaged.
pub(super) fn decode_record<E>(
    origin: &str,
    record: &[u8],
    mut body: impl FnMut(&BodyKey) -> Result<Option<FileBytes>, E>,
) -> Result<Option<OriginRecord>, E> {
    let Some((outcomes, tdmrep, next, success_url)) = decode_content(origin, record) else {
        return Ok(None);
    };
    let bodies: Result<Vec<Option<FileBytes>>, E> = outcomes.bodies().map(&mut body).collect();
    let bodies: Option<Vec<FileBytes>> = bodies?.into_iter().collect();
    let tdmrep = tdmrep.as_ref().map(&mut body).transpose()?;
    // A record with the key of a body that is missing or damaged is damaged.
    let (Some(bodies), false) = (bodies, matches!(tdmrep, Some(None))) else {
        return Ok(None);
    };
    let mut bodies = bodies.into_iter();
    Ok(Some(OriginRecord {
        outcomes: outcomes.map_bodies(|_| bodies.next().unwrap_or_default()),
        tdmrep: tdmrep.flatten(),
        next,
        success_url,
    }))
}

/// Returns the keys of a record's bodies; none if it is damaged.
pub(super) fn encoded_keys(origin: &str, record: &[u8]) -> impl Iterator<Item = BodyKey> + use<> {
    let content = decode_content(origin, record);
    let keys = content.map(|(outcomes, tdmrep, ..)| {
        let keys: Vec<_> = outcomes.bodies().copied().chain(tdmrep).collect();
        keys
    });
    keys.into_iter().flatten()
}

fn decode_content(origin: &str, record: &[u8]) -> Option<RecordContent> {
    let content = verified(origin.as_bytes(), record)?;
    postcard::from_bytes(content).ok()
}

/// Encodes a body.
pub(super) fn encode_body(key: &BodyKey, body: &[u8]) -> Vec<u8> {
    let mut encoded = [&[0; CHECKSUM_BYTES], body].concat();
    write_checksum(&key.0, &mut encoded);
    encoded
}

/// Decodes a body; `None` if it is damaged.
pub(super) fn decode_body(key: &BodyKey, encoded: &[u8]) -> Option<FileBytes> {
    verified(&key.0, encoded).map(FileBytes::of_stored)
}

/// A record with its bodies in one value, for a store that several processes share.
#[cfg(feature = "redis")]
pub(super) mod value {
    use super::{
        CHECKSUM_BYTES, EncodedRecord, FileBytes, OriginRecord, decode_record, verified,
        write_checksum,
    };
    use serde_bytes::Bytes;

    /// The version of the format: the first byte of a value. It changes with the format of records.
    const VERSION: u8 = 2;

    /// Encodes a record: the version, and then the checksum of the record and its bodies.
    pub(in crate::store) fn encode(
        origin: &str,
        record: &OriginRecord,
    ) -> Result<Vec<u8>, postcard::Error> {
        let EncodedRecord { record, bodies } = EncodedRecord::new(origin, record)?;
        let bodies = bodies.iter().map(|(_, body)| Bytes::new(body.as_slice()));
        let content = (Bytes::new(&record), bodies.collect::<Vec<_>>());
        let mut value = postcard::to_extend(&content, vec![0; CHECKSUM_BYTES])?;
        write_checksum(origin.as_bytes(), &mut value);
        value.insert(0, VERSION);
        Ok(value)
    }

    /// Decodes a record; `None` if it is damaged, or is not a value of this version and origin.
    pub(in crate::store) fn decode(origin: &str, value: &[u8]) -> Option<OriginRecord> {
        let (&VERSION, value) = value.split_first()? else {
            return None;
        };
        let content = verified(origin.as_bytes(), value)?;
        let (record, bodies): (&Bytes, Vec<&Bytes>) = postcard::from_bytes(content).ok()?;
        // The bodies are in the order of their keys in the record.
        let mut bodies = bodies.into_iter();
        let body = |_: &_| {
            let body = bodies.next().map(|body| FileBytes::of_stored(body));
            Ok::<_, std::convert::Infallible>(body)
        };
        decode_record(origin, record, body).unwrap_or_default()
    }
}

const CHECKSUM_BYTES: usize = 8;

/// Writes the checksum of the content that follows it.
fn write_checksum(key: &[u8], encoded: &mut [u8]) {
    if let Some((place, content)) = encoded.split_first_chunk_mut() {
        *place = checksum(key, content);
    }
}

/// Returns the content after a checksum; `None` if the checksum does not match.
fn verified<'e>(key: &[u8], encoded: &'e [u8]) -> Option<&'e [u8]> {
    let (stored, content) = encoded.split_first_chunk()?;
    (*stored == checksum(key, content)).then_some(content)
}

fn checksum(key: &[u8], content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(key);
    hasher.write(&[0]);
    hasher.write(content);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::next_request::{Retry, Validators};
    use robots_meta::Timestamp;
    use robots_policy::RobotsFetch;
    use robots_policy::origins::OriginChange;
    use robots_policy::robots::RobotsResponse;
    use robots_policy::site::Tdmrep;
    use std::time::Duration;

    const ORIGIN: &str = "https://a.example";

    /// Records of origins with outcomes of all kinds.
    fn records() -> Vec<OriginRecord> {
        let fetches = [
            RobotsFetch::Body(b"User-agent: *\nDisallow: /x"),
            // A day and half a second: durations are not only whole seconds.
            RobotsFetch::Response(
                RobotsResponse::new(200, b"x").fresh_for(Duration::from_millis(86_400_500)),
            ),
            RobotsFetch::Response(
                RobotsResponse::new(200, b"<html>").with_content_type("text/html"),
            ),
            RobotsFetch::Status(304),
            RobotsFetch::Status(403),
            RobotsFetch::Status(404),
            RobotsFetch::Status(429),
            RobotsFetch::Status(503),
            RobotsFetch::TooManyRedirects,
            RobotsFetch::Unreachable,
            RobotsFetch::NotFetched,
        ];
        let times = [i64::MIN, -1, 0, 1_763_000_000, i64::MAX].map(Timestamp::from_seconds);
        let times = times.map(Some).into_iter().chain([None]);
        let mut records = vec![OriginRecord::default()];
        for at in times {
            for first in fetches {
                for second in fetches {
                    let mut record = OriginRecord::default();
                    for fetch in [first, second] {
                        record.apply(&OriginChange::Robots { fetch, at });
                    }
                    records.push(record);
                }
            }
        }
        let texts = [None, Some(String::new()), Some("é".repeat(100))];
        let retries = [
            None,
            Some(Retry::new(
                Timestamp::from_seconds(i64::MIN),
                Duration::ZERO,
            )),
            Some(Retry::new(Timestamp::from_seconds(i64::MAX), Duration::MAX)),
        ];
        for etag in &texts {
            for date in &texts {
                for url in &texts {
                    for retry in retries {
                        let mut record = OriginRecord::default();
                        let tdmrep = Tdmrep::parse(b"[]").unwrap();
                        record.apply(&OriginChange::Tdmrep(tdmrep));
                        let mut validators = Validators::new(etag.clone(), date.clone());
                        if let Some(url) = url {
                            validators = validators.with_url(url);
                        }
                        record.next = NextRequest { validators, retry };
                        record.success_url = match url {
                            Some(url) => SuccessUrl::Redirected(url.as_str().into()),
                            None if retry.is_none() => SuccessUrl::Unknown,
                            None => SuccessUrl::OwnRobotsTxt,
                        };
                        records.push(record);
                    }
                }
            }
        }
        records
    }

    fn encode(record: &OriginRecord) -> EncodedRecord {
        EncodedRecord::new(ORIGIN, record).unwrap()
    }

    /// Decodes other bytes in place of the encoded record.
    fn decode(encoded: &EncodedRecord, record: Vec<u8>) -> Option<OriginRecord> {
        let bodies = encoded.bodies.clone();
        EncodedRecord { record, bodies }.decode(ORIGIN)
    }

    #[test]
    fn records_survive_a_round_trip() {
        for record in records() {
            let encoded = encode(&record);
            let keys: Vec<_> = encoded.bodies.iter().map(|(key, _)| *key).collect();
            let found: Vec<_> = encoded_keys(ORIGIN, &encoded.record).collect();
            assert_eq!(found, keys);
            assert_eq!(encoded.decode("https://b.example"), None);
            assert_eq!(encoded.decode(ORIGIN), Some(record));
        }
    }

    #[test]
    fn a_changed_or_cut_record_is_damaged() {
        // Only some of the records: each is decoded eight times for each of its bytes.
        for record in records().iter().step_by(20) {
            let encoded = encode(record);
            let bytes = &encoded.record;
            for at in 0..bytes.len() {
                assert_eq!(decode(&encoded, bytes[..at].to_vec()), None, "{at}");
                for bit in 0..8 {
                    let mut changed = bytes.clone();
                    changed[at] ^= 1 << bit;
                    assert_eq!(decode(&encoded, changed), None, "{at}");
                }
            }
            let longer = [&bytes[..], &[0]].concat();
            assert_eq!(decode(&encoded, longer), None);
        }
    }

    #[cfg(feature = "redis")]
    #[test]
    fn a_value_is_read_back_unless_a_byte_differs() {
        for record in records() {
            let encoded = value::encode(ORIGIN, &record).unwrap();
            assert_eq!(value::decode(ORIGIN, &encoded), Some(record));
            assert_eq!(value::decode("https://b.example", &encoded), None);
        }
        for record in records().iter().step_by(100) {
            let encoded = value::encode(ORIGIN, record).unwrap();
            for at in 0..encoded.len() {
                assert_eq!(value::decode(ORIGIN, &encoded[..at]), None, "{at}");
                let mut changed = encoded.clone();
                changed[at] ^= 1;
                assert_eq!(value::decode(ORIGIN, &changed), None, "{at}");
            }
        }
    }

    #[test]
    fn a_record_without_its_body_is_damaged() {
        let mut record = OriginRecord::default();
        let tdmrep = Tdmrep::parse(b"[]").unwrap();
        record.apply(&OriginChange::Tdmrep(tdmrep));
        let encoded = encode(&record);
        let bodies = Vec::new();
        assert_eq!(EncodedRecord { bodies, ..encoded }.decode(ORIGIN), None);
    }

    #[test]
    fn a_changed_or_cut_body_is_damaged() {
        let body = b"User-agent: *\nDisallow: /x";
        let key = BodyKey::of(body);
        let encoded = encode_body(&key, body);
        assert_eq!(decode_body(&key, &encoded).unwrap().as_slice(), body);
        assert_eq!(decode_body(&BodyKey::of(b"x"), &encoded), None);
        for at in 0..encoded.len() {
            assert_eq!(decode_body(&key, &encoded[..at]), None, "{at}");
            let mut changed = encoded.clone();
            changed[at] ^= 1;
            assert_eq!(decode_body(&key, &changed), None, "{at}");
        }
    }

    #[test]
    fn a_typical_record_has_under_110_bytes() {
        let mut record = OriginRecord::default();
        let fetch = RobotsFetch::Body(b"x");
        let at = Some(Timestamp::from_seconds(1_763_000_000));
        record.apply(&OriginChange::Robots { fetch, at });
        record.next.validators = Validators::new(
            Some("\"5f3e-61a9c2d4b7e80\"".to_owned()),
            Some("Wed, 12 Nov 2025 08:49:37 GMT".to_owned()),
        );
        // 20 of them are the key of the body.
        assert!(encode(&record).record.len() < 110);
    }
}
