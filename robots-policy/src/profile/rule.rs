//! Merge rules: the statements of a page that count, and the one that decides (`docs/semantics.md`,
//! sections 8.4, 8.5).

use bitflags::bitflags;

/// The choice of the statements that count: headers or METAs, for every robot or for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Precedence {
    /// All count: in headers and METAs, for every robot and for this one.
    #[default]
    Together,
    /// Statements that name this robot replace those for every robot.
    SpecificOverrides,
    /// Headers for every robot count, and the first META for every robot. Later METAs do not count, nor do METAs and
    /// headers that name a robot (StormCrawler; `docs/semantics.md`, section 5.9).
    FirstMetaOnly,
    /// METAs replace headers, if the page has METAs (Norconex; `docs/semantics.md`, section 5.9).
    HtmlOverHeader,
}

/// The choice of the statement that decides if several differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Conflict {
    /// The most restrictive decides: any `noindex`, the lowest limit, the earliest date.
    #[default]
    Strictest,
    /// The most permissive decides: any explicit `index` (Yandex; `docs/semantics.md`, section 2.5).
    MostPermissive,
    /// The last decides; METAs come after headers (HTTP Archive; `docs/semantics.md`, section 5.9).
    LastWins,
}

/// The effect of `rel=nofollow`, `ugc` and `sponsored` on a link (`docs/semantics.md`, sections 5.8,
/// 8.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "toml", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "toml", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum LinkRule {
    /// The link is not followed.
    #[default]
    Strict,
    /// The value is a hint (Google, since 2020-03-01).
    Hint,
}

bitflags! {
    /// The statements and statuses that a robot honours, in addition to rules and directives without a value.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Honours: u16 {
        /// `Crawl-delay` of robots.txt; the dialect chooses the group that it is read from.
        const CRAWL_DELAY = 1;
        /// `Request-rate` of robots.txt.
        const REQUEST_RATE = 1 << 1;
        /// `Visit-time` of robots.txt: outside it, fetching is deferred.
        const VISIT_TIME = 1 << 2;
        /// `X-Robots-Tag` headers.
        const X_ROBOTS_TAG = 1 << 3;
        /// `Robots-Tag` headers (`docs/semantics.md`, section 4.2).
        const ROBOTS_TAG = 1 << 4;
        /// `index`, `follow` and `archive` in headers; without this flag, they count in METAs alone.
        const HEADER_POSITIVES = 1 << 5;
        /// `max-snippet`, `max-image-preview` and `max-video-preview`.
        const LIMITS = 1 << 6;
        /// `unavailable_after`.
        const UNAVAILABLE_AFTER = 1 << 7;
        /// METAs in BODY. If a page may have a META after HEAD, the whole page is read
        /// (`docs/semantics.md`, section 5.1).
        const BODY_METAS = 1 << 8;
        /// `none` as `noindex, nofollow, nosnippet` (Apple; `docs/semantics.md`, section 2.8).
        const NONE_IS_NOSNIPPET = 1 << 9;
        /// A status of 400 to 499 other than 429 keeps the page out of the index
        /// (`docs/semantics.md`, section 5.1).
        const CLIENT_ERRORS = 1 << 10;
        /// Any status other than 2xx and 304 keeps the page out of the index (Yandex; `docs/semantics.md`,
        /// section 2.5).
        const OTHER_STATUSES = 1 << 11;
    }
}

impl Honours {
    /// The statements that robots usually honour: all except METAs in BODY, `none` as `nosnippet`, and statuses.
    pub const USUAL: Self = Self::all()
        .difference(Self::BODY_METAS)
        .difference(Self::CLIENT_ERRORS)
        .difference(Self::OTHER_STATUSES)
        .difference(Self::NONE_IS_NOSNIPPET);
}
