//! Findings as a SARIF 2.1.0 log (OASIS, 2020), which CI systems read.
//!
//! The crates for SARIF are not used: they hold the whole log in memory.

use super::annotation::Annotation;
use super::gitlab::Fingerprints;
use super::{LocatedEdit, LocatedFinding, Location};
use crate::catalogue::{Citation, FILES, FindingKind, Severity, joined};
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use robots_policy::text::printable_json;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::path::Path;

/// The maximum length of a text that is quoted from a file, in bytes: a snippet, or the line around it. A longer one is left
/// out.
const MAX_QUOTED: usize = 1_024;

/// A writer of a log, which keeps no findings in memory.
#[derive(Debug)]
pub struct SarifLog<W> {
    out: W,
    /// The `reportingDescriptor` objects.
    rules: Vec<Value>,
    newlines: &'static [&'static str],
    is_begun: bool,
    fingerprints: Fingerprints,
}

impl<W: Write> SarifLog<W> {
    /// Creates a log of findings on robots.txt files, in which CR alone ends a line, too.
    pub fn of_robots_txt(out: W) -> Self {
        let rules = FindingKind::ALL.iter().map(|kind| rule_of_kind(*kind));
        Self::new(out, rules.collect())
    }

    /// Creates a log of findings on pages.
    pub fn of_pages(out: W) -> Self {
        Self {
            newlines: &["\r\n", "\n"],
            ..Self::of_robots_txt(out)
        }
    }

    /// Creates a log of annotations of lines of robots.txt files, about one rule of the level `error` with this code, which is its
    /// name, too.
    pub fn of_rule(out: W, code: &str, description: &str, help: &str, help_uri: &str) -> Self {
        let help = json!({ "text": help, "markdown": help });
        Self::new(
            out,
            vec![rule(
                [code, code],
                description,
                &help,
                help_uri,
                Severity::Error,
            )],
        )
    }

    fn new(out: W, rules: Vec<Value>) -> Self {
        Self {
            out,
            rules,
            newlines: &["\r\n", "\n", "\r"],
            is_begun: false,
            fingerprints: Fingerprints::default(),
        }
    }

    /// Writes a finding in the file or response of this [`uri`](file_uri), with the edits of its fix. `findings_of_kind` is the
    /// number of findings of the same kind in it, including those beyond the limit of a kind.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn add(
        &mut self,
        uri: &str,
        finding: &LocatedFinding<'_>,
        edits: &[LocatedEdit],
        findings_of_kind: usize,
    ) -> io::Result<()> {
        let annotation = Annotation::of_finding(uri, finding);
        let location = location_of(uri, &finding.location);
        let mut result = self.result(&annotation, &location);
        if let Some((location, label)) = &finding.related {
            let mut location = location_of(uri, location);
            location["message"] = text(label);
            result["relatedLocations"] = json!([location]);
        }
        if let Some(fix) = fix(uri, finding.kind, edits) {
            result["fixes"] = json!([fix]);
        }
        result["properties"] = json!({ "findingsOfKind": findings_of_kind });
        self.write(&result)
    }

    /// Writes an annotation; its path is the [`uri`](file_uri).
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn add_annotation(&mut self, annotation: &Annotation<'_>) -> io::Result<()> {
        let region = annotation.place.map(|place| {
            json!({
                "startLine": place.line,
                "startColumn": place.column,
                "endColumn": place.end_column,
            })
        });
        let line = annotation.place.map(|place| place.line);
        let location = location(annotation.path, region, line, &annotation.text);
        let result = self.result(annotation, &location);
        self.write(&result)
    }

    /// Returns a `result` object. The names of severities are levels of SARIF.
    fn result(&mut self, annotation: &Annotation<'_>, location: &Value) -> Value {
        let mut result = json!({
            "ruleId": annotation.code,
            "level": annotation.severity.name(),
            "message": text(&annotation.message),
            "locations": [location],
            // It depends on the file, the rule and the text of the line, in this version.
            "partialFingerprints": { "robotsLine/v1": self.fingerprints.of(annotation) },
        });
        let mut rules = self.rules.iter();
        if let Some(index) = rules.position(|rule| rule["id"] == annotation.code) {
            result["ruleIndex"] = index.into();
        }
        result
    }

    fn write(&mut self, result: &Value) -> io::Result<()> {
        if self.is_begun {
            write!(self.out, ",")?;
        } else {
            self.begin()?;
        }
        let json = result.to_string();
        self.out.write_all(printable_json(&json).as_bytes())
    }

    /// Writes the end of the log.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn end(&mut self) -> io::Result<()> {
        if !self.is_begun {
            self.begin()?;
        }
        writeln!(self.out, "]}}]}}")
    }

    /// Writes everything before the first finding.
    fn begin(&mut self) -> io::Result<()> {
        self.is_begun = true;
        let driver = json!({
            "name": "robots",
            "version": env!("CARGO_PKG_VERSION"),
            "informationUri": FILES,
            "rules": self.rules,
        });
        write!(
            self.out,
            "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
             \"runs\":[{{\"tool\":{},\"newlineSequences\":{},\
             \"columnKind\":\"unicodeCodePoints\",\"results\":[",
            json!({ "driver": driver }),
            json!(self.newlines),
        )
    }
}

/// Returns the URI of a file of this path: a relative reference, or for an absolute path a URL with the scheme `file`. A byte
/// that is not part of a character in UTF-8 is percent-encoded alone.
pub fn file_uri(path: impl AsRef<Path>) -> String {
    let path = path.as_ref().as_os_str().as_encoded_bytes();
    let scheme = if path.starts_with(b"/") {
        "file://"
    } else {
        ""
    };
    format!("{scheme}{}", percent_encode(path, PATH))
}

/// The ASCII characters that are escaped in the path of a URI. A colon in a relative reference would end a scheme.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b':')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// Returns the `reportingDescriptor` object of a kind. Its help is the advice with the citations, which are links in `markdown`.
fn rule_of_kind(kind: FindingKind) -> Value {
    let advice = kind.help();
    let links = |cited: &Citation| format!("[{cited}]({})", cited.url());
    let help = json!({
        "text": format!("{advice} ({})", kind.standard()),
        "markdown": format!("{advice} ({})", joined(kind.citations(), links)),
    });
    let names = [kind.code(), kind.name()];
    rule(
        names,
        &kind.to_string(),
        &help,
        &kind.url(),
        kind.severity(),
    )
}

fn rule(
    [id, name]: [&str; 2],
    description: &str,
    help: &Value,
    help_uri: &str,
    severity: Severity,
) -> Value {
    json!({
        "id": id,
        "name": name,
        "shortDescription": text(description),
        "help": help,
        "helpUri": help_uri,
        "defaultConfiguration": { "level": severity.name() },
    })
}

fn text(text: &str) -> Value {
    json!({ "text": text })
}

/// Returns the `location` object of a finding; one in a header has no region, as regions are parts of the body.
fn location_of(uri: &str, found: &Location<'_>) -> Value {
    let line = (!found.is_header).then_some(found.line);
    let region = line.map(|line| {
        let mut region = json!({
            "startLine": line,
            "startColumn": found.column,
            "endColumn": found.end_column,
            "byteOffset": found.offset,
            "byteLength": found.length,
        });
        // A part that begins in another line is not quoted.
        if let Some(snippet) = found.text.get(found.part.clone()).and_then(quoted) {
            region["snippet"] = snippet;
        }
        region
    });
    location(uri, region, line, &found.text)
}

/// Returns a `location` object, with the whole line of the region if its number is known.
fn location(uri: &str, region: Option<Value>, line: Option<usize>, line_text: &[u8]) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri } });
    if let Some(region) = region {
        physical["region"] = region;
    }
    if let (Some(line), Some(snippet)) = (line, quoted(line_text)) {
        physical["contextRegion"] = json!({ "startLine": line, "snippet": snippet });
    }
    json!({ "physicalLocation": physical })
}

/// Returns a quoted text; none if it is empty, too long or not UTF-8.
fn quoted(bytes: &[u8]) -> Option<Value> {
    let quoted = str::from_utf8(bytes).ok()?;
    (1..=MAX_QUOTED)
        .contains(&quoted.len())
        .then(|| text(quoted))
}

/// Returns a `fix` object of these edits; `None` if there are none, or a new text is not UTF-8, which SARIF cannot insert into a
/// text.
fn fix(uri: &str, kind: FindingKind, edits: &[LocatedEdit]) -> Option<Value> {
    let replacement = |located: &LocatedEdit| {
        let span = located.edit.span();
        let inserted = str::from_utf8(located.edit.replacement()).ok()?;
        Some(json!({
            "deletedRegion": {
                "startLine": located.start.0,
                "startColumn": located.start.1,
                "endLine": located.end.0,
                "endColumn": located.end.1,
                "byteOffset": span.start,
                "byteLength": span.len(),
            },
            "insertedContent": text(inserted),
        }))
    };
    let replacements: Option<Vec<Value>> = edits.iter().map(replacement).collect();
    let replacements = replacements.filter(|all| !all.is_empty())?;
    let change = json!({ "artifactLocation": { "uri": uri }, "replacements": replacements });
    Some(json!({ "description": text(kind.help()), "artifactChanges": [change] }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_not_quoted() {
        let is_quoted = |length: usize| quoted(&vec![b'a'; length]).is_some();
        assert!(is_quoted(MAX_QUOTED - 1) && is_quoted(MAX_QUOTED));
        assert!(!is_quoted(MAX_QUOTED + 1) && !is_quoted(0));
        assert!(quoted(b"\xe9").is_none());
    }

    #[test]
    fn paths_are_relative_references_or_file_urls() {
        assert_eq!(file_uri("a b/c:d.txt"), "a%20b/c%3Ad.txt");
        assert_eq!(file_uri("./\u{e9}.txt"), "./%C3%A9.txt");
        assert_eq!(file_uri("/a/robots.txt"), "file:///a/robots.txt");
    }
}
