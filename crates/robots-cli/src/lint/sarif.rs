//! Findings as a SARIF 2.1.0 log (OASIS, 2020), which CI systems read.

use super::Report;
use super::found::{Linted, Place};
use super::kind::Kind;
use anyhow::Result;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use robots_txt::Severity;
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
            "rules": Kind::all().map(rule).collect::<Vec<_>>(),
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
fn uri(linted: &Linted) -> String {
    match &linted.url {
        Some(url) => url.clone(),
        None if &*linted.file == "-" => "stdin".to_owned(),
        None => utf8_percent_encode(&linted.file, PATH).to_string(),
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

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.code(),
        "name": kind.name(),
        "shortDescription": {"text": kind.to_string()},
        "help": {"text": format!("{} ({})", kind.help(), kind.standard())},
        "defaultConfiguration": {"level": level(kind.severity())},
    })
}

/// Where something stands; of a header line there is no region, as the body has none of it.
fn location(uri: &str, place: &Place<'_>) -> Value {
    let artifact = json!({"uri": uri});
    if place.is_header {
        return json!({"artifactLocation": artifact});
    }
    json!({
        "artifactLocation": artifact,
        "region": {
            "startLine": place.line,
            "startColumn": place.column,
            "endColumn": place.end_column,
            "byteOffset": place.offset,
            "byteLength": place.length,
        },
    })
}

impl Report for Sarif<'_> {
    fn add(&mut self, linted: &Linted) -> Result<()> {
        let uri = uri(linted);
        for found in linted.found() {
            let kind = found.kind;
            let mut result = json!({
                "ruleId": kind.code(),
                "ruleIndex": Kind::all().position(|known| known == kind),
                "level": level(kind.severity()),
                "message": {"text": found.message},
                "locations": [{"physicalLocation": location(&uri, &found.place)}],
            });
            if let (Some((place, label)), Value::Object(result)) = (&found.related, &mut result) {
                let related = json!([{
                    "message": {"text": label},
                    "physicalLocation": location(&uri, place),
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
