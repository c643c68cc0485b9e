//! Why a field is what it is: statements with their sources, and what is odd about them.

pub(crate) use super::Field;
use crate::answer::answers;
use robots_meta::header::{PageHeader, RobotsHeader};
use std::fmt;

/// The text of reasons that follow from a URL that must not be fetched.
pub(crate) const NOT_FETCHED: &str = "not to be fetched";

answers! {
    /// What a statement did to the field that it concerns.
    Effect {
        /// This statement decides the field: the first of those that say the same.
        Decides = "decides",
        /// It says the same as the one that decides.
        Agrees = "agrees",
        /// It says something else, which did not count.
        Overruled = "overruled",
        /// It did not count, whatever it says: the profile does not honour it, or hears others
        /// before it.
        Ignored = "ignored",
    }
}

answers! {
    /// What is odd about what was said.
    WarningKind {
        /// The URL has no origin, so no robots.txt could be asked for it.
        NoOrigin = "no_origin",
        /// A `noindex` that a robot which obeys robots.txt never sees (`docs/semantics.md`, section 5.10).
        NoindexHidden = "noindex_hidden",
        /// A directive against another: `index` against `noindex`.
        Conflict = "conflict",
        /// A directive in a header against one in a META.
        HeaderAgainstMeta = "header_against_meta",
        /// A directive that has no effect under the profile: `noarchive` at Google.
        NoEffect = "no_effect",
        /// A line of robots.txt for every robot that this one does not hear, as a group names it
        /// (`docs/semantics.md`, section 10).
        HiddenByGroup = "hidden_by_group",
        /// A `tdm-policy` where nothing is reserved, which says nothing (`docs/semantics.md`, section 4.6).
        PolicyWithoutReservation = "policy_without_reservation",
        /// A directive that is not known; it is ignored.
        UnknownDirective = "unknown_directive",
        /// A directive whose value cannot be read; it is ignored.
        InvalidDirective = "invalid_directive",
        /// `indexifembedded` without `noindex`, which says nothing (`docs/semantics.md`, section 5.1).
        EmbeddedWithoutNoindex = "embedded_without_noindex",
        /// The HEAD was not read to its end, as it struck a limit or is cut: only what is forbidden is
        /// decided. So it is of a page that is cut where METAs in BODY count.
        HeadIncomplete = "head_incomplete",
        /// More directives than [`MAX_STATEMENTS`](crate::limits::MAX_STATEMENTS): only what is forbidden is
        /// decided.
        TooManyDirectives = "too_many_directives",
    }
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", tag = "source"))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub enum Source {
    /// A line of robots.txt.
    RobotsTxt {
        /// Its number, from 1.
        line: usize,
    },
    /// robots.txt as a whole: it has no rule for the page, or there is none.
    RobotsFetch,
    /// A header line of the response.
    Header {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        name: RobotsHeader,
        /// Its index among all header lines, from 0.
        #[cfg_attr(feature = "serde", serde(rename = "header"))]
        line: usize,
        /// The offset of the directive in the line's value, in bytes.
        offset: usize,
    },
    /// A header line of the response that says something of the page, and is no list of directives.
    PageHeader {
        /// Its name.
        #[cfg_attr(feature = "schema", schemars(with = "String"))]
        name: PageHeader,
        /// Its index among all header lines, from 0.
        #[cfg_attr(feature = "serde", serde(rename = "header"))]
        line: usize,
        /// The offset of the statement in the line's value, in bytes.
        offset: usize,
    },
    /// An entry of the site's tdmrep.json.
    Tdmrep {
        /// Its index, from 0.
        entry: usize,
    },
    /// A META of the page.
    Meta {
        /// The offset of its `<` in the page, in bytes.
        offset: usize,
    },
    /// The page as a whole.
    Page,
    /// The status of the response.
    Status,
    /// The URL.
    Url,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RobotsTxt { line } => write!(f, "robots.txt line {line}"),
            Self::RobotsFetch => f.write_str("robots.txt"),
            Self::Header { name, line, .. } => write!(f, "{name} header {line}"),
            Self::PageHeader { name, line, .. } => write!(f, "{name} header, line {line}"),
            Self::Tdmrep { entry } => write!(f, "tdmrep.json entry {entry}"),
            Self::Meta { offset } => write!(f, "META at byte {offset}"),
            Self::Page => f.write_str("page"),
            Self::Status => f.write_str("status"),
            Self::Url => f.write_str("URL"),
        }
    }
}

/// Why a field is what it is, or what was said in vain.
///
/// A field without a reason is as it is because nothing was said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Reason {
    /// The field.
    pub field: Field,
    /// Where the statement stands.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The statement: for people, and as written where it stands in the page.
    pub text: String,
    /// What it did.
    pub effect: Effect,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Printable(&self.text);
        write!(
            f,
            "{}: {text} ({} {})",
            self.source, self.effect, self.field
        )
    }
}

/// A text of a page or robots.txt as it may be shown: control characters are escaped, so that it
/// neither begins a line of its own nor speaks to a terminal.
pub(crate) struct Printable<'t>(pub(crate) &'t str);

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in self.0.split_inclusive(char::is_control) {
            let mut chars = part.chars();
            match chars.next_back() {
                Some(last) if last.is_control() => {
                    write!(f, "{}{}", chars.as_str(), last.escape_default())?;
                }
                _ => f.write_str(part)?,
            }
        }
        Ok(())
    }
}

/// Something odd, which did not keep the decision from being made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Warning {
    /// What is odd.
    pub kind: WarningKind,
    /// Where it stands.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub source: Source,
    /// The text that is odd, as written.
    pub text: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.kind {
            WarningKind::NoOrigin => "no robots.txt can be asked for it",
            WarningKind::NoindexHidden => "a robot that obeys robots.txt never sees this",
            WarningKind::Conflict => "contradicts another directive",
            WarningKind::HeaderAgainstMeta => "header and META contradict each other",
            WarningKind::NoEffect => "has no effect here",
            WarningKind::HiddenByGroup => "not heard, as another group names the robot",
            WarningKind::PolicyWithoutReservation => "says nothing, as nothing is reserved",
            WarningKind::UnknownDirective => "not a known directive",
            WarningKind::InvalidDirective => "its value cannot be read",
            WarningKind::EmbeddedWithoutNoindex => "says nothing without noindex",
            WarningKind::HeadIncomplete => "not read to its end",
            WarningKind::TooManyDirectives => "the rest is not heard",
        };
        write!(f, "{}: {}: {what}", self.source, Printable(&self.text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_neither_begins_a_line_nor_speaks_to_a_terminal() {
        let shown = |text| Printable(text).to_string();
        assert_eq!(shown("caf\u{e9}"), "caf\u{e9}");
        assert_eq!(shown("a\n  b\x1b[2K\u{85}"), "a\\n  b\\u{1b}[2K\\u{85}");
        assert_eq!(shown("\n\n"), "\\n\\n");
        assert_eq!(shown(""), "");
    }
}
