//! What the tests of the workspace share: the forms of cases and fixture sites, the corpus, and
//! the oracle for HEADs. See README.md in this folder.

pub mod case;
pub mod corpus;
pub mod oracle;
pub mod site;
pub mod tricky;

use anyhow::{Context, Result, bail};
use robots_policy::Decision;
use std::collections::BTreeMap;

/// Checks that a decision is, field by field of its serialised form, what a case expects.
///
/// # Errors
///
/// Names the fields that differ.
pub fn expect_fields(decision: &Decision, expected: &BTreeMap<String, toml::Value>) -> Result<()> {
    let actual = serde_json::to_value(decision).context("a decision serialises")?;
    let mut wrong = Vec::new();
    for (field, expected) in expected {
        let expected = serde_json::to_value(expected)?;
        let found = match field.as_str() {
            // The kinds of warnings, in order.
            "warnings" => actual
                .get("warnings")
                .and_then(serde_json::Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|warning| warning.get("kind"))
                .cloned()
                .collect(),
            // The line of robots.txt that decided about the fetch; 0 if none did.
            "line" => decision
                .reasons_for(robots_policy::Field::Fetch)
                .find_map(|reason| match reason.source {
                    robots_policy::Source::RobotsTxt { line } => Some(line),
                    _ => None,
                })
                .unwrap_or(0)
                .into(),
            field => match actual.get(field) {
                None => bail!("a decision has no field {field:?}"),
                // TOML has no null: a field that is not there is "none".
                Some(serde_json::Value::Null) => "none".into(),
                Some(value) => value.clone(),
            },
        };
        if found != expected {
            wrong.push(format!("{field} is {found}, expected {expected}"));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}\n{}", wrong.join("\n"), decision.explain())
}
