//! The serialisation of fields whose types are not serialisable.

use robots_meta::value::RevisitAfter;
use robots_txt::extension::{Extension, RequestRate, Window};
use robots_txt::{Dialect, RobotsTxt};
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error};
use serde::ser::{Serialize, Serializer};
use std::time::Duration;

/// Reads the version of a serialised decision, of which only the present one is known.
pub(super) fn version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    let known = super::Decision::VERSION;
    if version != known {
        let text = format!("unsupported decision version {version}: expected {known}");
        return Err(D::Error::custom(text));
    }
    Ok(version)
}

/// A type with a serialised form.
pub(super) trait Serialized: Sized {
    type Form: Serialize + DeserializeOwned;

    fn form(&self) -> Self::Form;

    fn read(form: Self::Form) -> Result<Self, String>;
}

/// A value that may be missing.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Error, Serialize, Serialized, Serializer};

    #[allow(clippy::ref_option, reason = "serde passes the field by reference")]
    pub(in super::super) fn serialize<T: Serialized, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.as_ref().map(T::form).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, T: Serialized, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let form = Option::<T::Form>::deserialize(deserializer)?;
        form.map(T::read).transpose().map_err(D::Error::custom)
    }
}

/// A list of values.
pub(super) mod list {
    use super::{Deserialize, Deserializer, Error, Serialized, Serializer};

    pub(in super::super) fn serialize<T: Serialized, S: Serializer>(
        values: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(T::form))
    }

    pub(in super::super) fn deserialize<'de, T: Serialized, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let forms = Vec::<T::Form>::deserialize(deserializer)?;
        let values: Result<_, _> = forms.into_iter().map(T::read).collect();
        values.map_err(D::Error::custom)
    }
}

/// A delay in seconds.
impl Serialized for Duration {
    type Form = f64;

    fn form(&self) -> f64 {
        self.as_secs_f64()
    }

    fn read(seconds: f64) -> Result<Self, String> {
        Self::try_from_secs_f64(seconds).map_err(|error| error.to_string())
    }
}

/// The time of a `revisit-after`, in days. Reading rounds it to whole hours.
impl Serialized for RevisitAfter {
    type Form = f64;

    fn form(&self) -> f64 {
        self.days()
    }

    fn read(days: f64) -> Result<Self, String> {
        let of = |count: f64, unit| Self::parse(&format!("{count} {unit}"));
        let read = if days.fract() == 0.0 {
            // A number of days that is too large for the type was written in a longer unit.
            let units = [
                (1.0, "days"),
                (7.0, "weeks"),
                (30.0, "months"),
                (365.0, "years"),
            ];
            units
                .into_iter()
                .find_map(|(length, unit)| of(days / length, unit))
        } else {
            of((days * 24.0).round(), "hours")
        };
        read.ok_or_else(|| format!("invalid number of days {days}"))
    }
}

/// A visit time as in its line: `2200-0400`.
impl Serialized for Window {
    type Form = String;

    fn form(&self) -> String {
        self.to_string()
    }

    fn read(text: String) -> Result<Self, String> {
        read_line("Visit-time", &text, |extension| match extension {
            Extension::VisitTime(hours) => Some(hours.window()),
            _ => None,
        })
    }
}

/// A request rate as in its line: `100/900s 0800-1600`. Read back, it has line 1.
impl Serialized for RequestRate {
    type Form = String;

    fn form(&self) -> String {
        self.to_string()
    }

    fn read(text: String) -> Result<Self, String> {
        read_line("Request-rate", &text, |extension| match extension {
            Extension::RequestRate(rate) => Some(rate),
            _ => None,
        })
    }
}

/// Reads a value as a line of robots.txt.
fn read_line<T>(
    name: &str,
    value: &str,
    read: impl Fn(Extension<'_>) -> Option<T>,
) -> Result<T, String> {
    let line = format!("{name}: {value}");
    let robots = RobotsTxt::parse(line.as_bytes());
    robots
        .extensions(&Dialect::RFC9309)
        .find_map(read)
        .ok_or_else(|| format!("invalid value {value:?} of {name}"))
}
