//! The filter of the decisions that are written.

use super::RowContext;
use robots_policy::{Decision, Fetch, Index, Permission};

/// A filter of decisions by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// The page may be fetched: `fetch` is `allow`.
    Allowed,
    /// The page may not be fetched, or not now: `fetch` is `disallow` or `defer`.
    Denied,
    /// The page may be indexed: `index` is `yes`.
    Indexed,
    /// Only the URL of the page may be indexed: `index` is `url_only`.
    UrlOnly,
    /// The page may not be indexed: `index` is `no`.
    Noindex,
    /// Its links may not be followed: `follow` is `no`.
    Nofollow,
    /// No copy may be kept: `archive` is `no`.
    Noarchive,
    /// Nothing forbids training models with the page: `may_train` is `yes`.
    Trainable,
    /// Models may not be trained with the page: `may_train` is `no`.
    NotTrainable,
    /// It is not known whether the page may be fetched or indexed: `fetch` or `index` is `unknown`.
    Unknown,
    /// The decision has warnings.
    Warnings,
    /// A team recorded another decision ([`overrides`](crate::overrides)).
    Overridden,
    /// Another decision about the page is not the same: that of the robot under another profile, or if each robot has one profile, that
    /// of another robot.
    Differs,
}

impl Filter {
    /// All kinds.
    pub const ALL: &[Self] = &[
        Self::Allowed,
        Self::Denied,
        Self::Indexed,
        Self::UrlOnly,
        Self::Noindex,
        Self::Nofollow,
        Self::Noarchive,
        Self::Trainable,
        Self::NotTrainable,
        Self::Unknown,
        Self::Warnings,
        Self::Overridden,
        Self::Differs,
    ];

    /// Returns the name of the kind, and a few words about it.
    fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::Allowed => ("allowed", "fetch is allow"),
            Self::Denied => ("denied", "fetch is disallow or defer"),
            Self::Indexed => ("indexed", "index is yes"),
            Self::UrlOnly => (
                "url-only",
                "index is url_only: the URL alone may be indexed",
            ),
            Self::Noindex => ("noindex", "index is no"),
            Self::Nofollow => ("nofollow", "follow is no"),
            Self::Noarchive => ("noarchive", "archive is no"),
            Self::Trainable => (
                "trainable",
                "may_train is yes: nothing forbids training models with it",
            ),
            Self::NotTrainable => ("not-trainable", "may_train is no"),
            Self::Unknown => ("unknown", "fetch or index is unknown"),
            Self::Warnings => ("warnings", "The decision has warnings"),
            Self::Overridden => ("overridden", "An override applies (--overrides)"),
            Self::Differs => (
                "differs",
                "Profiles (or else robots) differ; names the fields",
            ),
        }
    }

    /// Returns the name of the kind: `noindex`.
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Returns a few words about the kind, for help texts.
    pub fn about(self) -> &'static str {
        self.facts().1
    }

    /// Returns whether the decision of a row is of this kind.
    pub fn matches(self, row: &RowContext<'_>, decision: &Decision) -> bool {
        match self {
            Self::Allowed => decision.fetch == Fetch::Allow,
            Self::Denied => matches!(decision.fetch, Fetch::Disallow | Fetch::Defer),
            Self::Indexed => decision.index == Index::Yes,
            Self::UrlOnly => decision.index == Index::UrlOnly,
            Self::Noindex => decision.index == Index::No,
            Self::Nofollow => decision.follow == Permission::No,
            Self::Noarchive => decision.archive == Permission::No,
            Self::Trainable => decision.may_train == Permission::Yes,
            Self::NotTrainable => decision.may_train == Permission::No,
            Self::Unknown => decision.fetch == Fetch::Unknown || decision.index == Index::Unknown,
            Self::Warnings => !decision.warnings.is_empty(),
            Self::Overridden => row.overridden.is_some(),
            Self::Differs => !row.differs.is_empty(),
        }
    }
}
