//! The server: its life, and the methods of the protocol (LSP 3.17).

use crate::actions;
use crate::capabilities::capabilities;
use crate::client::Client;
use crate::completion::complete;
use crate::diagnostics;
use crate::document::{Change, Document, DocumentKind, Linted, Settings};
use crate::hover::hover;
use crate::outline;
use crossbeam_channel::RecvTimeoutError;
use gen_lsp_types::{
    CodeActionParams, CompletionParams, Diagnostic, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentDiagnosticParams, DocumentSymbolParams, FoldingRangeParams,
    HoverParams, InitializeResult, PublishDiagnosticsParams, ServerInfo, Uri,
};
use lsp_server::{
    Connection, ErrorCode, Message, Notification, ReqQueue, Request, RequestId, Response,
    ResponseError,
};
use robots_lint::RobotsTxtLinter;
use robots_lint::project::FILE;
use robots_policy::profile::AgentTable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The time after a change before diagnostics are published. Of the changes in it, only the last text is linted.
const DELAY: Duration = Duration::from_millis(100);

/// The end of a session, which sets the exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The client requested `shutdown` before `exit`: exit code 0.
    AfterShutdown,
    /// The client sent `exit` alone, or went away: exit code 1.
    WithoutShutdown,
}

/// Serves a client until it sends `exit` or goes away. `log` receives notes for people, without line ends.
pub fn serve(connection: &Connection, log: &mut dyn FnMut(&str)) -> Ending {
    let Ok((id, params)) = connection.initialize_start() else {
        return Ending::WithoutShutdown;
    };
    let mut server = Server {
        connection,
        log,
        client: Client::read(&params),
        waiting: VecDeque::new(),
        requests: ReqQueue::default(),
        changed: BTreeSet::new(),
        due: None,
        linter: RobotsTxtLinter::new().with_known_robots(AgentTable::built_in()),
        documents: BTreeMap::new(),
        shown_errors: BTreeMap::new(),
    };
    let result = json_of(InitializeResult {
        capabilities: capabilities(&server.client),
        server_info: Some(ServerInfo {
            name: "robots".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        }),
    });
    server.respond(id, result);
    server.run()
}

struct Server<'c> {
    connection: &'c Connection,
    log: &'c mut dyn FnMut(&str),
    client: Client,
    /// The messages that were received before their turn, so that a cancellation overtakes its request.
    waiting: VecDeque<Message>,
    requests: ReqQueue<(), ()>,
    /// The documents with changes whose diagnostics were not published, by URI.
    changed: BTreeSet<String>,
    /// The time to publish them.
    due: Option<Instant>,
    linter: RobotsTxtLinter,
    documents: BTreeMap<String, Document>,
    /// The last error in each `robots.toml`, so that it is shown once.
    shown_errors: BTreeMap<PathBuf, String>,
}

/// The parameters of `textDocument/didChange`. Those of gen-lsp-types read a change with a range that is not valid as the whole
/// document.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DidChange {
    text_document: VersionedDocument,
    content_changes: Vec<Change>,
}

#[derive(Deserialize)]
struct VersionedDocument {
    uri: String,
    version: i32,
}

type Answer = Result<Value, ResponseError>;

impl Server<'_> {
    /// Handles messages up to `exit` or the end of the input.
    fn run(&mut self) -> Ending {
        let mut is_shut_down = false;
        while let Some(message) = self.next() {
            match message {
                Message::Notification(message) if message.method == "exit" => break,
                Message::Notification(_) if is_shut_down => {}
                Message::Notification(message) => self.notification(message),
                Message::Request(request) => {
                    let Request { id, method, params } = request;
                    // A cancelled request was answered.
                    if self.requests.incoming.complete(&id).is_none() {
                        continue;
                    }
                    let answer = if is_shut_down {
                        Err(refusal(
                            ErrorCode::InvalidRequest,
                            "the server is shut down",
                        ))
                    } else if method == "shutdown" {
                        is_shut_down = true;
                        Ok(Value::Null)
                    } else {
                        self.answer(&method, params)
                    };
                    self.respond(id, answer);
                }
                Message::Response(response) => {
                    if let Err(error) = response.response_result {
                        (self.log)(&format!("the client refused a request: {}", error.message));
                    }
                }
            }
        }
        if is_shut_down {
            Ending::AfterShutdown
        } else {
            Ending::WithoutShutdown
        }
    }

    /// Waits for the next message; `None` at the end of the input. Publishes the diagnostics that are due meanwhile.
    fn next(&mut self) -> Option<Message> {
        let receiver = &self.connection.receiver;
        loop {
            while let Ok(message) = receiver.try_recv() {
                self.receive(message);
            }
            if self.due.is_some_and(|due| due <= Instant::now()) {
                self.due = None;
                for uri in std::mem::take(&mut self.changed) {
                    self.publish(&uri);
                }
            }
            if let Some(message) = self.waiting.pop_front() {
                return Some(message);
            }
            let received = match self.due {
                None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(due) => receiver.recv_deadline(due),
            };
            match received {
                Ok(message) => self.receive(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Adds a message to those that wait, or cancels one of them.
    fn receive(&mut self, message: Message) {
        match &message {
            Message::Request(request) => self.requests.incoming.register(request.id.clone(), ()),
            Message::Notification(message) if message.method == "$/cancelRequest" => {
                let id = message.params.get("id").cloned();
                let id = id.and_then(|id| serde_json::from_value(id).ok());
                if let Some(answer) = id.and_then(|id| self.requests.incoming.cancel(id)) {
                    self.send(answer);
                }
                return;
            }
            _ => {}
        }
        self.waiting.push_back(message);
    }

    /// Sends a message. If nobody reads it, the input ends, too.
    fn send(&self, message: impl Into<Message>) {
        let _ = self.connection.sender.send(message.into());
    }

    fn respond(&self, id: RequestId, response_result: Answer) {
        self.send(Response {
            id,
            response_result,
        });
    }

    fn ask(&mut self, method: &str, params: Value) {
        let outgoing = &mut self.requests.outgoing;
        let request = outgoing.register(method.to_owned(), params, ());
        self.send(request);
    }

    fn answer(&mut self, method: &str, params: Value) -> Answer {
        let client = &self.client;
        match method {
            "textDocument/hover" => {
                let at = read::<HoverParams>(params)?.text_document_position_params;
                self.of_robots(&at.text_document.uri, |document, linted| {
                    let selection = document.settings().selection;
                    hover(document, linted, &selection, client, at.position)
                })
            }
            "textDocument/completion" => {
                let at = read::<CompletionParams>(params)?.text_document_position_params;
                self.of_robots(&at.text_document.uri, |document, linted| {
                    complete(document, linted, client, at.position)
                })
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(params)?;
                if !client.reads_actions {
                    return Ok(json!([]));
                }
                self.of_robots(&params.text_document.uri, |document, linted| {
                    let selection = document.settings().selection;
                    actions::actions(document, linted, &self.linter, &selection, client, &params)
                })
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = read(params)?;
                self.of_robots(&params.text_document.uri, |document, linted| {
                    outline::symbols(document, linted, client)
                })
            }
            "textDocument/foldingRange" => {
                let params: FoldingRangeParams = read(params)?;
                self.of_robots(&params.text_document.uri, |document, linted| {
                    outline::folds(document, linted, client)
                })
            }
            "textDocument/diagnostic" => {
                let uri = read::<DocumentDiagnosticParams>(params)?.text_document.uri;
                self.document(&uri)?;
                Ok(json!({ "kind": "full", "items": self.diagnostics(&uri.0) }))
            }
            "initialize" => Err(refusal(
                ErrorCode::InvalidRequest,
                "initialize was requested before",
            )),
            _ => Err(refusal(
                ErrorCode::MethodNotFound,
                format!("the method {method} is not supported"),
            )),
        }
    }

    fn document(&self, uri: &Uri) -> Result<&Document, ResponseError> {
        self.documents.get(&uri.0).ok_or_else(|| {
            let message = format!("the document {uri} is not open");
            refusal(ErrorCode::InvalidParams, message)
        })
    }

    /// Answers a request about a robots.txt; with `null` for a page, and for a document that is too long.
    fn of_robots<T: Serialize>(
        &self,
        uri: &Uri,
        answer: impl FnOnce(&Document, &Linted) -> T,
    ) -> Answer {
        let document = self.document(uri)?;
        let linted = document.linted(&self.linter);
        json_of(linted.map(|linted| answer(document, linted)))
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" if self.client.watches_files => {
                let glob = format!("**/{FILE}");
                let registration = json!({
                    "id": "robots-config",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": { "watchers": [{ "globPattern": glob }] },
                });
                let params = json!({ "registrations": [registration] });
                self.ask("client/registerCapability", params);
            }
            "textDocument/didOpen" => {
                if let Some(params) = self.params::<DidOpenTextDocumentParams>(&method, params) {
                    let opened = params.text_document;
                    let uri = opened.uri.0.clone();
                    let kind = DocumentKind::of(opened.language_id.as_str(), &uri);
                    let document = Document::new(opened.uri, kind, opened.version, &opened.text);
                    self.documents.insert(uri.clone(), document);
                    self.publish(&uri);
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = self.params::<DidChange>(&method, params) {
                    let VersionedDocument { uri, version } = params.text_document;
                    if let Some(document) = self.documents.get_mut(&uri) {
                        let encoding = self.client.encoding;
                        document.change(version, &params.content_changes, encoding);
                        self.publish_soon([uri]);
                    } else {
                        (self.log)(&format!("a change of {uri}, which is not open"));
                    }
                }
            }
            "textDocument/didClose" => {
                if let Some(params) = self.params::<DidCloseTextDocumentParams>(&method, params) {
                    let uri = params.text_document.uri;
                    self.documents.remove(&uri.0);
                    self.changed.remove(&uri.0);
                    if !self.client.pulls_diagnostics {
                        self.publish_list(uri, None, Vec::new());
                    }
                }
            }
            // The `robots.toml` of some documents has changed.
            "workspace/didChangeWatchedFiles" => {
                if self.client.pulls_diagnostics && self.client.refreshes_diagnostics {
                    self.ask("workspace/diagnostic/refresh", Value::Null);
                } else {
                    let uris: Vec<String> = self.documents.keys().cloned().collect();
                    self.publish_soon(uris);
                }
            }
            // Notifications that need no handling, and unknown ones.
            _ => {}
        }
    }

    /// Reads the parameters of a notification. Nobody waits for an answer, so an error is only logged.
    fn params<P: DeserializeOwned>(&mut self, method: &str, params: Value) -> Option<P> {
        serde_json::from_value(params)
            .inspect_err(|error| (self.log)(&format!("invalid parameters of {method}: {error}")))
            .ok()
    }

    /// Publishes the diagnostics of documents after [`DELAY`].
    fn publish_soon(&mut self, uris: impl IntoIterator<Item = String>) {
        self.changed.extend(uris);
        self.due.get_or_insert_with(|| Instant::now() + DELAY);
    }

    /// Publishes the diagnostics of a document. If the client requests them, only an error in its `robots.toml` is shown.
    fn publish(&mut self, uri: &str) {
        if self.client.pulls_diagnostics {
            if let Some(document) = self.documents.get(uri) {
                self.show_error(document.settings());
            }
            return;
        }
        let list = self.diagnostics(uri);
        if let Some(document) = self.documents.get(uri) {
            let version = self.client.shows_versions.then_some(document.version);
            self.publish_list(document.uri.clone(), version, list);
        }
    }

    /// Returns the diagnostics of a document, and shows an error in its `robots.toml`.
    fn diagnostics(&mut self, uri: &str) -> Vec<Diagnostic> {
        let Some(document) = self.documents.get(uri) else {
            return Vec::new();
        };
        let settings = document.settings();
        let selection = &settings.selection;
        let list = diagnostics::of_document(document, &self.linter, selection, &self.client);
        self.show_error(settings);
        list
    }

    /// Shows an error in a `robots.toml`, unless it was the last that was shown of this file.
    fn show_error(&mut self, settings: Settings) {
        let Some(file) = settings.file else {
            return;
        };
        let Some(error) = settings.error else {
            self.shown_errors.remove(&file);
            return;
        };
        if self.shown_errors.get(&file) == Some(&error) {
            return;
        }
        (self.log)(&error);
        let message = format!("{error}; the defaults of robots lint apply");
        self.shown_errors.insert(file, error);
        // 2 is a warning.
        let params = json!({ "type": 2, "message": message });
        self.send(Notification::new("window/showMessage".to_owned(), params));
    }

    fn publish_list(&self, uri: Uri, version: Option<i32>, diagnostics: Vec<Diagnostic>) {
        let params = PublishDiagnosticsParams {
            uri,
            version,
            diagnostics,
        };
        let method = "textDocument/publishDiagnostics".to_owned();
        self.send(Notification::new(method, params));
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, ResponseError> {
    serde_json::from_value(params)
        .map_err(|error| refusal(ErrorCode::InvalidParams, error.to_string()))
}

fn json_of(result: impl Serialize) -> Answer {
    serde_json::to_value(result)
        .map_err(|error| refusal(ErrorCode::InternalError, error.to_string()))
}

fn refusal(code: ErrorCode, message: impl Into<String>) -> ResponseError {
    ResponseError {
        code: code as i32,
        message: message.into(),
        data: None,
    }
}
