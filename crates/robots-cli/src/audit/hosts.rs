//! The host names of addresses in reverse DNS, from a file. The network is not used.

use super::client::Client;
use anyhow::{Result, bail};
use robots_pipeline::input::lines;
use robots_pipeline::text::path_text;
use std::collections::HashMap;
use std::net::IpAddr;
use std::path::Path;

/// The maximum length of a line, in bytes: 8 KiB.
const MAX_HOST_LINE_BYTES: usize = 8 << 10;

/// Host names by address.
#[derive(Debug, Default)]
pub(super) struct Hosts {
    /// `None` is an address without a name.
    names: HashMap<IpAddr, Option<Box<str>>>,
}

/// The host name of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostName<'h> {
    Known(&'h str),
    /// The address of the client has no host name.
    Nameless,
    /// The file does not have the address of the client.
    Unknown,
}

impl Hosts {
    /// Reads a file in the format of `/etc/hosts`: an address and its name on each line, or `-` for an address without a name.
    /// A comma may separate them, too. Text after a `#` is ignored.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = path_text(path);
        let mut names = HashMap::new();
        for line in lines::numbered(lines::open(path)?, MAX_HOST_LINE_BYTES, &file) {
            let (number, line) = line?;
            if line.len() > MAX_HOST_LINE_BYTES {
                bail!("{file}:{number}: longer than 8 KiB");
            }
            let Ok(line) = str::from_utf8(line.strip_suffix(b"\r").unwrap_or(&line)) else {
                bail!("{file}:{number}: not UTF-8");
            };
            let text = line.split('#').next().unwrap_or_default();
            let mut words = text.split([' ', '\t', ',']).filter(|word| !word.is_empty());
            let Some(address) = words.next() else {
                continue;
            };
            let Ok(address) = address.parse::<IpAddr>() else {
                bail!("{file}:{number}: {address:?} is not an IP address");
            };
            let Some(name) = words.next() else {
                bail!("{file}:{number}: expected a host name after the address, or - for no name");
            };
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            names.insert(address.to_canonical(), (name != "-").then(|| name.into()));
        }
        Ok(Self { names })
    }

    /// Returns the host name of a client: that of its address, or the one that the server logged.
    pub(super) fn of<'h>(&'h self, client: Client<'h>) -> HostName<'h> {
        match client {
            Client::Address(address) | Client::Proxy(address) => match self.names.get(&address) {
                Some(Some(name)) => HostName::Known(name),
                Some(None) => HostName::Nameless,
                None => HostName::Unknown,
            },
            Client::Name(name) => HostName::Known(name),
            Client::Unknown => HostName::Unknown,
        }
    }
}

/// Returns whether a host name is the domain or one of its subdomains.
pub(super) fn is_in_domain(name: &str, domain: &str) -> bool {
    let Some(before) = name.len().checked_sub(domain.len()) else {
        return false;
    };
    let (front, back) = name.as_bytes().split_at(before);
    back.eq_ignore_ascii_case(domain.as_bytes()) && (front.is_empty() || front.ends_with(b"."))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Hosts> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        Hosts::read(file.path())
    }

    #[test]
    fn names_are_found_by_address() {
        let hosts = read(
            "# names\n66.249.66.1 Crawl-66-249-66-1.googlebot.com.\n\n10.0.0.1\t-\n2001:DB8::1,a.example # b\n",
        )
        .unwrap();
        for (address, name) in [
            (
                "66.249.66.1",
                HostName::Known("crawl-66-249-66-1.googlebot.com"),
            ),
            ("10.0.0.1", HostName::Nameless),
            ("2001:db8:0::1", HostName::Known("a.example")),
            ("10.0.0.2", HostName::Unknown),
        ] {
            let client = Client::Address(address.parse().unwrap());
            assert_eq!(hosts.of(client), name, "{address}");
        }
        let logged = hosts.of(Client::Name("crawl.example"));
        assert_eq!(logged, HostName::Known("crawl.example"));
        assert_eq!(hosts.of(Client::Unknown), HostName::Unknown);
    }

    #[test]
    fn an_invalid_line_is_reported_with_its_number() {
        let error = |text: &str| read(text).unwrap_err().to_string();
        assert!(
            error("\nlocalhost 127.0.0.1\n").contains(":2: \"localhost\" is not an IP address")
        );
        assert!(error("127.0.0.1\n").contains(":1: expected a host name"));
        let latin1 = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(latin1.path(), b"# names\n# \xe9\n").unwrap();
        let error = Hosts::read(latin1.path()).unwrap_err().to_string();
        assert!(error.ends_with(":2: not UTF-8"), "{error}");
    }

    #[test]
    fn a_line_is_read_up_to_its_limit() {
        let comment = |bytes: usize| {
            let start = "10.0.0.1 a.example #";
            let line = format!("{start}{}\n", "x".repeat(bytes - start.len()));
            read(&format!("10.0.0.2 b.example\n{line}"))
        };
        for bytes in [MAX_HOST_LINE_BYTES - 1, MAX_HOST_LINE_BYTES] {
            let hosts = comment(bytes).unwrap();
            let client = Client::Address("10.0.0.1".parse().unwrap());
            assert_eq!(hosts.of(client), HostName::Known("a.example"));
        }
        let error = comment(MAX_HOST_LINE_BYTES + 1).unwrap_err().to_string();
        assert!(error.ends_with(":2: longer than 8 KiB"), "{error}");
    }

    #[test]
    fn a_name_is_below_a_domain_at_a_dot() {
        assert!(is_in_domain("crawl.Googlebot.com", "googlebot.com"));
        assert!(is_in_domain("googlebot.com", "googlebot.com"));
        assert!(!is_in_domain("evilgooglebot.com", "googlebot.com"));
        assert!(!is_in_domain("com", "googlebot.com"));
    }
}
