//! The table of known robots: operator, purposes, and the groups of robots.txt that apply to each.
//!
//! A TOML file becomes an [`AgentTable`] of [`KnownAgent`]s. The built-in one is `agents.toml`, which
//! describes its keys; [`AgentTable::from_toml`] reads another. The robots of the built-in
//! profiles and the fallbacks of [`Agent::known`] are generated from `agents.toml`
//! (`tests/tests/together/agents.rs`).

use super::ai::Uses;
use crate::answer::answers;
use crate::text::{UnknownName, nearest};
use robots_txt::Agent;
use robots_txt::select::product_token;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::iter;
use std::str::FromStr;
use std::sync::LazyLock;
use thiserror::Error;

/// The version of the file format.
const VERSION: u32 = 1;

static BUILT_IN: LazyLock<AgentTable> = LazyLock::new(|| {
    // Valid: a test reads it.
    AgentTable::from_toml(include_str!("../../agents.toml")).unwrap_or_default()
});

answers! {
    /// A purpose that a robot fetches for.
    Purpose {
        /// The index of a search engine.
        Search = "search",
        /// Advertisements.
        Ads = "ads",
        /// The training of AI models, or control over it.
        AiTrain = "ai-train",
        /// Answers by AI: their index, or pages to answer from.
        AiSearch = "ai-search",
        /// The request of a person.
        User = "user",
        /// Previews of links.
        Preview = "preview",
        /// Archives of the web.
        Archive = "archive",
        /// Collections of data.
        Dataset = "dataset",
        /// Tools for search engine optimisation.
        Seo = "seo",
        /// Checks of sites.
        Monitoring = "monitoring",
        /// Shops and products.
        Commerce = "commerce",
        /// Feeds and notifications.
        Feed = "feed",
    }
}

impl FromStr for Purpose {
    type Err = UnknownName;

    /// Returns the purpose of this name.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.iter().copied();
        all.find(|purpose| purpose.name() == name)
            .ok_or_else(|| UnknownName::new("purpose", name, Self::NAMES.iter().copied()))
    }
}

answers! {
    /// A vendor's statement on whether its robot obeys robots.txt.
    Obeys {
        /// It obeys.
        Yes = "yes",
        /// It does not obey.
        No = "no",
        /// It obeys in part: not if a person requests the page, for instance.
        Partly = "partly",
        /// The vendor does not document it.
        Unknown = "unknown",
    }
}

answers! {
    /// The quality of the source of an entry.
    Basis {
        /// The vendor's documentation or source code.
        Primary = "primary",
        /// Copies of the vendor's documentation, or reports about it.
        Secondary = "secondary",
        /// A public list of robots.
        List = "list",
        /// Not verified.
        Memory = "memory",
    }
}

/// A robot of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct KnownAgent {
    /// The product token.
    pub token: String,
    /// The company or person that runs the robot.
    pub operator: String,
    /// The name of the built-in profile that the robot is in.
    pub profile: Option<String>,
    /// The purposes that it fetches for.
    pub purposes: Vec<Purpose>,
    /// The vendor's statement on whether it obeys robots.txt.
    pub obeys: Obeys,
    /// Its other product tokens, such as a short or a former name. It obeys their groups if its token has none, in order.
    #[serde(default)]
    pub other_tokens: Vec<String>,
    /// Tokens of other robots whose groups it obeys if it has none of its own, in order.
    #[serde(default)]
    pub or: Vec<String>,
    /// Whether the groups of `*` apply to it.
    #[serde(default = "yes")]
    pub obeys_star: bool,
    /// The documented names of METAs and header prefixes that apply to it, except `robots`.
    #[serde(default)]
    pub meta_names: Vec<String>,
    /// The documented names of METAs and header prefixes without effect on it, although they name it or
    /// every robot.
    #[serde(default)]
    pub meta_ignored: Vec<String>,
    /// Whether it requests pages; if not, it is a token for the use of content.
    #[serde(default = "yes")]
    pub crawls: bool,
    /// Whether it honours `Crawl-delay`, if that is known.
    pub crawl_delay: Option<bool>,
    /// Texts in its `User-Agent` header that identify it, if the token does not.
    #[serde(default)]
    pub names: Vec<String>,
    /// Domains of the reverse DNS names of its addresses.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// The URLs of the lists of its addresses that its operator publishes.
    #[serde(default)]
    pub ranges: Vec<String>,
    /// The address of the operator for questions about the robot, if it is documented.
    pub contact: Option<String>,
    /// A description, in one sentence.
    #[serde(default)]
    pub about: String,
    /// The URL of the vendor's documentation, or of the list that has the robot.
    pub source: Option<String>,
    /// The quality of the source.
    pub basis: Basis,
    /// The day on which the source was read, as `YYYY-MM-DD`.
    pub read: Option<String>,
}

fn yes() -> bool {
    true
}

impl KnownAgent {
    /// Returns whether the robot has one of these purposes.
    pub fn has_purpose(&self, purposes: &[Purpose]) -> bool {
        self.purposes
            .iter()
            .any(|purpose| purposes.contains(purpose))
    }

    /// Returns the names of its purposes.
    pub fn purpose_names(&self) -> Vec<&'static str> {
        let purposes = self.purposes.iter();
        purposes.map(|purpose| purpose.name()).collect()
    }

    /// Returns its product tokens.
    pub fn tokens(&self) -> impl Iterator<Item = &str> {
        let tokens = iter::once(&self.token).chain(&self.other_tokens);
        tokens.map(String::as_str)
    }

    /// Returns the names whose groups it obeys, in order: the first that a file has.
    pub fn groups(&self) -> impl Iterator<Item = &str> {
        let others = self.or.iter().map(String::as_str);
        let star = self.obeys_star.then_some("*");
        self.tokens().chain(others).chain(star)
    }

    /// Returns the robot with its fallback names and its use of `*`.
    pub fn agent(&self) -> Agent<'_> {
        self.agent_named(&self.token)
    }

    /// Returns the robot under one of its tokens, with its fallback names and its use of `*`.
    pub fn agent_named<'a>(&'a self, token: &'a str) -> Agent<'a> {
        let others = self.tokens().filter(|other| *other != token);
        let others = others.chain(self.or.iter().map(String::as_str));
        let agent = others.fold(Agent::new(token), Agent::or);
        if self.obeys_star {
            agent
        } else {
            agent.without_star()
        }
    }

    /// Returns the uses by AI that it fetches for, or that it controls as a token. Models are trained on collections of data,
    /// too (`docs/semantics.md`, section 8.6).
    pub fn uses(&self) -> Uses {
        let mut uses = Uses::empty();
        uses.set(
            Uses::TRAIN,
            self.has_purpose(&[Purpose::AiTrain, Purpose::Dataset]),
        );
        uses.set(Uses::INPUT, self.has_purpose(&[Purpose::AiSearch]));
        uses
    }

    /// Returns whether it is an AI robot: whether it has [`uses`](Self::uses).
    pub fn is_ai(&self) -> bool {
        !self.uses().is_empty()
    }

    /// Returns whether it collects pages to train models, for its operator or for others, or is a token that controls that.
    pub fn trains(&self) -> bool {
        self.uses().contains(Uses::TRAIN)
    }

    /// Returns whether several operators share it: it is a token that no single one has.
    pub fn is_shared(&self) -> bool {
        self.operator == "any"
    }

    /// Returns whether its facts come from its vendor, directly or through copies and reports. Profiles and audits rely on no other robots.
    pub fn is_sourced(&self) -> bool {
        matches!(self.basis, Basis::Primary | Basis::Secondary)
    }

    /// Returns the texts in its `User-Agent` header that identify it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let tokens = self.tokens().filter(|_| self.names.is_empty());
        self.names.iter().map(String::as_str).chain(tokens)
    }
}

/// The known robots.
///
/// ```
/// use robots_policy::profile::AgentTable;
///
/// let applebot = AgentTable::built_in().get("applebot").unwrap();
/// assert_eq!(applebot.operator, "Apple");
/// assert_eq!(applebot.agent().names().collect::<Vec<_>>(), ["Applebot", "Googlebot"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct AgentTable {
    date: String,
    agents: Vec<KnownAgent>,
    /// The index in `agents` of each token in lower case.
    indexes: HashMap<String, usize>,
    left_out: Vec<LeftOut>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    version: u32,
    date: String,
    agent: Vec<KnownAgent>,
    #[serde(default)]
    left_out: Vec<LeftOut>,
}

/// Tokens of public lists that the table leaves out.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct LeftOut {
    reason: String,
    tokens: Vec<String>,
}

impl AgentTable {
    /// Returns the built-in table.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table in the format of the built-in one.
    ///
    /// # Errors
    ///
    /// If the text is not valid TOML, has unknown keys or another version, names a robot twice, or
    /// has an invalid token.
    pub fn from_toml(text: &str) -> Result<Self, AgentTableError> {
        let file: File = toml::from_str(text).map_err(|source| AgentTableError {
            message: "not a table of robots".to_owned(),
            source: Some(Box::new(source)),
        })?;
        let error = |message: String| AgentTableError {
            message,
            source: None,
        };
        if file.version != VERSION {
            return Err(error(format!(
                "unknown version {} of the table of robots: expected {VERSION}",
                file.version
            )));
        }
        let mut indexes = HashMap::with_capacity(file.agent.len());
        for (index, agent) in file.agent.iter().enumerate() {
            for token in agent.tokens() {
                if token.is_empty() || product_token(token) != token {
                    return Err(error(format!("invalid product token {token:?}")));
                }
                if indexes.insert(token.to_ascii_lowercase(), index).is_some() {
                    return Err(error(format!("robot {token} occurs twice")));
                }
            }
        }
        Ok(Self {
            date: file.date,
            agents: file.agent,
            indexes,
            left_out: file.left_out,
        })
    }

    /// Returns the day on which the table was up to date, as `YYYY-MM-DD`. It is not validated.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// Returns the robots, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &KnownAgent> {
        self.agents.iter()
    }

    /// Returns the documented names of METAs and header prefixes for robots, each once, `robots`
    /// first.
    pub fn meta_names(&self) -> Vec<&str> {
        let mut names = vec!["robots"];
        for name in self.agents.iter().flat_map(|agent| &agent.meta_names) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names
    }

    /// Returns the robot with this token; ASCII case is ignored.
    pub fn get(&self, token: &str) -> Option<&KnownAgent> {
        let index = *self.indexes.get(&token.to_ascii_lowercase())?;
        self.agents.get(index)
    }

    /// Returns the robot that a `User-Agent` header identifies. If the header has the
    /// [`texts`](KnownAgent::texts) of several robots, the longest text counts. ASCII case is ignored.
    /// Linear in the header for each robot of the table.
    ///
    /// ```
    /// use robots_policy::profile::AgentTable;
    ///
    /// let header = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
    /// assert_eq!(AgentTable::built_in().of_header(header).unwrap().token, "bingbot");
    /// ```
    pub fn of_header(&self, header: &str) -> Option<&KnownAgent> {
        let header = header.to_ascii_lowercase();
        let lengths = self
            .agents
            .iter()
            // A token that only controls the use of content sends no requests.
            .filter(|agent| agent.crawls)
            .filter_map(|agent| {
                let texts = agent.texts().filter(|text| {
                    let text = text.to_ascii_lowercase();
                    has_word(&header, &text)
                });
                Some((texts.map(str::len).max()?, agent))
            });
        // The first of equal lengths counts.
        lengths
            .reduce(|one, two| if two.0 > one.0 { two } else { one })
            .map(|(_, agent)| agent)
    }

    /// Returns the robots of a name: the robot with this product token, or else all robots of the operator with this name,
    /// or else the robot that this `User-Agent` header identifies. ASCII case is ignored.
    ///
    /// ```
    /// use robots_policy::profile::AgentTable;
    ///
    /// let table = AgentTable::built_in();
    /// assert_eq!(table.named("gptbot")[0].token, "GPTBot");
    /// assert!(table.named("OpenAI").len() > 1);
    /// assert!(table.named("Nobody").is_empty());
    /// ```
    pub fn named(&self, name: &str) -> Vec<&KnownAgent> {
        if let Some(agent) = self.get(name) {
            return vec![agent];
        }
        let by_operator: Vec<_> = self.of_operator(name).collect();
        if by_operator.is_empty() {
            self.of_header(name).into_iter().collect()
        } else {
            by_operator
        }
    }

    /// Returns the robots of an operator, in the order of the file; ASCII case is ignored.
    pub fn of_operator(&self, operator: &str) -> impl Iterator<Item = &KnownAgent> {
        self.iter()
            .filter(move |agent| agent.operator.eq_ignore_ascii_case(operator))
    }

    /// Returns the end of a message about an unknown name: why the table leaves it out, or else what was probably meant, if anything.
    pub fn hint(&self, name: &str) -> Option<String> {
        let is_token = |token: &String| token.eq_ignore_ascii_case(name);
        let mut left_out = self.left_out.iter();
        if let Some(found) = left_out.find(|found| found.tokens.iter().any(is_token)) {
            return Some(format!(": the table leaves it out, as {}", found.reason));
        }
        let near = self.near(name);
        (!near.is_empty()).then(|| format!("; did you mean {}?", near.join(", ")))
    }

    /// Returns what was probably meant by an unknown name: up to five robots with the name in theirs, or else the robot or
    /// operator with the nearest name.
    pub fn near(&self, name: &str) -> Vec<&str> {
        let lower = name.to_ascii_lowercase();
        let tokens = || self.iter().map(|agent| agent.token.as_str());
        let has_name = |token: &&str| token.to_ascii_lowercase().contains(&lower);
        let near: Vec<&str> = tokens().filter(has_name).take(5).collect();
        if !near.is_empty() {
            return near;
        }
        let operators = self.iter().map(|agent| agent.operator.as_str());
        nearest(name, tokens().chain(operators))
            .into_iter()
            .collect()
    }

    /// Returns the robot of this token with its fallback names and its use of `*`. For a token that
    /// is not in the table, returns [`Agent::known`].
    pub fn agent(&self, token: &str) -> Agent<'static> {
        match self.get(token) {
            Some(known) => {
                let mut tokens = known.tokens();
                let token = tokens.find(|known| known.eq_ignore_ascii_case(token));
                known
                    .agent_named(token.unwrap_or(&known.token))
                    .into_owned()
            }
            None => Agent::known(token.to_owned()),
        }
    }
}

/// Returns whether a text contains a word that is not a part of a longer token.
fn has_word(text: &str, word: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !word.is_empty() && !before.ends_with(is_token) && !after.starts_with(is_token)
    })
}

/// An invalid table of robots.
#[derive(Debug, Error)]
#[error("{message}")]
pub struct AgentTableError {
    message: String,
    source: Option<Box<toml::de::Error>>,
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use crate::Profile;
    use std::error::Error as _;

    #[test]
    fn the_built_in_table_can_be_read() {
        let table = AgentTable::from_toml(include_str!("../../agents.toml")).unwrap();
        // A part of the file would have fewer robots.
        assert!(table.iter().len() > 90);
        for agent in table.iter() {
            assert!(
                !agent.purposes.is_empty() && !agent.about.is_empty(),
                "{agent:?}"
            );
            assert_eq!(
                agent.read.is_none(),
                agent.basis == Basis::Memory,
                "{agent:?}"
            );
            for other in &agent.or {
                assert!(table.get(other).is_some(), "{agent:?}");
            }
            assert!(
                agent.source.is_some() || agent.basis != Basis::List,
                "{agent:?}"
            );
        }
        let left_out = table.left_out.iter().flat_map(|entry| &entry.tokens);
        for token in left_out {
            assert!(table.get(token).is_none(), "{token}");
        }
    }

    /// An entry without any source is an exception.
    #[test]
    fn almost_every_entry_has_a_source() {
        let of = |basis| {
            let robots = AgentTable::built_in().iter();
            robots.filter(|robot| robot.basis == basis).count()
        };
        let unverified = of(Basis::Memory);
        assert!(unverified <= 10, "{unverified}");
        // More is known from operators than from lists of others.
        assert!(of(Basis::Primary) + of(Basis::Secondary) > of(Basis::List));
    }

    #[test]
    fn the_libraries_agree_on_fallbacks() {
        for known in AgentTable::built_in().iter() {
            for token in known.tokens() {
                assert_eq!(known.agent_named(token), Agent::known(token.to_owned()));
            }
        }
    }

    #[test]
    fn the_robots_of_profiles_are_in_the_table() {
        let table = AgentTable::built_in();
        for profile in Profile::all() {
            for robot in profile.robots() {
                if robot.name() == "*" {
                    continue;
                }
                assert!(table.get(robot.name()).is_some(), "{}", robot.name());
            }
            for usage in profile.ai().tokens() {
                let known = table.get(usage.token()).unwrap();
                assert!(known.is_ai(), "{known:?}");
                assert_eq!(usage.obeys_star, known.obeys_star, "{known:?}");
            }
        }
    }

    #[test]
    fn robots_that_serve_ai_are_ai_robots() {
        let table = AgentTable::built_in();
        for (token, is_ai, trains) in [
            ("GPTBot", true, true),
            ("OAI-SearchBot", true, false),
            ("Google-Extended", true, true),
            // Models are trained on what they collect.
            ("CCBot", true, true),
            ("omgili", true, true),
            ("Googlebot", false, false),
            ("archive.org_bot", false, false),
            ("Diffbot", false, false),
        ] {
            let robot = table.get(token).unwrap();
            assert_eq!((robot.is_ai(), robot.trains()), (is_ai, trains), "{token}");
            if robot.is_sourced() {
                assert_eq!(robot.uses(), crate::profile::Robot::new(token).uses());
            }
        }
    }

    #[test]
    fn the_tokens_of_one_robot_are_one_entry() {
        let table = AgentTable::built_in();
        for (token, other) in [
            ("YandexAdditionalBot", "yandexadditional"),
            ("ChatGPT-User", "ChatGPT"),
            ("omgili", "omgilibot"),
            ("Google-GeminiNotebook", "Google-NotebookLM"),
            ("Yeti", "NaverBot"),
        ] {
            assert_eq!(table.get(other).unwrap().token, token);
            assert_eq!(table.named(other), table.named(token));
            // A group for either is one for the robot.
            let agent = table.agent(other);
            assert!(agent.names().any(|name| name == token), "{agent:?}");
        }
        assert_eq!(
            table.of_header("omgilibot/0.3").unwrap().token,
            table.of_header("omgili/0.5").unwrap().token
        );
    }

    #[test]
    fn meta_names_are_listed_once() {
        let names = AgentTable::built_in().meta_names();
        assert!(names.starts_with(&["robots", "googlebot", "googlebot-news"]));
        assert!(!names.contains(&"googlebot-image"));
        assert!(names.contains(&"duckduckbot"));
    }

    #[test]
    fn a_whole_word_in_a_header_identifies_a_robot() {
        let of = |header: &str| {
            AgentTable::built_in()
                .of_header(header)
                .map(|known| &*known.token)
        };
        assert_eq!(
            of("Mozilla/5.0 (compatible; Googlebot/2.1)"),
            Some("Googlebot")
        );
        assert_eq!(of("Googlebot-Image/1.0"), Some("Googlebot-Image"));
        assert_eq!(of("compatible; NotGooglebot/1.0"), None);
        assert_eq!(of("Yetizen"), None);
        assert_eq!(of(""), None);
    }

    #[test]
    fn errors_name_the_cause() {
        let error = |text: &str| AgentTable::from_toml(text).unwrap_err().to_string();
        let one = "[[agent]]\ntoken = \"a\"\noperator = \"o\"\npurposes = []\nobeys = \"no\"\nbasis = \"memory\"\n";
        let head = "version = 1\ndate = \"2026-01-01\"\n";
        assert!(AgentTable::from_toml(&format!("{head}{one}")).is_ok());
        assert_eq!(error(&format!("{head}{one}{one}")), "robot a occurs twice");
        assert_eq!(
            error(&format!("{head}{}", one.replace("\"a\"", "\"a b\""))),
            "invalid product token \"a b\""
        );
        assert_eq!(
            error(&format!("{}{one}", head.replace('1', "2"))),
            "unknown version 2 of the table of robots: expected 1"
        );
        let error = AgentTable::from_toml(&format!("{head}{one}love = 1\n")).unwrap_err();
        assert!(error.source().unwrap().to_string().contains("love"));
    }
}
