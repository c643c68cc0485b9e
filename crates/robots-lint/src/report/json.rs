//! Findings as JSON objects.

use super::LocatedFinding;
use crate::fix::{Edit, Fix};
use serde::{Serialize, Serializer};

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
    fix: Option<JsonFix<'a>>,
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
    /// Creates the object of a finding in a file; `url` is that of a response in an archive.
    pub fn new(file: &'a str, url: Option<&'a str>, finding: &'a LocatedFinding<'_>) -> Self {
        let LocatedFinding { kind, location, .. } = finding;
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
            fix: finding.fix.map(JsonFix),
        }
    }
}
