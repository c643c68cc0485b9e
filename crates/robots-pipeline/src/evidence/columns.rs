//! The columns of the evidence of a decision.

use super::terms::terms_text;
use super::{CaptureSource, Evidence, VERSION};
use robots_archive::PayloadDigest;
use robots_meta::Timestamp;
use robots_policy::decision::{Value, ValueType};
use std::borrow::Cow;

/// A column of evidence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct EvidenceColumn {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) value_type: ValueType,
    pub(crate) is_optional: bool,
    /// The values, if they are words of a closed set.
    pub(crate) words: &'static [&'static str],
    pub(crate) value: for<'a> fn(&Evidence<'a>) -> Value<'a>,
}

/// The column of terms, and its key in JSON, whose value is a list of objects.
pub(crate) const TERMS: &str = "terms_json";
pub(crate) const TERMS_KEY: &str = "terms";

/// The sources of the digest of a page.
const STATED: &str = "archive";
const COMPUTED: &str = "computed";

/// The columns, in order.
pub(crate) static COLUMNS: &[EvidenceColumn] = &[
    required(
        "evidence_version",
        "The version of the columns of evidence.",
        ValueType::Int,
        |_| Value::Int(VERSION.into()),
    ),
    optional(
        "robots_url",
        "The URL of the robots.txt whose rules applied, after redirects; without rules, of the last request for it.",
        ValueType::Text,
        |evidence| robots(evidence, |robots| text(Some(&robots.url))),
    ),
    optional(
        "robots_status",
        "Its HTTP status; no value without a response, and for a file.",
        ValueType::Int,
        |evidence| robots(evidence, |robots| int(robots.status)),
    ),
    optional(
        "robots_captured_at",
        "The time of the request for it.",
        ValueType::Time,
        |evidence| robots(evidence, |robots| time(robots.captured_at)),
    ),
    optional(
        "robots_digest",
        "The SHA-256 of its body without codings; no value if the status is not 2xx.",
        ValueType::Text,
        |evidence| robots(evidence, |robots| text(robots.digest.as_deref())),
    ),
    optional(
        "robots_file",
        "The archive or file that has it.",
        ValueType::Text,
        |evidence| robots(evidence, |robots| text(Some(&robots.file))),
    ),
    optional(
        "robots_offset",
        "The offset of its record in the archive, in bytes.",
        ValueType::Int,
        |evidence| robots(evidence, |robots| int(robots.offset)),
    ),
    optional(
        "robots_age",
        "Its age at the time of the page, in seconds; negative if it was requested later.",
        ValueType::Int,
        |evidence| int(evidence.robots_age()),
    ),
    optional(
        "captured_at",
        "The time of the page.",
        ValueType::Time,
        |evidence| time(evidence.captured_at),
    ),
    optional(
        "payload_digest",
        "The digest of the body of the page, after the name of its algorithm.",
        ValueType::Text,
        |evidence| text(evidence.payload.map(PayloadDigest::text)),
    ),
    EvidenceColumn {
        words: &[STATED, COMPUTED],
        ..optional(
            "payload_digest_source",
            "The source of that digest: the archive states it, or it was computed from the body as stored.",
            ValueType::Text,
            |evidence| {
                text(evidence.payload.map(|digest| match digest {
                    PayloadDigest::Stated(_) => STATED,
                    PayloadDigest::Computed(_) => COMPUTED,
                }))
            },
        )
    },
    optional(
        "decided_at",
        "The time as of which the page was decided.",
        ValueType::Time,
        |evidence| time(evidence.run.decided_at),
    ),
    required(
        "profile_digest",
        "The SHA-256 of the profile with its robot and dialect.",
        ValueType::Text,
        |evidence| text(Some(evidence.profile_digest)),
    ),
    required(
        "program",
        "The version of the program.",
        ValueType::Text,
        |_| text(Some(env!("CARGO_PKG_VERSION"))),
    ),
    required(
        "agents_date",
        "The date of the table of robots.",
        ValueType::Text,
        |evidence| text(Some(evidence.run.agents_date)),
    ),
    optional(
        TERMS,
        "The tdmrep.json and the licences of RSL that were looked up, as JSON: each with `kind` (`tdmrep`, `license`), `url`, `status`, `captured_at`, `digest` and `age`, as of a robots.txt.",
        ValueType::Text,
        |evidence| {
            terms_text(&evidence.terms())
                .map_or(Value::Nothing, |json| Value::Text(Cow::Owned(json)))
        },
    ),
    EvidenceColumn {
        is_optional: false,
        ..optional(
            "terms_places",
            "The archive or file that has each of them, and the offset of its record in bytes after a colon.",
            ValueType::List,
            |evidence| {
                let place = |source: &CaptureSource| match source.offset {
                    Some(offset) => format!("{}:{offset}", source.file),
                    None => source.file.to_string(),
                };
                let places = evidence
                    .terms_sources()
                    .map(|(_, source)| place(source).into());
                Value::List(places.collect())
            },
        )
    },
];

const fn required(
    name: &'static str,
    about: &'static str,
    value_type: ValueType,
    value: for<'a> fn(&Evidence<'a>) -> Value<'a>,
) -> EvidenceColumn {
    EvidenceColumn {
        name,
        about,
        value_type,
        is_optional: false,
        words: &[],
        value,
    }
}

const fn optional(
    name: &'static str,
    about: &'static str,
    value_type: ValueType,
    value: for<'a> fn(&Evidence<'a>) -> Value<'a>,
) -> EvidenceColumn {
    EvidenceColumn {
        is_optional: true,
        ..required(name, about, value_type, value)
    }
}

fn robots<'a>(
    evidence: &Evidence<'a>,
    value: impl FnOnce(&'a CaptureSource) -> Value<'a>,
) -> Value<'a> {
    evidence.robots().map_or(Value::Nothing, value)
}

fn text(text: Option<&str>) -> Value<'_> {
    text.map_or(Value::Nothing, |text| Value::Text(Cow::Borrowed(text)))
}

fn time(time: Option<Timestamp>) -> Value<'static> {
    time.map_or(Value::Nothing, Value::Time)
}

/// Returns a number as a value; one that is too large is the largest.
pub(crate) fn int(number: Option<impl TryInto<i64>>) -> Value<'static> {
    let number = number.map(|number| number.try_into().unwrap_or(i64::MAX));
    number.map_or(Value::Nothing, Value::Int)
}
