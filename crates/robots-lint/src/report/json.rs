//! Findings as JSON objects.

use super::LocatedFinding;
use crate::fix::{Edit, Fix};
use serde::{Serialize, Serializer};

/// The maximum number of edits that the object of a finding lists. A fix with more is not listed: 16 MiB of CR need
/// 16 million edits, which would make more than 500 MB of JSON.
pub const MAX_LISTED_EDITS: usize = 1_000;

/// A finding as a JSON object. `robots lint --help` documents the keys.
#[derive(Debug, Serialize)]
pub struct JsonFinding<'a> {
    file: &'a str,
    url: Option<&'a str>,
    #[serde(rename = "header")]
    is_header: bool,
    line: usize,
    column: usize,
    offset: usize,
    length: usize,
    code: &'static str,
    name: &'static str,
    severity: &'static str,
    message: &'a str,
    help: &'static str,
    standard: String,
    related_line: Option<usize>,
    /// The number of edits of the fix; 0 without a fix.
    edits: usize,
    /// The edits; `None` if there are more than [`MAX_LISTED_EDITS`].
    fix: Option<JsonFix<'a>>,
    /// The number of findings of the kind in the input, with those that are left out.
    findings_of_kind: usize,
}

#[derive(Debug, Serialize)]
struct JsonEdit {
    offset: usize,
    length: usize,
    text: String,
}

impl JsonEdit {
    fn new(edit: &Edit) -> Self {
        Self {
            offset: edit.span().start,
            length: edit.span().len(),
            text: String::from_utf8_lossy(edit.replacement()).into_owned(),
        }
    }
}

/// The edits of a fix as an array, which is not built in memory.
#[derive(Debug)]
struct JsonFix<'a>(&'a Fix);

impl Serialize for JsonFix<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.edits().map(|edit| JsonEdit::new(&edit)))
    }
}

impl<'a> JsonFinding<'a> {
    /// Creates the object of a finding in a file; `url` is that of a response in an archive. `findings_of_kind` is the
    /// number of findings of the same kind in the file or response, with those beyond the limit of a kind.
    pub fn new(
        file: &'a str,
        url: Option<&'a str>,
        finding: &'a LocatedFinding<'_>,
        findings_of_kind: usize,
    ) -> Self {
        let LocatedFinding { kind, location, .. } = finding;
        let edits = finding.fix.map_or(0, |fix| fix.edits().len());
        let listed = finding.fix.filter(|_| edits <= MAX_LISTED_EDITS);
        let related = finding.related.as_ref();
        Self {
            file,
            url,
            is_header: location.is_header,
            line: location.line,
            column: location.column,
            offset: location.offset,
            length: location.length,
            code: kind.code(),
            name: kind.name(),
            severity: kind.severity().name(),
            message: &finding.message,
            help: kind.help(),
            standard: kind.standard(),
            related_line: related.map(|(location, _)| location.line),
            edits,
            fix: listed.map(JsonFix),
            findings_of_kind,
        }
    }
}
