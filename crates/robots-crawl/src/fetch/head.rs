//! The heads of responses, read as archives are read ([`Head`]) and passed to the HTTP client in valid form.
//!
//! An invalid line costs at most that line: a folded line is joined by a space (RFC 9112, section 5.2), white space around
//! names is removed, control characters are replaced, and a line without a valid name is dropped. A client alone
//! would refuse the whole response. A head that cannot be read, and the body, are passed on as they are.

use http::HeaderName;
use robots_archive::http::Head;
use std::io;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The maximum length of a head that is rewritten. The client refuses shorter ones already.
const MAX_HEAD: usize = 512 * 1024;

/// The number of bytes that are read at once from the connection, up to the end of the head.
const READ_BYTES: usize = 4096;

/// The heads at the start of a response, up to the final one.
#[derive(Debug, Default)]
struct Heads {
    /// The bytes from the start of the head that has not ended.
    open: Vec<u8>,
    /// The start of its last line.
    line: usize,
    /// The bytes before this position have no line end after `line`.
    searched: usize,
    /// The bytes for the client.
    ready: Vec<u8>,
    /// Whether the final head is over: all further bytes are the body.
    is_over: bool,
}

impl Heads {
    /// Adds bytes of the connection.
    fn push(&mut self, bytes: &[u8]) {
        self.open.extend_from_slice(bytes);
        while let Some(end) = self.end_of_head() {
            let rest = self.open.split_off(end);
            let head = mem::replace(&mut self.open, rest);
            let mut is_final = true;
            if let Some(read) = Head::read(&head) {
                write(&head, &read, &mut self.ready);
                is_final = !read.is_interim();
            } else {
                self.ready.extend_from_slice(&head);
            }
            (self.line, self.searched) = (0, 0);
            if is_final {
                return self.end();
            }
        }
        if self.open.len() > MAX_HEAD {
            self.end();
        }
    }

    /// Passes the bytes that are left to the client.
    fn end(&mut self) {
        self.ready.append(&mut self.open);
        self.is_over = true;
    }

    /// Returns the position after the empty line that ends the open head. Removes empty lines before the status line (RFC 9112,
    /// section 2.2).
    fn end_of_head(&mut self) -> Option<usize> {
        while let Some(length) = self.open[self.searched..]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            let end = self.searched + length + 1;
            let is_empty = self.open[self.line..end - 1]
                .iter()
                .all(|byte| *byte == b'\r');
            if is_empty && self.line > 0 {
                return Some(end);
            }
            if is_empty {
                self.open.drain(..end);
                self.searched = 0;
            } else {
                (self.line, self.searched) = (end, end);
            }
        }
        self.searched = self.open.len();
        None
    }
}

/// Writes a head in valid form. The version is kept, and the reason phrase is dropped.
fn write(head: &[u8], read: &Head<'_>, to: &mut Vec<u8>) {
    let version = head.split(|byte| *byte == b' ').next();
    to.extend_from_slice(version.unwrap_or_default());
    to.extend_from_slice(format!(" {:03}\r\n", read.status).as_bytes());
    for (name, value) in read.headers.iter() {
        if HeaderName::from_bytes(name.as_bytes()).is_ok() {
            to.extend_from_slice(name.as_bytes());
            to.extend_from_slice(b": ");
            to.extend_from_slice(value);
            to.extend_from_slice(b"\r\n");
        }
    }
    to.extend_from_slice(b"\r\n");
}

/// A connection whose responses have valid heads.
#[derive(Debug)]
pub(super) struct ValidHeads<S> {
    stream: S,
    heads: Heads,
}

impl<S> ValidHeads<S> {
    pub(super) fn new(stream: S) -> Self {
        Self {
            stream,
            heads: Heads::default(),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ValidHeads<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, heads } = self.get_mut();
        while heads.ready.is_empty() && !heads.is_over {
            let mut bytes = [0; READ_BYTES];
            let mut read = ReadBuf::new(&mut bytes);
            ready!(Pin::new(&mut *stream).poll_read(context, &mut read))?;
            match read.filled() {
                // The client reports a head that breaks off.
                [] => heads.end(),
                bytes => heads.push(bytes),
            }
        }
        if heads.ready.is_empty() {
            return Pin::new(stream).poll_read(context, to);
        }
        let length = heads.ready.len().min(to.remaining());
        to.put_slice(&heads.ready[..length]);
        heads.ready.drain(..length);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ValidHeads<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_the_same_in_every_split() {
        let sent = b"\r\nHTTP/1.1 103 Early\x01\r\nLink: a\r\n\r\nHTTP/1.0 200\r\nA : b\r\r\n c\nno colon\n\x7FD\x0B: e\x7Ff\r\nG H: i\n\r\n\r\nbody\r\n\r\nA : b";
        let expected = b"HTTP/1.1 103\r\nLink: a\r\n\r\nHTTP/1.0 200\r\nA: b c\r\nD: e f\r\n\r\n\r\nbody\r\n\r\nA : b";
        for size in 1..=sent.len() {
            let mut heads = Heads::default();
            let mut body = Vec::new();
            for chunk in sent.chunks(size) {
                if heads.is_over {
                    body.extend_from_slice(chunk);
                } else {
                    heads.push(chunk);
                }
            }
            heads.ready.extend(body);
            assert_eq!(
                heads.ready.escape_ascii().to_string(),
                expected.escape_ascii().to_string(),
                "{size}"
            );
        }
    }

    #[test]
    fn heads_that_cannot_be_read_are_passed_on() {
        for sent in [&b"HTTP/1.1 OK\r\nA : b\r\n\r\nbody"[..], b"<html>\n\n"] {
            let mut heads = Heads::default();
            heads.push(sent);
            assert!(heads.is_over);
            assert_eq!(heads.ready, sent);
        }
        for length in [MAX_HEAD, MAX_HEAD + 1] {
            let mut heads = Heads::default();
            heads.push(&vec![b'a'; length]);
            assert_eq!(heads.is_over, length > MAX_HEAD);
        }
    }
}
