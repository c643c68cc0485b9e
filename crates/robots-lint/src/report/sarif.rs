//! Findings as a SARIF 2.1.0 log (OASIS, 2020), which CI systems read.
//!
//! The types have only the properties that are written. The crates for SARIF are not used: they generate types from its
//! schema, and hold the whole log in memory.

use super::annotation::Annotation;
use super::gitlab::Fingerprints;
use super::{LocatedEdit, LocatedFinding, Location};
use crate::catalogue::{Citation, DOCUMENTS, FindingKind, Severity, joined};
use percent_encoding::{AsciiSet, CONTROLS, percent_encode};
use robots_policy::text::printable_json;
use serde::Serialize;
use std::io::{self, Write};
use std::path::Path;

/// The maximum length of a text that is quoted from a file, in bytes: a snippet, or the line around it. A longer one is left
/// out.
const MAX_QUOTED: usize = 1_024;

/// A writer of a log, which keeps no findings in memory.
#[derive(Debug)]
pub struct SarifLog<W> {
    out: W,
    rules: Vec<ReportingDescriptor>,
    newlines: &'static [&'static str],
    is_begun: bool,
    fingerprints: Fingerprints,
}

impl<W: Write> SarifLog<W> {
    /// Creates a log of findings on robots.txt files, in which CR alone ends a line, too.
    pub fn of_robots_txt(out: W) -> Self {
        let rules = FindingKind::ALL.iter().copied();
        let rules = rules.map(ReportingDescriptor::new).collect();
        Self::new(out, rules, &["\r\n", "\n", "\r"])
    }

    /// Creates a log of findings on pages.
    pub fn of_pages(out: W) -> Self {
        Self {
            newlines: &["\r\n", "\n"],
            ..Self::of_robots_txt(out)
        }
    }

    /// Creates a log of annotations of lines of robots.txt files, about one rule.
    pub fn of_rule(out: W, rule: ReportingDescriptor) -> Self {
        Self::new(out, vec![rule], &["\r\n", "\n", "\r"])
    }

    fn new(out: W, rules: Vec<ReportingDescriptor>, newlines: &'static [&'static str]) -> Self {
        Self {
            out,
            rules,
            newlines,
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
        let related = finding.related.as_ref();
        let annotation = Annotation::of_finding(uri, finding);
        let result = SarifResult {
            locations: [SarifLocation::new(uri, &finding.location, None)],
            related_locations: related
                .map(|(location, label)| [SarifLocation::new(uri, location, Some(label))]),
            fixes: SarifFix::of(uri, finding.kind, edits).map(|fix| [fix]),
            properties: Some(FindingProperties { findings_of_kind }),
            ..self.result(&annotation)
        };
        self.write(&result)
    }

    /// Writes an annotation; its path is the [`uri`](file_uri).
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn add_annotation(&mut self, annotation: &Annotation<'_>) -> io::Result<()> {
        let result = self.result(annotation);
        self.write(&result)
    }

    fn result<'a>(&mut self, annotation: &'a Annotation<'_>) -> SarifResult<'a> {
        let mut rules = self.rules.iter();
        SarifResult {
            rule_id: annotation.code,
            rule_index: rules.position(|rule| rule.id == annotation.code),
            level: annotation.severity.name(),
            message: Text::new(&*annotation.message),
            locations: [SarifLocation::of_annotation(annotation)],
            related_locations: None,
            fixes: None,
            partial_fingerprints: PartialFingerprints {
                line: self.fingerprints.of(annotation),
            },
            properties: None,
        }
    }

    fn write(&mut self, result: &SarifResult<'_>) -> io::Result<()> {
        if self.is_begun {
            write!(self.out, ",")?;
        } else {
            self.begin()?;
        }
        let json = serde_json::to_string(result)?;
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
        serde_json::to_writer(&mut self.out, &Tool::new(&self.rules))?;
        write!(self.out, ",\"newlineSequences\":")?;
        serde_json::to_writer(&mut self.out, self.newlines)?;
        write!(
            self.out,
            ",\"columnKind\":\"unicodeCodePoints\",\"results\":["
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

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Driver<'a> {
    name: &'static str,
    version: &'static str,
    information_uri: &'static str,
    rules: &'a [ReportingDescriptor],
}

impl<'a> Tool<'a> {
    fn new(rules: &'a [ReportingDescriptor]) -> Self {
        Self {
            driver: Driver {
                name: "robots",
                version: env!("CARGO_PKG_VERSION"),
                information_uri: DOCUMENTS,
                rules,
            },
        }
    }
}

/// A `reportingDescriptor` object: a rule of the tool.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportingDescriptor {
    id: &'static str,
    name: &'static str,
    short_description: Text,
    help: Help,
    help_uri: String,
    default_configuration: Configuration,
}

impl ReportingDescriptor {
    /// Creates a rule of the level `error` with this code, which is its name, too.
    pub fn of_error(code: &'static str, description: &str, help: &str, help_uri: &str) -> Self {
        Self {
            id: code,
            name: code,
            short_description: Text::new(description),
            help: Help {
                text: help.to_owned(),
                markdown: help.to_owned(),
            },
            help_uri: help_uri.to_owned(),
            default_configuration: Configuration {
                level: Severity::Error.name(),
            },
        }
    }

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
#[derive(Debug, Serialize)]
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

#[derive(Debug, Serialize)]
struct Text {
    text: String,
}

impl Text {
    fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}

#[derive(Debug, Serialize)]
struct Configuration {
    level: &'static str,
}

/// A `result` object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifResult<'a> {
    rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    /// The names of severities are levels of SARIF.
    level: &'static str,
    message: Text,
    locations: [SarifLocation<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    related_locations: Option<[SarifLocation<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<[SarifFix<'a>; 1]>,
    partial_fingerprints: PartialFingerprints,
    #[serde(skip_serializing_if = "Option::is_none")]
    properties: Option<FindingProperties>,
}

#[derive(Serialize)]
struct PartialFingerprints {
    /// Depends on the file, the rule and the text of the line, in this version.
    #[serde(rename = "robotsLine/v1")]
    line: String,
}

/// The property bag of a result.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FindingProperties {
    findings_of_kind: usize,
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
    /// The whole line.
    #[serde(skip_serializing_if = "Option::is_none")]
    context_region: Option<ContextRegion>,
}

#[derive(Serialize)]
struct ArtifactLocation<'a> {
    uri: &'a str,
}

/// A `region` object: a part of a line, or of several lines.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: usize,
    start_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    end_column: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_offset: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte_length: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextRegion {
    start_line: usize,
    snippet: Text,
}

impl<'a> SarifLocation<'a> {
    /// Creates a location; one in a header has no region, as regions are parts of the body.
    fn new(uri: &'a str, location: &Location<'_>, label: Option<&str>) -> Self {
        let region = || Region {
            start_line: location.line,
            start_column: location.column,
            end_line: None,
            end_column: location.end_column,
            byte_offset: Some(location.offset),
            byte_length: Some(location.length),
            snippet: quoted(location.text.get(location.part.clone()).unwrap_or_default()),
        };
        let is_in_body = !location.is_header;
        let mut sarif = Self {
            message: label.map(Text::new),
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation { uri },
                region: is_in_body.then(region),
                context_region: None,
            },
        };
        if is_in_body {
            sarif.physical_location.context_region =
                ContextRegion::new(location.line, &location.text);
        }
        sarif
    }

    fn of_annotation(annotation: &'a Annotation<'_>) -> Self {
        let place = annotation.place;
        Self {
            message: None,
            physical_location: PhysicalLocation {
                artifact_location: ArtifactLocation {
                    uri: annotation.path,
                },
                region: place.map(|place| Region {
                    start_line: place.line,
                    start_column: place.column,
                    end_line: None,
                    end_column: place.end_column,
                    byte_offset: None,
                    byte_length: None,
                    snippet: None,
                }),
                context_region: place
                    .and_then(|place| ContextRegion::new(place.line, &annotation.text)),
            },
        }
    }
}

impl ContextRegion {
    fn new(line: usize, text: &[u8]) -> Option<Self> {
        Some(Self {
            start_line: line,
            snippet: quoted(text)?,
        })
    }
}

/// Returns a quoted text; none if it is empty, too long or not UTF-8.
fn quoted(text: &[u8]) -> Option<Text> {
    let text = str::from_utf8(text).ok()?;
    (1..=MAX_QUOTED)
        .contains(&text.len())
        .then(|| Text::new(text))
}

/// A `fix` object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SarifFix<'a> {
    description: Text,
    artifact_changes: [ArtifactChange<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ArtifactChange<'a> {
    artifact_location: ArtifactLocation<'a>,
    replacements: Vec<Replacement>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement {
    deleted_region: Region,
    inserted_content: Text,
}

impl<'a> SarifFix<'a> {
    /// Creates a fix of these edits; `None` if there are none, or a new text is not UTF-8, which SARIF cannot insert into a
    /// text.
    fn of(uri: &'a str, kind: FindingKind, edits: &[LocatedEdit]) -> Option<Self> {
        let replacements: Option<Vec<Replacement>> = edits.iter().map(Replacement::new).collect();
        let replacements = replacements.filter(|all| !all.is_empty())?;
        Some(Self {
            description: Text::new(kind.help()),
            artifact_changes: [ArtifactChange {
                artifact_location: ArtifactLocation { uri },
                replacements,
            }],
        })
    }
}

impl Replacement {
    fn new(located: &LocatedEdit) -> Option<Self> {
        let span = located.edit.span();
        Some(Self {
            deleted_region: Region {
                start_line: located.start.0,
                start_column: located.start.1,
                end_line: Some(located.end.0),
                end_column: located.end.1,
                byte_offset: Some(span.start),
                byte_length: Some(span.len()),
                snippet: None,
            },
            inserted_content: Text::new(str::from_utf8(located.edit.replacement()).ok()?),
        })
    }
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
