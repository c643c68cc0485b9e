//! The comparison of a decision with the fields that a case expects.

use crate::error::{CaseError, CaseErrorKind};
use robots_policy::Decision;
use serde_json::Value;
use std::collections::BTreeMap;

/// The start of a key for the reasons of a field: `reasons.ai_train`.
const REASONS: &str = "reasons.";

/// The name of a question, and its result. A case has one or more questions; each becomes a trial.
pub(crate) type CaseResult = (String, Result<(), CaseError>);

/// Compares fields of a decision, in its serialised form, with those that a case expects. The error names the
/// fields that differ.
pub(crate) fn expect_fields(
    decision: &Decision,
    expected: &BTreeMap<String, Value>,
) -> Result<(), CaseError> {
    let actual = serde_json::to_value(decision).map_err(CaseError::wrap(CaseErrorKind::Syntax))?;
    let mut differences = Vec::new();
    for (field, expected) in expected {
        let found = match field.as_str() {
            // The kinds of warnings, in order.
            "warnings" => actual
                .get("warnings")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
                .filter_map(|warning| warning.get("kind"))
                .cloned()
                .collect(),
            // The 1-based line of robots.txt that decides the fetch; 0 if none does.
            "line" => decision
                .reasons_for(robots_policy::decision::Field::Fetch)
                .find_map(|reason| match reason.source {
                    robots_policy::decision::Source::RobotsTxt { line } => Some(line),
                    _ => None,
                })
                .unwrap_or(0)
                .into(),
            field if field.starts_with(REASONS) => reasons(decision, &actual, field),
            field => match actual.get(field) {
                None => return Err(CaseErrorKind::UnknownField(field.to_owned()).into()),
                // TOML has no null: an absent field is "none".
                Some(Value::Null) => "none".into(),
                Some(value) => value.clone(),
            },
        };
        if found != *expected {
            differences.push(format!("{field} is {found}, expected {expected}"));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    let text = format!("{}\n{}", differences.join("\n"), decision.explain());
    Err(CaseErrorKind::Mismatch(text).into())
}

/// Returns the reasons of a field as texts: `decides: noai (META at byte 0)`.
fn reasons(decision: &Decision, actual: &Value, key: &str) -> Value {
    let text = |reason: &Value, key: &str| match reason.get(key) {
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    };
    let rows = actual.get("reasons").and_then(Value::as_array);
    let rows = rows.into_iter().flatten().zip(&decision.reasons);
    rows.filter(|(row, _)| text(row, "field") == key.trim_start_matches(REASONS))
        .map(|(row, reason)| {
            let effect = text(row, "effect");
            format!("{effect}: {} ({})", reason.text, reason.source)
        })
        .map(Value::from)
        .collect()
}
