//! The serialisation of fields whose types are not serialisable.

use robots_meta::value::RevisitAfter;
use robots_txt::extension::{Extension, RequestRate, Window};
use robots_txt::{Dialect, RobotsTxt};
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::Serializer;
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

/// A delay in seconds.
pub(super) mod seconds {
    use super::{Deserialize, Deserializer, Duration, Error, Serializer};

    #[allow(clippy::ref_option, reason = "serde passes the field by reference")]
    pub(in super::super) fn serialize<S: Serializer>(
        delay: &Option<Duration>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&delay.map(|delay| delay.as_secs_f64()), serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Duration>, D::Error> {
        let seconds = Option::<f64>::deserialize(deserializer)?;
        seconds
            .map(|seconds| Duration::try_from_secs_f64(seconds).map_err(D::Error::custom))
            .transpose()
    }
}

/// The time of a `revisit-after`, in days. Reading rounds it to whole hours.
pub(super) mod days {
    use super::{Deserialize, Deserializer, Error, RevisitAfter, Serializer};

    #[allow(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes the field by reference"
    )]
    pub(in super::super) fn serialize<S: Serializer>(
        revisit: &Option<RevisitAfter>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&revisit.map(RevisitAfter::days), serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<RevisitAfter>, D::Error> {
        let Some(days) = Option::<f64>::deserialize(deserializer)? else {
            return Ok(None);
        };
        let of = |count: f64, unit| RevisitAfter::parse(&format!("{count} {unit}"));
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
        read.map(Some)
            .ok_or_else(|| D::Error::custom(format!("invalid number of days {days}")))
    }
}

/// A visit time as in its line: `2200-0400`.
pub(super) mod visit_time {
    use super::{Deserialize, Deserializer, Error, Extension, Serializer, Window, read_line};

    #[allow(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "serde passes the field by reference"
    )]
    pub(in super::super) fn serialize<S: Serializer>(
        hours: &Option<Window>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serde::Serialize::serialize(&hours.map(|hours| hours.to_string()), serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Window>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        text.map(|text| {
            read_line("Visit-time", &text, |extension| match extension {
                Extension::VisitTime(hours) => Some(hours.window()),
                _ => None,
            })
            .map_err(D::Error::custom)
        })
        .transpose()
    }
}

/// Request rates as in their lines: `100/900s 0800-1600`. Read back, they have line 1.
pub(super) mod request_rates {
    use super::{Deserialize, Deserializer, Error, Extension, RequestRate, Serializer, read_line};

    pub(in super::super) fn serialize<S: Serializer>(
        rates: &[RequestRate],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rates.iter().map(RequestRate::to_string))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<RequestRate>, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        let read = |text: &String| {
            read_line("Request-rate", text, |extension| match extension {
                Extension::RequestRate(rate) => Some(rate),
                _ => None,
            })
            .map_err(D::Error::custom)
        };
        texts.iter().map(read).collect()
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
