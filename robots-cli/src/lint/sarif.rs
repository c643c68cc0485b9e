//! Findings as a SARIF 2.1.0 log (OASIS, 2020), which CI systems read.

use super::json::column;
use super::show::label;
use super::{Findings, Report};
use crate::robots_files::RobotsFile;
use anyhow::Result;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use robots_txt::{DiagnosticKind, Severity};
use serde_json::{Value, json};
use std::io::Write;

pub(super) struct Sarif<'o> {
    out: &'o mut dyn Write,
    is_begun: bool,
}

impl<'o> Sarif<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Self {
        Self {
            out,
            is_begun: false,
        }
    }

    /// Writes what stands before the results, or between two of them.
    fn begin(&mut self) -> Result<()> {
        if self.is_begun {
            write!(self.out, ",")?;
            return Ok(());
        }
        self.is_begun = true;
        let tool = json!({"driver": {
            "name": "robots",
            "version": env!("CARGO_PKG_VERSION"),
            "rules": DiagnosticKind::ALL.iter().copied().map(rule).collect::<Vec<_>>(),
        }});
        write!(
            self.out,
            "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
             \"runs\":[{{\"tool\":{tool},\"columnKind\":\"unicodeCodePoints\",\"results\":["
        )?;
        Ok(())
    }
}

/// The name of a file as a URI; a URL is one already.
fn uri(file: &RobotsFile<'_>) -> String {
    match file.url {
        Some(url) => url.to_owned(),
        None if file.file == "-" => "stdin".to_owned(),
        None => utf8_percent_encode(file.file, PATH).to_string(),
    }
}

/// What a path of a URI cannot have as it is.
const PATH: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
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

fn level(severity: Severity) -> &'static str {
    // SARIF has the same words.
    severity.name()
}

fn rule(kind: DiagnosticKind) -> Value {
    json!({
        "id": kind.code(),
        "name": kind.name(),
        "shortDescription": {"text": kind.to_string()},
        "help": {"text": format!("{} ({})", kind.help(), kind.standard())},
        "defaultConfiguration": {"level": level(kind.severity())},
    })
}

impl Report for Sarif<'_> {
    fn add(&mut self, findings: &Findings<'_>) -> Result<()> {
        let uri = uri(findings.file);
        for found in &findings.found {
            let kind = found.kind();
            let span = found.span();
            let location = json!({"physicalLocation": {
                "artifactLocation": {"uri": uri},
                "region": {
                    "startLine": found.line(),
                    "startColumn": column(findings.robots, found, span.start),
                    "endColumn": column(findings.robots, found, span.end),
                    "byteOffset": span.start,
                    "byteLength": span.len(),
                },
            }});
            let mut result = json!({
                "ruleId": kind.code(),
                "ruleIndex": DiagnosticKind::ALL.iter().position(|known| *known == kind),
                "level": level(found.severity()),
                "message": {"text": found.message()},
                "locations": [location],
            });
            if let (Some(line), Value::Object(result)) = (found.related(), &mut result) {
                let related = json!([{
                    "message": {"text": label(kind)},
                    "physicalLocation": {
                        "artifactLocation": {"uri": uri},
                        "region": {"startLine": line},
                    },
                }]);
                result.insert("relatedLocations".to_owned(), related);
            }
            self.begin()?;
            write!(self.out, "{result}")?;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if !self.is_begun {
            self.begin()?;
        }
        writeln!(self.out, "]}}]}}")?;
        Ok(())
    }
}
