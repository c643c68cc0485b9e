//! Annotations as a Code Quality report of GitLab, a JSON array.

use super::annotation::Annotation;
use crate::catalogue::Severity;
use robots_policy::text::printable_json;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::{self, Write};

/// A writer of a report, which keeps only the fingerprints of one file in memory.
#[derive(Debug)]
pub struct CodeQuality<W> {
    out: W,
    is_begun: bool,
    fingerprints: Fingerprints,
}

impl<W: Write> CodeQuality<W> {
    /// Creates a report that is written to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            is_begun: false,
            fingerprints: Fingerprints::default(),
        }
    }

    /// Writes an annotation. Those of one path follow one another.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn add(&mut self, annotation: &Annotation<'_>) -> io::Result<()> {
        let line = annotation.place.map_or(1, |place| place.line);
        let severity = match annotation.severity {
            Severity::Error => "major",
            Severity::Warning => "minor",
            Severity::Note => "info",
        };
        // The keys that GitLab requires.
        let json = json!({
            "description": annotation.message,
            "check_name": annotation.code,
            "fingerprint": self.fingerprints.of(annotation),
            "severity": severity,
            "location": {
                "path": annotation.repository_path(),
                "lines": { "begin": line, "end": line },
            },
        })
        .to_string();
        write!(self.out, "{}", if self.is_begun { ",\n" } else { "[\n" })?;
        self.is_begun = true;
        self.out.write_all(printable_json(&json).as_bytes())
    }

    /// Writes the end of the report.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn end(&mut self) -> io::Result<()> {
        writeln!(self.out, "{}", if self.is_begun { "\n]" } else { "[]" })
    }
}

/// The fingerprints of annotations, by which systems recognise an annotation in the next version of a file.
///
/// A fingerprint depends on the path, the code and the text of the line, so it stays the same when other lines are
/// inserted. Annotations that agree in these are numbered.
#[derive(Debug, Default)]
pub(super) struct Fingerprints {
    path: String,
    numbers: HashMap<[u8; 16], u32>,
}

impl Fingerprints {
    /// Returns the next fingerprint: 32 hexadecimal digits.
    pub(super) fn of(&mut self, annotation: &Annotation<'_>) -> String {
        if self.path != annotation.path {
            annotation.path.clone_into(&mut self.path);
            self.numbers.clear();
        }
        let parts = [
            annotation.path.as_bytes(),
            annotation.code.as_bytes(),
            &annotation.text,
        ];
        let same = digest(&parts);
        let number = self.numbers.entry(same).or_default();
        *number += 1;
        let unique = digest(&[&same, &number.to_be_bytes()]);
        format!("{:032x}", u128::from_be_bytes(unique))
    }
}

/// Returns the first 16 bytes of the SHA-256 of parts, each with its length.
fn digest(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut start = [0; 16];
    start.copy_from_slice(&hash.finalize()[..16]);
    start
}
