//! The decisions of every robot of every profile about a page, for people.

use crate::terminal::{grouped, wrapped};
use robots_answers::page::decisions::{PageFields, RobotDecision};
use robots_meta::value::{ImagePreview, Limit};
use std::io::{self, Write};

/// Writes decisions for people. Robots with equal decisions are grouped.
pub(super) fn show(out: &mut impl Write, decisions: &[RobotDecision]) -> io::Result<()> {
    writeln!(out, "\ndecisions, without robots.txt")?;
    let labelled = decisions.iter().map(|decision| {
        let label = format!("{} ({})", decision.agent, decision.profile);
        (&decision.fields, label)
    });
    for (fields, labels) in grouped(labelled) {
        write!(out, "{}{}", wrapped(&texts(fields), 2), wrapped(&labels, 6))?;
    }
    Ok(())
}

/// Returns each field as text for people: `index yes`.
fn texts(fields: &PageFields) -> [String; 12] {
    [
        format!("index {}", fields.index),
        format!("follow {}", fields.follow),
        format!("archive {}", fields.archive),
        format!("snippet {}", limit(fields.snippet)),
        format!(
            "image preview {}",
            fields.image_preview.map_or("unknown", ImagePreview::name)
        ),
        format!("video preview {}", limit(fields.video_preview)),
        format!("image index {}", fields.image_index),
        format!("translate {}", fields.translate),
        fields.expires_at.map_or_else(
            || "expires never".to_owned(),
            |at| format!("expires at {at}"),
        ),
        format!("ai train {}", fields.ai_train),
        format!("ai input {}", fields.ai_input),
        format!("ai search {}", fields.ai_search),
    ]
}

/// Returns the limit of a snippet or preview in words.
fn limit(limit: Option<Limit>) -> String {
    match limit {
        Some(Limit::Unlimited) => "unlimited".to_owned(),
        Some(Limit::AtMost(number)) => number.to_string(),
        None => "unknown".to_owned(),
    }
}
