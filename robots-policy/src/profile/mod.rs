//! Profiles: how one engine, or anyone, reads what sites and pages say. Data, and no code.
//!
//! * [`Robot`]: a robot of an engine, with its names.
//! * [`MergeRule`], [`Honours`], [`LinkRule`]: how statements are merged, which are honoured, and the
//!   meaning of `rel`.
//! * [`AiRules`]: what statements mean for the use of content by AI.
//! * `AgentTable` (feature `toml`): the table of known robots.

#[cfg(feature = "toml")]
mod agents;
pub(crate) mod ai;
mod built_in;
#[cfg(feature = "toml")]
mod file;
mod known;
mod robot;
mod rule;

#[cfg(feature = "toml")]
pub use agents::{AgentTable, AgentTableError, Basis, KnownAgent, Obeys, Purpose};
pub use ai::{AiEffect, AiRules, SignalFamilies, UsageToken, Uses};
pub(crate) use built_in::HONOURED;
pub use built_in::UnknownProfile;
#[cfg(feature = "toml")]
pub use file::ProfileError;
pub use robot::Robot;
pub use rule::{Conflict, Honours, LinkRule, MergeRule, Precedence};

use crate::robots::OutcomeTable;
use robots_meta::Directives;
use robots_txt::Dialect;
use std::fmt;

/// How an engine decides: which robots it has, how it reads robots.txt and what became of the
/// request for it, how it merges METAs and headers, and what of all that it honours.
///
/// ```
/// use robots_policy::{Index, Policy, Profile};
///
/// let html = b"<meta name=robots content='all, none'>";
/// let google = Policy::under(&Profile::google(), "Googlebot")?;
/// assert_eq!(google.decide("https://example.com/", html).index, Index::No);
/// // At Yandex, permissions have priority (docs/semantics.md, section 2.5).
/// let yandex = Policy::under(&Profile::yandex(), "YandexBot")?;
/// assert_eq!(yandex.decide("https://example.com/", html).index, Index::Yes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Statements of sites and pages about the use of content by AI count under every profile, whether or not the
/// engine is known to honour them: they are the owner's (`docs/semantics.md`, section 8.6). Which kinds of
/// statements count is data too ([`AiRules::hearing`]).
///
/// The built-in profiles follow the engines' documentation as read on 2026-11-20 (`docs/semantics.md`,
/// section 2; where a source is secondary or a reading is our choice, [`Profile::about`] or the
/// documentation of the constructor says so). A profile of one's own is made from one of them by
/// the `with_` methods, or is a TOML file (feature `toml`).
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    pub(crate) name: String,
    pub(crate) about: String,
    pub(crate) robots: Vec<Robot>,
    pub(crate) dialect: Dialect,
    pub(crate) merge: MergeRule,
    pub(crate) directives: Directives,
    pub(crate) honours: Honours,
    pub(crate) links: LinkRule,
    pub(crate) outcomes: OutcomeTable,
    pub(crate) ai: AiRules,
}

impl Profile {
    /// The name of the neutral profile.
    pub const NEUTRAL: &'static str = "neutral";

    /// The name by which a built-in profile is found, or that of a file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a line.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// The robots that it knows; the first is meant where none is named ([`agent`](Self::agent)). Any other
    /// name is that of a robot that answers to it and to `robots`.
    pub fn robots(&self) -> &[Robot] {
        &self.robots
    }

    /// The name of the robot that is meant where none is named: the first, or `*` if the profile knows none.
    ///
    /// ```
    /// use robots_policy::Profile;
    ///
    /// assert_eq!(Profile::google().agent(), "Googlebot");
    /// ```
    pub fn agent(&self) -> &str {
        self.robots.first().map_or("*", Robot::name)
    }

    /// The robot of this name, ASCII case ignored; one that the profile does not know answers to its
    /// name and to `robots`, and its chain is that of
    /// [`Agent::known`](robots_txt::Agent::known).
    pub fn robot(&self, name: &str) -> Robot {
        let other = Robot::new(name);
        self.robots
            .iter()
            .find(|robot| {
                [name, other.name()]
                    .iter()
                    .any(|name| robot.name().eq_ignore_ascii_case(name))
            })
            .cloned()
            .unwrap_or(other)
    }

    /// How robots.txt is read.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// How many statements become one.
    pub fn merge(&self) -> MergeRule {
        self.merge
    }

    /// The directives without a value that count; the others are told as ignored.
    pub fn directives(&self) -> Directives {
        self.directives
    }

    /// What else counts.
    pub fn honours(&self) -> Honours {
        self.honours
    }

    /// What `rel` says of a link.
    pub fn links(&self) -> LinkRule {
        self.links
    }

    /// What became of a request for robots.txt means.
    pub fn outcomes(&self) -> &OutcomeTable {
        &self.outcomes
    }

    /// What is said of the use of content by AI means.
    pub fn ai(&self) -> &AiRules {
        &self.ai
    }

    /// Returns the profile with another name and description. A changed profile does not take the name
    /// of a built-in one: ` (changed)` is added.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>, about: impl Into<String>) -> Self {
        self.name = name.into();
        self.about = about.into();
        self.with_own_name()
    }

    /// Adds ` (changed)` to the name of a built-in profile, unless the profile is that one.
    fn with_own_name(mut self) -> Self {
        if let Ok(base) = self.name.parse::<Self>()
            && base != self
        {
            self.name.push_str(" (changed)");
        }
        self
    }

    /// With these robots in place of all others. Without any, it is the robot `*`.
    #[must_use]
    pub fn with_robots(mut self, robots: impl IntoIterator<Item = Robot>) -> Self {
        self.robots = robots.into_iter().collect();
        if self.robots.is_empty() {
            self.robots.push(Robot::new("*"));
        }
        self.with_own_name()
    }

    /// With another reading of robots.txt.
    #[must_use]
    pub fn with_dialect(mut self, dialect: Dialect) -> Self {
        self.dialect = dialect;
        self.with_own_name()
    }

    /// With another way to make one of many statements.
    #[must_use]
    pub fn with_merge(mut self, merge: MergeRule) -> Self {
        self.merge = merge;
        self.with_own_name()
    }

    /// With these directives that count, and no others.
    #[must_use]
    pub fn with_directives(mut self, directives: Directives) -> Self {
        self.directives = directives;
        self.with_own_name()
    }

    /// With another choice of what counts.
    #[must_use]
    pub fn with_honours(mut self, honours: Honours) -> Self {
        self.honours = honours;
        self.with_own_name()
    }

    /// With another meaning of `rel`.
    #[must_use]
    pub fn with_links(mut self, links: LinkRule) -> Self {
        self.links = links;
        self.with_own_name()
    }

    /// With another meaning of what became of a request for robots.txt.
    #[must_use]
    pub fn with_outcomes(mut self, outcomes: OutcomeTable) -> Self {
        self.outcomes = outcomes;
        self.with_own_name()
    }

    /// With other rules for the use of content by AI.
    #[must_use]
    pub fn with_ai(mut self, ai: AiRules) -> Self {
        self.ai = ai;
        self.with_own_name()
    }
}

impl fmt::Display for Profile {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Default for Profile {
    /// [`Profile::neutral`].
    fn default() -> Self {
        Self::neutral()
    }
}
