//! The profiles that come with the crate (`docs/semantics.md`, sections 2 and 8; documentation read on
//! 2026-11-20).

use super::known::{self, ProfileRobot};
use super::{
    AiEffect, AiRules, Conflict, Honours, LinkRule, Precedence, Profile, Robot, UsageToken, Uses,
};
use crate::answer::AiUse;
use crate::robots::OutcomeTable;
use crate::text::UnknownName;
use robots_meta::Directives;
use robots_txt::dialect::OwnPath;
use robots_txt::limits::RFC9309_SIZE_LIMIT;
use robots_txt::{Agent, Dialect};
use std::str::FromStr;
use std::sync::LazyLock;

/// The dialect of Google's crawlers. The library that Google published has no limit of its own: the crawlers cut the file.
pub(super) const GOOGLE_CRAWLERS: Dialect =
    of_crawlers(Dialect::GOOGLE).with_size_limit(Some(RFC9309_SIZE_LIMIT));

/// Returns a dialect as crawlers have it. They request every robots.txt, although a dialect may leave it to its callers
/// whether they may (`docs/semantics.md`, section 8.3).
pub(crate) const fn of_crawlers(dialect: Dialect) -> Dialect {
    dialect.with_own_path(OwnPath::AlwaysAllowed)
}

/// The directives that at least one engine honours: all but the obsolete ones.
pub(crate) const HONOURED: Directives = Directives::all()
    .difference(Directives::NOSITELINKSSEARCHBOX)
    .difference(Directives::NOODP)
    .difference(Directives::NOYDIR)
    .difference(Directives::NOYACA);

/// The directives that forbid copies.
pub(crate) const NO_COPIES: Directives = Directives::NOARCHIVE.union(Directives::NOCACHE);

/// The directives about AI alone.
pub(crate) const AI: Directives = Directives::NOAI
    .union(Directives::NOIMAGEAI)
    .union(Directives::DISALLOW_AI_TRAINING)
    .union(Directives::ALLOW_AI_TRAINING);

/// The number of bytes of a page that Googlebot reads: "2MB", taken as 2 MiB (`docs/semantics.md`, section
/// 5.1).
const GOOGLE_PAGE_LIMIT: u64 = 2 * 1024 * 1024;

/// The directives about the index and links. `Directives::ALL` is the directive `all`: `index` and `follow`.
/// `Directives::NONE` is `none`: `noindex` and `nofollow`.
const INDEX_AND_LINKS: Directives = Directives::ALL.union(Directives::NONE);

/// The directives about the index, links, copies and AI.
const BASIC: Directives = INDEX_AND_LINKS
    .union(Directives::ARCHIVE)
    .union(Directives::NOARCHIVE)
    .union(AI);

/// A built-in profile: its name and its constructor.
type BuiltIn = (&'static str, fn() -> Profile);

/// Returns the robots of a table.
fn robots(table: &[ProfileRobot]) -> Vec<Robot> {
    table
        .iter()
        .map(|entry| {
            Robot::new(entry.token)
                .with_other_meta_names(entry.other_names.iter().copied())
                .with_ignored_meta_names(entry.ignored_names.iter().copied())
        })
        .collect()
}

/// Returns the usual rules, with the tokens of a table that control uses of content: the entries that never fetch pages,
/// such as `Google-Extended`. The profile lists them as robots, too.
fn ai_rules(table: &[ProfileRobot]) -> AiRules {
    let robots = table.iter().map(|entry| Robot::new(entry.token));
    let tokens = robots.filter(|robot| !robot.fetches());
    AiRules {
        tokens: tokens
            .map(|robot| UsageToken::new(robot.name(), robot.uses()))
            .collect(),
        ..AiRules::default()
    }
}

const BUILT_IN: &[BuiltIn] = &[
    (Profile::NEUTRAL, Profile::neutral),
    ("google", Profile::google),
    ("bing", Profile::bing),
    ("yandex", Profile::yandex),
    ("baidu", Profile::baidu),
    ("apple", Profile::apple),
    ("seznam", Profile::seznam),
    ("duckduckgo", Profile::duckduckgo),
    ("amazon", Profile::amazon),
    ("archiver", Profile::archiver),
    ("any-ai-trainer", Profile::any_ai_trainer),
    ("koster1996", Profile::koster1996),
    ("stormcrawler", Profile::stormcrawler),
    ("norconex", Profile::norconex),
    ("http-archive", Profile::http_archive),
    ("specific-overrides", Profile::specific_overrides),
];

impl Profile {
    /// Returns every built-in profile, the neutral one first.
    pub fn all() -> impl Iterator<Item = Self> {
        BUILT_IN.iter().map(|(_, profile)| profile())
    }

    /// Returns the profile by which a robot is read unless a caller chooses another: the built-in one that lists it, which is
    /// that of its operator, or else the neutral one. ASCII case and a version after the name are ignored.
    ///
    /// ```
    /// use robots_policy::Profile;
    ///
    /// assert_eq!(Profile::of_robot("Googlebot-News").name(), "google");
    /// assert_eq!(Profile::of_robot("ExampleBot").name(), "neutral");
    /// ```
    pub fn of_robot(name: &str) -> &'static Self {
        let new = Robot::new(name);
        let lists = |profile: &&Self| profile.listed(name, &new).is_some();
        let listing = Self::shared().iter().find(lists);
        // The first is the neutral one.
        listing.unwrap_or(&Self::shared()[0])
    }

    /// Returns the built-in profile of a name, for the whole process.
    ///
    /// # Errors
    ///
    /// If no built-in profile has the name.
    pub fn of_name(name: &str) -> Result<&'static Self, UnknownName> {
        let mut all = Self::shared().iter();
        all.find(|profile| profile.name == name).ok_or_else(|| {
            UnknownName::new("profile", name, BUILT_IN.iter().map(|(name, _)| *name))
        })
    }

    /// Returns every built-in profile, in the order of [`all`](Self::all).
    fn shared() -> &'static [Self] {
        static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| Profile::all().collect());
        &ALL
    }

    /// Returns the neutral profile, that of no engine: RFC 9309; every directive is honoured, and the most
    /// restrictive counts. The token for training that operators share counts, too (`docs/semantics.md`, section 4.3).
    pub fn neutral() -> Self {
        let shared = known::SHARED.iter().map(|token| Robot::new(token));
        Self {
            ai: AiRules {
                tokens: shared
                    .map(|robot| UsageToken::new(robot.name(), robot.uses()))
                    .collect(),
                ..AiRules::default()
            },
            ..Self::usual()
        }
    }

    /// Returns the values that other profiles begin with: those of the neutral one, without tokens.
    fn usual() -> Self {
        Self {
            name: Self::NEUTRAL.to_owned(),
            about: "RFC 9309; the most restrictive directive counts".to_owned(),
            #[cfg(feature = "toml")]
            based_on: serde::de::IgnoredAny,
            robots: vec![Robot::new("*")],
            dialect: Dialect::RFC9309,
            precedence: Precedence::Together,
            conflict: Conflict::Strictest,
            directives: HONOURED,
            honours: Honours::USUAL,
            links: LinkRule::Strict,
            outcomes: OutcomeTable::RFC9309,
            ai: AiRules::default(),
            page_limit: None,
        }
    }

    /// Returns the profile of Google (`docs/semantics.md`, sections 2.1 to 2.3 and 5.1).
    ///
    /// `Crawl-delay` is not supported, `noarchive` has had no effect since 2024, and METAs in BODY count.
    /// `Robots-Tag` headers count like `X-Robots-Tag` headers. This is our choice, for Bing and Apple too (section 8.4).
    /// `nosnippet` and `noindex` keep a page out of AI Overviews and AI Mode. `Google-Extended` controls the training
    /// of Gemini and its grounding.
    pub fn google() -> Self {
        Self {
            name: "google".to_owned(),
            about: "Google; directives for all robots and for one add up, noarchive has no effect"
                .to_owned(),
            robots: robots(known::GOOGLE),
            dialect: GOOGLE_CRAWLERS,
            directives: HONOURED
                .difference(NO_COPIES)
                .difference(Directives::ARCHIVE),
            honours: Honours::LIMITS
                | Honours::UNAVAILABLE_AFTER
                | Honours::X_ROBOTS_TAG
                | Honours::ROBOTS_TAG
                | Honours::HEADER_POSITIVES
                | Honours::CLIENT_ERRORS
                | Honours::BODY_METAS,
            page_limit: Some(GOOGLE_PAGE_LIMIT),
            links: LinkRule::Hint,
            outcomes: OutcomeTable::GOOGLE,
            ai: ai_rules(known::GOOGLE).with_effect(AiEffect::new(
                Directives::NOSNIPPET.union(Directives::NOINDEX),
                Uses::INPUT,
                AiUse::Disallow,
            )),
            ..Self::usual()
        }
    }

    /// Returns the profile of Bing (`docs/semantics.md`, section 2.4): `Crawl-delay` of its own group or
    /// of `*` counts; `noarchive` and `nocache` concern Copilot and training. A page with both has the
    /// effect of `nocache` alone. `noindex` keeps a page out of Copilot, too.
    pub fn bing() -> Self {
        let train_and_input = Uses::TRAIN | Uses::INPUT;
        Self {
            name: "bing".to_owned(),
            about: "Bing; noarchive and nocache are about Copilot, Crawl-delay counts".to_owned(),
            robots: robots(known::BING),
            dialect: Dialect::BING,
            honours: Honours::USUAL
                .difference(Honours::REQUEST_RATE)
                .difference(Honours::VISIT_TIME),
            outcomes: OutcomeTable::BING,
            ai: AiRules::default()
                .with_effect(AiEffect {
                    unless: Directives::NOCACHE,
                    ..AiEffect::new(Directives::NOARCHIVE, train_and_input, AiUse::Disallow)
                })
                .with_effect(AiEffect::new(
                    Directives::NOCACHE,
                    train_and_input,
                    AiUse::Limited,
                ))
                .with_effect(AiEffect::new(
                    Directives::NOINDEX,
                    Uses::INPUT,
                    AiUse::Disallow,
                )),
            ..Self::usual()
        }
    }

    /// Returns the profile of Yandex (`docs/semantics.md`, section 2.5): directives that allow have
    /// priority, in headers too; `unavailable_after` and limits do not count. A page is indexed only if its
    /// status is 200.
    pub fn yandex() -> Self {
        Self {
            name: "yandex".to_owned(),
            about: "Yandex; directives that allow have priority".to_owned(),
            robots: robots(known::YANDEX),
            dialect: Dialect::YANDEX,
            conflict: Conflict::MostPermissive,
            directives: BASIC,
            honours: Honours::X_ROBOTS_TAG | Honours::HEADER_POSITIVES | Honours::OTHER_STATUSES,
            outcomes: OutcomeTable::YANDEX,
            ..Self::usual()
        }
    }

    /// Returns the profile of Baidu (`docs/semantics.md`, section 2.6, from secondary sources): `noindex`
    /// is not documented. Statements that its documents do not name do not count: our choice.
    pub fn baidu() -> Self {
        Self {
            name: "baidu".to_owned(),
            about: "Baidu; the first rule that matches decides, noindex is not documented"
                .to_owned(),
            robots: robots(known::BAIDU),
            dialect: Dialect::BAIDU,
            directives: Directives::FOLLOW
                | Directives::NOFOLLOW
                | Directives::ARCHIVE
                | Directives::NOARCHIVE
                | AI,
            honours: Honours::empty(),
            outcomes: OutcomeTable::BAIDU,
            ..Self::usual()
        }
    }

    /// Returns the profile of Apple (`docs/semantics.md`, section 2.8): Applebot obeys the groups of
    /// Googlebot if no group names it; `nosnippet`, which `none` implies, keeps a page from being the
    /// context of answers. Apple does not list limits and dates; we take the stricter reading (section 8.4).
    pub fn apple() -> Self {
        Self {
            name: "apple".to_owned(),
            about: "Apple; Applebot obeys Googlebot's groups where it has none".to_owned(),
            robots: robots(known::APPLE),
            dialect: Dialect::APPLE,
            directives: INDEX_AND_LINKS | Directives::NOSNIPPET | AI,
            honours: Honours::X_ROBOTS_TAG
                | Honours::ROBOTS_TAG
                | Honours::HEADER_POSITIVES
                | Honours::LIMITS
                | Honours::UNAVAILABLE_AFTER
                | Honours::NONE_IS_NOSNIPPET,
            ai: ai_rules(known::APPLE).with_effect(AiEffect::new(
                Directives::NOSNIPPET,
                Uses::INPUT,
                AiUse::Disallow,
            )),
            ..Self::usual()
        }
    }

    /// Returns the profile of Seznam (`docs/semantics.md`, section 2.7): request rates with hours count.
    /// Only the directives that its page lists as valid count: those about the index and links.
    /// Headers are not documented, so they do not count: our choice.
    pub fn seznam() -> Self {
        Self {
            name: "seznam".to_owned(),
            about: "Seznam; Request-rate counts, headers do not".to_owned(),
            robots: robots(known::SEZNAM),
            dialect: Dialect::SEZNAM,
            directives: INDEX_AND_LINKS | AI,
            honours: Honours::REQUEST_RATE | Honours::CRAWL_DELAY,
            ..Self::usual()
        }
    }

    /// Returns the profile of `DuckDuckGo` (`docs/semantics.md`, section 2.10): `DuckDuckBot` reads robots.txt
    /// as `WWW::RobotRules` does. Its reading of pages is not documented; it is the neutral one.
    pub fn duckduckgo() -> Self {
        Self {
            name: "duckduckgo".to_owned(),
            about: "DuckDuckGo; robots.txt is read as WWW::RobotRules reads it".to_owned(),
            robots: robots(known::DUCKDUCKGO),
            dialect: of_crawlers(Dialect::WWW_ROBOT_RULES),
            ..Self::usual()
        }
    }

    /// Returns the profile of Amazon (`docs/semantics.md`, section 2.11): `noarchive` forbids the training
    /// of models, `Crawl-delay` does not count, and a robots.txt that cannot be fetched is replaced by a
    /// copy. Amazon lists only `noarchive`, `noindex` and `none`; that `nofollow` and headers count too is
    /// our stricter reading.
    pub fn amazon() -> Self {
        Self {
            name: "amazon".to_owned(),
            about: "Amazon; noarchive is about training, Crawl-delay does not count".to_owned(),
            robots: robots(known::AMAZON),
            directives: BASIC,
            honours: Honours::X_ROBOTS_TAG | Honours::HEADER_POSITIVES,
            outcomes: OutcomeTable::AMAZON,
            ai: AiRules::default().with_effect(AiEffect::new(
                Directives::NOARCHIVE,
                Uses::TRAIN,
                AiUse::Disallow,
            )),
            ..Self::usual()
        }
    }

    /// Returns the profile of a robot that keeps copies: the neutral profile, but `noindex` does not
    /// keep a page from being archived. Other archives do not obey `noindex` either.
    pub fn archiver() -> Self {
        Self {
            name: "archiver".to_owned(),
            about: "an archive: only noarchive forbids copies; noindex is reported, not obeyed"
                .to_owned(),
            directives: HONOURED
                .difference(Directives::NOINDEX)
                .difference(Directives::INDEX),
            ..Self::usual()
        }
    }

    /// Returns the profile for the question whether anyone may train a model with a page (`docs/semantics.md`,
    /// section 8.6): the neutral profile, but `may_train` is no if any known robot that trains, or collects data for
    /// others, may not fetch the page. The reason of the decision is the rule for that robot.
    ///
    /// The known robots are the entries of the table `AgentTable` that were verified with a source. That they may fetch a
    /// page is no statement about training: `ai_train` stays unknown.
    ///
    /// ```
    /// use robots_policy::{Permission, Policy, Profile, RobotsFetch};
    ///
    /// let policy = Policy::under(&Profile::any_ai_trainer(), "*")?;
    /// let body = b"User-agent: GPTBot\nDisallow: /";
    /// policy.learn("https://example.com/", RobotsFetch::Body(body))?;
    /// let decision = policy.decide("https://example.com/page", b"<body>");
    /// assert!(decision.may_fetch());
    /// assert_eq!(decision.may_train, Permission::No);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn any_ai_trainer() -> Self {
        let trainers = known::USES
            .iter()
            .filter(|known| known.uses.contains(Uses::TRAIN));
        let tokens = trainers.map(|known| {
            let mut token = UsageToken::new(known.token, Uses::TRAIN);
            token.obeys_star = Agent::known(known.token).obeys_star();
            token
        });
        Self {
            name: "any-ai-trainer".to_owned(),
            about: "AI training by anyone: may_train is no if the site forbids training, or keeps out any robot known to train AI"
                .to_owned(),
            // A statement of the owner counts wherever it is.
            honours: Honours::USUAL | Honours::BODY_METAS,
            ai: AiRules {
                tokens: tokens.collect(),
                ..AiRules::default()
            },
            ..Self::usual()
        }
    }

    /// Returns the profile of Koster's standard of 1996 (`docs/semantics.md`, section 3.2). The first matching rule
    /// decides. Names of robots are compared as in "HTTP: The Definitive Guide". Failed requests have the meanings of
    /// the draft: 401 and 403 close a site, and a file stays fresh for seven days.
    pub fn koster1996() -> Self {
        Self {
            name: "koster1996".to_owned(),
            about: "Koster's standard of 1996; the first rule that matches decides".to_owned(),
            dialect: Dialect::KOSTER_1996,
            outcomes: OutcomeTable::KOSTER_1996,
            ..Self::usual()
        }
    }

    /// Returns an emulation of StormCrawler's reading of METAs (`docs/semantics.md`, section 5.9): only
    /// the first META named `robots` counts.
    pub fn stormcrawler() -> Self {
        Self {
            name: "stormcrawler".to_owned(),
            about: "an emulation: only the first META named robots counts".to_owned(),
            precedence: Precedence::FirstMetaOnly,
            ..Self::usual()
        }
    }

    /// Returns an emulation of Norconex' reading of headers (`docs/semantics.md`, section 5.9): METAs
    /// replace them. Norconex also reads only the first META and ignores `none`; the emulation does neither.
    pub fn norconex() -> Self {
        Self {
            name: "norconex".to_owned(),
            about: "an emulation: METAs replace headers".to_owned(),
            precedence: Precedence::HtmlOverHeader,
            ..Self::usual()
        }
    }

    /// Returns an emulation of HTTP Archive's reading of several METAs (`docs/semantics.md`, section
    /// 5.9): the last directive counts. HTTP Archive also ignores headers that name no robot; the emulation
    /// does not.
    pub fn http_archive() -> Self {
        Self {
            name: "http-archive".to_owned(),
            about: "an emulation: the last directive counts".to_owned(),
            conflict: Conflict::LastWins,
            ..Self::usual()
        }
    }

    /// Returns a profile in which directives that name a robot replace those for every robot, as in
    /// robots.txt. No engine does so (`docs/semantics.md`, section 8.4).
    pub fn specific_overrides() -> Self {
        Self {
            name: "specific-overrides".to_owned(),
            about: "an emulation: directives that name a robot replace those for all".to_owned(),
            precedence: Precedence::SpecificOverrides,
            ..Self::usual()
        }
    }
}

impl FromStr for Profile {
    type Err = UnknownName;

    /// Returns the built-in profile of this name.
    fn from_str(name: &str) -> Result<Self, UnknownName> {
        Self::of_name(name).cloned()
    }
}

impl LinkRule {
    /// Returns the rule of the built-in profile of this name. A decision that was deserialised has only the name of its
    /// profile. Any other name counts as strict.
    pub(crate) fn of_built_in(name: &str) -> Self {
        if name == "google" {
            Self::Hint
        } else {
            Self::Strict
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn profiles_have_their_name_and_a_robot() {
        let mut abouts = HashSet::new();
        for (name, profile) in BUILT_IN {
            let profile = profile();
            assert_eq!(profile.name(), *name);
            assert!(abouts.insert(profile.about().to_owned()), "{name}");
            // Where an engine has a dialect, it is that of its profile.
            if let Some(dialect) = Dialect::by_name(name) {
                assert_eq!(profile.dialect().name(), dialect.name());
            }
            assert!(!profile.robots().is_empty(), "{name}");
            assert_eq!(profile.links, LinkRule::of_built_in(name));
            assert!(profile.dialect().allows_itself(b"/robots.txt"), "{name}");
            assert_eq!(name.parse(), Ok(profile.clone()));
            // A dialect alone may leave it to its callers.
            let dialect = profile.dialect().with_own_path(OwnPath::LikeAnyOther);
            assert_eq!(of_crawlers(dialect), profile.dialect);
        }
        let error = |name: &str| name.parse::<Profile>().unwrap_err().to_string();
        assert_eq!(
            error("Google"),
            "unknown profile \"Google\"; did you mean \"google\"?"
        );
        assert!(
            error("altavista")
                .starts_with("unknown profile \"altavista\": expected one of neutral, ")
        );
        assert_eq!(Profile::all().count(), BUILT_IN.len());
    }

    #[cfg(feature = "toml")]
    #[test]
    fn known_robots_are_read_as_their_operators_do() {
        for robot in crate::profile::AgentTable::built_in().iter() {
            let expected = robot.profile.as_deref().unwrap_or(Profile::NEUTRAL);
            for name in [robot.token.to_uppercase(), format!("{}/2.1", robot.token)] {
                assert_eq!(Profile::of_robot(&name).name(), expected, "{name}");
            }
        }
        for name in ["*", "", "ExampleBot", "Googlebot-Unknown", "google"] {
            assert_eq!(*Profile::of_robot(name), Profile::neutral(), "{name}");
        }
    }

    #[test]
    fn robots_have_their_known_fallbacks() {
        for profile in Profile::all() {
            for robot in profile.robots() {
                assert_eq!(
                    *robot.agent(),
                    Agent::known(robot.name()),
                    "{}",
                    robot.name()
                );
                let takes_robots = robot.meta_names().iter().any(|name| name == "robots");
                let ignores_robots = robot.ignored_meta_names() == ["robots"];
                assert_ne!(takes_robots, ignores_robots, "{}", robot.name());
            }
        }
    }

    #[test]
    fn robots_are_found_by_name_or_created() {
        let google = Profile::google();
        assert_eq!(
            google.robot("googlebot-news").meta_names(),
            ["robots", "Googlebot-News", "googlebot"]
        );
        assert_eq!(google.robot("Googlebot/2.1").name(), "Googlebot");
        assert_eq!(google.robot(" ").name(), "*");
        let own = google.robot("ExampleBot/1.0");
        assert_eq!(own.meta_names(), ["robots", "ExampleBot"]);
        assert_eq!(own.name(), "ExampleBot");
        assert!(!google.robot("adsbot-google").agent().obeys_star());
    }
}
