//! The socket of a connection: it reports when requests begin and when answers are not read.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The bytes of an answer that a client must read within its time.
const WRITTEN_PART: usize = 64 << 10;

/// What a connection waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// The first byte of a request, since a time.
    Idle(Instant),
    /// The rest of a request's head, since a time. `None` until the limit of this time is asked for, which is right after the first
    /// byte, unless the whole head came with it.
    Head(Option<Instant>),
    /// The service, or the client to read the answer.
    Answer,
}

/// The times of a connection.
#[derive(Debug)]
pub(super) struct Times {
    pub(super) phase: Phase,
    /// Since when the client has not read enough.
    pub(super) unread_since: Option<Instant>,
    /// The bytes that it has read since then.
    read: usize,
    /// Whether the HTTP library refused the request, and its empty answer was held back.
    pub(super) is_refused: bool,
}

/// The times of a connection, which its socket and its requests change.
#[derive(Debug, Clone)]
pub(super) struct SharedTimes(Arc<Mutex<Times>>);

impl SharedTimes {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Times {
            phase: Phase::Idle(Instant::now()),
            unread_since: None,
            read: 0,
            is_refused: false,
        })))
    }

    /// Returns the times. They are whole after any panic.
    pub(super) fn lock(&self) -> MutexGuard<'_, Times> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a phase.
    pub(super) fn begin(&self, phase: Phase) {
        self.lock().phase = phase;
    }
}

impl Times {
    /// Counts bytes of an answer that the client took; all of them, or as many as there was room for.
    fn add_written(&mut self, bytes: usize, is_all: bool) {
        self.read = self.read.saturating_add(bytes);
        if is_all {
            self.unread_since = None;
            self.read = 0;
        } else if self.unread_since.is_none() || self.read >= WRITTEN_PART {
            self.unread_since = Some(Instant::now());
            self.read = 0;
        }
    }
}

/// A socket that reports to its connection.
#[derive(Debug)]
pub(super) struct Transport {
    pub(super) socket: TcpStream,
    times: SharedTimes,
}

impl Transport {
    pub(super) fn new(socket: TcpStream, times: SharedTimes) -> Self {
        Self { socket, times }
    }
}

impl AsyncRead for Transport {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            let mut times = self.times.lock();
            if matches!(times.phase, Phase::Idle(_)) {
                times.phase = Phase::Head(None);
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Transport {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if is_empty_refusal(bytes) {
            self.times.lock().is_refused = true;
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.socket).poll_write(cx, bytes);
        match &written {
            Poll::Ready(Ok(number)) => {
                let is_all = *number == bytes.len();
                self.times.lock().add_written(*number, is_all);
            }
            Poll::Ready(Err(_)) => {}
            Poll::Pending => self.times.lock().add_written(0, false),
        }
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(cx)
    }
}

/// Returns whether these bytes are an answer of the HTTP library to a request that it cannot read. It has no body; answers of
/// this service with such a status have one.
fn is_empty_refusal(bytes: &[u8]) -> bool {
    let Some(rest) = bytes
        .strip_prefix(b"HTTP/1.1 ")
        .or_else(|| bytes.strip_prefix(b"HTTP/1.0 "))
    else {
        return false;
    };
    [b"400 ", b"414 ", b"431 "]
        .iter()
        .any(|status| rest.starts_with(*status))
        && bytes.ends_with(b"\r\n\r\n")
        && String::from_utf8_lossy(bytes).contains("\r\ncontent-length: 0\r\n")
}

#[cfg(test)]
mod tests {
    use super::is_empty_refusal;

    #[test]
    fn only_empty_answers_to_unreadable_requests_are_held_back() {
        for (text, expected) in [
            (
                "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: x\r\n\r\n",
                true,
            ),
            ("HTTP/1.1 431 X\r\ncontent-length: 0\r\n\r\n", true),
            (
                "HTTP/1.1 400 Bad Request\r\ncontent-length: 90\r\n\r\n{...",
                false,
            ),
            ("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", false),
            ("content-length: 0\r\n\r\n", false),
        ] {
            assert_eq!(is_empty_refusal(text.as_bytes()), expected, "{text}");
        }
    }
}
