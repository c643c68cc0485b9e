//! Digests that records state (WARC 1.1, 5.8 and 5.9), compared with their bytes.

use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use robots_archive::Record;
use robots_archive::http::Response;
use sha1::Sha1;
use sha2::{Digest, Sha256};

/// What is wrong with the digests of a record. One in an algorithm that is not known is not compared, nor is that of a
/// record that is not whole.
pub(super) fn wrong(record: &Record) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    if record.cut.is_some() {
        return wrong;
    }
    let is_other = |stated: &str, bytes: &[u8]| is_of(stated, bytes) == Some(false);
    let block = record.digests.block.as_deref();
    if block.is_some_and(|stated| is_other(stated, &record.block)) {
        wrong.push("the block has another digest than the record says");
    }
    // The payload of other kinds is not what they have themselves.
    if let ("response", Some(stated)) = (record.kind.as_str(), record.digests.payload.as_deref()) {
        let payloads = Response::payloads(&record.block);
        if !payloads.is_empty() && payloads.iter().all(|bytes| is_other(stated, bytes)) {
            wrong.push("the payload has another digest than the record says");
        }
    }
    wrong
}

/// Whether a digest is that of bytes; `None` if that cannot be told.
fn is_of(stated: &str, bytes: &[u8]) -> Option<bool> {
    let (algorithm, value) = stated.split_once(':')?;
    let digest = match algorithm.to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => Sha1::digest(bytes).to_vec(),
        "sha256" | "sha-256" => Sha256::digest(bytes).to_vec(),
        _ => return None,
    };
    let value = value.trim();
    let stated = if value.len() == digest.len().checked_mul(2)? {
        HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok()?
    } else {
        let value = value.trim_end_matches('=').to_ascii_uppercase();
        BASE32_NOPAD.decode(value.as_bytes()).ok()?
    };
    Some(stated == digest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_come_in_two_alphabets() {
        // SHA-1 and SHA-256 of nothing (FIPS 180-4).
        for stated in [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha-256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====",
        ] {
            assert_eq!(is_of(stated, b""), Some(true), "{stated}");
            assert_eq!(is_of(stated, b"x"), Some(false), "{stated}");
        }
        for stated in ["sha1", "sha1:", "sha1:!", "crc32:00000000", ""] {
            assert_ne!(is_of(stated, b""), Some(true), "{stated}");
        }
        assert_eq!(is_of("crc32:00000000", b""), None);
    }
}
