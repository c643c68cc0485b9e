//! The decision: what a robot may do with a page (SEMANTICS 8.5).

use crate::answer::{Fetch, Index, PageLayer, Permission};
use crate::reason::{Effect, Field, Reason, Source, Warning, WarningKind};
use robots_meta::{ImagePreview, Limit, RevisitAfter, Timestamp};
use std::time::Duration;

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
    /// A decision of which nothing is decided yet.
    pub(crate) fn unknown(url: &str, agent: &str) -> Self {
        Self {
            url: url.to_owned(),
            agent: agent.to_owned(),
            fetch: Fetch::Unknown,
            page_layer: PageLayer::Unknown,
            index: Index::Unknown,
            index_if_embedded: false,
            follow: Permission::Unknown,
            archive: Permission::Unknown,
            snippet: None,
            image_preview: None,
            video_preview: None,
            image_index: Permission::Unknown,
            translate: Permission::Unknown,
            unavailable_after: None,
            crawl_delay: None,
            revisit_after: None,
            reasons: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// The reasons of one field, in the order in which they stand.
    pub fn reasons_for(&self, field: Field) -> impl Iterator<Item = &Reason> {
        self.reasons
            .iter()
            .filter(move |reason| reason.field == field)
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
}
