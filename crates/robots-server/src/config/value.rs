//! The values of settings that have a form of their own in texts.

use ipnet::IpNet;
use jiff::SignedDuration;
use robots_answers::forwarded::network;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::time::Duration;
use utoipa::ToSchema;

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a number with a unit has nothing else"
)]
pub struct Bytes(pub usize);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let unit = units
            .into_iter()
            .find(|(size, _)| self.0 >= *size && self.0.is_multiple_of(*size));
        match unit {
            Some((size, name)) => write!(f, "{}{name}", self.0 / size),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Bytes {
    fn parse(text: &str) -> Option<Self> {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit: usize = match &text[digits.len()..] {
            "" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return None,
        };
        let number: usize = digits.trim_end().parse().ok()?;
        number.checked_mul(unit).map(Self)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Number(usize),
            Text(String),
        }
        let bytes = match Form::deserialize(deserializer) {
            Ok(Form::Number(number)) => Some(Self(number)),
            Ok(Form::Text(text)) => Self::parse(&text),
            Err(_) => None,
        };
        let form = "expected a number of bytes, such as 65536 or \"64KiB\" (KiB, MiB, GiB)";
        bytes.ok_or_else(|| D::Error::custom(form))
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A time that something may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ToSchema)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a number with a unit has nothing else"
)]
#[schema(value_type = String)]
pub struct Time(pub Duration);

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = SignedDuration::try_from(self.0).unwrap_or(SignedDuration::MAX);
        write!(f, "{time:#}")
    }
}

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = text.parse().ok();
        let time = time.and_then(|time: SignedDuration| Duration::try_from(time).ok());
        let form = "expected a time, such as \"500ms\", \"10s\" or \"2m\"";
        time.map(Self).ok_or_else(|| D::Error::custom(form))
    }
}

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that is in no log line, message or list of settings, such as a key.
#[derive(Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Secret(String);

impl Secret {
    /// Returns a secret text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns the text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The error of the library has the value.
        let text = String::deserialize(deserializer);
        text.map(Self)
            .map_err(|_| D::Error::custom("expected a text"))
    }
}

/// A network, or an address as the network that has only this address. IPv4 addresses that are written as IPv6 are IPv4, as those
/// of clients are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(try_from = "String", into = "String")]
#[allow(clippy::exhaustive_structs, reason = "a network has nothing else")]
#[schema(value_type = String)]
pub struct Network(pub IpNet);

impl TryFrom<String> for Network {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let network = network(&text);
        network
            .map(Self)
            .ok_or("expected addresses or networks, such as \"10.0.0.0/8\"")
    }
}

impl From<Network> for String {
    fn from(network: Network) -> Self {
        network.0.to_string()
    }
}

/// The header in which trusted proxies name the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ForwardedHeader {
    /// `X-Forwarded-For`, the usual one.
    XForwardedFor,
    /// `Forwarded` (RFC 7239).
    Forwarded,
}

/// The form of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogStyle {
    /// A line for people.
    Text,
    /// A JSON object.
    Json,
}

/// The least severe log lines that are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LogLevel {
    /// Only errors of the service.
    Error,
    /// In addition, what an operator should know.
    Warn,
    /// In addition, a line for each request.
    Info,
    /// In addition, details of connections.
    Debug,
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Secret, Time};
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use std::time::Duration;

    fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
        T::deserialize(toml::Value::from(text)).ok()
    }

    #[test]
    fn sizes_and_times_have_units() {
        for (text, size) in [
            ("0", Some(0)),
            ("65536", Some(1 << 16)),
            ("64KiB", Some(1 << 16)),
            ("8 MiB", Some(8 << 20)),
            ("1GiB", Some(1 << 30)),
            ("64kb", None),
            ("-1", None),
            ("", None),
            ("99999999999999999999", None),
            ("17179869184GiB", None),
        ] {
            assert_eq!(read(text), size.map(Bytes), "{text}");
        }
        assert_eq!(Bytes::deserialize(toml::Value::from(7)), Ok(Bytes(7)));
        for (text, millis) in [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("2m", Some(120_000)),
            ("1h 30m", Some(5_400_000)),
            ("10", None),
            ("-1s", None),
        ] {
            let time = millis.map(|millis| Time(Duration::from_millis(millis)));
            assert_eq!(read(text), time, "{text}");
        }
    }

    #[test]
    fn shown_values_are_read_again() {
        for bytes in [0, 1000, 1 << 10, 3 << 20, 5 << 30] {
            let bytes = Bytes(bytes);
            assert_eq!(read(&bytes.to_string()), Some(bytes));
        }
        for (nanos, shown) in [
            (0, "0s"),
            (1, "1ns"),
            (500_000_000, "500ms"),
            (10_000_000_000, "10s"),
            (75_000_000_000, "1m 15s"),
            (1_001_001_001, "1s 1ms 1µs 1ns"),
        ] {
            let time = Time(Duration::from_nanos(nanos));
            assert_eq!(time.to_string(), shown);
            assert_eq!(read(shown), Some(time));
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret: Secret = read("0123456789abcdef").unwrap();
        assert_eq!(secret.expose(), "0123456789abcdef");
        assert_eq!(format!("{secret:?}"), "(not shown)");
    }
}
