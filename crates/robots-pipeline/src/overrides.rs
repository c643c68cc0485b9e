//! Overrides: decisions that a team records by itself, such as for a site that licensed its pages. They are kept next to the original
//! decision, and never change it.
//!
//! A file lists them; the first that applies to a page and a robot counts:
//!
//! ```toml
//! [[override]]
//! who = "Jane Doe, legal department"
//! why = "Licence 2026-17 of Example Ltd"
//! until = 2027-06-30
//! hosts = ["example.com", "*.example.com"]
//! paths = ["/news/"]
//! robots = ["GPTBot"]
//! decision = { may_train = "yes" }
//! ```
//!
//! `paths` are patterns as in robots.txt (RFC 9309); without them, all paths are meant, and without `robots` all robots. A host that
//! begins with `*.` names its subdomains. The override is in force up to the end of the day `until`, in UTC.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use robots_archive::sha256;
use robots_meta::Timestamp;
use robots_policy::Decision;
use robots_txt::extension::PathPattern;
use robots_txt::{Dialect, Target};
use serde::{Deserialize, Deserializer, de};
use std::collections::{BTreeMap, HashMap};
use thiserror::Error as ThisError;
use url::Url;

/// A decision that a team recorded, for some pages.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Override {
    /// The person who decided.
    #[serde(deserialize_with = "text")]
    pub who: String,
    /// The reason.
    #[serde(deserialize_with = "text")]
    pub why: String,
    /// The last day on which it is in force.
    #[serde(deserialize_with = "day")]
    until: Date,
    #[serde(deserialize_with = "hosts")]
    hosts: Vec<String>,
    #[serde(default, deserialize_with = "patterns")]
    paths: Vec<PathPattern>,
    #[serde(default, deserialize_with = "robots")]
    robots: Vec<String>,
    #[serde(deserialize_with = "values")]
    decision: Vec<String>,
}

/// Reads a day, for which TOML has a type.
fn day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
    let day = match toml::value::Datetime::deserialize(deserializer)? {
        toml::value::Datetime {
            date: Some(date),
            time: None,
            offset: None,
        } => date.to_string().parse().ok(),
        _ => None,
    };
    day.ok_or_else(|| de::Error::custom("expected a day, such as 2027-06-30"))
}

/// Reads the values of fields that replace those of a decision.
fn values<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let values = BTreeMap::<String, String>::deserialize(deserializer)?;
    // Whether the page was read is a fact that no one decides.
    let columns = Decision::columns().iter();
    let columns =
        columns.filter(|column| !column.words().is_empty() && column.name() != "page_layer");
    let columns: Vec<_> = columns.collect();
    let mut all = Vec::new();
    for (name, value) in values {
        let Some(column) = columns.iter().find(|column| column.name() == name) else {
            let names: Vec<_> = columns.iter().map(|column| column.name()).collect();
            let names = names.join(", ");
            return Err(de::Error::custom(format!(
                "unknown field `{name}`: expected one of {names}"
            )));
        };
        if !column.words().contains(&value.as_str()) {
            let words = column.words().join(", ");
            return Err(de::Error::custom(format!(
                "unexpected value `{value}` of `{name}`: expected one of {words}"
            )));
        }
        all.push(format!("{name}={value}"));
    }
    if all.is_empty() {
        return Err(de::Error::custom("a decision without a field"));
    }
    Ok(all)
}

/// Reads a text that is not empty.
fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let text = String::deserialize(deserializer)?;
    if text.trim().is_empty() {
        return Err(de::Error::custom("expected a text that is not empty"));
    }
    Ok(text)
}

/// Reads a list of texts that is not empty. `expected` ends the message about an empty list.
fn texts<'de, D: Deserializer<'de>>(
    deserializer: D,
    expected: &str,
) -> Result<Vec<String>, D::Error> {
    let texts = Vec::<String>::deserialize(deserializer)?;
    if texts.is_empty() {
        return Err(de::Error::custom(format!(
            "expected at least one {expected}"
        )));
    }
    Ok(texts)
}

/// Reads hosts, and returns them as URLs have them.
fn hosts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let hosts = texts(deserializer, "host")?;
    let normalized = hosts.iter().map(|host| {
        let (wildcard, name) = match host.strip_prefix("*.") {
            Some(name) => ("*.", name),
            None => ("", host.as_str()),
        };
        // The addresses of IPv6 alone have colons.
        let is_host = !name.contains(['*', '@', '/', '?', '#', '\\'])
            && (name.starts_with('[') || !name.contains(':'))
            && !name.contains("]:");
        let url = Url::parse(&format!("http://{name}/")).ok();
        let found = url.as_ref().and_then(Url::host_str).filter(|_| is_host);
        let found = found.map(|found| format!("{wildcard}{found}"));
        found.ok_or_else(|| {
            de::Error::custom(format!(
                "unexpected host `{host}`: expected one such as example.com or *.example.com"
            ))
        })
    });
    normalized.collect()
}

/// Reads names of robots.
fn robots<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    texts(deserializer, "robot: without the key, it is for all")
}

/// Reads path patterns.
fn patterns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PathPattern>, D::Error> {
    let patterns = texts(deserializer, "path: without the key, it is for all")?;
    let patterns = patterns.iter().map(|pattern| {
        let is_path = pattern.starts_with(['/', '*']);
        let compiled = PathPattern::new(pattern, &Dialect::RFC9309).filter(|_| is_path);
        compiled.ok_or_else(|| {
            de::Error::custom(format!(
                "unexpected path `{pattern}`: expected a pattern as in robots.txt, such as /news/"
            ))
        })
    });
    patterns.collect()
}

impl Override {
    /// Returns the fields with their values: `may_train=yes`.
    pub fn values(&self) -> &[String] {
        &self.decision
    }

    /// Returns the last day on which it is in force: `2027-06-30`.
    pub fn until(&self) -> String {
        self.until.to_string()
    }

    /// Returns the hosts, as they are compared.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Returns whether it has expired at a time: the day after `until` has begun, in UTC.
    pub fn has_expired(&self, now: Timestamp) -> bool {
        is_past(self.until, now)
    }

    fn applies_to(&self, target: &Target<'_>, agent: &str) -> bool {
        let is_of_path =
            self.paths.is_empty() || self.paths.iter().any(|path| path.matches(target));
        let is_named = |robot: &String| robot.eq_ignore_ascii_case(agent);
        let is_of_robot = self.robots.is_empty() || self.robots.iter().any(is_named);
        is_of_path && is_of_robot
    }
}

/// Returns whether a day in UTC is over at a time.
pub(crate) fn is_past(day: Date, now: Timestamp) -> bool {
    let next = day.tomorrow().and_then(|next| next.to_zoned(TimeZone::UTC));
    // After the last day that the library knows, nothing is past.
    next.is_ok_and(|next| now.as_seconds() >= next.timestamp().as_second())
}

/// The maximum length of a name of DNS, in bytes (RFC 1035, section 2.3.4).
const MAX_HOST_BYTES: usize = 255;

/// The overrides of a file.
#[derive(Debug, Clone)]
pub struct Overrides {
    list: Vec<Override>,
    /// The indexes in `list` by host, in order; those for all hosts below one are under its name with a dot before it.
    by_host: HashMap<String, Vec<usize>>,
    digest: String,
}

/// A file of overrides that is not valid. The message has what is wrong, and its line.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
#[error("not a file of overrides: {}", .0.to_string().trim_end())]
pub struct OverridesError(Box<toml::de::Error>);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "override")]
    list: Vec<Override>,
}

impl Overrides {
    /// Reads a file.
    ///
    /// ```
    /// use robots_pipeline::overrides::Overrides;
    ///
    /// let overrides = Overrides::from_toml(
    ///     r#"
    ///     [[override]]
    ///     who = "Jane Doe"
    ///     why = "Licence 2026-17"
    ///     until = 2027-06-30
    ///     hosts = ["example.com"]
    ///     decision = { may_train = "yes" }
    ///     "#,
    /// )?;
    /// let found = overrides.of_page("https://example.com/a", "GPTBot", None);
    /// assert!(found.is_none(), "without a time, none is known to be in force");
    /// # Ok::<(), robots_pipeline::overrides::OverridesError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not valid TOML, or has an unknown key or value.
    pub fn from_toml(text: &str) -> Result<Self, OverridesError> {
        let File { list } =
            toml::from_str(text).map_err(|error| OverridesError(Box::new(error)))?;
        let mut by_host: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, found) in list.iter().enumerate() {
            for host in &found.hosts {
                by_host
                    .entry(host.trim_start_matches('*').to_owned())
                    .or_default()
                    .push(index);
            }
        }
        Ok(Self {
            list,
            by_host,
            digest: sha256(text.as_bytes()),
        })
    }

    /// Returns the overrides, in the order of the file.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Override> {
        self.list.iter()
    }

    /// Returns the SHA-256 of the file.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Returns the first override that applies to a page and a robot, and is in force at a time. Without a time, there is none.
    pub fn of_page(&self, url: &str, agent: &str, now: Option<Timestamp>) -> Option<&Override> {
        let now = now?;
        let parsed = Url::parse(url).ok()?;
        let host = parsed.host_str()?;
        let target = Target::new(url);
        // A longer name is not one of DNS, and has no parents.
        let of_dns = Some(host).filter(|host| host.len() <= MAX_HOST_BYTES);
        let parents = of_dns.iter().flat_map(|host| {
            let dots = host.match_indices('.');
            dots.map(|(at, _)| &host[at..])
        });
        let names = std::iter::once(host).chain(parents);
        let of_host = names.filter_map(|name| {
            let mut indexes = self.by_host.get(name)?.iter();
            indexes.find(|index| {
                let found = self.list.get(**index);
                found.is_some_and(|found| {
                    !found.has_expired(now) && found.applies_to(&target, agent)
                })
            })
        });
        self.list.get(*of_host.min()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overrides(more: &str) -> Result<Overrides, OverridesError> {
        let first = "[[override]]\nwho = \"a\"\nwhy = \"b\"\nuntil = 2027-06-30\n";
        Overrides::from_toml(&format!("{first}{more}"))
    }

    const VALUE: &str = "decision = { may_train = \"yes\", archive = \"no\" }\n";

    fn at(text: &str) -> Option<Timestamp> {
        Timestamp::parse(text)
    }

    #[test]
    fn an_override_ends_with_its_last_day() {
        let found = overrides(&format!("hosts = [\"a.example\"]\n{VALUE}")).unwrap();
        let values = |now| {
            let found = found.of_page("http://a.example/", "a", now);
            found.map(|found| found.values().join(" "))
        };
        let expected = Some("archive=no may_train=yes".to_owned());
        assert_eq!(values(at("2027-06-30T23:59:59Z")), expected);
        assert_eq!(values(at("2027-07-01T00:00:00Z")), None);
        assert_eq!(values(None), None);
    }

    #[test]
    fn hosts_paths_and_robots_are_compared() {
        let text = format!(
            "hosts = [\"B\u{fc}cher.example\", \"*.a.example\"]\npaths = [\"/news/\", \"*.pdf$\"]\nrobots = [\"GPTBot\"]\n{VALUE}"
        );
        let found = overrides(&text).unwrap();
        for (url, agent, expected) in [
            ("https://xn--bcher-kva.example/news/1", "gptbot", true),
            ("https://b\u{fc}cher.example:8080/a.pdf", "GPTBot", true),
            ("https://xn--bcher-kva.example/new", "GPTBot", false),
            ("https://xn--bcher-kva.example/news/1", "CCBot", false),
            ("https://www.a.example/news/", "GPTBot", true),
            ("https://b.www.a.example/news/", "GPTBot", true),
            ("https://a.example/news/", "GPTBot", false),
            ("https://ba.example/news/", "GPTBot", false),
            ("news", "GPTBot", false),
        ] {
            let is_found = found.of_page(url, agent, at("2027-01-01")).is_some();
            assert_eq!(is_found, expected, "{url} {agent}");
        }
    }

    #[test]
    fn a_name_that_is_none_of_dns_has_no_parents() {
        let found = overrides(&format!("hosts = [\"*.b.example\", \"[::1]\"]\n{VALUE}")).unwrap();
        let is_found = |host: &str| {
            let found = found.of_page(&format!("http://{host}/"), "a", at("2027-01-01"));
            found.is_some()
        };
        let longest = format!("{}b.example", "a.".repeat(123));
        assert_eq!(longest.len(), MAX_HOST_BYTES);
        assert!(is_found(&longest));
        assert!(!is_found(&format!("a{longest}")));
        assert!(is_found("[::1]"));
    }

    #[test]
    fn the_first_one_in_force_counts() {
        let one = |why: &str, until: &str, host: &str| {
            format!(
                "[[override]]\nwho = \"a\"\nwhy = \"{why}\"\nuntil = {until}\nhosts = [\"{host}\"]\n{VALUE}"
            )
        };
        let text = [
            one("expired", "2026-01-01", "a.example"),
            one("wide", "2027-01-01", "*.example"),
            one("narrow", "2028-01-01", "a.example"),
        ];
        let found = Overrides::from_toml(&text.concat()).unwrap();
        for (now, expected) in [("2026-06-01", "wide"), ("2027-06-01", "narrow")] {
            let found = found.of_page("http://a.example/", "a", at(now)).unwrap();
            assert_eq!(found.why, expected);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let check = |text: &str, expected: &str| {
            let error = overrides(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
            assert!(error.contains("line "), "{error}");
        };
        let host = "hosts = [\"a.example\"]\n";
        for (text, expected) in [
            (VALUE.to_owned(), "missing field `hosts`"),
            (host.to_owned(), "missing field `decision`"),
            (format!("hosts = []\n{VALUE}"), "expected at least one host"),
            (
                format!("{host}paths = []\n{VALUE}"),
                "expected at least one path",
            ),
            (
                format!("{host}robots = []\n{VALUE}"),
                "expected at least one robot",
            ),
            (
                format!("{host}paths = [\"news\"]\n{VALUE}"),
                "unexpected path `news`",
            ),
            (
                format!("{host}decision = {{ may_trian = \"yes\" }}"),
                "unknown field `may_trian`: expected one of fetch, index, ",
            ),
            (
                format!("{host}decision = {{ page_layer = \"seen\" }}"),
                "unknown field `page_layer`",
            ),
            (
                format!("{host}decision = {{ fetch = \"yes\" }}"),
                "unexpected value `yes` of `fetch`: expected one of allow, ",
            ),
            (
                format!("{host}decision = {{}}"),
                "a decision without a field",
            ),
            (format!("{host}{VALUE}when = 1"), "unknown field `when`"),
        ] {
            check(&text, expected);
        }
        for name in [
            "a/b",
            "a:80a",
            "a.example:80",
            "a.example#x",
            "*",
            "*.*.example",
        ] {
            let text = format!("hosts = [\"{name}\"]\n{VALUE}");
            check(&text, &format!("unexpected host `{name}`"));
        }
        let no_day = "[[override]]\nwho = \"a\"\nwhy = \"b\"\nuntil = 2027-06-30T00:00:00Z\n";
        let error = Overrides::from_toml(&format!("{no_day}{host}{VALUE}")).unwrap_err();
        assert!(error.to_string().contains("expected a day"), "{error}");
        let empty = "[[override]]\nwho = \" \"\nwhy = \"b\"\nuntil = 2027-06-30\n";
        let error = Overrides::from_toml(&format!("{empty}{host}{VALUE}")).unwrap_err();
        assert!(error.to_string().contains("not empty"), "{error}");
    }
}
