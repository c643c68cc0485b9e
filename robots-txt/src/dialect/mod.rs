//! Dialects: the readings of a file by each standard and each engine, as data.
//!
//! A [`Dialect`] is a set of switches, each with its source. The parser does not use them. They apply
//! when the fields of lines are resolved
//! ([`RobotsTxt::directives`](crate::RobotsTxt::directives)) and when rules are compiled ([`RobotsTxt::rules`](crate::RobotsTxt::rules)). A dialect of your own
//! is made from one of the constants by changing switches:
//!
//! ```
//! use robots_txt::{Dialect, RobotsTxt, Target};
//! use robots_txt::dialect::FieldNames;
//!
//! let robots = RobotsTxt::parse(b"User-agent: *\nDissallow: /private");
//! let target = Target::new("https://example.com/private");
//! assert!(robots.rules("AnyBot", &Dialect::RFC9309).verdict(&target).is_allowed());
//!
//! let lenient = Dialect::RFC9309.with_field_names(FieldNames::PrefixesAndTypos);
//! assert!(!robots.rules("AnyBot", &lenient).verdict(&target).is_allowed());
//! ```

mod presets;
mod switch;

pub use crate::parse::lines::LineEnd;
pub use switch::{
    AgentList, AgentMatch, AllowRules, BarePattern, ByteOrderMark, DelayScope, EmptyPattern,
    Encoding, FieldNames, GroupChoice, GroupEnd, IndexPage, NulByte, OverLimit, OwnPath,
    PatternSyntax, RuleOrder, RulesBeforeAgent, Separator,
};

use crate::limits::LONG_LINE;
use crate::limits::MAX_BODY;
use crate::parse::field::{Field, Spelling};
use crate::parse::line::{Line, LineFacts, LineKind};
use crate::parse::text::byte_order_mark;
use memchr::memchr;
use std::fmt;

/// Returns the FNV-1a checksum, of 32 bits, of some numbers.
fn checksum(numbers: &[u64]) -> u32 {
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    bytes.fold(0x811C_9DC5, |sum, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// A limit in bytes, if there is one. It is small, as dialects are kept with every host's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Limit(u32);

impl Limit {
    /// Creates a limit. A limit of [`MAX_BODY`] or more is the same as none: no parsed body is longer.
    const fn new(limit: Option<usize>) -> Self {
        match limit {
            #[expect(
                clippy::cast_possible_truncation,
                reason = "it is below the cap of a body"
            )]
            Some(limit) if limit < MAX_BODY => Self(limit as u32),
            _ => Self(u32::MAX),
        }
    }

    pub(crate) const fn get(self) -> Option<usize> {
        match self.0 {
            u32::MAX => None,
            limit => Some(limit as usize),
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Some(limit) => write!(f, "{limit} bytes"),
            None => f.write_str("none"),
        }
    }
}

/// Converts a name in camel case to words in lower case: `AllowFirst` to `allow first`.
fn words(camel: &str) -> String {
    let mut words = String::with_capacity(camel.len() + 8);
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Generates [`Dialect`], with a method for each switch, and [`Switch`], which lists the switches.
macro_rules! switches {
    (limits: $($limit:ident: $limit_name:ident)*; $($(#[$doc:meta])* $with:ident($switch:ident: $type:ident);)*) => {
        /// The reading of robots.txt by a standard or an engine: a set of switches.
        ///
        /// | constant | name | reading | groups | the rule that decides | patterns |
        /// |---|---|---|---|---|---|
        /// | [`RFC9309`](Self::RFC9309) | `rfc9309` | the standard of 2022 | all | longest | wildcards |
        /// | [`GOOGLE`](Self::GOOGLE) | `google` | google/robotstxt | all | longest | wildcards |
        /// | [`BING`](Self::BING) | `bing` | Bing | all | longest | wildcards |
        /// | [`YANDEX`](Self::YANDEX) | `yandex` | Yandex | all | longest | wildcards |
        /// | [`BAIDU`](Self::BAIDU) | `baidu` | Baidu | first | first | wildcards; anywhere in the path if they begin without a slash |
        /// | [`SEZNAM`](Self::SEZNAM) | `seznam` | Seznam | all | longest | wildcards |
        /// | [`APPLE`](Self::APPLE) | `apple` | Apple | all | longest | wildcards |
        /// | [`KOSTER_1994`](Self::KOSTER_1994) | `koster1994` | the standard of 1994 | first | first | prefixes |
        /// | [`KOSTER_1996`](Self::KOSTER_1996) | `koster1996` | version 1.0, as in *HTTP: The Definitive Guide* | first | first | prefixes |
        /// | [`KOSTER_1996_DRAFT`](Self::KOSTER_1996_DRAFT) | `koster1996-draft` | version 1.0, as in the Internet draft | first | first | prefixes |
        /// | [`CONNER_1996`](Self::CONNER_1996) | `conner1996` | Conner's version 2.0 | first | by type | shell patterns |
        /// | [`WWW_ROBOT_RULES`](Self::WWW_ROBOT_RULES) | `www-robotrules` | libwww-perl | first, or all of `*` | first | prefixes |
        /// | [`PYTHON_ROBOTPARSER`](Self::PYTHON_ROBOTPARSER) | `python-robotparser` | `urllib.robotparser` of Python 3.8 to 3.12 | first | first | prefixes |
        /// | [`PROTEGO`](Self::PROTEGO) | `protego` | Protego 0.7.0 | all of the longest name | longest | wildcards |
        /// | [`ALLOW_FIRST`](Self::ALLOW_FIRST) | `allow-first` | early Google and Yahoo | all | first `Allow` | wildcards |
        ///
        /// Each switch has a method that returns it, and one that sets it (`with_`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub struct Dialect {
            name: &'static str,
            $(pub(crate) $limit: Limit,)*
            $(pub(crate) $switch: $type,)*
        }

        /// One of the switches of a dialect, by itself.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Switch {
            $(
                #[doc = concat!("`", stringify!($limit), "`: a limit in bytes.")]
                $limit_name,
            )*
            $(
                #[doc = concat!("`", stringify!($switch), "`: a value of [`", stringify!($type), "`].")]
                $type,
            )*
        }

        impl Switch {
            /// Every switch.
            pub const ALL: &[Self] = &[$(Self::$limit_name,)* $(Self::$type,)*];

            /// Returns its name, in lower case with underscores.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$limit_name => stringify!($limit),)*
                    $(Self::$type => stringify!($switch),)*
                }
            }
        }

        impl Dialect {
            /// Returns the value of a switch, for people: `longest`, `first`, `512000 bytes`.
            pub fn value_of(&self, switch: Switch) -> String {
                match switch {
                    $(Switch::$limit_name => self.$limit.to_string(),)*
                    $(Switch::$type => words(&format!("{:?}", self.$switch)),)*
                }
            }

            /// Sets a switch to its value in another dialect.
            #[must_use]
            pub fn with_value_of(self, switch: Switch, other: &Self) -> Self {
                match switch {
                    $(Switch::$limit_name => Self { $limit: other.$limit, ..self },)*
                    $(Switch::$type => Self { $switch: other.$switch, ..self },)*
                }
            }

            /// Returns the switches in which this dialect and another differ.
            pub fn differences(&self, other: &Self) -> impl Iterator<Item = Switch> {
                let differs = [
                    $((Switch::$limit_name, self.$limit != other.$limit),)*
                    $((Switch::$type, self.$switch != other.$switch),)*
                ];
                differs
                    .into_iter()
                    .filter_map(|(switch, differs)| differs.then_some(switch))
            }

            /// Returns a checksum of the switches, the same on every machine. The name does not count.
            /// Different dialects may have the same checksum, but hardly do.
            pub(crate) fn checksum(&self) -> u32 {
                checksum(&[$(u64::from(self.$limit.0),)* $(self.$switch as u64,)*])
            }

            $(
                $(#[$doc])*
                #[must_use]
                pub const fn $with(self, $switch: $type) -> Self {
                    Self { $switch, ..self }
                }

                #[doc = concat!("Returns its [`", stringify!($type), "`].")]
                pub const fn $switch(&self) -> $type {
                    self.$switch
                }
            )*
        }
    };
}

switches! {
    limits: line_limit: LineLimit size_limit: SizeLimit;
    /// Sets the treatment of a byte order mark.
    with_byte_order_mark(byte_order_mark: ByteOrderMark);
    /// Sets the treatment of NUL bytes.
    with_nul_byte(nul_byte: NulByte);
    /// Sets the bytes that end a line.
    with_line_end(line_end: LineEnd);
    /// Sets the treatment of files over the size limit.
    with_over_limit(over_limit: OverLimit);
    /// Sets the accepted names of fields.
    with_field_names(field_names: FieldNames);
    /// Sets the accepted separators.
    with_separator(separator: Separator);
    /// Sets the lines that end a group.
    with_group_end(group_end: GroupEnd);
    /// Sets the reading of rules before the first `User-agent` line.
    with_rules_before_agent(rules_before_agent: RulesBeforeAgent);
    /// Sets the comparison of robots' names.
    with_agent_match(agent_match: AgentMatch);
    /// Sets the reading of commas in `User-agent` lines.
    with_agent_list(agent_list: AgentList);
    /// Sets the choice among several groups.
    with_group_choice(group_choice: GroupChoice);
    /// Sets the reading of `Allow`.
    with_allow_rules(allow_rules: AllowRules);
    /// Sets the choice among the rules that match.
    with_rule_order(rule_order: RuleOrder);
    /// Sets the language of patterns.
    with_pattern_syntax(pattern_syntax: PatternSyntax);
    /// Sets the reading of patterns that begin with neither `/` nor `*`.
    with_bare_pattern(bare_pattern: BarePattern);
    /// Sets the reading of empty patterns.
    with_empty_pattern(empty_pattern: EmptyPattern);
    /// Sets the form in which patterns and targets are compared.
    with_encoding(encoding: Encoding);
    /// Sets the reading of allowed index pages.
    with_index_page(index_page: IndexPage);
    /// Sets the treatment of the path `/robots.txt`.
    with_own_path(own_path: OwnPath);
    /// Sets the source of the crawl-delay.
    with_delay_scope(delay_scope: DelayScope);
}

impl Dialect {
    /// Returns whether a path with its query is that of the robots.txt itself, and the dialect always allows it, also where a site is
    /// closed.
    pub fn allows_itself(&self, path: &[u8]) -> bool {
        self.own_path == OwnPath::AlwaysAllowed && path == b"/robots.txt"
    }

    /// Returns the name of the constant that this dialect was made from; the `with_` methods keep it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Sets the limit, in bytes, beyond which the rest of a line is ignored.
    #[must_use]
    pub const fn with_line_limit(self, line_limit: Option<usize>) -> Self {
        let line_limit = Limit::new(line_limit);
        Self { line_limit, ..self }
    }

    /// Sets the limit, in bytes, on the part of a file that is read.
    #[must_use]
    pub const fn with_size_limit(self, size_limit: Option<usize>) -> Self {
        let size_limit = Limit::new(size_limit);
        Self { size_limit, ..self }
    }

    /// Returns the number of bytes of a line that are read, if there is such a limit.
    pub const fn line_limit(&self) -> Option<usize> {
        self.line_limit.get()
    }

    /// Returns the number of bytes of a file that are read, if there is such a limit.
    pub const fn size_limit(&self) -> Option<usize> {
        self.size_limit.get()
    }

    /// Returns whether the meaning of a rule may depend on the URL of its file
    /// ([`RobotsTxt::with_url`](crate::RobotsTxt::with_url)).
    pub fn depends_on_url(&self) -> bool {
        self.bare_pattern == BarePattern::Relative
    }

    /// Returns whether a rule may have more patterns than the one that is written.
    pub(crate) fn has_rules_of_several_patterns(&self) -> bool {
        self.index_page != IndexPage::Plain
            || self.pattern_syntax == PatternSyntax::WildcardsOrDollar
    }

    /// Returns whether the parser's marks ([`line_mark`](crate::parse::line_mark)) are valid under this
    /// dialect. If not, every line is read again. `has_bare_cr` is true if a CR without LF ends a line.
    pub(crate) fn can_use_marks(&self, has_bare_cr: bool) -> bool {
        // A shorter line limit cuts regular lines short, which have up to `LONG_LINE` bytes.
        let cuts_short = self.line_limit.get().is_some_and(|limit| limit < LONG_LINE);
        let sees_other_lines = has_bare_cr && self.line_end == LineEnd::LineFeed;
        !(cuts_short || sees_other_lines || self.reads_fields_again())
    }

    /// Returns the part of a line that this dialect reads: after a byte order mark that it skips, and up
    /// to its line limit, or to a NUL byte that ends the text.
    #[inline]
    pub(crate) fn part_of_line<'a>(&self, line: Line<'a>) -> Line<'a> {
        let irregular =
            LineFacts::NUL | LineFacts::BYTE_ORDER_MARK | LineFacts::PARTIAL_BYTE_ORDER_MARK;
        let limit = self.line_limit.get().unwrap_or(usize::MAX);
        if !line.facts().intersects(irregular) && line.bytes().len() <= limit {
            return self.with_field_read_again(line);
        }
        self.with_field_read_again(self.part_of_irregular_line(line, limit))
    }

    /// Returns whether lines have other fields under this dialect than the neutral reading finds.
    fn reads_fields_again(&self) -> bool {
        self.field_names == FieldNames::Typos || self.separator == Separator::ColonOrWords
    }

    #[inline]
    fn with_field_read_again<'a>(&self, line: Line<'a>) -> Line<'a> {
        if !self.reads_fields_again() {
            return line;
        }
        let field_of = |name: &[u8]| match self.field_names {
            FieldNames::Typos => Field::from_name_or_typo(name),
            FieldNames::Exact | FieldNames::PrefixesAndTypos => {
                let (field, spelling) = Field::from_name(name);
                self.resolve_field(field, spelling)
            }
        };
        line.with_field_read_again(field_of, self.separator == Separator::ColonOrWords)
    }

    /// Returns what [`part_of_line`](Self::part_of_line) returns, for a line that may have more than this part.
    fn part_of_irregular_line<'a>(&self, line: Line<'a>, limit: usize) -> Line<'a> {
        let mark_length = if line.number() == 1 {
            byte_order_mark(line.bytes())
        } else {
            0
        };
        // A whole byte order mark of UTF-8 has three bytes.
        let skip = match self.byte_order_mark {
            ByteOrderMark::SkipPartial => mark_length,
            ByteOrderMark::Skip if mark_length == 3 => mark_length,
            ByteOrderMark::Skip | ByteOrderMark::Keep => 0,
        };
        let mut end = limit;
        if self.nul_byte == NulByte::EndsText {
            let nul = line.bytes().get(skip..).and_then(|text| memchr(0, text));
            end = end.min(nul.unwrap_or(usize::MAX));
        }
        line.narrowed(skip, end)
    }

    /// Returns the field of a line under this dialect: `None` if it is not a directive.
    pub(crate) fn field(&self, line: &Line<'_>) -> Option<Field> {
        if line.kind() != LineKind::Directive
            || self.separator == Separator::Colon && line.facts().contains(LineFacts::NO_COLON)
        {
            return None;
        }
        Some(self.resolve_field(line.field(), line.spelling()))
    }

    /// Returns the field of this name and spelling under this dialect.
    pub(crate) fn resolve_field(&self, field: Field, spelling: Spelling) -> Field {
        let field = match (self.field_names, spelling, field) {
            // With typos, the name was compared when the line was read again.
            (FieldNames::Exact, Spelling::Exact, field) | (FieldNames::Typos, _, field) => field,
            (FieldNames::Exact, ..) => Field::Other,
            // With prefix matching, `DisallowAITraining` is a `Disallow` and `AllowAITraining` an `Allow`.
            (FieldNames::PrefixesAndTypos, _, Field::AllowAiTraining) => Field::Allow,
            (FieldNames::PrefixesAndTypos, _, Field::DisallowAiTraining) => Field::Disallow,
            (FieldNames::PrefixesAndTypos, _, field) => field,
        };
        if field == Field::Allow && self.allow_rules == AllowRules::Ignored {
            return Field::Other;
        }
        field
    }
}

impl fmt::Display for Dialect {
    /// Writes the name: `rfc9309`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Switch {
    /// Writes the name: `rule_order`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Default for Dialect {
    /// Returns [`Dialect::RFC9309`].
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
        // For a rule line of this length: the number of its bytes that are read, and whether its whole path is allowed.
        let read_and_allowed = |length: usize| {
            let mut body = b"User-agent: *\nDisallow: /".to_vec();
            body.resize(b"User-agent: *\n".len() + length - 1, b'a');
            body.push(b'b');
            let target = format!("/{}b", "a".repeat(length - b"Disallow: /b".len()));
            let rules = RobotsTxt::parse(&body).rules("a", &Dialect::GOOGLE);
            let pattern = rules.iter().next().unwrap().pattern().len();
            let allowed = rules.verdict(&Target::new(&target)).is_allowed();
            (pattern + b"Disallow: ".len(), allowed)
        };
        assert_eq!(read_and_allowed(LONG_LINE - 1), (LONG_LINE - 1, false));
        assert_eq!(read_and_allowed(LONG_LINE), (LONG_LINE, false));
        // The last byte of the line is not read: the pattern without it matches the path, too.
        assert_eq!(read_and_allowed(LONG_LINE + 1), (LONG_LINE, false));
    }

    #[test]
    fn a_dialect_with_all_differing_switches_equals_the_other() {
        for one in Dialect::ALL {
            assert_eq!(one.differences(one).count(), 0);
            for other in Dialect::ALL {
                let changed = one
                    .differences(other)
                    .fold(*one, |dialect, switch| dialect.with_value_of(switch, other));
                assert_eq!(changed.checksum(), other.checksum());
                for switch in one.differences(other) {
                    assert_ne!(one.value_of(switch), other.value_of(switch));
                }
            }
        }
        assert_eq!(Dialect::KOSTER_1996.value_of(Switch::RuleOrder), "first");
        assert_eq!(Dialect::RFC9309.value_of(Switch::SizeLimit), "512000 bytes");
        assert_eq!(Switch::AgentMatch.name(), "agent_match");
    }
}
