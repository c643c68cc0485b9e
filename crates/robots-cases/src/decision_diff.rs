//! The differences between two decisions about one page, field by field, as lines for people.

use robots_policy::Decision;
use robots_policy::decision::{Field, Reason, Source, Warning};
use serde_json::{Map, Value};
use std::collections::{BTreeSet, HashMap};

/// The keys of the place of a statement, in the JSON form of a reason or a warning.
const PLACE: [&str; 4] = ["line", "offset", "header", "entry"];

/// The sources of statements that only a robot reads which fetches the page.
const OF_PAGE: [&str; 5] = ["meta", "header", "page_header", "page", "status"];

/// Returns the lines of each field in which a decision in its JSON form differs from the recorded one. `fetch` is first, and one line
/// has the fields that only follow from it. Reasons and warnings are compared by their texts, not by their places: a statement that
/// moved is the same one.
pub(crate) fn differences(recorded: &Map<String, Value>, now: &Map<String, Value>) -> Vec<String> {
    let values =
        |name: &str| [recorded, now].map(|decision| decision.get(name).unwrap_or(&Value::Null));
    let following = following(recorded, now);
    let fetch = Field::Fetch.name();
    let [was, is] = values(fetch);
    let mut lines = difference(fetch, "recorded", was, is);
    let changed = following.iter().filter_map(|name| {
        let [was, is] = values(name);
        (was != is).then(|| format!("{name} {}", text(is)))
    });
    let mut changed: Vec<String> = changed.collect();
    let mut rest = Vec::new();
    let names: BTreeSet<&str> = recorded
        .keys()
        .chain(now.keys())
        .map(String::as_str)
        .collect();
    let others = names
        .into_iter()
        .filter(|name| *name != fetch && !following.contains(name));
    for name in others {
        let [was, is] = values(name);
        let (Value::Array(was), Value::Array(is), "reasons" | "warnings") = (was, is, name) else {
            rest.extend(difference(name, "recorded", was, is));
            continue;
        };
        let parts = [was, is].map(|items| -> (Vec<&Value>, Vec<&Value>) {
            items.iter().partition(|item| is_folded(item, &following))
        });
        let [(was_folded, was), (now_folded, is)] = parts;
        if name == "warnings" && !statement_difference(name, &was_folded, &now_folded).is_empty() {
            changed.push("other warnings about the page".to_owned());
        }
        rest.extend(statement_difference(name, &was, &is));
    }
    if !changed.is_empty() {
        lines.push(format!("from this follow: {}", changed.join(", ")));
    }
    lines.extend(rest);
    lines
}

/// Returns whether a reason is about a field that follows from `fetch`, or a warning about a statement of the page.
fn is_folded(item: &Value, following: &[&str]) -> bool {
    let text = |key| item.get(key).and_then(Value::as_str);
    match text("field") {
        Some(field) => following.contains(&field),
        None => {
            !following.is_empty() && text("source").is_some_and(|source| OF_PAGE.contains(&source))
        }
    }
}

/// Returns the names of the fields whose values only follow from a change of `fetch`: where a decision does not allow the fetch, the
/// statements of the page are not read.
fn following(recorded: &Map<String, Value>, now: &Map<String, Value>) -> Vec<&'static str> {
    let decisions = [recorded, now].map(|decision| {
        // A decision of another version has no such fields.
        serde_json::from_value::<Decision>(Value::Object(decision.clone())).ok()
    });
    let [Some(was), Some(is)] = decisions else {
        return Vec::new();
    };
    if was.fetch == is.fetch {
        return Vec::new();
    }
    let fields = Field::ALL.iter().copied();
    let follows = |field: &Field| {
        *field != Field::Fetch
            && [&was, &is]
                .into_iter()
                .all(|one| follows_fetch(one, *field))
    };
    fields.filter(follows).map(Field::name).collect()
}

/// Returns whether the value of a field is that of a page which is not read, or on a page that is read, that of no line of robots.txt.
fn follows_fetch(decision: &Decision, field: Field) -> bool {
    let source = |field| decision.deciding_reason(field).map(|reason| reason.source);
    match source(field) {
        None | Some(Source::RobotsFetch) => true,
        Some(Source::RobotsTxt { .. }) => {
            !decision.may_fetch() && source(field) == source(Field::Fetch)
        }
        Some(_) => decision.may_fetch(),
    }
}

/// Returns how reasons or warnings differ from the recorded ones, as [`difference`] does, but without regard to their places and their
/// order, which follow the lines of robots.txt.
fn statement_difference(name: &str, recorded: &[&Value], now: &[&Value]) -> Vec<String> {
    let only_in = |mark: char, items: &[&Value], others: &[&Value]| -> Vec<String> {
        let mut left: HashMap<String, usize> = HashMap::new();
        for other in others {
            *left.entry(without_place(other)).or_default() += 1;
        }
        let items = items.iter().filter(|item| {
            let left = left.entry(without_place(item)).or_default();
            let is_new = *left == 0;
            *left = left.saturating_sub(1);
            is_new
        });
        items
            .map(|item| format!("  {mark} {}", item_text(item)))
            .collect()
    };
    let (gone, new) = (only_in('-', recorded, now), only_in('+', now, recorded));
    if gone.is_empty() && new.is_empty() {
        return Vec::new();
    }
    let heading = format!("{name} differ from the recorded ones:");
    [vec![heading], gone, new].concat()
}

/// Returns the JSON form of a reason or a warning without the place of its statement.
fn without_place(item: &Value) -> String {
    let mut item = item.clone();
    if let Value::Object(item) = &mut item {
        item.retain(|key, _| !PLACE.contains(&key.as_str()));
    }
    item.to_string()
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
    use robots_policy::{Policy, RobotsFetch};
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
                "fetch is \"allow\", recorded \"disallow\"",
                "crawl_delay is 2.5, recorded none",
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

    /// Returns the decision about a page of a site with this robots.txt, in its JSON form.
    fn decided(robots: &str, html: &str) -> Map<String, Value> {
        let (policy, url) = (Policy::default(), "https://example.com/a");
        policy
            .learn(url, RobotsFetch::Body(robots.as_bytes()))
            .unwrap();
        let decision = policy.decide(url, html.as_bytes());
        let value = serde_json::to_value(&decision).unwrap();
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_statement_that_moved_is_the_same_one() {
        let (rules, metas) = (
            "User-agent: *\nDisallow: /a\n",
            "<meta name=robots content=noindex>",
        );
        let [open, closed] = ["", rules].map(|robots| decided(robots, metas));
        for (robots, html) in [
            ("User-agent: *\nDisallow: /b\nDisallow: /a\n", metas),
            ("# new\n\nUser-agent: *\nDisallow: /a\n", metas),
        ] {
            assert!(differences(&closed, &decided(robots, html)).is_empty());
        }
        assert!(differences(&open, &decided("", &format!("<title>A</title>{metas}"))).is_empty());
        // Another text, another number or another effect is a difference.
        for (robots, expected) in [
            (
                "User-agent: *\nDisallow: /a*\n",
                "  + robots.txt line 2: Disallow: /a* (group of *) (decides fetch)",
            ),
            (
                "User-agent: *\nAllow: /\nDisallow: /a\nCrawl-delay: 1",
                "crawl_delay is 1.0, recorded none",
            ),
        ] {
            let lines = differences(&closed, &decided(robots, metas));
            assert!(lines.contains(&expected.to_owned()), "{lines:?}");
        }
        let twice = decided("", &metas.repeat(2));
        // The second one agrees about `index` and `ai_search`.
        for (one, other) in [(&open, &twice), (&twice, &open)] {
            assert_eq!(differences(one, other).len(), 3);
        }
    }

    #[test]
    fn fields_that_follow_from_fetch_are_one_line() {
        let html = "<meta name=robots content=nofollow>";
        let open = decided("User-agent: *\nCrawl-delay: 5\nDisallow: /b\n", html);
        let closed = decided("User-agent: *\nDisallow: /\n", html);
        let lines = differences(&open, &closed);
        assert_eq!(lines[0], "fetch is \"disallow\", recorded \"allow\"");
        assert!(
            lines[1].starts_with("from this follow: page_layer \"unseen\", index \"url_only\", "),
            "{lines:?}"
        );
        // The delay is another line of robots.txt.
        assert_eq!(lines[2], "crawl_delay is none, recorded 5.0");
        assert!(
            !lines.iter().any(|line| line.starts_with("follow")),
            "{lines:?}"
        );
        let back = differences(&closed, &open);
        assert!(back[1].contains(" follow \"no\""), "{back:?}");
        // Without a change of `fetch`, nothing follows.
        let without = decided("User-agent: *\nCrawl-delay: 5\nDisallow: /b\n", "");
        let lines = differences(&open, &without);
        assert_eq!(lines[0], "follow is \"yes\", recorded \"no\"");
    }
}
