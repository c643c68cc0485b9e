//! The comparison of the digests in records (WARC 1.1, sections 5.8 and 5.9) with the bytes of the records.

use crate::http::Response;
use crate::record::Record;
use data_encoding::{BASE32_NOPAD, HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Deserialize, Serialize};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// A digest of a record that does not match its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DigestMismatch {
    /// The digest of the block.
    #[error("the digest of the block differs from the one in the record")]
    Block,
    /// The digest of the payload: the body of a response.
    #[error("the digest of the payload differs from the one in the record")]
    Payload,
}

impl Record {
    /// Returns the stated digests that do not match. SHA-1 and SHA-256 are compared. Empty if the record is cut, as the digests
    /// may be those of the whole record.
    pub fn digest_mismatches(&self) -> Vec<DigestMismatch> {
        let mut mismatches = Vec::new();
        if self.cut.is_some() {
            return mismatches;
        }
        let block = self.digests.block.as_deref();
        if block.is_some_and(|stated| matches(stated, &self.block) == Some(false)) {
            mismatches.push(DigestMismatch::Block);
        }
        // A revisit states the payload digest of another record; of the other kinds, only responses are compared.
        let payload = self.digests.payload.as_deref();
        let payload = payload.filter(|_| self.kind == "response");
        if payload.is_some_and(|stated| self.payload_matches(stated) == Some(false)) {
            mismatches.push(DigestMismatch::Payload);
        }
        mismatches
    }
}

/// The digest of a record's payload, with its algorithm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[allow(clippy::exhaustive_enums, reason = "a digest is stated, or it is not")]
pub enum PayloadDigest {
    /// The digest that the record states (`WARC-Payload-Digest`), as it states it.
    Stated(Box<str>),
    /// The SHA-256 of the payload as it is stored: `sha256:`, and 64 hexadecimal digits in lower case.
    Computed(Box<str>),
}

impl PayloadDigest {
    /// Returns the text: an algorithm, a colon and a value.
    pub fn text(&self) -> &str {
        match self {
            Self::Stated(text) | Self::Computed(text) => text,
        }
    }
}

/// Returns the SHA-256 of some bytes: `sha256:`, and 64 hexadecimal digits in lower case.
pub fn sha256(bytes: &[u8]) -> String {
    format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(bytes)))
}

impl Record {
    /// Returns the digest that the record states for its payload, which is not compared with the bytes, or else computes it. The
    /// payload is the body of a response with its codings, as it is stored, or else the block.
    pub fn payload_digest(&self) -> PayloadDigest {
        match &self.digests.payload {
            Some(stated) => PayloadDigest::Stated(stated.clone()),
            None => self.computed_payload_digest(),
        }
    }

    /// Returns the SHA-256 of the payload as it is stored.
    pub fn computed_payload_digest(&self) -> PayloadDigest {
        let payload = self.payloads().into_iter().next().unwrap_or_default();
        PayloadDigest::Computed(sha256(&payload).into())
    }

    /// Returns whether the bytes of the payload have this digest, with or without the chunked coding; `None` if its algorithm is
    /// not known.
    pub fn payload_matches(&self, digest: &str) -> Option<bool> {
        let payloads = self.payloads();
        let mut results = payloads.iter().map(|bytes| matches(digest, bytes));
        let first = results.next()??;
        Some(first || results.any(|result| result == Some(true)))
    }

    /// Returns the payload as it is stored, and if it is in chunks, also without them: a crawler computes the digest of either.
    fn payloads(&self) -> Vec<Cow<'_, [u8]>> {
        match self.kind.as_str() {
            "response" => Response::payloads(&self.block),
            _ => vec![Cow::Borrowed(&*self.block)],
        }
    }
}

/// Returns whether a stated digest matches; `None` if it cannot be read or its algorithm is unknown.
fn matches(stated: &str, bytes: &[u8]) -> Option<bool> {
    let (algorithm, value) = stated.split_once(':')?;
    let digest = match algorithm.to_ascii_lowercase().as_str() {
        "sha1" | "sha-1" => Sha1::digest(bytes).to_vec(),
        "sha256" | "sha-256" => Sha256::digest(bytes).to_vec(),
        _ => return None,
    };
    let value = value.trim();
    // Base16 has two digits for each byte. Any other length is base32.
    let stated = if value.len() == digest.len() * 2 {
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
    fn base16_and_base32_digests_match() {
        // SHA-1 and SHA-256 of no bytes (FIPS 180-4).
        for stated in [
            "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ",
            "SHA-1:da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "sha-256:4OYMIQUY7QOBJGX36TEJS35ZEQT24QPEMSNZGTFESWMRW6CSXBKQ====",
        ] {
            assert_eq!(matches(stated, b""), Some(true), "{stated}");
            assert_eq!(matches(stated, b"x"), Some(false), "{stated}");
        }
        for stated in ["sha1", "sha1:", "sha1:!", "crc32:00000000", ""] {
            assert_ne!(matches(stated, b""), Some(true), "{stated}");
        }
        assert_eq!(matches("crc32:00000000", b""), None);
    }

    #[test]
    fn a_payload_has_the_digest_that_the_record_states_or_else_its_own() {
        let url = "http://a.example/";
        let mut record = Record::response(url, None, 200, [], b"");
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let computed = PayloadDigest::Computed(empty.into());
        assert_eq!(record.payload_digest(), computed);
        let stated = "sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        record.digests.payload = Some(stated.into());
        assert_eq!(
            record.payload_digest(),
            PayloadDigest::Stated(stated.into())
        );
        assert_eq!(record.computed_payload_digest(), computed);
        assert_eq!(record.payload_matches(empty), Some(true));
        assert_eq!(record.payload_matches(stated), Some(false));
        assert_eq!(record.payload_matches("crc32:00000000"), None);
    }

    #[test]
    fn a_digest_may_be_that_of_the_body_without_its_chunks() {
        let mut record = Record::response("http://a.example/", None, 200, [], b"");
        let block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n";
        record.block = crate::Block::within(block.to_vec(), 0, block.len());
        for bytes in [&b"a"[..], b"1\r\na\r\n0\r\n\r\n"] {
            assert_eq!(record.payload_matches(&sha256(bytes)), Some(true));
        }
        assert_eq!(record.payload_matches(&sha256(b"b")), Some(false));
        assert_eq!(
            record.payload_digest().text(),
            sha256(b"1\r\na\r\n0\r\n\r\n")
        );
    }
}
