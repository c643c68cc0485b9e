//! A decision as columns: flat values under names that stay. docs/columns.md describes them.

use super::Row;
use robots_meta::{ImagePreview, Limit, RevisitAfter, Timestamp};
use robots_policy::{Decision, Effect, Field, Reason};
use std::borrow::Cow;

/// A column.
#[derive(Debug)]
#[cfg_attr(
    not(feature = "columnar"),
    expect(dead_code, reason = "text has no types")
)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// Whether there may be no value.
    pub(crate) is_optional: bool,
    value: for<'a> fn(&Row<'a>, &'a Decision) -> Value<'a>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Bool,
    Int,
    Float,
    /// A moment, to the second.
    Time,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value<'a> {
    Nothing,
    Text(Cow<'a, str>),
    Bool(bool),
    Int(i64),
    Float(f64),
    Time(Timestamp),
}

impl Column {
    pub(crate) fn value<'a>(&self, row: &Row<'a>, decision: &'a Decision) -> Value<'a> {
        (self.value)(row, decision)
    }

    const fn new(
        name: &'static str,
        kind: Kind,
        value: for<'a> fn(&Row<'a>, &'a Decision) -> Value<'a>,
    ) -> Self {
        Self {
            name,
            kind,
            is_optional: false,
            value,
        }
    }

    const fn optional(
        name: &'static str,
        kind: Kind,
        value: for<'a> fn(&Row<'a>, &'a Decision) -> Value<'a>,
    ) -> Self {
        Self {
            is_optional: true,
            ..Self::new(name, kind, value)
        }
    }
}

/// The columns that every row has, in their order.
pub(crate) const COLUMNS: [Column; 29] = {
    use Kind::{Bool, Float, Int, Text, Time};
    [
        Column::new("file", Text, |row, _| text(row.file)),
        Column::optional("offset", Int, |row, _| int(row.offset)),
        Column::optional("status", Int, |row, _| int(row.status)),
        Column::new("url", Text, |_, decision| text(&decision.url)),
        Column::new("agent", Text, |_, decision| text(&decision.agent)),
        Column::new("profile", Text, |_, decision| text(&decision.profile)),
        Column::new("fetch", Text, |_, decision| text(decision.fetch.as_str())),
        Column::new("page_layer", Text, |_, decision| {
            text(decision.page_layer.as_str())
        }),
        Column::new("index", Text, |_, decision| text(decision.index.as_str())),
        Column::new("index_if_embedded", Bool, |_, decision| {
            Value::Bool(decision.index_if_embedded)
        }),
        Column::new("follow", Text, |_, decision| text(decision.follow.as_str())),
        Column::new("archive", Text, |_, decision| {
            text(decision.archive.as_str())
        }),
        Column::optional("snippet", Int, |_, decision| limit(decision.snippet)),
        Column::optional("image_preview", Text, |_, decision| {
            let size = decision.image_preview.map(ImagePreview::as_str);
            size.map_or(Value::Nothing, text)
        }),
        Column::optional("video_preview", Int, |_, decision| {
            limit(decision.video_preview)
        }),
        Column::new("image_index", Text, |_, decision| {
            text(decision.image_index.as_str())
        }),
        Column::new("translate", Text, |_, decision| {
            text(decision.translate.as_str())
        }),
        Column::optional("expires_at", Time, |_, decision| {
            decision.expires_at.map_or(Value::Nothing, Value::Time)
        }),
        Column::optional("crawl_delay", Float, |_, decision| {
            float(decision.crawl_delay.map(|delay| delay.as_secs_f64()))
        }),
        Column::new("request_rates", Text, |_, decision| {
            joined(&decision.request_rates)
        }),
        Column::optional("visit_time", Text, |_, decision| {
            let hours = decision.visit_time.map(|hours| hours.to_string());
            hours.map_or(Value::Nothing, |hours| Value::Text(Cow::Owned(hours)))
        }),
        Column::optional("revisit_after", Float, |_, decision| {
            float(decision.revisit_after.map(RevisitAfter::days))
        }),
        Column::new("ai_train", Text, |_, decision| {
            text(decision.ai_train.as_str())
        }),
        Column::new("ai_input", Text, |_, decision| {
            text(decision.ai_input.as_str())
        }),
        Column::new("ai_search", Text, |_, decision| {
            text(decision.ai_search.as_str())
        }),
        Column::new("licenses", Text, |_, decision| joined(&decision.licenses)),
        Column::new("fetch_reason", Text, |_, decision| {
            reason(decision, Field::Fetch)
        }),
        Column::new("index_reason", Text, |_, decision| {
            reason(decision, Field::Index)
        }),
        Column::new("warnings", Int, |_, decision| {
            int(u32::try_from(decision.warnings.len()).ok())
        }),
    ]
};

/// The columns that are there when reasons are asked for.
pub(crate) const EXPLAINING: [Column; 2] = [
    Column::new("reasons_json", Kind::Text, |_, decision| {
        json(&decision.reasons)
    }),
    Column::new("warnings_json", Kind::Text, |_, decision| {
        json(&decision.warnings)
    }),
];

fn text(text: &str) -> Value<'_> {
    Value::Text(Cow::Borrowed(text))
}

fn int(number: Option<impl TryInto<i64>>) -> Value<'static> {
    let number = number.map(|number| number.try_into().unwrap_or(i64::MAX));
    number.map_or(Value::Nothing, Value::Int)
}

fn float(number: Option<f64>) -> Value<'static> {
    number.map_or(Value::Nothing, Value::Float)
}

/// A limit as the directives have it: -1 is none.
fn limit(limit: Option<Limit>) -> Value<'static> {
    limit.map_or(Value::Nothing, |limit| {
        Value::Int(match limit {
            Limit::AtMost(most) => most.into(),
            Limit::Unlimited => -1,
        })
    })
}

/// Several values in one cell.
fn joined(values: &[impl ToString]) -> Value<'static> {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    Value::Text(Cow::Owned(texts.join("; ")))
}

fn json(value: &impl serde::Serialize) -> Value<'static> {
    let json = serde_json::to_string(value).unwrap_or_default();
    Value::Text(Cow::Owned(json))
}

fn reason(decision: &Decision, field: Field) -> Value<'static> {
    let reason = deciding(decision, field);
    Value::Text(reason.map_or(Cow::Borrowed(""), |reason| {
        Cow::Owned(format!("{}: {}", reason.source, reason.text))
    }))
}

/// The reason that decides about a field.
pub(super) fn deciding(decision: &Decision, field: Field) -> Option<&Reason> {
    decision
        .reasons_for(field)
        .find(|reason| reason.effect == Effect::Decides)
}

/// The columns that are asked for, or all.
///
/// # Errors
///
/// The name that no column has.
pub(super) fn chosen(
    fields: Option<&[String]>,
    explains: bool,
) -> Result<Vec<&'static Column>, String> {
    let all = || COLUMNS.iter().chain(&EXPLAINING);
    let Some(fields) = fields else {
        let count = if explains { usize::MAX } else { COLUMNS.len() };
        return Ok(all().take(count).collect());
    };
    fields
        .iter()
        .map(|field| {
            all()
                .find(|column| column.name == field)
                .ok_or_else(|| field.clone())
        })
        .collect()
}

/// The names of all columns.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    COLUMNS.iter().chain(&EXPLAINING).map(|column| column.name)
}
