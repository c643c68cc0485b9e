//! The facts of a kind of finding, its explanation, and the search by code or name.

use super::Severity;
use super::citation::{Citation, FILES, joined};
use super::kinds::FindingKind;
use robots_policy::text::nearest;
use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// The document that has a section for each kind; tests run its examples. A link in the crate leads to it, so that the source
/// package for Python has it.
const DOCUMENT: &str = include_str!("../../lints.md");

impl FindingKind {
    /// Finds a kind by its code (`R014`) or its name (`unknown-field`); ASCII case is ignored.
    pub fn by_code_or_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| {
            text.eq_ignore_ascii_case(kind.code()) || text.eq_ignore_ascii_case(kind.name())
        })
    }

    /// Finds the kinds of a code, of a name, or of the start of a code: `R03` is R030 to R039.
    ///
    /// # Errors
    ///
    /// If no kind has it.
    pub fn matching(text: &str) -> Result<Vec<Self>, UnknownKind> {
        let begins = |kind: &Self| {
            let start = kind.code().get(..text.len());
            !text.is_empty() && start.is_some_and(|start| start.eq_ignore_ascii_case(text))
        };
        let kinds: Vec<Self> = Self::ALL.iter().copied().filter(begins).collect();
        if kinds.is_empty() {
            return Ok(vec![text.parse()?]);
        }
        Ok(kinds)
    }

    /// Returns the code: `R` (robots.txt) or `M` (pages and headers) and three digits.
    pub fn code(self) -> &'static str {
        self.facts().code
    }

    /// Returns the name, in lower case with hyphens.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Returns the severity.
    pub fn severity(self) -> Severity {
        self.facts().severity
    }

    /// Returns the message of a finding: that of the kind, and the detail if there is one.
    pub(crate) fn message(self, detail: Option<&str>) -> String {
        match detail {
            Some(detail) => format!("{self}: {detail}"),
            None => self.to_string(),
        }
    }

    /// Returns the advice: one sentence.
    pub fn help(self) -> &'static str {
        self.facts().help
    }

    /// Returns the sections of RFCs and of docs/semantics.md that the kind rests on; at least one.
    pub fn citations(self) -> &'static [Citation] {
        self.facts().citations
    }

    /// Returns the citations as text, separated by semicolons.
    pub fn standard(self) -> String {
        joined(self.citations(), Citation::to_string)
    }

    /// Returns the explanation in Markdown: the section of `lints.md`, with its heading. Its links are absolute.
    pub fn explanation(self) -> String {
        self.section().replace("](../..", &format!("]({FILES}"))
    }

    /// Returns the section of `lints.md`.
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
        format!("{FILES}/crates/robots-lint/lints.md#{code}-{}", self.name())
    }

    /// Returns whether the kind is about robots.txt files, rather than pages.
    pub fn is_about_robots_txt(self) -> bool {
        self.code().starts_with('R')
    }
}

impl FromStr for FindingKind {
    type Err = UnknownKind;

    /// Reads a code or a name: see [`by_code_or_name`](Self::by_code_or_name).
    fn from_str(text: &str) -> Result<Self, UnknownKind> {
        Self::by_code_or_name(text).ok_or_else(|| {
            // A code is near to many others by chance.
            let names = Self::ALL.iter().map(|kind| kind.name());
            UnknownKind {
                near: nearest(text, names),
            }
        })
    }
}

/// An error: no kind of finding has this code or name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKind {
    near: Option<&'static str>,
}

impl fmt::Display for UnknownKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.near {
            Some(near) => write!(f, "unknown code or name; did you mean {near:?}?"),
            None => f.write_str("unknown code or name; `robots lint --explain` lists them"),
        }
    }
}

impl Error for UnknownKind {}

impl fmt::Display for FindingKind {
    /// Writes the message of the kind, a clause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_and_names_are_unique_and_codes_in_order() {
        let (files, pages) = FindingKind::ALL
            .split_at(FindingKind::ALL.partition_point(|kind| kind.is_about_robots_txt()));
        assert!(pages.iter().all(|kind| kind.code().starts_with('M')));
        for kinds in [files, pages] {
            assert!(kinds.is_sorted_by(|one, two| one.code() < two.code()));
        }
        let names: HashSet<&str> = FindingKind::ALL.iter().map(|kind| kind.name()).collect();
        assert_eq!(names.len(), FindingKind::ALL.len());
        for kind in FindingKind::ALL {
            assert_eq!(FindingKind::by_code_or_name(kind.code()), Some(*kind));
            assert_eq!(FindingKind::by_code_or_name(kind.name()), Some(*kind));
            assert_eq!(kind.code().len(), 4);
        }
        assert_eq!(FindingKind::by_code_or_name("R999"), None);
    }

    #[test]
    fn the_start_of_a_code_matches_its_kinds() {
        let codes = |text: &str| -> Vec<&str> {
            let kinds = FindingKind::matching(text).unwrap_or_default();
            kinds.into_iter().map(FindingKind::code).collect()
        };
        assert_eq!(codes("r07"), ["R070", "R071"]);
        assert_eq!(codes("R071"), ["R071"]);
        assert_eq!(codes("invalid-ignore"), ["R071"]);
        let about_pages = FindingKind::ALL
            .iter()
            .filter(|kind| !kind.is_about_robots_txt());
        assert_eq!(codes("M").len(), about_pages.count());
        for none in ["", "R9", "R0711", "X", "é"] {
            assert_eq!(codes(none).len(), 0, "{none}");
        }
        let unknown = FindingKind::matching("shadowed-rules").unwrap_err();
        let message = "unknown code or name; did you mean \"shadowed-rule\"?";
        assert_eq!(unknown.to_string(), message);
    }

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
