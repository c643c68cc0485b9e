//! API keys.

use crate::config::Secret;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderMap;
use http::header::AUTHORIZATION;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::{Choice, ConstantTimeEq};

/// The keys that requests may have. Without keys, every request is let through.
pub(crate) struct Keys {
    /// The digests: all have one length, so that a comparison takes as long for any key.
    digests: Vec<[u8; 32]>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} keys", self.digests.len())
    }
}

impl Keys {
    pub(crate) fn new(keys: &[Secret]) -> Self {
        let digests = keys.iter().map(|key| Sha256::digest(key.expose()).into());
        Self {
            digests: digests.collect(),
        }
    }

    /// Returns the number of keys.
    pub(crate) fn len(&self) -> usize {
        self.digests.len()
    }

    /// Returns whether a request with these headers is let through. A key is in `Authorization: Bearer KEY`, in
    /// `X-API-Key: KEY`, or is the password of `Authorization: Basic`, for browsers; of two, one must be valid.
    pub(crate) fn accept(&self, headers: &HeaderMap) -> bool {
        let of_header = headers.get("x-api-key").map(|key| key.as_bytes().to_vec());
        let given = [of_header, key_of_authorization(headers)];
        self.digests.is_empty() || given.iter().flatten().any(|key| self.contain(key))
    }

    /// Compares with every key, in a time that does not depend on the key.
    fn contain(&self, key: &[u8]) -> bool {
        let digest: [u8; 32] = Sha256::digest(key).into();
        let equal = self.digests.iter().fold(Choice::from(0), |equal, known| {
            equal | known.as_slice().ct_eq(digest.as_slice())
        });
        equal.into()
    }
}

fn key_of_authorization(headers: &HeaderMap) -> Option<Vec<u8>> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, rest) = value.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(rest.trim().as_bytes().to_vec());
    }
    if scheme.eq_ignore_ascii_case("basic") {
        let pair = STANDARD.decode(rest.trim()).ok()?;
        let colon = pair.iter().position(|byte| *byte == b':')?;
        return Some(pair[colon + 1..].to_vec());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Keys, Secret};
    use http::HeaderMap;

    fn accept(keys: &[&str], lines: &[(&'static str, &str)]) -> bool {
        let keys: Vec<Secret> = keys.iter().map(|key| Secret::new(*key)).collect();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        Keys::new(&keys).accept(&headers)
    }

    #[test]
    fn a_key_is_in_one_of_three_places() {
        let keys = ["0123456789abcdef", "another-key-of-us"];
        for (lines, expected) in [
            (&[][..], false),
            (&[("authorization", "Bearer 0123456789abcdef")], true),
            (&[("authorization", "bearer another-key-of-us")], true),
            (&[("x-api-key", "another-key-of-us")], true),
            // anyone:0123456789abcdef
            (
                &[("authorization", "Basic YW55b25lOjAxMjM0NTY3ODlhYmNkZWY=")],
                true,
            ),
            (
                &[
                    ("authorization", "Bearer another-key-of-us"),
                    ("x-api-key", "wrong"),
                ],
                true,
            ),
            (&[("authorization", "Basic !")], false),
            (&[("authorization", "Bearer 0123456789abcde")], false),
            (&[("authorization", "Bearer 0123456789abcdef0")], false),
            (&[("authorization", "Bearer")], false),
            (&[("x-api-key", "")], false),
        ] {
            assert_eq!(accept(&keys, lines), expected, "{lines:?}");
        }
        assert!(accept(&[], &[]));
        let two = keys.map(Secret::new);
        assert_eq!([Keys::new(&[]).len(), Keys::new(&two).len()], [0, 2]);
    }
}
