//! Directives without a value, as bits.
//!
//! Positive and negative bits are apart: a page may set both, and the meaning of `INDEX, NOINDEX`
//! is up to a merge rule (docs/semantics.md, sections 0.6 and 8.4).

use bitflags::bitflags;
use std::fmt;

bitflags! {
    /// A set of directives without a value (docs/semantics.md, section 5.1, unless another section is
    /// named).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    pub struct Directives: u32 {
        /// `index`: may be indexed, which is the default (section 0.6).
        const INDEX = 1;
        /// `noindex`: not to be indexed.
        const NOINDEX = 1 << 1;
        /// `follow`: links may be followed (section 0.6).
        const FOLLOW = 1 << 2;
        /// `nofollow`: links are not to be followed.
        const NOFOLLOW = 1 << 3;
        /// `archive`: a copy may be kept and shown (Yandex, section 2.5).
        const ARCHIVE = 1 << 4;
        /// `noarchive`: no copy is to be shown; for Microsoft, no use in Copilot (section 2.4).
        const NOARCHIVE = 1 << 5;
        /// `nosnippet`: no text of the page is to be shown.
        const NOSNIPPET = 1 << 6;
        /// `noimageindex`: the page's images are not to be indexed.
        const NOIMAGEINDEX = 1 << 7;
        /// `notranslate`: no translation is to be offered.
        const NOTRANSLATE = 1 << 8;
        /// `nocache`: like `noarchive`; for Microsoft, only URL, title and snippet may be used (section
        /// 2.4).
        const NOCACHE = 1 << 9;
        /// `indexifembedded`: despite `noindex`, indexed as part of a page that embeds it.
        const INDEXIFEMBEDDED = 1 << 10;
        /// `nositelinkssearchbox`: no search box in results (historical; Google does not use it).
        const NOSITELINKSSEARCHBOX = 1 << 11;
        /// `noodp`: no description from the Open Directory (closed in 2017; section 2.5).
        const NOODP = 1 << 12;
        /// `noydir`: no description from Yahoo's directory (closed in 2014).
        const NOYDIR = 1 << 13;
        /// `noyaca`: no description from Yandex' directory (closed in 2017; section 2.5).
        const NOYACA = 1 << 14;
        /// `noai`: not for the training of AI nor as its input (section 4.8).
        const NOAI = 1 << 15;
        /// `noimageai`: like `noai`, for images (section 4.8).
        const NOIMAGEAI = 1 << 16;
        /// `DisallowAITraining` (draft-canel-robots-ai-control-00; section 4.4).
        const DISALLOW_AI_TRAINING = 1 << 17;
        /// `AllowAITraining` (draft-canel-robots-ai-control-00; section 4.4).
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
    /// Returns the bits of one token, ASCII case ignored; `None` for another text.
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

    /// Returns the directives that state the contrary of any of these: for `noarchive`, `archive`; for `archive`, `noarchive` and
    /// `nocache`.
    #[must_use]
    pub fn opposite(self) -> Self {
        let pairs = [
            (Self::INDEX, Self::NOINDEX),
            (Self::FOLLOW, Self::NOFOLLOW),
            (Self::ARCHIVE, Self::NOARCHIVE | Self::NOCACHE),
            (Self::ALLOW_AI_TRAINING, Self::DISALLOW_AI_TRAINING),
        ];
        let both_ways = pairs
            .into_iter()
            .flat_map(|(one, two)| [(one, two), (two, one)]);
        both_ways
            .filter(|(one, _)| self.intersects(*one))
            .map(|(_, two)| two)
            .collect()
    }
}

impl fmt::Display for Directives {
    /// Writes the tokens, comma-separated, in the order of the bits: `noindex, nofollow`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_go_both_ways() {
        assert_eq!(Directives::ALL.opposite(), Directives::NONE);
        assert_eq!(Directives::NONE.opposite(), Directives::ALL);
        assert_eq!(Directives::NOCACHE.opposite(), Directives::ARCHIVE);
        let copies = Directives::NOARCHIVE | Directives::NOCACHE;
        assert_eq!(Directives::ARCHIVE.opposite(), copies);
        let alone = Directives::NOSNIPPET | Directives::NOAI;
        assert_eq!(alone.opposite(), Directives::empty());
        for (_, flag) in Directives::all().iter_names() {
            let back = flag.opposite().opposite();
            assert!(back.is_empty() || back.contains(flag), "{flag}");
        }
    }

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
}
