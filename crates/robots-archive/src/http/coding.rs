//! The codings of a body: chunks and compression.

use super::{BODY_LIMIT, Note};
use flate2::bufread::GzDecoder;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::Read;

/// Removes the chunked coding from a body (RFC 9112, 7.1). Returns the data up to the end or to the first error, and a note about
/// the error. If not even the first line is a size, returns the body as it is, or no body if the line was meant as a size.
pub(super) fn dechunk(raw: &[u8]) -> (Cow<'_, [u8]>, Option<Note>) {
    let mut body = Vec::new();
    let mut rest = raw;
    loop {
        // The line end after a chunk may be missing: then the next size follows directly. There may also be empty lines.
        while let [b'\r' | b'\n', after @ ..] = rest {
            rest = after;
        }
        let line_and_data = memchr::memchr(b'\n', rest).and_then(|end| {
            let (line, data) = rest.split_at_checked(end)?;
            Some((line, data.get(1..)?))
        });
        let size_and_data = line_and_data.and_then(|(line, data)| Some((chunk_size(line)?, data)));
        let Some((size, data)) = size_and_data else {
            // An empty input has no first size that could be invalid: it only breaks off.
            return if !body.is_empty() || raw.is_empty() {
                (Cow::Owned(body), Some(Note::BrokenChunks))
            } else if line_and_data.is_some_and(|(line, _)| is_invalid_size(line)) {
                (Cow::Owned(body), Some(Note::UnreadChunks))
            } else {
                (Cow::Borrowed(raw), Some(Note::NotChunked))
            };
        };
        if size == 0 {
            return (Cow::Owned(body), None);
        }
        let Some((chunk, after)) = data.split_at_checked(size) else {
            body.extend_from_slice(data);
            return (Cow::Owned(body), Some(Note::BrokenChunks));
        };
        body.extend_from_slice(chunk);
        rest = after;
    }
}

/// Returns the first line of a chunk without its extension.
fn without_extension(line: &[u8]) -> &[u8] {
    let size = line.split(|&byte| byte == b';').next();
    size.unwrap_or_default().trim_ascii()
}

/// Returns the size in the first line of a chunk: hexadecimal, up to an extension. A size that is too large for the type is the
/// maximum: no data has either.
fn chunk_size(line: &[u8]) -> Option<usize> {
    let size = str::from_utf8(without_extension(line)).ok()?;
    // `from_str_radix` accepts a plus sign, which a size does not have.
    let is_hexadecimal = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hexadecimal.then(|| usize::from_str_radix(size, 16).unwrap_or(usize::MAX))
}

/// Returns whether the first line of a chunk was meant as a size, but is not valid: it has a sign, or the prefix `0x`.
fn is_invalid_size(line: &[u8]) -> bool {
    let size = without_extension(line);
    let ([b'-' | b'+', digits @ ..] | [b'0', b'x' | b'X', digits @ ..]) = size else {
        return false;
    };
    !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
}

/// Removes one coding from the body. Returns the decoded body, up to the first error, and a note about that error. If the body
/// begins as gzip or zlib does, but nothing can be decoded, the body is empty, and the note is [`Note::UnreadEncoding`].
///
/// Returns no body if the coding is unknown, or if the body does not seem to have it. The caller then uses the body as it is.
pub(super) fn remove_coding(body: &[u8], coding: &str) -> (Option<Vec<u8>>, Option<Note>) {
    match coding {
        "gzip" | "x-gzip" => gunzip(body),
        // The standard defines zlib; servers also send bare deflate.
        "deflate" => match read_decoded(ZlibDecoder::new(body)) {
            (None, _) => match read_decoded(DeflateDecoder::new(body)) {
                (None, _) if begins_like_zlib(body) => unread(),
                // Text such as `Sitemap:` begins like bare deflate: some bytes are decoded before the error.
                (Some(_), Some(_)) if is_text(body) => (None, Some(Note::NotEncoded)),
                deflate => deflate,
            },
            zlib => zlib,
        },
        "br" => read_decoded(brotli::Decompressor::new(body, 4096)),
        "zstd" => {
            let decoder = zstd::stream::read::Decoder::with_buffer(body).and_then(|mut decoder| {
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Ok(decoder)
            });
            decoder.map_or((None, Some(Note::NotEncoded)), read_decoded)
        }
        // Servers also write charsets here, and unknown names.
        _ => (None, None),
    }
}

/// Words that servers write in place of the name of a coding, for a body that has none: encodings of mail (RFC 2045, section 6),
/// and the marker of uploads to S3.
const NO_CODINGS: [&str; 5] = ["none", "binary", "7bit", "8bit", "aws-chunked"];

/// Returns whether a word that servers write as a coding, in lower case, may be the name of one. Charsets, media types and
/// [`NO_CODINGS`] are not.
pub(super) fn is_coding_name(word: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    word.bytes().all(is_token)
        && !NO_CODINGS.contains(&word)
        && encoding_rs::Encoding::for_label(word.as_bytes()).is_none()
}

/// The maximum window of a body in zstd, as a power of two: 8 MiB (RFC 9659).
const ZSTD_WINDOW_LOG: u32 = 23;

/// The first bytes of gzip, of a body or of a member of an archive: the magic number and the method, deflate (RFC 1952, section 2.3.1).
pub const GZIP: [u8; 3] = [0x1F, 0x8B, 0x08];

/// Returns what [`remove_coding`] returns for a body that has the coding, but is corrupt before its first decoded byte.
fn unread() -> (Option<Vec<u8>>, Option<Note>) {
    (Some(Vec::new()), Some(Note::UnreadEncoding))
}

/// Returns whether a body begins with a valid zlib header (RFC 1950, section 2.2), and is not text: some letters are valid
/// headers, too.
fn begins_like_zlib(body: &[u8]) -> bool {
    let &[method, flags, ..] = body else {
        return false;
    };
    // The method is deflate, the window has at most 32 KiB, and both bytes together are a multiple of 31.
    let is_header = method & 0x0F == 8
        && method >> 4 <= 7
        && u16::from_be_bytes([method, flags]).is_multiple_of(31);
    is_header && !is_text(body)
}

/// Returns whether the first 512 bytes of a body are UTF-8 without the control characters that text does not have.
fn is_text(body: &[u8]) -> bool {
    let start = body.get(..512).unwrap_or(body);
    // The last character may be cut.
    let is_utf8 = match str::from_utf8(start) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_utf8 && !is_binary(body)
}

/// Returns whether a body begins like compressed data.
pub(super) fn is_compressed(body: &[u8]) -> bool {
    COMPRESSED.iter().any(|magic| body.starts_with(magic))
}

/// Returns whether the first 512 bytes of a body have a control character that text does not have. Text may have white
/// space (bytes 9 to 13), and ESC (0x1B) in encodings such as ISO-2022-JP.
pub(super) fn is_binary(body: &[u8]) -> bool {
    let start = body.get(..512).unwrap_or(body);
    start
        .iter()
        .any(|&byte| matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F))
}

/// The first bytes of compressed data: zstd, zstd with a shared dictionary (`dcz`, RFC 9842), gzip, xz, bzip2.
const COMPRESSED: [&[u8]; 5] = [
    b"\x28\xB5\x2F\xFD",
    b"\x5E\x2A\x4D\x18",
    b"\x1F\x8B",
    b"\xFD7zXZ",
    b"BZh",
];

/// The magic number of gzip, without the method.
const GZIP_MAGIC: &[u8] = GZIP.split_at(2).0;

/// Inflates the members of a gzip body, up to one byte past [`BODY_LIMIT`]. Ignores the bytes after the last member.
/// Returns what [`remove_coding`] returns.
pub(super) fn gunzip(body: &[u8]) -> (Option<Vec<u8>>, Option<Note>) {
    let mut out = Vec::new();
    let mut rest = body;
    loop {
        let most = BODY_LIMIT.saturating_sub(out.len()) + 1;
        let mut decoder = GzDecoder::new(rest);
        let result = decoder.by_ref().take(most as u64).read_to_end(&mut out);
        rest = decoder.into_inner();
        match result {
            Err(_) if out.is_empty() && body.starts_with(GZIP_MAGIC) => return unread(),
            Err(_) if out.is_empty() => return (None, Some(Note::NotEncoded)),
            Err(_) => return (Some(out), Some(Note::BrokenEncoding)),
            Ok(_) if out.len() > BODY_LIMIT || !rest.starts_with(GZIP_MAGIC) => {
                return (Some(out), None);
            }
            Ok(_) => {}
        }
    }
}

/// Reads a decoded body, up to one byte past [`BODY_LIMIT`]. Returns what [`remove_coding`] returns.
fn read_decoded(decoder: impl Read) -> (Option<Vec<u8>>, Option<Note>) {
    let mut out = Vec::new();
    // One byte more than the limit shows that the body is longer.
    let most = BODY_LIMIT as u64 + 1;
    match decoder.take(most).read_to_end(&mut out) {
        Ok(_) => (Some(out), None),
        Err(_) if out.is_empty() => (None, Some(Note::NotEncoded)),
        Err(_) => (Some(out), Some(Note::BrokenEncoding)),
    }
}
