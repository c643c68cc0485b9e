//! The rules for the use of content by AI: the signals that count, the tokens that control uses, and the
//! directives for search that also affect AI (`docs/semantics.md`, section 8.6).

use crate::answer::AiUse;
use bitflags::bitflags;
use robots_meta::Directives;
use robots_txt::Agent;

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
        /// Directives for search that also affect AI ([`AiEffect`]).
        const DIRECTIVES = 1 << 6;
        /// Licence documents of RSL (`docs/semantics.md`, section 4.7).
        const RSL = 1 << 7;
    }

    /// Uses of content.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Uses: u8 {
        /// The training of models.
        const TRAIN = 1;
        /// Input to a model that generates answers.
        const INPUT = 1 << 1;
        /// A search index.
        const SEARCH = 1 << 2;
    }
}

/// A token that a site disallows in robots.txt to opt out of uses, such as `Google-Extended`
/// (`docs/semantics.md`, sections 2.9, 4.3). The groups of `*` do not apply to it by default.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "toml",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub struct UsageToken {
    #[cfg_attr(
        feature = "toml",
        serde(deserialize_with = "super::file::deserialize_token")
    )]
    token: String,
    #[cfg_attr(feature = "toml", serde(with = "super::file::bits"))]
    uses: Uses,
    #[cfg_attr(feature = "toml", serde(default))]
    pub(crate) obeys_star: bool,
}

impl UsageToken {
    /// Returns a token that controls these uses.
    pub(crate) fn new(token: &str, uses: Uses) -> Self {
        Self {
            token: robots_txt::select::product_token(token.trim()).to_owned(),
            uses,
            obeys_star: false,
        }
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the uses that the token controls.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns whether the groups of `*` apply to the token.
    pub fn obeys_star(&self) -> bool {
        self.obeys_star
    }

    /// Returns the token as a robot: with the fallback names of [`Agent::known`], but with its own setting for the
    /// groups of `*`.
    pub(crate) fn agent(&self) -> Agent<'static> {
        let known = Agent::known(self.token.clone());
        let fallbacks = known.names().skip(1).map(str::to_owned);
        // A new agent obeys `*`. `known` itself may not, and that cannot be undone.
        let agent = fallbacks.fold(Agent::new(self.token.clone()), Agent::or);
        if self.obeys_star {
            agent
        } else {
            agent.without_star()
        }
    }
}

/// The effect of a page's directives on uses, such as that of `nosnippet` at Google.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "toml",
    serde(rename_all = "kebab-case", deny_unknown_fields)
)]
pub(crate) struct AiEffect {
    /// Any of these directives has the effect. `max-snippet:0` counts as `nosnippet`.
    #[cfg_attr(feature = "toml", serde(with = "super::file::bits"))]
    pub(crate) directives: Directives,
    /// The uses that the directives affect.
    #[cfg_attr(feature = "toml", serde(with = "super::file::bits"))]
    pub(crate) uses: Uses,
    /// The answer that the directives give for these uses.
    pub(crate) says: AiUse,
    /// The directives that cancel the effect on a page that has one of them, too.
    #[cfg_attr(
        feature = "toml",
        serde(
            default = "Directives::empty",
            skip_serializing_if = "Directives::is_empty",
            with = "super::file::bits"
        )
    )]
    pub(crate) unless: Directives,
}

impl AiEffect {
    /// Returns the effect of any of these directives on these uses.
    pub(crate) const fn new(directives: Directives, uses: Uses, says: AiUse) -> Self {
        Self {
            directives,
            uses,
            says,
            unless: Directives::empty(),
        }
    }
}

/// The rules that turn statements about the use of content into decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "toml",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct AiRules {
    /// The families of signals that count.
    #[cfg_attr(feature = "toml", serde(with = "super::file::bits"))]
    pub(crate) signals: SignalFamilies,
    /// Whether `tdm-reservation: 0` is a permission to train. Otherwise it only states that no rights are reserved, which does
    /// not allow anything (`docs/semantics.md`, section 8.6).
    pub(crate) unreserved_allows: bool,
    /// The answer for uses without a statement.
    pub(crate) unknown_is: AiUse,
    pub(crate) tokens: Vec<UsageToken>,
    pub(crate) effects: Vec<AiEffect>,
}

impl AiRules {
    /// Returns the tokens that control uses.
    pub fn tokens(&self) -> &[UsageToken] {
        &self.tokens
    }

    /// Adds an effect of directives.
    #[must_use]
    pub(crate) fn with_effect(mut self, effect: AiEffect) -> Self {
        self.effects.push(effect);
        self
    }
}

impl Default for AiRules {
    /// Returns the usual rules: all families of signals count, there are no tokens, `noindex` forbids a
    /// search index, and a use without a statement is unknown.
    fn default() -> Self {
        Self {
            signals: SignalFamilies::all(),
            unreserved_allows: false,
            unknown_is: AiUse::Unknown,
            tokens: Vec::new(),
            effects: vec![AiEffect::new(
                Directives::NOINDEX,
                Uses::SEARCH,
                AiUse::Disallow,
            )],
        }
    }
}
