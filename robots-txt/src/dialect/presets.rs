//! The constants: the readings of standards and engines, each with its source.

use super::{
    AgentList, AgentMatch, AllowRules, BarePattern, ByteOrderMark, DelayScope, Dialect,
    EmptyPattern, Encoding, FieldNames, GroupChoice, GroupEnd, IndexPage, Limit, LineEnd, NulByte,
    OverLimit, OwnPath, PatternSyntax, RuleOrder, RulesBeforeAgent, Separator,
};
use crate::limits::{LONG_LINE, RFC9309_SIZE_LIMIT};

impl Dialect {
    /// The day on which the sources of the constants were read, as `2026-11-20`.
    pub const READ_ON: &str = "2026-11-20";

    /// RFC 9309 (September 2022), with the leniencies that real files need. docs/semantics.md,
    /// section 1.
    ///
    /// All groups that name the robot are one; the longest pattern wins and `Allow` wins a tie.
    /// It is more lenient than the ABNF. A byte order mark is skipped. Tokens may have digits and dots;
    /// the rest of the line after a token or a `*` is ignored. A pattern may begin with `*` (erratum
    /// 7995). Vertical tabs and form feeds are white space. The first 500 KiB of a file count (2.5).
    pub const RFC9309: Self = Self {
        name: "rfc9309",
        byte_order_mark: ByteOrderMark::Skip,
        nul_byte: NulByte::Keep,
        line_end: LineEnd::Any,
        line_limit: Limit::new(None),
        size_limit: Limit::new(Some(RFC9309_SIZE_LIMIT)),
        over_limit: OverLimit::ReadStart,
        field_names: FieldNames::Exact,
        separator: Separator::Colon,
        group_end: GroupEnd::Agent,
        rules_before_agent: RulesBeforeAgent::Ignored,
        agent_match: AgentMatch::Token,
        agent_list: AgentList::One,
        group_choice: GroupChoice::All,
        allow_rules: AllowRules::Obeyed,
        rule_order: RuleOrder::Longest,
        pattern_syntax: PatternSyntax::Wildcards,
        bare_pattern: BarePattern::AsWritten,
        empty_pattern: EmptyPattern::Allows,
        encoding: Encoding::Unreserved,
        index_page: IndexPage::Plain,
        own_path: OwnPath::AlwaysAllowed,
        delay_scope: DelayScope::Group,
    };

    /// google/robotstxt as of 2026-04-01, with the same verdicts and deciding lines. docs/semantics.md,
    /// section 2.2.
    ///
    /// This is the library, which reads the whole file. Google's crawlers pass it the first 500 KiB
    /// (docs/semantics.md, section 2.1): use
    /// `Dialect::GOOGLE.with_size_limit(Some(RFC9309_SIZE_LIMIT))` for them.
    pub const GOOGLE: Self = Self {
        name: "google",
        byte_order_mark: ByteOrderMark::SkipPartial,
        nul_byte: NulByte::EndsText,
        line_limit: Limit::new(Some(LONG_LINE)),
        size_limit: Limit::new(None),
        field_names: FieldNames::PrefixesAndTypos,
        separator: Separator::ColonOrSpace,
        agent_match: AgentMatch::LineTokenIsName,
        encoding: Encoding::PatternOnly,
        index_page: IndexPage::StandsForFolder,
        own_path: OwnPath::LikeAnyOther,
        ..Self::RFC9309
    };

    /// Bing: RFC 9309. A robot whose own groups have no crawl-delay uses that of the default
    /// groups. docs/semantics.md, section 2.4, in part from secondary sources; where they state
    /// nothing, RFC 9309 applies.
    pub const BING: Self = Self {
        name: "bing",
        delay_scope: DelayScope::GroupOrDefault,
        ..Self::RFC9309
    };

    /// Yandex: RFC 9309, but a file over 500 KB has no effect. docs/semantics.md, sections 2.5,
    /// 8.3.
    ///
    /// The longest pattern wins, and `Allow` wins over an equal `Disallow`. Yandex documents 500 KB; the
    /// limit here is 500 KiB, the size in the RFC.
    pub const YANDEX: Self = Self {
        name: "yandex",
        over_limit: OverLimit::IgnoreFile,
        ..Self::RFC9309
    };

    /// Baidu: the first rule that matches decides. A blank line ends a group, as in 1994. Patterns have
    /// wildcards, and match anywhere in a path if they begin without a slash. docs/semantics.md, section
    /// 2.6, read from secondary sources.
    pub const BAIDU: Self = Self {
        name: "baidu",
        group_end: GroupEnd::AgentOrBlankLine,
        agent_match: AgentMatch::LineInName,
        group_choice: GroupChoice::First,
        rule_order: RuleOrder::First,
        bare_pattern: BarePattern::Anywhere,
        encoding: Encoding::Exact,
        ..Self::RFC9309
    };

    /// Seznam: RFC 9309; its robot also honours `Request-rate` (docs/semantics.md, section 2.7, read
    /// from secondary sources, which do not describe the matching of rules).
    pub const SEZNAM: Self = Self {
        name: "seznam",
        ..Self::RFC9309
    };

    /// Apple: RFC 9309. docs/semantics.md, section 2.8. Applebot's fallback to the group of Googlebot is
    /// not part of the dialect: [`Agent::known`](crate::Agent::known) applies it.
    pub const APPLE: Self = Self {
        name: "apple",
        ..Self::RFC9309
    };

    /// "A Standard for Robot Exclusion" of 1994, version 0.0: `Disallow` alone, plain prefixes.
    /// docs/semantics.md, section 3.1, read from secondary copies.
    pub const KOSTER_1994: Self = Self {
        name: "koster1994",
        group_end: GroupEnd::AgentOrBlankLine,
        agent_match: AgentMatch::LineInName,
        group_choice: GroupChoice::First,
        allow_rules: AllowRules::Ignored,
        rule_order: RuleOrder::First,
        pattern_syntax: PatternSyntax::Prefix,
        empty_pattern: EmptyPattern::Ignored,
        encoding: Encoding::Exact,
        ..Self::RFC9309
    };

    /// Version 1.0 according to "HTTP: The Definitive Guide": `Allow`, and the first rule that matches.
    /// A `User-agent` line applies to a robot if the name in the line is a part of the robot's name.
    /// docs/semantics.md, section 0.2.
    pub const KOSTER_1996: Self = Self {
        name: "koster1996",
        allow_rules: AllowRules::Obeyed,
        empty_pattern: EmptyPattern::Allows,
        encoding: Encoding::Decoded,
        ..Self::KOSTER_1994
    };

    /// Version 1.0 according to draft-koster-robots-00 (December 1996): a `User-agent` line applies to a
    /// robot if the robot's name is a part of the name in the line. docs/semantics.md, section 3.2.
    pub const KOSTER_1996_DRAFT: Self = Self {
        name: "koster1996-draft",
        agent_match: AgentMatch::NameInLine,
        ..Self::KOSTER_1996
    };

    /// Sean Conner's "Extended Standard for Robot Exclusion", version 2.0, as far as its text can
    /// still be read: an emulation. docs/semantics.md, section 3.3.
    pub const CONNER_1996: Self = Self {
        name: "conner1996",
        pattern_syntax: PatternSyntax::Typed,
        encoding: Encoding::Exact,
        ..Self::KOSTER_1996
    };

    /// `WWW::RobotRules` 6.04 (libwww-perl). docs/semantics.md, section 3.4; its reading of
    /// lines and paths was tried on version 6.02.
    pub const WWW_ROBOT_RULES: Self = Self {
        name: "www-robotrules",
        byte_order_mark: ByteOrderMark::Keep,
        size_limit: Limit::new(None),
        rules_before_agent: RulesBeforeAgent::DefaultGroup,
        group_choice: GroupChoice::FirstOrAllDefault,
        bare_pattern: BarePattern::Relative,
        empty_pattern: EmptyPattern::Allows,
        encoding: Encoding::Escaped,
        own_path: OwnPath::LikeAnyOther,
        ..Self::KOSTER_1994
    };

    /// `urllib.robotparser` of Python 3.8 to 3.12: the first rule that matches, in the first group whose
    /// name is a part of the robot's. docs/semantics.md, section 3.5. Releases since 2026 read files nearly as
    /// [`RFC9309`](Self::RFC9309) does.
    pub const PYTHON_ROBOTPARSER: Self = Self {
        name: "python-robotparser",
        byte_order_mark: ByteOrderMark::Keep,
        size_limit: Limit::new(None),
        group_end: GroupEnd::AgentOrEmptyLine,
        agent_match: AgentMatch::UnquotedLineInName,
        empty_pattern: EmptyPattern::AllowsAsWritten,
        encoding: Encoding::Quoted,
        own_path: OwnPath::LikeAnyOther,
        ..Self::KOSTER_1996
    };

    /// Protego 0.7.0, the parser of Scrapy: the longest rule in the groups with the longest name that is a part of the
    /// robot's. docs/semantics.md, section 3.6. Name the robot by its whole User-Agent value, as Protego is asked.
    pub const PROTEGO: Self = Self {
        name: "protego",
        byte_order_mark: ByteOrderMark::Keep,
        size_limit: Limit::new(None),
        field_names: FieldNames::Typos,
        separator: Separator::ColonOrWords,
        group_end: GroupEnd::AgentAfterAny,
        agent_match: AgentMatch::LineInWords,
        group_choice: GroupChoice::LongestName,
        pattern_syntax: PatternSyntax::WildcardsOrDollar,
        bare_pattern: BarePattern::UrlAfterSlash,
        empty_pattern: EmptyPattern::Ignored,
        encoding: Encoding::Requoted,
        index_page: IndexPage::HtmlStandsForFolder,
        ..Self::RFC9309
    };

    /// RFC 9309, but every `Allow` is tried before every `Disallow`: Mischel's account of Google
    /// and Yahoo in their time. docs/semantics.md, section 0.5.
    pub const ALLOW_FIRST: Self = Self {
        name: "allow-first",
        rule_order: RuleOrder::AllowFirst,
        empty_pattern: EmptyPattern::Ignored,
        ..Self::RFC9309
    };

    /// Every constant, for tables and command lines.
    pub const ALL: &'static [Self] = &[
        Self::RFC9309,
        Self::GOOGLE,
        Self::BING,
        Self::YANDEX,
        Self::BAIDU,
        Self::SEZNAM,
        Self::APPLE,
        Self::KOSTER_1994,
        Self::KOSTER_1996,
        Self::KOSTER_1996_DRAFT,
        Self::CONNER_1996,
        Self::WWW_ROBOT_RULES,
        Self::PYTHON_ROBOTPARSER,
        Self::PROTEGO,
        Self::ALLOW_FIRST,
    ];

    /// Returns the constant of this name (ASCII case ignored): `rfc9309`, `google`, ...: the names that
    /// the dialects of [`ALL`](Self::ALL) have.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|dialect| dialect.name().eq_ignore_ascii_case(name))
            .copied()
    }
}
