//! The content codings that the client does not undo itself.

use super::fault::FetchFault;
use reqwest::header::{CONTENT_ENCODING, HeaderMap, HeaderValue};
use reqwest::{Body, Response};
use std::future::ready;
use tower::ServiceExt;
use tower_http::decompression::Decompression;

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

/// Returns a response whose body is decoded as it is read.
///
/// The client undoes the codings that it requests, if their names are in small letters. Names are without case, and `x-gzip` is gzip
/// (RFC 9110, section 8.4.1). `deflate` is not requested, as some servers send it without the header of zlib (section 8.4.1.2); with
/// that header, it is decoded here.
///
/// # Errors
///
/// If the body has a coding that cannot be decoded, or several.
pub(super) async fn decoded(response: Response) -> Result<Response, FetchFault> {
    let Some(value) = coding(response.headers()) else {
        return Ok(response);
    };
    let supported = match value.to_ascii_lowercase().as_str() {
        "br" => "br",
        "deflate" => "deflate",
        "gzip" | "x-gzip" => "gzip",
        "zstd" => "zstd",
        _ => return Err(FetchFault::of_coding(value)),
    };
    let mut response = http::Response::<Body>::from(response);
    let name = HeaderValue::from_static(supported);
    response.headers_mut().insert(CONTENT_ENCODING, name);
    // It is asked once.
    let mut response = Some(response);
    let service = tower::service_fn(move |_: http::Request<()>| {
        let response = response.take();
        ready(response.ok_or_else(|| FetchFault::of_coding(supported.to_owned())))
    });
    let decoding = Decompression::new(service).oneshot(http::Request::new(()));
    Ok(decoding.await?.map(Body::wrap).into())
}

/// Returns the `Content-Encoding` that the client did not undo, if it means that the body is not text.
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
