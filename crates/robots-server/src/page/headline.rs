//! The answer in words: the headline of the page, and the findings below it.

use robots_answers::engine_name;
use robots_policy::Decision;
use robots_policy::decision::Permission;
use robots_policy::{Fetch, Index};

/// What an engine may do with a page, as the headline distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// It may fetch and index the page.
    Indexes,
    /// It may fetch the page, and not index it.
    FetchesOnly,
    /// It may fetch the page; whether it may index it is not known.
    FetchesPerhapsIndexes,
    /// It may not fetch the page now.
    Later,
    /// It may not fetch the page.
    Nothing,
    /// Whether it may fetch the page is not known.
    Unknown,
}

impl Use {
    fn of(decision: &Decision) -> Self {
        match (decision.fetch, decision.index) {
            (Fetch::Disallow, _) => Self::Nothing,
            (Fetch::Defer, _) => Self::Later,
            (Fetch::Unknown, _) => Self::Unknown,
            (_, Index::Yes) => Self::Indexes,
            (_, Index::No) => Self::FetchesOnly,
            _ => Self::FetchesPerhapsIndexes,
        }
    }

    /// Returns the answer for all engines.
    fn of_all(self) -> &'static str {
        match self {
            Self::Indexes => "Every engine may fetch and index this page",
            Self::FetchesOnly => "Every engine may fetch this page, and none may index it",
            Self::FetchesPerhapsIndexes => {
                "Every engine may fetch this page; whether they may index it is not known"
            }
            Self::Later => "No engine may fetch this page now",
            Self::Nothing => "No engine may fetch this page",
            Self::Unknown => "It is not known whether engines may fetch this page",
        }
    }

    /// Returns the answer for one engine, after its name.
    fn of_one(self) -> &'static str {
        match self {
            Self::Indexes => "may fetch and index this page",
            Self::FetchesOnly => "may fetch this page, but not index it",
            Self::FetchesPerhapsIndexes => "may fetch this page",
            Self::Later => "may not fetch this page now",
            Self::Nothing => "may not fetch this page",
            Self::Unknown => "is not known to be allowed",
        }
    }
}

/// Returns the headline: the answer for the first engine, and how many others differ.
pub(super) fn headline(decisions: &[Decision]) -> String {
    let uses: Vec<Use> = decisions.iter().map(Use::of).collect();
    let (Some(first), [first_use, rest @ ..]) = (decisions.first(), uses.as_slice()) else {
        return "No engine was asked".to_owned();
    };
    if rest.iter().all(|other| other == first_use) {
        return first_use.of_all().to_owned();
    }
    if uses
        .iter()
        .all(|one| matches!(one, Use::Later | Use::Nothing))
    {
        return Use::Later.of_all().to_owned();
    }
    let all = uses.len();
    let same = uses.iter().filter(|&other| other == first_use).count();
    let indexing = uses.iter().filter(|&&other| other == Use::Indexes).count();
    let fetches = |one: &&Use| !matches!(one, Use::Later | Use::Nothing | Use::Unknown);
    let fetching = uses.iter().filter(fetches).count();
    let others = match first_use {
        Use::Indexes => format!("{} of {all} engines may not", all - same),
        _ if indexing > 0 => format!("{indexing} of {all} engines may fetch and index it"),
        Use::Later | Use::Nothing if fetching > 0 => format!("{fetching} of {all} engines may"),
        _ => format!("{} of {all} engines differ", all - same),
    };
    format!(
        "{} {}; {others}",
        engine_name(&first.profile),
        first_use.of_one()
    )
}

/// Returns the answer about several URLs: for how many the first engine may fetch them, and for how many all may.
/// `by_url` has the decisions of all engines about each URL.
pub(super) fn headline_of_urls(by_url: &[Vec<Decision>]) -> String {
    let may = |decision: &Decision| decision.may_fetch();
    let all = by_url.len();
    let first = by_url.iter().filter(|of| of.first().is_some_and(may));
    let every = by_url.iter().filter(|of| of.iter().all(may)).count();
    let none = by_url.iter().filter(|of| !of.iter().any(may)).count();
    if every == all {
        return format!("Every engine may fetch all {all} URLs");
    }
    if none == all {
        return format!("No engine may fetch any of the {all} URLs");
    }
    let name = by_url.iter().flatten().next();
    let name = name.map_or("", |decision| engine_name(&decision.profile));
    let is = if every == 1 { "is" } else { "are" };
    format!(
        "{name} may fetch {} of {all} URLs; {every} {is} open to every engine",
        first.count()
    )
}

/// Returns what the decisions say about training, in a sentence.
pub(super) fn training(decisions: &[Decision]) -> String {
    let all = decisions.len();
    let count = |permission: Permission| {
        let with = decisions.iter().filter(|one| one.may_train == permission);
        with.count()
    };
    let (no, unknown) = (count(Permission::No), count(Permission::Unknown));
    if no == all {
        "No engine may train AI with it.".to_owned()
    } else if no > 0 {
        format!("{no} of {all} engines may not train AI with it.")
    } else if unknown > 0 {
        "Whether AI may be trained with it is not known.".to_owned()
    } else {
        "Nothing forbids to train AI with it.".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Page, Policy, Profile, RobotsFetch};

    fn decide(robots: RobotsFetch<'_>, html: &str) -> Vec<Decision> {
        let decide = |profile: &str| {
            let profile: Profile = profile.parse().unwrap();
            let policy = Policy::under(&profile, profile.agent()).unwrap();
            let page = Page::new("https://example.com/x").with_html(html.as_bytes());
            policy.decide_under(&policy.robots(robots), &page)
        };
        ["google", "bing", "seznam"].map(decide).to_vec()
    }

    #[test]
    fn headlines_say_what_engines_may_do() {
        for (robots, html, headline) in [
            ("", "", "Every engine may fetch and index this page"),
            (
                "User-agent: *\nDisallow: /",
                "",
                "No engine may fetch this page",
            ),
            (
                "",
                "<meta name=robots content=noindex>",
                "Every engine may fetch this page, and none may index it",
            ),
            (
                "User-agent: bingbot\nDisallow: /",
                "",
                "Google may fetch and index this page; 1 of 3 engines may not",
            ),
            (
                "User-agent: Googlebot\nDisallow: /",
                "",
                "Google may not fetch this page; 2 of 3 engines may fetch and index it",
            ),
            (
                "User-agent: Googlebot\nDisallow: /",
                "<meta name=robots content=noindex>",
                "Google may not fetch this page; 2 of 3 engines may",
            ),
            (
                "",
                "<meta name=googlebot content=noindex>",
                "Google may fetch this page, but not index it; 2 of 3 engines may fetch and index it",
            ),
        ] {
            let decisions = decide(RobotsFetch::Body(robots.as_bytes()), html);
            assert_eq!(super::headline(&decisions), headline);
        }
        let unavailable = decide(RobotsFetch::Status(503), "");
        assert_eq!(
            super::headline(&unavailable),
            "No engine may fetch this page now"
        );
        let unknown = decide(RobotsFetch::NotFetched, "");
        assert_eq!(
            super::headline(&unknown),
            "It is not known whether engines may fetch this page"
        );
        assert_eq!(super::headline(&[]), "No engine was asked");
    }

    #[test]
    fn several_urls_are_counted() {
        let open = || decide(RobotsFetch::Body(b""), "");
        let closed = || decide(RobotsFetch::Body(b"User-agent: *\nDisallow: /"), "");
        let bing = || decide(RobotsFetch::Body(b"User-agent: bingbot\nDisallow: /"), "");
        assert_eq!(
            headline_of_urls(&[open(), open()]),
            "Every engine may fetch all 2 URLs"
        );
        assert_eq!(
            headline_of_urls(&[closed(), closed()]),
            "No engine may fetch any of the 2 URLs"
        );
        assert_eq!(
            headline_of_urls(&[open(), closed(), bing()]),
            "Google may fetch 2 of 3 URLs; 1 is open to every engine"
        );
    }

    #[test]
    fn training_is_counted() {
        let of = |robots: &str, html: &str| {
            training(&decide(RobotsFetch::Body(robots.as_bytes()), html))
        };
        assert_eq!(of("", "<p>"), "Nothing forbids to train AI with it.");
        assert_eq!(
            of("", "<meta name=robots content=noai>"),
            "No engine may train AI with it."
        );
        assert_eq!(
            of("User-agent: bingbot\nDisallow: /", "<p>"),
            "1 of 3 engines may not train AI with it."
        );
    }
}
