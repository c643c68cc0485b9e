//! An HTTP request on a connection of its own. Most origins are asked once, and a connection that is not kept cannot break.
//!
//! There are no redirects, retries, proxies or cookies: redirects and retries are made above, and a proxy could connect to
//! addresses that were not checked.

use super::coding::{ACCEPTED, decoded};
use super::fault::FetchFault;
use super::head::ValidHeads;
use http::header::{ACCEPT_ENCODING, HOST};
use http::{HeaderMap, Request, StatusCode, Uri};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use std::convert::Infallible;
use std::error::Error;
use std::future::ready;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tower::{ServiceExt, service_fn};
use url::{Host, Position, Url};

/// The body of a response, decoded as it is read.
pub(super) type Body = BoxBody<Bytes, Box<dyn Error + Send + Sync>>;

/// The client for one request.
#[derive(Debug)]
pub(super) struct Client {
    /// The headers of every request.
    pub(super) headers: HeaderMap,
    pub(super) tls: Arc<ClientConfig>,
    /// The addresses to which it may connect, whatever the name of the host.
    pub(super) addresses: Vec<IpAddr>,
    /// The time for the connection and TLS.
    pub(super) connect: Duration,
}

impl Client {
    /// Requests a URL, with these headers in addition. The result has the head of the response.
    pub(super) async fn get(&self, url: &Url, headers: HeaderMap) -> Result<Response, FetchFault> {
        let mut request = Request::get(&url[Position::BeforePath..Position::AfterQuery])
            .header(HOST, &url[Position::BeforeHost..Position::AfterPort])
            .header(ACCEPT_ENCODING, ACCEPTED)
            .body(Empty::new())
            .map_err(|_| FetchFault::BadUrl(url.to_string()))?;
        request.headers_mut().extend(self.headers.clone());
        request.headers_mut().extend(headers);

        let connected = async {
            let stream = self.connection(url).await?;
            let address = stream.peer_addr().ok().map(|address| address.ip());
            let tls = match url.scheme() {
                "https" => Tls::Spoken(Box::pin(self.tls(url, stream)).await?),
                _ => Tls::None(stream),
            };
            Ok((tls, address))
        };
        let connected = tokio::time::timeout(self.connect, connected).await;
        match connected.map_err(|_| FetchFault::ConnectTimeout)?? {
            (Tls::None(stream), address) => Box::pin(exchange(stream, address, request)).await,
            (Tls::Spoken(stream), address) => Box::pin(exchange(stream, address, request)).await,
        }
    }

    /// Connects to the first of the addresses that accepts a connection.
    async fn connection(&self, url: &Url) -> Result<TcpStream, FetchFault> {
        let uri = Uri::try_from(url.as_str()).map_err(|_| FetchFault::BadUrl(url.to_string()))?;
        // Port 0 is replaced by that of the URL.
        let addresses = self.addresses.iter();
        let addresses = addresses.map(|address| SocketAddr::new(*address, 0));
        let addresses: Vec<SocketAddr> = addresses.collect();
        let resolver =
            service_fn(move |_: Name| ready(Ok::<_, Infallible>(addresses.clone().into_iter())));
        let mut connector = HttpConnector::new_with_resolver(resolver);
        connector.enforce_http(false);
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(self.connect));
        let connected = connector.oneshot(uri).await;
        connected
            .map(TokioIo::into_inner)
            .map_err(|error| FetchFault::of_connect(&error))
    }

    async fn tls(
        &self,
        url: &Url,
        stream: TcpStream,
    ) -> Result<Box<TlsStream<TcpStream>>, FetchFault> {
        let name = match url.host() {
            Some(Host::Ipv4(address)) => Ok(IpAddr::V4(address).into()),
            Some(Host::Ipv6(address)) => Ok(IpAddr::V6(address).into()),
            host => {
                let name = host.map(|host| host.to_string()).unwrap_or_default();
                ServerName::try_from(name)
            }
        };
        let name = name.map_err(|error| FetchFault::of_connect(&error))?;
        let connected = TlsConnector::from(Arc::clone(&self.tls))
            .connect(name, stream)
            .await;
        connected
            .map(Box::new)
            .map_err(|error: io::Error| FetchFault::of_connect(&error))
    }
}

/// A connection with or without TLS.
enum Tls {
    None(TcpStream),
    Spoken(Box<TlsStream<TcpStream>>),
}

/// Sends a request, and reads the head of its response.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    address: Option<IpAddr>,
    request: Request<Empty<Bytes>>,
) -> Result<Response, FetchFault> {
    let handshake = http1::handshake(TokioIo::new(ValidHeads::new(stream))).await;
    let (mut sender, connection) = handshake.map_err(|error| FetchFault::of_request(&error))?;
    let mut task = JoinSet::new();
    task.spawn(async move {
        // Its errors are those of the response, too.
        connection.await.ok();
    });
    let response = sender.send_request(request).await;
    let response = response.map_err(|error| FetchFault::of_request(&error))?;
    let (head, body) = decoded(response).await?.into_parts();
    Ok(Response {
        status: head.status,
        headers: head.headers,
        address,
        body,
        _connection: (sender, task),
    })
}

/// A response whose body is not read yet. Dropping it closes the connection.
#[derive(Debug)]
pub(super) struct Response {
    pub(super) status: StatusCode,
    /// Without those about a coding of the body that is undone.
    pub(super) headers: HeaderMap,
    /// The address of the server.
    pub(super) address: Option<IpAddr>,
    body: Body,
    _connection: (SendRequest<Empty<Bytes>>, JoinSet<()>),
}

impl Response {
    /// Returns the next part of the body, decoded; `None` at its end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, FetchFault> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| FetchFault::of_stream(&*error))?;
            // Trailers are not read.
            if let Ok(data) = frame.into_data() {
                return Ok(Some(data));
            }
        }
        Ok(None)
    }
}
