//! Values as bytes that outlive a process: a postcard message after its name, its version and a checksum.
//!
//! ```text
//! (name, version)    a postcard message
//! checksum           8 bytes, little-endian: XXH64 of all other bytes
//! value              a postcard message
//! ```
//!
//! The checksum shows damage, not changes that someone made on purpose. Any bytes result in a value or an error, in time and
//! memory linear in their number.

use serde::{Deserialize, Serialize};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// The format of a kind of value. A change of the type of the value needs another version.
#[derive(Debug, Clone)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    /// The version that is written, and the only one that can be read.
    pub(crate) version: u32,
    /// A number that the writer and the reader must share, such as a checksum of the settings on which the value depends.
    pub(crate) seed: u64,
}

/// The reason why bytes are not a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BytesError {
    /// They do not begin with the name of the format.
    OtherFormat,
    /// They have this version of the format.
    OtherVersion(u32),
    /// They end early, differ from those that were written, or have another seed.
    Damaged,
}

impl Format {
    /// Returns a value as bytes.
    pub(crate) fn write<T: Serialize>(&self, value: &T) -> Vec<u8> {
        self.seal(&message(value))
    }

    /// Returns a message after its name, version and checksum.
    pub(crate) fn seal(&self, message: &[u8]) -> Vec<u8> {
        let head = self::message(&(self.name, self.version));
        let checksum = self.checksum(&head, message).to_le_bytes();
        [&head[..], &checksum, message].concat()
    }

    /// Reads the output of [`write`](Self::write).
    pub(crate) fn read<'b, T: Deserialize<'b>>(&self, bytes: &'b [u8]) -> Result<T, BytesError> {
        let Ok((name, rest)) = postcard::take_from_bytes::<&str>(bytes) else {
            return Err(BytesError::OtherFormat);
        };
        if name != self.name {
            return Err(BytesError::OtherFormat);
        }
        let (version, rest) =
            postcard::take_from_bytes::<u32>(rest).map_err(|_| BytesError::Damaged)?;
        if version != self.version {
            return Err(BytesError::OtherVersion(version));
        }
        let head = &bytes[..bytes.len() - rest.len()];
        let (stated, value) = rest.split_first_chunk().ok_or(BytesError::Damaged)?;
        if u64::from_le_bytes(*stated) != self.checksum(head, value) {
            return Err(BytesError::Damaged);
        }
        match postcard::take_from_bytes(value) {
            Ok((value, [])) => Ok(value),
            _ => Err(BytesError::Damaged),
        }
    }

    fn checksum(&self, head: &[u8], value: &[u8]) -> u64 {
        let mut hasher = XxHash64::with_seed(self.seed);
        hasher.write(head);
        hasher.write(value);
        hasher.finish()
    }
}

/// Returns a value as a postcard message.
pub(crate) fn message<T: Serialize>(value: &T) -> Vec<u8> {
    let message = postcard::to_stdvec(value);
    // Only a type that does not know its length fails. A value with a part missing must not get a checksum.
    assert!(message.is_ok(), "{message:?}");
    message.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format {
        name: "example",
        version: 3,
        seed: 7,
    };

    fn read(bytes: &[u8]) -> Result<(&str, u64), BytesError> {
        FORMAT.read(bytes)
    }

    #[test]
    fn a_value_comes_back() {
        let value = ("text", u64::MAX);
        assert_eq!(read(&FORMAT.write(&value)), Ok(value));
    }

    #[test]
    fn other_formats_versions_and_seeds_are_errors() {
        let written = |format: Format| format.write(&("text", 1_u64));
        let name = "other";
        let other = written(Format { name, ..FORMAT });
        assert_eq!(read(&other), Err(BytesError::OtherFormat));
        for bytes in [&b""[..], b"\xFF\xFF\xFF", b"\x07exam"] {
            assert_eq!(read(bytes), Err(BytesError::OtherFormat));
        }
        for version in [0, 2, 4, u32::MAX] {
            let other = written(Format { version, ..FORMAT });
            assert_eq!(read(&other), Err(BytesError::OtherVersion(version)));
        }
        let other = written(Format { seed: 8, ..FORMAT });
        assert_eq!(read(&other), Err(BytesError::Damaged));
    }

    #[test]
    fn every_changed_or_missing_byte_is_found() {
        let bytes = FORMAT.write(&("text", 1_u64));
        for at in 0..bytes.len() {
            for bit in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= bit;
                assert!(read(&damaged).is_err(), "{at}");
            }
            assert!(read(&bytes[..at]).is_err(), "{at}");
        }
        let longer = [&bytes[..], b"0"].concat();
        assert_eq!(read(&longer), Err(BytesError::Damaged));
    }

    #[test]
    fn a_value_with_a_valid_checksum_may_be_of_another_type() {
        for other in [
            FORMAT.write(&"text"),
            FORMAT.write(&("text", 1_u64, 2_u8)),
            // The stated number of elements may be huge.
            FORMAT.write(&[0xFF_u8; 16]),
        ] {
            assert_eq!(read(&other), Err(BytesError::Damaged));
        }
    }
}
