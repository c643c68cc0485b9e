//! The kinds of findings on pages and headers.

use robots_meta::FindingKind;
use robots_txt::Severity;
use std::fmt;

/// The facts of a kind.
struct Facts {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    message: &'static str,
    help: &'static str,
    standard: &'static str,
}

macro_rules! kinds {
    ($($kind:ident $code:literal $name:literal $severity:ident
        $message:literal $help:literal $standard:literal;)*) => {
        /// A kind of finding on a page or its headers. Codes and names are stable: the code of a kind that is removed stays unused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum PageKind {
            $(#[doc = $message] $kind,)*
        }

        impl PageKind {
            /// Every kind, in the order of the codes.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$kind => &Facts {
                        code: $code,
                        name: $name,
                        severity: Severity::$severity,
                        message: $message,
                        help: $help,
                        standard: $standard,
                    },)*
                }
            }
        }
    };
}

kinds! {
    // The page.

    MetaInBody "M001" "meta-in-body" Warning
        "a META for robots in BODY; Google obeys it there, others may not"
        "put it into HEAD, before anything that is shown"
        "SEMANTICS 5.1, 5.7";
    UnheardMeta "M002" "unheard-meta" Error
        "a META that no engine is known to obey"
        "write `<meta name=\"robots\" content=\"...\">`, or send an X-Robots-Tag header"
        "SEMANTICS 5.7";
    ListsDisagree "M003" "lists-disagree" Warning
        "two lists for the same robot contradict each other"
        "say it once: engines differ in which of the two counts"
        "SEMANTICS 8.4, 10";
    HiddenNoindex "M004" "hidden-noindex" Error
        "robots that keep to this rule of robots.txt never see this noindex"
        "allow the page in robots.txt until it is out of the index, or drop the noindex"
        "SEMANTICS 5.10, 10";
    NoindexAndCanonical "M005" "noindex-and-canonical" Warning
        "noindex, and a canonical link to another page: which of them is meant?"
        "keep the link if the other page stands for this one, or noindex if none does"
        "SEMANTICS 5.8";
    UnseenCanonical "M006" "unseen-canonical" Note
        "robots that keep to this rule of robots.txt never see this canonical link"
        "allow the page in robots.txt if the other page is to stand for it"
        "SEMANTICS 10";
    DateHasPassed "M007" "date-has-passed" Warning
        "the date of unavailable_after has passed: the page is out of the index"
        "drop the directive if the page is to be found"
        "SEMANTICS 5.1, 10";
    NoarchiveAtGoogle "M008" "noarchive-at-google" Note
        "noarchive has no effect at Google, which shows no copies any more"
        "nothing is wrong if it is meant for other engines"
        "SEMANTICS 5.1, 10";

    // Lists of directives.

    Conflict "M010" "conflict" Warning
        "contradicts another directive of the list; engines differ in which counts"
        "leave one of them out"
        "SEMANTICS 0.6, 8.4";
    Repeated "M011" "repeated" Note
        "says nothing that was not said before"
        "leave it out"
        "SEMANTICS 0.6";
    Unknown "M012" "unknown" Note
        "not a known directive; ignored"
        "leave it out, unless a robot is known to read it"
        "SEMANTICS 5.1";
    Misspelt "M013" "misspelt" Error
        "not a known directive; ignored"
        "correct the name"
        "SEMANTICS 5.7";
    Invalid "M014" "invalid-value" Error
        "a value that is missing or cannot be read; name and value are ignored"
        "write a number, a size or a date as the directive has it"
        "SEMANTICS 5.1, 5.6";
    Empty "M015" "empty-list" Note
        "no directive in the list: it says nothing"
        "leave it out; `all` is what robots do without it"
        "SEMANTICS 5.7";
    ValueOnFlag "M016" "value-on-flag" Warning
        "a value where none belongs; the directive counts, with any value"
        "leave the value out; to take the directive back, leave out all of it"
        "SEMANTICS 5.5";
    WithoutEffect "M017" "without-effect" Warning
        "does nothing without noindex"
        "add noindex, or leave it out"
        "SEMANTICS 5.1";
    MissingComma "M018" "missing-comma" Warning
        "no comma before the directive; not every robot reads it"
        "put a comma between the directives"
        "SEMANTICS 5.5, 5.7";
    PrefixLeak "M019" "prefix-leak" Note
        "holds for the robot that is named before; if header lines were joined, perhaps for every robot"
        "send a header line for each robot"
        "SEMANTICS 5.4, 5.5";
    NoZone "M020" "no-zone" Note
        "a date without a time zone, which is read as UTC"
        "add the zone: `GMT`"
        "SEMANTICS 5.6";
    UnknownZone "M021" "unknown-zone" Warning
        "a date whose time zone is not known, which is read as UTC"
        "write the zone as `GMT` or `+0100`"
        "SEMANTICS 5.6";
}

impl PageKind {
    /// Returns the code: `M001`.
    pub fn code(self) -> &'static str {
        self.facts().code
    }

    /// Returns the name: `meta-in-body`.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the severity.
    pub fn severity(self) -> Severity {
        self.facts().severity
    }

    /// Returns what to do about it, in one sentence.
    pub fn help(self) -> &'static str {
        self.facts().help
    }

    /// Returns the sections that the kind rests on.
    pub fn standard(self) -> &'static str {
        self.facts().standard
    }

    /// Returns the kind of a finding in a list of directives; `None` if it has none here.
    pub(crate) fn of_list(kind: FindingKind) -> Option<Self> {
        Some(match kind {
            FindingKind::Conflict => Self::Conflict,
            FindingKind::Repeated => Self::Repeated,
            FindingKind::Unknown => Self::Unknown,
            FindingKind::Misspelt { .. } => Self::Misspelt,
            FindingKind::Invalid => Self::Invalid,
            FindingKind::Empty => Self::Empty,
            FindingKind::ValueOnFlag => Self::ValueOnFlag,
            FindingKind::WithoutEffect => Self::WithoutEffect,
            FindingKind::MissingComma => Self::MissingComma,
            FindingKind::PrefixLeak => Self::PrefixLeak,
            FindingKind::NoZone => Self::NoZone,
            FindingKind::UnknownZone => Self::UnknownZone,
            _ => return None,
        })
    }
}

impl fmt::Display for PageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().message)
    }
}
