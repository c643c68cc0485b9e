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
#[allow(clippy::unwrap_used, reason = "a failure here fails the test")]
mod tests {
    use super::*;

    /// Removes the targets of Markdown links.
    fn without_targets(text: &str) -> String {
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, link)) = rest.split_once('[') {
            let (label, target) = link.split_once("](").unwrap();
            let (target, after) = target.split_once(')').unwrap();
            let section = label.replace('.', "-");
            let expected = Some(("semantics.md", section.as_str()));
            assert_eq!(target.split_once("#s-"), expected, "{text}");
            plain.push_str(before);
            plain.push_str(label);
            rest = after;
        }
        plain + rest
    }

    #[test]
    fn every_kind_has_an_explanation_with_its_severity_and_sources() {
        assert_eq!(DOCUMENT.matches("\n## ").count(), DiagnosticKind::ALL.len());
        for kind in DiagnosticKind::ALL {
            let mut lines = kind.explanation().lines();
            let heading = format!("## {} {}", kind.code(), kind.name());
            assert_eq!(lines.next(), Some(heading.as_str()));
            assert_eq!(lines.next(), Some(""), "{heading}");
            let severity = kind.severity().name();
            let facts = format!(
                "*{}{}. {}.*",
                severity[..1].to_uppercase(),
                &severity[1..],
                kind.standard()
            );
            assert_eq!(without_targets(lines.next().unwrap()), facts, "{heading}");
            assert!(lines.all(|line| !line.starts_with("## ")), "{heading}");
        }
    }
}
