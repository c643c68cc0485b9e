//! A profile as a TOML file.
//!
//! A file has the keys that differ from its base profile. Tables are merged key by key; lists are
//! replaced.

use super::agent_name::checked_token;
use super::{Honours, Profile, Robot, SignalFamilies, Uses};
use robots_meta::Directives;
use robots_txt::Agent;
use serde::{Deserialize, Deserializer, Serialize, de};
use std::collections::HashSet;
use thiserror::Error;
use toml::{Table, Value};

/// An invalid profile file. The message has what is wrong and its line, in which it is underlined.
// The text has that of the TOML library already, which is not a source therefore.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("not a profile: {}", .toml.to_string().trim_end())]
pub struct ProfileError {
    toml: Box<toml::de::Error>,
}

impl From<toml::de::Error> for ProfileError {
    fn from(toml: toml::de::Error) -> Self {
        Self {
            toml: Box::new(toml),
        }
    }
}

impl Profile {
    /// Reads a profile from TOML: `name`, `based-on` (a built-in profile, `neutral` by default) and the
    /// keys that differ. All other keys are those that [`Profile::to_toml`] writes. A dialect is as crawlers have it: it allows
    /// `/robots.txt`, and `google` reads the first 500 KiB of a robots.txt.
    ///
    /// ```
    /// use robots_policy::Profile;
    ///
    /// let profile = Profile::from_toml(r#"
    ///     name = "example"
    ///     based-on = "google"
    ///     conflict = "last-wins"
    ///     [[robots]]
    ///     name = "ExampleBot"
    ///     or = ["Googlebot"]
    ///     [outcomes]
    ///     unauthorized = "deny-all"
    /// "#)?;
    /// assert_eq!(profile.name(), "example");
    /// assert_eq!(profile.robots()[0].name(), "ExampleBot");
    /// # Ok::<(), robots_policy::profile::ProfileError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not valid TOML, or has an unknown key or value.
    pub fn from_toml(text: &str) -> Result<Self, ProfileError> {
        // Errors in the merged table would not have lines.
        let _: Self = toml::from_str(text)?;
        let mut file: Table = toml::from_str(text)?;
        let base: Base = toml::from_str(text)?;
        file.remove("based-on");
        let mut merged: Table = toml::from_str(&base.based_on.to_toml())?;
        merge(&mut merged, file);
        let mut profile: Self = merged.try_into()?;
        if profile.robots.is_empty() {
            profile.robots.push(Robot::new("*"));
        }
        // A file without a name has that of its base, marked ` (changed)` if a key differs.
        Ok(profile.marked_if_changed())
    }

    /// Returns the profile as TOML with every key. [`Profile::from_toml`] reads the same profile back, with three
    /// exceptions: a changed dialect becomes the one that its name has in profiles, the uses of a robot are those of the
    /// table of known robots, and names of robots that are not product tokens, or that two robots have, are an error.
    pub fn to_toml(&self) -> String {
        let text = toml::to_string(self);
        // TOML can represent every value of a profile.
        debug_assert!(text.is_ok(), "{text:?}");
        text.unwrap_or_default()
    }
}

/// The base profile of a file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Base {
    #[serde(default, deserialize_with = "built_in")]
    based_on: Profile,
}

fn built_in<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
    let name = String::deserialize(deserializer)?;
    name.parse().map_err(de::Error::custom)
}

/// Replaces the values of a table by those of another, key by key.
fn merge(table: &mut Table, other: Table) {
    for (key, value) in other {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(table)), Value::Table(other)) => merge(table, other),
            (_, value) => {
                table.insert(key, value);
            }
        }
    }
}

/// A robot of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct RobotFile {
    name: RobotName,
    or: Option<Vec<RobotName>>,
    obeys_star: Option<bool>,
    meta_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored_meta_names: Vec<String>,
}

/// The name of a robot in a file: a product token, or `*`. A robots.txt names no robot with other characters.
#[derive(Debug, Serialize)]
#[serde(transparent)]
struct RobotName(String);

impl RobotName {
    fn of(name: &str) -> Self {
        Self(name.to_owned())
    }
}

impl<'de> Deserialize<'de> for RobotName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "*" {
            return Ok(Self(text));
        }
        checked_token(text).map(Self).map_err(de::Error::custom)
    }
}

/// Reads a product token.
pub(super) fn deserialize_token<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<String, D::Error> {
    checked_token(String::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// Reads the robots of a file, each of which is named once.
pub(super) fn deserialize_robots<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Robot>, D::Error> {
    let robots = Vec::<Robot>::deserialize(deserializer)?;
    let mut seen = HashSet::new();
    for robot in &robots {
        if !seen.insert(robot.name().to_ascii_lowercase()) {
            let text = format!("two robots are named \"{}\"", robot.name());
            return Err(de::Error::custom(text));
        }
    }
    Ok(robots)
}

impl From<Robot> for RobotFile {
    fn from(robot: Robot) -> Self {
        Self {
            name: RobotName::of(robot.name()),
            or: Some(robot.agent().names().skip(1).map(RobotName::of).collect()),
            obeys_star: Some(robot.agent().obeys_star()),
            meta_names: Some(robot.meta_names().to_vec()),
            ignored_meta_names: robot.ignored_meta_names().to_vec(),
        }
    }
}

impl From<RobotFile> for Robot {
    fn from(file: RobotFile) -> Self {
        let mut robot = Self::new(&file.name.0);
        // Without these keys, the robot keeps what the table of known robots has.
        if file.or.is_some() || file.obeys_star.is_some() {
            let known = robot.agent().clone();
            let others = file
                .or
                .unwrap_or_else(|| known.names().skip(1).map(RobotName::of).collect());
            let agent = Agent::new(file.name.0);
            let mut agent = others
                .into_iter()
                .fold(agent, |agent, RobotName(other)| agent.or(other));
            if !file.obeys_star.unwrap_or(known.obeys_star()) {
                agent = agent.without_star();
            }
            robot = robot.with_agent(agent);
        }
        if let Some(names) = file.meta_names {
            robot = robot.with_meta_names(names);
        }
        robot.with_ignored_meta_names(file.ignored_meta_names)
    }
}

/// A dialect, written as its name.
pub(super) mod dialect {
    use super::super::built_in::{GOOGLE_CRAWLERS, of_crawlers};
    use super::super::dialect_name::dialect_of_name;
    use robots_txt::Dialect;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in super::super) fn serialize<S: Serializer>(
        dialect: &Dialect,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(dialect.name())
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Dialect, D::Error> {
        let name = String::deserialize(deserializer)?;
        match dialect_of_name(&name).map_err(de::Error::custom)? {
            // Profiles are about crawlers, not about the library that they use.
            Dialect::GOOGLE => Ok(GOOGLE_CRAWLERS),
            dialect => Ok(of_crawlers(dialect)),
        }
    }
}

/// Flags that profile files name.
pub(super) trait Named: bitflags::Flags {
    /// Returns each flag with its name in profile files: that of its constant in kebab case, `content-usage` for
    /// `CONTENT_USAGE`.
    fn named() -> Vec<(String, Self)> {
        let flags = Self::FLAGS.iter().map(|flag| {
            let name = flag.name().to_ascii_lowercase().replace('_', "-");
            (name, Self::from_bits_retain(flag.value().bits()))
        });
        flags.collect()
    }
}

impl Named for Honours {}
impl Named for SignalFamilies {}
impl Named for Uses {}

impl Named for Directives {
    fn named() -> Vec<(String, Self)> {
        let flags = Self::all().iter().map(|flag| (flag.to_string(), flag));
        flags.collect()
    }
}

/// A set of flags, written as a list of their names.
pub(super) mod bits {
    use super::Named;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub(in super::super) fn serialize<T: Named, S: Serializer>(
        set: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let named = T::named().into_iter();
        let contained = named.filter(|(_, flag)| set.contains(T::from_bits_retain(flag.bits())));
        serializer.collect_seq(contained.map(|(name, _)| name))
    }

    pub(in super::super) fn deserialize<'de, T: Named, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        let known = T::named();
        let mut set = T::empty();
        for name in &names {
            let Some((_, flag)) = known.iter().find(|(known, _)| known == name) else {
                let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                return Err(de::Error::custom(format!(
                    "unknown name {name:?}: expected one of {}",
                    known.join(", ")
                )));
            };
            set.insert(T::from_bits_retain(flag.bits()));
        }
        Ok(set)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::AiUse;
    use crate::profile::UsageToken;
    use crate::robots::{OutcomeMeaning, OutcomeTable};

    #[test]
    fn profiles_survive_a_round_trip() {
        for profile in Profile::all() {
            let text = profile.to_toml();
            assert_eq!(Profile::from_toml(&text).unwrap(), profile, "{text}");
        }
    }

    #[test]
    fn the_dialect_google_is_that_of_crawlers() {
        let limit = |text| Profile::from_toml(text).unwrap().dialect().size_limit();
        assert_eq!(limit("based-on = 'google'"), Some(512_000));
        assert_eq!(limit("dialect = 'google'"), Some(512_000));
        let bing = Profile::from_toml("dialect = 'bing'").unwrap();
        assert_eq!(bing.dialect(), &robots_txt::Dialect::BING);
    }

    #[test]
    fn an_empty_file_is_the_neutral_profile_and_a_name_alone_its_base() {
        assert_eq!(Profile::from_toml("").unwrap(), Profile::neutral());
        let bing = Profile::from_toml("based-on = 'bing'\nname = 'b'\nabout = ''").unwrap();
        let named = Profile {
            name: "b".to_owned(),
            about: String::new(),
            ..Profile::bing()
        };
        assert_eq!(bing, named);
        let changed = Profile::from_toml("based-on = 'bing'\nlinks = 'hint'").unwrap();
        assert_eq!(changed.name(), "bing (changed)");
    }

    #[test]
    fn keys_of_a_file_replace_those_of_the_base() {
        let text = "based-on = 'google'\n\
                    directives = ['noindex', 'noarchive']\n\
                    [outcomes]\nclient-error = 'defer'\n\
                    [ai]\nunknown-is = 'allow'\n\
                    [[ai.tokens]]\ntoken = 'x'\nuses = ['train', 'search']\nobeys-star = true\n";
        let profile = Profile::from_toml(text).unwrap();
        assert_eq!(
            profile.directives,
            Directives::NOINDEX | Directives::NOARCHIVE
        );
        let outcomes = OutcomeTable::GOOGLE.with_client_error(OutcomeMeaning::Defer);
        assert_eq!(*profile.outcomes(), outcomes);
        assert_eq!(profile.ai.unknown_is, AiUse::Allow);
        let mut token = UsageToken::new("x", Uses::TRAIN | Uses::SEARCH);
        token.obeys_star = true;
        assert_eq!(profile.ai().tokens(), [token]);
        // The other keys are Google's.
        assert_eq!(profile.ai.effects, Profile::google().ai.effects);
        assert_eq!(profile.robots(), Profile::google().robots());
    }

    #[test]
    fn a_known_robot_in_a_file_keeps_its_fallbacks_by_default() {
        let robot = |text: &str| {
            let profile = Profile::from_toml(text).unwrap();
            let robot = profile.robots().first().unwrap().clone();
            let names: Vec<String> = robot.agent().names().map(str::to_owned).collect();
            (
                names,
                robot.agent().obeys_star(),
                robot.meta_names().to_vec(),
            )
        };
        let of = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            robot("[[robots]]\nname = 'Applebot'"),
            (
                of(&["Applebot", "Googlebot"]),
                true,
                of(&["robots", "Applebot"])
            )
        );
        assert_eq!(
            robot("[[robots]]\nname = 'Applebot'\nor = []\nobeys-star = false\nmeta-names = ['a']"),
            (of(&["Applebot"]), false, of(&["a"]))
        );
    }

    #[test]
    fn a_key_that_does_not_exist_is_an_error_that_lists_those_that_do() {
        let text = "[[robots]]\nname = 'a'\ntakes-star = false\n";
        let error = Profile::from_toml(text).unwrap_err().to_string();
        assert!(error.contains("`takes-star`"), "{error}");
        assert!(error.contains("`obeys-star`"), "{error}");
    }

    #[test]
    fn names_that_no_robots_txt_can_have_are_errors() {
        let error = |text: &str| Profile::from_toml(text).unwrap_err().to_string();
        for (text, expected) in [
            ("[[robots]]\nname = 'MyBot/1.0'", "line 2"),
            ("[[robots]]\nname = 'MyBot/1.0'", "did you mean \"MyBot\"?"),
            ("[[robots]]\nname = 'My Bot'", "did you mean \"My\"?"),
            ("[[robots]]\nname = ''", "expected a product token"),
            (
                "[[robots]]\nname = 'a'\nor = ['Bar/2.0']",
                "did you mean \"Bar\"?",
            ),
            (
                "[[ai.tokens]]\ntoken = '*'\nuses = ['train']",
                "expected a product token",
            ),
            (
                "[[robots]]\nname = 'A'\n[[robots]]\nname = 'a'",
                "two robots are named \"a\"",
            ),
        ] {
            assert!(error(text).contains(expected), "{text}: {}", error(text));
        }
        assert!(Profile::from_toml("[[robots]]\nname = '*'\nor = ['x.y_z-1']").is_ok());
    }

    #[test]
    fn errors_have_the_line() {
        let error = |text: &str| Profile::from_toml(text).unwrap_err().to_string();
        for (text, words) in [
            ("name = 'a'\nhonour = []\n", ["line 2", "honour"]),
            (
                "\n\ndialect = 'gogle'\n",
                ["line 3", "did you mean \"google\""],
            ),
            // An unknown name in a list is reported with the line where the list begins.
            ("directives = [\n'noindx']", ["line 1", "noindx"]),
            ("based-on = 'x'", ["unknown profile", "seznam"]),
            ("[ai]\nunknown-is = 'perhaps'", ["line 2", "perhaps"]),
        ] {
            let found = error(text);
            assert!(words.iter().all(|word| found.contains(word)), "{found}");
        }
    }
}
