//! The explanation of each kind: its section of docs/lints.md.

use super::DiagnosticKind;

/// The document that has a section for each kind; tests run its examples.
const DOCUMENT: &str = include_str!("../../../../docs/lints.md");

/// The address of the document, for links.
const ADDRESS: &str = "https://github.com/robots-engine/robots/blob/main/docs/lints.md";

impl DiagnosticKind {
    /// Returns the explanation in Markdown: the section of docs/lints.md, with its heading.
    pub fn explanation(self) -> &'static str {
        let heading = format!("## {} ", self.code());
        let Some(start) = DOCUMENT.find(&heading) else {
            return "";
        };
        let section = DOCUMENT.get(start..).unwrap_or_default();
        let end = section.get(3..).and_then(|rest| rest.find("\n## "));
        match end {
            Some(end) => section.get(..end.saturating_add(4)).unwrap_or(section),
            None => section,
        }
    }

    /// Returns the URL of the explanation.
    pub fn url(self) -> String {
        let code = self.code().to_ascii_lowercase();
        format!("{ADDRESS}#{code}-{}", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_an_explanation() {
        for kind in DiagnosticKind::ALL {
            let heading = format!("## {} {}\n", kind.code(), kind.name());
            assert!(kind.explanation().starts_with(&heading), "{heading}");
            assert_eq!(kind.explanation().matches("\n## ").count(), 0, "{heading}");
        }
    }
}
