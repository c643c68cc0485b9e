//! The comparison of a decision with the fields that a case expects.

use crate::decision_diff::difference;
use crate::error::CaseError;
use robots_policy::Decision;
use robots_policy::decision::{Effect, Field, Source, ValueType, WarningKind};
use robots_policy::text::nearest;
use serde_json::Value;
use std::collections::BTreeMap;

/// The prefix of a key for the reasons of a field: `reasons.ai_train`.
const REASONS: &str = "reasons.";

/// Compares fields of a decision, in its serialised form, with those that a case expects. The error names the
/// fields that differ, or the first key whose value no decision can have.
pub(crate) fn expect_fields(
    decision: &Decision,
    expected: &BTreeMap<String, Value>,
) -> Result<(), CaseError> {
    let actual = serde_json::to_value(decision).map_err(CaseError::syntax)?;
    for (key, value) in expected {
        check_value(&actual, key, value)?;
    }
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
                .reasons_for(Field::Fetch)
                .find_map(|reason| match reason.source {
                    Source::RobotsTxt { line } => Some(line),
                    _ => None,
                })
                .unwrap_or(0)
                .into(),
            field if field.starts_with(REASONS) => reasons(decision, &actual, field),
            field => match actual.get(field) {
                // TOML has no null: an absent field is "none".
                None | Some(Value::Null) => "none".into(),
                Some(value) => value.clone(),
            },
        };
        // Numbers may be written with or without a point, and JSON has null.
        let is_same_number = expected.as_f64().is_some() && expected.as_f64() == found.as_f64();
        if is_same_number || expected.is_null() && found == "none" {
            continue;
        }
        differences.extend(difference(field, "expected", expected, &found));
    }
    if differences.is_empty() {
        return Ok(());
    }
    let text = format!("{}\n{}", differences.join("\n"), decision.explain());
    Err(CaseError::mismatch(text))
}

/// Checks that the value that a case expects for a key is possible. `decision` is any serialised decision: it shows
/// which fields there are.
fn check_value(decision: &Value, key: &str, value: &Value) -> Result<(), CaseError> {
    let unknown = || {
        let fields: Vec<_> = Field::ALL.iter().map(|field| field.name()).collect();
        // The field of `reasons.FIELD`.
        let (start, name) = match key.strip_prefix(REASONS) {
            Some(field) => (REASONS, field),
            None => ("", key),
        };
        let known = fields.iter().chain(&["line", "warnings", "reasons"]);
        let hint = match nearest(name, known.copied()) {
            Some(near) => format!("; did you mean \"{start}{near}\"?"),
            None => format!(
                ": expected line, warnings, reasons, reasons.FIELD or a field: {}",
                fields.join(", ")
            ),
        };
        CaseError::unknown_key(key, &hint)
    };
    let expected = if key == "line" {
        (!value.is_u64()).then(|| "the number of a line, or 0 if none decides".to_owned())
    } else if key == "warnings" {
        let is_possible = is_list_of(value, |word| WarningKind::NAMES.contains(&word));
        (!is_possible).then(|| format!("a list of {}", WarningKind::NAMES.join(", ")))
    } else if let Some(field) = key.strip_prefix(REASONS) {
        if !Field::ALL.iter().any(|known| known.name() == field) {
            return Err(unknown());
        }
        let is_possible = is_list_of(value, |text| {
            let effect = text.split_once(": ").map(|(effect, _)| effect);
            effect.is_some_and(|effect| Effect::NAMES.contains(&effect))
        });
        let effects = Effect::NAMES.join(", ");
        (!is_possible).then(|| {
            format!("a list of \"EFFECT: TEXT (PLACE)\", where EFFECT is one of {effects}")
        })
    } else {
        let actual = decision.get(key).ok_or_else(unknown)?;
        check_field(decision, key, actual, value).err()
    };
    expected.map_or(Ok(()), |expected| {
        Err(impossible_value(key, value, &expected))
    })
}

fn impossible_value(key: &str, value: &Value, expected: &str) -> CaseError {
    CaseError::new(format!(
        "unexpected value {value} of {key:?}: expected {expected}"
    ))
}

/// Checks the expected value of a field; the error describes the possible values. A value is possible if `decision` can be
/// deserialised with it; "none" is also possible if `decision` can be deserialised with null. `actual` is the value that the field
/// has.
fn check_field(
    decision: &Value,
    key: &str,
    actual: &Value,
    expected: &Value,
) -> Result<(), String> {
    let deserialise_with = |value: Value| {
        let mut decision = decision.clone();
        if let Some(field) = decision.get_mut(key) {
            *field = value;
        }
        serde_json::from_value::<Decision>(decision)
    };
    let is_none = || *expected == "none" && deserialise_with(Value::Null).is_ok();
    match deserialise_with(expected.clone()) {
        Ok(_) => Ok(()),
        Err(_) if is_none() => Ok(()),
        Err(error) => Err(possible_values(key, actual).unwrap_or_else(|| error.to_string())),
    }
}

/// Returns whether a value is a list of texts that each satisfy a condition.
fn is_list_of(value: &Value, is_item: impl Fn(&str) -> bool) -> bool {
    let items = value.as_array();
    items.is_some_and(|items| items.iter().all(|item| item.as_str().is_some_and(&is_item)))
}

/// Checks the words of a recorded decision: the text of a field that permits only some words must be one of them.
pub(crate) fn check_words(recorded: &Value) -> Result<(), CaseError> {
    for column in Decision::columns() {
        let word = recorded.get(column.name()).and_then(Value::as_str);
        if let Some(word) = word.filter(|word| !column.words().contains(word))
            && !column.words().is_empty()
        {
            let expected = column.words().join(", ");
            return Err(impossible_value(column.name(), &word.into(), &expected));
        }
    }
    Ok(())
}

/// Describes the values that a field may have; `None` for lists and free texts. `actual` is a value of the field.
fn possible_values(key: &str, actual: &Value) -> Option<String> {
    let column = Decision::columns()
        .iter()
        .find(|column| column.name() == key)?;
    let mut text = match (column.words(), column.value_type()) {
        _ if actual.is_array() => return None,
        ([], ValueType::Bool) => "true or false".to_owned(),
        ([], ValueType::Int) => "a whole number, with -1 for no limit".to_owned(),
        ([], ValueType::Float) => "a number".to_owned(),
        ([], ValueType::Time) => "a time such as \"2026-11-20T00:00:00Z\"".to_owned(),
        ([], _) => return None,
        (words, _) => words.join(", "),
    };
    if column.is_optional() && !column.words().contains(&"none") {
        text.push_str(", or \"none\"");
    }
    Some(text)
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

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::{Policy, RobotsFetch};

    /// Returns the error for a value, if there is one.
    fn error(key: &str, value: impl Into<Value>) -> Option<CaseError> {
        let (policy, url) = (Policy::default(), "https://example.com/");
        policy.learn(url, RobotsFetch::Status(404)).unwrap();
        let decision = policy.decide(url, b"");
        let expected = BTreeMap::from([(key.to_owned(), value.into())]);
        expect_fields(&decision, &expected).err()
    }

    fn is_mismatch(key: &str, value: impl Into<Value>) -> bool {
        error(key, value).is_some_and(|error| !error.is_invalid_case())
    }

    /// Returns the values that an invalid one should have.
    #[allow(clippy::needless_pass_by_value, reason = "short calls")]
    fn possible(key: &str, value: Value) -> String {
        let error = error(key, value.clone()).unwrap();
        assert!(error.is_invalid_case(), "{key} {value}");
        let text = error.to_string();
        let start = format!("unexpected value {value} of {key:?}: expected ");
        text.strip_prefix(&start).unwrap().to_owned()
    }

    #[test]
    fn each_word_of_a_field_is_possible_and_no_other() {
        let mut fields_with_words = 0;
        for column in Decision::columns() {
            let key = column.name();
            for word in column.words() {
                let error = error(key, *word);
                assert!(
                    !error.is_some_and(|error| error.is_invalid_case()),
                    "{key} {word}"
                );
            }
            if column.words().is_empty() {
                continue;
            }
            fields_with_words += 1;
            for other in [
                Value::from("maybe"),
                "Yes".into(),
                "".into(),
                true.into(),
                1.into(),
            ] {
                assert_eq!(possible(key, other), column.words().join(", "), "{key}");
            }
        }
        // A field whose words were lost would be skipped above.
        assert_eq!(fields_with_words, 12);
    }

    #[test]
    fn a_value_of_the_wrong_type_is_an_error() {
        let text = |text: &str| Value::from(text);
        assert_eq!(possible("index_if_embedded", text("no")), "true or false");
        let limit = "a whole number, with -1 for no limit, or \"none\"";
        assert_eq!(possible("snippet", text("unlimited")), limit);
        assert_eq!(possible("crawl_delay", text("3s")), "a number, or \"none\"");
        let time = possible("expires_at", text("tomorrow"));
        assert!(time.starts_with("a time such as"), "{time}");
        assert!(possible("visit_time", text("night")).contains("night"));
        assert!(possible("request_rates", text("1/10s")).contains("sequence"));
        assert!(possible("reasons", vec![text("noindex")].into()).contains("Reason"));
        for line in [text("4"), (-1).into(), 1.5.into()] {
            assert!(possible("line", line).contains("number of a line"));
        }
        for warnings in [text("conflict"), vec!["conflicts"].into()] {
            assert!(possible("warnings", warnings).contains("conflict, header_against_meta"));
        }
        for reasons in [
            text("x"),
            vec!["noai"].into(),
            vec!["decide: noai (META at byte 0)"].into(),
        ] {
            assert!(possible("reasons.ai_train", reasons).contains("decides, agrees"));
        }
    }

    #[test]
    fn an_unknown_key_is_an_error() {
        for key in ["indx", "reasons.ai_trian", "reasons.", "warning"] {
            let text = error(key, "no").unwrap().to_string();
            assert!(text.starts_with(&format!("unknown key {key:?}")), "{text}");
        }
    }

    #[test]
    fn possible_values_are_compared() {
        assert!(error("crawl_delay", "none").is_none());
        assert!(error("snippet", -1).is_none());
        assert!(error("reasons.follow", Vec::<Value>::new()).is_none());
        assert!(is_mismatch("snippet", "none"));
        assert!(is_mismatch("crawl_delay", 3.5));
        assert!(is_mismatch("expires_at", "2026-11-20T00:00:00Z"));
        assert!(is_mismatch("request_rates", vec!["1/10s"]));
        assert!(is_mismatch("visit_time", "2200-0400"));
        assert!(is_mismatch("line", 3));
        assert!(is_mismatch("warnings", vec!["conflict"]));
        assert!(is_mismatch(
            "reasons.ai_train",
            vec!["decides: noai (META at byte 0)"]
        ));
    }
}
