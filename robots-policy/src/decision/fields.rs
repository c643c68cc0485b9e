//! The columns of a decision. The trait [`FieldType`] is implemented by the types of a decision's fields: it returns a
//! field's value in a column and its text in an explanation.

use super::Decision;
use super::reason::Field;
use crate::answer::{AiUse, Fetch, Index, PageLayer, Permission};
use crate::text::printable;
use robots_meta::Timestamp;
use robots_meta::value::{ImagePreview, Limit, RevisitAfter};
use robots_txt::extension::{RequestRate, Window};
use std::borrow::Cow;
use std::time::Duration;

/// The type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ValueType {
    /// A text.
    Text,
    /// `true` or `false`.
    Bool,
    /// A whole number.
    Int,
    /// A number.
    Float,
    /// A moment, to the second.
    Time,
    /// A list of texts.
    List,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// No value.
    Nothing,
    /// A text.
    Text(Cow<'a, str>),
    /// A boolean.
    Bool(bool),
    /// A whole number. In a column of limits, -1 means that there is no limit.
    Int(i64),
    /// A number.
    Float(f64),
    /// A moment.
    Time(Timestamp),
    /// A list of texts.
    List(Vec<Cow<'a, str>>),
}

/// A column of a table of decisions: a flat value with a stable name.
///
/// ```
/// use robots_policy::{Decision, Policy};
/// use robots_policy::decision::Value;
///
/// let decision = Policy::default().decide("https://example.com/", b"<meta name=robots content=noindex>");
/// let index = Decision::columns().iter().find(|column| column.name() == "index").unwrap();
/// assert_eq!(index.value(&decision), Value::Text("no".into()));
/// assert_eq!(index.words(), ["yes", "no", "url_only", "unknown"]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Column {
    name: &'static str,
    about: &'static str,
    value_type: ValueType,
    is_optional: bool,
    words: &'static [&'static str],
    value: for<'a> fn(&'a Decision) -> Value<'a>,
}

impl Column {
    pub(super) const fn of<T: FieldType>(
        name: &'static str,
        about: &'static str,
        value: for<'a> fn(&'a Decision) -> Value<'a>,
    ) -> Self {
        Self {
            name,
            // The text of a doc comment begins with a space.
            about: about.trim_ascii(),
            value_type: T::TYPE,
            is_optional: T::IS_OPTIONAL,
            words: T::WORDS,
            value,
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns a description, as a sentence.
    pub fn about(&self) -> &'static str {
        self.about
    }

    /// Returns the type of the values.
    pub fn value_type(&self) -> ValueType {
        self.value_type
    }

    /// Returns whether a row may have no value.
    pub fn is_optional(&self) -> bool {
        self.is_optional
    }

    /// Returns all possible values, if they are a closed set of words; otherwise nothing.
    pub fn words(&self) -> &'static [&'static str] {
        self.words
    }

    /// Returns the value of a decision.
    pub fn value<'a>(&self, decision: &'a Decision) -> Value<'a> {
        (self.value)(decision)
    }
}

/// The columns that identify a decision.
pub(super) const IDENTITY: [Column; 3] = [
    Column::of::<String>("url", "The URL, as it was given.", |decision| {
        decision.url.value()
    }),
    Column::of::<String>("agent", "The robot.", |decision| decision.agent.value()),
    Column::of::<String>("profile", "The profile of the decision.", |decision| {
        decision.profile.value()
    }),
];

/// The columns that summarise reasons and warnings.
pub(super) const SUMMARY: [Column; 3] = [
    Column::of::<String>(
        "fetch_reason",
        "The statement that decides `fetch`; empty if none does.",
        |decision| deciding(decision, Field::Fetch),
    ),
    Column::of::<String>(
        "index_reason",
        "The statement that decides `index`; empty if none does.",
        |decision| deciding(decision, Field::Index),
    ),
    Column::of::<i64>("warnings", "The number of warnings.", |decision| {
        Value::Int(i64::try_from(decision.warnings.len()).unwrap_or(i64::MAX))
    }),
];

/// The column that summarises the reasons of the last field.
pub(super) const TRAINING_REASON: Column = Column::of::<String>(
    "may_train_reason",
    "The statement that decides `may_train`; empty if none does.",
    |decision| deciding(decision, Field::MayTrain),
);

/// The columns that hold all reasons and warnings.
#[cfg(feature = "serde")]
pub(super) const EXPLAINING: [Column; 2] = [
    Column::of::<String>(
        "reasons_json",
        "All reasons, as a JSON array.",
        |decision| json(&decision.reasons),
    ),
    Column::of::<String>(
        "warnings_json",
        "All warnings, as a JSON array.",
        |decision| json(&decision.warnings),
    ),
];

#[cfg(feature = "serde")]
fn json(value: &impl serde::Serialize) -> Value<'static> {
    let json = serde_json::to_string(value).unwrap_or_default();
    Value::Text(crate::text::printable_json(&json).into_owned().into())
}

fn deciding(decision: &Decision, field: Field) -> Value<'static> {
    let reason = decision.deciding_reason(field);
    Value::Text(reason.map_or(Cow::Borrowed(""), |reason| {
        Cow::Owned(format!("{}: {}", reason.source, reason.text))
    }))
}

/// A type of a decision's fields.
pub(super) trait FieldType {
    const TYPE: ValueType;
    const IS_OPTIONAL: bool = false;
    /// The words of a closed set.
    const WORDS: &'static [&'static str] = &[];

    /// Returns the value in a column.
    fn value(&self) -> Value<'_>;

    /// Returns the text in an explanation.
    fn text(&self) -> String {
        match self.value() {
            Value::Text(text) => printable(&text).into_owned(),
            Value::Bool(value) => if value { "yes" } else { "no" }.to_owned(),
            Value::Int(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Time(moment) => moment.to_string(),
            Value::List(texts) if !texts.is_empty() => printable(&texts.join(", ")).into_owned(),
            Value::List(_) | Value::Nothing => "-".to_owned(),
        }
    }
}

macro_rules! words {
    ($($type:ident)*) => {$(
        impl FieldType for $type {
            const TYPE: ValueType = ValueType::Text;
            const WORDS: &'static [&'static str] = $type::NAMES;

            fn value(&self) -> Value<'_> {
                Value::Text(Cow::Borrowed(self.name()))
            }
        }
    )*};
}

words! { Fetch PageLayer Index Permission AiUse }

impl FieldType for String {
    const TYPE: ValueType = ValueType::Text;

    fn value(&self) -> Value<'_> {
        Value::Text(Cow::Borrowed(self))
    }
}

impl FieldType for i64 {
    const TYPE: ValueType = ValueType::Int;

    fn value(&self) -> Value<'_> {
        Value::Int(*self)
    }
}

impl FieldType for bool {
    const TYPE: ValueType = ValueType::Bool;

    fn value(&self) -> Value<'_> {
        Value::Bool(*self)
    }
}

/// Returns the text of a field that is not known.
fn unknown() -> String {
    "unknown".to_owned()
}

impl FieldType for Option<Limit> {
    const TYPE: ValueType = ValueType::Int;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, |limit| Value::Int(limit.number()))
    }

    fn text(&self) -> String {
        match *self {
            None => unknown(),
            Some(Limit::AtMost(most)) => most.to_string(),
            Some(Limit::Unlimited) => "unlimited".to_owned(),
        }
    }
}

impl FieldType for Option<ImagePreview> {
    const TYPE: ValueType = ValueType::Text;
    const IS_OPTIONAL: bool = true;
    const WORDS: &'static [&'static str] = &["none", "standard", "large"];

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, |size| {
            Value::Text(Cow::Borrowed(size.name()))
        })
    }

    fn text(&self) -> String {
        self.map_or_else(unknown, |size| size.name().to_owned())
    }
}

impl FieldType for Option<Timestamp> {
    const TYPE: ValueType = ValueType::Time;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, Value::Time)
    }
}

impl FieldType for Option<Duration> {
    const TYPE: ValueType = ValueType::Float;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, |delay| Value::Float(delay.as_secs_f64()))
    }

    fn text(&self) -> String {
        self.map_or_else(|| "-".to_owned(), |delay| format!("{delay:?}"))
    }
}

impl FieldType for Option<RevisitAfter> {
    const TYPE: ValueType = ValueType::Float;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, |revisit| Value::Float(revisit.days()))
    }

    fn text(&self) -> String {
        self.map_or_else(|| "-".to_owned(), |revisit| revisit.to_string())
    }
}

impl FieldType for Option<Window> {
    const TYPE: ValueType = ValueType::Text;
    const IS_OPTIONAL: bool = true;

    fn value(&self) -> Value<'_> {
        self.map_or(Value::Nothing, |hours| {
            Value::Text(hours.to_string().into())
        })
    }
}

impl FieldType for Vec<RequestRate> {
    const TYPE: ValueType = ValueType::List;

    fn value(&self) -> Value<'_> {
        Value::List(self.iter().map(|rate| rate.to_string().into()).collect())
    }
}

impl FieldType for Vec<String> {
    const TYPE: ValueType = ValueType::List;

    fn value(&self) -> Value<'_> {
        Value::List(self.iter().map(|text| text.as_str().into()).collect())
    }
}
