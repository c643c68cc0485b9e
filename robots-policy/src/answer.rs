//! The answers of decisions: enums whose values have a name each, which is their serialised form.

/// Defines an enum whose variants have a name each, for display and serialisation.
macro_rules! answers {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$variant_doc])*
                #[cfg_attr(feature = "serde", serde(rename = $text))]
                $variant,
            )*
        }

        impl $name {
            /// All values, in order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// The names of all values, in order.
            pub const NAMES: &[&'static str] = &[$($text),*];

            /// Returns the name, as it is serialised.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}
pub(crate) use answers;

answers! {
    /// Whether the URL may be fetched.
    Fetch {
        /// It may.
        Allow = "allow",
        /// It may not.
        Disallow = "disallow",
        /// Not now: robots.txt could not be fetched and is to be requested again, or it allows other hours only.
        Defer = "defer",
        /// robots.txt is not known.
        Unknown = "unknown",
        /// The robot fetches nothing: it is a token for the use of content, such as `Google-Extended`.
        NotApplicable = "not_applicable",
    }
}

answers! {
    /// Whether the page's own statements, its METAs and headers, were read. The three ways of not reading
    /// them differ (`docs/semantics.md`, section 5.10).
    PageLayer {
        /// They were read.
        Seen = "seen",
        /// There are none: no HTML and no header, or no page (a status other than 2xx).
        Absent = "absent",
        /// They were not read, as the URL must not be fetched, or is not known to be allowed.
        Unseen = "unseen",
        /// The URL was not fetched yet, or nothing but the status and headers of its response is known.
        Unknown = "unknown",
    }
}

answers! {
    /// Whether the page may be indexed.
    Index {
        /// It may.
        Yes = "yes",
        /// It may not.
        No = "no",
        /// Its URL may, without its content: the page must not be fetched, so its own statements are not
        /// known.
        UrlOnly = "url_only",
        /// Not known yet.
        Unknown = "unknown",
    }
}

answers! {
    /// Whether something may be done with the page.
    Permission {
        /// It may.
        Yes = "yes",
        /// It may not.
        No = "no",
        /// Not known yet.
        Unknown = "unknown",
    }
}

answers! {
    /// Whether AI may use content in some way, as far as there are statements (`docs/semantics.md`, section
    /// 8.6).
    AiUse {
        /// It may.
        Allow = "allow",
        /// It may under conditions: use the URL, title and snippet alone, or as a licence says.
        Limited = "limited",
        /// It may not.
        Disallow = "disallow",
        /// There is no statement, or not all were read.
        Unknown = "unknown",
    }
}

answers! {
    /// Whether a link may be followed.
    FollowLink {
        /// It may.
        Yes = "yes",
        /// It may not.
        No = "no",
        /// It should not: the engine treats `rel` as a hint.
        HintNo = "hint_no",
        /// Not known yet.
        Unknown = "unknown",
    }
}
