//! The addresses to which requests may go: those of the public Internet, and the caller's exceptions.
//!
//! A robots.txt may redirect anywhere, and a name may resolve to any address. A host that is an address
//! is checked before each request. A name is resolved and checked before each request, and the connection uses the checked
//! addresses, so that they cannot change between check and connection.

use super::fault::{FaultDetail, FetchFault};
use robots_policy::origins::is_public_address;
use std::net::IpAddr;
use std::sync::Arc;
use url::{Host, Url};

/// The addresses to which requests may go. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct PermittedAddresses {
    /// Whether all addresses are permitted.
    permits_all: bool,
    /// The addresses that are permitted even if they are not public.
    exceptions: Arc<[IpAddr]>,
}

impl PermittedAddresses {
    pub(super) fn new(permits_all: bool, exceptions: &[IpAddr]) -> Self {
        Self {
            permits_all,
            exceptions: exceptions.iter().map(IpAddr::to_canonical).collect(),
        }
    }

    /// Returns the permitted addresses of a URL's host, in the order of the resolver; at least one.
    pub(super) async fn resolve(&self, url: &Url) -> Result<Vec<IpAddr>, FetchFault> {
        let found = match url.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::V4(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::V6(address)],
            Some(Host::Domain(name)) => {
                let found = tokio::net::lookup_host((name, 0)).await;
                let found =
                    found.map_err(|error| FetchFault::Name(FaultDetail::of_name(&error)))?;
                found.map(|found| found.ip()).collect()
            }
            None => return Err(FetchFault::BadUrl(url.to_string())),
        };
        self.permitted(found)
    }

    /// Returns those of the addresses of a host that are permitted; at least one.
    fn permitted(&self, found: Vec<IpAddr>) -> Result<Vec<IpAddr>, FetchFault> {
        let (allowed, refused): (Vec<IpAddr>, Vec<IpAddr>) =
            found.into_iter().partition(|address| self.allows(*address));
        match (allowed.is_empty(), refused.first()) {
            (false, _) => Ok(allowed),
            (true, Some(first)) => Err(FetchFault::PrivateAddress(*first)),
            (true, None) => Err(FetchFault::Name(FaultDetail::without_address())),
        }
    }

    fn allows(&self, address: IpAddr) -> bool {
        self.permits_all
            || self.exceptions.contains(&address.to_canonical())
            || is_public_address(address)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn hosts_that_are_addresses_are_checked_in_every_notation() {
        let permitted = PermittedAddresses::new(false, &[]);
        for (url, refused) in [
            ("http://127.0.0.1/", Some("127.0.0.1")),
            ("http://127.1:8080/", Some("127.0.0.1")),
            ("http://2130706433/", Some("127.0.0.1")),
            ("http://0x7f.1/", Some("127.0.0.1")),
            ("http://0177.0.0.1./", Some("127.0.0.1")),
            ("http://１２７.0.0.1/", Some("127.0.0.1")),
            ("http://169.254.169.254/latest/", Some("169.254.169.254")),
            ("https://[::1]/", Some("::1")),
            ("https://[::ffff:10.0.0.1]/", Some("::ffff:10.0.0.1")),
            ("https://[64:ff9b::c0a8:1]/", Some("64:ff9b::c0a8:1")),
            ("https://8.8.8.8/", None),
            ("https://[2606:4700::1111]/", None),
        ] {
            let result = permitted.resolve(&Url::parse(url).unwrap()).await;
            let expected = match refused {
                Some(text) => Err(FetchFault::PrivateAddress(address(text))),
                None => Ok(1),
            };
            assert_eq!(result.map(|found| found.len()), expected, "{url}");
        }
    }

    #[test]
    fn exceptions_are_single_addresses() {
        let permitted =
            PermittedAddresses::new(false, &[address("127.0.0.1"), address("::ffff:10.0.0.1")]);
        for (text, is_allowed) in [
            ("127.0.0.1", true),
            ("::ffff:127.0.0.1", true),
            ("10.0.0.1", true),
            ("127.0.0.2", false),
            ("10.0.0.2", false),
            ("::1", false),
            // A translation of the first exception, which is another address.
            ("64:ff9b::7f00:1", false),
            ("8.8.8.8", true),
        ] {
            assert_eq!(permitted.allows(address(text)), is_allowed, "{text}");
        }
        let open = PermittedAddresses::new(true, &[]);
        assert!(open.allows(address("127.0.0.1")));
        assert!(open.allows(address("fe80::1")));
    }

    #[tokio::test]
    async fn names_lose_their_private_addresses() {
        let url = Url::parse("http://localhost/").unwrap();
        let of = async |permitted: PermittedAddresses| permitted.resolve(&url).await;
        let refused = of(PermittedAddresses::new(false, &[])).await;
        let Err(FetchFault::PrivateAddress(address)) = refused else {
            panic!("localhost is private");
        };
        assert!(address.is_loopback(), "{address}");
        let all = of(PermittedAddresses::new(true, &[])).await.unwrap();
        for one in all {
            let found = of(PermittedAddresses::new(false, &[one])).await.unwrap();
            assert!(found.iter().all(|found| *found == one));
        }
    }

    #[test]
    fn a_name_without_an_address_does_not_resolve() {
        let permitted = PermittedAddresses::new(false, &[]);
        let fault = permitted.permitted(Vec::new()).unwrap_err();
        assert_eq!(fault.name(), "name");
    }
}
