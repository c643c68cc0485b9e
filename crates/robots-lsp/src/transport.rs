//! Messages over a pair of byte streams: a header with a length, and JSON (LSP 3.17, "Base Protocol").
//!
//! lsp-server has such a reader, but it allocates whatever length a header states. This one has limits, and reads the JSON in
//! two steps: as a value, then as a message. One step fails on numbers where a crate of the build turns on the feature
//! `arbitrary_precision` of `serde_json`.

use crossbeam_channel::{Receiver, bounded, unbounded};
use lsp_server::{Connection, Message, Notification, Request, RequestId, Response, ResponseError};
use serde_json::{Map, Value};
use std::error::Error;
use std::fmt;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::thread::{self, JoinHandle};

/// The maximum length of the JSON of a message, in bytes. A document of [`MAX_DOCUMENT`](crate::MAX_DOCUMENT) bytes fits, even
/// with six bytes for each.
pub const MAX_MESSAGE: usize = 128 << 20;

/// The maximum length of the header of a message, in bytes.
pub const MAX_HEADER: usize = 4096;

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

/// The threads that read and write.
pub(crate) struct Threads {
    reader: JoinHandle<Result<(), InputError>>,
    writer: JoinHandle<io::Result<()>>,
}

impl Threads {
    /// Waits until everything is written, and returns the error of the input. Call it when the connection was dropped and the
    /// input has ended.
    pub(crate) fn finish(self) -> Result<(), InputError> {
        // A client that does not read is gone: that is not an error.
        let _ = self.writer.join();
        self.reader
            .join()
            .unwrap_or_else(|_| Err(InputError::malformed("the reader failed")))
    }

    /// Waits until everything is written, or the client has closed the output. The input may be open.
    pub(crate) fn finish_writing(self) {
        let _ = self.writer.join();
    }
}

/// Starts threads that read messages up to `exit` or the end of the input, and write messages.
pub(crate) fn connect(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> (Connection, Threads) {
    let (send_read, receiver) = bounded(MAX_READ_AHEAD);
    // Without a limit: a client that writes before it reads would wait for this program, which would wait for the client.
    let (sender, to_write) = unbounded();
    let reader = thread::spawn(move || {
        let mut input = BufReader::new(input);
        while let Some(message) = read(&mut input)? {
            let is_last =
                matches!(&message, Message::Notification(message) if message.method == "exit");
            if send_read.send(message).is_err() || is_last {
                break;
            }
        }
        Ok(())
    });
    let writer = thread::spawn(move || write_all(output, &to_write));
    (Connection { sender, receiver }, Threads { reader, writer })
}

fn write_all(output: impl Write, messages: &Receiver<Message>) -> io::Result<()> {
    let mut output = BufWriter::new(output);
    // `write` flushes the output after each message.
    messages
        .iter()
        .try_for_each(|message| message.write(&mut output))
}

/// Reads a message; `None` at the end of the input.
pub(crate) fn read(input: &mut impl BufRead) -> Result<Option<Message>, InputError> {
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
    let value: Value = serde_json::from_slice(&json)
        .map_err(|error| InputError::malformed(format!("not JSON: {error}")))?;
    let message = as_message(value)
        .ok_or_else(|| InputError::malformed("neither a request, a notification nor a response"))?;
    Ok(Some(message))
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

/// Returns the message of a JSON object; `None` if it is not one.
fn as_message(value: Value) -> Option<Message> {
    let Value::Object(mut object) = value else {
        return None;
    };
    let id = match object.remove("id") {
        Some(id) => Some(request_id(&id)?),
        None => None,
    };
    let method = match object.remove("method") {
        Some(Value::String(method)) => Some(method),
        Some(_) => return None,
        None => None,
    };
    let params = object.remove("params").unwrap_or_default();
    match (method, id) {
        (Some(method), Some(id)) => Some(Request { id, method, params }.into()),
        (Some(method), None) => Some(Notification { method, params }.into()),
        (None, Some(id)) => Some(response(id, object).into()),
        (None, None) => None,
    }
}

fn response(id: RequestId, mut object: Map<String, Value>) -> Response {
    let error = object.remove("error").filter(|error| !error.is_null());
    let response_result = match error {
        Some(error) => Err(ResponseError {
            code: error
                .get("code")
                .and_then(Value::as_i64)
                .and_then(|code| i32::try_from(code).ok())
                .unwrap_or_default(),
            message: error
                .get("message")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned(),
            data: None,
        }),
        None => Ok(object.remove("result").unwrap_or_default()),
    };
    Response {
        id,
        response_result,
    }
}

/// Reads the identifier of a request: a text or a number of 32 bits.
pub(crate) fn request_id(value: &Value) -> Option<RequestId> {
    match value {
        Value::String(text) => Some(text.clone().into()),
        _ => Some(i32::try_from(value.as_i64()?).ok()?.into()),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    fn read_bytes(bytes: &[u8]) -> Result<Option<Message>, String> {
        read(&mut &*bytes).map_err(|error| error.to_string())
    }

    fn framed(json: &str) -> Vec<u8> {
        format!("Content-Length: {}\r\n\r\n{json}", json.len()).into_bytes()
    }

    #[test]
    fn messages_are_read() {
        for (json, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, "Request"),
            (r#"{"id":"x","method":"a","params":[1]}"#, "Request"),
            (r#"{"method":"a"}"#, "Notification"),
            (r#"{"id":-1,"result":{"x":1.5}}"#, "Response"),
            (r#"{"id":1,"error":{"code":-1,"message":"no"}}"#, "Response"),
        ] {
            let message = read_bytes(&framed(json)).unwrap();
            let shown = format!("{message:?}");
            assert!(shown.starts_with(&format!("Some({expected}")), "{shown}");
        }
        assert!(read_bytes(b"").unwrap().is_none());
        // Other header lines and a lone LF are accepted.
        let bytes = b"content-type: x\ncontent-length:14\n\n{\"method\":\"a\"}";
        assert!(read_bytes(bytes).unwrap().is_some());
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
            (
                &framed("{}"),
                "neither a request, a notification nor a response",
            ),
            (
                &framed("[]"),
                "neither a request, a notification nor a response",
            ),
            (
                &framed(r#"{"id":null,"method":"x"}"#),
                "neither a request, a notification nor a response",
            ),
            (
                &framed(r#"{"id":4294967296,"method":"x"}"#),
                "neither a request, a notification nor a response",
            ),
        ] {
            let error = read_bytes(bytes).unwrap_err();
            assert_eq!(error, format!("malformed message: {expected}"));
        }
        let error = read_bytes(&framed("{")).unwrap_err();
        assert!(
            error.starts_with("malformed message: not JSON: "),
            "{error}"
        );
        let deep = "[".repeat(100_000);
        assert!(read_bytes(&framed(&deep)).is_err());
        // The length of the longest message is accepted.
        let longest = format!("Content-Length: {MAX_MESSAGE}\r\n\r\n");
        let error = read_bytes(longest.as_bytes()).unwrap_err();
        assert!(error.contains("the input ends after 0"), "{error}");
    }
}
