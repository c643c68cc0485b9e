//! The filter of the decisions that are written.

use robots_policy::{Decision, Fetch, Index, Permission};

/// A filter of decisions by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// The page may be fetched.
    Allowed,
    /// The page may not be fetched, or not now.
    Denied,
    /// The page may be indexed.
    Indexed,
    /// The page may not be indexed.
    Noindex,
    /// Its links may not be followed.
    Nofollow,
    /// No copy may be kept.
    Noarchive,
    /// Nothing forbids training models with the page.
    Trainable,
    /// It is not known whether the page may be fetched or indexed.
    Unknown,
    /// The decision has warnings.
    Warnings,
}

impl Filter {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Allowed,
        Self::Denied,
        Self::Indexed,
        Self::Noindex,
        Self::Nofollow,
        Self::Noarchive,
        Self::Trainable,
        Self::Unknown,
        Self::Warnings,
    ];

    /// Returns the name of the kind: `noindex`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Indexed => "indexed",
            Self::Noindex => "noindex",
            Self::Nofollow => "nofollow",
            Self::Noarchive => "noarchive",
            Self::Trainable => "trainable",
            Self::Unknown => "unknown",
            Self::Warnings => "warnings",
        }
    }

    /// Returns a few words about the kind, for help texts.
    pub fn about(self) -> &'static str {
        match self {
            Self::Allowed => "May be fetched",
            Self::Denied => "May not be fetched, or not now",
            Self::Indexed => "May be indexed",
            Self::Noindex => "May not be indexed",
            Self::Nofollow => "Links may not be followed",
            Self::Noarchive => "No copy may be kept",
            Self::Trainable => "Nothing forbids training models with it",
            Self::Unknown => "Fetch or index is unknown",
            Self::Warnings => "Has warnings",
        }
    }

    /// Returns whether a decision is of this kind.
    pub fn matches(self, decision: &Decision) -> bool {
        match self {
            Self::Allowed => decision.fetch == Fetch::Allow,
            Self::Denied => matches!(decision.fetch, Fetch::Disallow | Fetch::Defer),
            Self::Indexed => decision.index == Index::Yes,
            Self::Noindex => matches!(decision.index, Index::No | Index::UrlOnly),
            Self::Nofollow => decision.follow == Permission::No,
            Self::Noarchive => decision.archive == Permission::No,
            Self::Trainable => decision.may_train == Permission::Yes,
            Self::Unknown => decision.fetch == Fetch::Unknown || decision.index == Index::Unknown,
            Self::Warnings => !decision.warnings.is_empty(),
        }
    }
}
