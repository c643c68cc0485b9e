//! A profile as a TOML file.
//!
//! A file has the keys that differ from its base profile. Tables are merged key by key; lists are
//! replaced.

use super::agent_name::checked_token;
use super::built_in::GOOGLE_CRAWLERS;
use super::{
    AiEffect, AiRules, Conflict, Honours, LinkRule, MergeRule, Precedence, Profile, Robot,
    SignalFamilies, UsageToken, Uses,
};
use crate::answer::AiUse;
use crate::robots::OutcomeKeys;
use robots_meta::Directives;
use robots_txt::{Agent, Dialect};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::HashSet;
use std::error::Error;
use std::fmt;

/// An invalid profile file. The message has the line of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileError {
    toml: Box<toml::de::Error>,
}

impl fmt::Display for ProfileError {
    /// Writes what is wrong, with its line, in which it is underlined.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a profile: {}", self.toml.to_string().trim_end())
    }
}

// Its text has that of the TOML library already.
impl Error for ProfileError {}

impl Profile {
    /// Reads a profile from TOML: `name`, `based-on` (a built-in profile, `neutral` by default) and the
    /// keys that differ. All other keys are those that [`Profile::to_toml`] writes. The dialect `google` is that of Google's
    /// crawlers, which read the first 500 KiB of a robots.txt.
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
        let file = toml::from_str(text).map_err(|toml| ProfileError {
            toml: Box::new(toml),
        });
        let mut file: ProfileFile = file?;
        let base = file.based_on.take();
        let base = base.map_or_else(Self::neutral, |base| base.0);
        // A file without a name has that of its base, marked ` (changed)` if a key differs.
        Ok(file.applied_to(base).marked_if_changed())
    }

    /// Returns the profile as TOML with every key. [`Profile::from_toml`] reads the same profile back, with three
    /// exceptions: a changed dialect becomes the one that its name has in profiles, the uses of a robot are those of the
    /// table of known robots, and names of robots that are not product tokens, or that two robots have, are an error.
    pub fn to_toml(&self) -> String {
        // Never fails: TOML can represent every value of a profile.
        toml::to_string(&ProfileFile::of(self)).unwrap_or_default()
    }
}

impl Serialize for Profile {
    /// Writes the keys of [`Profile::to_toml`].
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ProfileFile::of(self).serialize(serializer)
    }
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ProfileFile {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<String>,
    #[serde(skip_serializing)]
    based_on: Option<BaseProfile>,
    dialect: Option<DialectName>,
    precedence: Option<Precedence>,
    conflict: Option<Conflict>,
    directives: Option<Bits<Directives>>,
    honours: Option<Bits<Honours>>,
    links: Option<LinkRule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page_limit: Option<u64>,
    #[serde(default, deserialize_with = "distinct_robots")]
    robots: Option<Vec<RobotFile>>,
    outcomes: Option<OutcomeKeys>,
    ai: Option<AiFile>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RobotFile {
    name: RobotName,
    or: Option<Vec<RobotName>>,
    obeys_star: Option<bool>,
    meta_names: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    ignored_meta_names: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct AiFile {
    signals: Option<Bits<SignalFamilies>>,
    unreserved_allows: Option<bool>,
    #[serde(rename = "unknown-is")]
    default_answer: Option<AiUse>,
    tokens: Option<Vec<TokenFile>>,
    effects: Option<Vec<EffectFile>>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct TokenFile {
    #[serde(deserialize_with = "token")]
    token: String,
    uses: Bits<Uses>,
    #[serde(default)]
    obeys_star: bool,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct EffectFile {
    directives: Bits<Directives>,
    uses: Bits<Uses>,
    says: AiUse,
    #[serde(skip_serializing_if = "Option::is_none")]
    unless: Option<Bits<Directives>>,
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
fn token<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    checked_token(String::deserialize(deserializer)?).map_err(de::Error::custom)
}

/// Reads the robots of a file, each of which is named once.
fn distinct_robots<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<RobotFile>>, D::Error> {
    let robots = Option::<Vec<RobotFile>>::deserialize(deserializer)?;
    let mut seen = HashSet::new();
    for RobotFile { name, .. } in robots.iter().flatten() {
        if !seen.insert(name.0.to_ascii_lowercase()) {
            let text = format!("two robots are named \"{}\"", name.0);
            return Err(de::Error::custom(text));
        }
    }
    Ok(robots)
}

impl ProfileFile {
    fn of(profile: &Profile) -> Self {
        let robots = profile.robots.iter().map(|robot| RobotFile {
            name: RobotName::of(robot.name()),
            or: Some(robot.agent().names().skip(1).map(RobotName::of).collect()),
            obeys_star: Some(robot.agent().obeys_star()),
            meta_names: Some(robot.meta_names().to_vec()),
            ignored_meta_names: robot.ignored_meta_names().to_vec(),
        });
        let ai = &profile.ai;
        let tokens = ai.tokens.iter().map(|token| TokenFile {
            token: token.token().to_owned(),
            uses: Bits(token.uses()),
            obeys_star: token.obeys_star(),
        });
        let effects = ai.effects.iter().map(|effect| EffectFile {
            directives: Bits(effect.directives()),
            uses: Bits(effect.uses()),
            says: effect.answer(),
            unless: (!effect.exceptions().is_empty()).then(|| Bits(effect.exceptions())),
        });
        Self {
            name: Some(profile.name.clone()),
            about: Some(profile.about.clone()),
            based_on: None,
            dialect: Some(DialectName(profile.dialect)),
            precedence: Some(profile.merge.precedence()),
            conflict: Some(profile.merge.conflict()),
            directives: Some(Bits(profile.directives)),
            honours: Some(Bits(profile.honours)),
            links: Some(profile.links),
            page_limit: profile.page_limit,
            robots: Some(robots.collect()),
            outcomes: Some(OutcomeKeys::of(&profile.outcomes)),
            ai: Some(AiFile {
                signals: Some(Bits(ai.signals)),
                unreserved_allows: Some(ai.unreserved_allows),
                default_answer: Some(ai.default_answer),
                tokens: Some(tokens.collect()),
                effects: Some(effects.collect()),
            }),
        }
    }

    /// Returns the profile: `base`, with the values of the keys that the file has.
    fn applied_to(self, base: Profile) -> Profile {
        let robots = match self.robots {
            Some(robots) => robots.into_iter().map(RobotFile::robot).collect(),
            None => base.robots,
        };
        let profile = Profile {
            name: self.name.unwrap_or(base.name),
            about: self.about.unwrap_or(base.about),
            // Set below by `with_robots`: a file with an empty list gets the robot `*`.
            robots: Vec::new(),
            dialect: self.dialect.map_or(base.dialect, |dialect| dialect.0),
            merge: MergeRule::new(
                self.precedence.unwrap_or(base.merge.precedence()),
                self.conflict.unwrap_or(base.merge.conflict()),
            ),
            directives: self.directives.map_or(base.directives, |bits| bits.0),
            honours: self.honours.map_or(base.honours, |bits| bits.0),
            links: self.links.unwrap_or(base.links),
            outcomes: match self.outcomes {
                Some(outcomes) => outcomes.applied_to(base.outcomes),
                None => base.outcomes,
            },
            page_limit: self.page_limit.or(base.page_limit),
            ai: match self.ai {
                Some(ai) => ai.applied_to(base.ai),
                None => base.ai,
            },
        };
        profile.with_robots(robots)
    }
}

impl RobotFile {
    fn robot(self) -> Robot {
        let mut robot = Robot::new(&self.name.0);
        // Without these keys, the robot keeps what the table of known robots has.
        if self.or.is_some() || self.obeys_star.is_some() {
            let known = robot.agent().clone();
            let mut agent = Agent::new(self.name.0);
            for other in self
                .or
                .unwrap_or_else(|| known.names().skip(1).map(RobotName::of).collect())
            {
                agent = agent.or(other.0);
            }
            if !self.obeys_star.unwrap_or(known.obeys_star()) {
                agent = agent.without_star();
            }
            robot = robot.with_agent(agent);
        }
        if let Some(names) = self.meta_names {
            robot = robot.with_meta_names(names);
        }
        robot.with_ignored_meta_names(self.ignored_meta_names)
    }
}

impl AiFile {
    fn applied_to(self, base: AiRules) -> AiRules {
        let token = |file: TokenFile| {
            let token = UsageToken::new(&file.token, file.uses.0);
            if file.obeys_star {
                token.or_star()
            } else {
                token
            }
        };
        let effect = |file: EffectFile| {
            let exceptions = file.unless.map_or(Directives::empty(), |bits| bits.0);
            AiEffect::new(file.directives.0, file.uses.0, file.says).with_exceptions(exceptions)
        };
        AiRules {
            signals: self.signals.map_or(base.signals, |bits| bits.0),
            tokens: match self.tokens {
                Some(tokens) => tokens.into_iter().map(token).collect(),
                None => base.tokens,
            },
            effects: match self.effects {
                Some(effects) => effects.into_iter().map(effect).collect(),
                None => base.effects,
            },
            unreserved_allows: self.unreserved_allows.unwrap_or(base.unreserved_allows),
            default_answer: self.default_answer.unwrap_or(base.default_answer),
        }
    }
}

/// A built-in profile, written as its name.
#[derive(Debug)]
struct BaseProfile(Profile);

impl<'de> Deserialize<'de> for BaseProfile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(Self).map_err(de::Error::custom)
    }
}

/// A dialect, written as its name.
#[derive(Debug)]
struct DialectName(Dialect);

impl Serialize for DialectName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de> Deserialize<'de> for DialectName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        // Profiles are about crawlers, not about the library that they use.
        let of_crawlers = |dialect| {
            if dialect == Dialect::GOOGLE {
                GOOGLE_CRAWLERS
            } else {
                dialect
            }
        };
        let named = Dialect::by_name(&name).map(of_crawlers);
        named.map(Self).ok_or_else(|| {
            let known: Vec<&str> = Dialect::ALL.iter().map(Dialect::name).collect();
            de::Error::custom(format!(
                "unknown dialect {name:?}: expected one of {}",
                known.join(", ")
            ))
        })
    }
}

/// A set of flags, written as a list of their names.
#[derive(Debug)]
struct Bits<T>(T);

/// Flags that profile files name.
trait Named: bitflags::Flags {
    /// Returns each flag with its name in profile files.
    fn named() -> Vec<(String, Self)>;
}

impl Named for Honours {
    fn named() -> Vec<(String, Self)> {
        let names = Self::NAMES.into_iter();
        names.map(|(name, bits)| (name.to_owned(), bits)).collect()
    }
}

/// Returns each flag with the name of its constant in kebab case: `content-usage` for `CONTENT_USAGE`.
fn in_kebab_case<T: bitflags::Flags>() -> Vec<(String, T)> {
    let flags = T::FLAGS.iter();
    flags
        .map(|flag| {
            let name = flag.name().to_ascii_lowercase().replace('_', "-");
            (name, T::from_bits_retain(flag.value().bits()))
        })
        .collect()
}

impl Named for SignalFamilies {
    fn named() -> Vec<(String, Self)> {
        in_kebab_case()
    }
}

impl Named for Uses {
    fn named() -> Vec<(String, Self)> {
        in_kebab_case()
    }
}

impl Named for Directives {
    fn named() -> Vec<(String, Self)> {
        Self::all()
            .iter()
            .map(|bits| (bits.to_string(), bits))
            .collect()
    }
}

impl<T: Named> Serialize for Bits<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = T::named().into_iter();
        serializer.collect_seq(
            names
                .filter(|(_, bits)| self.0.contains(T::from_bits_retain(bits.bits())))
                .map(|(name, _)| name),
        )
    }
}

impl<'de, T: Named> Deserialize<'de> for Bits<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let names: Vec<String> = Vec::deserialize(deserializer)?;
        let known = T::named();
        let mut all = T::empty();
        for name in &names {
            let Some((_, bits)) = known.iter().find(|(known, _)| known == name) else {
                let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                return Err(de::Error::custom(format!(
                    "unknown name {name:?}: expected one of {}",
                    known.join(", ")
                )));
            };
            all.insert(T::from_bits_retain(bits.bits()));
        }
        Ok(Self(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
    }

    #[test]
    fn an_empty_file_is_the_neutral_profile_and_a_name_alone_its_base() {
        assert_eq!(Profile::from_toml("").unwrap(), Profile::neutral());
        let bing = Profile::from_toml("based-on = 'bing'\nname = 'b'\nabout = ''").unwrap();
        assert_eq!(bing, Profile::bing().named("b", ""));
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
            profile.directives(),
            Directives::NOINDEX | Directives::NOARCHIVE
        );
        let outcomes = OutcomeTable::GOOGLE.with_client_error(OutcomeMeaning::Defer);
        assert_eq!(*profile.outcomes(), outcomes);
        assert_eq!(profile.ai().default_answer(), AiUse::Allow);
        let token = UsageToken::new("x", Uses::TRAIN | Uses::SEARCH).or_star();
        assert_eq!(profile.ai().tokens(), [token]);
        // The other keys are Google's.
        assert_eq!(profile.ai().effects(), Profile::google().ai().effects());
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
        let found = error("name = 'a'\nhonour = []\n");
        assert!(
            found.contains("line 2") && found.contains("honour"),
            "{found}"
        );
        let found = error("\n\ndialect = 'gogle'\n");
        assert!(
            found.contains("line 3") && found.contains("koster1996"),
            "{found}"
        );
        // An unknown name in a list is reported with the line where the list begins.
        let found = error("directives = [\n'noindx']");
        assert!(
            found.contains("noindx") && found.contains("line 1"),
            "{found}"
        );
        let found = error("based-on = 'x'");
        assert!(found.contains("seznam"), "{found}");
        let found = error("[ai]\nunknown-is = 'perhaps'");
        assert!(found.contains("line 2"), "{found}");
    }
}
