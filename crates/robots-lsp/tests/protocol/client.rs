//! A client of the server, with messages as JSON.

use lsp_server::Connection;
use robots_lsp::{Ending, serve};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The maximum time to wait for a message.
const PATIENCE: Duration = Duration::from_secs(60);

/// The URI of the document of most tests. The file need not exist.
pub(crate) const URI: &str = "file:///nowhere/robots.txt";

/// The end of a session, and the lines of the log.
pub(crate) type End = (Ending, Vec<String>);

pub(crate) struct Client {
    connection: Connection,
    server: JoinHandle<End>,
    /// The notifications and requests of the server that were not asked for yet.
    waiting: VecDeque<Value>,
    next_id: i32,
}

impl Client {
    /// Starts a server.
    pub(crate) fn start() -> Self {
        let (connection, of_server) = Connection::memory();
        let server = thread::spawn(move || {
            let mut log = Vec::new();
            let ending = serve(&of_server, &mut |line| log.push(line.to_owned()));
            (ending, log)
        });
        Self {
            connection,
            server,
            waiting: VecDeque::new(),
            next_id: 1,
        }
    }

    /// Starts a server, and initializes it with these capabilities.
    pub(crate) fn with(capabilities: Value) -> Self {
        let mut client = Self::start();
        client.initialize(capabilities);
        client
    }

    /// Starts a server for a client that can do what most can, with a document.
    pub(crate) fn with_document(text: &str) -> Self {
        let mut client = Self::with(usual());
        client.open(URI, "robots", text);
        client
    }

    /// Initializes the server, and returns the result.
    pub(crate) fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({ "processId": null, "rootUri": null, "capabilities": capabilities });
        let result = self.result("initialize", params);
        self.notify("initialized", json!({}));
        result
    }

    pub(crate) fn send(&mut self, message: Value) {
        let message = serde_json::from_value(message).unwrap();
        // A server that has ended reads nothing: then the test waits for its end.
        let _ = self.connection.sender.send(message);
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request, and returns its identifier.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i32 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the response to a request.
    pub(crate) fn response(&mut self, id: i32) -> Value {
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == json!(id) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Sends a request, and returns its result.
    pub(crate) fn result(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let mut response = self.response(id);
        assert_eq!(response.get("error"), None, "{method}");
        response["result"].take()
    }

    /// Sends a request, and returns the code of its error.
    pub(crate) fn error(&mut self, method: &str, params: Value) -> i64 {
        let id = self.ask(method, params);
        let response = self.response(id);
        response["error"]["code"].as_i64().unwrap()
    }

    /// Sends a request about a position in the document, and returns its result.
    pub(crate) fn at(&mut self, method: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": line, "character": character },
        });
        self.result(method, params)
    }

    pub(crate) fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub(crate) fn change(&mut self, version: i32, changes: Value) {
        let params = json!({
            "textDocument": { "uri": URI, "version": version },
            "contentChanges": changes,
        });
        self.notify("textDocument/didChange", params);
    }

    /// Waits for a notification or a request of the server, and returns it.
    pub(crate) fn message(&mut self, method: &str) -> Value {
        let at = self
            .waiting
            .iter()
            .position(|message| message["method"] == method);
        if let Some(message) = at.and_then(|at| self.waiting.remove(at)) {
            return message;
        }
        loop {
            let message = self.receive();
            if message["method"] == method {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// Waits for the next published diagnostics, and returns the parameters.
    pub(crate) fn published(&mut self) -> Value {
        self.message("textDocument/publishDiagnostics")["params"].take()
    }

    /// Waits for the next published diagnostics, and returns the codes.
    pub(crate) fn codes(&mut self) -> Vec<String> {
        codes(&self.published()["diagnostics"])
    }

    /// Waits for the next message.
    pub(crate) fn receive(&mut self) -> Value {
        let message = self.connection.receiver.recv_timeout(PATIENCE);
        serde_json::to_value(message.unwrap()).unwrap()
    }

    /// Returns the messages that the server sends until it ends.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        let mut rest: Vec<Value> = self.waiting.drain(..).collect();
        while let Ok(message) = self.connection.receiver.recv_timeout(PATIENCE) {
            rest.push(serde_json::to_value(message).unwrap());
        }
        rest
    }

    /// Shuts the server down, and asserts that it ends well.
    pub(crate) fn finish(mut self) {
        assert_eq!(self.result("shutdown", Value::Null), Value::Null);
        self.notify("exit", Value::Null);
        let (end, log) = self.end();
        assert_eq!(end, Ending::AfterShutdown);
        assert_eq!(log, Vec::<String>::new());
    }

    /// Shuts the server down after the response to a request, which may have arrived.
    pub(crate) fn finish_after(mut self, id: i32) {
        let arrived = self
            .waiting
            .iter()
            .any(|message| message["id"] == json!(id));
        if !arrived {
            self.response(id);
        }
        self.finish();
    }

    /// Closes the input of the server, and waits for its end.
    pub(crate) fn end(self) -> End {
        drop(self.connection);
        self.server.join().unwrap()
    }
}

/// Returns the capabilities that most clients have.
pub(crate) fn usual() -> Value {
    json!({
        "textDocument": {
            "publishDiagnostics": { "relatedInformation": true, "versionSupport": true },
            "hover": { "contentFormat": ["markdown", "plaintext"] },
            "codeAction": { "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [] } } },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
        },
        "workspace": { "workspaceEdit": { "documentChanges": true } },
    })
}

/// Returns the codes of diagnostics.
pub(crate) fn codes(diagnostics: &Value) -> Vec<String> {
    let all = diagnostics.as_array().unwrap().iter();
    all.map(|one| one["code"].as_str().unwrap_or_default().to_owned())
        .collect()
}
