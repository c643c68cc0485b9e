//! Code actions: fixes, and comments that ignore findings.

use crate::client::Client;
use crate::diagnostics::{of_finding, shown_span};
use crate::document::{Document, Linted};
use crate::position::{line_end, line_span};
use gen_lsp_types::{
    CodeAction, CodeActionKind, CodeActionParams, CodeActionTriggerKind, Edit,
    OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextDocumentIdentifier, TextEdit,
    WorkspaceEdit,
};
use robots_lint::catalogue::Selection;
use robots_lint::report::json::MAX_LISTED_EDITS;
use robots_lint::robots_txt::ignore_comment;
use robots_lint::{CompatibleFixes, Finding, FindingKind, RobotsTxtLinter, apply_fixes};
use std::collections::HashMap;
use std::ops;

/// The kind of the action that applies all fixes.
pub(crate) const FIX_ALL: &str = "source.fixAll.robots";

/// The reason in a comment that ignores a finding, which its author replaces.
const REASON: &str = "reason";

/// Returns the actions for a range of a document: for each finding in it, its fix and a comment that ignores it; and the action
/// that applies all fixes of the document.
pub(crate) fn actions(
    document: &Document,
    linted: &Linted,
    linter: &RobotsTxtLinter,
    selection: &Selection,
    client: &Client,
    params: &CodeActionParams,
) -> Vec<CodeAction> {
    // A kind also asks for those below it: `source` for `source.fixAll.robots`.
    let is_wanted = |kind: &str| match &params.context.only {
        None => true,
        Some(only) => only.iter().any(|wanted| {
            let wanted = wanted.as_str();
            let rest = kind.strip_prefix(wanted);
            wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        }),
    };
    let range = client.encoding.span(&document.text, params.range);
    let mut actions = Vec::new();
    if is_wanted("quickfix") {
        let in_range = linted.selected(selection).filter(|finding| {
            let span = shown_span(document, finding);
            span.start <= range.end && range.start <= span.end
        });
        for finding in in_range {
            actions.extend(fix(document, finding, client));
            actions.extend(ignore(document, linted, finding, client));
        }
    }
    // All fixes are not searched as the cursor moves, unless the client wants them.
    let is_automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::Automatic);
    let is_unasked = is_automatic && params.context.only.is_none();
    if is_wanted(FIX_ALL) && !is_unasked {
        actions.extend(fix_all(document, linted, linter, selection, client));
    }
    actions
}

fn fix(document: &Document, finding: &Finding, client: &Client) -> Option<CodeAction> {
    let fix = finding.fix()?;
    let fixes = CompatibleFixes::of([fix]);
    let edits = text_edits(document, &fixes, client)?;
    Some(CodeAction {
        is_preferred: Some(true),
        ..quick_fix(
            document,
            finding,
            title(finding.kind(), &fixes),
            edits,
            client,
        )
    })
}

/// Returns the title of a fix: its new text, or the advice of its kind.
fn title(kind: FindingKind, fixes: &CompatibleFixes<'_>) -> String {
    let mut edits = fixes.edits();
    let (first, second) = (edits.next(), edits.next());
    let new = first.as_ref().filter(|_| second.is_none());
    let new = new.and_then(|edit| str::from_utf8(edit.replacement()).ok());
    let new = new.filter(|text| !text.trim().is_empty());
    match new {
        Some(text) => format!("{}: write `{text}`", kind.code()),
        None => format!("{}: {}", kind.code(), kind.help()),
    }
}

fn ignore(
    document: &Document,
    linted: &Linted,
    finding: &Finding,
    client: &Client,
) -> Option<CodeAction> {
    let comment = ignore_comment(finding.kind(), REASON)?;
    let line = finding.line() - 1;
    // A page that begins with a comment of robots.txt does not begin like a page.
    let is_page = |finding: &Finding| finding.kind() == FindingKind::HtmlBody;
    if line == 0 && linted.findings.iter().any(is_page) {
        return None;
    }
    let span = line_span(&document.text, line);
    let text = document.slice(span.clone());
    // A byte order mark remains the start of the file.
    let mark = if line == 0 && text.starts_with('\u{feff}') {
        3
    } else {
        0
    };
    let indent: String = text
        .chars()
        .take_while(|c| matches!(c, ' ' | '\t'))
        .collect();
    // Robots that know only LF must read the end of the comment, too, so it is that of the line before.
    let end = match line_end(&document.text, line.saturating_sub(1)) {
        "" => "\n",
        end => end,
    };
    let at = client.encoding.position(&document.text, span.start + mark);
    let edit = TextEdit {
        range: gen_lsp_types::Range { start: at, end: at },
        new_text: format!("{indent}{comment}{end}"),
    };
    let title = format!("{}: ignore here with a comment", finding.kind().code());
    Some(quick_fix(document, finding, title, vec![edit], client))
}

fn quick_fix(
    document: &Document,
    finding: &Finding,
    title: String,
    edits: Vec<TextEdit>,
    client: &Client,
) -> CodeAction {
    CodeAction {
        title,
        kind: Some(CodeActionKind::QuickFix),
        diagnostics: Some(vec![of_finding(document, finding, client)]),
        edit: Some(workspace_edit(document, edits, client)),
        ..CodeAction::default()
    }
}

/// Returns the action that does what `robots lint --fix` does, with the `robots.toml` of the document.
fn fix_all(
    document: &Document,
    linted: &Linted,
    linter: &RobotsTxtLinter,
    selection: &Selection,
    client: &Client,
) -> Option<CodeAction> {
    // Most files have no fix, and need no second search.
    linted
        .selected(selection)
        .find(|finding| finding.fix().is_some())?;
    // All findings are fixed, not only those that are listed.
    let all = linter.clone().with_limit(usize::MAX).lint(&linted.robots);
    let selected = all
        .iter()
        .filter(|finding| selection.contains(finding.kind()));
    let fixes = CompatibleFixes::of(selected.filter_map(Finding::fix));
    let edits = text_edits(document, &fixes, client)?;
    let count = fixes.len();
    let noun = if count == 1 { "finding" } else { "findings" };
    Some(CodeAction {
        title: format!("Fix {count} {noun} of robots lint"),
        kind: Some(CodeActionKind::new(FIX_ALL)),
        edit: Some(workspace_edit(document, edits, client)),
        ..CodeAction::default()
    })
}

/// Returns the edits of fixes. More than [`MAX_LISTED_EDITS`] are one edit of the whole text. `None` if an edit has text that is
/// not UTF-8, or cuts a character.
fn text_edits(
    document: &Document,
    fixes: &CompatibleFixes<'_>,
    client: &Client,
) -> Option<Vec<TextEdit>> {
    let range = |span: &ops::Range<usize>| client.encoding.range(&document.text, span);
    let text = |bytes: &[u8]| Some(str::from_utf8(bytes).ok()?.to_owned());
    if fixes.edits().nth(MAX_LISTED_EDITS).is_some() {
        let fixed = apply_fixes(&document.bytes(), fixes.iter());
        return Some(vec![TextEdit {
            range: range(&(0..document.text.len_bytes())),
            new_text: text(&fixed.body)?,
        }]);
    }
    let edits = fixes.edits().map(|edit| {
        // The slice exists only between characters.
        document.text.get_byte_slice(edit.span())?;
        Some(TextEdit {
            range: range(&edit.span()),
            new_text: text(edit.replacement())?,
        })
    });
    edits.collect()
}

fn workspace_edit(document: &Document, edits: Vec<TextEdit>, client: &Client) -> WorkspaceEdit {
    if !client.edits_versions {
        return WorkspaceEdit {
            changes: Some(HashMap::from([(document.uri.clone(), edits)])),
            ..WorkspaceEdit::default()
        };
    }
    let edits = TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            version: Some(document.version),
            text_document_identifier: TextDocumentIdentifier {
                uri: document.uri.clone(),
            },
        },
        edits: edits.into_iter().map(Edit::from).collect(),
    };
    WorkspaceEdit {
        document_changes: Some(vec![edits.into()]),
        ..WorkspaceEdit::default()
    }
}
