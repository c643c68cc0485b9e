//! Answers in words, for people.

use robots_policy::Decision;
use robots_policy::decision::Field;
use std::borrow::Cow;

/// Returns the name of a field for people: `Show a copy`.
pub fn field_title(field: Field) -> &'static str {
    match field {
        Field::Fetch => "Fetch",
        Field::Index => "Index",
        Field::IndexIfEmbedded => "Index where embedded",
        Field::Follow => "Follow links",
        Field::Archive => "Show a copy",
        Field::Snippet => "Show text",
        Field::ImagePreview => "Preview images",
        Field::VideoPreview => "Preview videos",
        Field::ImageIndex => "Index images",
        Field::Translate => "Translate",
        Field::ExpiresAt => "Show until",
        Field::CrawlDelay => "Wait between",
        Field::RequestRates => "Request rate",
        Field::VisitTime => "Visit hours",
        Field::RevisitAfter => "Come back after",
        Field::AiTrain => "AI training",
        Field::AiInput => "AI answers",
        Field::AiSearch => "AI search",
        Field::Licenses => "Terms of use",
        Field::MayTrain => "Train AI",
        field => field.name(),
    }
}

/// Returns the value of a field that is one of a few words, in words for people.
fn word(field: Field, value: &str) -> Option<&'static str> {
    Some(match (value, field) {
        ("allow" | "yes", _) => "yes",
        ("disallow" | "no", _) => "no",
        ("url_only", _) => "URL alone",
        ("limited", _) => "title and snippet",
        ("defer", _) => "not now",
        ("not_applicable", _) => "fetches nothing",
        ("unknown", Field::AiTrain | Field::AiInput | Field::AiSearch) => "not stated",
        ("unknown", _) => "not known",
        _ => return None,
    })
}

/// Returns the answer of a field in a word or two; `not known` for a field whose values are not words.
pub fn answer_word(decision: &Decision, field: Field) -> &'static str {
    word(field, &field.text(decision)).unwrap_or("not known")
}

/// Returns the answer of any field in words.
pub fn answer_text(decision: &Decision, field: Field) -> Cow<'static, str> {
    let value = field.text(decision);
    if let Some(word) = word(field, &value) {
        return Cow::Borrowed(word);
    }
    let unit = match (field, value.as_str()) {
        (Field::Snippet | Field::VideoPreview, "0") => return Cow::Borrowed("none"),
        (Field::Snippet, "1") => "character",
        (Field::Snippet, _) => "characters",
        (Field::VideoPreview, "1") => "second",
        (Field::VideoPreview, _) => "seconds",
        _ => return Cow::Owned(value),
    };
    if value == "unlimited" {
        return Cow::Borrowed("no limit");
    }
    Cow::Owned(format!("{value} {unit}"))
}

/// Returns the value of a field as a sentence without its full stop: `the page may be listed by its URL alone`.
pub fn sentence(field: Field, value: &str) -> String {
    let [may, may_not] = match field {
        Field::Fetch => ["the page may be fetched", "the page may not be fetched"],
        Field::Index => ["the page may be indexed", "the page may not be indexed"],
        Field::Follow => ["its links may be followed", "its links may not be followed"],
        Field::Archive => ["a copy of it may be shown", "a copy of it may not be shown"],
        Field::MayTrain => ["AI may be trained with it", "AI may not be trained with it"],
        field => {
            let word = word(field, value).unwrap_or(value);
            return format!("{}: {word}", field_title(field));
        }
    };
    match value {
        "allow" | "yes" => may.to_owned(),
        "disallow" | "no" => may_not.to_owned(),
        "defer" => format!("{may_not} now"),
        "url_only" => "the page may be listed by its URL alone".to_owned(),
        "not_applicable" => "the robot fetches nothing".to_owned(),
        _ => format!("it is not known whether {may}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_policy::decision::{AiUse, Permission};
    use robots_policy::{Fetch, Index};

    /// A new value would otherwise be shown as it is in JSON.
    #[test]
    fn every_value_that_is_a_word_has_words() {
        for (field, values) in [
            (Field::Fetch, Fetch::NAMES),
            (Field::Index, Index::NAMES),
            (Field::Follow, Permission::NAMES),
            (Field::AiInput, AiUse::NAMES),
        ] {
            for value in values {
                let found = word(field, value).unwrap_or_else(|| panic!("{value}"));
                assert!(!found.contains('_'), "{found}");
                let found = sentence(field, value);
                assert!(!found.contains('_') && !found.contains("defer"), "{found}");
            }
        }
        for field in Field::ALL {
            let is_shown = *field != Field::PageLayer;
            assert!(!is_shown || !field_title(*field).contains('_'), "{field}");
        }
    }

    #[test]
    fn values_are_sentences() {
        for (field, value, text) in [
            (
                Field::Index,
                "url_only",
                "the page may be listed by its URL alone",
            ),
            (Field::Index, "no", "the page may not be indexed"),
            (Field::Fetch, "defer", "the page may not be fetched now"),
            (
                Field::Fetch,
                "unknown",
                "it is not known whether the page may be fetched",
            ),
            (Field::MayTrain, "yes", "AI may be trained with it"),
            (Field::AiInput, "limited", "AI answers: title and snippet"),
        ] {
            assert_eq!(sentence(field, value), text);
        }
    }

    #[test]
    fn limits_have_units() {
        use robots_meta::value::Limit;
        let mut decision = robots_policy::Policy::default().decide("https://example.com/", b"");
        for (limit, text) in [
            (Limit::AtMost(0), "none"),
            (Limit::AtMost(1), "1 character"),
            (Limit::AtMost(5), "5 characters"),
            (Limit::Unlimited, "no limit"),
        ] {
            decision.snippet = Some(limit);
            assert_eq!(answer_text(&decision, Field::Snippet), text);
        }
        decision.snippet = None;
        assert_eq!(answer_text(&decision, Field::Snippet), "not known");
    }
}
