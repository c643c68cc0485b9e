//! Findings as JSON objects.

use super::LocatedFinding;
use crate::fix::Edit;
use serde_json::{Value, json};

/// The maximum number of edits that the object of a finding lists. A fix with more is not listed: 16 MiB of CR need
/// 16 million edits, which would make more than 500 MB of JSON.
pub const MAX_LISTED_EDITS: usize = 1_000;

/// Returns the object of a finding. `findings_of_kind` is the number of findings of the same kind in the file or response, with those
/// beyond the limit of a kind. `robots lint --help` documents the keys; `file` and `url` are up to the caller.
pub fn json_finding(finding: &LocatedFinding<'_>, findings_of_kind: usize) -> Value {
    let LocatedFinding { kind, location, .. } = finding;
    let edits = finding.fix.map_or(0, |fix| fix.edits().len());
    let listed = finding.fix.filter(|_| edits <= MAX_LISTED_EDITS);
    let object = |edit: Edit| {
        json!({
            "offset": edit.span().start,
            "length": edit.span().len(),
            "text": String::from_utf8_lossy(edit.replacement()),
        })
    };
    json!({
        "header": location.is_header,
        "line": location.line,
        "column": location.column,
        "offset": location.offset,
        "length": location.length,
        "code": kind.code(),
        "name": kind.name(),
        "severity": kind.severity().name(),
        "message": finding.message,
        "help": kind.help(),
        "standard": kind.standard(),
        "related_line": finding.related.as_ref().map(|(location, _)| location.line),
        // 0 without a fix.
        "edits": edits,
        "fix": listed.map(|fix| fix.edits().map(object).collect::<Vec<_>>()),
        "findings_of_kind": findings_of_kind,
    })
}
