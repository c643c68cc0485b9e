//! Dialects: what each standard and each engine makes of the same file, as data.
//!
//! A [`Dialect`] is a set of switches, each with its source. The parser knows none of them; they
//! are asked when lines are judged ([`RobotsTxt::directives`](crate::RobotsTxt::directives)) and
//! when rules are compiled ([`RobotsTxt::rules`](crate::RobotsTxt::rules)). A dialect of your own
//! is made from one of the constants by changing switches:
//!
//! ```
//! use robots_txt::{Dialect, FieldNames, RobotsTxt, Target};
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDissallow: /private");
//! let target = Target::new("https://example.com/private");
//! assert!(robots.rules("AnyBot", &Dialect::RFC9309).verdict(&target).is_allowed());
//!
//! let lenient = Dialect::RFC9309.with_field_names(FieldNames::PrefixesAndTypos);
//! assert!(!robots.rules("AnyBot", &lenient).verdict(&target).is_allowed());
//! ```

use crate::line::{Field, LONG_LINE, Line, LineFacts, LineKind, Spelling, byte_order_mark};
use memchr::memchr;

/// The part of a file that RFC 9309, 2.5, asks a crawler to read at the least: 500 KiB.
pub const RFC9309_SIZE_LIMIT: usize = 500 * 1024;

/// What to do with a byte order mark at the start of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// It is part of the first line, which then names no known field (the ABNF of RFC 9309, 2.2,
    /// taken at its word).
    Keep,
    /// A whole mark is skipped.
    Skip,
    /// Any leading bytes that match the start of a mark are skipped (google/robotstxt,
    /// SEMANTICS 2.2).
    SkipPartial,
}

/// What to do with a NUL byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NulByte {
    /// It is a byte like any other.
    Keep,
    /// The rest of the line is ignored (google/robotstxt, whose lines are C strings).
    EndsLine,
}

/// Which names of fields are accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldNames {
    /// The exact names, in any case (RFC 9309, 2.2).
    Exact,
    /// Also names that go on (`Disallowed`) and frequent misspellings (`Disalow`):
    /// google/robotstxt, SEMANTICS 2.2.
    PrefixesAndTypos,
}

/// What may stand between field and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Separator {
    /// A colon (RFC 9309, 2.2).
    Colon,
    /// A colon, or white space if the line has exactly two words (google/robotstxt,
    /// SEMANTICS 2.2).
    ColonOrSpace,
}

/// How the name in a `User-agent` line is compared with the robot's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentMatch {
    /// The letters, hyphens and underscores that both begin with are equal, in any case
    /// (RFC 9309, 2.2.1, taken at its word: `MJ12bot` is the token `MJ`).
    RfcToken,
    /// As [`RfcToken`](Self::RfcToken), but a token may also have digits and dots
    /// (SEMANTICS 8.2, lenient).
    Token,
    /// The letters, hyphens and underscores that the line's name begins with are the robot's
    /// whole name, in any case (google/robotstxt, SEMANTICS 2.2).
    LineTokenIsName,
}

/// Whether one `User-agent` line may name several robots.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentList {
    /// A line names one robot (RFC 9309, 2.2.1).
    One,
    /// Commas separate names (RFC 9309, erratum 8895, reported).
    Commas,
}

/// How patterns and targets are brought to one form before they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `%XX` of unreserved characters is decoded, of all others kept with upper-case digits;
    /// what may not stand in a URL, and a `%` that begins no escape, is encoded; reserved characters
    /// stay as they are
    /// (RFC 9309, 2.2.2, in the reading of SEMANTICS 1.4).
    Unreserved,
    /// As [`Unreserved`](Self::Unreserved), and behind the first `=` of each query parameter
    /// `:` and `/` are encoded, as the second row of the RFC's table has it (SEMANTICS 1.4: almost
    /// nobody does this).
    RfcTable,
    /// Targets are taken as they come; in patterns, non-ASCII bytes are encoded and the digits of
    /// `%XX` made upper-case (google/robotstxt, SEMANTICS 2.2).
    Verbatim,
}

/// Whether an allowed index page stands for its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexPage {
    /// A page like any other.
    Plain,
    /// `Allow: /folder/index.html` also allows `/folder/` itself (google/robotstxt,
    /// SEMANTICS 2.2).
    StandsForFolder,
}

/// Whether `/robots.txt` itself can be disallowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnPath {
    /// `/robots.txt` is always allowed (RFC 9309, 2.2.2).
    AlwaysAllowed,
    /// It is a path like any other (google/robotstxt leaves it to its caller).
    LikeAnyOther,
}

/// One reading of robots.txt.
///
/// The constants are the readings that this crate knows. The switches are private, so that new
/// ones can come; each has a `with_` method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Dialect {
    pub(crate) name: &'static str,
    pub(crate) byte_order_mark: ByteOrderMark,
    pub(crate) nul_byte: NulByte,
    pub(crate) line_limit: Option<usize>,
    pub(crate) size_limit: Option<usize>,
    pub(crate) field_names: FieldNames,
    pub(crate) separator: Separator,
    pub(crate) agent_match: AgentMatch,
    pub(crate) agent_list: AgentList,
    pub(crate) encoding: Encoding,
    pub(crate) index_page: IndexPage,
    pub(crate) own_path: OwnPath,
}

impl Dialect {
    /// RFC 9309 (September 2022), with the leniencies that real files need. SEMANTICS 1.
    ///
    /// All groups that name the robot are one; the longest pattern wins and `Allow` wins a tie.
    /// Lenient beyond the ABNF: a byte order mark is skipped; tokens may have digits and dots, and
    /// what follows a token or a `*` in its line is ignored; a pattern may begin with `*`
    /// (erratum 7995); vertical tabs and form feeds are white space. The first 500 KiB of a file
    /// count (2.5).
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        byte_order_mark: ByteOrderMark::Skip,
        nul_byte: NulByte::Keep,
        line_limit: None,
        size_limit: Some(RFC9309_SIZE_LIMIT),
        field_names: FieldNames::Exact,
        separator: Separator::Colon,
        agent_match: AgentMatch::Token,
        agent_list: AgentList::One,
        encoding: Encoding::Unreserved,
        index_page: IndexPage::Plain,
        own_path: OwnPath::AlwaysAllowed,
    };

    /// google/robotstxt as of 2026-04-01, verdict and deciding line. SEMANTICS 2.2.
    ///
    /// This is the library, which reads all that it is given: Google's crawlers hand it the first
    /// 500 KiB of a file (SEMANTICS 2.1), which is
    /// `Dialect::GOOGLE.with_size_limit(Some(RFC9309_SIZE_LIMIT))` here.
    pub const GOOGLE: Self = Self {
        name: "google",
        byte_order_mark: ByteOrderMark::SkipPartial,
        nul_byte: NulByte::EndsLine,
        line_limit: Some(LONG_LINE),
        size_limit: None,
        field_names: FieldNames::PrefixesAndTypos,
        separator: Separator::ColonOrSpace,
        agent_match: AgentMatch::LineTokenIsName,
        agent_list: AgentList::One,
        encoding: Encoding::Verbatim,
        index_page: IndexPage::StandsForFolder,
        own_path: OwnPath::LikeAnyOther,
    };

    /// Every constant, for tables and command lines.
    pub const ALL: &'static [Self] = &[Self::RFC9309, Self::GOOGLE];

    /// The constant of this name (ASCII case ignored): `rfc9309`, `google`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|dialect| dialect.name.eq_ignore_ascii_case(name))
            .copied()
    }

    /// The name of the constant that this dialect was made from; the `with_` methods keep it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The number of bytes of a file beyond which the rest is ignored, if there is such a limit.
    pub const fn size_limit(&self) -> Option<usize> {
        self.size_limit
    }

    /// With another treatment of a byte order mark.
    #[must_use]
    pub const fn with_byte_order_mark(self, byte_order_mark: ByteOrderMark) -> Self {
        Self {
            byte_order_mark,
            ..self
        }
    }

    /// With another treatment of NUL bytes.
    #[must_use]
    pub const fn with_nul_byte(self, nul_byte: NulByte) -> Self {
        Self { nul_byte, ..self }
    }

    /// With another limit, in bytes, beyond which the rest of a line is ignored.
    #[must_use]
    pub const fn with_line_limit(self, line_limit: Option<usize>) -> Self {
        Self { line_limit, ..self }
    }

    /// With another limit, in bytes, beyond which the rest of a file is ignored. A line that the
    /// limit cuts is ignored as a whole (SEMANTICS 8.1).
    #[must_use]
    pub const fn with_size_limit(self, size_limit: Option<usize>) -> Self {
        Self { size_limit, ..self }
    }

    /// With another choice of accepted names of fields.
    #[must_use]
    pub const fn with_field_names(self, field_names: FieldNames) -> Self {
        Self {
            field_names,
            ..self
        }
    }

    /// With another choice of accepted separators.
    #[must_use]
    pub const fn with_separator(self, separator: Separator) -> Self {
        Self { separator, ..self }
    }

    /// With another comparison of robots' names.
    #[must_use]
    pub const fn with_agent_match(self, agent_match: AgentMatch) -> Self {
        Self {
            agent_match,
            ..self
        }
    }

    /// With another reading of commas in `User-agent` lines.
    #[must_use]
    pub const fn with_agent_list(self, agent_list: AgentList) -> Self {
        Self { agent_list, ..self }
    }

    /// With another form in which patterns and targets are compared.
    #[must_use]
    pub const fn with_encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// With another reading of allowed index pages.
    #[must_use]
    pub const fn with_index_page(self, index_page: IndexPage) -> Self {
        Self { index_page, ..self }
    }

    /// With another treatment of the path `/robots.txt`.
    #[must_use]
    pub const fn with_own_path(self, own_path: OwnPath) -> Self {
        Self { own_path, ..self }
    }

    /// The line as this dialect sees it: without what it skips, up to where it stops reading.
    pub(crate) fn narrow<'a>(&self, line: Line<'a>) -> Line<'a> {
        let odd = LineFacts::NUL | LineFacts::BYTE_ORDER_MARK | LineFacts::PARTIAL_BYTE_ORDER_MARK;
        let limit = self.line_limit.unwrap_or(usize::MAX);
        if !line.facts().intersects(odd) && line.bytes().len() <= limit {
            return line;
        }
        let mark = if line.number() == 1 {
            byte_order_mark(line.bytes())
        } else {
            0
        };
        let skip = match self.byte_order_mark {
            ByteOrderMark::SkipPartial => mark,
            ByteOrderMark::Skip if mark == 3 => mark,
            ByteOrderMark::Skip | ByteOrderMark::Keep => 0,
        };
        let mut end = limit;
        if self.nul_byte == NulByte::EndsLine {
            let nul = line.bytes().get(skip..).and_then(|text| memchr(0, text));
            end = end.min(nul.unwrap_or(usize::MAX));
        }
        line.narrowed(skip, end)
    }

    /// The field that a line has under this dialect: `None` if it is no directive.
    pub(crate) fn field(&self, line: &Line<'_>) -> Option<Field> {
        if line.kind() != LineKind::Directive
            || self.separator == Separator::Colon && line.facts().contains(LineFacts::NO_COLON)
        {
            return None;
        }
        let known = match self.field_names {
            FieldNames::Exact => line.spelling() == Spelling::Exact,
            FieldNames::PrefixesAndTypos => true,
        };
        Some(if known { line.field() } else { Field::Other })
    }
}

impl Default for Dialect {
    /// [`Dialect::RFC9309`].
    fn default() -> Self {
        Self::RFC9309
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RobotsTxt, Target};

    #[test]
    fn a_line_is_read_up_to_the_limit() {
        let body = b"User-agent: *\nDisallow: /abc\n";
        let pattern = |limit| {
            let dialect = Dialect::RFC9309.with_line_limit(Some(limit));
            let rules = RobotsTxt::parse(body).rules("a", &dialect);
            rules.iter().next().map(|rule| rule.pattern().to_vec())
        };
        let length = b"Disallow: /abc".len();
        assert_eq!(pattern(length - 1).as_deref(), Some(&b"/ab"[..]));
        assert_eq!(pattern(length).as_deref(), Some(&b"/abc"[..]));
        assert_eq!(pattern(length + 1).as_deref(), Some(&b"/abc"[..]));
    }

    #[test]
    fn google_reads_a_line_up_to_its_limit() {
        let allowed = |line: usize| {
            let mut body = b"User-agent: *\nDisallow: /".to_vec();
            body.resize(b"User-agent: *\n".len() + line - 1, b'a');
            body.push(b'b');
            let target = format!("/{}b", "a".repeat(line - b"Disallow: /b".len()));
            let rules = RobotsTxt::parse(&body).rules("a", &Dialect::GOOGLE);
            let pattern = rules.iter().next().unwrap().pattern().len();
            let allowed = rules.verdict(&Target::new(target)).is_allowed();
            (pattern + b"Disallow: ".len(), allowed)
        };
        assert_eq!(allowed(LONG_LINE - 1), (LONG_LINE - 1, false));
        assert_eq!(allowed(LONG_LINE), (LONG_LINE, false));
        // The last byte of the line is not read, and any other would do in its place.
        assert_eq!(allowed(LONG_LINE + 1), (LONG_LINE, false));
    }
}
