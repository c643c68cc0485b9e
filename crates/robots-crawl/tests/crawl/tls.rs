//! HTTPS: trusted certificates, and servers that do not speak TLS.

use crate::server::{Server, ok, read_head};
use crate::{body, fetch_origin, fetcher, unreachable};
use rcgen::{CertificateParams, CertifiedKey, KeyPair, date_time_ymd, generate_simple_self_signed};
use robots_crawl::FetchFault;
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A server with a self-signed certificate.
pub(crate) struct TlsServer {
    address: SocketAddr,
    certificate: CertifiedKey<KeyPair>,
    task: JoinHandle<()>,
}

/// The end of a connection: with the message that ends TLS (`close_notify`), or without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    WithNotice,
    WithoutNotice,
}

impl TlsServer {
    /// Starts a server with a certificate for this host.
    pub(crate) async fn start(host: &str, answer: Vec<u8>) -> Self {
        Self::start_ending(host, answer, End::WithNotice).await
    }

    /// Starts a server whose connections end in this way.
    async fn start_ending(host: &str, answer: Vec<u8>, end: End) -> Self {
        let certificate = generate_simple_self_signed([host.to_owned()]).unwrap();
        Self::start_with(certificate, &[], answer, end).await
    }

    /// Starts a server whose certificate was valid only in 2020.
    pub(crate) async fn start_expired(host: &str, answer: Vec<u8>) -> Self {
        let signing_key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        params.not_before = date_time_ymd(2020, 1, 1);
        params.not_after = date_time_ymd(2020, 12, 31);
        let cert = params.self_signed(&signing_key).unwrap();
        let certificate = CertifiedKey { cert, signing_key };
        Self::start_with(certificate, &[], answer, End::WithNotice).await
    }

    /// Starts a server that accepts only this protocol.
    pub(crate) async fn start_speaking(host: &str, protocol: &[u8], answer: Vec<u8>) -> Self {
        let certificate = generate_simple_self_signed([host.to_owned()]).unwrap();
        let protocols = [protocol.to_vec()];
        Self::start_with(certificate, &protocols, answer, End::WithNotice).await
    }

    async fn start_with(
        certificate: CertifiedKey<KeyPair>,
        protocols: &[Vec<u8>],
        answer: Vec<u8>,
        end: End,
    ) -> Self {
        let key = PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.cert.der().clone()],
                PrivateKeyDer::Pkcs8(key),
            )
            .unwrap();
        config.alpn_protocols = protocols.to_vec();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let task = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let (acceptor, answer) = (acceptor.clone(), answer.clone());
                tokio::spawn(async move {
                    // The client may not trust the certificate.
                    let Ok(mut stream) = acceptor.accept(stream).await else {
                        return;
                    };
                    if read_head(&mut stream).await.is_some() {
                        stream.write_all(&answer).await.ok();
                        stream.flush().await.ok();
                        if end == End::WithNotice {
                            stream.shutdown().await.ok();
                        }
                    }
                });
            }
        });
        Self {
            address,
            certificate,
            task,
        }
    }

    pub(crate) fn origin(&self) -> String {
        format!("https://{}", self.address)
    }

    /// Returns its certificate, as PEM.
    pub(crate) fn pem(&self) -> String {
        self.certificate.cert.pem()
    }
}

impl Drop for TlsServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[tokio::test]
async fn trusted_certificates() {
    let server = TlsServer::start("127.0.0.1", ok("x")).await;
    let certificate = &server.certificate.cert;
    for file in [certificate.pem().into_bytes(), certificate.der().to_vec()] {
        let fetcher = fetcher().with_root_certificates(file);
        let fetched = fetch_origin(fetcher, &server.origin()).await;
        assert_eq!(body(&fetched), b"x");
        assert_eq!(fetched.url(), format!("{}/robots.txt", server.origin()));
    }
}

#[tokio::test]
async fn certificates_that_are_refused() {
    let trusting = |server: &TlsServer| fetcher().with_root_certificates(server.pem());
    let expired = TlsServer::start_expired("127.0.0.1", ok("x")).await;
    let other_host = TlsServer::start("other.example", ok("x")).await;
    let unknown = TlsServer::start("127.0.0.1", ok("x")).await;
    for (fetcher, server, expected) in [
        (trusting(&expired), &expired, "expired"),
        (trusting(&other_host), &other_host, "not valid for name"),
        (fetcher(), &unknown, "unknownissuer"),
    ] {
        let fetched = fetch_origin(fetcher.with_retries(2), &server.origin()).await;
        let fault = unreachable(&fetched);
        assert!(matches!(fault, FetchFault::Tls(_)), "{fault:?}");
        assert_eq!(fault.to_string(), "TLS with the host failed");
        let detail = fault.source().unwrap().to_string();
        assert!(detail.to_ascii_lowercase().contains(expected), "{detail}");
        assert_eq!((fetched.attempts(), fetched.status()), (1, None));
    }
}

/// The first frame of a server of HTTP/2 (RFC 9113, section 3.4), and the one that ends the connection (GOAWAY).
pub(crate) const HTTP_2_SETTINGS: &[u8] =
    b"\0\0\0\x04\0\0\0\0\0\0\0\x08\x07\0\0\0\0\0\0\0\0\0\0\0\0\x01";

#[tokio::test]
async fn connections_that_end_during_the_handshake() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("https://{}", listener.local_addr().unwrap());
    let task = tokio::spawn(async move {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().await.unwrap();
            // Unread bytes would reset the connection.
            assert!(stream.read(&mut [0; 16 * 1024]).await.unwrap() > 0);
            stream.shutdown().await.ok();
        }
    });
    let fetched = fetch_origin(fetcher().with_retries(1), &origin).await;
    task.await.unwrap();
    let fault = unreachable(&fetched);
    assert!(matches!(fault, FetchFault::Tls(_)), "{fault:?}");
    assert!(fault.is_retried());
    assert_eq!(fetched.attempts(), 2);
}

#[tokio::test]
async fn redirects_lead_from_http_to_https_and_back() {
    let last = Server::sending(ok("x")).await;
    let redirect = crate::server::redirect(301, &last.url());
    let middle = TlsServer::start("127.0.0.1", redirect).await;
    let first = Server::redirecting(301, &format!("{}/robots.txt", middle.origin())).await;
    let fetcher = fetcher().with_root_certificates(middle.certificate.cert.pem());
    let fetched = crate::fetch_with(fetcher, &first).await;
    assert_eq!(body(&fetched), b"x");
    assert_eq!(fetched.hops().len(), 2);
}

#[tokio::test]
async fn bodies_without_a_length_end_with_tls() {
    for end in [End::WithNotice, End::WithoutNotice] {
        let answer = b"HTTP/1.1 200 X\r\n\r\nhello".to_vec();
        let server = TlsServer::start_ending("127.0.0.1", answer, end).await;
        let fetcher = fetcher().with_root_certificates(server.certificate.cert.pem());
        let fetched = fetch_origin(fetcher, &server.origin()).await;
        if end == End::WithNotice {
            assert_eq!(body(&fetched), b"hello");
        } else {
            // Without `close_notify`, anyone on the network may have cut the body.
            assert!(matches!(unreachable(&fetched), FetchFault::Broken(_)));
        }
    }
}
