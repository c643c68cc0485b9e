//! A saved page: a file with HTML or with a response, plain or gzip.

use anyhow::Result;
use robots_archive::http::Response;
use robots_pipeline::input::lines::{self, MAX_PAGE_BYTES};
use std::io::Read;

/// Reads a page of up to [`MAX_PAGE_BYTES`] after inflating. The rest of a larger one is not read; `warn` receives a warning
/// about it. `name` is for messages.
pub(crate) fn read(name: &str, file: impl Read, warn: impl FnOnce(&str)) -> Result<Vec<u8>> {
    read_up_to(MAX_PAGE_BYTES, name, file, warn)
}

fn read_up_to(
    limit: usize,
    name: &str,
    file: impl Read,
    warn: impl FnOnce(&str),
) -> Result<Vec<u8>> {
    let mut bytes = lines::read_start(name, file, limit.saturating_add(1))?;
    if bytes.len() > limit {
        bytes.truncate(limit);
        let shown = limit / (1024 * 1024);
        warn(&format!(
            "warning: {name}: only the first {shown} MiB were read"
        ));
    }
    Ok(bytes)
}

/// The content of a saved page.
pub(crate) enum Saved<'a> {
    /// HTML, or anything that is not a response.
    Html,
    /// A response with its headers, as `curl -i` prints it.
    Response(Response<'a>),
}

/// Reads the content of a saved page. Of several responses, as `curl -iL` prints them, the last one counts.
pub(crate) fn parse(bytes: &[u8]) -> Saved<'_> {
    let last = last_response(bytes);
    if !last.starts_with(b"HTTP/") {
        return Saved::Html;
    }
    Response::parse(last).map_or(Saved::Html, Saved::Response)
}

/// Returns the last of several responses. The others, of a proxy or redirects, have no body.
fn last_response(mut text: &[u8]) -> &[u8] {
    while text.starts_with(b"HTTP/") {
        let ends = [&b"\r\n\r\n"[..], b"\n\n"];
        let ends = ends.map(|end| Some(memchr::memmem::find(text, end)?.saturating_add(end.len())));
        let end = ends.into_iter().flatten().min();
        match end.and_then(|end| text.get(end..)) {
            Some(next) if next.starts_with(b"HTTP/") => text = next,
            _ => break,
        }
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn the_rest_of_a_larger_page_is_not_read() {
        for length in [99, 100, 101] {
            let page = vec![b'a'; length];
            let mut warnings = 0;
            let read = read_up_to(100, "a", &page[..], |_| warnings += 1).unwrap();
            assert_eq!((read.len(), warnings == 1), (length.min(100), length > 100));
        }
    }
}
