//! Robots: the names by which groups address a robot, in order.
//!
//! A robot obeys the group that names it. Some robots without a group obey that of another robot,
//! and some do not obey `*`. These chains are data (docs/semantics.md, sections 2.3 to 2.8, 8.2).

use crate::dialect::{AgentList, AgentMatch, Dialect, GroupChoice};
use crate::parse::text::{is_space, trim};
use crate::pattern::quoted::unquoted_name;
use crate::select::known::FALLBACKS;
use memchr::memmem;
use std::borrow::Cow;
use std::fmt;

/// A robot: its names, in the order in which groups are searched, and whether `*` applies to it.
///
/// ```
/// use robots_txt::{Agent, Dialect, RobotsTxt, Target};
///
/// let robots = RobotsTxt::parse(b"\
/// User-agent: Googlebot
/// Disallow: /x
///
/// User-agent: *
/// Disallow: /
/// ");
/// // Applebot obeys Googlebot's group where it has none of its own.
/// let rules = robots.rules(Agent::known("Applebot"), &Dialect::APPLE);
/// assert!(rules.verdict(&Target::new("/y")).is_allowed());
/// // By its name alone, it obeys the group of `*`.
/// let rules = robots.rules("Applebot", &Dialect::APPLE);
/// assert!(!rules.verdict(&Target::new("/y")).is_allowed());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Agent<'n> {
    name: Cow<'n, str>,
    others: Vec<Cow<'n, str>>,
    obeys_star: bool,
}

impl<'n> Agent<'n> {
    /// Returns a robot with one name, which obeys `*` if no group has its name.
    ///
    /// The name is a product token, such as `Googlebot`; `*` is a robot that no group names. A name
    /// that is not a token is compared as the dialect does: `Googlebot/2.1` is Googlebot under RFC
    /// 9309, but matches no line under google/robotstxt. To remove a version, call [`product_token`].
    pub fn new(name: impl Into<Cow<'n, str>>) -> Self {
        Self {
            name: name.into(),
            others: Vec::new(),
            obeys_star: true,
        }
    }

    /// Returns the robot of this name with the fallback names and the use of `*` that its vendor
    /// documents. A name that is not in the table results in [`new`](Self::new). ASCII case is
    /// ignored.
    ///
    /// The table is that of docs/semantics.md, section 8.2. Its sources were read on 2026-11-20 and
    /// 2026-11-22: the documentation of Google and Apple; for other vendors in part secondary sources.
    ///
    /// `*` does not apply to `Google-Extended` and `Applebot-Extended`, tokens for the use of content:
    /// an opt-out must name them. This is a decision of this project (section 2.3), which their vendors
    /// do not document.
    pub fn known(name: impl Into<Cow<'n, str>>) -> Self {
        let agent = Self::new(name);
        let token = product_token(&agent.name);
        if let Some(known) = FALLBACKS
            .iter()
            .find(|known| token.eq_ignore_ascii_case(known.token))
        {
            return Self {
                others: known.others.iter().map(|&name| name.into()).collect(),
                obeys_star: known.obeys_star,
                ..agent
            };
        }
        let begins_with = |name: &str| {
            token
                .get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name))
        };
        if begins_with(YANDEX) && token.len() > YANDEX.len() {
            agent.or(YANDEX)
        } else if begins_with(ADSBOT) {
            agent.without_star()
        } else {
            agent
        }
    }

    /// Returns a robot that obeys the groups of another name if none of its earlier names has one.
    #[must_use]
    pub fn or(mut self, name: impl Into<Cow<'n, str>>) -> Self {
        self.others.push(name.into());
        self
    }

    /// Returns a robot with its names, in the order in which groups are searched, and whether it obeys `*`; `None` without a name.
    pub fn of_names<N: Into<Cow<'n, str>>>(
        names: impl IntoIterator<Item = N>,
        obeys_star: bool,
    ) -> Option<Self> {
        let mut names = names.into_iter().map(Into::into);
        Some(Self {
            name: names.next()?,
            others: names.collect(),
            obeys_star,
        })
    }

    /// Returns the same robot with copies of its names.
    pub fn into_owned(self) -> Agent<'static> {
        let owned = |name: Cow<'n, str>| Cow::Owned(name.into_owned());
        Agent {
            name: owned(self.name),
            others: self.others.into_iter().map(owned).collect(),
            obeys_star: self.obeys_star,
        }
    }

    /// Returns the robot without `*`: groups of `*` do not apply to it.
    #[must_use]
    pub fn without_star(mut self) -> Self {
        self.obeys_star = false;
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the names, in the order in which groups are searched.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.name)
            .chain(self.others.iter())
            .map(AsRef::as_ref)
    }

    /// Returns whether the groups of `*` apply to the robot if none of its names has one.
    pub fn obeys_star(&self) -> bool {
        self.obeys_star
    }

    /// Returns the [`nearness`](Self::nearness) of a line for `*`: every name is nearer, except that `*` is as near as
    /// a name of one character where the longest name counts.
    pub(crate) fn nearness_of_star(&self, dialect: &Dialect) -> Nearness {
        match dialect.group_choice {
            GroupChoice::LongestName => Nearness::of_length(self.others.len(), 1),
            _ => Nearness {
                index: self.others.len() + 1,
                ..Nearness::NEAREST
            },
        }
    }

    /// Returns how near a `User-agent` line is to the robot, and the name in the value that is nearest.
    /// `None` if the line does not apply to the robot.
    pub(crate) fn nearness<'v>(
        &self,
        value: &'v [u8],
        dialect: &Dialect,
    ) -> Option<(Nearness, &'v [u8])> {
        // A shortcut where a line names one token: it cannot apply to the robot if its first character is
        // neither `*` nor the first letter of a name. A value that begins with white space is
        // read below, where it is trimmed. An empty name is compared below, too.
        if matches!(
            dialect.agent_match,
            AgentMatch::RfcToken | AgentMatch::Token | AgentMatch::LineTokenIsName
        ) && dialect.agent_list == AgentList::One
            && let [first, ..] = value
            && *first != b'*'
            && !is_space(*first)
            && !self
                .names()
                .any(|name| name.is_empty() || begins_with_letter(name, *first))
        {
            return None;
        }
        let how = dialect.agent_match;
        let mut nearest: Option<(Nearness, &[u8])> = None;
        for listed in names(value, dialect) {
            let nearness = if is_star(listed, how) {
                self.obeys_star.then(|| self.nearness_of_star(dialect))
            } else {
                let mut names = self.names();
                let index = names.position(|name| same_agent(listed, name, how));
                index.map(|index| match dialect.group_choice {
                    GroupChoice::LongestName => {
                        let key = key_of_line(listed, how).unwrap_or_default();
                        Nearness::of_length(index, characters(&key))
                    }
                    _ => Nearness {
                        index,
                        ..Nearness::NEAREST
                    },
                })
            };
            if let Some(nearness) = nearness
                && nearest.is_none_or(|(old, _)| nearness < old)
            {
                nearest = Some((nearness, listed));
            }
        }
        nearest
    }
}

/// How near a `User-agent` line is to a robot. The least is the nearest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Nearness {
    /// The index of the first of the robot's names that the line has; the number of its names for `*`.
    index: usize,
    /// The greater the shorter the name is, where the longest name counts; 0 elsewhere.
    shortness: usize,
}

impl Nearness {
    const NEAREST: Self = Self {
        index: 0,
        shortness: 0,
    };
    pub(crate) const FARTHEST: Self = Self {
        index: usize::MAX,
        shortness: usize::MAX,
    };

    /// Returns the nearness of a name with this number of characters, where the longest name counts.
    fn of_length(index: usize, characters: usize) -> Self {
        Self {
            index,
            shortness: usize::MAX - characters,
        }
    }
}

/// Returns the number of characters of a name in its compared form.
pub(crate) fn characters(key: &[u8]) -> usize {
    String::from_utf8_lossy(key).chars().count()
}

impl fmt::Display for Agent<'_> {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Dialect {
    /// Returns names of robots to which the value of a `User-agent` line applies, without `*`. The
    /// line may also apply to other robots. Under google/robotstxt, `Googlebot1` names `Googlebot`.
    ///
    /// ```
    /// use robots_txt::Dialect;
    ///
    /// let robots = |dialect: Dialect| dialect.named_robots(b"Googlebot1").collect::<Vec<_>>();
    /// assert_eq!(robots(Dialect::GOOGLE), ["Googlebot"]);
    /// assert_eq!(robots(Dialect::RFC9309), ["Googlebot1"]);
    /// ```
    pub fn named_robots<'v>(&self, value: &'v [u8]) -> impl Iterator<Item = Cow<'v, str>> {
        let how = self.agent_match;
        let robots = names(value, self)
            .filter(move |name| !is_star(name, how))
            .flat_map(move |name| {
                let is_end = |byte: &u8| *byte == b'/' || is_space(*byte);
                let (first, rest) = match how {
                    AgentMatch::RfcToken | AgentMatch::LineTokenIsName => {
                        (leading_token(name, is_rfc_token_byte), None)
                    }
                    AgentMatch::Token => (leading_token(name, is_lenient_token_byte), None),
                    // A robot's name is compared without its version, so it never contains a listed name
                    // with a slash or a space.
                    AgentMatch::LineInName if name.iter().any(is_end) => (&[][..], None),
                    AgentMatch::LineInName => (name, None),
                    AgentMatch::UnquotedLineInName | AgentMatch::LineInWords => (&[][..], None),
                    // The listed name contains each of its words.
                    AgentMatch::NameInLine => (&[][..], Some(name.split(is_end))),
                };
                let changed = match how {
                    AgentMatch::UnquotedLineInName => {
                        Some(unquoted_name(name)).filter(|name| !name.contains('/'))
                    }
                    AgentMatch::LineInWords => {
                        Some(String::from_utf8_lossy(name).replace('*', "").into())
                    }
                    _ => None,
                };
                let written = std::iter::once(first).chain(rest.into_iter().flatten());
                written.map(String::from_utf8_lossy).chain(changed)
            });
        robots.filter(|name| !name.is_empty())
    }
}

impl<'n> From<&'n str> for Agent<'n> {
    fn from(name: &'n str) -> Self {
        Self::new(name)
    }
}

impl<'n> From<&'n String> for Agent<'n> {
    fn from(name: &'n String) -> Self {
        Self::new(name.as_str())
    }
}

impl<'n> From<&'n Agent<'_>> for Agent<'n> {
    /// Returns the same robot, borrowed.
    fn from(agent: &'n Agent<'_>) -> Self {
        Self {
            name: Cow::Borrowed(&agent.name),
            others: agent
                .others
                .iter()
                .map(|name| Cow::Borrowed(name.as_ref()))
                .collect(),
            obeys_star: agent.obeys_star,
        }
    }
}

/// Every robot whose name begins with this and is longer obeys the groups of this name too
/// (docs/semantics.md, section 2.5).
const YANDEX: &str = "Yandex";

/// `*` does not apply to a robot whose name begins with this (docs/semantics.md, section 8.2).
const ADSBOT: &str = "AdsBot-Google";

/// Returns whether a text begins with this letter; ASCII case is ignored.
#[inline]
fn begins_with_letter(text: &str, letter: u8) -> bool {
    text.bytes()
        .next()
        .is_some_and(|first| first.eq_ignore_ascii_case(&letter))
}

/// Returns the product token that a name begins with: its first letters, digits, `-`, `_` and `.`.
/// Characters beyond ASCII count as letters; otherwise `jävla` and `jä` would be the same robot,
/// `j`.
///
/// ```
/// assert_eq!(robots_txt::select::product_token("Googlebot/2.1"), "Googlebot");
/// assert_eq!(robots_txt::select::product_token("MJ12bot (http://mj12bot.com/)"), "MJ12bot");
/// ```
pub fn product_token(name: &str) -> &str {
    let end = name
        .bytes()
        .position(|byte| !is_lenient_token_byte(byte))
        .unwrap_or(name.len());
    name.get(..end).unwrap_or(name)
}

/// Returns whether a byte may be in a product token of RFC 9309.
fn is_rfc_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_')
}

/// Returns whether a byte may be in a product token as [`AgentMatch::Token`] reads it.
fn is_lenient_token_byte(byte: u8) -> bool {
    is_rfc_token_byte(byte) || byte.is_ascii_digit() || byte == b'.' || !byte.is_ascii()
}

/// Returns the token that a name begins with; empty if there is none.
fn leading_token(name: &[u8], is_token_byte: fn(u8) -> bool) -> &[u8] {
    let end = name.iter().position(|&byte| !is_token_byte(byte));
    name.get(..end.unwrap_or(name.len())).unwrap_or(name)
}

/// Returns the names in the value of a `User-agent` line.
pub(crate) fn names<'v>(value: &'v [u8], dialect: &Dialect) -> impl Iterator<Item = &'v [u8]> {
    let list = dialect.agent_list;
    value
        .split(move |&byte| list == AgentList::Commas && byte == b',')
        .map(trim)
}

/// Returns whether a listed name is `*`. Where names are tokens, white space and any other text may
/// follow it (docs/semantics.md, section 2.2).
pub(crate) fn is_star(name: &[u8], how: AgentMatch) -> bool {
    match (name, how) {
        ([b'*'], _) => true,
        (_, AgentMatch::UnquotedLineInName) => unquoted_name(name) == "*",
        (_, AgentMatch::LineInName | AgentMatch::LineInWords | AgentMatch::NameInLine) => false,
        ([b'*', next, ..], _) => is_space(*next),
        _ => false,
    }
}

/// Returns whether a listed name and a robot's name match.
fn same_agent(listed: &[u8], name: &str, how: AgentMatch) -> bool {
    let name = name.as_bytes();
    // Tokens are compared where they stand: this is done for each line of a robot.
    match how {
        AgentMatch::RfcToken | AgentMatch::Token => {
            let tokens = token_of(listed, how).zip(token_of(name, how));
            return tokens.is_some_and(|(listed, name)| listed.eq_ignore_ascii_case(name));
        }
        AgentMatch::LineTokenIsName => {
            return leading_token(listed, is_rfc_token_byte).eq_ignore_ascii_case(name);
        }
        AgentMatch::LineInName
        | AgentMatch::UnquotedLineInName
        | AgentMatch::LineInWords
        | AgentMatch::NameInLine => {}
    }
    let keys = key_of_line(listed, how).zip(key_of_robot(name, how));
    keys.is_some_and(|(listed, name)| match how {
        AgentMatch::NameInLine => memmem::find(&listed, &name).is_some(),
        AgentMatch::LineInWords => is_in_words(&listed, &name),
        _ => memmem::find(&name, &listed).is_some(),
    })
}

/// Returns whether a name begins in a text, not within a word ([`AgentMatch::LineInWords`]). The cost is up to the product
/// of both lengths.
pub(crate) fn is_in_words(name: &[u8], text: &[u8]) -> bool {
    let begins_word = |at: usize| {
        let before = String::from_utf8_lossy(text.get(..at).unwrap_or_default());
        let last = before.chars().next_back();
        last.is_none_or(|last| !(last.is_alphanumeric() || matches!(last, '-' | '_')))
    };
    let mut starts = memchr::memchr_iter(name.first().copied().unwrap_or_default(), text);
    starts.any(|at| text[at..].starts_with(name) && begins_word(at))
}

/// Returns the token that a name begins with; `None` if there is none.
fn token_of(name: &[u8], how: AgentMatch) -> Option<&[u8]> {
    let is_token_byte = match how {
        AgentMatch::Token => is_lenient_token_byte,
        _ => is_rfc_token_byte,
    };
    Some(leading_token(name, is_token_byte)).filter(|token| !token.is_empty())
}

/// Returns a robot's name in lower case, without the version after it: "Figtree/0.9" is Figtree
/// (docs/semantics.md, sections 3.1, 3.4).
fn without_version(name: &[u8]) -> Vec<u8> {
    let end = name.iter().position(|&byte| byte == b'/' || is_space(byte));
    name.get(..end.unwrap_or(name.len()))
        .unwrap_or(name)
        .to_ascii_lowercase()
}

/// Returns a robot's name before its first slash, in lower case of Unicode (docs/semantics.md, section 3.5).
fn before_slash(name: &[u8]) -> String {
    let name = name.split(|&byte| byte == b'/').next().unwrap_or_default();
    String::from_utf8_lossy(name).to_lowercase()
}

/// Returns the part of a listed name that is compared, in lower case; `None` if it cannot match any
/// robot.
pub(crate) fn key_of_line(listed: &[u8], how: AgentMatch) -> Option<Vec<u8>> {
    match how {
        AgentMatch::RfcToken | AgentMatch::Token => {
            token_of(listed, how).map(<[u8]>::to_ascii_lowercase)
        }
        // An empty token matches a robot whose name is empty.
        AgentMatch::LineTokenIsName => {
            Some(leading_token(listed, is_rfc_token_byte).to_ascii_lowercase())
        }
        AgentMatch::LineInName | AgentMatch::NameInLine => Some(listed.to_ascii_lowercase()),
        AgentMatch::UnquotedLineInName => Some(unquoted_name(listed).to_lowercase().into_bytes()),
        AgentMatch::LineInWords => {
            let name = String::from_utf8_lossy(listed).replace('*', "");
            Some(name.to_lowercase().into_bytes()).filter(|name| !name.is_empty())
        }
    }
}

/// Returns the part of a robot's name that is compared with [`key_of_line`]; `None` if no line can
/// name the robot. The names match if the two parts are equal, or if one contains the other, as
/// [`AgentMatch`] says.
pub(crate) fn key_of_robot(name: &[u8], how: AgentMatch) -> Option<Vec<u8>> {
    match how {
        AgentMatch::RfcToken | AgentMatch::Token => key_of_line(name, how),
        AgentMatch::LineTokenIsName => Some(name.to_ascii_lowercase()),
        AgentMatch::LineInName => Some(without_version(name)),
        AgentMatch::UnquotedLineInName => Some(before_slash(name).into_bytes()),
        AgentMatch::LineInWords => {
            let name = String::from_utf8_lossy(trim(name)).to_lowercase();
            Some(name.into_bytes())
        }
        AgentMatch::NameInLine => {
            Some(without_version(name)).filter(|name| !name.is_empty() && name != b"*")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_by_the_dialect() {
        let cases = [
            (
                "googlebot/1.2",
                "Googlebot",
                [true, true, true, false, true],
            ),
            (
                "Googlebot",
                "Googlebot/2.1",
                [true, true, false, true, true],
            ),
            ("MJ12bot", "MJ12bot", [true, true, false, true, true]),
            ("MJ12bot", "MJx", [false, false, false, false, false]),
            ("MJ99", "MJ12bot", [true, false, false, false, false]),
            ("Googlebot*", "googlebot", [true, true, true, false, true]),
            (
                "Googlebot-News",
                "Googlebot",
                [false, false, false, false, true],
            ),
            ("bot", "Spambot", [false, false, false, true, false]),
            (
                "Jävla-Foobot",
                "jävla-fanbot",
                [true, false, false, false, false],
            ),
            ("123", "", [false, false, true, false, false]),
            ("", "a", [false, false, false, true, false]),
        ];
        for (line, agent, expected) in cases {
            // In the order of `expected`.
            let found = [
                AgentMatch::RfcToken,
                AgentMatch::Token,
                AgentMatch::LineTokenIsName,
                AgentMatch::LineInName,
                AgentMatch::NameInLine,
            ]
            .map(|how| same_agent(line.as_bytes(), agent, how));
            assert_eq!(found, expected, "line {line:?}, robot {agent:?}");
        }
    }

    /// Returns the index of the name by which a value names a robot.
    fn index_of(agent: &Agent<'_>, value: &str, dialect: &Dialect) -> Option<usize> {
        let nearest = agent.nearness(value.as_bytes(), dialect);
        nearest.map(|(nearness, _)| nearness.index)
    }

    #[test]
    fn a_name_in_words_begins_one() {
        let how = AgentMatch::LineInWords;
        for (line, agent, expected) in [
            ("bot", "mybot", false),
            ("BOT", "My Bot/1.0", true),
            ("bot", "my-bot; bot", true),
            ("\u{c9}b", "a\u{e9}b \u{e9}bot", true),
            ("b", "\u{e9}b", false),
            ("go*og*", "Googlebot", true),
            ("..", "x...", true),
            ("**", "x", false),
            ("", "x", false),
        ] {
            let found = same_agent(line.as_bytes(), agent, how);
            assert_eq!(found, expected, "{line:?} in {agent:?}");
        }
    }

    #[test]
    fn a_named_robot_obeys_the_line() {
        let words = "Googlebot/2.1 (x), MJ12bot";
        for (how, expected) in [
            (AgentMatch::RfcToken, vec!["Googlebot", "MJ"]),
            (AgentMatch::Token, vec!["Googlebot", "MJ12bot"]),
            (AgentMatch::LineTokenIsName, vec!["Googlebot", "MJ"]),
            (AgentMatch::LineInName, vec!["MJ12bot"]),
            (
                AgentMatch::LineInWords,
                vec!["Googlebot/2.1 (x)", "MJ12bot"],
            ),
            (
                AgentMatch::NameInLine,
                vec!["Googlebot", "2.1", "(x)", "MJ12bot"],
            ),
        ] {
            let dialect = Dialect::RFC9309
                .with_agent_match(how)
                .with_agent_list(AgentList::Commas);
            let robots: Vec<_> = dialect.named_robots(words.as_bytes()).collect();
            assert_eq!(robots, expected, "{how:?}");
            for name in robots {
                let agent = Agent::new(name.into_owned());
                assert_eq!(index_of(&agent, words, &dialect), Some(0), "{agent}");
            }
            for without in ["*", "", ","] {
                assert_eq!(dialect.named_robots(without.as_bytes()).count(), 0);
            }
        }
    }

    #[test]
    fn a_list_may_name_a_star_and_a_robot() {
        let commas = Dialect::RFC9309.with_agent_list(AgentList::Commas);
        let nearness = |name, dialect| index_of(&Agent::new(name), "* , a", dialect);
        assert_eq!(nearness("a", &commas), Some(0));
        assert_eq!(nearness("b", &commas), Some(1));
        // Without the switch it is a `*` followed by something.
        assert_eq!(nearness("a", &Dialect::RFC9309), Some(1));
    }

    #[test]
    fn known_robots_have_their_documented_names() {
        let names = |name| {
            Agent::known(name)
                .names()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(names("googlebot-image"), ["googlebot-image", "Googlebot"]);
        assert_eq!(names("YandexImages"), ["YandexImages", "Yandex"]);
        assert_eq!(names("Yandex"), ["Yandex"]);
        assert_eq!(names("ExampleBot"), ["ExampleBot"]);
        assert!(!Agent::known("AdsBot-Google").obeys_star());
        assert!(!Agent::known("adsbot-google-mobile-apps").obeys_star());
        assert!(Agent::known("Bingbot/2.0").obeys_star());
        let own = Agent::new("a").or("b").without_star();
        assert_eq!(index_of(&own, "b", &Dialect::RFC9309), Some(1));
        assert_eq!(own.nearness(b"*", &Dialect::RFC9309), None);
    }

    #[test]
    fn an_unquoted_name_is_a_part_of_the_name_before_a_slash() {
        let how = AgentMatch::UnquotedLineInName;
        for (line, agent, expected) in [
            ("Google%62ot", "a googlebot/2.1", true),
            ("2.1", "googlebot/2.1", false),
            ("\u{a0}\u{c9}", "\u{e9}bot", true),
            ("", "", true),
            ("a b", "b", false),
        ] {
            assert_eq!(
                same_agent(line.as_bytes(), agent, how),
                expected,
                "{line:?}"
            );
        }
        assert!(is_star(b"%2A", how) && !is_star(b"* a", how));
        let named = |value: &'static [u8]| {
            let dialect = Dialect::PYTHON_ROBOTPARSER;
            dialect.named_robots(value).collect::<Vec<_>>()
        };
        assert_eq!(named(b"a%20b"), ["a b"]);
        assert!(named(b"a/1").is_empty() && named(b"%2A").is_empty() && named(b"").is_empty());
    }

    #[test]
    fn a_star_with_a_suffix_is_not_a_star() {
        for how in [
            AgentMatch::Token,
            AgentMatch::LineTokenIsName,
            AgentMatch::LineInName,
        ] {
            assert!(is_star(b"*", how));
            assert_eq!(is_star(b"* all of you", how), how != AgentMatch::LineInName);
            assert!(!is_star(b"*bot", how));
            assert!(!is_star(b"", how));
        }
    }
}
