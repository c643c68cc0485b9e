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
pub struct UsageToken {
    token: String,
    uses: Uses,
    obeys_star: bool,
}

impl UsageToken {
    /// Returns a token that controls these uses.
    pub fn new(token: &str, uses: Uses) -> Self {
        Self {
            token: robots_txt::select::product_token(token.trim()).to_owned(),
            uses,
            obeys_star: false,
        }
    }

    /// Applies the groups of `*` to the token if no group names it. No vendor documents this.
    #[must_use]
    pub fn or_star(mut self) -> Self {
        self.obeys_star = true;
        self
    }

    /// Returns the token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns the uses that the token controls.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns the token as a robot: with the fallback names of [`Agent::known`], but with its own setting for the
    /// groups of `*` ([`obeys_star`](Self::obeys_star)).
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

    /// Returns whether the groups of `*` apply to the token.
    pub fn obeys_star(&self) -> bool {
        self.obeys_star
    }
}

/// The effect of a page's directives on uses, such as that of `nosnippet` at Google.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct AiEffect {
    directives: Directives,
    uses: Uses,
    answer: AiUse,
    exceptions: Directives,
}

impl AiEffect {
    /// Returns the effect of any of these directives on these uses. `max-snippet:0` counts as
    /// `nosnippet`.
    pub const fn new(directives: Directives, uses: Uses, answer: AiUse) -> Self {
        Self {
            directives,
            uses,
            answer,
            exceptions: Directives::empty(),
        }
    }

    /// Sets the directives that cancel the effect on a page that has one of them too.
    #[must_use]
    pub const fn with_exceptions(mut self, exceptions: Directives) -> Self {
        self.exceptions = exceptions;
        self
    }

    /// Returns the directives that cancel the effect.
    pub const fn exceptions(self) -> Directives {
        self.exceptions
    }

    /// Returns the directives.
    pub const fn directives(self) -> Directives {
        self.directives
    }

    /// Returns the uses that the directives affect.
    pub const fn uses(self) -> Uses {
        self.uses
    }

    /// Returns the answer that the directives give for these uses.
    pub const fn answer(self) -> AiUse {
        self.answer
    }
}

/// The rules that turn statements about the use of content into decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AiRules {
    pub(crate) signals: SignalFamilies,
    pub(crate) tokens: Vec<UsageToken>,
    pub(crate) effects: Vec<AiEffect>,
    pub(crate) unreserved_allows: bool,
    pub(crate) default_answer: AiUse,
}

impl AiRules {
    /// Returns the usual rules: all families of signals count, there are no tokens, `noindex` forbids a
    /// search index, and a use without a statement is unknown.
    pub fn new() -> Self {
        Self {
            signals: SignalFamilies::all(),
            tokens: Vec::new(),
            effects: vec![AiEffect::new(
                Directives::NOINDEX,
                Uses::SEARCH,
                AiUse::Disallow,
            )],
            unreserved_allows: false,
            default_answer: AiUse::Unknown,
        }
    }

    /// Replaces the families of signals that count.
    #[must_use]
    pub fn with_signals(mut self, signals: SignalFamilies) -> Self {
        self.signals = signals;
        self
    }

    /// Adds a token.
    #[must_use]
    pub fn with_token(mut self, token: UsageToken) -> Self {
        self.tokens.push(token);
        self
    }

    /// Adds an effect of directives.
    #[must_use]
    pub fn with_effect(mut self, effect: AiEffect) -> Self {
        self.effects.push(effect);
        self
    }

    /// Makes `tdm-reservation: 0` a permission to train. By default it only states that no rights are reserved,
    /// which does not allow anything (`docs/semantics.md`, section 8.6).
    #[must_use]
    pub fn with_unreserved_allowed(mut self) -> Self {
        self.unreserved_allows = true;
        self
    }

    /// Sets the answer for uses without a statement; [`AiUse::Unknown`] by default.
    #[must_use]
    pub fn with_default_answer(mut self, answer: AiUse) -> Self {
        self.default_answer = answer;
        self
    }

    /// Returns the families of signals that count.
    pub fn signals(&self) -> SignalFamilies {
        self.signals
    }

    /// Returns the tokens that control uses.
    pub fn tokens(&self) -> &[UsageToken] {
        &self.tokens
    }

    /// Returns the effects of directives.
    pub fn effects(&self) -> &[AiEffect] {
        &self.effects
    }

    /// Returns whether `tdm-reservation: 0` allows training.
    pub fn unreserved_allows(&self) -> bool {
        self.unreserved_allows
    }

    /// Returns the answer for uses without a statement.
    pub fn default_answer(&self) -> AiUse {
        self.default_answer
    }
}

impl Default for AiRules {
    fn default() -> Self {
        Self::new()
    }
}
