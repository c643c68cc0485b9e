//! Findings as a SARIF 2.1.0 log (OASIS, 2020), which CI systems read.
//!
//! The types have only the properties that are written. The crates for SARIF are not used: they generate types from its
//! schema, and hold the whole log in memory.

use super::{LocatedFinding, Location};
use crate::catalogue::{Citation, FindingKind, joined};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use robots_policy::text::printable_json;
use serde::Serialize;
use std::io::{self, Write};

/// A writer of a log, which keeps no findings in memory.
#[derive(Debug)]
pub struct SarifLog<W> {
    out: W,
    is_begun: bool,
}

impl<W: Write> SarifLog<W> {
    /// Creates a log that is written to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            is_begun: false,
        }
    }

    /// Writes a finding in the file or response of this [`uri`](file_uri). `findings_of_kind` is the number of findings
    /// of the same kind in it, including those beyond the limit of a kind.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn add(
        &mut self,
        uri: &str,
        finding: &LocatedFinding<'_>,
        findings_of_kind: usize,
    ) -> io::Result<()> {
        if self.is_begun {
            write!(self.out, ",")?;
        } else {
            self.begin()?;
        }
        let json = serde_json::to_string(&SarifResult::new(uri, finding, findings_of_kind))?;
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
        write!(
            self.out,
            "{{\"version\":\"2.1.0\",\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
             \"runs\":[{{\"tool\":"
        )?;
        serde_json::to_writer(&mut self.out, &Tool::new())?;
        write!(
            self.out,
            ",\"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }
}

/// Returns the URI of a file of this path.
pub fn file_uri(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// The ASCII characters that are escaped in the path of a URI.
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

#[derive(Serialize)]
struct Tool {
    driver: Driver,
}

#[derive(Serialize)]
struct Driver {
    name: &'static str,
    version: &'static str,
    rules: Vec<ReportingDescriptor>,
}

impl Tool {
    fn new() -> Self {
        Self {
            driver: Driver {
                name: "robots",
                version: env!("CARGO_PKG_VERSION"),
                rules: FindingKind::ALL
                    .iter()
                    .map(|kind| ReportingDescriptor::new(*kind))
                    .collect(),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportingDescriptor {
    id: &'static str,
    name: &'static str,
    short_description: Text,
    help: Help,
    help_uri: String,
    default_configuration: Configuration,
}

impl ReportingDescriptor {
    fn new(kind: FindingKind) -> Self {
        Self {
            id: kind.code(),
            name: kind.name(),
            short_description: Text::new(kind.to_string()),
            help: Help::new(kind),
            help_uri: kind.url(),
            default_configuration: Configuration {
                level: kind.severity().name(),
            },
        }
    }
}

/// A `multiformatMessageString` object: the advice, with the citations, which are links in `markdown`.
#[derive(Serialize)]
struct Help {
    text: String,
    markdown: String,
}

impl Help {
    fn new(kind: FindingKind) -> Self {
        let help = kind.help();
        let links = |cited: &Citation| format!("[{cited}]({})", cited.url());
        Self {
            text: format!("{help} ({})", kind.standard()),
            markdown: format!("{help} ({})", joined(kind.citations(), links)),
        }
    }
}

#[derive(Serialize)]
struct Text {
    text: String,
}

impl Text {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

/// A `result` object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'static str,
    rule_index: Option<usize>,
    /// The names of severities are levels of SARIF.
    level: &'static str,
    message: Text,
    locations: [SarifLocation<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    related_locations: Option<[SarifLocation<'a>; 1]>,
    properties: FindingProperties,
}

/// The property bag of a result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingProperties {
    findings_of_kind: usize,
}

impl<'a> SarifResult<'a> {
    fn new(uri: &'a str, finding: &LocatedFinding<'_>, findings_of_kind: usize) -> Self {
        let kind = finding.kind;
        let related = finding.related.as_ref();
        Self {
            rule_id: kind.code(),
            rule_index: FindingKind::ALL.iter().position(|known| *known == kind),
            level: kind.severity().name(),
            message: Text::new(finding.message.as_str()),
            locations: [SarifLocation::new(uri, &finding.location, None)],
            related_locations: related
                .map(|(location, label)| [SarifLocation::new(uri, location, Some(label))]),
            properties: FindingProperties { findings_of_kind },
        }
    }
}

/// A `location` object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifLocation<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
    physical_location: PhysicalLocation<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation<'a> {
    artifact_location: ArtifactLocation<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation<'a> {
    uri: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    end_column: usize,
    byte_offset: usize,
    byte_length: usize,
}

impl<'a> SarifLocation<'a> {
    /// Creates a location; one in a header has no region, as regions are parts of the body.
    fn new(uri: &'a str, location: &Location<'_>, label: Option<&str>) -> Self {
        let region = || Region {
            start_line: location.line,
            start_column: location.column,
            end_column: location.end_column,
            byte_offset: location.offset,
            byte_length: location.length,
        };
        Self {
            message: label.map(Text::new),
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri },
                region: (!location.is_header).then(region),
            },
        }
    }
}
