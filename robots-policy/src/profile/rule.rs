//! How many statements of a page become one, and which count at all (`docs/semantics.md`, sections 8.4, 8.5).

use bitflags::bitflags;

/// Which statements count, where headers and METAs, those for every robot and those for one, say
/// something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Precedence {
    /// All together: what is said to every robot and to this one, in headers and in METAs.
    #[default]
    Together,
    /// What is said to this robot by name replaces what is said to every robot.
    SpecificOverrides,
    /// Of METAs, the first that speaks to every robot alone; what is said to a robot by name does not
    /// count, in headers either (StormCrawler; `docs/semantics.md`, section 5.9).
    FirstMetaOnly,
    /// METAs replace headers, if there are any (Norconex; `docs/semantics.md`, section 5.9).
    HtmlOverHeader,
}

/// Which of several statements decides that say different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Conflict {
    /// The most restrictive: any `noindex`, the least limit, the earliest date.
    #[default]
    Strictest,
    /// The most permissive: any `index` that is said (Yandex; `docs/semantics.md`, section 2.5).
    MostPermissive,
    /// The last, METAs behind headers (HTTP Archive; `docs/semantics.md`, section 5.9).
    LastWins,
}

/// How many statements become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MergeRule {
    /// Which count.
    precedence: Precedence,
    /// Which of those decides.
    conflict: Conflict,
}

impl MergeRule {
    /// A rule.
    pub const fn new(precedence: Precedence, conflict: Conflict) -> Self {
        Self {
            precedence,
            conflict,
        }
    }

    /// Which statements count.
    pub const fn precedence(self) -> Precedence {
        self.precedence
    }

    /// Which of those decides.
    pub const fn conflict(self) -> Conflict {
        self.conflict
    }
}

/// What `rel=nofollow`, `ugc` and `sponsored` say of a link (`docs/semantics.md`, sections 5.8, 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LinkRule {
    /// It is not followed.
    #[default]
    Strict,
    /// A hint (Google, since 2020-03-01).
    Hint,
}

bitflags! {
    /// What counts, besides rules and directives without a value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Honours: u16 {
        /// `Crawl-delay` of robots.txt; from which group is the dialect's affair.
        const CRAWL_DELAY = 1;
        /// `Request-rate` of robots.txt.
        const REQUEST_RATE = 1 << 1;
        /// `Visit-time` of robots.txt: at other times, fetching is deferred.
        const VISIT_TIME = 1 << 2;
        /// `X-Robots-Tag` headers.
        const X_ROBOTS_TAG = 1 << 3;
        /// `Robots-Tag` headers (`docs/semantics.md`, section 4.2).
        const ROBOTS_TAG = 1 << 4;
        /// `index`, `follow` and `archive` in headers; where they do not count there, they do in
        /// METAs (`docs/semantics.md`, section 2.5).
        const HEADER_POSITIVES = 1 << 5;
        /// `max-snippet`, `max-image-preview` and `max-video-preview`.
        const LIMITS = 1 << 6;
        /// `unavailable_after`.
        const UNAVAILABLE_AFTER = 1 << 7;
        /// METAs in BODY: the whole page is read where there may be one behind HEAD
        /// (`docs/semantics.md`, section 5.1).
        const BODY_METAS = 1 << 8;
    }
}

impl Honours {
    /// What robots honour that say nothing else: all but METAs in BODY.
    pub const USUAL: Self = Self::all().difference(Self::BODY_METAS);

    /// The names by which files know them.
    #[cfg(feature = "toml")]
    pub(crate) const NAMES: [(&'static str, Self); 9] = [
        ("crawl-delay", Self::CRAWL_DELAY),
        ("request-rate", Self::REQUEST_RATE),
        ("visit-time", Self::VISIT_TIME),
        ("x-robots-tag", Self::X_ROBOTS_TAG),
        ("robots-tag", Self::ROBOTS_TAG),
        ("header-positives", Self::HEADER_POSITIVES),
        ("limits", Self::LIMITS),
        ("unavailable-after", Self::UNAVAILABLE_AFTER),
        ("body-metas", Self::BODY_METAS),
    ];
}
