//! Profiles: the rules by which an engine reads robots.txt and pages, as data.
//!
//! * [`Robot`]: a robot of an engine, with its names.
//! * [`Precedence`], [`Conflict`], [`Honours`], [`LinkRule`]: the rules for merging and honouring statements, and
//!   for links with `rel`.
//! * [`AiRules`]: the rules for the use of content by AI.
//! * `AgentTable` (feature `toml`): the table of known robots; `AgentName`: a robot as a user names it.

#[cfg(feature = "toml")]
mod agent_name;
#[cfg(feature = "toml")]
mod agents;
pub(crate) mod ai;
mod built_in;
mod dialect_name;
#[cfg(feature = "toml")]
mod file;
mod known;
mod robot;
mod rule;

#[cfg(feature = "toml")]
pub use agent_name::{AgentName, AgentNameError};
#[cfg(feature = "toml")]
pub use agents::{AgentTable, AgentTableError, Basis, KnownAgent, Obeys, Purpose};
pub(crate) use ai::AiEffect;
pub use ai::{AiRules, SignalFamilies, UsageToken, Uses};
pub(crate) use built_in::{AI, HONOURED, NO_COPIES, of_crawlers};
pub use dialect_name::{dialect_of_name, dialect_switches, dialect_with_switches};
#[cfg(feature = "toml")]
pub use file::ProfileError;
pub use robot::Robot;
pub use rule::{Conflict, Honours, LinkRule, Precedence};

use crate::robots::OutcomeTable;
use robots_meta::Directives;
use robots_txt::Dialect;
use std::fmt;

/// The rules by which an engine decides: its robots, its reading of robots.txt, its merging of METAs and
/// headers, and the statements that it honours. They include the meaning of a failed request for robots.txt.
///
/// ```
/// use robots_policy::{Index, Policy, Profile, RobotsFetch};
///
/// let html = b"<meta name=robots content='all, none'>";
/// let google = Policy::under(&Profile::google(), "Googlebot")?;
/// assert_eq!(google.decide("https://example.com/", html).index, Index::No);
/// // At Yandex, permissions have priority (docs/semantics.md, section 2.5).
/// let yandex = Policy::under(&Profile::yandex(), "YandexBot")?;
/// yandex.learn("https://example.com/", RobotsFetch::Status(404))?;
/// assert_eq!(yandex.decide("https://example.com/", html).index, Index::Yes);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Statements about the use of content by AI count under every profile, whether or not the engine is
/// known to honour them: they express the will of the site's owner (`docs/semantics.md`, section 8.6).
/// The key `signals` of a profile file chooses the kinds that count.
///
/// The built-in profiles follow the engines' documentation as read on 2026-11-20 (`docs/semantics.md`,
/// section 2). [`Profile::about`] or the documentation of the constructor marks secondary sources and
/// our own choices. To make another profile, read a TOML file (feature `toml`): it has the keys that differ from a
/// built-in one.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "toml",
    serde(rename_all = "kebab-case", deny_unknown_fields, default)
)]
pub struct Profile {
    pub(crate) name: String,
    pub(crate) about: String,
    /// The key of a file that names its base profile, which is read apart.
    #[cfg(feature = "toml")]
    #[serde(skip_serializing)]
    based_on: serde::de::IgnoredAny,
    #[cfg_attr(feature = "toml", serde(with = "file::dialect"))]
    pub(crate) dialect: Dialect,
    /// The choice of the statements that count.
    pub(crate) precedence: Precedence,
    /// The choice of the statement that decides if several differ.
    pub(crate) conflict: Conflict,
    /// The directives without a value that count; others are reported as ignored.
    #[cfg_attr(feature = "toml", serde(with = "file::bits"))]
    pub(crate) directives: Directives,
    /// The statements that count in addition to rules and directives without a value.
    #[cfg_attr(feature = "toml", serde(with = "file::bits"))]
    pub(crate) honours: Honours,
    /// The effect of `rel` on a link.
    pub(crate) links: LinkRule,
    /// The number of bytes of a page that are read; METAs after them are reported as ignored.
    #[cfg_attr(feature = "toml", serde(skip_serializing_if = "Option::is_none"))]
    pub(crate) page_limit: Option<u64>,
    #[cfg_attr(feature = "toml", serde(deserialize_with = "file::deserialize_robots"))]
    pub(crate) robots: Vec<Robot>,
    pub(crate) outcomes: OutcomeTable,
    pub(crate) ai: AiRules,
}

impl Profile {
    /// The name of the neutral profile.
    pub const NEUTRAL: &'static str = "neutral";

    /// Returns the name. For a built-in profile, `str::parse` accepts it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns a description, in one line.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the robots of the profile; the first is the default ([`agent`](Self::agent)).
    pub fn robots(&self) -> &[Robot] {
        &self.robots
    }

    /// Returns the name of the default robot: the first, or `*` if the profile has none.
    ///
    /// ```
    /// use robots_policy::Profile;
    ///
    /// assert_eq!(Profile::google().agent(), "Googlebot");
    /// ```
    pub fn agent(&self) -> &str {
        self.robots.first().map_or("*", Robot::name)
    }

    /// Returns the robot of this name; ASCII case is ignored. For a name that is not in the profile,
    /// returns [`Robot::new`].
    pub fn robot(&self, name: &str) -> Robot {
        let new = Robot::new(name);
        self.listed(name, &new).cloned().unwrap_or(new)
    }

    /// Returns the robot of a name. `new` has the name without a version: `Googlebot/2.1` becomes `Googlebot`. The name as it
    /// is counts too: a robot of the profile may have a name that is not a product token (`Robot::with_agent`).
    fn listed(&self, name: &str, new: &Robot) -> Option<&Robot> {
        self.robots.iter().find(|robot| {
            [name, new.name()]
                .iter()
                .any(|name| robot.name().eq_ignore_ascii_case(name))
        })
    }

    /// Returns the dialect of robots.txt. The path `/robots.txt` is always allowed in it.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Returns the statements that count in addition to rules and directives without a value.
    pub fn honours(&self) -> Honours {
        self.honours
    }

    /// Returns the meanings of the outcomes of a request for robots.txt.
    pub fn outcomes(&self) -> &OutcomeTable {
        &self.outcomes
    }

    /// Returns the rules for the use of content by AI.
    pub fn ai(&self) -> &AiRules {
        &self.ai
    }

    /// Returns the number of bytes of a page that are read; METAs after them are reported as ignored.
    /// `None` if there is no limit.
    pub fn page_limit(&self) -> Option<u64> {
        self.page_limit
    }

    /// Adds ` (changed)` to the name if a built-in profile has that name and differs.
    fn marked_if_changed(mut self) -> Self {
        if let Ok(base) = self.name.parse::<Self>()
            && base != self
        {
            self.name.push_str(" (changed)");
        }
        self
    }

    /// Replaces the robots. If there are none, the profile has the robot `*`.
    #[must_use]
    pub fn with_robots(mut self, robots: impl IntoIterator<Item = Robot>) -> Self {
        self.robots = robots.into_iter().collect();
        if self.robots.is_empty() {
            self.robots.push(Robot::new("*"));
        }
        self.marked_if_changed()
    }
}

impl fmt::Display for Profile {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

impl Default for Profile {
    /// Returns [`Profile::neutral`].
    fn default() -> Self {
        Self::neutral()
    }
}
