//! Values in the bodies of questions. Each is read when the body is, so that an error has its place.

use crate::config::MAX_URLS;
use crate::policies::BuiltInProfile;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use robots_answers::AgentName;
use robots_answers::why::Expectation;
use robots_lint::{FindingKind, Severity};
use robots_meta::Timestamp;
use robots_meta::header::control_characters_as_spaces;
use robots_policy::Profile;
use robots_policy::profile::dialect_with_switches;
use robots_txt::Dialect;
use serde::de::{Error, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::json;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// A file or page: a string, or `{"base64": "..."}` for bytes that are not UTF-8.
#[derive(Debug, Clone)]
pub(super) enum Content {
    Text(String),
    Bytes(Vec<u8>),
}

impl Content {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Bytes(bytes) => bytes,
        }
    }

    /// Returns the label of the encoding that a string in JSON has, whatever the page states. Bytes have that of the page.
    pub(super) fn charset(&self) -> Option<&'static str> {
        match self {
            Self::Text(_) => Some("utf-8"),
            Self::Bytes(_) => None,
        }
    }
}

impl ToSchema for Content {}

impl PartialSchema for Content {
    fn schema() -> RefOr<Schema> {
        schema(json!({"oneOf": [
            {"type": "string"},
            {
                "type": "object",
                "properties": {"base64": {"type": "string", "contentEncoding": "base64"}},
                "required": ["base64"],
                "additionalProperties": false,
            },
        ]}))
    }
}

/// Returns a schema. A test reads every one.
fn schema(value: serde_json::Value) -> RefOr<Schema> {
    serde_json::from_value(value).unwrap_or_default()
}

/// The key of the map as which `serde_json` passes on a number of any digits, where another crate of the program asks for such.
const NUMBER_KEY: &str = "$serde_json::private::Number";

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ContentVisitor;

        impl<'de> Visitor<'de> for ContentVisitor {
            type Value = Content;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string, or {\"base64\": \"...\"}")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Content, E> {
                Ok(Content::Text(text.to_owned()))
            }

            fn visit_string<E: Error>(self, text: String) -> Result<Content, E> {
                Ok(Content::Text(text))
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
                let Some(key) = map.next_key::<Cow<'_, str>>()? else {
                    return Err(A::Error::missing_field("base64"));
                };
                if key == NUMBER_KEY {
                    return Err(A::Error::invalid_type(Unexpected::Other("number"), &self));
                }
                if key != "base64" {
                    return Err(A::Error::unknown_field(&key, &["base64"]));
                }
                let text: Cow<'_, str> = map.next_value()?;
                let bytes = STANDARD
                    .decode(text.as_bytes())
                    .map_err(|error| A::Error::custom(format!("invalid base64: {error}")))?;
                match map.next_key::<Cow<'_, str>>()?.as_deref() {
                    None => Ok(Content::Bytes(bytes)),
                    Some("base64") => Err(A::Error::duplicate_field("base64")),
                    Some(key) => Err(A::Error::unknown_field(key, &["base64"])),
                }
            }
        }

        deserializer.deserialize_any(ContentVisitor)
    }
}

/// The longest word, in bytes: a `User-Agent` header fits.
const MAX_WORD_BYTES: usize = 1024;

/// The maximum number of words in a list.
const MAX_WORDS: usize = 10_000;

/// The maximum number of header lines.
const MAX_HEADER_LINES: usize = 10_000;

/// A list of up to `MAX` values. A longer one is an error before its values are read: each takes more memory than its text.
struct List<T, const MAX: usize>(Vec<T>);

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for List<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListVisitor<T, const MAX: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for ListVisitor<T, MAX> {
            type Value = List<T, MAX>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = seq.next_element()? {
                    if values.len() >= MAX {
                        return Err(A::Error::custom(format!(
                            "more than {MAX} values in a list"
                        )));
                    }
                    values.push(value);
                }
                Ok(List(values))
            }
        }

        deserializer.deserialize_seq(ListVisitor(PhantomData))
    }
}

/// Reads a list of words.
pub(super) fn words<'de, T: FromWord, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Word<T>>, D::Error> {
    List::<_, MAX_WORDS>::deserialize(deserializer).map(|list| list.0)
}

/// Reads a list of URLs.
pub(super) fn urls<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    List::<_, MAX_URLS>::deserialize(deserializer).map(|list| list.0)
}

/// A header line: its name and value.
#[derive(Debug)]
pub(super) struct HeaderPair(String, String);

impl ToSchema for HeaderPair {}

impl PartialSchema for HeaderPair {
    fn schema() -> RefOr<Schema> {
        schema(json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}))
    }
}

impl<'de> Deserialize<'de> for HeaderPair {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = List::<String, 3>::deserialize(deserializer)?.0;
        let Ok([name, mut value]) = <[String; 2]>::try_from(parts) else {
            return Err(D::Error::custom("expected a pair of name and value"));
        };
        let has_end = |text: &str| text.contains(['\r', '\n']);
        if name.trim().is_empty() || name.contains(':') || has_end(&name) || has_end(&value) {
            return Err(D::Error::custom(format!(
                "header line [{name:?}, {value:?}]: expected a name without colon, and no line end"
            )));
        }
        if let Cow::Owned(bytes) = control_characters_as_spaces(value.as_bytes()) {
            value = String::from_utf8_lossy(&bytes).into_owned();
        }
        Ok(Self(name, value))
    }
}

/// The header lines of a list.
fn pairs(list: List<HeaderPair, MAX_HEADER_LINES>) -> Vec<(String, String)> {
    let pairs = list.0.into_iter();
    pairs.map(|HeaderPair(name, value)| (name, value)).collect()
}

/// Reads header lines.
pub(super) fn headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(String, String)>, D::Error> {
    List::deserialize(deserializer).map(pairs)
}

/// Reads header lines, or null.
pub(super) fn optional_headers<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<(String, String)>>, D::Error> {
    let list = Option::deserialize(deserializer);
    list.map(|list| list.map(pairs))
}

/// Reads the status of a response, or null.
pub(super) fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let status = Option::<u64>::deserialize(deserializer)?;
    let Some(status) = status else {
        return Ok(None);
    };
    let valid = u16::try_from(status).ok();
    match valid.filter(|status| (100..=999).contains(status)) {
        Some(status) => Ok(Some(status)),
        None => Err(D::Error::custom(format!(
            "status {status}: expected a number from 100 to 999"
        ))),
    }
}

/// A value that is written as a string.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<T>(pub(super) T);

/// A value that a string can have.
pub(super) trait FromWord: Sized {
    /// Returns the value, or what is wrong with the string.
    fn from_word(word: &str) -> Result<Self, String>;
}

impl<'de, T: FromWord> Deserialize<'de> for Word<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = Cow::<'_, str>::deserialize(deserializer)?;
        if word.len() > MAX_WORD_BYTES {
            let length = word.len();
            return Err(D::Error::custom(format!(
                "a word has {length} bytes: expected up to {MAX_WORD_BYTES}"
            )));
        }
        let value = T::from_word(&word);
        value
            .map(Self)
            .map_err(|problem| D::Error::custom(format!("{word:?}: {problem}")))
    }
}

impl FromWord for AgentName {
    fn from_word(word: &str) -> Result<Self, String> {
        word.parse()
            .map_err(|error: robots_answers::AgentNameError| error.to_string())
    }
}

impl FromWord for BuiltInProfile {
    fn from_word(word: &str) -> Result<Self, String> {
        Profile::of_name(word).map_err(|unknown| unknown.to_string())
    }
}

impl FromWord for Dialect {
    fn from_word(word: &str) -> Result<Self, String> {
        dialect_with_switches(word).map_err(|unknown| unknown.to_string())
    }
}

impl FromWord for Timestamp {
    fn from_word(word: &str) -> Result<Self, String> {
        Self::parse(word).ok_or_else(|| "expected a time, such as 2026-11-20T00:00:00Z".to_owned())
    }
}

impl FromWord for Expectation {
    fn from_word(word: &str) -> Result<Self, String> {
        word.parse()
            .map_err(|unknown: robots_answers::why::UnknownExpectation| unknown.to_string())
    }
}

/// The label of an encoding.
#[derive(Debug, Clone)]
pub(super) struct Charset(pub(super) String);

impl FromWord for Charset {
    fn from_word(word: &str) -> Result<Self, String> {
        let label = robots_answers::charset(word);
        label.map(Self).map_err(|unknown| unknown.to_string())
    }
}

impl FromWord for Severity {
    fn from_word(word: &str) -> Result<Self, String> {
        word.parse()
            .map_err(|unknown: robots_lint::catalogue::UnknownSeverity| unknown.to_string())
    }
}

/// The kinds of findings that a code, the start of a code or a name selects.
#[derive(Debug, Clone)]
pub(super) struct Kinds(pub(super) Vec<FindingKind>);

impl FromWord for Kinds {
    fn from_word(word: &str) -> Result<Self, String> {
        let kinds = FindingKind::matching(word);
        kinds.map(Self).map_err(|unknown| unknown.to_string())
    }
}

/// Returns the values of words.
pub(super) fn values<T>(words: Vec<Word<T>>) -> Vec<T> {
    words.into_iter().map(|word| word.0).collect()
}
