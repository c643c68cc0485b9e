//! The profiles that come with the crate (SEMANTICS 2, 8; documentation read on 2026-11-20).

use super::{
    AiEffect, AiRules, Conflict, Honours, LinkRule, MergeRule, Precedence, Profile, Robot,
    UsageToken, Uses,
};
use crate::answer::AiUse;
use crate::robots::OutcomeTable;
use robots_meta::Directives;
use robots_txt::Dialect;

/// The directives that somebody honours: not those that are for nothing any more.
pub(crate) const HONOURED: Directives = Directives::all()
    .difference(Directives::NOSITELINKSSEARCHBOX)
    .difference(Directives::NOODP)
    .difference(Directives::NOYDIR)
    .difference(Directives::NOYACA);

const NO_ARCHIVE: Directives = Directives::NOARCHIVE.union(Directives::NOCACHE);

/// What is against the training of AI, and says nothing else.
const AI: Directives = Directives::NOAI
    .union(Directives::NOIMAGEAI)
    .union(Directives::DISALLOW_AI_TRAINING)
    .union(Directives::ALLOW_AI_TRAINING);

/// One of the built-in profiles: its name, and what makes it.
type BuiltIn = (&'static str, fn() -> Profile);

const BUILT_IN: &[BuiltIn] = &[
    (Profile::NEUTRAL, Profile::neutral),
    ("google", Profile::google),
    ("bing", Profile::bing),
    ("yandex", Profile::yandex),
    ("baidu", Profile::baidu),
    ("apple", Profile::apple),
    ("seznam", Profile::seznam),
    ("archiver", Profile::archiver),
    ("koster1996", Profile::koster1996),
    ("stormcrawler", Profile::stormcrawler),
    ("norconex", Profile::norconex),
    ("http-archive", Profile::http_archive),
    ("specific-overrides", Profile::specific_overrides),
];

impl Profile {
    /// Every built-in profile, the neutral one first.
    pub fn all() -> impl Iterator<Item = Self> {
        BUILT_IN.iter().map(|(_, profile)| profile())
    }

    /// The built-in profile of this name.
    pub fn by_name(name: &str) -> Option<Self> {
        BUILT_IN
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, profile)| profile())
    }

    /// Nobody's: RFC 9309, everything that a page can say is honoured, and the most restrictive counts.
    pub fn neutral() -> Self {
        Self {
            name: Self::NEUTRAL.to_owned(),
            about: "RFC 9309; the most restrictive of what is said counts".to_owned(),
            robots: vec![Robot::new("*")],
            dialect: Dialect::RFC9309,
            merge: MergeRule::default(),
            directives: HONOURED,
            honours: Honours::USUAL,
            links: LinkRule::Strict,
            outcomes: OutcomeTable::RFC9309,
            ai: AiRules::new(),
        }
    }

    /// Google (SEMANTICS 2.1 to 2.3, 5.1). Crawl-delay is not supported, `noarchive` has no effect since
    /// 2024, METAs count in BODY too. that `Robots-Tag` counts as `X-Robots-Tag` does is the reading of SEMANTICS 8.4, for Bing and Apple
    /// too. `nosnippet` keeps the page out of AI Overviews and AI Mode;
    /// `Google-Extended` is for the training of Gemini and its grounding.
    pub fn google() -> Self {
        let googlebot = |token| Robot::new(token).answering_to(["googlebot"]);
        Self::neutral()
            .named(
                "google",
                "Google, whose robots sum up what is said to them; noarchive has no effect",
            )
            .with_robots([
                Robot::new("Googlebot"),
                googlebot("Googlebot-Image"),
                googlebot("Googlebot-Video"),
                googlebot("Googlebot-News"),
                googlebot("Google-CloudVertexBot"),
                Robot::new("Storebot-Google"),
                Robot::new("GoogleOther"),
                Robot::new("GoogleOther-Image"),
                Robot::new("GoogleOther-Video"),
                Robot::new("AdsBot-Google"),
                Robot::new("AdsBot-Google-Mobile"),
                Robot::new("Mediapartners-Google"),
                Robot::new("APIs-Google"),
                Robot::new("Google-Extended"),
            ])
            .with_dialect(Dialect::GOOGLE)
            .with_directives(
                HONOURED
                    .difference(NO_ARCHIVE)
                    .difference(Directives::ARCHIVE),
            )
            .with_honours(
                Honours::LIMITS
                    | Honours::UNAVAILABLE_AFTER
                    | Honours::X_ROBOTS_TAG
                    | Honours::ROBOTS_TAG
                    | Honours::HEADER_POSITIVES
                    | Honours::BODY_METAS,
            )
            .with_links(LinkRule::Hint)
            .with_outcomes(OutcomeTable::GOOGLE)
            .with_ai(
                AiRules::new()
                    .with_token(UsageToken::new(
                        "Google-Extended",
                        Uses::TRAIN | Uses::INPUT,
                    ))
                    .with_effect(AiEffect::new(
                        Directives::NOSNIPPET.union(Directives::NOINDEX),
                        Uses::INPUT,
                        AiUse::Disallow,
                    )),
            )
    }

    /// Bing (SEMANTICS 2.4): Crawl-delay of its own group or of `*`; `noarchive` and `nocache` are for
    /// Copilot and training.
    pub fn bing() -> Self {
        let both = Uses::TRAIN | Uses::INPUT;
        Self::neutral()
            .named(
                "bing",
                "Bing; noarchive and nocache are about Copilot, Crawl-delay counts",
            )
            .with_robots([Robot::new("bingbot").answering_to(["msnbot"])])
            .with_dialect(Dialect::BING)
            .with_directives(HONOURED)
            .with_honours(
                Honours::USUAL
                    .difference(Honours::REQUEST_RATE)
                    .difference(Honours::VISIT_TIME),
            )
            .with_outcomes(OutcomeTable::BING)
            .with_ai(
                AiRules::new()
                    .with_effect(AiEffect::new(Directives::NOARCHIVE, both, AiUse::Disallow))
                    .with_effect(AiEffect::new(Directives::NOCACHE, both, AiUse::Limited))
                    .with_effect(AiEffect::new(
                        Directives::NOINDEX,
                        Uses::INPUT,
                        AiUse::Disallow,
                    )),
            )
    }

    /// Yandex (SEMANTICS 2.5): what allows has priority, but in headers only what forbids is heard;
    /// `unavailable_after` and limits are not.
    pub fn yandex() -> Self {
        let robot = |token| Robot::new(token).answering_to(["yandex"]);
        Self::neutral()
            .named(
                "yandex",
                "Yandex, to which a directive that allows has priority",
            )
            .with_robots([
                robot("YandexBot"),
                robot("YandexImages"),
                robot("YandexVideo"),
                robot("YandexNews"),
            ])
            .with_dialect(Dialect::YANDEX)
            .with_merge(MergeRule::new(
                Precedence::Together,
                Conflict::MostPermissive,
            ))
            .with_directives(
                Directives::ALL
                    | Directives::NONE
                    | Directives::ARCHIVE
                    | Directives::NOARCHIVE
                    | AI,
            )
            .with_honours(Honours::X_ROBOTS_TAG)
            .with_outcomes(OutcomeTable::YANDEX)
    }

    /// Baidu (SEMANTICS 2.6, from secondary sources): no `noindex` is documented.
    pub fn baidu() -> Self {
        Self::neutral()
            .named(
                "baidu",
                "Baidu; the first rule that matches decides, noindex is not documented",
            )
            .with_robots([Robot::new("Baiduspider")])
            .with_dialect(Dialect::BAIDU)
            .with_directives(
                Directives::FOLLOW
                    | Directives::NOFOLLOW
                    | Directives::ARCHIVE
                    | Directives::NOARCHIVE
                    | AI,
            )
            .with_honours(Honours::empty())
            .with_outcomes(OutcomeTable::BAIDU)
    }

    /// Apple (SEMANTICS 2.8): Applebot obeys the groups of Googlebot where none names it;
    /// `nosnippet` keeps a page from being the context of answers. Limits and dates are not among the
    /// directives that Apple lists; the stricter reading is taken (SEMANTICS 8.4).
    pub fn apple() -> Self {
        Self::neutral()
            .named(
                "apple",
                "Apple; Applebot obeys Googlebot's groups where it has none",
            )
            .with_robots([Robot::new("Applebot"), Robot::new("Applebot-Extended")])
            .with_dialect(Dialect::APPLE)
            .with_directives(Directives::ALL | Directives::NONE | Directives::NOSNIPPET | AI)
            .with_honours(
                Honours::X_ROBOTS_TAG
                    | Honours::ROBOTS_TAG
                    | Honours::HEADER_POSITIVES
                    | Honours::LIMITS
                    | Honours::UNAVAILABLE_AFTER,
            )
            .with_ai(
                AiRules::new()
                    .with_token(UsageToken::new("Applebot-Extended", Uses::TRAIN))
                    .with_effect(AiEffect::new(
                        Directives::NOSNIPPET,
                        Uses::INPUT,
                        AiUse::Disallow,
                    )),
            )
    }

    /// Seznam (SEMANTICS 2.7): request rates with hours; that headers are not read is a secondary
    /// claim.
    pub fn seznam() -> Self {
        Self::neutral()
            .named("seznam", "Seznam; Request-rate counts, headers do not")
            .with_robots([Robot::new("SeznamBot")])
            .with_dialect(Dialect::SEZNAM)
            .with_honours(
                Honours::REQUEST_RATE
                    | Honours::CRAWL_DELAY
                    | Honours::LIMITS
                    | Honours::UNAVAILABLE_AFTER,
            )
    }

    /// A robot that keeps copies: as the neutral one, and what is against a copy counts. That a page
    /// is not to be indexed does not keep it from being archived, as for other archives.
    pub fn archiver() -> Self {
        Self::neutral()
            .named(
                "archiver",
                "an archive: copies are kept unless noarchive is said; noindex is told, not obeyed",
            )
            .with_directives(
                HONOURED
                    .difference(Directives::NOINDEX)
                    .difference(Directives::INDEX),
            )
    }

    /// A robot of the draft of 1996 (SEMANTICS 3.2): the first rule that matches decides; 401 and 403
    /// close a site; files hold for seven days.
    pub fn koster1996() -> Self {
        Self::neutral()
            .named("koster1996", "the Internet draft of 1996")
            .with_dialect(Dialect::KOSTER_1996)
            .with_outcomes(OutcomeTable::KOSTER_1996)
    }

    /// StormCrawler's way with METAs, emulated (SEMANTICS 5.9): the first META named `robots` alone.
    pub fn stormcrawler() -> Self {
        Self::neutral()
            .named(
                "stormcrawler",
                "an emulation: of METAs, the first named robots alone",
            )
            .with_merge(MergeRule::new(
                Precedence::FirstMetaOnly,
                Conflict::Strictest,
            ))
    }

    /// Norconex' way with headers, emulated (SEMANTICS 5.9): METAs replace them. That it reads the
    /// first META alone, and ignores `none`, is not.
    pub fn norconex() -> Self {
        Self::neutral()
            .named("norconex", "an emulation: METAs replace headers")
            .with_merge(MergeRule::new(
                Precedence::HtmlOverHeader,
                Conflict::Strictest,
            ))
    }

    /// HTTP Archive's way with several METAs, emulated (SEMANTICS 5.9): the last directive counts. That
    /// it hears headers only where they name a robot is not.
    pub fn http_archive() -> Self {
        Self::neutral()
            .named(
                "http-archive",
                "an emulation: the last of what is said counts",
            )
            .with_merge(MergeRule::new(Precedence::Together, Conflict::LastWins))
    }

    /// What is said to a robot by name replaces what is said to all, emulated: as in robots.txt, but
    /// as no engine does it (SEMANTICS 8.4).
    pub fn specific_overrides() -> Self {
        Self::neutral()
            .named(
                "specific-overrides",
                "an emulation: what is said to a robot by name replaces what is said to all",
            )
            .with_merge(MergeRule::new(
                Precedence::SpecificOverrides,
                Conflict::Strictest,
            ))
    }
}

impl LinkRule {
    /// Returns the rule of the built-in profile of this name; that of any other profile is taken for
    /// strict.
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
    use robots_txt::Agent;

    #[test]
    fn each_has_its_name_and_a_robot() {
        for (name, profile) in BUILT_IN {
            let profile = profile();
            assert_eq!(profile.name(), *name);
            assert!(!profile.about().is_empty(), "{name}");
            assert!(!profile.robots().is_empty(), "{name}");
            assert_eq!(profile.links(), LinkRule::of_built_in(name));
            assert_eq!(Profile::by_name(name), Some(profile));
        }
        assert_eq!(Profile::by_name("Google"), None);
        assert_eq!(Profile::all().count(), BUILT_IN.len());
    }

    #[test]
    fn robots_obey_the_groups_that_they_are_known_for() {
        for profile in Profile::all() {
            for robot in profile.robots() {
                assert_eq!(
                    *robot.agent(),
                    Agent::known(robot.name()),
                    "{}",
                    robot.name()
                );
                assert_eq!(robot.names().first().map(String::as_str), Some("robots"));
            }
        }
    }

    #[test]
    fn a_robot_is_found_by_name_and_any_other_is_its_own() {
        let google = Profile::google();
        assert_eq!(
            google.robot("googlebot-news").names(),
            ["robots", "Googlebot-News", "googlebot"]
        );
        assert_eq!(google.robot("Googlebot/2.1").name(), "Googlebot");
        assert_eq!(google.robot(" ").name(), "*");
        let own = google.robot("ExampleBot/1.0");
        assert_eq!(own.names(), ["robots", "ExampleBot"]);
        assert_eq!(own.name(), "ExampleBot");
        assert!(!google.robot("adsbot-google").agent().takes_star());
    }
}
