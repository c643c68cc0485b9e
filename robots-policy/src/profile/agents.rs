//! The table of known robots: who runs them, what for, and whose groups they obey.
//!
//! A TOML file becomes an [`AgentTable`] of [`KnownAgent`]s. One comes with the crate
//! (`agents.toml`, whose head describes the keys); another takes its place with
//! [`AgentTable::from_toml`]. The robots of the built-in profiles and the chains of
//! [`Agent::known`] are in it as they are there: a test holds them together.

use robots_txt::Agent;
use robots_txt::select::product_token;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::LazyLock;

/// The version of the form of such files.
const VERSION: u32 = 1;

static BUILT_IN: LazyLock<AgentTable> = LazyLock::new(|| {
    // A test reads it: it cannot be wrong.
    AgentTable::from_toml(include_str!("../../agents.toml")).unwrap_or_default()
});

/// What a robot fetches for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Purpose {
    /// The index of a search engine.
    Search,
    /// Advertisements.
    Ads,
    /// The training of AI models, or control of it.
    AiTrain,
    /// Answers of AI: their index, or pages to answer from.
    AiSearch,
    /// A person who asks.
    User,
    /// Previews of links.
    Preview,
    /// Copies of the web for later.
    Archive,
    /// Collections of data.
    Dataset,
    /// Tools of search engine optimisation.
    Seo,
    /// Checks of sites.
    Monitoring,
    /// Shops and products.
    Commerce,
    /// Feeds and notifications.
    Feed,
}

impl Purpose {
    /// Every purpose.
    pub const ALL: &[Self] = &[
        Self::Search,
        Self::Ads,
        Self::AiTrain,
        Self::AiSearch,
        Self::User,
        Self::Preview,
        Self::Archive,
        Self::Dataset,
        Self::Seo,
        Self::Monitoring,
        Self::Commerce,
        Self::Feed,
    ];

    /// Its name in the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Ads => "ads",
            Self::AiTrain => "ai-train",
            Self::AiSearch => "ai-search",
            Self::User => "user",
            Self::Preview => "preview",
            Self::Archive => "archive",
            Self::Dataset => "dataset",
            Self::Seo => "seo",
            Self::Monitoring => "monitoring",
            Self::Commerce => "commerce",
            Self::Feed => "feed",
        }
    }
}

/// Whether a robot obeys robots.txt, as its makers say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Obeys {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// In part: not where a person asks, for instance.
    Partly,
    /// Its makers do not say.
    Unknown,
}

impl fmt::Display for Obeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Partly => "partly",
            Self::Unknown => "unknown",
        })
    }
}

/// How well an entry is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Basis {
    /// Read in its makers' documentation or source.
    Primary,
    /// Read in copies of it, or reports.
    Secondary,
    /// Known, and not verified.
    Memory,
}

/// A robot of the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub struct KnownAgent {
    /// Its product token.
    pub token: String,
    /// Who runs it.
    pub operator: String,
    /// What it fetches for.
    pub purposes: Vec<Purpose>,
    /// Whether it obeys robots.txt.
    pub obeys: Obeys,
    /// Tokens whose groups it obeys where it has none of its own, in order.
    #[serde(default)]
    pub or: Vec<String>,
    /// Whether the groups of `*` speak to it.
    #[serde(default = "yes")]
    pub takes_star: bool,
    /// Whether it asks for pages; else it is a token for the use of content.
    #[serde(default = "yes")]
    pub crawls: bool,
    /// Whether it honours `Crawl-delay`, if that is known.
    #[serde(default)]
    pub crawl_delay: Option<bool>,
    /// Texts that its `User-Agent` header has, where that is not the token.
    #[serde(default)]
    pub names: Vec<String>,
    /// Domains of the reverse DNS names of its addresses.
    #[serde(default)]
    pub hosts: Vec<String>,
    /// What it does, in a sentence.
    #[serde(default)]
    pub about: String,
    /// Where its makers say so.
    #[serde(default)]
    pub source: Option<String>,
    /// How well the entry is founded.
    pub basis: Basis,
    /// The day on which the source was read.
    #[serde(default)]
    pub read: Option<String>,
}

fn yes() -> bool {
    true
}

impl KnownAgent {
    /// The robot, with whose groups it obeys.
    pub fn agent(&self) -> Agent<'static> {
        let agent = self
            .or
            .iter()
            .fold(Agent::new(self.token.clone()), |agent, other| {
                agent.or(other.clone())
            });
        if self.takes_star {
            agent
        } else {
            agent.without_star()
        }
    }

    /// Whether it fetches for AI.
    pub fn is_ai(&self) -> bool {
        let mut purposes = self.purposes.iter();
        purposes.any(|purpose| matches!(purpose, Purpose::AiTrain | Purpose::AiSearch))
    }

    /// Whether it collects for the training of models.
    pub fn trains(&self) -> bool {
        self.purposes.contains(&Purpose::AiTrain)
    }

    /// The texts by which its `User-Agent` header tells it.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let token = self.names.is_empty().then_some(&self.token);
        self.names.iter().chain(token).map(String::as_str)
    }
}

/// The known robots.
///
/// ```
/// use robots_policy::AgentTable;
///
/// let applebot = AgentTable::built_in().get("applebot").unwrap();
/// assert_eq!(applebot.operator, "Apple");
/// assert_eq!(applebot.agent().names().collect::<Vec<_>>(), ["Applebot", "Googlebot"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct AgentTable {
    date: String,
    agents: Vec<KnownAgent>,
    /// By token, in lower case.
    places: HashMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    date: String,
    agent: Vec<KnownAgent>,
}

impl AgentTable {
    /// The table that comes with the crate.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table of the same form.
    ///
    /// # Errors
    ///
    /// If the text is no TOML, has keys that are not known, is of another version, names a robot
    /// twice, or has a token that is none.
    pub fn from_toml(text: &str) -> Result<Self, AgentTableError> {
        let file: File = toml::from_str(text).map_err(|source| AgentTableError {
            message: "not a table of robots".to_owned(),
            source: Some(Box::new(source)),
        })?;
        let wrong = |message: String| AgentTableError {
            message,
            source: None,
        };
        if file.version != VERSION {
            return Err(wrong(format!(
                "version {} of the form is not known, which is {VERSION} here",
                file.version
            )));
        }
        let mut places = HashMap::with_capacity(file.agent.len());
        for (place, agent) in file.agent.iter().enumerate() {
            let token = &agent.token;
            if token.is_empty() || product_token(token) != token {
                return Err(wrong(format!("{token:?} is not a product token")));
            }
            if places.insert(token.to_ascii_lowercase(), place).is_some() {
                return Err(wrong(format!("{token} is there twice")));
            }
        }
        Ok(Self {
            date: file.date,
            agents: file.agent,
            places,
        })
    }

    /// The day of the table.
    pub fn date(&self) -> &str {
        &self.date
    }

    /// The robots, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &KnownAgent> {
        self.agents.iter()
    }

    /// The robots that ask for pages to train models on them.
    pub fn trainers(&self) -> impl Iterator<Item = &KnownAgent> {
        self.iter().filter(|agent| agent.trains() && agent.crawls)
    }

    /// The robot of this token; ASCII case is ignored.
    pub fn get(&self, token: &str) -> Option<&KnownAgent> {
        let place = *self.places.get(&token.to_ascii_lowercase())?;
        self.agents.get(place)
    }

    /// The robot that a `User-Agent` header tells: of several whose texts it has, that of the longest.
    /// ASCII case is ignored. Linear in the header for each robot of the table.
    ///
    /// ```
    /// use robots_policy::AgentTable;
    ///
    /// let header = "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)";
    /// assert_eq!(AgentTable::built_in().of_header(header).unwrap().token, "bingbot");
    /// ```
    pub fn of_header(&self, header: &str) -> Option<&KnownAgent> {
        let header = header.to_ascii_lowercase();
        let lengths = self
            .agents
            .iter()
            .filter(|agent| agent.crawls)
            .filter_map(|agent| {
                let texts = agent.texts().filter(|text| {
                    let text = text.to_ascii_lowercase();
                    has_word(&header, &text)
                });
                Some((texts.map(str::len).max()?, agent))
            });
        // Of equally long ones the first.
        lengths
            .reduce(|one, two| if two.0 > one.0 { two } else { one })
            .map(|(_, agent)| agent)
    }

    /// The robot of this token, with whose groups it obeys; one that is not in the table is as
    /// [`Agent::known`] says.
    pub fn agent(&self, token: &str) -> Agent<'static> {
        match self.get(token) {
            Some(known) => known.agent(),
            None => Agent::known(token.to_owned()),
        }
    }
}

/// Whether a text has a word: with nothing before it or behind that could be a part of a token.
fn has_word(text: &str, word: &str) -> bool {
    let is_token = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let behind = text.get(at.saturating_add(word.len())..);
        let behind = behind.and_then(|behind| behind.chars().next());
        !word.is_empty() && !before.is_some_and(is_token) && !behind.is_some_and(is_token)
    })
}

/// A file that is no table of robots.
#[derive(Debug)]
pub struct AgentTableError {
    message: String,
    source: Option<Box<toml::de::Error>>,
}

impl fmt::Display for AgentTableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for AgentTableError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use crate::Profile;

    #[test]
    fn the_built_in_table_can_be_read() {
        let table = AgentTable::from_toml(include_str!("../../agents.toml")).unwrap();
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
        }
    }

    #[test]
    fn chains_are_those_that_the_library_knows() {
        for known in AgentTable::built_in().iter() {
            assert_eq!(known.agent(), Agent::known(known.token.clone()));
        }
    }

    #[test]
    fn the_robots_and_tokens_of_the_profiles_are_in_it() {
        let table = AgentTable::built_in();
        for profile in Profile::all().filter(|profile| profile.name() != "http-archive") {
            for robot in profile.robots() {
                if robot.name() == "*" {
                    continue;
                }
                assert!(table.get(robot.name()).is_some(), "{}", robot.name());
            }
            for usage in profile.ai().tokens() {
                let known = table.get(usage.token()).unwrap();
                assert!(known.is_ai() || known.trains(), "{known:?}");
            }
        }
    }

    #[test]
    fn a_header_tells_a_robot_by_a_whole_word() {
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
    fn what_is_no_table_is_told() {
        let told = |text: &str| AgentTable::from_toml(text).unwrap_err().to_string();
        let one = "[[agent]]\ntoken = \"a\"\noperator = \"o\"\npurposes = []\nobeys = \"no\"\nbasis = \"memory\"\n";
        let head = "version = 1\ndate = \"2026-01-01\"\n";
        assert!(AgentTable::from_toml(&format!("{head}{one}")).is_ok());
        assert_eq!(told(&format!("{head}{one}{one}")), "a is there twice");
        assert_eq!(
            told(&format!("{head}{}", one.replace("\"a\"", "\"a b\""))),
            "\"a b\" is not a product token"
        );
        assert_eq!(
            told(&format!("{}{one}", head.replace('1', "2"))),
            "version 2 of the form is not known, which is 1 here"
        );
        let error = AgentTable::from_toml(&format!("{head}{one}love = 1\n")).unwrap_err();
        assert!(error.source().unwrap().to_string().contains("love"));
    }
}
