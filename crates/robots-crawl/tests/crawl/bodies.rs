//! Bodies: their length, their chunks, their compression, and the limit at which they are cut.

use crate::server::{Act, Server, ok, response};
use crate::{body, fetch, fetcher, unreachable};
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use robots_crawl::FetchFault;
use robots_policy::robots_txt::limits::RFC9309_SIZE_LIMIT;
use std::io::Write;
use std::time::Duration;

const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A Zstandard frame with one uncompressed block (RFC 8878, 3.1.1).
fn zstd_frame(bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).unwrap();
    let block = u32::from(length) << 3 | 1;
    let head = [0x28, 0xb5, 0x2f, 0xfd, 0x20, length];
    [&head[..], &block.to_le_bytes()[..3], bytes].concat()
}

/// A Brotli stream with one uncompressed meta-block (RFC 7932, 9.2).
fn brotli_stream(bytes: &[u8]) -> Vec<u8> {
    let length_minus_one = u8::try_from(bytes.len() - 1).unwrap();
    let head = [
        0x0b | (length_minus_one & 1) << 7,
        length_minus_one >> 1,
        0x80,
    ];
    [&head[..], bytes, &[3]].concat()
}

fn encoded(coding: &str, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    response(200, &format!("Content-Encoding: {coding}\r\n"), bytes)
}

#[tokio::test]
async fn bodies_end_at_their_stated_length() {
    let chunked = "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n\
        5\r\nhello\r\n6;x=y\r\n world\r\n0\r\nTrailer: x\r\n\r\n";
    for (bytes, expected) in [
        ("HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n", ""),
        ("HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        // Bytes past the length belong to another response, which was not requested.
        (
            "HTTP/1.1 200 X\r\nContent-Length: 5\r\n\r\nhello world",
            "hello",
        ),
        (chunked, "hello world"),
        // Without a length, a body ends with the connection.
        ("HTTP/1.1 200 X\r\n\r\nhello", "hello"),
        ("HTTP/1.0 200 X\r\n\r\nhello", "hello"),
        ("HTTP/1.1 200\r\nContent-Length: 5\r\n\r\nhello", "hello"),
    ] {
        let server = Server::sending(bytes).await;
        assert_eq!(body(&fetch(&server).await), expected.as_bytes(), "{bytes}");
    }
}

#[tokio::test]
async fn truncated_bodies_are_faults() {
    for (headers, rest, is_retried) in [
        ("Content-Length: 9", "hello", true),
        ("Transfer-Encoding: chunked", "5\r\nhello\r\n", true),
        ("Transfer-Encoding: chunked", "5\r\nhel", true),
        // Invalid chunks are not a temporary fault.
        ("Transfer-Encoding: chunked", "5\r\nhello\r\nx\r\n", false),
        ("Transfer-Encoding: chunked", "5\r\nhello world", false),
        ("Transfer-Encoding: chunked", "hello", false),
    ] {
        let bytes = format!("HTTP/1.1 200 X\r\n{headers}\r\n\r\n{rest}");
        let server = Server::sending(&*bytes).await;
        let fetched = fetch(&server).await;
        let fault = unreachable(&fetched);
        assert!(matches!(fault, FetchFault::Broken(_)), "{bytes}: {fault:?}");
        assert_eq!(fault.is_retried(), is_retried, "{bytes}: {fault:?}");
        assert_eq!(fetched.status(), Some(200));
    }
}

#[tokio::test]
async fn a_reset_connection_breaks_the_body() {
    let head = "HTTP/1.1 200 X\r\nContent-Length: 99\r\n\r\nhello";
    let server = Server::acting(vec![
        Act::Send(head.into()),
        Act::Wait(Duration::from_millis(100)),
        Act::Reset,
    ])
    .await;
    let fetched = fetch(&server).await;
    assert!(matches!(unreachable(&fetched), FetchFault::Broken(_)));
    assert!(unreachable(&fetched).is_retried());
}

#[tokio::test]
async fn compressed_bodies_are_decompressed() {
    for (coding, bytes) in [
        ("gzip", gzip(TEXT)),
        ("deflate", zlib(TEXT)),
        ("br", brotli_stream(TEXT)),
        ("zstd", zstd_frame(TEXT)),
        // Names are without case, and gzip has two.
        ("GZIP", gzip(TEXT)),
        ("x-gzip", gzip(TEXT)),
        ("X-Gzip", gzip(TEXT)),
        ("Deflate", zlib(TEXT)),
        ("BR", brotli_stream(TEXT)),
        ("Zstd", zstd_frame(TEXT)),
        // Servers misuse the header for charsets.
        ("identity", TEXT.to_vec()),
        ("utf-8", TEXT.to_vec()),
        ("none", TEXT.to_vec()),
        ("", TEXT.to_vec()),
    ] {
        let server = Server::sending(encoded(coding, bytes)).await;
        assert_eq!(body(&fetch(&server).await), TEXT, "{coding}");
    }
}

#[tokio::test]
async fn unrequested_codings_are_rejected() {
    // The client decodes a single coding, and only one of those that it requests.
    for coding in ["compress", "x-compress", "gzip, gzip", "br,zstd"] {
        let server = Server::sending(encoded(coding, gzip(TEXT))).await;
        let fetched = fetch(&server).await;
        let fault = FetchFault::Encoding(coding.to_owned());
        assert_eq!(unreachable(&fetched), &fault);
        assert_eq!(fetched.status(), Some(200));
        // The body of an error response is ignored.
        let headers = format!("Content-Encoding: {coding}\r\n");
        let server = Server::sending(response(404, &headers, "x")).await;
        assert_eq!(fetch(&server).await.fault(), None);
    }
}

#[tokio::test]
async fn invalid_compressed_bodies_are_broken() {
    let whole = gzip(TEXT);
    let mut wrong = whole.clone();
    let in_checksum = wrong.len() - 6;
    wrong[in_checksum] ^= 1;
    for bytes in [TEXT, &whole[..whole.len() - 4], &wrong] {
        for name in ["gzip", "x-gzip"] {
            let server = Server::sending(encoded(name, bytes)).await;
            let fetched = fetch(&server).await;
            let fault = unreachable(&fetched);
            assert!(matches!(fault, FetchFault::Broken(_)), "{fault:?}");
        }
    }
}

#[tokio::test]
async fn bodies_are_cut_past_the_limit() {
    let long = b"Disallow: /a\n".repeat(RFC9309_SIZE_LIMIT / 13 + 1);
    for length in RFC9309_SIZE_LIMIT - 1..=RFC9309_SIZE_LIMIT + 2 {
        let sent = &long[..length];
        let is_cut = length > RFC9309_SIZE_LIMIT;
        // One byte past the limit is kept, which shows that the body is longer. The line that is cut is replaced by `#`: its
        // start would be another rule.
        let mut kept = sent[..length.min(RFC9309_SIZE_LIMIT + 1)].to_vec();
        if is_cut {
            let last_line = kept.iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
            kept[last_line..].fill(b'#');
        }
        let packed = gzip(sent);
        for bytes in [ok(sent), encoded("gzip", &packed), encoded("GZIP", &packed)] {
            let server = Server::sending(bytes).await;
            let fetched = fetch(&server).await;
            assert!(body(&fetched) == kept, "{length}");
            assert_eq!(fetched.is_cut(), is_cut, "{length}");
        }
    }
}

#[tokio::test]
async fn downloads_of_endless_bodies_stop() {
    let server = Server::acting(vec![
        Act::Send("HTTP/1.1 200 X\r\n\r\n".into()),
        Act::Repeat(vec![b'a'; 64 * 1024], Duration::ZERO),
    ])
    .await;
    let fetched = fetch(&server).await;
    assert_eq!(body(&fetched).len(), RFC9309_SIZE_LIMIT + 1);
    assert!(fetched.is_cut());
    server.wait_for_departures(1).await;
}

/// A body that is small when it is sent, and 64 MiB when it is decompressed.
pub(crate) fn bomb(coding: &str) -> Vec<u8> {
    let text = b"User-agent: *\nDisallow: /x\n".iter().copied();
    let bytes: Vec<u8> = text.chain(std::iter::repeat_n(b'#', 64 << 20)).collect();
    let packed = match coding {
        "gzip" => gzip(&bytes),
        "deflate" => zlib(&bytes),
        "br" => {
            let mut packed = Vec::new();
            let options = brotli::enc::BrotliEncoderParams {
                quality: 1,
                ..Default::default()
            };
            brotli::BrotliCompress(&mut &bytes[..], &mut packed, &options).unwrap();
            packed
        }
        "zstd" => zstd::encode_all(&bytes[..], 1).unwrap(),
        other => panic!("{other}"),
    };
    assert!(packed.len() < 1024 * 1024, "{coding}: {}", packed.len());
    encoded(coding, packed)
}

#[tokio::test]
async fn bodies_are_cut_by_their_decompressed_size() {
    for coding in ["gzip", "deflate", "br", "zstd"] {
        let server = Server::sending(bomb(coding)).await;
        let fetched = fetch(&server).await;
        assert_eq!(body(&fetched).len(), RFC9309_SIZE_LIMIT + 1, "{coding}");
        assert!(fetched.is_cut());
    }
}

#[tokio::test]
async fn a_page_is_read_up_to_a_limit() {
    let server = Server::sending(ok("body")).await;
    let fetcher = fetcher().build().unwrap();
    let url = format!("http://{}/x", server.address());
    for (limit, bytes, is_whole) in [
        (0, "", false),
        (3, "bod", false),
        (4, "body", true),
        (5, "body", true),
    ] {
        let mut page = fetcher.page(&url).await.unwrap();
        let body = page.body_up_to(limit).await.unwrap();
        assert_eq!(
            (&body.bytes[..], body.is_whole),
            (bytes.as_bytes(), is_whole)
        );
    }
}

#[tokio::test]
async fn the_status_of_a_page_decides_before_its_body() {
    let fetcher = fetcher().build().unwrap();
    let whole = gzip(TEXT);
    let page = async |bytes: Vec<u8>| {
        let server = Server::sending(bytes).await;
        let url = format!("http://{}/x", server.address());
        let mut page = fetcher.page(&url).await?;
        let body = page.body_up_to(1 << 20).await?;
        Ok::<_, FetchFault>((page.status(), body.is_whole))
    };
    for (headers, body) in [
        ("Content-Encoding: gzip\r\n", TEXT),
        ("Content-Encoding: deflate\r\n", TEXT),
        ("Content-Encoding: br\r\n", &[0xFF; 9]),
        ("Content-Encoding: zstd\r\n", TEXT),
        ("Content-Encoding: x-gzip\r\n", &whole[..whole.len() - 4]),
        ("Content-Encoding: compress\r\n", TEXT),
        ("Content-Encoding: gzip, gzip\r\n", &whole),
        ("Content-Encoding: gzip\r\nContent-Encoding: br\r\n", &whole),
        ("Transfer-Encoding: chunked\r\n", TEXT),
    ] {
        for status in [301, 400, 401, 403, 404, 410, 429, 451, 500, 503] {
            let head = format!("HTTP/1.1 {status} X\r\n{headers}\r\n");
            let answer = page([head.as_bytes(), body].concat()).await;
            assert_eq!(answer, Ok((status, false)), "{head}");
        }
        // The body of a 2xx decides, too.
        let head = format!("HTTP/1.1 200 X\r\n{headers}\r\n");
        let answer = page([head.as_bytes(), body].concat()).await;
        assert!(answer.is_err(), "{head}: {answer:?}");
    }
    let bytes = response(403, "Content-Encoding: gzip\r\n", &whole);
    assert_eq!(page(bytes).await, Ok((403, true)));
}
