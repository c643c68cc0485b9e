//! The values of settings: how each type is read from text, and shown.

use ipnet::{IpNet, Ipv4Net};
use jiff::SignedDuration;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// A type of settings.
pub(super) trait Value: Sized {
    /// The form of a value, in words.
    const FORM: &'static str;

    /// Reads a value. A list may have any number of texts, other types have one.
    fn read(texts: &[String]) -> Option<Self>;

    /// Returns the value as TOML, in a form that [`Value::read`] reads.
    fn toml(&self) -> String;
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
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
            Some((size, name)) => write!(f, "{}{name}", self.0.div_euclid(size)),
            None => write!(f, "{}", self.0),
        }
    }
}

impl Value for Bytes {
    const FORM: &'static str = "a number of bytes, such as 65536 or \"64KiB\" (KiB, MiB, GiB)";

    fn read(texts: &[String]) -> Option<Self> {
        let text = one(texts)?;
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit: usize = match text.get(digits.len()..)? {
            "" => 1,
            "KiB" => 1 << 10,
            "MiB" => 1 << 20,
            "GiB" => 1 << 30,
            _ => return None,
        };
        let number: usize = digits.trim_end().parse().ok()?;
        number.checked_mul(unit).map(Self)
    }

    fn toml(&self) -> String {
        match self.to_string() {
            text if text.ends_with('B') => quoted(&text),
            number => number,
        }
    }
}

impl Value for Duration {
    const FORM: &'static str = "a time, such as \"500ms\", \"10s\" or \"2m\"";

    fn read(texts: &[String]) -> Option<Self> {
        let time: SignedDuration = one(texts)?.parse().ok()?;
        Self::try_from(time).ok()
    }

    fn toml(&self) -> String {
        quoted(&shown_time(*self))
    }
}

/// Returns a time as a setting states it, such as `10s`.
pub(crate) fn shown_time(time: Duration) -> String {
    let nanos = time.subsec_nanos();
    let parts = [
        (time.as_secs(), "s"),
        (u64::from(nanos.div_euclid(1_000_000)), "ms"),
        (u64::from(nanos.div_euclid(1000).rem_euclid(1000)), "us"),
        (u64::from(nanos.rem_euclid(1000)), "ns"),
    ];
    let parts = parts.iter().filter(|(number, _)| *number > 0);
    let parts: Vec<_> = parts
        .map(|(number, unit)| format!("{number}{unit}"))
        .collect();
    if parts.is_empty() {
        "0s".to_owned()
    } else {
        parts.join(" ")
    }
}

impl Value for usize {
    const FORM: &'static str = "a number";

    fn read(texts: &[String]) -> Option<Self> {
        one(texts)?.parse().ok()
    }

    fn toml(&self) -> String {
        self.to_string()
    }
}

impl Value for bool {
    const FORM: &'static str = "true or false";

    fn read(texts: &[String]) -> Option<Self> {
        one(texts)?.parse().ok()
    }

    fn toml(&self) -> String {
        self.to_string()
    }
}

impl Value for SocketAddr {
    const FORM: &'static str =
        "an address with a port, such as \"127.0.0.1:8080\" or \"[::]:8080\"";

    fn read(texts: &[String]) -> Option<Self> {
        one(texts)?.parse().ok()
    }

    fn toml(&self) -> String {
        quoted(&self.to_string())
    }
}

impl Value for String {
    const FORM: &'static str = "a text";

    fn read(texts: &[String]) -> Option<Self> {
        one(texts).filter(|text| !text.trim().is_empty()).cloned()
    }

    fn toml(&self) -> String {
        quoted(self)
    }
}

/// A text that is in no log line, message or list of settings, such as a key.
#[derive(Clone, PartialEq, Eq)]
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
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

impl Value for Secret {
    const FORM: &'static str = String::FORM;

    fn read(texts: &[String]) -> Option<Self> {
        String::read(texts).map(Self)
    }

    fn toml(&self) -> String {
        quoted("(not shown)")
    }
}

impl Value for PathBuf {
    const FORM: &'static str = "the path of a file";

    fn read(texts: &[String]) -> Option<Self> {
        String::read(texts).map(Self::from)
    }

    fn toml(&self) -> String {
        quoted(&self.to_string_lossy())
    }
}

/// An optional value. An empty text is none, so that a later source can undo an earlier one.
impl<T: Value> Value for Option<T> {
    const FORM: &'static str = T::FORM;

    fn read(texts: &[String]) -> Option<Self> {
        if one(texts).is_some_and(String::is_empty) {
            return Some(None);
        }
        T::read(texts).map(Some)
    }

    fn toml(&self) -> String {
        self.as_ref().map_or_else(|| quoted(""), T::toml)
    }
}

impl Value for Vec<IpNet> {
    const FORM: &'static str = "a list of addresses or networks, such as \"10.0.0.0/8\"";

    fn read(texts: &[String]) -> Option<Self> {
        let texts = texts.iter().filter(|text| !text.is_empty());
        texts.map(|text| network(text)).collect()
    }

    fn toml(&self) -> String {
        let all: Vec<_> = self.iter().map(|net| quoted(&net.to_string())).collect();
        format!("[{}]", all.join(", "))
    }
}

/// Reads a network, or an address as the network that has only this address. IPv4 addresses that are written as IPv6 are IPv4, as
/// those of clients are.
fn network(text: &str) -> Option<IpNet> {
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    let network = text.parse().ok().or_else(address)?;
    let IpNet::V6(mapped) = network else {
        return Some(network);
    };
    let (address, prefix) = (mapped.addr().to_ipv4_mapped(), mapped.prefix_len());
    match (address, prefix.checked_sub(96)) {
        (Some(address), Some(prefix)) => Ipv4Net::new(address, prefix).ok().map(IpNet::V4),
        _ => Some(network),
    }
}

/// Returns the only text.
pub(super) fn one(texts: &[String]) -> Option<&String> {
    match texts {
        [text] => Some(text),
        _ => None,
    }
}

/// Returns a text as a TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A type whose values are words.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $form:literal { $($(#[$about:meta])* $variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $name { $($(#[$about])* $variant),+ }

        impl Value for $name {
            const FORM: &'static str = $form;

            fn read(texts: &[String]) -> Option<Self> {
                match one(texts)?.as_str() {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn toml(&self) -> String {
                quoted(match self { $(Self::$variant => $word),+ })
            }
        }
    };
}

words! {
    /// The header in which trusted proxies name the client.
    ForwardedHeader, "x-forwarded-for or forwarded" {
        /// `X-Forwarded-For`, the usual one.
        XForwardedFor = "x-forwarded-for",
        /// `Forwarded` (RFC 7239).
        Forwarded = "forwarded",
    }
}

words! {
    /// The form of log lines.
    LogFormat, "text or json" {
        /// A line for people.
        Text = "text",
        /// A JSON object.
        Json = "json",
    }
}

words! {
    /// The least severe log lines that are written.
    LogLevel, "error, warn, info or debug" {
        /// Only errors of the service.
        Error = "error",
        /// In addition, what an operator should know.
        Warn = "warn",
        /// In addition, a line for each request.
        Info = "info",
        /// In addition, details of connections.
        Debug = "debug",
    }
}

#[cfg(test)]
mod tests {
    use super::{Bytes, Secret, Value, shown_time};
    use ipnet::IpNet;
    use std::time::Duration;

    fn read<T: Value>(text: &str) -> Option<T> {
        T::read(&[text.to_owned()])
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
        for (text, millis) in [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("2m", Some(120_000)),
            ("1h 30m", Some(5_400_000)),
            ("10", None),
            ("-1s", None),
        ] {
            assert_eq!(read(text), millis.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn shown_values_are_read_again() {
        for bytes in [0, 1000, 1 << 10, 3 << 20, 5 << 30] {
            let shown = Bytes(bytes).toml();
            assert_eq!(read(shown.trim_matches('"')), Some(Bytes(bytes)));
        }
        for (nanos, shown) in [
            (0, "0s"),
            (1, "1ns"),
            (500_000, "500us"),
            (500_000_000, "500ms"),
            (10_000_000_000, "10s"),
            (61_250_000_000, "61s 250ms"),
            (1_001_001_001, "1s 1ms 1us 1ns"),
        ] {
            let time = Duration::from_nanos(nanos);
            assert_eq!(shown_time(time), shown);
            assert_eq!(read(time.toml().trim_matches('"')), Some(time));
        }
    }

    #[test]
    fn a_secret_is_not_shown() {
        let secret: Secret = read("0123456789abcdef").unwrap();
        assert_eq!(secret.expose(), "0123456789abcdef");
        assert_eq!(format!("{secret:?}"), "(not shown)");
        assert_eq!(secret.toml(), "\"(not shown)\"");
    }

    #[test]
    fn networks_may_be_single_addresses() {
        let texts = [
            "10.0.0.0/8",
            "2001:db8::/32",
            "192.0.2.1",
            "::1",
            "::ffff:192.0.2.1",
            "::ffff:10.0.0.0/104",
            "::/0",
        ]
        .map(str::to_owned);
        let networks = Vec::<IpNet>::read(&texts).unwrap();
        let shown: Vec<_> = networks.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "10.0.0.0/8",
                "2001:db8::/32",
                "192.0.2.1/32",
                "::1/128",
                "192.0.2.1/32",
                "10.0.0.0/8",
                "::/0"
            ]
        );
        assert_eq!(Vec::<IpNet>::read(&["10.0.0.0/33".to_owned()]), None);
    }
}
