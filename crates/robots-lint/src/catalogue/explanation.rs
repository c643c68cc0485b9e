//! The explanation of each kind: its section of docs/lints.md.

use super::FindingKind;
use super::citation::DOCUMENTS;

/// The document that has a section for each kind; tests run its examples.
const DOCUMENT: &str = include_str!("../../../../docs/lints.md");

impl FindingKind {
    /// Returns the explanation in Markdown: the section of docs/lints.md, with its heading. Its links are absolute.
    pub fn explanation(self) -> String {
        let target = format!("]({DOCUMENTS}/semantics.md");
        self.section().replace("](semantics.md", &target)
    }

    /// Returns the section of docs/lints.md.
    fn section(self) -> &'static str {
        let heading = format!("## {} ", self.code());
        // A test checks that each kind has its section.
        let Some(start) = DOCUMENT.find(&heading) else {
            return "";
        };
        let section = &DOCUMENT[start..];
        // The next heading; the section keeps the line feed before it.
        match section.find("\n## ") {
            Some(end) => section.get(..=end).unwrap_or(section),
            None => section,
        }
    }

    /// Returns the URL of the explanation.
    pub fn url(self) -> String {
        let code = self.code().to_ascii_lowercase();
        format!("{DOCUMENTS}/lints.md#{code}-{}", self.name())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::super::citation::joined;
    use super::*;

    #[test]
    fn every_kind_has_an_explanation_with_its_severity_and_sources() {
        assert_eq!(DOCUMENT.matches("\n## ").count(), FindingKind::ALL.len());
        for kind in FindingKind::ALL {
            let explanation = kind.explanation();
            let mut lines = explanation.lines();
            let heading = format!("## {} {}", kind.code(), kind.name());
            assert_eq!(lines.next(), Some(heading.as_str()));
            assert_eq!(lines.next(), Some(""), "{heading}");
            let severity = kind.severity().name();
            let facts = format!(
                "*{}{}. {}.*",
                severity[..1].to_uppercase(),
                &severity[1..],
                joined(kind.citations(), |cited| format!(
                    "[{cited}]({})",
                    cited.url()
                ))
            );
            assert_eq!(lines.next(), Some(facts.as_str()), "{heading}");
            assert!(lines.all(|line| !line.starts_with("## ")), "{heading}");
        }
    }
}
