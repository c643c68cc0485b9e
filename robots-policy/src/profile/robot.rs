//! Robots: the names in robots.txt, METAs and headers that apply to them.

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
pub struct Robot {
    agent: Agent<'static>,
    meta_names: Vec<String>,
}

impl Robot {
    /// Returns the robot of a product token. In robots.txt it obeys the groups of [`Agent::known`];
    /// METAs and headers apply to it if they name `robots` or its token. `*` is a robot that no group
    /// names.
    ///
    /// Text after the token is cut (`ExampleBot/1.0` becomes `ExampleBot`). A name that does not begin
    /// with a token becomes `*`.
    pub fn new(token: &str) -> Self {
        let token = match robots_txt::select::product_token(token.trim()) {
            "" => "*",
            token => token,
        };
        let mut meta_names = vec!["robots".to_owned()];
        if token != "*" {
            meta_names.push(token.to_owned());
        }
        Self {
            agent: Agent::known(token.to_owned()),
            meta_names,
        }
    }

    /// Adds a name whose groups the robot obeys if its earlier names have none.
    #[must_use]
    pub fn or(mut self, token: &str) -> Self {
        self.agent = self.agent.or(token.to_owned());
        self
    }

    /// Makes the groups of `*` not apply to the robot.
    #[must_use]
    pub fn without_star(mut self) -> Self {
        self.agent = self.agent.without_star();
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

    /// Replaces the robot's name, fallbacks and use of `*` in robots.txt, such as those of
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
}
