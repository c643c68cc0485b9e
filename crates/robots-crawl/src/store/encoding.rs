//! Values of the stores as bytes: a version, a checksum, and the value in the postcard format.
//!
//! The checksum is the XXH64 of the key, a zero byte and the value. So a value that is not of its key leads to an error, not to a
//! wrong answer.

use serde::{Deserialize, Serialize};
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// The version of the format. It changes with that of records.
pub(super) const VERSION: u8 = 6;

/// The number of bytes of the version and the checksum.
const START_BYTES: usize = 9;

/// Encodes a value.
pub(super) fn encode(key: &str, value: &impl Serialize) -> Result<Vec<u8>, postcard::Error> {
    let mut bytes = postcard::to_extend(value, vec![VERSION; START_BYTES])?;
    let checksum = checksum(key, &bytes[START_BYTES..]);
    bytes[1..START_BYTES].copy_from_slice(&checksum);
    Ok(bytes)
}

/// Decodes a value; `None` if it is damaged, or of another key or version.
pub(super) fn decode<'b, T: Deserialize<'b>>(key: &str, bytes: &'b [u8]) -> Option<T> {
    let (start, value) = bytes.split_at_checked(START_BYTES)?;
    let is_whole = start[0] == VERSION && start[1..] == checksum(key, value);
    postcard::from_bytes(value).ok().filter(|_| is_whole)
}

fn checksum(key: &str, value: &[u8]) -> [u8; 8] {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(key.as_bytes());
    hasher.write(&[0]);
    hasher.write(value);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::record::{FileBytes, OriginRecord, SuccessUrl};
    use super::*;
    use crate::next_request::{NextRequest, Retry, Validators};
    use robots_meta::Timestamp;
    use robots_policy::RobotsFetch;
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
                        record.add_outcome(fetch, at);
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
                        record.tdmrep = Some(FileBytes::of_tdmrep(&tdmrep));
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

    #[test]
    fn records_survive_a_round_trip() {
        for record in records() {
            let encoded = encode(ORIGIN, &record).unwrap();
            assert_eq!(decode(ORIGIN, &encoded), Some(record));
            let of_another = decode::<OriginRecord>("https://b.example", &encoded);
            assert_eq!(of_another, None);
        }
    }

    #[test]
    fn a_changed_or_cut_record_is_damaged() {
        // Only some of the records: each is decoded eight times for each of its bytes.
        for record in records().iter().step_by(20) {
            let encoded = encode(ORIGIN, record).unwrap();
            for at in 0..encoded.len() {
                assert_eq!(decode::<OriginRecord>(ORIGIN, &encoded[..at]), None, "{at}");
                for bit in 0..8 {
                    let mut changed = encoded.clone();
                    changed[at] ^= 1 << bit;
                    assert_eq!(decode::<OriginRecord>(ORIGIN, &changed), None, "{at}");
                }
            }
            let longer = [&encoded[..], &[0]].concat();
            assert_eq!(decode::<OriginRecord>(ORIGIN, &longer), None);
        }
    }

    #[test]
    fn a_typical_record_has_under_110_bytes() {
        let mut record = OriginRecord::default();
        let at = Some(Timestamp::from_seconds(1_763_000_000));
        record.add_outcome(RobotsFetch::Body(b"x"), at);
        record.next.validators = Validators::new(
            Some("\"5f3e-61a9c2d4b7e80\"".to_owned()),
            Some("Wed, 12 Nov 2025 08:49:37 GMT".to_owned()),
        );
        assert!(encode(ORIGIN, &record).unwrap().len() < 110);
    }
}
