//! The capabilities of the server.

use crate::actions::FIX_ALL;
use crate::client::Client;
use crate::diagnostics::SOURCE;
use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CompletionOptions, DiagnosticOptions, ServerCapabilities,
    TextDocumentSyncKind, TextDocumentSyncOptions,
};

/// Returns what the server offers to a client.
pub(crate) fn capabilities(client: &Client) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::Incremental),
        ..TextDocumentSyncOptions::default()
    };
    let trigger = [":", " ", "/", ","].map(str::to_owned);
    let pulled = DiagnosticOptions {
        identifier: Some(SOURCE.to_owned()),
        inter_file_dependencies: false,
        workspace_diagnostics: false,
        ..DiagnosticOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(client.encoding.kind()),
        text_document_sync: Some(sync.into()),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(trigger.to_vec()),
            ..CompletionOptions::default()
        }),
        code_action_provider: client.reads_actions.then(|| {
            let kinds = vec![CodeActionKind::QuickFix, CodeActionKind::new(FIX_ALL)];
            let options = CodeActionOptions {
                code_action_kinds: Some(kinds),
                ..CodeActionOptions::default()
            };
            options.into()
        }),
        document_symbol_provider: Some(true.into()),
        folding_range_provider: Some(true.into()),
        diagnostic_provider: client.pulls_diagnostics.then(|| pulled.into()),
        ..ServerCapabilities::default()
    }
}
