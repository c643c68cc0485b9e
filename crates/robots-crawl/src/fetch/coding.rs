//! The content codings of bodies.

use super::client::Body;
use super::fault::FetchFault;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use std::future::ready;
use tower::ServiceExt;
use tower_http::decompression::Decompression;

/// The codings that requests accept. `deflate` is not requested, as some servers send it without the header of zlib (RFC 9110,
/// section 8.4.1.2); with that header, it is decoded.
pub(super) const ACCEPTED: HeaderValue = HeaderValue::from_static("zstd,gzip,br");

/// The content codings with which a body is not text. Servers also send other values, such as "utf-8" or "none", with a
/// body that is text.
const CODINGS: [&str; 7] = [
    "br",
    "compress",
    "deflate",
    "gzip",
    "x-compress",
    "x-gzip",
    "zstd",
];

/// Returns a response whose body is decoded as it is read, without the headers about its coding. If the coding is not supported,
/// or there are several, both stay as they are, which [`check`] reports.
///
/// Names are without case, and `x-gzip` is gzip (RFC 9110, section 8.4.1).
pub(super) async fn decoded(
    mut response: Response<Incoming>,
) -> Result<Response<Body>, FetchFault> {
    let coding = coding(response.headers()).map(|value| value.to_ascii_lowercase());
    let supported = match coding.as_deref() {
        Some("br") => "br",
        Some("deflate") => "deflate",
        Some("gzip" | "x-gzip") => "gzip",
        Some("zstd") => "zstd",
        _ => return Ok(response.map(|body| body.map_err(Into::into).boxed())),
    };
    let name = HeaderValue::from_static(supported);
    response.headers_mut().insert(CONTENT_ENCODING, name);
    // It is asked once.
    let mut response = Some(response);
    let service = tower::service_fn(move |_: Request<()>| {
        let response = response.take();
        ready(response.ok_or_else(|| FetchFault::of_coding(supported.to_owned())))
    });
    let decoding = Decompression::new(service).oneshot(Request::new(()));
    Ok(decoding.await?.map(BodyExt::boxed))
}

/// Checks that a body has no coding that could not be undone, and not several.
pub(super) fn check(headers: &HeaderMap) -> Result<(), FetchFault> {
    coding(headers).map_or(Ok(()), |value| Err(FetchFault::of_coding(value)))
}

/// Returns the `Content-Encoding`, if it means that the body is not text.
fn coding(headers: &HeaderMap) -> Option<String> {
    let values: Vec<&str> = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .collect();
    let value = values.join(", ");
    let is_coding = |part: &str| {
        CODINGS
            .iter()
            .any(|coding| part.trim().eq_ignore_ascii_case(coding))
    };
    value.split(',').any(is_coding).then_some(value)
}
