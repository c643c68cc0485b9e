//! The capabilities of a client.

use crate::position::Encoding;
use serde_json::Value;

/// The capabilities of a client that change what the server sends. They are read one by one: a capability that a later version
/// of the protocol writes in another form does not end the session.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools, reason = "one for each capability")]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// It requests diagnostics (`textDocument/diagnostic`), so that none are published.
    pub(crate) pulls_diagnostics: bool,
    pub(crate) refreshes_diagnostics: bool,
    pub(crate) shows_related: bool,
    pub(crate) shows_versions: bool,
    pub(crate) edits_versions: bool,
    /// It reads code actions that are more than commands.
    pub(crate) reads_actions: bool,
    pub(crate) nests_symbols: bool,
    pub(crate) reads_markdown: bool,
    /// It accepts the registration of files to watch.
    pub(crate) watches_files: bool,
    pub(crate) folds_lines_only: bool,
}

impl Client {
    /// Reads the parameters of `initialize`.
    pub(crate) fn read(params: &Value) -> Self {
        let capability = |path: &str| params.pointer(&format!("/capabilities/{path}"));
        let has = |path: &str| capability(path).and_then(Value::as_bool) == Some(true);
        let names = |path: &str| {
            let list = capability(path).and_then(Value::as_array);
            let list = list.map(Vec::as_slice).unwrap_or_default();
            list.iter().filter_map(Value::as_str)
        };
        let pulls_diagnostics = capability("textDocument/diagnostic").is_some_and(Value::is_object);
        Self {
            encoding: Encoding::of_client(names("general/positionEncodings")),
            pulls_diagnostics,
            refreshes_diagnostics: has("workspace/diagnostics/refreshSupport"),
            shows_related: has("textDocument/publishDiagnostics/relatedInformation")
                || has("textDocument/diagnostic/relatedInformation"),
            shows_versions: has("textDocument/publishDiagnostics/versionSupport"),
            edits_versions: has("workspace/workspaceEdit/documentChanges"),
            reads_actions: capability("textDocument/codeAction/codeActionLiteralSupport")
                .is_some_and(Value::is_object),
            nests_symbols: has("textDocument/documentSymbol/hierarchicalDocumentSymbolSupport"),
            reads_markdown: names("textDocument/hover/contentFormat")
                .any(|name| name == "markdown"),
            watches_files: has("workspace/didChangeWatchedFiles/dynamicRegistration"),
            folds_lines_only: has("textDocument/foldingRange/lineFoldingOnly"),
        }
    }
}
