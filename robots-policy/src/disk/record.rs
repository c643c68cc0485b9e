//! Records: what is kept of an origin, as bytes.
//!
//! | bytes | what |
//! | --- | --- |
//! | 1 | the format: 1 |
//! | 1 | what there is of the parts below, a bit each |
//! | 1 | the answer that holds in place of the copy, and what there is of three more parts |
//! | | the answer's cause |
//! | 32 | the copy |
//! | | last: seconds; settled: seconds before it |
//! | | freshness: seconds, nanoseconds |
//! | | failure: since how many seconds before last, cause |
//! | | `ETag`, `Last-Modified`, the URL that had them: length, UTF-8 |
//! | 32 | tdmrep |
//! | | retry: seconds before last, pause: seconds, nanoseconds |
//! | 4 | check: the first bytes of the SHA-256 of the origin, a zero, and all of the above |
//!
//! Numbers are in base 128, the low digits first, in as few bytes as can be; those with a sign are
//! folded (0, -1, 1, -2, ...). A record is about 100 bytes. Each site has one record, and reading
//! it gives the site back; no other bytes are read. Both take time linear in the bytes, and reading
//! allocates no more than there are.
//!
//! The check is not against an attacker, who could compute it. It is there because redb does not
//! look at its own checksums when it reads: with it, a byte that a disk has changed is an error and
//! not another answer.

use super::KeptSite;
use super::body::BodyKey;
use super::error::Damage;
use crate::outcome::{Answer, Cause, Failure, History, Parts};
use crate::retry::Retry;
use robots_meta::Timestamp;
use sha2::{Digest, Sha256};
use std::time::Duration;

const FORMAT: u8 = 1;

// The second byte: what there is.
const COPY: u8 = 1;
const ETAG: u8 = 1 << 1;
const LAST_MODIFIED: u8 = 1 << 2;
const TDMREP: u8 = 1 << 3;
const SETTLED: u8 = 1 << 4;
const FRESH_FOR: u8 = 1 << 5;
const FAILURE: u8 = 1 << 6;
const LAST: u8 = 1 << 7;

// The third byte: one of these, or 0 if there is no answer; and a bit for each part that is there.
const ALLOW_ALL: u8 = 1;
const DENY_ALL: u8 = 2;
const DEFER: u8 = 3;
const UNKNOWN: u8 = 4;
const ANSWER: u8 = 0b111;
const SINCE: u8 = 1 << 3;
const VALIDATED_URL: u8 = 1 << 4;
const RETRY: u8 = 1 << 5;

// Causes.
const STATUS: u8 = 0;
const TOO_MANY_REDIRECTS: u8 = 1;
const UNREACHABLE: u8 = 2;
const NOT_FETCHED: u8 = 3;
const NO_ORIGIN: u8 = 4;
const NOT_TEXT: u8 = 5;
const STALE: u8 = 6;

const NANOSECONDS: u32 = 1_000_000_000;

/// The record of an origin.
pub(super) fn encode(origin: &str, site: &KeptSite) -> Vec<u8> {
    let mut record = facts(site);
    let check = check(origin, &record);
    record.extend_from_slice(&check);
    record
}

/// What a record says of an origin.
pub(super) fn decode(origin: &str, record: &[u8]) -> Result<KeptSite, Damage> {
    let (facts, found) = record.split_last_chunk::<4>().ok_or(Damage::Short)?;
    if check(origin, facts) != *found {
        return Err(Damage::Check);
    }
    read(facts)
}

fn check(origin: &str, facts: &[u8]) -> [u8; 4] {
    let hash: [u8; 32] = Sha256::new_with_prefix(origin)
        .chain_update([0_u8])
        .chain_update(facts)
        .finalize()
        .into();
    let [a, b, c, d, ..] = hash;
    [a, b, c, d]
}

/// A record without its check.
fn facts(site: &KeptSite) -> Vec<u8> {
    let Parts {
        copy,
        answer,
        settled,
        fresh_for,
        failure,
        last,
    } = site.history.parts();
    let since = failure.and_then(|failure| failure.since);
    let (answer, cause) = match answer {
        None => (0, None),
        Some(Answer::AllowAll(cause)) => (ALLOW_ALL, Some(cause)),
        Some(Answer::DenyAll(cause)) => (DENY_ALL, Some(cause)),
        Some(Answer::Defer(cause)) => (DEFER, Some(cause)),
        Some(Answer::Unknown(cause)) => (UNKNOWN, Some(cause)),
    };
    let bit = |is_there: bool, bit: u8| if is_there { bit } else { 0 };

    let mut facts = vec![
        FORMAT,
        bit(copy.is_some(), COPY)
            | bit(site.etag.is_some(), ETAG)
            | bit(site.last_modified.is_some(), LAST_MODIFIED)
            | bit(site.tdmrep.is_some(), TDMREP)
            | bit(settled.is_some(), SETTLED)
            | bit(fresh_for.is_some(), FRESH_FOR)
            | bit(failure.is_some(), FAILURE)
            | bit(last.is_some(), LAST),
        answer
            | bit(since.is_some(), SINCE)
            | bit(site.validated_url.is_some(), VALIDATED_URL)
            | bit(site.retry.is_some(), RETRY),
    ];
    if let Some(cause) = cause {
        put_cause(&mut facts, cause);
    }
    if let Some(copy) = copy {
        facts.extend_from_slice(copy.as_bytes());
    }
    let end = last.map_or(0, Timestamp::as_seconds);
    if last.is_some() {
        put_signed(&mut facts, end);
    }
    if let Some(settled) = settled {
        put_signed(&mut facts, end.wrapping_sub(settled.as_seconds()));
    }
    if let Some(fresh_for) = fresh_for {
        put_duration(&mut facts, fresh_for);
    }
    if let Some(since) = since {
        put_signed(&mut facts, end.wrapping_sub(since.as_seconds()));
    }
    if let Some(failure) = failure {
        put_cause(&mut facts, failure.cause);
    }
    let texts = [&site.etag, &site.last_modified, &site.validated_url];
    for text in texts.into_iter().flatten() {
        put_text(&mut facts, text);
    }
    if let Some(tdmrep) = site.tdmrep {
        facts.extend_from_slice(tdmrep.as_bytes());
    }
    if let Some(retry) = site.retry {
        put_signed(&mut facts, end.wrapping_sub(retry.at.as_seconds()));
        put_duration(&mut facts, retry.pause);
    }
    facts
}

/// Reads a record without its check.
fn read(facts: &[u8]) -> Result<KeptSite, Damage> {
    let mut reader = Reader {
        rest: facts,
        there: 0,
    };
    match reader.byte()? {
        FORMAT => {}
        format => return Err(Damage::Format(format)),
    }
    reader.there = reader.byte()?;
    let answer = reader.byte()?;
    let has = |bit| answer & bit != 0;
    let is_known = answer & !(ANSWER | SINCE | VALIDATED_URL | RETRY) == 0;
    if !is_known || has(SINCE) && reader.there & FAILURE == 0 {
        return Err(Damage::Sign);
    }
    let (has_since, has_url, has_retry) = (has(SINCE), has(VALIDATED_URL), has(RETRY));
    let answer = match answer & ANSWER {
        0 => None,
        ALLOW_ALL => Some(Answer::AllowAll(reader.cause()?)),
        DENY_ALL => Some(Answer::DenyAll(reader.cause()?)),
        DEFER => Some(Answer::Defer(reader.cause()?)),
        UNKNOWN => Some(Answer::Unknown(reader.cause()?)),
        _ => return Err(Damage::Sign),
    };
    let copy = reader.if_there(COPY, Reader::key)?;
    let end = reader.if_there(LAST, Reader::signed)?;
    let before = |seconds: i64| Timestamp::from_seconds(end.unwrap_or(0).wrapping_sub(seconds));
    let settled = reader.if_there(SETTLED, Reader::signed)?.map(before);
    let fresh_for = reader.if_there(FRESH_FOR, Reader::duration)?;
    let since = if has_since {
        Some(before(reader.signed()?))
    } else {
        None
    };
    let failure = reader
        .if_there(FAILURE, Reader::cause)?
        .map(|cause| Failure { since, cause });
    let etag = reader.if_there(ETAG, Reader::text)?;
    let last_modified = reader.if_there(LAST_MODIFIED, Reader::text)?;
    let validated_url = if has_url { Some(reader.text()?) } else { None };
    let tdmrep = reader.if_there(TDMREP, Reader::key)?;
    let retry = if has_retry {
        Some(Retry::new(before(reader.signed()?), reader.duration()?))
    } else {
        None
    };
    if !reader.rest.is_empty() {
        return Err(Damage::Rest);
    }
    Ok(KeptSite {
        history: History::from_parts(Parts {
            copy,
            answer,
            settled,
            fresh_for,
            failure,
            last: end.map(Timestamp::from_seconds),
        }),
        etag,
        last_modified,
        validated_url,
        retry,
        tdmrep,
    })
}

fn put_number(facts: &mut Vec<u8>, mut number: u64) {
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            facts.push(low & 0x7F);
            return;
        }
        facts.push(low | 0x80);
    }
}

fn put_signed(facts: &mut Vec<u8>, number: i64) {
    put_number(facts, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

fn put_duration(facts: &mut Vec<u8>, duration: Duration) {
    put_number(facts, duration.as_secs());
    put_number(facts, duration.subsec_nanos().into());
}

fn put_text(facts: &mut Vec<u8>, text: &str) {
    // Wider than 64 bits are no lengths.
    put_number(facts, u64::try_from(text.len()).unwrap_or(u64::MAX));
    facts.extend_from_slice(text.as_bytes());
}

fn put_cause(facts: &mut Vec<u8>, cause: Cause) {
    let sign = match cause {
        Cause::Status(status) => {
            facts.push(STATUS);
            put_number(facts, status.into());
            return;
        }
        Cause::TooManyRedirects => TOO_MANY_REDIRECTS,
        Cause::Unreachable => UNREACHABLE,
        Cause::NotFetched => NOT_FETCHED,
        Cause::NoOrigin => NO_ORIGIN,
        Cause::NotText => NOT_TEXT,
        Cause::Stale => STALE,
    };
    facts.push(sign);
}

/// Takes what a record is made of from its front.
struct Reader<'r> {
    rest: &'r [u8],
    /// The byte that says what there is.
    there: u8,
}

impl Reader<'_> {
    /// Reads what is there if its bit is set.
    fn if_there<T>(
        &mut self,
        bit: u8,
        read: impl FnOnce(&mut Self) -> Result<T, Damage>,
    ) -> Result<Option<T>, Damage> {
        if self.there & bit == 0 {
            return Ok(None);
        }
        read(self).map(Some)
    }

    fn byte(&mut self) -> Result<u8, Damage> {
        let (byte, rest) = self.rest.split_first().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(*byte)
    }

    fn number(&mut self) -> Result<u64, Damage> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let digit = u64::from(byte & 0x7F);
            let shifted = digit << shift;
            if shifted >> shift != digit {
                return Err(Damage::Number);
            }
            number |= shifted;
            if byte & 0x80 == 0 {
                // A last digit of zero could be left out.
                let is_short = digit != 0 || shift == 0;
                return is_short.then_some(number).ok_or(Damage::Number);
            }
        }
        Err(Damage::Number)
    }

    fn signed(&mut self) -> Result<i64, Damage> {
        let folded = self.number()?;
        let sign = (folded & 1).cast_signed().wrapping_neg();
        Ok((folded >> 1).cast_signed() ^ sign)
    }

    fn duration(&mut self) -> Result<Duration, Damage> {
        let seconds = self.number()?;
        let nanoseconds = u32::try_from(self.number()?).map_err(|_| Damage::Number)?;
        if nanoseconds >= NANOSECONDS {
            return Err(Damage::Number);
        }
        Ok(Duration::new(seconds, nanoseconds))
    }

    fn text(&mut self) -> Result<String, Damage> {
        let bytes = usize::try_from(self.number()?).map_err(|_| Damage::Short)?;
        let (text, rest) = self.rest.split_at_checked(bytes).ok_or(Damage::Short)?;
        self.rest = rest;
        let text = str::from_utf8(text).map_err(|_| Damage::Text)?;
        Ok(text.to_owned())
    }

    fn key(&mut self) -> Result<BodyKey, Damage> {
        let (key, rest) = self.rest.split_first_chunk::<32>().ok_or(Damage::Short)?;
        self.rest = rest;
        Ok(BodyKey::from_bytes(*key))
    }

    fn cause(&mut self) -> Result<Cause, Damage> {
        Ok(match self.byte()? {
            STATUS => {
                let status = u16::try_from(self.number()?).map_err(|_| Damage::Number)?;
                Cause::Status(status)
            }
            TOO_MANY_REDIRECTS => Cause::TooManyRedirects,
            UNREACHABLE => Cause::Unreachable,
            NOT_FETCHED => Cause::NotFetched,
            NO_ORIGIN => Cause::NoOrigin,
            NOT_TEXT => Cause::NotText,
            STALE => Cause::Stale,
            _ => return Err(Damage::Sign),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{OutcomeTable, RobotsFetch, RobotsResponse};

    const ORIGIN: &str = "https://a.example";

    /// Numbers that look random, and are the same each time (Marsaglia's xorshift of 64 bits).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0
        }

        fn below(&mut self, limit: usize) -> usize {
            usize::try_from(self.next() % u64::try_from(limit).unwrap()).unwrap()
        }

        fn bytes(&mut self, count: usize) -> Vec<u8> {
            (0..count).map(|_| self.next().to_le_bytes()[3]).collect()
        }
    }

    const CAUSES: [Cause; 9] = [
        Cause::Status(0),
        Cause::Status(404),
        Cause::Status(u16::MAX),
        Cause::TooManyRedirects,
        Cause::Unreachable,
        Cause::NotFetched,
        Cause::NoOrigin,
        Cause::NotText,
        Cause::Stale,
    ];

    fn answers() -> Vec<Option<Answer>> {
        let kinds = [
            Answer::AllowAll,
            Answer::DenyAll,
            Answer::Defer,
            Answer::Unknown,
        ];
        let some = kinds
            .into_iter()
            .flat_map(|kind| CAUSES.into_iter().map(move |cause| Some(kind(cause))));
        some.chain([None]).collect()
    }

    fn times() -> Vec<Option<Timestamp>> {
        let seconds = [i64::MIN, -1, 0, 1, 1_763_000_000, i64::MAX];
        let some = seconds.map(|seconds| Some(Timestamp::from_seconds(seconds)));
        some.into_iter().chain([None]).collect()
    }

    fn failures() -> Vec<Option<Failure>> {
        let some = times().into_iter().flat_map(|since| {
            CAUSES
                .into_iter()
                .map(move |cause| Some(Failure { since, cause }))
        });
        some.chain([None]).collect()
    }

    const FRESH: [Option<Duration>; 4] = [
        None,
        Some(Duration::ZERO),
        Some(Duration::from_millis(86_400_500)),
        Some(Duration::MAX),
    ];

    fn texts() -> [Option<String>; 4] {
        let long = "é".repeat(100);
        [None, Some(String::new()), Some("\"x\"".into()), Some(long)]
    }

    fn retries() -> [Option<Retry>; 4] {
        let retry = |seconds, pause| Some(Retry::new(Timestamp::from_seconds(seconds), pause));
        [
            None,
            retry(1_763_000_060, Duration::from_secs(60)),
            retry(i64::MIN, Duration::ZERO),
            retry(i64::MAX, Duration::MAX),
        ]
    }

    /// The site comes back, and its record is the only one that it is read from.
    fn round(site: &KeptSite) {
        let record = encode(ORIGIN, site);
        assert_eq!(decode(ORIGIN, &record).as_ref(), Ok(site));
        assert_eq!(
            decode("https://b.example", &record),
            Err(Damage::Check),
            "{site:?}"
        );
    }

    #[test]
    fn every_part_comes_back() {
        let copies = [None, Some(BodyKey::of(b"a"))];
        for copy in copies {
            for answer in answers() {
                for settled in times() {
                    for last in times() {
                        let history = History::from_parts(Parts {
                            copy,
                            answer,
                            settled,
                            fresh_for: None,
                            failure: None,
                            last,
                        });
                        round(&KeptSite::new(history));
                    }
                }
            }
            for failure in failures() {
                for last in times() {
                    for fresh_for in FRESH {
                        let history = History::from_parts(Parts {
                            copy,
                            answer: None,
                            settled: last,
                            fresh_for,
                            failure,
                            last,
                        });
                        round(&KeptSite::new(history));
                    }
                }
            }
            for etag in texts() {
                for (last_modified, retry) in texts().into_iter().zip(retries()) {
                    for tdmrep in copies {
                        round(&KeptSite {
                            validated_url: last_modified.clone(),
                            retry,
                            history: History::from_parts(Parts {
                                copy,
                                answer: None,
                                settled: None,
                                fresh_for: None,
                                failure: None,
                                last: None,
                            }),
                            etag: etag.clone(),
                            last_modified: last_modified.clone(),
                            tdmrep,
                        });
                    }
                }
            }
        }
    }

    /// Sites of all kinds of parts together, and of what was recorded.
    fn sites() -> Vec<KeptSite> {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mut sites = vec![KeptSite::new(History::new())];
        let (answers, times, failures) = (answers(), times(), failures());
        for _ in 0..3_000 {
            let key = BodyKey::of(&random.bytes(3));
            let keys = [None, Some(key)];
            sites.push(KeptSite {
                history: History::from_parts(Parts {
                    copy: keys[random.below(2)],
                    answer: answers[random.below(answers.len())],
                    settled: times[random.below(times.len())],
                    fresh_for: FRESH[random.below(FRESH.len())],
                    failure: failures[random.below(failures.len())],
                    last: times[random.below(times.len())],
                }),
                etag: texts()[random.below(4)].clone(),
                last_modified: texts()[random.below(4)].clone(),
                validated_url: texts()[random.below(4)].clone(),
                retry: retries()[random.below(4)],
                tdmrep: keys[random.below(2)],
            });
        }
        let fetches = [
            RobotsFetch::Body(b"User-agent: *\nDisallow: /x"),
            RobotsFetch::Response(
                RobotsResponse::new(200, b"x").fresh_for(Duration::from_secs(3_600)),
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
        for table in [
            OutcomeTable::RFC9309,
            OutcomeTable::GOOGLE,
            OutcomeTable::BING,
        ] {
            for _ in 0..1_000 {
                let mut history = History::new();
                let mut now = 1_763_000_000;
                for _ in 0..random.below(6) {
                    now += i64::try_from(random.below(100_000)).unwrap();
                    let at = (random.below(8) > 0).then_some(Timestamp::from_seconds(now));
                    let fetch = fetches[random.below(fetches.len())];
                    history.record(&table, &fetch, at, BodyKey::of);
                }
                sites.push(KeptSite::new(history));
            }
        }
        sites
    }

    #[test]
    fn sites_come_back() {
        for site in sites() {
            round(&site);
        }
    }

    #[test]
    fn what_is_cut_or_goes_on_is_damaged() {
        for site in sites().iter().step_by(10) {
            let record = encode(ORIGIN, site);
            for bytes in 0..record.len() {
                assert!(decode(ORIGIN, &record[..bytes]).is_err(), "{bytes}");
            }
            let mut long = record.clone();
            long.push(0);
            assert!(decode(ORIGIN, &long).is_err());
            // Below the check, too.
            let facts = facts(site);
            assert_eq!(read(&facts).as_ref(), Ok(site));
            for bytes in 0..facts.len() {
                assert!(read(&facts[..bytes]).is_err(), "{bytes}: {site:?}");
            }
            let mut long = facts.clone();
            long.push(0);
            assert_eq!(read(&long), Err(Damage::Rest));
        }
    }

    #[test]
    fn a_changed_byte_is_damage() {
        for site in sites().iter().step_by(50) {
            let record = encode(ORIGIN, site);
            for at in 0..record.len() {
                for bit in 0..8 {
                    let mut changed = record.clone();
                    changed[at] ^= 1 << bit;
                    assert!(decode(ORIGIN, &changed).is_err(), "{at}");
                }
            }
        }
    }

    /// What can be read at all is the record of what it says.
    fn read_any(facts_read: &[u8]) -> bool {
        match read(facts_read) {
            Ok(site) => {
                assert_eq!(facts(&site), facts_read);
                true
            }
            Err(_) => false,
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        let mut random = Random(0x2545_F491_4F6C_DD1D);
        for _ in 0..200_000 {
            let count = random.below(90);
            let mut bytes = random.bytes(count);
            assert!(decode(ORIGIN, &bytes).is_err());
            read_any(&bytes);
            if let Some(first) = bytes.first_mut() {
                *first = FORMAT;
            }
            read_any(&bytes);
        }
        let mut read = 0;
        for site in sites() {
            let facts = facts(&site);
            for _ in 0..20 {
                let mut changed = facts.clone();
                let at = random.below(changed.len());
                changed[at] = random.next().to_le_bytes()[3];
                read += usize::from(read_any(&changed));
            }
        }
        assert!(read > 1_000, "{read}");
    }

    #[test]
    fn numbers_have_one_form() {
        let read = |bytes: &[u8]| {
            let mut reader = Reader {
                rest: bytes,
                there: 0,
            };
            reader.number()
        };
        assert_eq!(read(&[0]), Ok(0));
        assert_eq!(read(&[0x7F]), Ok(127));
        assert_eq!(read(&[0x80, 1]), Ok(128));
        assert_eq!(read(&[0x80, 0]), Err(Damage::Number));
        assert_eq!(read(&[0x80]), Err(Damage::Short));
        let mut most = vec![0xFF; 9];
        most.push(1);
        assert_eq!(read(&most), Ok(u64::MAX));
        most[9] = 2;
        assert_eq!(read(&most), Err(Damage::Number));
        assert_eq!(read(&[0xFF; 11]), Err(Damage::Number));
    }

    #[test]
    fn a_usual_record_is_small() {
        let mut history = History::new();
        let now = Some(Timestamp::from_seconds(1_763_000_000));
        history.record(
            &OutcomeTable::RFC9309,
            &RobotsFetch::Body(b"x"),
            now,
            BodyKey::of,
        );
        let mut site = KeptSite::new(history);
        site.etag = Some("\"5f3e-61a9c2d4b7e80\"".to_owned());
        site.last_modified = Some("Wed, 12 Nov 2025 08:49:37 GMT".to_owned());
        assert_eq!(encode(ORIGIN, &site).len(), 3 + 32 + 5 + 1 + 21 + 30 + 4);
    }
}
