//! The `rel` of a link, as far as it concerns robots (docs/semantics.md, sections 5.1 and 5.8).

use bitflags::bitflags;

bitflags! {
    /// The tokens of a `rel` that concern robots. Their meaning depends on the engine: to Google they
    /// have been hints since 2020, to others `nofollow` is a rule.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
    pub struct Rel: u8 {
        /// `nofollow`
        const NOFOLLOW = 1;
        /// `ugc`: written by users.
        const UGC = 1 << 1;
        /// `sponsored`: paid for.
        const SPONSORED = 1 << 2;
    }
}

impl Rel {
    const TOKENS: [(&str, Self); 3] = [
        ("nofollow", Self::NOFOLLOW),
        ("ugc", Self::UGC),
        ("sponsored", Self::SPONSORED),
    ];

    /// Reads the tokens of a `rel`, which white space separates. ASCII case does not matter; other
    /// tokens are skipped.
    ///
    /// ```
    /// use robots_meta::value::Rel;
    ///
    /// assert_eq!(Rel::parse("noopener UGC nofollow"), Rel::UGC | Rel::NOFOLLOW);
    /// ```
    pub fn parse(value: &str) -> Self {
        value
            .split_ascii_whitespace()
            .filter_map(|token| {
                Self::TOKENS
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(token))
            })
            .map(|(_, rel)| *rel)
            .collect()
    }

    /// Returns the names of the tokens.
    pub fn tokens(self) -> impl Iterator<Item = &'static str> {
        let has = move |(_, token): &(&str, Self)| self.contains(*token);
        Self::TOKENS.into_iter().filter(has).map(|(name, _)| name)
    }
}
