//! The robots of an engine, and the names that they answer to.

use robots_txt::Agent;

/// A robot: the names by which robots.txt, METAs and headers speak to it.
///
/// ```
/// use robots_policy::profile::Robot;
///
/// let robot = Robot::new("ExampleBot-Images").or("ExampleBot").answering_to(["examplebot"]);
/// assert_eq!(robot.names(), ["robots", "ExampleBot-Images", "examplebot"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Robot {
    agent: Agent<'static>,
    names: Vec<String>,
}

impl Robot {
    /// The robot of this product token: in robots.txt it obeys the groups that
    /// [`Agent::known`] says, and METAs and headers speak to it as `robots` and by its token. `*` is a
    /// robot that nobody names.
    ///
    /// What follows the token is cut off (`ExampleBot/1.0` is `ExampleBot`); of what begins with no
    /// token, nothing is left but `*`.
    pub fn new(token: &str) -> Self {
        let token = match robots_txt::select::product_token(token.trim()) {
            "" => "*",
            token => token,
        };
        let mut names = vec!["robots".to_owned()];
        if token != "*" {
            names.push(token.to_owned());
        }
        Self {
            agent: Agent::known(token.to_owned()),
            names,
        }
    }

    /// A robot that obeys the groups of another name where none of the names before has one.
    #[must_use]
    pub fn or(mut self, token: &str) -> Self {
        self.agent = self.agent.or(token.to_owned());
        self
    }

    /// A robot to which the groups of `*` do not speak.
    #[must_use]
    pub fn without_star(mut self) -> Self {
        self.agent = self.agent.without_star();
        self
    }

    /// A robot to which METAs and headers speak by these names too.
    #[must_use]
    pub fn answering_to(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// A robot to which METAs and headers speak by these names alone.
    #[must_use]
    pub fn answering_only_to(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names = names.into_iter().map(Into::into).collect();
        self
    }

    /// A robot that obeys the groups that this agent obeys, and goes by its name in robots.txt: for
    /// one that does as nobody knows of it.
    ///
    /// ```
    /// use robots_policy::profile::Robot;
    /// use robots_policy::robots_txt::Agent;
    ///
    /// // Its own groups and those of `*`, and not those of Googlebot.
    /// let robot = Robot::new("Applebot").obeying(Agent::new("Applebot"));
    /// assert_eq!(robot.agent().names().count(), 1);
    /// ```
    #[must_use]
    pub fn obeying(mut self, agent: Agent<'static>) -> Self {
        self.agent = agent;
        self
    }

    /// Its product token.
    pub fn name(&self) -> &str {
        self.agent.name()
    }

    /// The groups of robots.txt that it obeys.
    pub fn agent(&self) -> &Agent<'static> {
        &self.agent
    }

    /// The names of METAs and header prefixes that speak to it, ASCII case ignored. The first is
    /// that of every robot, by rule: `robots`.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}
