//! The client of a request that came through proxies, as `X-Forwarded-For` and `Forwarded` (RFC 7239) state it.

use ipnet::{IpNet, Ipv4Net};
use std::net::{IpAddr, SocketAddr};

/// Reads a network such as `10.0.0.0/8`, or an address as the network that has only this address. IPv4 addresses that are written
/// as IPv6 (RFC 4291, section 2.5.5.2) are IPv4, as those of clients are.
pub fn network(text: &str) -> Option<IpNet> {
    let address = || text.parse::<IpAddr>().ok().map(IpNet::from);
    let network = text.parse().ok().or_else(address)?;
    let IpNet::V6(v6) = network else {
        return Some(network);
    };
    let prefix = v6.prefix_len().checked_sub(96);
    let mapped = v6.addr().to_ipv4_mapped().zip(prefix);
    let v4 = mapped.and_then(|(address, prefix)| Ipv4Net::new(address, prefix).ok());
    Some(v4.map_or(network, IpNet::V4))
}

/// Returns whether one of some networks has an address.
pub fn contains(networks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.iter().any(|network| network.contains(&address))
}

/// Returns the client of a request over a connection from `peer`. `elements` are those of the header, from the last to the first.
///
/// Each proxy adds the address from which it got the request. So the client is the first one that is not a trusted proxy, and what
/// comes before it is its own invention: that may be of any bytes, and is not read. If an element has no address, the client is the
/// proxy that added it.
pub fn client<'e>(
    peer: IpAddr,
    proxies: &[IpNet],
    elements: impl IntoIterator<Item = &'e [u8]>,
) -> IpAddr {
    let mut client = peer.to_canonical();
    for element in elements {
        if !contains(proxies, client) {
            break;
        }
        let Some(stated) = stated_address(element) else {
            break;
        };
        client = stated;
    }
    client
}

/// Reads an element of `X-Forwarded-For`, an address, or of `Forwarded`, whose parameter `for` is one. The address may have a port:
/// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`. Linear in the length.
pub fn stated_address(element: &[u8]) -> Option<IpAddr> {
    let element = str::from_utf8(element).ok()?;
    let parameter = element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then_some(value)
    });
    let text = parameter.unwrap_or(element).trim().trim_matches('"');
    let with_port = || text.parse::<SocketAddr>().ok().map(|socket| socket.ip());
    let in_brackets = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    let address = text.parse().ok().or_else(with_port).or_else(in_brackets)?;
    Some(address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_last_address_that_is_not_a_trusted_proxy() {
        let proxies = ["10.0.0.0/8", "fd00::/8"].map(|text| network(text).unwrap());
        for (peer, header, expected) in [
            ("198.51.100.1", "192.0.2.1", "198.51.100.1"),
            ("10.0.0.1", "192.0.2.1", "192.0.2.1"),
            ("10.0.0.1", "203.0.113.9, 192.0.2.1", "192.0.2.1"),
            ("10.0.0.1", "192.0.2.1, 10.9.9.9,10.1.1.1", "192.0.2.1"),
            ("10.0.0.1", "192.0.2.1:4711", "192.0.2.1"),
            ("10.0.0.1", "[2001:db8::1]:80", "2001:db8::1"),
            ("10.0.0.1", "[2001:db8::1]", "2001:db8::1"),
            ("fd00::1", "2001:db8::1", "2001:db8::1"),
            ("::ffff:10.0.0.1", "::ffff:192.0.2.1", "192.0.2.1"),
            // What is not an address ends the reading.
            ("10.0.0.1", "192.0.2.1, unknown", "10.0.0.1"),
            ("10.0.0.1", "192.0.2.1, x, 10.2.2.2", "10.2.2.2"),
            ("10.0.0.1", "-", "10.0.0.1"),
            ("10.0.0.1", "", "10.0.0.1"),
            ("10.0.0.1", "\u{e9}, 192.0.2.1", "192.0.2.1"),
            ("10.0.0.1", "for=192.0.2.1", "192.0.2.1"),
            (
                "10.0.0.1",
                "For=\"[2001:db8::1]:80\"; proto=https",
                "2001:db8::1",
            ),
            (
                "10.0.0.1",
                "for=203.0.113.9, proto=http;for=192.0.2.1, for=10.3.3.3",
                "192.0.2.1",
            ),
            ("10.0.0.1", "for=_hidden", "10.0.0.1"),
            ("10.0.0.1", "for=\"_hidden\", for=10.0.0.2", "10.0.0.2"),
            ("10.0.0.1", "by=10.0.0.2", "10.0.0.1"),
        ] {
            let elements = header.as_bytes().rsplit(|byte| *byte == b',');
            let found = client(peer.parse().unwrap(), &proxies, elements);
            assert_eq!(found.to_string(), expected, "{peer} {header}");
        }
    }

    #[test]
    fn networks_may_be_single_addresses() {
        for (text, shown) in [
            ("10.0.0.0/8", Some("10.0.0.0/8")),
            ("2001:db8::/32", Some("2001:db8::/32")),
            ("192.0.2.1", Some("192.0.2.1/32")),
            ("::1", Some("::1/128")),
            ("::ffff:192.0.2.1", Some("192.0.2.1/32")),
            ("::ffff:10.0.0.0/104", Some("10.0.0.0/8")),
            ("::/0", Some("::/0")),
            ("10.0.0.0/33", None),
            ("a.example", None),
        ] {
            let network = network(text).map(|network| network.to_string());
            assert_eq!(network.as_deref(), shown, "{text}");
        }
    }
}
