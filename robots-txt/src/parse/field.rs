//! Fields by name: those that standards and engines know, with their spellings.
//!
//! A name is compared with a short list; linear in its bytes.

use std::fmt;

/// The field of a line, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Field {
    /// `User-agent`: a robot that a group names.
    UserAgent,
    /// `Allow`: a path pattern that may be fetched.
    Allow,
    /// `Disallow`: a path pattern that may not be fetched.
    Disallow,
    /// `Sitemap`: the URL of a sitemap; it belongs to the file, not to a group.
    Sitemap,
    /// `Crawl-delay`: the seconds between two requests.
    CrawlDelay,
    /// `Request-rate`: a number of documents in a period (Conner, docs/semantics.md, section 3.3).
    RequestRate,
    /// `Visit-time`: the hours for visits (Conner, docs/semantics.md, section 3.3).
    VisitTime,
    /// `Host`: the main host of a site (Yandex, until 2018: docs/semantics.md, section 2.5).
    Host,
    /// `Clean-param`: query parameters without meaning (Yandex, docs/semantics.md, section 2.5).
    CleanParam,
    /// `Noindex`: a path pattern that should not be indexed (no engine obeys it: docs/semantics.md,
    /// section 10).
    Noindex,
    /// `Content-Usage`: preferences about the use of content (AIPREF, docs/semantics.md, section
    /// 4.1).
    ContentUsage,
    /// `Content-Signal`: preferences about the use of content, in another vocabulary
    /// (docs/semantics.md, section 4.5).
    ContentSignal,
    /// `License`: the URL of a licence (RSL, docs/semantics.md, section 4.7).
    License,
    /// `DisallowAITraining`: a path pattern (docs/semantics.md, section 4.4).
    DisallowAiTraining,
    /// `AllowAITraining`: a path pattern (docs/semantics.md, section 4.4).
    AllowAiTraining,
    /// `Comment`: a message to the author of the robot (Conner, docs/semantics.md, section 3.3).
    Comment,
    /// `Robot-version`: the version of the standard that a group uses (Conner, docs/semantics.md,
    /// section 3.3).
    RobotVersion,
    /// Any other name; [`Line::key`](crate::parse::Line::key) has its text.
    Other,
}

impl Field {
    /// Every field that has a name: all but [`Field::Other`].
    pub const NAMED: &[Self] = match Self::ALL {
        [named @ .., _] => named,
        [] => &[],
    };

    /// Every field, in the order of their numbers.
    pub(crate) const ALL: &[Self] = &[
        Self::UserAgent,
        Self::Allow,
        Self::Disallow,
        Self::Sitemap,
        Self::CrawlDelay,
        Self::RequestRate,
        Self::VisitTime,
        Self::Host,
        Self::CleanParam,
        Self::Noindex,
        Self::ContentUsage,
        Self::ContentSignal,
        Self::License,
        Self::DisallowAiTraining,
        Self::AllowAiTraining,
        Self::Comment,
        Self::RobotVersion,
        Self::Other,
    ];

    /// Returns the field of a name, misspelt or not, and its spelling. If no field has such a name,
    /// returns [`Field::Other`] and [`Spelling::Exact`].
    ///
    /// ```
    /// use robots_txt::parse::{Field, Spelling};
    ///
    /// assert_eq!(Field::from_name(b"Disalow"), (Field::Disallow, Spelling::Typo));
    /// ```
    pub fn from_name(name: &[u8]) -> (Self, Spelling) {
        if let Some(field) = exact(name) {
            return (field, Spelling::Exact);
        }
        for (field, standard, typos) in GOOGLE_FIELDS {
            if starts_with_ignoring_case(name, standard) {
                return (field, Spelling::Continued);
            }
            if typos
                .iter()
                .any(|typo| starts_with_ignoring_case(name, typo))
            {
                return (field, Spelling::Typo);
            }
        }
        (Self::Other, Spelling::Exact)
    }

    /// Returns the field of a name that is exact or one of the misspellings that Protego accepts, in any case; otherwise
    /// [`Field::Other`] (docs/semantics.md, section 3.6). They are those of google/robotstxt and [`OTHER_TYPOS`].
    pub(crate) fn from_name_or_typo(name: &[u8]) -> Self {
        let google = GOOGLE_FIELDS
            .iter()
            .map(|(field, _, typos)| (*field, *typos));
        let mut all = google.chain(OTHER_TYPOS);
        let is_typo = |typos: &[&str]| {
            let is_name = |typo: &&str| name.eq_ignore_ascii_case(typo.as_bytes());
            typos.iter().any(is_name)
        };
        exact(name)
            .or_else(|| all.find_map(|(field, typos)| is_typo(typos).then_some(field)))
            .unwrap_or(Self::Other)
    }

    /// Returns whether it applies to the file, wherever it is: `Sitemap` (RFC 9309, 2.2.4; docs/semantics.md, section 2.1),
    /// `Host` and `Clean-param` (docs/semantics.md, section 2.5). All others apply to the group that contains them.
    pub(crate) fn is_of_file(self) -> bool {
        matches!(self, Self::Sitemap | Self::Host | Self::CleanParam)
    }

    /// Returns whether it ends a run of `User-agent` lines. Not to be asked of a rule or of `User-agent`. Directives of the file may occur anywhere, and unknown
    /// fields do not count.
    pub(crate) fn ends_run(self) -> bool {
        !self.is_of_file() && self != Self::Other
    }

    /// Returns its name as it is usually written; empty for [`Field::Other`].
    pub fn name(self) -> &'static str {
        match self {
            Self::UserAgent => "User-agent",
            Self::Allow => "Allow",
            Self::Disallow => "Disallow",
            Self::Sitemap => "Sitemap",
            Self::CrawlDelay => "Crawl-delay",
            Self::RequestRate => "Request-rate",
            Self::VisitTime => "Visit-time",
            Self::Host => "Host",
            Self::CleanParam => "Clean-param",
            Self::Noindex => "Noindex",
            Self::ContentUsage => "Content-Usage",
            Self::ContentSignal => "Content-Signal",
            Self::License => "License",
            Self::DisallowAiTraining => "DisallowAITraining",
            Self::AllowAiTraining => "AllowAITraining",
            Self::Comment => "Comment",
            Self::RobotVersion => "Robot-version",
            Self::Other => "",
        }
    }
}

impl fmt::Display for Field {
    /// Writes the name in its usual spelling.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The spelling of a field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Spelling {
    /// The spelling of the standard, in any case.
    Exact,
    /// The standard's name, followed by other bytes: `Disallowed`, `Allow-x`.
    Continued,
    /// One of the misspellings that google/robotstxt accepts: `Disalow`.
    Typo,
}

/// The names that google/robotstxt knows, with the misspellings that it accepts (docs/semantics.md,
/// section 2.2).
const GOOGLE_FIELDS: [(Field, &str, &[&str]); 4] = [
    (Field::UserAgent, "user-agent", &["useragent", "user agent"]),
    (Field::Allow, "allow", &[]),
    (
        Field::Disallow,
        "disallow",
        &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"],
    ),
    (Field::Sitemap, "sitemap", &["site-map"]),
];

/// The misspellings that Protego accepts in addition to those of google/robotstxt (docs/semantics.md, section 3.6).
const OTHER_TYPOS: [(Field, &[&str]); 4] = [
    (Field::Sitemap, &["sitemaps"]),
    (Field::CrawlDelay, &["crawl delay"]),
    (Field::RequestRate, &["request rate"]),
    (Field::VisitTime, &["visit time"]),
];

/// Returns the field of this name, in any case.
fn exact(key: &[u8]) -> Option<Field> {
    let is_named = |field: &&Field| key.eq_ignore_ascii_case(field.name().as_bytes());
    Field::NAMED.iter().find(is_named).copied()
}

fn starts_with_ignoring_case(key: &[u8], name: &str) -> bool {
    key.get(..name.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for &field in Field::NAMED {
            assert_eq!(
                Field::from_name(field.name().as_bytes()),
                (field, Spelling::Exact)
            );
        }
    }

    #[test]
    fn a_name_has_its_spelling() {
        for (name, field, spelling) in [
            ("dissallow", Field::Disallow, Spelling::Typo),
            ("Disallowed", Field::Disallow, Spelling::Continued),
            ("User Agent", Field::UserAgent, Spelling::Typo),
            ("Crawl-Delay", Field::CrawlDelay, Spelling::Exact),
            ("Crawl-Delays", Field::Other, Spelling::Exact),
        ] {
            let found = Field::from_name(name.as_bytes());
            assert_eq!(found, (field, spelling), "{name}");
        }
    }
}
