//! The address ranges that operators publish for their robots, from files. The network is not used.

use crate::args::RangesFile;
use crate::chosen_robots::suggestion;
use anyhow::{Context, Result, anyhow, bail};
use ipnet::IpNet;
use robots_answers::forwarded::network;
use robots_pipeline::text::path_text;
use robots_policy::profile::AgentTable;
use serde::Deserialize;
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;

/// The published address ranges of robots.
#[derive(Debug, Default)]
pub(super) struct Ranges {
    /// By the name of the robot in lower case: its prefixes, sorted, without overlaps.
    by_robot: HashMap<String, Vec<IpNet>>,
}

/// The content of a file, as Google, Bing and `OpenAI` publish it (<https://developers.google.com/search/apis/ipranges/googlebot.json>).
#[derive(Deserialize)]
struct Published {
    prefixes: Vec<Prefix>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Prefix {
    ipv4_prefix: Option<String>,
    ipv6_prefix: Option<String>,
}

impl Ranges {
    /// Reads files. A robot may have several files; their ranges are combined.
    pub(super) fn read(files: &[RangesFile], table: &AgentTable) -> Result<Self> {
        let mut by_robot: HashMap<String, Vec<IpNet>> = HashMap::new();
        for file in files {
            let Some(robot) = table.get(&file.robot) else {
                bail!(
                    "--ranges: unknown robot {:?}{}",
                    file.robot,
                    suggestion(table, &file.robot)
                );
            };
            let name = robot.token.to_ascii_lowercase();
            by_robot.entry(name).or_default().extend(read(&file.path)?);
        }
        for ranges in by_robot.values_mut() {
            *ranges = IpNet::aggregate(ranges);
            ranges.sort_unstable();
        }
        Ok(Self { by_robot })
    }

    /// Returns whether an address is in the ranges of a robot; `None` if no ranges of it are known. An IPv4 address must not be written
    /// as IPv6.
    pub(super) fn contains(&self, robot: &str, address: IpAddr) -> Option<bool> {
        // Without ranges, as in most audits, no name is copied.
        if self.by_robot.is_empty() {
            return None;
        }
        let ranges = self.by_robot.get(&robot.to_ascii_lowercase())?;
        let after = ranges.partition_point(|range| range.network() <= address);
        let range = after.checked_sub(1).and_then(|index| ranges.get(index));
        Some(range.is_some_and(|range| range.contains(&address)))
    }
}

/// Reads the prefixes of a file.
fn read(path: &Path) -> Result<Vec<IpNet>> {
    let text = std::fs::read(path).with_context(|| format!("cannot read {}", path_text(path)))?;
    let published: Published = serde_json::from_slice(&text).with_context(|| {
        let path = path_text(path);
        format!("{path}: expected JSON with \"prefixes\", as operators publish it")
    })?;
    let read_prefix = |entry: &Prefix| {
        let text = entry.ipv4_prefix.as_ref();
        let text = text.or(entry.ipv6_prefix.as_ref());
        let text = text.ok_or_else(|| {
            let path = path_text(path);
            anyhow!("{path}: a prefix has neither ipv4Prefix nor ipv6Prefix")
        })?;
        network(text).with_context(|| {
            format!(
                "{}: {text:?} is not a prefix such as 192.0.2.0/24",
                path_text(path)
            )
        })
    };
    published.prefixes.iter().map(read_prefix).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn ranges(text: &str) -> Result<Ranges> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let argument = format!("googlebot={}", file.path().display());
        let file = RangesFile::parse(&argument).unwrap();
        Ranges::read(&[file], AgentTable::built_in())
    }

    #[test]
    fn addresses_are_in_ranges() {
        let ranges = ranges(
            r#"{"creationTime":"2026-11-01","prefixes":[
                {"ipv4Prefix":"192.0.2.64/27"},{"ipv4Prefix":"192.0.2.0/24"},{"ipv4Prefix":"198.51.100.7/32"},
                {"ipv6Prefix":"::ffff:203.0.113.0/120"},{"ipv4Prefix":"192.0.2.0/24"},
                {"ipv6Prefix":"2001:db8:1::/48"},{"ipv6Prefix":"2001:db8:2::1/128"}]}"#,
        )
        .unwrap();
        for (address, is_in) in [
            ("192.0.2.0", true),
            ("192.0.2.255", true),
            ("::ffff:192.0.2.9", true),
            ("203.0.113.9", true),
            ("::ffff:203.0.113.9", true),
            ("203.0.112.255", false),
            ("192.0.1.255", false),
            ("192.0.3.0", false),
            ("198.51.100.7", true),
            ("198.51.100.8", false),
            ("2001:db8:1:ffff::", true),
            ("2001:db8:2::1", true),
            ("2001:db8:2::2", false),
            ("0.0.0.0", false),
            ("ffff::", false),
        ] {
            let address: IpAddr = address.parse().unwrap();
            let found = ranges.contains("Googlebot", address.to_canonical());
            assert_eq!(found, Some(is_in), "{address}");
        }
        let other = ranges.contains("bingbot", "192.0.2.0".parse().unwrap());
        assert_eq!(other, None);
    }

    #[test]
    fn invalid_files_are_reported() {
        let error = |text: &str| format!("{:#}", ranges(text).unwrap_err());
        assert!(error("[]").contains("expected JSON with \"prefixes\""));
        let other = error(r#"{"prefixes":[{"ip_prefix":"192.0.2.0/24"}]}"#);
        assert!(other.contains("neither ipv4Prefix nor ipv6Prefix"));
        for prefix in ["192.0.2", "192.0.2.0/33", "::/129", "a/8", "192.0.2.0/-1"] {
            let error = error(&format!(r#"{{"prefixes":[{{"ipv4Prefix":"{prefix}"}}]}}"#));
            assert!(error.contains("is not a prefix"), "{prefix}: {error}");
        }
        for text in ["googlebot.json", "=a", "Googlebot="] {
            assert!(RangesFile::parse(text).is_err(), "{text}");
        }
        let unknown = RangesFile::parse("nobot=a").unwrap();
        let error = Ranges::read(&[unknown], AgentTable::built_in());
        assert!(error.unwrap_err().to_string().contains("unknown robot"));
    }
}
