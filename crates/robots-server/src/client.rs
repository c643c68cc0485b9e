//! Who sent a request: the address of the connection, or what a trusted proxy states.

use crate::config::{Config, ForwardedHeader};
use http::HeaderMap;
use ipnet::IpNet;
use robots_answers::forwarded::{client, contains};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The headers by which proxies pass requests on.
const PROXY_HEADERS: [&str; 8] = [
    "x-forwarded-for",
    "forwarded",
    "x-real-ip",
    "via",
    "cf-connecting-ip",
    "true-client-ip",
    "x-forwarded-host",
    "x-forwarded-proto",
];

/// A client, as limits count it: an IPv4 address, or the network of 64 bits of an IPv6 address, as one host has that whole
/// network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    network: IpAddr,
    /// Whether the limits per client do not apply. Its share of the limits of all is larger.
    pub(crate) is_exempt: bool,
}

impl Client {
    /// Returns the client of an address, which is not exempt.
    pub(crate) fn of(address: IpAddr) -> Self {
        let network = match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
            }
            v4 @ IpAddr::V4(_) => v4,
        };
        Self {
            network,
            is_exempt: false,
        }
    }

    /// Returns the same client as an exempt one.
    #[must_use]
    pub(crate) fn exempt(self) -> Self {
        Self {
            is_exempt: true,
            ..self
        }
    }
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.network {
            IpAddr::V4(address) => write!(f, "{address}"),
            IpAddr::V6(address) => write!(f, "{address}/64"),
        }
    }
}

/// The sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sender {
    pub(crate) address: IpAddr,
    /// Whether the limits per client apply.
    pub(crate) is_limited: bool,
    /// Whether the connection is that of a trusted proxy.
    pub(crate) is_by_proxy: bool,
}

impl Sender {
    /// Returns the client.
    pub(crate) fn client(self) -> Client {
        let client = Client::of(self.address);
        if self.is_limited {
            client
        } else {
            client.exempt()
        }
    }
}

/// The rules by which senders are recognised.
#[derive(Debug)]
pub(crate) struct Senders {
    proxies: Vec<IpNet>,
    exempt: Vec<IpNet>,
    header: ForwardedHeader,
}

impl Senders {
    pub(crate) fn new(config: &Config) -> Self {
        Self {
            proxies: config.trusted_proxies.iter().map(|net| net.0).collect(),
            exempt: config.exempt_clients.iter().map(|net| net.0).collect(),
            header: config.forwarded_header,
        }
    }

    /// Returns whether connections from an address are those of a trusted proxy or an exempt client, whose number is not
    /// limited per client.
    pub(crate) fn may_connect_often(&self, peer: IpAddr) -> bool {
        contains(&self.proxies, peer) || contains(&self.exempt, peer)
    }

    /// Returns the sender of a request over a connection from this address.
    ///
    /// If the header of trusted proxies is missing or invalid, the last known proxy counts as the sender, and is not exempt.
    pub(crate) fn sender(&self, peer: IpAddr, headers: &HeaderMap) -> Sender {
        let peer = peer.to_canonical();
        let is_by_proxy = contains(&self.proxies, peer);
        let address = self.client(peer, headers);
        // Of a client that no proxy names, nothing is known.
        let is_unnamed = is_by_proxy && contains(&self.proxies, address);
        // An exempt address that passes requests on for others is a proxy that the configuration does not name. Its clients
        // are not exempt.
        let is_passed_on = !is_by_proxy
            && headers
                .keys()
                .any(|name| PROXY_HEADERS.contains(&name.as_str()));
        Sender {
            address,
            is_limited: is_passed_on || is_unnamed || !contains(&self.exempt, address),
            is_by_proxy,
        }
    }

    /// Returns the client that the header of trusted proxies states.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let name = match self.header {
            ForwardedHeader::XForwardedFor => "x-forwarded-for",
            ForwardedHeader::Forwarded => "forwarded",
        };
        let values: Vec<_> = headers.get_all(name).iter().collect();
        let elements = values
            .into_iter()
            .rev()
            .flat_map(|value| value.as_bytes().rsplit(|byte| *byte == b','));
        client(peer, &self.proxies, elements)
    }
}

#[cfg(test)]
mod tests {
    use super::{Client, Sender, Senders};
    use crate::config::{Config, ForwardedHeader, Network};
    use http::HeaderMap;
    use std::net::IpAddr;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn sender(header: ForwardedHeader, peer: &str, lines: &[(&'static str, &str)]) -> Sender {
        let proxies = ["10.0.0.0/8", "fd00::/8"].map(|net| Network(net.parse().unwrap()));
        let config = Config {
            trusted_proxies: proxies.into(),
            forwarded_header: header,
            ..Config::default()
        };
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().unwrap());
        }
        Senders::new(&config).sender(ip(peer), &headers)
    }

    #[test]
    fn the_sender_is_the_last_address_that_is_not_a_trusted_proxy() {
        let name = "x-forwarded-for";
        for (peer, lines, expected) in [
            ("198.51.100.1", &[(name, "192.0.2.1")][..], "198.51.100.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &[(name, "192.0.2.1")], "192.0.2.1"),
            (
                "10.0.0.1",
                &[(name, "192.0.2.1"), (name, "192.0.2.2,10.1.1.1")],
                "192.0.2.2",
            ),
            (
                "::ffff:10.0.0.1",
                &[(name, "::ffff:192.0.2.1")],
                "192.0.2.1",
            ),
            // What is not an address ends the reading.
            ("10.0.0.1", &[(name, "192.0.2.1, unknown")], "10.0.0.1"),
            ("10.0.0.1", &[(name, &"1".repeat(5000))], "10.0.0.1"),
            // The client's own invention has no effect, whatever it is.
            (
                "10.0.0.1",
                &[(name, &"2".repeat(5000)), (name, "192.0.2.1")],
                "192.0.2.1",
            ),
            // The other header is the client's own.
            ("10.0.0.1", &[("forwarded", "for=192.0.2.1")], "10.0.0.1"),
        ] {
            let sender = sender(ForwardedHeader::XForwardedFor, peer, lines);
            assert_eq!(sender.address, ip(expected), "{peer} {lines:?}");
        }
        let lines = [("forwarded", "for=203.0.113.9, for=192.0.2.1;proto=http")];
        let sender = sender(ForwardedHeader::Forwarded, "10.0.0.1", &lines);
        assert_eq!(sender.address, ip("192.0.2.1"));
    }

    /// A proxy on this machine, whose address is exempt: no header of a client makes it exempt, too.
    #[test]
    fn the_client_of_an_exempt_proxy_is_limited_whatever_it_sends() {
        let config = Config {
            trusted_proxies: vec![Network(ip("127.0.0.1").into())],
            ..Config::default()
        };
        let senders = Senders::new(&config);
        let long = "1".repeat(5000);
        for (value, expected, is_limited) in [
            ("192.0.2.1".as_bytes(), "192.0.2.1", true),
            ("\u{e9}, 192.0.2.1".as_bytes(), "192.0.2.1", true),
            (b"\xff, 192.0.2.1", "192.0.2.1", true),
            (b"\xff", "127.0.0.1", true),
            (long.as_bytes(), "127.0.0.1", true),
            (b"192.0.2.1, unknown", "127.0.0.1", true),
            (b"127.0.0.1", "127.0.0.1", true),
            (b"", "127.0.0.1", true),
            // A client that the proxy names is exempt if the configuration says so.
            (b"127.0.0.2", "127.0.0.2", false),
        ] {
            let mut headers = HeaderMap::new();
            let line = http::HeaderValue::from_bytes(value).unwrap();
            headers.append("x-forwarded-for", line);
            let sender = senders.sender(ip("127.0.0.1"), &headers);
            let found = (sender.address, sender.is_limited);
            assert_eq!(found, (ip(expected), is_limited), "{value:?}");
        }
        assert!(
            senders
                .sender(ip("127.0.0.1"), &HeaderMap::new())
                .is_limited
        );
    }

    #[test]
    fn an_exempt_address_that_passes_requests_on_is_limited() {
        let of = |lines: &[_]| sender(ForwardedHeader::XForwardedFor, "127.0.0.1", lines);
        assert!(!of(&[]).is_limited);
        assert!(of(&[("x-forwarded-for", "192.0.2.1")]).is_limited);
        for (name, value) in [
            ("forwarded", "for=192.0.2.1"),
            ("x-real-ip", "192.0.2.1"),
            ("via", "1.1 proxy"),
            ("cf-connecting-ip", "192.0.2.1"),
            ("true-client-ip", "192.0.2.1"),
            ("x-forwarded-host", "example.com"),
            ("x-forwarded-proto", "https"),
        ] {
            assert!(of(&[(name, value)]).is_limited, "{name}");
        }
        assert!(!of(&[("user-agent", "x")]).is_limited);
    }

    #[test]
    fn an_ipv6_client_is_its_network() {
        let client = |text| Client::of(ip(text));
        assert_eq!(client("2001:db8:1:2::1"), client("2001:db8:1:2:ffff::9"));
        assert_ne!(client("2001:db8:1:2::1"), client("2001:db8:1:3::1"));
        assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
        assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
        assert_eq!(client("2001:db8:1:2::1").to_string(), "2001:db8:1:2::/64");
    }
}
