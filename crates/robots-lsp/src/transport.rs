//! Messages over a pair of byte streams: a header with a length, and JSON (LSP 3.17, "Base Protocol").
//!
//! lsp-server has such a reader, but it allocates whatever length a header states, and ends at the first message that is not
//! valid. This one has limits on messages, and on the bytes of messages that wait in both directions.

use crate::message::Incoming;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use lsp_server::Message;
use serde_json::Value;
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The maximum length of the JSON of a message, in bytes. A document of [`MAX_DOCUMENT`](crate::MAX_DOCUMENT) bytes fits, even
/// with six bytes for each. Messages that were read and wait for their turn have up to this many bytes, too: a client that sends
/// more waits.
pub const MAX_MESSAGE: usize = 128 << 20;

/// The maximum length of the header of a message, in bytes.
pub const MAX_HEADER: usize = 4096;

/// The maximum length of the messages that wait until the client reads them, in bytes. A client that leaves more unread is gone.
pub const MAX_UNREAD: usize = 256 << 20;

/// The maximum time after the end of a session to wait until the client has read all messages.
pub const MAX_FLUSH: Duration = Duration::from_secs(2);

/// The number of messages that are read before they are handled. A client that sends more waits.
const MAX_READ_AHEAD: usize = 64;

/// An error of the input, after which no message can be read.
#[derive(Debug)]
pub struct InputError(InputErrorKind);

#[derive(Debug)]
enum InputErrorKind {
    Io(io::Error),
    Malformed(String),
}

impl InputError {
    fn malformed(what: impl Into<String>) -> Self {
        Self(InputErrorKind::Malformed(what.into()))
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            InputErrorKind::Io(_) => f.write_str("cannot read messages"),
            InputErrorKind::Malformed(what) => write!(f, "malformed message: {what}"),
        }
    }
}

impl Error for InputError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            InputErrorKind::Io(error) => Some(error),
            InputErrorKind::Malformed(_) => None,
        }
    }
}

impl From<io::Error> for InputError {
    fn from(error: io::Error) -> Self {
        Self(InputErrorKind::Io(error))
    }
}

/// The messages of a client, and those for it.
pub(crate) struct Connection {
    pub(crate) outbox: Outbox,
    pub(crate) inbox: Receiver<Received>,
}

/// A message that was read.
pub(crate) struct Received {
    pub(crate) incoming: Incoming,
    /// Its bytes count until its turn.
    _share: Share,
}

impl Received {
    pub(crate) fn new(incoming: Incoming, share: Share) -> Self {
        Self {
            incoming,
            _share: share,
        }
    }
}

/// The bytes that wait, up to a limit.
pub(crate) struct Budget {
    limit: usize,
    taken: Mutex<usize>,
    freed: Condvar,
}

/// A part of a budget, until it is dropped.
pub(crate) struct Share {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    pub(crate) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            taken: Mutex::new(0),
            freed: Condvar::new(),
        })
    }

    /// Waits until bytes are within the limit, or nothing else waits.
    pub(crate) fn take(self: &Arc<Self>, bytes: usize) -> Share {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut usize| *taken > 0 && taken.saturating_add(bytes) > self.limit;
        let mut taken = self
            .freed
            .wait_while(taken, is_full)
            .unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_add(bytes);
        Share {
            budget: Arc::clone(self),
            bytes,
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let budget = &self.budget;
        let mut taken = budget.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = taken.saturating_sub(self.bytes);
        budget.freed.notify_all();
    }
}

/// The messages for a client, which a thread of its own writes. A client that writes before it reads does not stop the server.
pub(crate) struct Outbox {
    sender: Sender<Vec<u8>>,
    unread: Arc<AtomicUsize>,
    limit: usize,
}

/// The output is closed, or the client leaves too much of it unread.
pub(crate) struct Gone;

impl Outbox {
    /// Sends a message.
    pub(crate) fn send(&self, message: &Message) -> Result<(), Gone> {
        let mut framed = Vec::new();
        message.write(&mut framed).map_err(|_| Gone)?;
        self.send_framed(framed)
    }

    /// Sends JSON.
    pub(crate) fn send_json(&self, json: &Value) -> Result<(), Gone> {
        let json = json.to_string();
        let length = json.len();
        self.send_framed(format!("Content-Length: {length}\r\n\r\n{json}").into_bytes())
    }

    fn send_framed(&self, framed: Vec<u8>) -> Result<(), Gone> {
        let length = framed.len();
        let before = self.unread.fetch_add(length, Ordering::Relaxed);
        if before.saturating_add(length) > self.limit {
            return Err(Gone);
        }
        self.sender.send(framed).map_err(|_| Gone)
    }
}

/// The threads that read and write.
pub(crate) struct Threads {
    reader: JoinHandle<Result<(), InputError>>,
    /// Closed at the end of the thread that writes.
    written: Receiver<()>,
}

impl Threads {
    /// Waits until everything is written, up to [`MAX_FLUSH`], and returns the error of the input. Call it when the connection
    /// was dropped and the input has ended.
    pub(crate) fn finish(self) -> Result<(), InputError> {
        // A client that does not read is gone: that is not an error.
        let _ = self.written.recv_timeout(MAX_FLUSH);
        self.reader
            .join()
            .unwrap_or_else(|_| Err(InputError::malformed("the reader failed")))
    }
}

/// Starts threads that read messages up to `exit` or the end of the input, and write messages.
pub(crate) fn connect(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, Threads) {
    let (send_read, inbox) = bounded(MAX_READ_AHEAD);
    let budget = Budget::new(MAX_MESSAGE);
    let reader = thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(json) = read(&mut input)? {
            let share = budget.take(json.len());
            let incoming = Incoming::read(json);
            let is_last = incoming.is_exit();
            if send_read.send(Received::new(incoming, share)).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    let (outbox, written) = write_to(output, MAX_UNREAD);
    (Connection { outbox, inbox }, Threads { reader, written })
}

/// Starts a thread that writes messages. Returns them, and what is closed at its end.
fn write_to(mut output: impl Write + Send + 'static, limit: usize) -> (Outbox, Receiver<()>) {
    let (sender, to_write) = unbounded::<Vec<u8>>();
    let (end, written) = bounded(0);
    let unread = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&unread);
    thread::spawn(move || {
        let _end: Sender<()> = end;
        to_write.iter().try_for_each(|message| {
            output.write_all(&message)?;
            output.flush()?;
            counted.fetch_sub(message.len(), Ordering::Relaxed);
            io::Result::Ok(())
        })
    });
    let outbox = Outbox {
        sender,
        unread,
        limit,
    };
    (outbox, written)
}

/// Reads the JSON of a message; `None` at the end of the input.
fn read(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, InputError> {
    let Some(length) = read_header(input)? else {
        return Ok(None);
    };
    let mut json = Vec::new();
    input.take(length as u64).read_to_end(&mut json)?;
    if json.len() < length {
        let read = json.len();
        return Err(InputError::malformed(format!(
            "the input ends after {read} of {length} bytes"
        )));
    }
    Ok(Some(json))
}

/// Reads a header, and returns the length of the JSON; `None` at the end of the input.
fn read_header(input: &mut impl BufRead) -> Result<Option<usize>, InputError> {
    let mut input = input.take(MAX_HEADER as u64);
    let mut length = None;
    let mut is_first = true;
    loop {
        let mut line = Vec::new();
        input.read_until(b'\n', &mut line)?;
        if line.is_empty() && is_first {
            return Ok(None);
        }
        is_first = false;
        if !line.ends_with(b"\n") {
            let what = if input.limit() == 0 {
                format!("a header has more than {MAX_HEADER} bytes")
            } else {
                "the input ends in a header".to_owned()
            };
            return Err(InputError::malformed(what));
        }
        let line = String::from_utf8_lossy(line.trim_ascii());
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(InputError::malformed("a header line has no colon"));
        };
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let number = value.parse::<usize>().ok();
            let valid = number.filter(|length| *length <= MAX_MESSAGE);
            length = Some(valid.ok_or_else(|| {
                InputError::malformed(format!(
                    "Content-Length is not a number up to {MAX_MESSAGE}"
                ))
            })?);
        }
    }
    length
        .map(Some)
        .ok_or_else(|| InputError::malformed("a header has no Content-Length"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn read_bytes(bytes: &[u8]) -> Result<Option<Vec<u8>>, String> {
        read(&mut &*bytes).map_err(|error| error.to_string())
    }

    #[test]
    fn messages_are_read() {
        assert!(read_bytes(b"").unwrap().is_none());
        // Other header lines and a lone LF are accepted.
        let bytes = b"content-type: x\ncontent-length:14\n\n{\"method\":\"a\"}x";
        let read = read_bytes(bytes).unwrap().unwrap();
        assert_eq!(read, br#"{"method":"a"}"#);
    }

    #[test]
    fn input_waits_for_its_budget() {
        let budget = Budget::new(10);
        let first = budget.take(6);
        let second = budget.take(4);
        let (send, receive) = bounded(1);
        let waiting = Arc::clone(&budget);
        let thread = thread::spawn(move || send.send(waiting.take(5)).is_ok());
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
        drop(second);
        assert!(receive.recv_timeout(Duration::from_millis(50)).is_err());
        drop(first);
        let third = receive.recv().unwrap();
        assert!(thread.join().unwrap());
        assert_eq!(*budget.taken.lock().unwrap(), 5);
        drop(third);
        // More than the limit passes alone.
        drop(budget.take(11));
        assert_eq!(*budget.taken.lock().unwrap(), 0);
    }

    /// An output that nobody reads.
    struct Blocked(Receiver<()>);

    impl Write for Blocked {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            Err(io::ErrorKind::BrokenPipe.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_client_that_leaves_too_much_unread_is_gone() {
        let (release, blocked) = bounded(0);
        let (outbox, written) = write_to(Blocked(blocked), 100);
        assert!(outbox.send_framed(vec![0; 60]).is_ok());
        assert!(outbox.send_framed(vec![0; 40]).is_ok());
        assert!(outbox.send_framed(vec![0; 1]).is_err());
        drop(release);
        drop(outbox);
        assert!(written.recv().is_err());
    }

    #[test]
    fn malformed_input_states_what_is_wrong() {
        let long = format!("X: {}\r\n", "y".repeat(MAX_HEADER));
        let beyond = format!("Content-Length: {}\r\n\r\n", MAX_MESSAGE + 1);
        let numbers = format!("Content-Length is not a number up to {MAX_MESSAGE}");
        for (bytes, expected) in [
            (&b"hello"[..], "the input ends in a header"),
            (b"hello\r\n", "a header line has no colon"),
            (b"X: 1\r\n\r\n{}", "a header has no Content-Length"),
            (long.as_bytes(), "a header has more than 4096 bytes"),
            (b"Content-Length: -1\r\n\r\n", &numbers),
            (b"Content-Length: 18446744073709551615\r\n\r\n", &numbers),
            (beyond.as_bytes(), &numbers),
            (
                b"Content-Length: 5\r\n\r\n{}",
                "the input ends after 2 of 5 bytes",
            ),
        ] {
            let error = read_bytes(bytes).unwrap_err();
            assert_eq!(error, format!("malformed message: {expected}"));
        }
        // The length of the longest message is accepted.
        let longest = format!("Content-Length: {MAX_MESSAGE}\r\n\r\n");
        let error = read_bytes(longest.as_bytes()).unwrap_err();
        assert!(error.contains("the input ends after 0"), "{error}");
    }
}
