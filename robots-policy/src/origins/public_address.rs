//! Addresses of the public Internet. The IANA registries of special addresses define which are not (RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Returns whether an address is one of the public Internet: a robot from elsewhere can connect to it.
pub fn is_public_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let is_local = isatap_ipv4(address).is_some_and(|inside| !is_public_v4(inside));
            let embedded = embedded_ipv4(address);
            !is_local && embedded.map_or_else(|| is_public_v6(address), is_public_v4)
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let is_special = match address.octets() {
        // This network, private, loopback; multicast, reserved, broadcast.
        [0 | 10 | 127 | 224..=255, ..]
        // Shared by the customers of a provider.
        | [100, 64..=127, ..]
        // Link-local: the metadata of cloud machines.
        | [169, 254, ..]
        // Private.
        | [172, 16..=31, ..]
        // Protocol assignments, and documentation.
        | [192, 0, 0 | 2, _]
        // Relays of 6to4 (deprecated).
        | [192, 88, 99, _]
        // Private.
        | [192, 168, ..]
        // Benchmarks.
        | [198, 18 | 19, ..]
        // Documentation.
        | [198, 51, 100, _]
        | [203, 0, 113, _] => true,
        _ => false,
    };
    !is_special
}

/// Returns whether an IPv6 address is public: a global unicast address that is not special. Global unicast is `2000::/3`.
/// All other addresses are local, multicast, special or unassigned: loopback, unspecified, addresses compatible with
/// IPv4, `64:ff9b:1::/48`, `100::/64`, `5f00::/16`, `fc00::/7`, `fe80::/10`, `fec0::/10`, `ff00::/8`.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // Protocol assignments, 2001::/23, with Teredo, benchmarks and ORCHID; documentation,
        // 2001:db8::/32 and 3fff::/20.
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [0x2000..=0x3fff, ..] => true,
        _ => false,
    }
}

/// Returns the IPv4 address in an interface identifier of ISATAP, with or without the bit for globally unique ones (RFC 5214,
/// section 6.1): a router of the network leads to it.
fn isatap_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let [.., a, b, c, d] = address.octets();
    match address.segments() {
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => Some(Ipv4Addr::new(a, b, c, d)),
        _ => None,
    }
}

/// Returns the IPv4 address that an IPv6 address leads to.
fn embedded_ipv4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let octets = address.octets();
    match address.segments() {
        // Mapped, ::ffff:0:0/96; translated, ::ffff:0:0:0/96 and 64:ff9b::/96.
        [0, 0, 0, 0, 0, 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            let [.., a, b, c, d] = octets;
            Some(Ipv4Addr::new(a, b, c, d))
        }
        // 6to4, 2002::/16: the address of its router.
        [0x2002, ..] => {
            let [_, _, a, b, c, d, ..] = octets;
            Some(Ipv4Addr::new(a, b, c, d))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Networks that are not public, one in a line: their first and last address, and the addresses next to them where those are
    /// public. The IPv4-compatible addresses (deprecated) are not public, even those of public IPv4 addresses.
    const SPECIAL: &str = "
        0.0.0.0 0.255.255.255 - 1.0.0.0
        10.0.0.0 10.255.255.255 9.255.255.255 11.0.0.0
        100.64.0.0 100.127.255.255 100.63.255.255 100.128.0.0
        127.0.0.0 127.255.255.255 126.255.255.255 128.0.0.0
        169.254.0.0 169.254.255.255 169.253.255.255 169.255.0.0
        172.16.0.0 172.31.255.255 172.15.255.255 172.32.0.0
        192.0.0.0 192.0.0.255 191.255.255.255 192.0.1.0
        192.0.2.0 192.0.2.255 192.0.1.255 192.0.3.0
        192.88.99.0 192.88.99.255 192.88.98.255 192.88.100.0
        192.168.0.0 192.168.255.255 192.167.255.255 192.169.0.0
        198.18.0.0 198.19.255.255 198.17.255.255 198.20.0.0
        198.51.100.0 198.51.100.255 198.51.99.255 198.51.101.0
        203.0.113.0 203.0.113.255 203.0.112.255 203.0.114.0
        224.0.0.0 239.255.255.255 223.255.255.255 -
        240.0.0.0 255.255.255.255 - -
        :: ::1 - -
        ::0.0.0.2 ::255.255.255.255 - -
        ::8.8.8.8 ::8.8.8.8 - -
        64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff - -
        100:: 100::ffff:ffff:ffff:ffff - -
        2001:: 2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200::
        2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9::
        3fff:: 3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff 3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:1000::
        200:: 1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff - 2000::
        4000:: 5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff -
        fc00:: fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff - -
        fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff - -
        fec0:: feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff - -
        ff00:: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff - -
    ";

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    /// The IPv6 addresses that reach an IPv4 address.
    fn reaching(address: Ipv4Addr) -> [IpAddr; 6] {
        let [a, b, c, d] = address.octets();
        let pair = |high, low| u16::from_be_bytes([high, low]);
        let (high, low) = (pair(a, b), pair(c, d));
        [
            Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
            Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
            Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
            Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
            Ipv6Addr::new(0x2a00, 1, 2, 3, 0, 0x5efe, high, low),
            Ipv6Addr::new(0x2a00, 1, 2, 3, 0x200, 0x5efe, high, low),
        ]
        .map(IpAddr::V6)
    }

    #[test]
    fn special_networks_have_exact_bounds() {
        for network in SPECIAL.trim().lines() {
            for (column, text) in network.split_whitespace().enumerate() {
                if text == "-" {
                    continue;
                }
                let (address, is_outside) = (address(text), column >= 2);
                assert_eq!(is_public_address(address), is_outside, "{address}");
                let IpAddr::V4(v4) = address else { continue };
                for address in reaching(v4) {
                    assert_eq!(is_public_address(address), is_outside, "{address} of {v4}");
                }
            }
        }
    }

    #[test]
    fn addresses_of_known_servers_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "93.184.216.34",
            "192.0.66.2",
            "2606:4700:4700::1111",
            "2a00:1450:4001:82a::200e",
            "2620:fe::fe",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public_address(address(text)), "{text}");
        }
    }
}
