//! The decisions of every robot of every profile about a page, without robots.txt.

use super::HeaderLine;
use crate::terminal::{grouped, wrapped};
use robots_meta::Timestamp;
use robots_meta::value::{ImagePreview, Limit};
use robots_policy::decision::AiUse;
use robots_policy::{Decision, Index, Page, Permission, Policy, Profile};
use serde::Serialize;
use std::io::{self, Write};

/// The decision of a robot; serialised, an element of `decisions` in JSON.
#[derive(Debug, Serialize)]
pub(super) struct RobotDecision {
    profile: String,
    agent: String,
    #[serde(flatten)]
    fields: PageFields,
}

/// The fields of a decision that depend on the page.
#[derive(Debug, PartialEq, Eq, Hash, Serialize)]
struct PageFields {
    index: Index,
    follow: Permission,
    archive: Permission,
    snippet: Option<Limit>,
    image_preview: Option<ImagePreview>,
    video_preview: Option<Limit>,
    image_index: Permission,
    translate: Permission,
    expires_at: Option<Timestamp>,
    ai_train: AiUse,
    ai_input: AiUse,
    ai_search: AiUse,
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

    /// Returns each field as text for people: `index yes`.
    fn texts(&self) -> [String; 12] {
        [
            format!("index {}", self.index),
            format!("follow {}", self.follow),
            format!("archive {}", self.archive),
            format!("snippet {}", limit(self.snippet)),
            format!(
                "image preview {}",
                self.image_preview.map_or("unknown", ImagePreview::as_str)
            ),
            format!("video preview {}", limit(self.video_preview)),
            format!("image index {}", self.image_index),
            format!("translate {}", self.translate),
            self.expires_at.map_or_else(
                || "expires never".to_owned(),
                |at| format!("expires at {at}"),
            ),
            format!("ai train {}", self.ai_train),
            format!("ai input {}", self.ai_input),
            format!("ai search {}", self.ai_search),
        ]
    }
}

/// Returns the limit of a snippet or preview in words.
fn limit(limit: Option<Limit>) -> String {
    match limit {
        Some(Limit::Unlimited) => "unlimited".to_owned(),
        Some(Limit::AtMost(number)) => number.to_string(),
        None => "unknown".to_owned(),
    }
}

/// Returns the decisions about a response, in the order of the profiles. Without `html`, the response is not HTML.
pub(super) fn decide(
    html: Option<&[u8]>,
    headers: &[HeaderLine<'_>],
    charset: Option<&str>,
) -> Vec<RobotDecision> {
    // Any URL: without robots.txt, these fields do not depend on it.
    let mut page = Page::new("https://example.com/")
        .with_status(200)
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

/// Writes decisions for people. Robots with equal decisions are grouped.
pub(super) fn show(out: &mut impl Write, decisions: &[RobotDecision]) -> io::Result<()> {
    writeln!(out, "\ndecisions, without robots.txt")?;
    let labelled = decisions.iter().map(|decision| {
        let label = format!("{} ({})", decision.agent, decision.profile);
        (&decision.fields, label)
    });
    for (fields, labels) in grouped(labelled) {
        write!(
            out,
            "{}{}",
            wrapped(&fields.texts(), 2),
            wrapped(&labels, 6)
        )?;
    }
    Ok(())
}
