//! The differences between two decisions about one page, field by field, as lines for people.

use robots_policy::decision::{Reason, Warning};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Returns the lines of each field in which a decision in its JSON form differs from the recorded one.
pub(crate) fn differences(recorded: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let names: BTreeSet<&String> = recorded.keys().chain(now.keys()).collect();
    let lines = names.into_iter().flat_map(|name| {
        let [was, is] = [recorded, now].map(|decision| decision.get(name).unwrap_or(&Value::Null));
        difference(name, "recorded", was, is)
    });
    lines.collect()
}

/// Returns how the value of a field differs from another, which is `recorded` or `expected`, in a line; none if it does not. Below
/// a list there is a line for each item that only one of them has: `-` marks one of `other`, `+` one of `found`.
pub(crate) fn difference(name: &str, which: &str, other: &Value, found: &Value) -> Vec<String> {
    if other == found {
        return Vec::new();
    }
    let (Value::Array(other), Value::Array(found)) = (other, found) else {
        return vec![format!(
            "{name} is {}, {which} {}",
            text(found),
            text(other)
        )];
    };
    let only_in = |mark: char, items: &[Value], others: &[Value]| -> Vec<String> {
        let items = items.iter().filter(|item| !others.contains(item));
        items
            .map(|item| format!("  {mark} {}", item_text(item)))
            .collect()
    };
    let (gone, new) = (only_in('-', other, found), only_in('+', found, other));
    let is_other_order = gone.is_empty() && new.is_empty();
    let what = if is_other_order {
        " in order or number"
    } else {
        ""
    };
    let mut lines = vec![format!("{name} differ from the {which} ones{what}:")];
    if is_other_order {
        lines.extend(found.iter().map(|item| format!("  + {}", item_text(item))));
    }
    lines.extend(gone);
    lines.extend(new);
    lines
}

/// Returns the value of a field as text: a missing one is `none`, as in cases.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        // Of all numbers in a decision, only a limit can be -1.
        Value::Number(number) if number.as_i64() == Some(-1) => "-1 (no limit)".to_owned(),
        other => other.to_string(),
    }
}

/// Returns an item of a list as text. A reason and a warning have their text for people.
fn item_text(item: &Value) -> String {
    if let Ok(reason) = serde_json::from_value::<Reason>(item.clone()) {
        return reason.to_string();
    }
    if let Ok(warning) = serde_json::from_value::<Warning>(item.clone()) {
        return warning.to_string();
    }
    match item {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_and_items_that_differ_have_lines() {
        let object = |value: Value| value.as_object().unwrap().clone();
        let before = object(json!({
            "fetch": "disallow",
            "follow": "yes",
            "snippet": -1,
            "crawl_delay": null,
            "licenses": ["a", "b"],
            "request_rates": ["1/10s", "2/10s"],
            "reasons": [
                { "field": "fetch", "source": "robots_txt", "line": 3, "text": "Disallow: /", "effect": "decides" },
                { "field": "index", "source": "meta", "offset": 7, "text": "noindex", "effect": "decides" },
            ],
            "warnings": [],
        }));
        let now = object(json!({
            "fetch": "allow",
            "follow": "yes",
            "snippet": 50,
            "crawl_delay": 2.5,
            "licenses": ["b"],
            "request_rates": ["2/10s", "1/10s"],
            "reasons": [
                { "field": "fetch", "source": "robots_fetch", "text": "no rule", "effect": "decides" },
                { "field": "index", "source": "meta", "offset": 7, "text": "noindex", "effect": "decides" },
            ],
            "warnings": [{ "kind": "conflict", "source": "meta", "offset": 7, "text": "index" }],
        }));
        assert_eq!(
            differences(&before, &now),
            [
                "crawl_delay is 2.5, recorded none",
                "fetch is \"allow\", recorded \"disallow\"",
                "licenses differ from the recorded ones:",
                "  - a",
                "reasons differ from the recorded ones:",
                "  - robots.txt line 3: Disallow: / (decides fetch)",
                "  + robots.txt: no rule (decides fetch)",
                "request_rates differ from the recorded ones in order or number:",
                "  + 2/10s",
                "  + 1/10s",
                "snippet is 50, recorded -1 (no limit)",
                "warnings differ from the recorded ones:",
                "  + META at byte 7: index: contradicts another directive",
            ]
        );
        assert!(differences(&now, &now).is_empty());
    }
}
