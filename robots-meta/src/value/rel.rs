//! What a document says of its links, and of parts of its text (SEMANTICS 5.1, 5.8).

use bitflags::bitflags;

bitflags! {
    /// What `rel` says to robots. What it means is an engine's affair: to Google these have been
    /// hints since 2020, to others `nofollow` is a rule.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
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
    /// The bits in the value of a `rel`, whose tokens stand between white space; ASCII case does not
    /// matter, and other tokens are passed over.
    ///
    /// ```
    /// use robots_meta::Rel;
    ///
    /// assert_eq!(Rel::parse("noopener UGC nofollow"), Rel::UGC | Rel::NOFOLLOW);
    /// ```
    pub fn parse(value: &str) -> Self {
        let tokens = [
            ("nofollow", Self::NOFOLLOW),
            ("ugc", Self::UGC),
            ("sponsored", Self::SPONSORED),
        ];
        value
            .split_ascii_whitespace()
            .filter_map(|token| {
                tokens
                    .iter()
                    .find(|(known, _)| known.eq_ignore_ascii_case(token))
            })
            .map(|(_, rel)| *rel)
            .collect()
    }
}
