//! The decision: what a robot may do with a page (SEMANTICS 8.5).

pub(crate) mod draft;
mod explain;
pub(crate) mod reason;
#[cfg(feature = "schema")]
mod schema;

pub use explain::Explanation;

use self::reason::{Field, Reason, Warning};
use crate::answer::{AiUse, Fetch, FollowLink, Index, PageLayer, Permission};
use crate::profile::LinkRule;
use robots_meta::{ImagePreview, Limit, Rel, RevisitAfter, Timestamp};
use robots_txt::{RequestRate, Window};
use std::time::Duration;

/// How many reasons a decision has; beyond it, only those that decide are kept, one for most fields. A
/// page that says more says the same again.
pub const MAX_REASONS: usize = 1_000;

/// How many bytes a text of a reason or warning has at the most, beside the ellipsis that ends what is
/// cut.
pub const MAX_TEXT_BYTES: usize = 1_000;

/// How many warnings a decision has at the most.
pub const MAX_WARNINGS: usize = 1_000;

/// What a robot may do with a page, and why.
///
/// Serialised (feature `serde`), it is one flat object with these names; `reasons` and `warnings`
/// are arrays of flat objects. Limits are integers with -1 for none, as the directives have them;
/// times are RFC 3339; `crawl_delay` is in seconds, `revisit_after` in days; rates are as
/// `Request-rate` has them, in seconds (`100/900s 0800-1600`), and hours as `Visit-time` has them
/// (`2200-0400`, UTC). The form has a [`version`](Self::version) and a JSON Schema
/// (`decision.schema.json` beside the crate's sources).
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Decision {
    /// The version of this form: [`Decision::VERSION`]. It changes when a field goes, or means something
    /// else; not when one is added, nor a word.
    pub version: u32,
    /// The URL, as it was given.
    pub url: String,
    /// The robot.
    pub agent: String,
    /// The profile under which it was decided.
    pub profile: String,
    /// Whether the URL may be fetched.
    pub fetch: Fetch,
    /// What is known of the page's own word.
    pub page_layer: PageLayer,
    /// Whether the page may be indexed.
    pub index: Index,
    /// Whether it may be indexed as a part of a page that embeds it, though not by itself.
    pub index_if_embedded: bool,
    /// Whether its links may be followed; of one link, see [`follow_link`](Self::follow_link).
    pub follow: Permission,
    /// Whether a copy may be kept and shown.
    pub archive: Permission,
    /// How many characters of its text may be shown; `None` if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub snippet: Option<Limit>,
    /// How large a preview image may be; `None` if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<ImageSize>"))]
    pub image_preview: Option<ImagePreview>,
    /// How many seconds of its videos may be shown; `None` if that is not known.
    #[cfg_attr(feature = "schema", schemars(with = "Option<i64>"))]
    pub video_preview: Option<Limit>,
    /// Whether its images may be indexed.
    pub image_index: Permission,
    /// Whether a translation may be offered.
    pub translate: Permission,
    /// The moment after which the page is not to be shown (`unavailable_after`).
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub expires_at: Option<Timestamp>,
    /// The time between two requests that robots.txt asks for.
    #[cfg_attr(feature = "serde", serde(serialize_with = "seconds"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub crawl_delay: Option<Duration>,
    /// How many documents robots.txt lets be fetched in a time; several may hold at different hours.
    #[cfg_attr(feature = "serde", serde(serialize_with = "texts"))]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub request_rates: Vec<RequestRate>,
    /// The hours in which robots.txt lets a robot come.
    #[cfg_attr(feature = "serde", serde(serialize_with = "text"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub visit_time: Option<Window>,
    /// When the author would like the robot to come back.
    #[cfg_attr(feature = "serde", serde(serialize_with = "days"))]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub revisit_after: Option<RevisitAfter>,
    /// Whether models may be trained with the page.
    pub ai_train: AiUse,
    /// Whether it may be the input of a model that answers.
    pub ai_input: AiUse,
    /// Whether it may be found by search, as far as that is said of AI.
    pub ai_search: AiUse,
    /// The URLs of terms of use, as written.
    pub licenses: Vec<String>,
    /// Why, field by field.
    pub reasons: Vec<Reason>,
    /// What was odd.
    pub warnings: Vec<Warning>,
    /// What `rel` says of links.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) links: LinkRule,
}

/// The words of [`ImagePreview`], for the schema.
#[cfg(feature = "schema")]
#[derive(schemars::JsonSchema)]
#[schemars(rename_all = "lowercase")]
#[expect(dead_code, reason = "its names are read, for the schema")]
enum ImageSize {
    None,
    Standard,
    Large,
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

#[cfg(feature = "serde")]
#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde gives the field as a reference"
)]
fn text<S: serde::Serializer>(value: &Option<Window>, serializer: S) -> Result<S::Ok, S::Error> {
    serde::Serialize::serialize(&value.map(|value| value.to_string()), serializer)
}

#[cfg(feature = "serde")]
fn texts<S: serde::Serializer>(values: &[RequestRate], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(RequestRate::to_string))
}

impl Decision {
    /// The version of the serialised form.
    pub const VERSION: u32 = 1;

    /// A decision of which nothing is decided yet.
    pub(crate) fn unknown(url: &str, agent: &str) -> Self {
        Self {
            version: Self::VERSION,
            url: url.to_owned(),
            agent: agent.to_owned(),
            profile: String::new(),
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
            expires_at: None,
            crawl_delay: None,
            request_rates: Vec::new(),
            visit_time: None,
            revisit_after: None,
            ai_train: AiUse::Unknown,
            ai_input: AiUse::Unknown,
            ai_search: AiUse::Unknown,
            licenses: Vec::new(),
            reasons: Vec::new(),
            warnings: Vec::new(),
            links: LinkRule::default(),
        }
    }

    /// The reasons of one field, in the order in which they stand.
    pub fn reasons_for(&self, field: Field) -> impl Iterator<Item = &Reason> {
        self.reasons
            .iter()
            .filter(move |reason| reason.field == field)
    }

    /// Whether a link of the page may be followed, by what its `rel` says (SEMANTICS 5.8, 8.5). Whether
    /// its target may be fetched is another decision.
    ///
    /// ```
    /// use robots_policy::robots_meta::Rel;
    /// use robots_policy::{FollowLink, Policy, Profile};
    ///
    /// let google = Policy::under(&Profile::google(), "Googlebot");
    /// let decision = google.decide("https://example.com/", b"<body>");
    /// assert_eq!(decision.follow_link(Rel::parse("nofollow ugc")), FollowLink::HintNo);
    /// assert_eq!(decision.follow_link(Rel::parse("noopener")), FollowLink::Yes);
    /// ```
    pub fn follow_link(&self, rel: Rel) -> FollowLink {
        match (self.follow, self.links) {
            (Permission::No, _) => FollowLink::No,
            (_, LinkRule::Strict) if !rel.is_empty() => FollowLink::No,
            (Permission::Unknown, _) => FollowLink::Unknown,
            (_, LinkRule::Hint) if !rel.is_empty() => FollowLink::HintNo,
            _ => FollowLink::Yes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_followed_as_its_page_and_its_rel_say() {
        let follow = |links, follow, rel: &str| {
            let decision = Decision {
                follow,
                links,
                ..Decision::unknown("", "")
            };
            decision.follow_link(Rel::parse(rel))
        };
        let (strict, hint) = (LinkRule::Strict, LinkRule::Hint);
        for rule in [strict, hint] {
            assert_eq!(follow(rule, Permission::Yes, ""), FollowLink::Yes);
            assert_eq!(follow(rule, Permission::No, ""), FollowLink::No);
            assert_eq!(follow(rule, Permission::No, "ugc"), FollowLink::No);
            assert_eq!(follow(rule, Permission::Unknown, ""), FollowLink::Unknown);
        }
        for rel in ["nofollow", "UGC noopener", "sponsored nofollow"] {
            assert_eq!(follow(strict, Permission::Yes, rel), FollowLink::No);
            assert_eq!(follow(strict, Permission::Unknown, rel), FollowLink::No);
            assert_eq!(follow(hint, Permission::Yes, rel), FollowLink::HintNo);
            assert_eq!(follow(hint, Permission::Unknown, rel), FollowLink::Unknown);
        }
    }
}
