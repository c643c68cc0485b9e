//! The server: its life, and the methods of the protocol (LSP 3.17).

use crate::actions;
use crate::capabilities::capabilities;
use crate::client::Client;
use crate::completion::complete;
use crate::diagnostics;
use crate::document::{Change, Document, DocumentKind, Linted};
use crate::hover::hover;
use crate::message::Invalid;
use crate::outline;
use crate::queue::{Event, QUIET, Queue};
use crate::settings::Settings;
use crate::transport::{self, Connection, Gone, InputError};
use gen_lsp_types::{
    CodeActionParams, CompletionParams, Diagnostic, DidCloseTextDocumentParams,
    DidOpenTextDocumentParams, DocumentDiagnosticParams, DocumentSymbolParams, FoldingRangeParams,
    FullDocumentDiagnosticReport, HoverParams, InitializeResult, PublishDiagnosticsParams,
    RelatedFullDocumentDiagnosticReport, ServerInfo, Uri,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use robots_config::FILE;
use robots_lint::RobotsTxtLinter;
use robots_policy::profile::AgentTable;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::PathBuf;
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
/// If the input cannot be read, or a header is malformed: then no message can be found in it any more. JSON that is not a message
/// is logged and answered with an error, and the session continues.
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
        // The input may stay open, and nobody reads what is left of the output.
        log("the client does not read messages any more");
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
    /// The last error in each `robots.toml`, so that it is shown once.
    shown_errors: BTreeMap<PathBuf, String>,
    next_id: i32,
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
            shown_errors: BTreeMap::new(),
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
            let done = match self.queue.next(&self.connection.inbox) {
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
                Event::Invalid(invalid) => self.invalid(invalid),
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
        self.connection.outbox.send(&message.into())
    }

    /// Logs what is not a message, and answers it with an error.
    fn invalid(&mut self, invalid: Invalid) -> Result<(), Gone> {
        (self.log)(&format!("invalid message: {}", invalid.reason));
        let Some((id, code)) = invalid.answer else {
            return Ok(());
        };
        let error = json!({ "code": code, "message": invalid.reason });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "error": error });
        self.connection.outbox.send_json(&answer)
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
            (Phase::Running(client), "textDocument/diagnostic") => {
                match self.report(client, params) {
                    Ok((report, settings)) => {
                        self.answer(id, Ok(report))?;
                        return self.show_error(settings);
                    }
                    Err(refusal) => Err(refusal),
                }
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
                if !client.reads_actions {
                    return Ok(json!([]));
                }
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
            _ => Err(Refusal(
                ErrorCode::MethodNotFound,
                format!("the method {method} is not supported"),
            )),
        }
    }

    /// Returns the diagnostics of a document that the client requested, and the settings that were used.
    fn report(&self, client: &Client, params: Value) -> Result<(Value, Settings), Refusal> {
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
        Ok((report, settings))
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
        let (encoding, pulls_diagnostics) = (client.encoding, client.pulls_diagnostics);
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
                if let Some(params) = self.params::<DidChange>(&method, params) {
                    let VersionedDocument { uri, version } = params.text_document;
                    if let Some(document) = self.documents.get_mut(&uri) {
                        document.change(version, &params.content_changes, encoding);
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
                    if !pulls_diagnostics {
                        return self.publish_list(uri, None, Vec::new());
                    }
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
        self.show_error(settings)
    }

    /// Shows an error in a `robots.toml`, unless it was the last that was shown of this file.
    fn show_error(&mut self, settings: Settings) -> Result<(), Gone> {
        let Some(file) = settings.file else {
            return Ok(());
        };
        let Some(error) = settings.error else {
            self.shown_errors.remove(&file);
            return Ok(());
        };
        if self.shown_errors.get(&file) == Some(&error) {
            return Ok(());
        }
        (self.log)(&error);
        let message = format!("{error}; the defaults of robots lint apply");
        self.shown_errors.insert(file, error);
        // 2 is a warning.
        self.notify(
            "window/showMessage",
            json!({ "type": 2, "message": message }),
        )
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
