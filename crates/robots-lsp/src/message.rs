//! Messages from their JSON (JSON-RPC 2.0).
//!
//! The JSON is read in two steps: as a value, then as a message. One step fails on numbers where a crate of the build turns on
//! the feature `arbitrary_precision` of `serde_json`. Linear in the JSON.

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response, ResponseError};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a client sent.
#[derive(Debug)]
pub(crate) enum Incoming {
    Message(Message),
    Invalid(Invalid),
}

/// JSON that is not a message, or bytes that are not JSON. The session continues after it.
#[derive(Debug, PartialEq)]
pub(crate) struct Invalid {
    /// The identifier and the code of the error that answers it. `None` for a notification or a response: they have no answer.
    pub(crate) answer: Option<(Value, i32)>,
    pub(crate) reason: String,
}

/// The members that decide whether JSON has an answer. Others are skipped, however deep they are.
#[derive(Default, Deserialize)]
struct Head {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<Value>,
}

impl Incoming {
    /// Reads a message.
    pub(crate) fn read(mut json: Vec<u8>) -> Self {
        replace_lone_surrogates(&mut json);
        match serde_json::from_slice(&json) {
            Ok(value) => of_value(value),
            Err(error) => {
                let head = serde_json::from_slice::<Head>(&json);
                let answer = match head {
                    Ok(Head {
                        id: Some(id),
                        method: Some(_),
                    }) => Some(shown_id(id)),
                    Ok(_) => None,
                    Err(_) => Some(Value::Null),
                };
                Incoming::invalid(
                    &format!("not JSON: {error}"),
                    answer.map(|id| (id, ErrorCode::ParseError)),
                )
            }
        }
    }

    fn invalid(reason: &str, answer: Option<(Value, ErrorCode)>) -> Self {
        Self::Invalid(Invalid {
            answer: answer.map(|(id, code)| (id, code as i32)),
            reason: reason.to_owned(),
        })
    }

    /// Returns whether this is the last message of a session.
    pub(crate) fn is_exit(&self) -> bool {
        matches!(self, Self::Message(Message::Notification(message)) if message.method == "exit")
    }
}

fn of_value(value: Value) -> Incoming {
    let shape = "neither a request, a notification nor a response";
    let invalid = |id: Option<Value>, reason: &str| {
        let id = id.map(shown_id).unwrap_or_default();
        Incoming::invalid(reason, Some((id, ErrorCode::InvalidRequest)))
    };
    let Value::Object(mut object) = value else {
        return invalid(None, shape);
    };
    let id = object.remove("id");
    let method = object.remove("method");
    match (method, id) {
        (Some(Value::String(method)), id) => {
            let params = object.remove("params").unwrap_or_default();
            let Some(id) = id else {
                return Incoming::Message(Notification { method, params }.into());
            };
            match request_id(&id) {
                Some(id) => Incoming::Message(Request { id, method, params }.into()),
                None => invalid(
                    Some(id),
                    "the id of a request is neither a text nor a number of 32 bits",
                ),
            }
        }
        (Some(_), id) => invalid(id, "the method is not a text"),
        (None, Some(id)) => match request_id(&id) {
            Some(id) => Incoming::Message(response(id, object).into()),
            None => Incoming::invalid("a response to no request", None),
        },
        (None, None) if object.contains_key("result") || object.contains_key("error") => {
            Incoming::invalid("a response to no request", None)
        }
        (None, None) => invalid(None, shape),
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

/// Returns an identifier as it was sent, if an answer can have it.
fn shown_id(id: Value) -> Value {
    match id {
        Value::String(_) | Value::Number(_) => id,
        _ => Value::Null,
    }
}

/// Replaces each escape of half a character (`\ud83d` without its other half) by that of U+FFFD. Editors that store UTF-16 send
/// such halves, and `serde_json` refuses them. Columns stay, as both are one unit of UTF-16.
fn replace_lone_surrogates(json: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = json
        .get(at..)
        .and_then(|rest| rest.iter().position(|byte| *byte == b'\\'))
    {
        at = at.saturating_add(found);
        let Some(unit) = escaped_unit(json, at) else {
            // The escaped character may be a backslash.
            at = at.saturating_add(2);
            continue;
        };
        let next = at.saturating_add(6);
        let is_low = |unit| (0xdc00..0xe000).contains(&unit);
        let is_pair =
            (0xd800..0xdc00).contains(&unit) && escaped_unit(json, next).is_some_and(is_low);
        if is_pair {
            at = next.saturating_add(6);
            continue;
        }
        if (0xd800..0xe000).contains(&unit)
            && let Some(escape) = json.get_mut(at..next)
        {
            escape.copy_from_slice(b"\\ufffd");
        }
        at = next;
    }
}

/// Returns the unit of UTF-16 of an escape such as `\u00e9`.
fn escaped_unit(json: &[u8], at: usize) -> Option<u16> {
    let digits = json.get(at..at.checked_add(6)?)?.strip_prefix(b"\\u")?;
    let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
    let digits = str::from_utf8(digits).ok().filter(|_| is_hex)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn invalid(json: &str) -> Option<Invalid> {
        match Incoming::read(json.as_bytes().to_vec()) {
            Incoming::Invalid(invalid) => Some(invalid),
            Incoming::Message(_) => None,
        }
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
            let shown = format!("{:?}", Incoming::read(json.as_bytes().to_vec()));
            assert!(shown.starts_with(&format!("Message({expected}")), "{shown}");
        }
    }

    #[test]
    fn invalid_messages_have_the_answer_of_the_protocol() {
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        let (parse, request) = (
            ErrorCode::ParseError as i32,
            ErrorCode::InvalidRequest as i32,
        );
        for (json, expected) in [
            ("{", Some((json!(null), parse))),
            ("", Some((json!(null), parse))),
            (&"[".repeat(100_000), Some((json!(null), parse))),
            (
                &format!(r#"{{"id":5,"method":"a","params":{deep}}}"#),
                Some((json!(5), parse)),
            ),
            (&format!(r#"{{"method":"a","params":{deep}}}"#), None),
            (&format!(r#"{{"id":5,"result":{deep}}}"#), None),
            ("{}", Some((json!(null), request))),
            ("[]", Some((json!(null), request))),
            ("1", Some((json!(null), request))),
            (r#"{"id":9,"method":1}"#, Some((json!(9), request))),
            (r#"{"method":1}"#, Some((json!(null), request))),
            (r#"{"id":null,"method":"a"}"#, Some((json!(null), request))),
            (r#"{"id":[],"method":"a"}"#, Some((json!(null), request))),
            (r#"{"id":9.0,"method":"a"}"#, Some((json!(9.0), request))),
            (
                r#"{"id":4294967296,"method":"a"}"#,
                Some((json!(4_294_967_296_u64), request)),
            ),
            (r#"{"id":null,"error":{"code":-32700}}"#, None),
            (r#"{"error":{"code":-32700}}"#, None),
            (r#"{"id":9.5,"result":1}"#, None),
        ] {
            let found = invalid(json).map(|invalid| invalid.answer);
            assert_eq!(found, Some(expected), "{json:.60}");
        }
        assert!(matches!(
            Incoming::read(b"\"\xff\"".to_vec()),
            Incoming::Invalid(Invalid {
                answer: Some((Value::Null, -32700)),
                ..
            })
        ));
    }

    #[test]
    fn lone_surrogates_become_replacement_characters() {
        for (json, expected) in [
            (r#""a\ud83db""#, r#""a\ufffdb""#),
            (r#""\uDD16\ud83e""#, r#""\ufffd\ufffd""#),
            (r#""\ud83e\ud83e\udd16""#, r#""\ufffd\ud83e\udd16""#),
            (r#""\ud83e\udd16""#, r#""\ud83e\udd16""#),
            // An escaped backslash, and escapes that are not whole.
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\ufffd""#),
            (r#""\u+83d""#, r#""\u+83d""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r#""\"#, r#""\"#),
            (r#""\ud83e\u0041""#, r#""\ufffd\u0041""#),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            replace_lone_surrogates(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{json}");
        }
    }
}
