//! The comparison of the digests in records (WARC 1.1, sections 5.8 and 5.9) with the bytes of the records.

use crate::http::Response;
use crate::record::Record;
use data_encoding::{BASE32_NOPAD, HEXLOWER_PERMISSIVE};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt;

/// A digest of a record that does not match its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DigestMismatch {
    /// The digest of the block.
    Block,
    /// The digest of the payload: the body of a response.
    Payload,
}

impl fmt::Display for DigestMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Block => "the digest of the block differs from the one in the record",
            Self::Payload => "the digest of the payload differs from the one in the record",
        })
    }
}

impl Record {
    /// Returns the stated digests that do not match. SHA-1 and SHA-256 are compared. Empty if the record is cut, as the digests
    /// may be those of the whole record.
    pub fn digest_mismatches(&self) -> Vec<DigestMismatch> {
        let mut mismatches = Vec::new();
        if self.cut.is_some() {
            return mismatches;
        }
        let differs = |stated: &str, bytes: &[u8]| matches(stated, bytes) == Some(false);
        let block = self.digests.block.as_deref();
        if block.is_some_and(|stated| differs(stated, &self.block)) {
            mismatches.push(DigestMismatch::Block);
        }
        // A revisit states the payload digest of another record; of the other kinds, only responses are compared.
        if let ("response", Some(stated)) = (self.kind.as_str(), self.digests.payload.as_deref()) {
            // A crawler computes the digest with or without the chunked coding of the body: either may match.
            let payloads = Response::payloads(&self.block);
            if !payloads.is_empty() && payloads.iter().all(|bytes| differs(stated, bytes)) {
                mismatches.push(DigestMismatch::Payload);
            }
        }
        mismatches
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
}
