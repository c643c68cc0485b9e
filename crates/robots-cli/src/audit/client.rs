//! The client of a request: its address, which proxies may state, or its host name.

use super::log::{Request, is_name};
use crate::args::PRIVATE_NETWORKS;
use ipnet::IpNet;
use robots_answers::forwarded::{client, contains, network, stated_address};
use std::net::IpAddr;

/// The client of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client<'l> {
    Address(IpAddr),
    /// The address of a proxy, or a private one: it does not show who sent the request.
    Proxy(IpAddr),
    /// The host name that the server logged.
    Name(&'l str),
    Unknown,
}

/// The networks of proxies.
#[derive(Debug)]
pub(super) struct Proxies<'a> {
    /// Those whose statements count.
    trusted: &'a [IpNet],
    private: Vec<IpNet>,
}

impl<'a> Proxies<'a> {
    pub(super) fn new(trusted: &'a [IpNet]) -> Self {
        let private = PRIVATE_NETWORKS.split(',').filter_map(network);
        Self {
            trusted,
            private: private.collect(),
        }
    }

    /// Returns the client of a request. Lists of addresses are read from their end, past trusted proxies: the column of the client,
    /// and then the header that the log has.
    pub(super) fn client<'l>(&self, request: &'l Request<'_>) -> Client<'l> {
        // A socket of the same machine has no address.
        let is_address = |column: &&[u8]| !matches!(*column, b"" | b"-" | b"unix:");
        let column = Some(&*request.client).filter(is_address);
        let lists = [column, request.forwarded.as_deref()];
        let lists = lists.into_iter().flatten();
        let mut elements = lists.flat_map(|list| list.rsplit(|byte| *byte == b','));
        let Some(first) = elements.next() else {
            return Client::Unknown;
        };
        let Some(peer) = stated_address(first) else {
            let name = str::from_utf8(first).map(str::trim);
            return name
                .ok()
                .filter(|name| is_name(name))
                .map_or(Client::Unknown, Client::Name);
        };
        let address = client(peer, self.trusted, elements);
        if contains(self.trusted, address) || contains(&self.private, address) {
            Client::Proxy(address)
        } else {
            Client::Address(address)
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;
    use crate::audit::log::{Directives, TimeReader, read};

    #[test]
    fn the_client_is_what_trusted_proxies_state() {
        let trusted = ["10.0.0.0/8", "203.0.113.0/24", "::1"].map(|text| network(text).unwrap());
        let proxies = Proxies::new(&trusted);
        let address = |text: &str| Client::Address(text.parse().unwrap());
        let proxy = |text: &str| Client::Proxy(text.parse().unwrap());
        for (column, header, client) in [
            ("66.249.66.1", "192.0.2.1", address("66.249.66.1")),
            ("66.249.66.1:4711", "-", address("66.249.66.1")),
            ("10.0.0.1", "192.0.2.1, 66.249.66.1", address("66.249.66.1")),
            (
                "10.0.0.1",
                "66.249.66.1, 203.0.113.9",
                address("66.249.66.1"),
            ),
            ("66.249.66.1, 10.0.0.1", "-", address("66.249.66.1")),
            ("192.0.2.1,66.249.66.1", "-", address("66.249.66.1")),
            ("192.0.2.1, unknown", "66.249.66.1", Client::Unknown),
            ("10.0.0.1", "-", proxy("10.0.0.1")),
            (
                "10.0.0.1",
                "66.249.66.1, _hidden, 10.0.0.2",
                proxy("10.0.0.2"),
            ),
            // A private address that is not that of a trusted proxy.
            ("192.168.0.1", "66.249.66.1", proxy("192.168.0.1")),
            ("10.0.0.1", "192.168.0.1", proxy("192.168.0.1")),
            ("fe80::1", "66.249.66.1", proxy("fe80::1")),
            ("::1", "::ffff:66.249.66.1", address("66.249.66.1")),
            ("-", "192.0.2.1, 66.249.66.1", address("66.249.66.1")),
            ("unix:", "66.249.66.1", address("66.249.66.1")),
            ("-", "-", Client::Unknown),
            (
                "crawl.example",
                "66.249.66.1",
                Client::Name("crawl.example"),
            ),
            ("66.249.66.xxx", "66.249.66.1", Client::Unknown),
            ("66.249.66.0/24", "66.249.66.1", Client::Unknown),
            ("localhost", "66.249.66.1", Client::Unknown),
        ] {
            let line = format!(
                "{column} - - [20/Nov/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"x\" \"{header}\""
            );
            let mut times = TimeReader::default();
            let request = read(line.as_bytes(), &Directives::default(), &mut times).unwrap();
            assert_eq!(proxies.client(&request), client, "{column} {header}");
        }
    }
}
