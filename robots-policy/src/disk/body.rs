//! Names of bodies: equal files have the same, and are kept once.

use sha2::{Digest, Sha256};
use std::fmt;

/// The SHA-256 of a body, under which it is kept once however many origins have it.
///
/// It is a cryptographic hash because hosts choose their bytes: with another, one host could make
/// a file that is taken for another's.
///
/// ```
/// use robots_policy::BodyKey;
///
/// let key = BodyKey::of(b"");
/// assert!(key.to_string().starts_with("e3b0c44298fc1c14"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyKey([u8; 32]);

impl BodyKey {
    /// The name of a body. Linear in its bytes.
    pub fn of(body: &[u8]) -> Self {
        Self(Sha256::digest(body).into())
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub(super) const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }
}

impl fmt::Display for BodyKey {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BodyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BodyKey({self})")
    }
}
