//! The life of a session: initialization, errors, and the ways in which it ends.

use crate::client::{Client, URI, usual};
use robots_lsp::{Ending, MAX_FLUSH};
use serde_json::{Value, json};

#[test]
fn the_server_states_what_it_can() {
    let mut client = Client::start();
    let result = client.initialize(json!({
        "general": { "positionEncodings": ["utf-8", "utf-16"] },
        "textDocument": { "codeAction": { "codeActionLiteralSupport": {} } },
    }));
    let can = &result["capabilities"];
    assert_eq!(can["positionEncoding"], "utf-8");
    assert_eq!(
        can["textDocumentSync"],
        json!({ "openClose": true, "change": 2 })
    );
    for provider in [
        "hoverProvider",
        "documentSymbolProvider",
        "foldingRangeProvider",
    ] {
        assert_eq!(can[provider], true, "{provider}");
    }
    let kinds = &can["codeActionProvider"]["codeActionKinds"];
    assert_eq!(kinds, &json!(["quickfix", "source.fixAll.robots"]));
    // Only clients that request diagnostics are told that they can.
    assert_eq!(can.get("diagnosticProvider"), None);
    // There is no canonical form of a robots.txt.
    assert_eq!(can.get("documentFormattingProvider"), None);
    assert_eq!(result["serverInfo"]["name"], "robots");
    client.finish();
}

#[test]
fn a_client_without_capabilities_gets_the_defaults() {
    let mut client = Client::start();
    let id = client.ask("initialize", Value::Null);
    let result = client.response(id);
    assert_eq!(
        result["result"]["capabilities"]["positionEncoding"],
        "utf-16"
    );
    client.finish();
}

#[test]
fn requests_have_their_time() {
    let mut client = Client::start();
    assert_eq!(client.error("textDocument/hover", json!({})), -32002);
    assert_eq!(client.error("shutdown", Value::Null), -32002);
    // Notifications before initialization are dropped.
    client.open(URI, "robots", "Disalow: /");
    client.initialize(usual());
    assert_eq!(client.error("initialize", json!({})), -32600);
    assert_eq!(client.error("textDocument/rename", json!({})), -32601);
    assert_eq!(client.error("$/unknown", json!({})), -32601);
    assert_eq!(
        client.error("textDocument/hover", json!({ "position": 1 })),
        -32602
    );
    let nowhere =
        json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 0 } });
    assert_eq!(client.error("textDocument/hover", nowhere), -32602);
    client.notify("$/unknown", json!({}));
    assert_eq!(client.result("shutdown", Value::Null), Value::Null);
    assert_eq!(client.error("shutdown", Value::Null), -32600);
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Ok(Ending::AfterShutdown));
}

#[test]
fn a_session_ends_with_the_client() {
    // `exit` without `shutdown`.
    let mut client = Client::with(usual());
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Ok(Ending::WithoutShutdown));
    // `exit` before `initialize`.
    let mut client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Ok(Ending::WithoutShutdown));
    // The client goes away: its end of the pipe is closed.
    assert_eq!(
        Client::with_document("x").end().0,
        Ok(Ending::WithoutShutdown)
    );
    assert_eq!(Client::start().end().0, Ok(Ending::WithoutShutdown));
    // After `exit`, nothing is read.
    let mut client = Client::with(usual());
    client.result("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    client.send_bytes(b"rubbish");
    assert_eq!(client.end().0, Ok(Ending::AfterShutdown));
    // Requests before the end of the input are answered.
    let mut client = Client::with(usual());
    let id = client.ask("x", json!({}));
    client.close();
    assert_eq!(client.response(id)["error"]["code"], -32601);
    assert_eq!(client.end().0, Ok(Ending::WithoutShutdown));
}

#[test]
fn a_malformed_header_ends_the_session_with_an_error() {
    for (bytes, expected) in [
        (
            &b"GET / HTTP/1.1\r\n\r\n"[..],
            "malformed message: a header line has no colon",
        ),
        (
            b"Content-Length: 3\r\n\r\n{",
            "malformed message: the input ends after 1 of 3 bytes",
        ),
        (
            b"Content-Length: 99999999999\r\n\r\n",
            "malformed message: Content-Length is not a number up to 134217728",
        ),
    ] {
        let mut client = Client::with(usual());
        client.send_bytes(bytes);
        let (end, _) = client.end();
        let error = end.unwrap_err();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn an_invalid_message_does_not_end_the_session() {
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let mut client = Client::with(usual());
    for (json, expected) in [
        (&b"[]"[..], Some((json!(null), -32600))),
        (b"\xff", Some((json!(null), -32700))),
        (b"{\"id\":9,\"method\":1}", Some((json!(9), -32600))),
        (b"{\"id\":9.0,\"method\":\"x\"}", Some((json!(9.0), -32600))),
        (
            b"{\"id\":null,\"error\":{\"code\":1,\"message\":\"no\"}}",
            None,
        ),
        (
            format!("{{\"id\":\"a\",\"method\":\"x\",\"params\":{deep}}}").as_bytes(),
            Some((json!("a"), -32700)),
        ),
        (
            format!("{{\"method\":\"x\",\"params\":{deep}}}").as_bytes(),
            None,
        ),
    ] {
        let header = format!("Content-Length: {}\r\n\r\n", json.len());
        client.send_bytes(&[header.as_bytes(), json].concat());
        // Without an answer, that of the next request is the first.
        let (id, code) = expected.unwrap_or_else(|| (json!(client.ask("x", json!({}))), -32601));
        let answer = client.receive();
        assert_eq!(
            (&answer["id"], &answer["error"]["code"]),
            (&id, &json!(code))
        );
    }
    // Half a character keeps its column.
    client.open(URI, "robots", "User-agent: *\nDisallow: /\n");
    let params = format!(
        r#"{{"textDocument":{{"uri":"{URI}","version":2}},"contentChanges":[{{"text":"User-agent: *\nDisallow: /\ud83eb\n"}}]}}"#
    );
    let json = format!(r#"{{"method":"textDocument/didChange","params":{params}}}"#);
    client.send_bytes(format!("Content-Length: {}\r\n\r\n{json}", json.len()).as_bytes());
    let hover = client.at("textDocument/hover", 1, 11);
    assert_eq!(hover["range"]["end"]["character"], 13, "{hover}");
    client.notify("exit", Value::Null);
    let (end, log) = client.end();
    assert_eq!(end, Ok(Ending::WithoutShutdown));
    assert_eq!(log.len(), 7, "{log:?}");
    assert!(log[1].starts_with("invalid message: not JSON: "), "{log:?}");
}

#[test]
fn a_client_that_does_not_read_does_not_keep_the_server() {
    let message = |json: Value| {
        let json = json.to_string();
        format!("Content-Length: {}\r\n\r\n{json}", json.len())
    };
    let mut input = message(json!({ "id": 0, "method": "initialize", "params": {} }));
    // More than a pipe holds.
    for id in 1..5_000 {
        input.push_str(&message(json!({ "id": id, "method": "x" })));
    }
    input.push_str(&message(json!({ "id": "end", "method": "shutdown" })));
    input.push_str(&message(json!({ "method": "exit" })));
    let (unread, output) = std::io::pipe().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let end = robots_lsp::serve(std::io::Cursor::new(input), output, &mut |_| ());
        send.send(end.map_err(|error| error.to_string()))
    });
    let end = receive.recv_timeout(MAX_FLUSH * 20);
    assert_eq!(end, Ok(Ok(Ending::AfterShutdown)));
    drop(unread);
}

#[test]
fn parameters_that_cannot_be_read_are_logged() {
    let mut client = Client::with(usual());
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    client.notify("textDocument/didChange", json!([]));
    client.change(2, json!([{ "text": "" }]));
    client.send(&json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": 1, "message": "no" } }));
    client.notify("exit", Value::Null);
    let (end, log) = client.end();
    assert_eq!(end, Ok(Ending::WithoutShutdown));
    assert!(
        log[0].starts_with("invalid parameters of textDocument/didOpen: "),
        "{log:?}"
    );
    assert!(
        log[1].starts_with("invalid parameters of textDocument/didChange: "),
        "{log:?}"
    );
    assert_eq!(log[2], format!("a change of {URI}, which is not open"));
    assert_eq!(log[3], "the client refused a request: no");
}

#[test]
fn a_cancelled_request_is_answered() {
    let mut client = Client::with(usual());
    // Linting this document takes longer than reading the messages after it.
    let text: String = (0..40_000)
        .map(|n| format!("Disallow: /{n}*a*{n}\n"))
        .collect();
    client.open(URI, "robots", &format!("User-agent: *\n{text}"));
    let document = json!({ "textDocument": { "uri": URI } });
    let first = client.ask("textDocument/foldingRange", document.clone());
    let second = client.ask("textDocument/foldingRange", document);
    client.notify("$/cancelRequest", json!({ "id": second }));
    // A cancellation after the response has no effect, and neither has one of an unknown request.
    client.notify("$/cancelRequest", json!({ "id": 999 }));
    client.notify("$/cancelRequest", json!({ "id": "unknown" }));
    let cancelled = client.response(second);
    assert_eq!(cancelled["error"]["code"], -32800, "{cancelled}");
    // Its response arrived before or after that of the other.
    client.finish_after(first);
}

#[test]
fn a_client_that_stops_reading_ends_the_session() {
    let client = Client::with(usual());
    assert_eq!(client.stop_reading().0, Ok(Ending::WithoutShutdown));
}
