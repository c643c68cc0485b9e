//! Robots: the names in robots.txt, METAs and headers that apply to them.

use super::ai::Uses;
use super::known;
use robots_txt::Agent;

/// A robot: the names in robots.txt, METAs and headers that apply to it.
///
/// ```
/// use robots_policy::profile::Robot;
///
/// let robot = Robot::new("ExampleBot-Images").or("ExampleBot").with_other_meta_names(["examplebot"]);
/// assert_eq!(robot.meta_names(), ["robots", "ExampleBot-Images", "examplebot"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "toml",
    serde(from = "super::file::RobotFile", into = "super::file::RobotFile")
)]
pub struct Robot {
    agent: Agent<'static>,
    meta_names: Vec<String>,
    ignored_meta_names: Vec<String>,
    uses: Uses,
    fetches: bool,
}

impl Robot {
    /// Returns the robot of a product token. In robots.txt it obeys the groups that its vendor documents
    /// ([`Agent::known`]); METAs and headers apply to it if they name `robots` or its token. `*` is a robot that no
    /// group names.
    ///
    /// Text after the token is cut (`ExampleBot/1.0` becomes `ExampleBot`). A name that does not begin
    /// with a token becomes `*`. [`uses`](Self::uses) and [`fetches`](Self::fetches) are those of the robot's entry in
    /// the table of known robots, if that entry was verified with a source. Otherwise, the robot
    /// fetches pages, and no use by AI is known.
    pub fn new(token: &str) -> Self {
        let token = match robots_txt::select::product_token(token.trim()) {
            "" => "*",
            token => token,
        };
        let mut meta_names = vec!["robots".to_owned()];
        if token != "*" {
            meta_names.push(token.to_owned());
        }
        let known = known::USES
            .iter()
            .find(|known| known.token.eq_ignore_ascii_case(token));
        Self {
            agent: Agent::known(token.to_owned()),
            meta_names,
            ignored_meta_names: Vec::new(),
            uses: known.map_or(Uses::empty(), |known| known.uses),
            fetches: known.is_none_or(|known| known.fetches),
        }
    }

    /// Adds a name whose groups the robot obeys if its earlier names have none.
    #[must_use]
    pub fn or(mut self, token: &str) -> Self {
        self.agent = self.agent.or(token.to_owned());
        self
    }

    /// Adds names of METAs and header prefixes that apply to the robot.
    #[must_use]
    pub fn with_other_meta_names(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.meta_names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Replaces the names of METAs and header prefixes that apply to the robot, `robots` included.
    #[must_use]
    pub fn with_meta_names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.meta_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// Adds names of METAs and header prefixes that have no effect on the robot, even if they are its token or `robots`.
    /// Directives under these names are reported as ignored.
    ///
    /// ```
    /// use robots_policy::profile::Robot;
    ///
    /// let robot = Robot::new("ExampleBot-Ads").with_ignored_meta_names(["robots"]);
    /// assert_eq!(robot.meta_names(), ["ExampleBot-Ads"]);
    /// ```
    #[must_use]
    pub fn with_ignored_meta_names(
        mut self,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        for name in names.into_iter().map(Into::into) {
            self.meta_names
                .retain(|other| !other.eq_ignore_ascii_case(&name));
            self.ignored_meta_names.push(name);
        }
        self
    }

    /// Replaces the robot's name, its fallbacks and its use of `*` in robots.txt. By default they are those of
    /// [`Agent::known`].
    ///
    /// ```
    /// use robots_policy::profile::Robot;
    /// use robots_policy::robots_txt::Agent;
    ///
    /// // It obeys its own groups or those of `*`, not those of Googlebot.
    /// let robot = Robot::new("Applebot").with_agent(Agent::new("Applebot"));
    /// assert_eq!(robot.agent().names().count(), 1);
    /// ```
    #[must_use]
    pub fn with_agent(mut self, agent: Agent<'static>) -> Self {
        self.agent = agent;
        self
    }

    /// Returns the product token.
    pub fn name(&self) -> &str {
        self.agent.name()
    }

    /// Returns the robot as robots.txt names it: its name, fallbacks and use of `*`.
    pub fn agent(&self) -> &Agent<'static> {
        &self.agent
    }

    /// Returns the names of METAs and header prefixes that apply to the robot, in any ASCII case. By
    /// default, the first is the name for every robot, `robots`.
    pub fn meta_names(&self) -> &[String] {
        &self.meta_names
    }

    /// Returns the names of METAs and header prefixes that have no effect on the robot
    /// ([`with_ignored_meta_names`](Self::with_ignored_meta_names)).
    pub fn ignored_meta_names(&self) -> &[String] {
        &self.ignored_meta_names
    }

    /// Returns the uses of content by AI that the robot fetches pages for, or that its token controls. If
    /// robots.txt forbids a page to the robot, it forbids these uses of the page.
    pub fn uses(&self) -> Uses {
        self.uses
    }

    /// Returns whether the robot requests pages. `Google-Extended` does not: it is a token for the use of
    /// pages that other robots fetch.
    pub fn fetches(&self) -> bool {
        self.fetches
    }
}
