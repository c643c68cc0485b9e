//! What every robot of every profile makes of what a page says, its robots.txt aside.

use crate::terminal::{grouped, printable, wrapped};
use robots_policy::{Page, Policy, Profile};
use serde_json::{Map, Value};
use std::io::{self, Write};

/// The fields of a decision that a page decides.
const FIELDS: [&str; 12] = [
    "index",
    "follow",
    "archive",
    "snippet",
    "image_preview",
    "video_preview",
    "image_index",
    "translate",
    "expires_at",
    "ai_train",
    "ai_input",
    "ai_search",
];

/// What is decided for a robot.
#[derive(Debug)]
pub(super) struct Decided {
    profile: String,
    agent: String,
    fields: Map<String, Value>,
}

/// What is decided about a page for each robot of each profile; `html` is not there if the response is
/// something else.
pub(super) fn decided(
    html: Option<&[u8]>,
    headers: &[(&str, &str)],
    charset: Option<&str>,
) -> Vec<Decided> {
    let mut all = Vec::new();
    for profile in Profile::all() {
        for robot in profile.robots() {
            let mut page = Page::new("https://example.com/")
                .with_status(200)
                .with_headers(headers.iter().copied());
            if let Some(charset) = charset {
                page = page.with_charset(charset);
            }
            page = match html {
                Some(html) => page.with_html(html),
                None => page.not_html(),
            };
            let policy = Policy::for_robot(&profile, robot.clone()).without_reasons();
            let decision = serde_json::to_value(policy.decide_page(&page)).unwrap_or_default();
            let field = |name: &&str| {
                let value = decision.get(*name).cloned().unwrap_or_default();
                ((*name).to_owned(), value)
            };
            all.push(Decided {
                profile: profile.name().to_owned(),
                agent: robot.name().to_owned(),
                fields: FIELDS.iter().map(field).collect(),
            });
        }
    }
    all
}

/// Writes them, those together that are the same.
pub(super) fn show(out: &mut impl Write, decided: &[Decided]) -> io::Result<()> {
    writeln!(out, "\ndecisions, without robots.txt")?;
    let found = decided.iter().map(|found| {
        let label = format!("{} ({})", found.agent, found.profile);
        (&found.fields, label)
    });
    for (fields, labels) in grouped(found) {
        let told: Vec<String> = fields
            .iter()
            .map(|(name, value)| format!("{} {}", name.replace('_', " "), text(value)))
            .collect();
        write!(out, "{}{}", wrapped(&told, 2), wrapped(&labels, 6))?;
    }
    Ok(())
}

/// A value as people read it.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => printable(text).into_owned(),
        other => other.to_string(),
    }
}

/// As JSON: an object for each robot.
pub(super) fn json(decided: &[Decided]) -> Value {
    decided
        .iter()
        .map(|found| {
            let mut object = Map::new();
            object.insert("profile".to_owned(), Value::from(found.profile.as_str()));
            object.insert("agent".to_owned(), Value::from(found.agent.as_str()));
            object.extend(found.fields.clone());
            Value::Object(object)
        })
        .collect()
}
