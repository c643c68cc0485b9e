//! The decisions of every robot of every profile about a page, without robots.txt.

use super::HeaderLine;
use robots_meta::Timestamp;
use robots_meta::value::{ImagePreview, Limit};
use robots_policy::decision::AiUse;
use robots_policy::{Decision, Index, Page, Permission, Policy, Profile};
use serde::Serialize;

/// The decision of a robot.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct RobotDecision {
    /// The name of the profile.
    pub profile: String,
    /// The robot.
    pub agent: String,
    /// The decision.
    #[serde(flatten)]
    pub fields: PageFields,
}

/// The fields of a decision that depend on the page, as [`Decision`] describes them.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the fields of `Decision`")]
pub struct PageFields {
    pub index: Index,
    pub follow: Permission,
    pub archive: Permission,
    pub snippet: Option<Limit>,
    pub image_preview: Option<ImagePreview>,
    pub video_preview: Option<Limit>,
    pub image_index: Permission,
    pub translate: Permission,
    pub expires_at: Option<Timestamp>,
    pub ai_train: AiUse,
    pub ai_input: AiUse,
    pub ai_search: AiUse,
}

impl PageFields {
    fn new(decision: &Decision) -> Self {
        Self {
            index: decision.index,
            follow: decision.follow,
            archive: decision.archive,
            snippet: decision.snippet,
            image_preview: decision.image_preview,
            video_preview: decision.video_preview,
            image_index: decision.image_index,
            translate: decision.translate,
            expires_at: decision.expires_at,
            ai_train: decision.ai_train,
            ai_input: decision.ai_input,
            ai_search: decision.ai_search,
        }
    }
}

/// Returns the decisions about a response of this status, in the order of the profiles. Without `html`, the response is not HTML.
pub fn decide(
    html: Option<&[u8]>,
    status: u16,
    headers: &[HeaderLine<'_>],
    charset: Option<&str>,
) -> Vec<RobotDecision> {
    // Any URL: without robots.txt, these fields do not depend on it.
    let mut page = Page::new("https://example.com/")
        .with_status(status)
        .with_headers(headers.iter().map(HeaderLine::bytes));
    if let Some(charset) = charset {
        page = page.with_charset(charset);
    }
    page = match html {
        Some(html) => page.with_html(html),
        None => page.not_html(),
    };
    let mut decisions = Vec::new();
    for profile in Profile::all() {
        for robot in profile.robots() {
            let policy = Policy::for_robot(&profile, robot.clone()).without_reasons();
            decisions.push(RobotDecision {
                profile: profile.name().to_owned(),
                agent: robot.name().to_owned(),
                fields: PageFields::new(&policy.decide_page(&page)),
            });
        }
    }
    decisions
}
