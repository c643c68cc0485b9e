//! The server: its life, and the methods of the protocol (LSP 3.17).

use crate::actions;
use crate::capabilities::capabilities;
use crate::client::Client;
use crate::completion::complete;
use crate::diagnostics;
use crate::document::{Document, DocumentKind, Linted};
use crate::hover::hover;
use crate::outline;
use crate::queue::{Event, QUIET, Queue};
use crate::settings::Settings;
use crate::transport::{self, InputError};
use gen_lsp_types::{
    CodeActionParams, CompletionParams, Diagnostic, DidChangeTextDocumentParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DocumentDiagnosticParams,
    DocumentSymbolParams, FoldingRangeParams, FullDocumentDiagnosticReport, HoverParams,
    InitializeResult, PublishDiagnosticsParams, RelatedFullDocumentDiagnosticReport, ServerInfo,
    Uri,
};
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use robots_config::FILE;
use robots_lint::RobotsTxtLinter;
use robots_policy::profile::AgentTable;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::time::Duration;

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
///
/// # Errors
///
/// If the input cannot be read or is malformed: then no message can be found in it any more.
pub fn serve(
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
    log: &mut dyn FnMut(&str),
) -> Result<Ending, InputError> {
    let (connection, threads) = transport::connect(input, output);
    let mut server = Server::new(&connection, log);
    let has_left = server.run();
    let ending = server.ending();
    drop(server);
    drop(connection);
    if has_left {
        threads.finish()?;
    } else {
        // The client does not read any more, and its input may stay open.
        threads.finish_writing();
    }
    Ok(ending)
}

/// The phases of a session.
enum Phase {
    BeforeInitialize,
    Running(Box<Client>),
    AfterShutdown,
}

struct Server<'c> {
    connection: &'c Connection,
    log: &'c mut dyn FnMut(&str),
    phase: Phase,
    queue: Queue,
    linter: RobotsTxtLinter,
    documents: BTreeMap<String, Document>,
    /// The last error in a `robots.toml`, so that it is shown once.
    shown_error: Option<String>,
    next_id: i32,
}

/// The output is closed.
struct Gone;

/// An error that answers a request.
struct Refusal(ErrorCode, String);

type Answer = Result<Value, Refusal>;

impl<'c> Server<'c> {
    fn new(connection: &'c Connection, log: &'c mut dyn FnMut(&str)) -> Self {
        Self {
            connection,
            log,
            phase: Phase::BeforeInitialize,
            queue: Queue::default(),
            linter: RobotsTxtLinter::new().with_known_robots(AgentTable::built_in()),
            documents: BTreeMap::new(),
            shown_error: None,
            next_id: 1,
        }
    }

    fn ending(&self) -> Ending {
        match self.phase {
            Phase::AfterShutdown => Ending::AfterShutdown,
            _ => Ending::WithoutShutdown,
        }
    }

    /// Handles messages. Returns true after `exit` or the end of the input, false if the output is closed.
    fn run(&mut self) -> bool {
        loop {
            let done = match self.queue.next(&self.connection.receiver) {
                Event::Closed => return true,
                Event::Message(Message::Notification(message)) if message.method == "exit" => {
                    return true;
                }
                Event::Message(Message::Request(request)) => self.request(request),
                Event::Message(Message::Notification(message)) => self.notification(message),
                Event::Message(Message::Response(response)) => {
                    self.response(&response);
                    Ok(())
                }
                Event::Cancelled(id) => {
                    let refusal = Refusal(
                        ErrorCode::RequestCanceled,
                        "the client cancelled the request".to_owned(),
                    );
                    self.answer(id, Err(refusal))
                }
                Event::Due(uri) => self.publish(&uri),
            };
            if done.is_err() {
                return false;
            }
        }
    }

    fn send(&self, message: impl Into<Message>) -> Result<(), Gone> {
        self.connection
            .sender
            .send(message.into())
            .map_err(|_| Gone)
    }

    fn answer(&self, id: RequestId, answer: Answer) -> Result<(), Gone> {
        self.send(match answer {
            Ok(result) => Response {
                id,
                response_result: Ok(result),
            },
            Err(Refusal(code, message)) => Response::new_err(id, code as i32, message),
        })
    }

    fn notify(&self, method: &str, params: Value) -> Result<(), Gone> {
        self.send(Notification {
            method: method.to_owned(),
            params,
        })
    }

    /// Sends a request. Its response needs no handling, unless it is an error.
    fn ask(&mut self, method: &str, params: Value) -> Result<(), Gone> {
        let id = self.next_id;
        self.next_id = id.checked_add(1).unwrap_or(1);
        self.send(Request {
            id: id.into(),
            method: method.to_owned(),
            params,
        })
    }

    fn response(&mut self, response: &Response) {
        if let Err(error) = &response.response_result {
            (self.log)(&format!("the client refused a request: {}", error.message));
        }
    }

    fn request(&mut self, request: Request) -> Result<(), Gone> {
        let Request { id, method, params } = request;
        let answer = match (&self.phase, method.as_str()) {
            (Phase::BeforeInitialize, "initialize") => self.initialize(&params),
            (Phase::BeforeInitialize, _) => Err(Refusal(
                ErrorCode::ServerNotInitialized,
                "expected the request initialize first".to_owned(),
            )),
            (Phase::Running(_), "initialize") => Err(Refusal(
                ErrorCode::InvalidRequest,
                "initialize was requested before".to_owned(),
            )),
            (Phase::Running(_), "shutdown") => {
                self.phase = Phase::AfterShutdown;
                Ok(Value::Null)
            }
            (Phase::Running(client), method) => self.method(client, method, params),
            (Phase::AfterShutdown, _) => Err(Refusal(
                ErrorCode::InvalidRequest,
                "the server is shut down".to_owned(),
            )),
        };
        self.answer(id, answer)
    }

    fn initialize(&mut self, params: &Value) -> Answer {
        let client = Client::read(params);
        let result = InitializeResult {
            capabilities: capabilities(&client),
            server_info: Some(ServerInfo {
                name: "robots".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
        };
        self.phase = Phase::Running(Box::new(client));
        json_of(result)
    }

    fn method(&self, client: &Client, method: &str, params: Value) -> Answer {
        match method {
            "textDocument/hover" => {
                let params: HoverParams = read(params)?;
                let at = params.text_document_position_params;
                self.of_robots(&at.text_document.uri, |document, linted| {
                    let settings = Settings::of(document.path().as_deref());
                    json_of(hover(
                        document,
                        linted,
                        &settings.selection,
                        client,
                        at.position,
                    ))
                })
            }
            "textDocument/completion" => {
                let params: CompletionParams = read(params)?;
                let at = params.text_document_position_params;
                self.of_robots(&at.text_document.uri, |document, linted| {
                    json_of(complete(document, linted, client, at.position))
                })
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = read(params)?;
                self.of_robots(&params.text_document.uri, |document, _| {
                    let settings = Settings::of(document.path().as_deref());
                    json_of(actions::actions(
                        document,
                        &self.linter,
                        &settings.selection,
                        client,
                        &params,
                    ))
                })
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = read(params)?;
                self.of_robots(&params.text_document.uri, |document, linted| {
                    Ok(outline::symbols(document, linted, client))
                })
            }
            "textDocument/foldingRange" => {
                let params: FoldingRangeParams = read(params)?;
                self.of_robots(&params.text_document.uri, |document, linted| {
                    json_of(outline::folds(document, linted, client))
                })
            }
            "textDocument/diagnostic" => {
                let params: DocumentDiagnosticParams = read(params)?;
                let document = self.document(&params.text_document.uri)?;
                let settings = Settings::of(document.path().as_deref());
                let items = self.diagnostics(document, &settings, client);
                let mut report = json_of(RelatedFullDocumentDiagnosticReport {
                    related_documents: None,
                    full_document_diagnostic_report: FullDocumentDiagnosticReport {
                        result_id: None,
                        items,
                    },
                })?;
                if let Some(report) = report.as_object_mut() {
                    report.insert("kind".to_owned(), json!("full"));
                }
                Ok(report)
            }
            _ => Err(Refusal(
                ErrorCode::MethodNotFound,
                format!("the method {method} is not supported"),
            )),
        }
    }

    fn document(&self, uri: &Uri) -> Result<&Document, Refusal> {
        self.documents.get(&uri.0).ok_or_else(|| {
            Refusal(
                ErrorCode::InvalidParams,
                format!("the document {uri} is not open"),
            )
        })
    }

    /// Answers a request about a robots.txt; with `null` for a page, and for a document that is too long.
    fn of_robots(&self, uri: &Uri, answer: impl FnOnce(&Document, &Linted) -> Answer) -> Answer {
        let document = self.document(uri)?;
        match document.linted(&self.linter) {
            Some(linted) => answer(document, linted),
            None => Ok(Value::Null),
        }
    }

    fn diagnostics(
        &self,
        document: &Document,
        settings: &Settings,
        client: &Client,
    ) -> Vec<Diagnostic> {
        diagnostics::of_document(document, &self.linter, &settings.selection, client)
    }

    fn notification(&mut self, notification: Notification) -> Result<(), Gone> {
        let Phase::Running(client) = &self.phase else {
            return Ok(());
        };
        let encoding = client.encoding;
        let Notification { method, params } = notification;
        match method.as_str() {
            "initialized" if client.watches_files => {
                let glob = format!("**/{FILE}");
                let registration = json!({
                    "id": "robots-config",
                    "method": "workspace/didChangeWatchedFiles",
                    "registerOptions": { "watchers": [{ "globPattern": glob }] },
                });
                let params = json!({ "registrations": [registration] });
                return self.ask("client/registerCapability", params);
            }
            "textDocument/didOpen" => {
                if let Some(params) = self.params::<DidOpenTextDocumentParams>(&method, params) {
                    let opened = params.text_document;
                    let uri = opened.uri.0.clone();
                    let kind = DocumentKind::of(opened.language_id.as_str(), &uri);
                    let document = Document::new(opened.uri, kind, opened.version, &opened.text);
                    self.documents.insert(uri.clone(), document);
                    self.queue.publish(&uri, Duration::ZERO);
                }
            }
            "textDocument/didChange" => {
                if let Some(params) = self.params::<DidChangeTextDocumentParams>(&method, params) {
                    let uri = params.text_document.text_document_identifier.uri.0;
                    let version = params.text_document.version;
                    if let Some(document) = self.documents.get_mut(&uri) {
                        document.change(version, params.content_changes, encoding);
                        self.queue.publish(&uri, QUIET);
                    } else {
                        (self.log)(&format!("a change of {uri}, which is not open"));
                    }
                }
            }
            "textDocument/didClose" => {
                if let Some(params) = self.params::<DidCloseTextDocumentParams>(&method, params) {
                    let uri = params.text_document.uri;
                    self.documents.remove(&uri.0);
                    self.queue.forget(&uri.0);
                    return self.publish_list(uri, None, Vec::new());
                }
            }
            "workspace/didChangeWatchedFiles" => return self.refresh(),
            // Notifications that need no handling, and unknown ones.
            _ => {}
        }
        Ok(())
    }

    /// Lints all documents again, as the `robots.toml` of some has changed.
    fn refresh(&mut self) -> Result<(), Gone> {
        let Phase::Running(client) = &self.phase else {
            return Ok(());
        };
        if client.pulls_diagnostics && client.refreshes_diagnostics {
            return self.ask("workspace/diagnostic/refresh", Value::Null);
        }
        for uri in self.documents.keys() {
            self.queue.publish(uri, QUIET);
        }
        Ok(())
    }

    /// Reads the parameters of a notification. Nobody waits for an answer, so an error is only logged.
    fn params<P: DeserializeOwned>(&mut self, method: &str, params: Value) -> Option<P> {
        serde_json::from_value(params)
            .inspect_err(|error| (self.log)(&format!("invalid parameters of {method}: {error}")))
            .ok()
    }

    /// Publishes the diagnostics of a document, unless the client requests them, and shows an error in its `robots.toml`.
    fn publish(&mut self, uri: &str) -> Result<(), Gone> {
        let Phase::Running(client) = &self.phase else {
            return Ok(());
        };
        let Some(document) = self.documents.get(uri) else {
            return Ok(());
        };
        let settings = Settings::of(document.path().as_deref());
        if !client.pulls_diagnostics {
            let list = self.diagnostics(document, &settings, client);
            let version = client.shows_versions.then_some(document.version);
            self.publish_list(document.uri.clone(), version, list)?;
        }
        if settings.error != self.shown_error {
            self.shown_error.clone_from(&settings.error);
            if let Some(error) = settings.error {
                (self.log)(&error);
                let message = format!("{error}; the defaults of robots lint apply");
                // 2 is a warning.
                let params = json!({ "type": 2, "message": message });
                return self.notify("window/showMessage", params);
            }
        }
        Ok(())
    }

    fn publish_list(
        &self,
        uri: Uri,
        version: Option<i32>,
        diagnostics: Vec<Diagnostic>,
    ) -> Result<(), Gone> {
        let params = PublishDiagnosticsParams {
            uri,
            version,
            diagnostics,
        };
        match json_of(params) {
            Ok(params) => self.notify("textDocument/publishDiagnostics", params),
            Err(_) => Ok(()),
        }
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, Refusal> {
    serde_json::from_value(params)
        .map_err(|error| Refusal(ErrorCode::InvalidParams, error.to_string()))
}

fn json_of(result: impl Serialize) -> Answer {
    serde_json::to_value(result)
        .map_err(|error| Refusal(ErrorCode::InternalError, error.to_string()))
}
