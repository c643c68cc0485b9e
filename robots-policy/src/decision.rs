//! The decision: what a robot may do with a page, and the reasons for it (SEMANTICS 8.5).

use robots_meta::{ImagePreview, Limit, RevisitAfter, RobotsHeader, Timestamp};
use std::fmt;
use std::time::Duration;

macro_rules! answers {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        pub enum $name {
            $(
                $(#[$variant_doc])*
                #[cfg_attr(feature = "serde", serde(rename = $text))]
                $variant,
            )*
        }

        impl $name {
            /// The word for it, as it is serialised.
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

answers! {
    /// Whether the URL may be fetched.
    Fetch {
        /// It may.
        Allow = "allow",
        /// It may not.
        Disallow = "disallow",
        /// Not now: robots.txt could not be had, and will be asked for again.
        Defer = "defer",
        /// robots.txt is not known.
        Unknown = "unknown",
    }
}

answers! {
    /// What is known of the page's own word: its METAs and headers. The three ways of hearing
    /// nothing are not the same (SEMANTICS 5.10).
    PageLayer {
        /// It was read.
        Seen = "seen",
        /// There is none: no HTML and no header, or no page (a status other than 2xx).
        Absent = "absent",
        /// It was not to be read, as the URL is not to be fetched.
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
    /// A field of a [`Decision`].
    Field {
        /// [`Decision::fetch`].
        Fetch = "fetch",
        /// [`Decision::page_layer`].
        PageLayer = "page_layer",
        /// [`Decision::index`].
        Index = "index",
        /// [`Decision::index_if_embedded`].
        IndexIfEmbedded = "index_if_embedded",
        /// [`Decision::follow`].
        Follow = "follow",
        /// [`Decision::archive`].
        Archive = "archive",
        /// [`Decision::snippet`].
        Snippet = "snippet",
        /// [`Decision::image_preview`].
        ImagePreview = "image_preview",
        /// [`Decision::video_preview`].
        VideoPreview = "video_preview",
        /// [`Decision::image_index`].
        ImageIndex = "image_index",
        /// [`Decision::translate`].
        Translate = "translate",
        /// [`Decision::unavailable_after`].
        UnavailableAfter = "unavailable_after",
        /// [`Decision::crawl_delay`].
        CrawlDelay = "crawl_delay",
        /// [`Decision::revisit_after`].
        RevisitAfter = "revisit_after",
    }
}

answers! {
    /// What a statement did to the field that it concerns.
    Effect {
        /// The field is what it is by this statement: the first of those that say so.
        Decides = "decides",
        /// It says the same as the one that decides.
        Agrees = "agrees",
        /// It says something else, which did not count.
        Overruled = "overruled",
    }
}

answers! {
    /// What is odd about what was said.
    WarningKind {
        /// The URL has no origin, so no robots.txt could be asked for it.
        NoOrigin = "no_origin",
        /// A `noindex` that nobody sees who obeys robots.txt (SEMANTICS 5.10).
        NoindexHidden = "noindex_hidden",
        /// A directive against another: `index` against `noindex`.
        Conflict = "conflict",
        /// A directive that is not known; it is ignored.
        UnknownDirective = "unknown_directive",
        /// A directive whose value cannot be read; it is ignored.
        InvalidDirective = "invalid_directive",
        /// `indexifembedded` without `noindex`, which says nothing (SEMANTICS 5.1).
        EmbeddedWithoutNoindex = "embedded_without_noindex",
        /// The HEAD was not read to its end: it is larger than a limit. What it says may be
        /// incomplete.
        HeadIncomplete = "head_incomplete",
    }
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "source"))]
#[non_exhaustive]
pub enum Source {
    /// A line of robots.txt.
    RobotsTxt {
        /// Its number, from 1.
        line: usize,
    },
    /// robots.txt as a whole: it has no rule for the page, or there is none.
    RobotsFetch,
    /// A header line of the response.
    Header {
        /// Its name.
        name: RobotsHeader,
        /// Its index among the lines that speak to robots, from 0.
        #[cfg_attr(feature = "serde", serde(rename = "header"))]
        line: usize,
        /// The offset of the directive in the line's value, in bytes.
        offset: usize,
    },
    /// A META of the page.
    Meta {
        /// The offset of its `<` in the page, in bytes.
        offset: usize,
    },
    /// The page as a whole.
    Page,
    /// The status of the response.
    Status,
    /// The URL.
    Url,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsTxt { line } => write!(f, "robots.txt line {line}"),
            Self::RobotsFetch => f.write_str("robots.txt"),
            Self::Header { name, line, .. } => write!(f, "{name} header {line}"),
            Self::Meta { offset } => write!(f, "META at byte {offset}"),
            Self::Page => f.write_str("page"),
            Self::Status => f.write_str("status"),
            Self::Url => f.write_str("URL"),
        }
    }
}

/// Why a field is what it is, or what was said in vain.
///
/// A field without a reason is as it is because nothing was said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Reason {
    /// The field.
    pub field: Field,
    /// Where the statement stands.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The statement: as written, if it stands somewhere.
    pub text: String,
    /// What it did.
    pub effect: Effect,
}

/// Something odd, which did not keep the decision from being made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Warning {
    /// What is odd.
    pub kind: WarningKind,
    /// Where it stands.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The text that is odd, as written.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            WarningKind::NoOrigin => "no robots.txt can be asked for it",
            WarningKind::NoindexHidden => "nobody who obeys robots.txt sees this",
            WarningKind::Conflict => "contradicts another directive",
            WarningKind::UnknownDirective => "not a known directive",
            WarningKind::InvalidDirective => "its value cannot be read",
            WarningKind::EmbeddedWithoutNoindex => "says nothing without noindex",
            WarningKind::HeadIncomplete => "not read to its end",
        };
        write!(f, "{}: {}: {what}", self.source, self.text)
    }
}

/// How many reasons a decision has at the most; beyond it, only those that decide are kept. A page
/// that says more says the same again.
pub const MAX_REASONS: usize = 1_000;

/// How many warnings a decision has at the most.
pub const MAX_WARNINGS: usize = 1_000;

/// What a robot may do with a page, and why.
///
/// Serialised (feature `serde`), it is one flat object with these names; `reasons` and `warnings`
/// are arrays of flat objects. Limits are integers with -1 for none, as the directives have them;
/// times are RFC 3339; `crawl_delay` is in seconds, `revisit_after` in days.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Decision {
    /// The URL, as it was given.
    pub url: String,
    /// The robot.
    pub agent: String,
    /// Whether the URL may be fetched.
    pub fetch: Fetch,
    /// What is known of the page's own word.
    pub page_layer: PageLayer,
    /// Whether the page may be indexed.
    pub index: Index,
    /// Whether it may be indexed as a part of a page that embeds it, though not by itself.
    pub index_if_embedded: bool,
    /// Whether its links may be followed.
    pub follow: Permission,
    /// Whether a copy may be kept and shown.
    pub archive: Permission,
    /// How many characters of its text may be shown; `None` if that is not known.
    pub snippet: Option<Limit>,
    /// How large a preview image may be; `None` if that is not known.
    pub image_preview: Option<ImagePreview>,
    /// How many seconds of its videos may be shown; `None` if that is not known.
    pub video_preview: Option<Limit>,
    /// Whether its images may be indexed.
    pub image_index: Permission,
    /// Whether a translation may be offered.
    pub translate: Permission,
    /// The moment after which the page is not to be shown.
    pub unavailable_after: Option<Timestamp>,
    /// The time between two requests that robots.txt asks for.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    pub crawl_delay: Option<Duration>,
    /// When the author would like the robot to come back.
    #[cfg_attr(feature = "serde", serde(serialize_with = "days"))]
    pub revisit_after: Option<RevisitAfter>,
    /// Why, field by field.
    pub reasons: Vec<Reason>,
    /// What was odd.
    pub warnings: Vec<Warning>,
}

#[cfg(feature = "serde")]
#[allow(clippy::ref_option, reason = "serde gives the field as a reference")]
fn seconds<S: serde::Serializer>(
    delay: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&delay.map(|delay| delay.as_secs_f64()), serializer)
}

#[cfg(feature = "serde")]
#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives the field as a reference"
)]
fn days<S: serde::Serializer>(
    revisit: &Option<RevisitAfter>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&revisit.map(RevisitAfter::days), serializer)
}

impl Decision {
    /// The reasons of one field, in the order in which they stand.
    pub fn reasons_for(&self, field: Field) -> impl Iterator<Item = &Reason> {
        self.reasons
            .iter()
            .filter(move |reason| reason.field == field)
    }

    /// The decision for people: a line for each field, its reasons below it, then the warnings.
    pub fn explain(&self) -> Explanation<'_> {
        Explanation { decision: self }
    }

    pub(crate) fn give_reason(
        &mut self,
        field: Field,
        source: Source,
        text: String,
        effect: Effect,
    ) {
        if self.reasons.len() < MAX_REASONS || effect == Effect::Decides {
            self.reasons.push(Reason {
                field,
                source,
                text,
                effect,
            });
        }
    }

    pub(crate) fn warn(&mut self, kind: WarningKind, source: Source, text: &str) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(Warning {
                kind,
                source,
                text: text.to_owned(),
            });
        }
    }

    /// Each field with its value as text.
    fn values(&self) -> [(Field, String); 14] {
        fn or_unknown<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
            value.map_or_else(|| "unknown".to_owned(), text)
        }
        fn or_none<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
            value.map_or_else(|| "-".to_owned(), text)
        }
        let limit = |limit| match limit {
            Limit::AtMost(most) => most.to_string(),
            Limit::Unlimited => "unlimited".to_owned(),
        };
        let image = |size| match size {
            ImagePreview::None => "none".to_owned(),
            ImagePreview::Standard => "standard".to_owned(),
            _ => "large".to_owned(),
        };
        let embedded = if self.index_if_embedded { "yes" } else { "no" };
        [
            (Field::Fetch, self.fetch.to_string()),
            (Field::PageLayer, self.page_layer.to_string()),
            (Field::Index, self.index.to_string()),
            (Field::IndexIfEmbedded, embedded.to_owned()),
            (Field::Follow, self.follow.to_string()),
            (Field::Archive, self.archive.to_string()),
            (Field::Snippet, or_unknown(self.snippet, limit)),
            (Field::ImagePreview, or_unknown(self.image_preview, image)),
            (Field::VideoPreview, or_unknown(self.video_preview, limit)),
            (Field::ImageIndex, self.image_index.to_string()),
            (Field::Translate, self.translate.to_string()),
            (
                Field::UnavailableAfter,
                or_none(self.unavailable_after, |moment| moment.to_string()),
            ),
            (
                Field::CrawlDelay,
                or_none(self.crawl_delay, |delay| format!("{delay:?}")),
            ),
            (
                Field::RevisitAfter,
                or_none(self.revisit_after, |revisit| revisit.to_string()),
            ),
        ]
    }
}

/// A decision as text for people. See [`Decision::explain`].
#[derive(Debug, Clone, Copy)]
pub struct Explanation<'a> {
    decision: &'a Decision,
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decision = self.decision;
        writeln!(f, "{} for {}", decision.url, decision.agent)?;
        for (field, value) in decision.values() {
            writeln!(f, "  {field:<17} {value}")?;
            for reason in decision.reasons_for(field) {
                writeln!(
                    f,
                    "    {:<9} {}: {}",
                    reason.effect, reason.source, reason.text
                )?;
            }
        }
        for warning in &decision.warnings {
            writeln!(f, "  warning: {warning}")?;
        }
        Ok(())
    }
}
