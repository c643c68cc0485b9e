//! What is said of the use of content by AI means: which signals are heard, and what directives and
//! tokens say beside what they are for (`docs/semantics.md`, section 8.6).

use crate::answer::AiUse;
use bitflags::bitflags;
use robots_meta::Directives;

bitflags! {
    /// Families of signals about the use of content.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct SignalFamilies: u16 {
        /// `Content-Usage`, in robots.txt and in headers (`docs/semantics.md`, section 4.1).
        const CONTENT_USAGE = 1;
        /// `Content-Signal`, in robots.txt and in headers (`docs/semantics.md`, section 4.5).
        const CONTENT_SIGNAL = 1 << 1;
        /// `DisallowAITraining` and `AllowAITraining`, in robots.txt, METAs and headers
        /// (`docs/semantics.md`, section 4.4).
        const AI_TRAINING = 1 << 2;
        /// `noai` and `noimageai` (`docs/semantics.md`, section 4.8).
        const NOAI = 1 << 3;
        /// TDMRep: tdmrep.json, headers and METAs (`docs/semantics.md`, section 4.6).
        const TDMREP = 1 << 4;
        /// Groups of robots.txt for the tokens of a vendor ([`UsageToken`]).
        const TOKENS = 1 << 5;
        /// Directives for search that say something of AI too ([`AiEffect`]).
        const DIRECTIVES = 1 << 6;
    }

    /// Uses of content.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Uses: u8 {
        /// The training of models.
        const TRAIN = 1;
        /// Input to a model that answers.
        const INPUT = 1 << 1;
        /// A search index.
        const SEARCH = 1 << 2;
    }
}

/// A token by which a site opts out of uses, by an ordinary group of robots.txt that disallows it
/// (`docs/semantics.md`, sections 2.9, 4.3): `Google-Extended`. It is obeyed where it is named; `*` does not speak to
/// it, unless that is said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageToken {
    token: String,
    uses: Uses,
    takes_star: bool,
}

impl UsageToken {
    /// A token and the uses that it is for.
    pub fn new(token: &str, uses: Uses) -> Self {
        Self {
            token: robots_txt::select::product_token(token.trim()).to_owned(),
            uses,
            takes_star: false,
        }
    }

    /// A token to which the groups of `*` speak where no group names it. No vendor documents it.
    #[must_use]
    pub fn or_star(mut self) -> Self {
        self.takes_star = true;
        self
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// What it is for.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Whether `*` speaks to it.
    pub fn takes_star(&self) -> bool {
        self.takes_star
    }
}

/// What directives of a page say of uses: `nosnippet` to Google.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AiEffect {
    directives: Directives,
    uses: Uses,
    says: AiUse,
}

impl AiEffect {
    /// Any of these directives says this of these uses. `max-snippet:0` is `nosnippet`.
    pub const fn new(directives: Directives, uses: Uses, says: AiUse) -> Self {
        Self {
            directives,
            uses,
            says,
        }
    }

    /// The directives.
    pub const fn directives(self) -> Directives {
        self.directives
    }

    /// The uses of which they say something.
    pub const fn uses(self) -> Uses {
        self.uses
    }

    /// What they say.
    pub const fn says(self) -> AiUse {
        self.says
    }
}

/// How what is said of the use of content is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AiRules {
    pub(crate) heard: SignalFamilies,
    pub(crate) tokens: Vec<UsageToken>,
    pub(crate) effects: Vec<AiEffect>,
    pub(crate) unreserved_allows: bool,
    pub(crate) unknown_is: AiUse,
}

impl AiRules {
    /// All signals are heard; there are no tokens; `noindex` is against a search index, and what
    /// nobody speaks about is unknown.
    pub fn new() -> Self {
        Self {
            heard: SignalFamilies::all(),
            tokens: Vec::new(),
            effects: vec![AiEffect::new(
                Directives::NOINDEX,
                Uses::SEARCH,
                AiUse::Disallow,
            )],
            unreserved_allows: false,
            unknown_is: AiUse::Unknown,
        }
    }

    /// With these families heard, and no others.
    #[must_use]
    pub fn hearing(mut self, families: SignalFamilies) -> Self {
        self.heard = families;
        self
    }

    /// With one token more.
    #[must_use]
    pub fn with_token(mut self, token: UsageToken) -> Self {
        self.tokens.push(token);
        self
    }

    /// With one effect of directives more.
    #[must_use]
    pub fn with_effect(mut self, effect: AiEffect) -> Self {
        self.effects.push(effect);
        self
    }

    /// `tdm-reservation: 0` allows training. Otherwise it says that no rights are reserved, which is
    /// not the same (`docs/semantics.md`, section 8.6).
    #[must_use]
    pub fn with_unreserved_allowed(mut self) -> Self {
        self.unreserved_allows = true;
        self
    }

    /// What nobody speaks about is this, and not [`AiUse::Unknown`].
    #[must_use]
    pub fn with_default(mut self, unknown_is: AiUse) -> Self {
        self.unknown_is = unknown_is;
        self
    }

    /// The families that are heard.
    pub fn heard(&self) -> SignalFamilies {
        self.heard
    }

    /// The tokens by which a site opts out.
    pub fn tokens(&self) -> &[UsageToken] {
        &self.tokens
    }

    /// What directives say.
    pub fn effects(&self) -> &[AiEffect] {
        &self.effects
    }

    /// Whether `tdm-reservation: 0` allows training.
    pub fn unreserved_allows(&self) -> bool {
        self.unreserved_allows
    }

    /// What holds where nobody says anything.
    pub fn unknown_is(&self) -> AiUse {
        self.unknown_is
    }
}

impl Default for AiRules {
    fn default() -> Self {
        Self::new()
    }
}
