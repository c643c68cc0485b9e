//! Limits of previews: snippets, videos, images.

use std::fmt;

/// A limit on a number of characters or seconds: `max-snippet`, `max-video-preview`.
///
/// Ordered by strictness: the minimum of several is the strictest (docs/semantics.md, section 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(
    clippy::exhaustive_enums,
    reason = "closed by nature: there is a number, or there is none"
)]
pub enum Limit {
    /// Up to this number; 0 allows nothing.
    AtMost(u32),
    /// No limit: `-1`.
    Unlimited,
}

/// The size of a preview image: `max-image-preview`.
///
/// Ordered by strictness: the minimum of several is the strictest (docs/semantics.md, section 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum ImagePreview {
    /// No preview image.
    None,
    /// An image of the default size.
    Standard,
    /// A large image, up to the width of the viewport.
    Large,
}

impl ImagePreview {
    /// Returns the name in the directive: `none`, `standard`, `large`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }
}

impl Limit {
    /// Returns the number in the directive: -1 for no limit.
    pub const fn number(self) -> i64 {
        match self {
            Self::AtMost(most) => most as i64,
            Self::Unlimited => -1,
        }
    }
}

impl fmt::Display for Limit {
    /// Writes the [`number`](Self::number).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Limit {
    /// Writes the [`number`](Self::number).
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(self.number())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Limit {
    /// Reads a number; -1 means unlimited.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = <i64 as serde::Deserialize>::deserialize(deserializer)?;
        match u32::try_from(number) {
            Ok(most) => Ok(Self::AtMost(most)),
            Err(_) if number == -1 => Ok(Self::Unlimited),
            Err(_) => Err(serde::de::Error::custom(format!(
                "{number} is not a limit: expected -1 to {}",
                u32::MAX
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strictest_limit_is_the_least() {
        assert!(Limit::AtMost(20) < Limit::Unlimited);
        assert!(Limit::AtMost(0) < Limit::AtMost(20));
        assert!(ImagePreview::None < ImagePreview::Standard);
        assert!(ImagePreview::Standard < ImagePreview::Large);
        assert_eq!(
            [Limit::AtMost(20), Limit::Unlimited].map(Limit::number),
            [20, -1]
        );
    }
}
