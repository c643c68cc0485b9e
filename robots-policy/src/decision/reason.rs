//! Reasons and warnings: the statements that decide a field, and those that are ineffective or invalid.

pub(crate) use super::Field;
use crate::answer::answers;
use crate::text::printable;
use robots_meta::header::{PageHeader, RobotsHeader};
use std::fmt;

/// The text of a reason that decides a field because the URL must not be fetched.
pub(crate) const NOT_FETCHED: &str = "not to be fetched";

answers! {
    /// The effect of a statement on its field.
    Effect {
        /// It decides the field: the first of the statements with this value.
        Decides = "decides",
        /// It has the value of its field, which another statement decides, or which is unknown and decided by none.
        Agrees = "agrees",
        /// It has another value than its field.
        Overruled = "overruled",
        /// It does not count: the profile does not honour it, or other statements take precedence.
        Ignored = "ignored",
    }
}

answers! {
    /// The kind of a warning.
    WarningKind {
        /// The URL has no origin, so no robots.txt applies to it.
        NoOrigin = "no_origin",
        /// A `noindex` on a page that must not be fetched: robots that obey robots.txt never see it
        /// (`docs/semantics.md`, section 5.10).
        NoindexHidden = "noindex_hidden",
        /// A directive that contradicts another, such as `index` and `noindex`.
        Conflict = "conflict",
        /// A directive in a header that contradicts one in a META, or the reverse.
        HeaderAgainstMeta = "header_against_meta",
        /// A directive that has no effect under the profile, such as `noarchive` at Google.
        NoEffect = "no_effect",
        /// A line that does not apply: it is in a group for every robot, and another group names the robot
        /// (`docs/semantics.md`, section 10).
        HiddenByGroup = "hidden_by_group",
        /// A `tdm-policy` without a reservation, which has no effect (`docs/semantics.md`, section 4.6).
        PolicyWithoutReservation = "policy_without_reservation",
        /// A tdmrep.json that could not be read: whether training is permitted is not known
        /// (`docs/semantics.md`, section 4.6).
        TdmrepUnread = "tdmrep_unread",
        /// A licence document of RSL that could not be read: whether models may use the page is not known
        /// (`docs/semantics.md`, section 4.7).
        RslUnread = "rsl_unread",
        /// An unknown directive; it is ignored.
        UnknownDirective = "unknown_directive",
        /// A directive with an invalid value; it is ignored.
        InvalidDirective = "invalid_directive",
        /// `indexifembedded` without `noindex`, which has no effect (`docs/semantics.md`, section 5.1).
        EmbeddedWithoutNoindex = "embedded_without_noindex",
        /// The HEAD was not read completely, because of a limit or because the page is cut: only
        /// prohibitions are decided. Also for any cut page if METAs in BODY count.
        HeadIncomplete = "head_incomplete",
        /// [`MAX_STATEMENTS`](crate::limits::MAX_STATEMENTS) directives or more: only prohibitions are
        /// decided.
        TooManyDirectives = "too_many_directives",
        /// A directive under a name that has no effect on the robot, such as `googlebot-image` at Google
        /// (`docs/semantics.md`, section 5.1).
        IgnoredName = "ignored_name",
        /// A directive after the part of the page that the engine reads, such as the first 2 MB at Google
        /// (`docs/semantics.md`, section 5.1).
        BeyondPageLimit = "beyond_page_limit",
        /// A META after HEAD that would forbid something in HEAD, where the engine reads HEAD alone
        /// (`docs/semantics.md`, section 5.7).
        AfterHead = "after_head",
        /// A line of robots.txt outside of all groups, which applies to no robot
        /// (`docs/semantics.md`, section 8.2).
        OutsideGroups = "outside_groups",
        /// A robots.txt that was captured before the page by more than the time for which the profile uses a
        /// copy: 24 hours by RFC 9309, section 2.4 ([`OutcomeTable::fresh_hours`](crate::robots::OutcomeTable::fresh_hours)).
        RobotsOld = "robots_old",
        /// A robots.txt that was captured after the page.
        RobotsLater = "robots_later",
        /// A date that would decide whether the page is indexed, in a decision without a time
        /// ([`Page::at`](crate::Page::at)).
        NoTime = "no_time",
    }
}

/// The place of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "source"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Source {
    /// A line of robots.txt.
    RobotsTxt {
        /// Its 1-based number.
        line: usize,
    },
    /// robots.txt as a whole: no rule matches the page, or the file is not available.
    RobotsFetch,
    /// A header line of the response.
    Header {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        name: RobotsHeader,
        /// Its index among all header lines, from 0.
        header: usize,
        /// The offset of the directive in the line's value, in bytes.
        offset: usize,
    },
    /// A header line of the response about the page, other than a list of directives.
    PageHeader {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        name: PageHeader,
        /// Its index among all header lines, from 0.
        header: usize,
        /// The offset of the statement in the line's value, in bytes.
        offset: usize,
    },
    /// The site's tdmrep.json.
    Tdmrep {
        /// The index of its entry, from 0; `None` for the file as a whole.
        #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
        entry: Option<usize>,
    },
    /// A META of the page.
    Meta {
        /// The offset of its `<` in the page, in bytes.
        offset: usize,
    },
    /// A LINK in the HEAD of the page.
    Link {
        /// The offset of its `<` in the page, in bytes.
        offset: usize,
    },
    /// A licence document of RSL that the site or the page names.
    Rsl {
        /// The 1-based number of its line; `None` for the document as a whole.
        #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
        line: Option<usize>,
    },
    /// The page as a whole.
    Page,
    /// The status of the response.
    Status,
    /// The URL.
    Url,
}

/// Defines the kinds of places by their variants.
macro_rules! kinds {
    ($($variant:ident = $name:literal,)*) => {
        impl Source {
            /// The kinds of all places, in order.
            pub const KINDS: &[&'static str] = &[$($name),*];

            /// Returns the kind of the place, as it is serialised.
            pub fn kind(self) -> &'static str {
                match self {
                    $(Self::$variant { .. } => $name,)*
                }
            }
        }
    };
}

kinds! {
    RobotsTxt = "robots_txt",
    RobotsFetch = "robots_fetch",
    Header = "header",
    PageHeader = "page_header",
    Tdmrep = "tdmrep",
    Meta = "meta",
    Link = "link",
    Rsl = "rsl",
    Page = "page",
    Status = "status",
    Url = "url",
}

impl fmt::Display for Source {
    /// Writes the place for people: lines and entries are counted from 1.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsTxt { line } => write!(f, "robots.txt line {line}"),
            Self::RobotsFetch => f.write_str("robots.txt"),
            Self::Header { name, header, .. } => in_header_line(f, name, *header),
            Self::PageHeader { name, header, .. } => in_header_line(f, name, *header),
            Self::Tdmrep { entry: Some(entry) } => write!(f, "tdmrep.json entry {}", entry + 1),
            Self::Tdmrep { entry: None } => f.write_str("tdmrep.json"),
            Self::Meta { offset } => write!(f, "META at byte {offset}"),
            Self::Link { offset } => write!(f, "LINK at byte {offset}"),
            Self::Rsl { line: Some(line) } => write!(f, "RSL licence line {line}"),
            Self::Rsl { line: None } => f.write_str("RSL licence"),
            Self::Page => f.write_str("page"),
            Self::Status => f.write_str("status"),
            Self::Url => f.write_str("URL"),
        }
    }
}

fn in_header_line(
    f: &mut fmt::Formatter<'_>,
    name: &impl fmt::Display,
    index: usize,
) -> fmt::Result {
    write!(f, "{name} in header line {}", index + 1)
}

/// A statement about a field, and its effect.
///
/// If reasons are collected, a field without one has its default: no statement concerns it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reason {
    /// The field.
    pub field: Field,
    /// The place of the statement.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The statement, for people; one in the page is as written, up to
    /// [`MAX_TEXT_BYTES`](crate::limits::MAX_TEXT_BYTES).
    pub text: String,
    /// The effect on the field.
    pub effect: Effect,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = printable(&self.text);
        write!(
            f,
            "{}: {text} ({} {})",
            self.source, self.effect, self.field
        )
    }
}

/// A statement or a source that is invalid, suspicious or without effect. Warnings do not change the decision.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Warning {
    /// The kind.
    pub kind: WarningKind,
    /// The place of the statement.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The statement as written, or a description of the source.
    pub text: String,
}

impl WarningKind {
    /// Returns what is wrong with a statement, as the end of a sentence about it.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::NoOrigin => "has no origin, so no robots.txt applies",
            Self::NoindexHidden => "a robot that obeys robots.txt never sees this",
            Self::Conflict => "contradicts another directive",
            Self::HeaderAgainstMeta => "header and META contradict each other",
            Self::NoEffect => "has no effect here",
            Self::HiddenByGroup => "does not apply, as another group names the robot",
            Self::PolicyWithoutReservation => "has no effect, as nothing is reserved",
            Self::TdmrepUnread => "not read, so it may reserve this page",
            Self::RslUnread => "not read, so it may forbid a use of this page",
            Self::UnknownDirective => "unknown directive",
            Self::InvalidDirective => "invalid value",
            Self::EmbeddedWithoutNoindex => "has no effect without noindex",
            Self::HeadIncomplete => "not read to its end",
            Self::TooManyDirectives => "the others are ignored",
            Self::IgnoredName => "the engine ignores this name for the robot",
            Self::BeyondPageLimit => "after the part of the page that the engine reads",
            Self::AfterHead => "the engine reads HEAD alone",
            Self::OutsideGroups => "outside of the groups, so it applies to no robot",
            Self::RobotsOld => "may have changed before the page was fetched",
            Self::RobotsLater => "may have been another when the page was fetched",
            Self::NoTime => "not applied, as the decision has no time",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}: {}",
            self.source,
            printable(&self.text),
            self.kind.explanation()
        )
    }
}
