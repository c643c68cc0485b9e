//! A saved page: a file with HTML or with a response, plain or gzip.

use anyhow::{Result, bail};
use encoding_rs::{Encoding, UTF_8};
use robots_archive::Reader;
use robots_archive::http::Response;
use robots_pipeline::input::lines::{self, MAX_PAGE_BYTES};
use std::borrow::Cow;
use std::io::Read;

/// Reads a page of up to [`MAX_PAGE_BYTES`] after inflating. The rest of a larger one is not read; `warn` receives a warning
/// about it. A response is returned [without its byte order mark](without_mark). `name` is for messages.
pub(crate) fn read(name: &str, file: impl Read, warn: impl FnOnce(&str)) -> Result<Vec<u8>> {
    read_up_to(MAX_PAGE_BYTES, name, file, warn)
}

fn read_up_to(
    limit: usize,
    name: &str,
    file: impl Read,
    warn: impl FnOnce(&str),
) -> Result<Vec<u8>> {
    let mut bytes = lines::read_start(name, file, limit + 1)?;
    if bytes.len() > limit {
        bytes.truncate(limit);
        let shown = limit / (1024 * 1024);
        warn(&format!(
            "warning: {name}: only the first {shown} MiB were read"
        ));
    }
    if Reader::open(&bytes[..]).is_ok_and(|reader| reader.is_some()) {
        bail!(
            "{name} is a WARC or ARC file: expected a page; `robots decide` and `robots lint --meta` read archives"
        );
    }
    let response = without_mark(&bytes).filter(|text| text.starts_with(b"HTTP/"));
    Ok(match response {
        Some(response) => response.into_owned(),
        None => bytes,
    })
}

/// Returns a text as `curl` prints it, from a file that begins with a byte order mark: editors put one before UTF-8, and
/// PowerShell writes UTF-16 with one. `None` for another file.
pub(crate) fn without_mark(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    let (encoding, mark) = Encoding::for_bom(bytes)?;
    let text = bytes.get(mark..).unwrap_or_default();
    if encoding == UTF_8 {
        return Some(Cow::Borrowed(text));
    }
    // Half of a character at the end is dropped.
    let units = text.as_chunks::<2>().0.as_flattened();
    let (text, _) = encoding.decode_without_bom_handling(units);
    Some(Cow::Owned(text.into_owned().into_bytes()))
}

/// Reads a saved page that is a response with its headers, as `curl -i` prints it; of several, as of `curl -iL`, the last one. `None`
/// for HTML, or anything else.
pub(crate) fn parse(bytes: &[u8]) -> Option<Response<'_>> {
    let last = last_response(bytes);
    let is_response = last.starts_with(b"HTTP/");
    is_response.then(|| Response::parse(last).ok()).flatten()
}

/// Returns the last of several responses. The others, of a proxy or redirects, have no body.
fn last_response(mut text: &[u8]) -> &[u8] {
    while text.starts_with(b"HTTP/") {
        let ends = [&b"\r\n\r\n"[..], b"\n\n"];
        let ends = ends.map(|end| Some(memchr::memmem::find(text, end)? + end.len()));
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
    fn a_response_may_begin_with_a_byte_order_mark() {
        // The text is longer in UTF-8 than in UTF-16.
        let body = "\u{6f22}".repeat(100);
        let text = format!("HTTP/1.1 200 OK\r\nX-Robots-Tag: noindex\r\n\r\n<p>{body}");
        let units: Vec<u16> = text.encode_utf16().collect();
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let mark = [0xFEFF].into_iter();
            mark.chain(units.iter().copied()).flat_map(order).collect()
        };
        for file in [
            text.as_bytes().to_vec(),
            format!("\u{feff}{text}").into_bytes(),
            wide(u16::to_le_bytes),
            wide(u16::to_be_bytes),
        ] {
            let read = read("a", &file[..], |_| {}).unwrap();
            assert_eq!(read, text.as_bytes());
            assert_eq!(parse(&read).map(|response| response.status()), Some(200));
        }
        // The encoding of HTML is that of its mark.
        let html = "\u{feff}<title>a</title>".as_bytes();
        assert_eq!(read("a", html, |_| {}).unwrap(), html);
    }

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
