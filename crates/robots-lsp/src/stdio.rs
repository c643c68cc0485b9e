//! The client at standard input and output.

use crate::{Ending, serve};
use crossbeam_channel::unbounded;
use lsp_server::{Connection, Message};
use serde_json::Value;
use std::io::{self, BufRead, Read, stdin, stdout};
use std::thread;

/// The maximum length of a message, in bytes: 128 MiB. The text of the longest document that is read has up to six bytes for each of its
/// own, as JSON.
pub const MAX_MESSAGE: u64 = 128 << 20;

/// The maximum length of a header line of a message, in bytes.
const MAX_HEADER_LINE: u64 = 8 << 10;

/// Serves the client at standard input and output. `log` receives notes for people, without line ends.
///
/// lsp-server reads messages in one step, which fails on numbers where a crate of the build turns on the feature
/// `arbitrary_precision` of `serde_json`. Here a message is read as a value first.
///
/// # Errors
///
/// If the input cannot be read, or is not a message. If the system refuses a thread.
pub fn serve_stdio(log: &mut dyn FnMut(&str)) -> io::Result<Ending> {
    let (received, receiver) = unbounded();
    let (sender, to_send) = unbounded::<Message>();
    let reader = thread::Builder::new().spawn(move || {
        let mut input = stdin().lock();
        while let Some(message) = read(&mut input)? {
            let is_exit =
                matches!(&message, Message::Notification(message) if message.method == "exit");
            if received.send(message).is_err() || is_exit {
                break;
            }
        }
        io::Result::Ok(())
    })?;
    let writer = thread::Builder::new().spawn(move || {
        let mut output = stdout().lock();
        // A client that reads no more closes the input, too.
        to_send.iter().for_each(|message| {
            let _ = message.write(&mut output);
        });
    })?;
    let connection = Connection { sender, receiver };
    let ending = serve(&connection, log);
    drop(connection);
    let _ = writer.join();
    reader.join().unwrap_or(Ok(()))?;
    Ok(ending)
}

/// Reads a message: a header with the length of its JSON (LSP 3.17, "Base Protocol"). `None` at the end of the input.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let malformed = |what: &str| {
        let text = format!("malformed message: {what}");
        io::Error::new(io::ErrorKind::InvalidData, text)
    };
    let mut length = None;
    loop {
        let mut line = String::new();
        let read = input.by_ref().take(MAX_HEADER_LINE).read_line(&mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 == MAX_HEADER_LINE {
            return Err(malformed("a header line is too long"));
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| malformed("a header line has no colon"))?;
        if name.eq_ignore_ascii_case("Content-Length") {
            length = value.trim().parse::<u64>().ok();
        }
    }
    let length = length.ok_or_else(|| malformed("a header has no Content-Length"))?;
    if length > MAX_MESSAGE {
        return Err(malformed(&format!(
            "Content-Length is {length}: expected up to {MAX_MESSAGE}"
        )));
    }
    let mut json = Vec::new();
    input.take(length).read_to_end(&mut json)?;
    let value: Value =
        serde_json::from_slice(&json).map_err(|error| malformed(&error.to_string()))?;
    let message = serde_json::from_value(value);
    message
        .map(Some)
        .map_err(|error| malformed(&error.to_string()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read() {
        assert!(read(&mut &b""[..]).unwrap().is_none());
        // Other header lines and a lone LF are accepted.
        let mut input = &b"content-type: x\ncontent-length:21\n\n{\"id\":1,\"method\":\"a\"}x"[..];
        let message = read(&mut input).unwrap().unwrap();
        assert!(matches!(message, Message::Request(request) if request.method == "a"));
        assert_eq!(input, b"x");
        for (mut bytes, expected) in [
            (&b"hello\r\n"[..], "a header line has no colon"),
            (b"X: 1\r\n\r\n{}", "a header has no Content-Length"),
            (
                b"Content-Length: -1\r\n\r\n",
                "a header has no Content-Length",
            ),
            (b"Content-Length: 134217728\r\n\r\n{", "EOF while parsing"),
            (
                b"Content-Length: 134217729\r\n\r\n{",
                "Content-Length is 134217729: expected up to 134217728",
            ),
            (&[b'x'; 8192], "a header line is too long"),
            (&[b'x'; 8191], "a header line has no colon"),
            (b"Content-Length: 2\r\n\r\n[]", "data did not match"),
        ] {
            let error = read(&mut bytes).unwrap_err().to_string();
            let start = format!("malformed message: {expected}");
            assert!(error.starts_with(&start), "{error}");
        }
    }
}
