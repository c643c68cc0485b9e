//! The options of a fetcher.

use super::address::PermittedAddresses;
use super::turn::{AddressLimit, TurnLimits};
use super::{FetchLimits, Fetcher, Shared};
use http::header::{FROM, HeaderMap, HeaderValue, InvalidHeaderValue, USER_AGENT};
use robots_policy::RobotsFetch;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The number of simultaneous requests to one address, unless it is set: 8.
pub const DEFAULT_PER_ADDRESS: usize = 8;

/// The `Accept` of requests for robots.txt. A robots.txt is `text/plain` (RFC 9309, section 2.3); many servers send it as
/// HTML. Any other type is accepted, too, so that no server has a reason to answer 406.
pub(super) const ACCEPT_ROBOTS: HeaderValue =
    HeaderValue::from_static("text/plain,text/html;q=0.9,*/*;q=0.8");

/// The `Accept` of requests for pages: the type of a page is not known before.
pub(super) const ACCEPT_PAGE: HeaderValue = HeaderValue::from_static("*/*");

/// The options of a [`Fetcher`], which are fixed when it is built.
///
/// ```
/// use robots_crawl::Fetcher;
/// use std::time::Duration;
///
/// let fetcher = Fetcher::builder("ExampleBot/1.0 (+https://example.com/bot)")
///     .with_from("bot@example.com")
///     .with_total_timeout(Duration::from_secs(10))
///     .with_retries(0)
///     .build()?;
/// # Ok::<(), robots_crawl::fetch::FetcherError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct FetcherBuilder {
    user_agent: String,
    from: Option<String>,
    limits: FetchLimits,
    requests_at_once: usize,
    requests_per_address: usize,
    permits_all: bool,
    exceptions: Vec<IpAddr>,
    certificates: Vec<Vec<u8>>,
}

impl FetcherBuilder {
    pub(super) fn new(user_agent: &str) -> Self {
        Self {
            user_agent: user_agent.to_owned(),
            from: None,
            limits: FetchLimits {
                total: Duration::from_secs(30),
                idle: Duration::from_secs(10),
                connect: Duration::from_secs(10),
                redirects: RobotsFetch::MAX_REDIRECTS,
                retries: 2,
            },
            requests_at_once: 64,
            requests_per_address: DEFAULT_PER_ADDRESS,
            permits_all: false,
            exceptions: Vec::new(),
            certificates: Vec::new(),
        }
    }

    /// Sets the email address of the robot's operator, sent in `From` (RFC 9110, section 10.1.2).
    pub fn with_from(mut self, email: impl Into<String>) -> Self {
        self.from = Some(email.into());
        self
    }

    /// Sets the timeout of a whole fetch, with its redirects, retries and pauses: 30 seconds unless it is
    /// set.
    pub fn with_total_timeout(mut self, timeout: Duration) -> Self {
        self.limits.total = timeout;
        self
    }

    /// Sets the timeout from one part of a body to the next: 10 seconds unless it is set. The headers may
    /// take this timeout plus the connect timeout, from the start of the request.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.limits.idle = timeout;
        self
    }

    /// Sets the timeout to resolve a name, to connect, and for the TLS handshake: 10 seconds unless it is set.
    pub fn with_connect_timeout(mut self, timeout: Duration) -> Self {
        self.limits.connect = timeout;
        self
    }

    /// Sets the number of redirects to follow. The default, 5, is the minimum of the standard (RFC 9309,
    /// section 2.3.1.2).
    pub fn with_redirects(mut self, redirects: usize) -> Self {
        self.limits.redirects = redirects;
        self
    }

    /// Sets the number of retries after temporary faults
    /// ([`FetchFault::is_retried`](super::FetchFault::is_retried)): 2 unless it is set. The pause is half a second,
    /// and doubles with each retry up to ten seconds; a part of it is random. A status is an answer, 503 and 429
    /// too, and is never retried.
    pub fn with_retries(mut self, retries: u32) -> Self {
        self.limits.retries = retries;
        self
    }

    /// Sets the number of simultaneous requests, over all clones: at least one, and 64 unless it is set.
    pub fn with_requests_at_once(mut self, requests: usize) -> Self {
        self.requests_at_once = requests;
        self
    }

    /// Sets the number of simultaneous requests to one address, over all clones and all names that have it: at least one, and
    /// [`DEFAULT_PER_ADDRESS`] unless it is set.
    ///
    /// A host with several addresses counts at each of them. Requests that wait for an address do not count as simultaneous
    /// requests.
    pub fn with_requests_per_address(mut self, requests: usize) -> Self {
        self.requests_per_address = requests;
        self
    }

    /// Permits all addresses, also those of this machine and of its network. Only for callers that trust all
    /// origins and the targets of their redirects.
    pub fn allow_private_addresses(mut self) -> Self {
        self.permits_all = true;
        self
    }

    /// Permits these addresses in addition to the public ones, at any port and by any name: servers in the
    /// caller's network, for example.
    pub fn allow_addresses(mut self, addresses: impl IntoIterator<Item = IpAddr>) -> Self {
        self.exceptions.extend(addresses);
        self
    }

    /// Trusts these certificates in addition to Mozilla's: any number as PEM, or one as DER.
    pub fn with_root_certificates(mut self, pem_or_der: impl Into<Vec<u8>>) -> Self {
        self.certificates.push(pem_or_der.into());
        self
    }

    /// Returns the fetcher.
    ///
    /// # Errors
    ///
    /// If the user agent or the address in `From` is empty or cannot be in a header, or if a certificate cannot be
    /// read.
    pub fn build(self) -> Result<Fetcher, FetcherError> {
        let permits = self.requests_at_once.clamp(1, Semaphore::MAX_PERMITS);
        Ok(Fetcher {
            turn_limits: TurnLimits::NONE,
            shared: Arc::new(Shared {
                headers: self.headers()?,
                tls: Arc::new(self.tls()?),
                addresses: PermittedAddresses::new(self.permits_all, &self.exceptions),
                permits: Arc::new(Semaphore::new(permits)),
                per_address: AddressLimit::new(self.requests_per_address),
                limits: self.limits,
            }),
        })
    }

    fn headers(&self) -> Result<HeaderMap, FetcherError> {
        // An empty value is refused, too.
        let header = |value: &str| match HeaderValue::from_str(value) {
            Ok(header) if !value.trim().is_empty() => Ok(header),
            result => Err(result.err()),
        };
        let mut headers = HeaderMap::new();
        let user_agent = header(&self.user_agent).map_err(FetcherError::UserAgent)?;
        headers.insert(USER_AGENT, user_agent);
        if let Some(from) = &self.from {
            headers.insert(FROM, header(from).map_err(FetcherError::From)?);
        }
        Ok(headers)
    }

    fn tls(&self) -> Result<ClientConfig, FetcherError> {
        let mut roots = RootCertStore::empty();
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        for file in &self.certificates {
            for certificate in read_certificates(file)? {
                roots
                    .add(certificate)
                    .map_err(|source| FetcherError::Certificate(source.into()))?;
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|source| FetcherError::Client(source.into()))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        // The only version of HTTP that the clients speak.
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(tls)
    }
}

/// Reads the certificates of a file: those of PEM, or otherwise the file as DER.
fn read_certificates(file: &[u8]) -> Result<Vec<CertificateDer<'static>>, FetcherError> {
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(file)
        .collect::<Result<_, _>>()
        .map_err(|source| FetcherError::Certificate(source.into()))?;
    if certificates.is_empty() {
        return Ok(vec![CertificateDer::from(file.to_vec())]);
    }
    Ok(certificates)
}

/// An error from building a [`Fetcher`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetcherError {
    /// The user agent is empty, or cannot be in a header.
    #[error("the user agent is empty or cannot be sent in a header")]
    UserAgent(#[source] Option<InvalidHeaderValue>),
    /// The address in `From` is empty, or cannot be in a header.
    #[error("the address in From is empty or cannot be sent in a header")]
    From(#[source] Option<InvalidHeaderValue>),
    /// A root certificate cannot be read.
    #[error("cannot read a root certificate")]
    Certificate(#[source] Box<dyn Error + Send + Sync>),
    /// The client cannot be set up.
    #[error("cannot set up the HTTP client")]
    Client(#[source] Box<dyn Error + Send + Sync>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetchers_and_results_are_shared_between_threads() {
        fn is_shared<T: Clone + Send + Sync + 'static>() {}
        fn is_sent(_: impl Send) {}
        is_shared::<Fetcher>();
        is_shared::<FetcherBuilder>();
        is_shared::<super::super::Fetched>();
        is_shared::<super::super::FetchFault>();
        let fetcher = Fetcher::builder("a").build().unwrap();
        let origin = robots_policy::origins::Origin::of("http://a.example").unwrap();
        is_sent(fetcher.fetch(&origin, &crate::next_request::Validators::default()));
    }

    #[test]
    fn invalid_options_are_errors() {
        let error = |builder: FetcherBuilder| builder.build().err();
        let good = || Fetcher::builder("a");
        assert!(error(good().with_from("a@b.example")).is_none());
        for text in ["", " ", "\t", "a\r\nb", "a\0"] {
            let built = error(Fetcher::builder(text));
            assert!(
                matches!(built, Some(FetcherError::UserAgent(_))),
                "{text:?}"
            );
            let built = error(good().with_from(text));
            assert!(matches!(built, Some(FetcherError::From(_))), "{text:?}");
        }
        for file in [
            &b""[..],
            b"x",
            b"-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n",
        ] {
            let built = error(good().with_root_certificates(file));
            assert!(matches!(built, Some(FetcherError::Certificate(_))));
        }
    }

    #[test]
    fn the_number_of_simultaneous_requests_is_clamped() {
        for (requests, permits) in [(0, 1), (1, 1), (7, 7), (usize::MAX, Semaphore::MAX_PERMITS)] {
            let fetcher = Fetcher::builder("a")
                .with_requests_at_once(requests)
                .build();
            assert_eq!(fetcher.unwrap().shared.permits.available_permits(), permits);
        }
    }
}
