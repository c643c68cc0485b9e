//! What a page can say to robots: bits for what is said or not, values for limits.
//!
//! Positive and negative bits are kept apart: what was said is a fact, and what `INDEX, NOINDEX`
//! means is a merge rule's affair (SEMANTICS 0.6, 8.4).

use crate::date::Timestamp;
use bitflags::bitflags;
use std::fmt;

bitflags! {
    /// Directives without a value. SEMANTICS 5.1 unless another section is named.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Directives: u32 {
        /// `index`: may be indexed, which needs no saying (0.6).
        const INDEX = 1;
        /// `noindex`: not to be indexed.
        const NOINDEX = 1 << 1;
        /// `follow`: links may be followed (0.6).
        const FOLLOW = 1 << 2;
        /// `nofollow`: links are not to be followed.
        const NOFOLLOW = 1 << 3;
        /// `archive`: a copy may be kept and shown (Yandex, 2.5).
        const ARCHIVE = 1 << 4;
        /// `noarchive`: no copy is to be shown; for Microsoft, no use in Copilot (2.4).
        const NOARCHIVE = 1 << 5;
        /// `nosnippet`: no text of the page is to be shown.
        const NOSNIPPET = 1 << 6;
        /// `noimageindex`: the page's images are not to be indexed.
        const NOIMAGEINDEX = 1 << 7;
        /// `notranslate`: no translation is to be offered.
        const NOTRANSLATE = 1 << 8;
        /// `nocache`: as `noarchive`; for Microsoft, only URL, title and snippet may be used (2.4).
        const NOCACHE = 1 << 9;
        /// `indexifembedded`: despite `noindex`, indexed as part of a page that embeds it.
        const INDEXIFEMBEDDED = 1 << 10;
        /// `nositelinkssearchbox`: no search box in results (unused).
        const NOSITELINKSSEARCHBOX = 1 << 11;
        /// `noodp`: no description from the Open Directory (closed in 2017; 2.5).
        const NOODP = 1 << 12;
        /// `noydir`: no description from Yahoo's directory (closed in 2014).
        const NOYDIR = 1 << 13;
        /// `noyaca`: no description from Yandex' directory (closed in 2017; 2.5).
        const NOYACA = 1 << 14;
        /// `noai`: not for the training of AI nor as its input (4.8).
        const NOAI = 1 << 15;
        /// `noimageai`: as `noai`, for images (4.8).
        const NOIMAGEAI = 1 << 16;
        /// `DisallowAITraining` (draft-canel-robots-ai-control-00; 4.4).
        const DISALLOW_AI_TRAINING = 1 << 17;
        /// `AllowAITraining` (draft-canel-robots-ai-control-00; 4.4).
        const ALLOW_AI_TRAINING = 1 << 18;
        /// `all`: index and follow.
        const ALL = Self::INDEX.bits() | Self::FOLLOW.bits();
        /// `none`: neither index nor follow.
        const NONE = Self::NOINDEX.bits() | Self::NOFOLLOW.bits();
    }
}

/// The tokens and their bits.
pub(crate) const TOKENS: [(&str, Directives); 21] = [
    ("index", Directives::INDEX),
    ("noindex", Directives::NOINDEX),
    ("follow", Directives::FOLLOW),
    ("nofollow", Directives::NOFOLLOW),
    ("archive", Directives::ARCHIVE),
    ("noarchive", Directives::NOARCHIVE),
    ("nosnippet", Directives::NOSNIPPET),
    ("noimageindex", Directives::NOIMAGEINDEX),
    ("notranslate", Directives::NOTRANSLATE),
    ("nocache", Directives::NOCACHE),
    ("indexifembedded", Directives::INDEXIFEMBEDDED),
    ("nositelinkssearchbox", Directives::NOSITELINKSSEARCHBOX),
    ("noodp", Directives::NOODP),
    ("noydir", Directives::NOYDIR),
    ("noyaca", Directives::NOYACA),
    ("noai", Directives::NOAI),
    ("noimageai", Directives::NOIMAGEAI),
    ("disallowaitraining", Directives::DISALLOW_AI_TRAINING),
    ("allowaitraining", Directives::ALLOW_AI_TRAINING),
    ("all", Directives::ALL),
    ("none", Directives::NONE),
];

impl Directives {
    /// The bits of one token, ASCII case ignored; `None` if it is not one.
    ///
    /// ```
    /// use robots_meta::Directives;
    ///
    /// assert_eq!(Directives::from_token("NoIndex"), Some(Directives::NOINDEX));
    /// assert_eq!(
    ///     Directives::from_token("none"),
    ///     Some(Directives::NOINDEX | Directives::NOFOLLOW)
    /// );
    /// assert_eq!(Directives::from_token("noopd"), None);
    /// ```
    pub fn from_token(token: &str) -> Option<Self> {
        TOKENS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(token))
            .map(|(_, bits)| *bits)
    }
}

impl fmt::Display for Directives {
    /// The tokens, comma-separated, in the order of the bits: `noindex, nofollow`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let single = TOKENS
            .iter()
            .filter(|(_, bits)| bits.bits().is_power_of_two() && self.contains(*bits));
        for (index, (name, _)) in single.enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// A limit on a number of characters or seconds: `max-snippet`, `max-video-preview`.
///
/// Ordered by strictness: the minimum of several is the strictest (SEMANTICS 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(
    clippy::exhaustive_enums,
    reason = "closed by nature: there is a number, or there is none"
)]
pub enum Limit {
    /// At most so many; zero is none at all.
    AtMost(u32),
    /// As many as the engine likes: `-1`.
    Unlimited,
}

/// How large a preview image may be: `max-image-preview`.
///
/// Ordered by strictness: the minimum of several is the strictest (SEMANTICS 5.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    /// The size, as the directive has it: `none`, `standard`, `large`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Standard => "standard",
            Self::Large => "large",
        }
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Limit {
    /// As the directives have it: a number, -1 for no limit.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(match *self {
            Self::AtMost(most) => i64::from(most),
            Self::Unlimited => -1,
        })
    }
}

/// What one item of a directive list says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DirectiveValue {
    /// A token without a value; `all` and `none` have two bits.
    Flags(Directives),
    /// `max-snippet`: the length of a text snippet, in characters.
    MaxSnippet(Limit),
    /// `max-image-preview`: the size of preview images.
    MaxImagePreview(ImagePreview),
    /// `max-video-preview`: the length of a video preview, in seconds.
    MaxVideoPreview(Limit),
    /// `unavailable_after`: not to be shown after this moment.
    UnavailableAfter(Timestamp),
    /// A known name with a value that cannot be read, which is ignored (SEMANTICS 5.1).
    Invalid,
    /// A name that is not known, which is kept and ignored.
    Unknown,
}

/// One item of a directive list, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Directive<'a> {
    pub(crate) text: &'a str,
    pub(crate) offset: usize,
    pub(crate) value: DirectiveValue,
}

impl<'a> Directive<'a> {
    /// The item as written, without white space around it.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Where the item begins in the list that it stands in, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// What it says.
    pub fn value(&self) -> DirectiveValue {
        self.value
    }

    /// The bits that it says; empty if it is none of those without a value.
    pub fn flags(&self) -> Directives {
        match self.value {
            DirectiveValue::Flags(flags) => flags,
            _ => Directives::empty(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_has_a_token_and_prints_as_it() {
        for (_, bits) in Directives::all().iter_names() {
            let printed = bits.to_string();
            let back = printed
                .split(", ")
                .map(|token| Directives::from_token(token).unwrap())
                .collect::<Directives>();
            assert_eq!(back, bits, "{printed}");
        }
        assert_eq!(Directives::NONE.to_string(), "noindex, nofollow");
    }

    #[test]
    fn the_strictest_limit_is_the_least() {
        assert!(Limit::AtMost(20) < Limit::Unlimited);
        assert!(Limit::AtMost(0) < Limit::AtMost(20));
        assert!(ImagePreview::None < ImagePreview::Standard);
        assert!(ImagePreview::Standard < ImagePreview::Large);
    }
}
