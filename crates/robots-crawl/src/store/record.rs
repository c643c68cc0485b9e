//! Records: what is kept of an origin, as bytes.
//!
//! A record is a checksum of eight bytes (XXH64 of the origin, a zero, and the rest), followed by
//! an [`OriginRecord`] in the postcard format. redb does not compare its own checksums when it reads;
//! with ours, a byte that changed on disk is an error and not another answer.

use super::MAX_KEPT_BODY;
use crate::cut::blank_last_line;
use crate::next_request::NextRequest;
use robots_policy::origins::OriginChange;
use robots_policy::{History, OutcomeTable};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hasher as _;
use twox_hash::XxHash64;

/// What is kept of an origin: facts that hold for every robot and every dialect.
///
/// The copy of the history is the file itself, not compiled rules: so a program for another robot,
/// or a newer program, reads the same store. What outcomes mean follows the table under which they
/// were recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OriginRecord {
    /// The outcomes of the requests for robots.txt, and its last good copy.
    pub history: History<FileBytes>,
    /// The tdmrep.json of the origin.
    pub tdmrep: Option<FileBytes>,
    /// The facts for the next request for robots.txt.
    pub next: NextRequest,
}

/// A file, as its server sent it.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileBytes(#[serde(with = "serde_bytes")] Vec<u8>);

impl FileBytes {
    /// Returns the robots.txt with this body as it is kept: up to [`MAX_KEPT_BODY`] bytes.
    pub fn of_robots_txt(body: &[u8]) -> Self {
        let mut kept = body.get(..MAX_KEPT_BODY).unwrap_or(body).to_vec();
        if kept.len() < body.len() {
            blank_last_line(&mut kept);
        }
        Self(kept)
    }

    /// Returns the bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for FileBytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FileBytes({:?})", String::from_utf8_lossy(&self.0))
    }
}

impl OriginRecord {
    /// Applies a change.
    pub fn apply(&mut self, change: &OriginChange<'_>, outcomes: &OutcomeTable) {
        match change {
            OriginChange::Robots { fetch, at } => {
                self.history
                    .record(outcomes, fetch, *at, FileBytes::of_robots_txt);
            }
            OriginChange::Tdmrep(tdmrep) => {
                self.tdmrep = Some(FileBytes(tdmrep.source().to_vec()));
            }
            _ => {}
        }
    }

    /// Returns the bytes of the record.
    pub(super) fn encode(&self, origin: &str) -> Result<Vec<u8>, postcard::Error> {
        let record = postcard::to_extend(self, vec![0; CHECKSUM_BYTES])?;
        let (_, content) = record.split_at(CHECKSUM_BYTES);
        let checksum = checksum(origin, content);
        let mut record = record;
        record.splice(..CHECKSUM_BYTES, checksum);
        Ok(record)
    }

    /// Reads a record; `None` if it is damaged.
    pub(super) fn decode(origin: &str, record: &[u8]) -> Option<Self> {
        let (found, content) = record.split_first_chunk::<CHECKSUM_BYTES>()?;
        if *found != checksum(origin, content) {
            return None;
        }
        postcard::from_bytes(content).ok()
    }
}

const CHECKSUM_BYTES: usize = 8;

fn checksum(origin: &str, content: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut hasher = XxHash64::with_seed(0);
    hasher.write(origin.as_bytes());
    hasher.write(&[0]);
    hasher.write(content);
    hasher.finish().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::next_request::{Retry, Validators};
    use robots_meta::Timestamp;
    use robots_policy::{RobotsFetch, RobotsResponse, Tdmrep};
    use std::time::Duration;

    const ORIGIN: &str = "https://a.example";

    /// Records of origins with outcomes of all kinds.
    fn records() -> Vec<OriginRecord> {
        let fetches = [
            RobotsFetch::Body(b"User-agent: *\nDisallow: /x"),
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
        let tables = [
            OutcomeTable::RFC9309,
            OutcomeTable::GOOGLE,
            OutcomeTable::BING,
        ];
        let mut records = vec![OriginRecord::default()];
        for at in times {
            for table in &tables {
                for first in fetches {
                    for second in fetches {
                        let mut record = OriginRecord::default();
                        for fetch in [first, second] {
                            record.apply(&OriginChange::Robots { fetch, at }, table);
                        }
                        records.push(record);
                    }
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
                        record.apply(&OriginChange::Tdmrep(tdmrep), &OutcomeTable::RFC9309);
                        let mut validators = Validators::new(etag.clone(), date.clone());
                        if let Some(url) = url {
                            validators = validators.with_url(url);
                        }
                        record.next = NextRequest { validators, retry };
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
            let bytes = record.encode(ORIGIN).unwrap();
            assert_eq!(OriginRecord::decode(ORIGIN, &bytes), Some(record));
            assert_eq!(OriginRecord::decode("https://b.example", &bytes), None);
        }
    }

    #[test]
    fn a_changed_or_cut_record_is_damaged() {
        for record in records().iter().step_by(20) {
            let bytes = record.encode(ORIGIN).unwrap();
            for at in 0..bytes.len() {
                assert_eq!(OriginRecord::decode(ORIGIN, &bytes[..at]), None, "{at}");
                for bit in 0..8 {
                    let mut changed = bytes.clone();
                    changed[at] ^= 1 << bit;
                    assert_eq!(OriginRecord::decode(ORIGIN, &changed), None, "{at}");
                }
            }
            let longer = [&bytes[..], &[0]].concat();
            assert_eq!(OriginRecord::decode(ORIGIN, &longer), None);
        }
    }

    #[test]
    fn a_typical_record_is_small() {
        let mut record = OriginRecord::default();
        let fetch = RobotsFetch::Body(b"x");
        let at = Some(Timestamp::from_seconds(1_763_000_000));
        record.apply(&OriginChange::Robots { fetch, at }, &OutcomeTable::RFC9309);
        record.next.validators = Validators::new(
            Some("\"5f3e-61a9c2d4b7e80\"".to_owned()),
            Some("Wed, 12 Nov 2025 08:49:37 GMT".to_owned()),
        );
        assert!(record.encode(ORIGIN).unwrap().len() < 90);
    }

    #[test]
    fn a_rule_that_is_cut_is_kept_as_a_comment() {
        let mut body = b"User-agent: *\n".to_vec();
        body.resize(MAX_KEPT_BODY - 12, b'#');
        body.push(b'\n');
        body.extend_from_slice(b"Disallow: /cgi-bin/");
        let kept = FileBytes::of_robots_txt(&body);
        assert_eq!(kept.as_slice().len(), MAX_KEPT_BODY);
        assert!(kept.as_slice().ends_with(b"\n###########"));
    }
}
