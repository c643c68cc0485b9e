//! The facts of a kind of finding, and the search by code or name.

use super::Severity;
use super::citation::{Citation, joined};
use super::kinds::FindingKind;
use std::fmt;

impl FindingKind {
    /// Finds a kind by its code (`R014`) or its name (`unknown-field`); ASCII case is ignored.
    pub fn by_code_or_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| {
            text.eq_ignore_ascii_case(kind.code()) || text.eq_ignore_ascii_case(kind.name())
        })
    }

    /// Finds the kinds of a code, of a name, or of the start of a code: `R03` is R030 to R039. Returns none if no kind has it.
    pub fn matching(text: &str) -> Vec<Self> {
        if let Some(kind) = Self::by_code_or_name(text) {
            return vec![kind];
        }
        let begins = |kind: &Self| {
            let start = kind.code().get(..text.len());
            !text.is_empty() && start.is_some_and(|start| start.eq_ignore_ascii_case(text))
        };
        Self::ALL.iter().copied().filter(begins).collect()
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

    /// Returns whether the kind is about robots.txt files, rather than pages.
    pub fn is_about_robots_txt(self) -> bool {
        self.code().starts_with('R')
    }
}

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
            let kinds = FindingKind::matching(text).into_iter();
            kinds.map(FindingKind::code).collect()
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
    }
}
