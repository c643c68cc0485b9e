//! The words that decisions are made of: closed sets of answers, each with its serialised form.

use std::fmt;

/// Defines an enum whose variants have a word each, by which they are shown and serialised.
macro_rules! answers {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
            /// The words of all values, in order.
            pub const WORDS: &[&'static str] = &[$($text),*];

            /// Returns the word, as it is serialised.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
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
        /// Not now: robots.txt could not be had and will be asked for again, or it names other hours.
        Defer = "defer",
        /// robots.txt is not known.
        Unknown = "unknown",
        /// The robot fetches nothing: it is a token for the use of content, such as `Google-Extended`.
        NotApplicable = "not_applicable",
    }
}

answers! {
    /// What is known of the page's own word: its METAs and headers. The three ways of hearing
    /// nothing are not the same (`docs/semantics.md`, section 5.10).
    PageLayer {
        /// It was read.
        Seen = "seen",
        /// There is none: no HTML and no header, or no page (a status other than 2xx).
        Absent = "absent",
        /// It was not read, as the URL is not to be fetched, or not known to be allowed.
        Unseen = "unseen",
        /// The URL was not fetched yet.
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
        /// Its URL may, without its content: the page is not to be fetched, so nobody knows
        /// whether it objects.
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
    /// Whether content may be used by AI in some way, as far as anybody said (`docs/semantics.md`, section 8.6).
    AiUse {
        /// It may.
        Allow = "allow",
        /// Its URL, title and snippet may, and no more.
        Limited = "limited",
        /// It may not.
        Disallow = "disallow",
        /// Nobody said, or not all was heard.
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
        /// It should not: the engine takes it for a hint.
        HintNo = "hint_no",
        /// Not known yet.
        Unknown = "unknown",
    }
}
