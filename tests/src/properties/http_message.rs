//! An HTTP response: reading it ends, its parts are within their limits, and it does not change when it is read twice.
use robots_archive::http::{BODY_LIMIT, Response};

/// Checks one input.
pub fn check(data: &[u8]) {
    let Ok(response) = Response::parse(data) else {
        return;
    };
    assert_eq!(Ok(&response), Response::parse(data).as_ref());
    assert!(response.body().len() <= BODY_LIMIT);
    assert!(!response.is_unread() || response.body().is_empty());
    assert_eq!(response.headers().count(), response.header_bytes().count());
    for (name, _) in response.headers() {
        assert!(response.header(name).next().is_some());
    }
    let payloads = Response::payloads(data);
    assert!(payloads.iter().all(|payload| payload.len() <= data.len()));
    let _ = (response.media_type(), response.is_html(), response.is_cut());
}
