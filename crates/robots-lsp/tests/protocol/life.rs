//! The life of a session: initialization, errors, and the ways in which it ends.

use crate::client::{Client, URI, usual};
use robots_lsp::Ending;
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
    assert_eq!(client.end().0, Ending::AfterShutdown);
}

#[test]
fn a_session_ends_with_the_client() {
    // `exit` without `shutdown`.
    let mut client = Client::with(usual());
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Ending::WithoutShutdown);
    // `exit` before `initialize`.
    let mut client = Client::start();
    client.notify("exit", Value::Null);
    assert_eq!(client.end().0, Ending::WithoutShutdown);
    // The client goes away: its end of the pipe is closed.
    assert_eq!(Client::with_document("x").end().0, Ending::WithoutShutdown);
    assert_eq!(Client::start().end().0, Ending::WithoutShutdown);
    // After `exit`, nothing is read.
    let mut client = Client::with(usual());
    client.result("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    client.ask("x", json!({}));
    assert_eq!(client.end().0, Ending::AfterShutdown);
}

#[test]
fn parameters_that_cannot_be_read_are_logged() {
    let mut client = Client::with(usual());
    client.notify("textDocument/didOpen", json!({ "textDocument": 1 }));
    client.notify("textDocument/didChange", json!([]));
    client.change(2, json!([{ "text": "" }]));
    client.send(json!({ "jsonrpc": "2.0", "id": 7, "error": { "code": 1, "message": "no" } }));
    client.notify("exit", Value::Null);
    let (end, log) = client.end();
    assert_eq!(end, Ending::WithoutShutdown);
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
