//! The switches: points on which standards and engines differ, one enum each, every value with its
//! source.

/// The treatment of a byte order mark at the start of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ByteOrderMark {
    /// It is part of the first line, whose field is then unknown (the ABNF of RFC 9309, 2.2, taken
    /// literally).
    Keep,
    /// A whole mark is skipped.
    Skip,
    /// Any leading bytes that match the start of a mark are skipped (google/robotstxt,
    /// docs/semantics.md, section 2.2).
    SkipPartial,
}

/// The treatment of a NUL byte in a line or in the path of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NulByte {
    /// It is a byte like any other.
    Keep,
    /// The rest of the line, or of the path, is ignored (google/robotstxt, where both are C strings;
    /// docs/semantics.md, section 2.2).
    EndsText,
}

/// The treatment of a file over the size limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverLimit {
    /// The part within the limit applies, without the line that the limit cuts (RFC 9309, 2.5;
    /// docs/semantics.md, section 8.1).
    ReadStart,
    /// The file has no effect: everything is allowed (Yandex, docs/semantics.md, section 2.5).
    IgnoreFile,
}

/// The accepted names of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FieldNames {
    /// The exact names, in any case (RFC 9309, 2.2).
    Exact,
    /// Also names that begin with a known one (`Disallowed`), and frequent misspellings (`Disalow`):
    /// google/robotstxt, docs/semantics.md, section 2.2.
    PrefixesAndTypos,
    /// Also some misspellings (`Disalow`, `Sitemaps`, `Crawl delay`), but no other names that begin with a known one
    /// (Protego, docs/semantics.md, section 3.6).
    Typos,
}

/// The accepted separators between field and value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Separator {
    /// A colon (RFC 9309, 2.2).
    Colon,
    /// A colon, or white space if the line has exactly two words (google/robotstxt,
    /// docs/semantics.md, section 2.2).
    ColonOrSpace,
    /// A colon, or white space after an accepted name, in a line without a colon or with one that neither white space
    /// nor the end of the line follows (Protego, docs/semantics.md, section 3.6).
    ColonOrWords,
}

/// The end of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupEnd {
    /// A `User-agent` line after a rule (RFC 9309, 2.1).
    Agent,
    /// Also a blank line: groups are the records of 1994 and 1996 (docs/semantics.md, sections 0.2,
    /// 3.1, 3.2). A line with nothing but a comment is not blank.
    AgentOrBlankLine,
    /// An empty line, or a `User-agent` line after a rule, a `Crawl-delay` or a `Request-rate`. A group
    /// without any of these three fields has no effect. A line with white space is not empty. A group that
    /// names `*` is a default group alone: its other names have no effect. Directives before the first
    /// `User-agent` line belong to no group (urllib.robotparser, docs/semantics.md, section 3.5).
    AgentOrEmptyLine,
    /// A `User-agent` line after any other field, known or not, but `Sitemap` and `Host` (Protego,
    /// docs/semantics.md, section 3.6).
    AgentAfterAny,
}

/// The robots to which rules before the first `User-agent` line apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RulesBeforeAgent {
    /// None (RFC 9309, 2.2.1).
    Ignored,
    /// Every robot that no group names: the rules are a default group, like that of `*`
    /// (`WWW::RobotRules`, docs/semantics.md, section 3.4).
    DefaultGroup,
}

/// The comparison of the name in a `User-agent` line with the robot's. Case never matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentMatch {
    /// The leading letters, hyphens and underscores of both names are equal (RFC 9309, 2.2.1, taken
    /// literally: `MJ12bot` is the token `MJ`).
    RfcToken,
    /// Like [`RfcToken`](Self::RfcToken), but a token may also have digits and dots
    /// (docs/semantics.md, section 8.2, lenient).
    Token,
    /// The leading letters, hyphens and underscores of the line equal the robot's whole name
    /// (google/robotstxt, docs/semantics.md, section 2.2).
    LineTokenIsName,
    /// The line's name is a part of the robot's (docs/semantics.md, sections 0.2, 3.1, 3.4). A line
    /// with an empty name applies to every robot.
    LineInName,
    /// The robot's name is a part of the line's (draft of 1996, docs/semantics.md, section 3.2).
    NameInLine,
    /// The line's name, with its `%XX` decoded, is a part of the robot's name before its first slash. A line
    /// with an empty name applies to every robot (urllib.robotparser, docs/semantics.md, section 3.5).
    UnquotedLineInName,
    /// The line's name, without its stars, is a part of the robot's that begins neither after a letter or digit nor
    /// after a hyphen or an underscore. A robot's name may be a whole User-Agent value (Protego, docs/semantics.md,
    /// section 3.6).
    LineInWords,
}

/// The number of robots that one `User-agent` line may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AgentList {
    /// A line names one robot (RFC 9309, 2.2.1).
    One,
    /// Commas separate names (RFC 9309, erratum 8895, reported).
    Commas,
}

/// The choice among several groups for the same robot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GroupChoice {
    /// All of them, as one (RFC 9309, 2.2.1).
    All,
    /// The first (docs/semantics.md, sections 0.2, 3.1, 3.2).
    First,
    /// The first that names it; if none does, all default groups, those of `*` (`WWW::RobotRules`,
    /// docs/semantics.md, section 3.4).
    FirstOrAllDefault,
    /// All groups with the longest of the names that match, in characters; the first in the file of several as long.
    /// `*` counts as one character (Protego, docs/semantics.md, section 3.6).
    LongestName,
}

/// The treatment of `Allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AllowRules {
    /// It is a rule (since the draft of 1996).
    Obeyed,
    /// It is an unknown field (1994, `WWW::RobotRules`: docs/semantics.md, sections 3.1, 3.4).
    Ignored,
}

/// The choice among the rules that match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RuleOrder {
    /// The longest, in octets; in a tie an `Allow`; then the first (RFC 9309, 2.2.2).
    Longest,
    /// The first in the file (docs/semantics.md, sections 0.2, 2.6, 3.2).
    First,
    /// The first `Allow`; without one the first `Disallow` (docs/semantics.md, section 0.5).
    AllowFirst,
}

/// The syntax of patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatternSyntax {
    /// A prefix; `*` and `$` are characters like any other (docs/semantics.md, sections 0.2, 3.1,
    /// 3.2).
    Prefix,
    /// A prefix in which `*` is any run of octets and a final `$` the end (RFC 9309, 2.2.3).
    Wildcards,
    /// In a group with `Robot-version: 2.0`, a pattern is an explicit path, a general path (`/help*`)
    /// or a shell pattern (`*`, `?`, `[...]`). They decide in this order; of the general paths, the
    /// longest decides. In other groups a pattern is a prefix, and the first decides (Conner,
    /// docs/semantics.md, section 3.3: an emulation of the legible part of the text).
    Typed,
    /// Like [`Wildcards`](Self::Wildcards), but a pattern with a final `$` is two: that one, and another in which the
    /// `$` is a character of the path (Protego, docs/semantics.md, section 3.6).
    WildcardsOrDollar,
}

/// The meaning of a pattern that begins with neither `/` nor `*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BarePattern {
    /// It is compared as it is. It never matches, as paths begin with `/`, unless it is a shell pattern
    /// that accepts a `/` (google/robotstxt, docs/semantics.md, section 8.3).
    AsWritten,
    /// It may match anywhere in the path, as after a `*` (Baidu, docs/semantics.md, section 2.6).
    Anywhere,
    /// It is a reference, resolved against the URL of the file
    /// ([`RobotsTxt::with_url`](crate::RobotsTxt::with_url)) as Perl's URI module does: a path, a
    /// query of the file's own path, or an absolute URL. A URL of another origin, or of another
    /// scheme, has no effect (`WWW::RobotRules`, docs/semantics.md, section 3.4).
    Relative,
    /// An absolute URL (`http://` or `https://`) is compared with a slash before it: it matches a path that has a URL
    /// in it. Any other pattern is compared as it is (Protego, docs/semantics.md, section 3.6).
    UrlAfterSlash,
}

/// The effect of a rule with an empty pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EmptyPattern {
    /// It matches every path, with length 0, and allows it (docs/semantics.md, sections 0.2, 1.4).
    Allows,
    /// No effect (1994, where any other `Disallow` that matches disallows: docs/semantics.md, section
    /// 8.3).
    Ignored,
    /// It matches every path, with length 0. `Disallow` allows it only if the value is empty as written:
    /// a value with an empty form, such as `?` under [`Encoding::Quoted`], disallows it
    /// (urllib.robotparser, docs/semantics.md, section 3.5).
    AllowsAsWritten,
}

/// The form in which patterns and targets are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// Escapes of unreserved characters are decoded; all others keep their `%XX`, with upper-case
    /// digits. Bytes that cannot be in a path or a query are encoded, `[` and `]` too, and so is a `%` that
    /// does not begin an escape. Other reserved characters stay as they are (RFC 9309, 2.2.2, in the
    /// reading of docs/semantics.md, section 1.4).
    Unreserved,
    /// Like [`Unreserved`](Self::Unreserved), but `:` and `/` are encoded after the first `=` of each
    /// query parameter, as in the second row of the RFC's table. Almost no engine does this
    /// (docs/semantics.md, section 1.4). A pattern is encoded by itself: if its `*` covers the `?` of a URL,
    /// the query in the pattern is not recognised.
    RfcTable,
    /// Targets are compared as given; in patterns, non-ASCII bytes are encoded and the digits of
    /// `%XX` made upper-case (google/robotstxt, docs/semantics.md, section 2.2).
    PatternOnly,
    /// Every `%XX` is decoded except `%2F` and `%25`, which stay encoded, so that `%252F` does not
    /// become `%2F` (the book and the draft of 1996, docs/semantics.md, sections 0.2, 3.2).
    Decoded,
    /// Patterns and targets are compared as given (1994, Conner, Baidu: docs/semantics.md, section 8.3).
    Exact,
    /// Bytes that cannot be in a URL are encoded, `[` and `]` too; escapes are left as they are
    /// (`WWW::RobotRules`, docs/semantics.md, section 3.4: nothing is decoded).
    Escaped,
    /// Every `%XX` is decoded, and then every byte but letters, digits, `-`, `.`, `_`, `~` and `/` is
    /// encoded, `*` and `$` too: there are no wildcards. Left out are a `?`, `;` or `#` with nothing
    /// after it, tabs, line ends, and the `//` of an empty authority at the start of a pattern
    /// (urllib.robotparser, docs/semantics.md, section 3.5).
    Quoted,
    /// Every `%XX` is decoded but `%2F`, `%25` and, in patterns, `%2A`. Octets that are not UTF-8 become U+FFFD. Then
    /// every byte but letters, digits, `-`, `.`, `_`, `~`, `/`, `=` and `%` is encoded, so that a rule with a `?` is
    /// longer by two (Protego, docs/semantics.md, section 3.6).
    Requoted,
}

impl Encoding {
    /// Returns whether an octet may have another form than its escape, or an escape than its octet, whatever it is.
    pub(crate) fn is_quoted(self) -> bool {
        matches!(self, Self::Quoted | Self::Requoted)
    }
}

/// The meaning of an allowed index page for its folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IndexPage {
    /// A page like any other.
    Plain,
    /// `Allow: /folder/index.html` also allows `/folder/` itself (google/robotstxt,
    /// docs/semantics.md, section 2.2).
    StandsForFolder,
    /// Like [`StandsForFolder`](Self::StandsForFolder), but only for a pattern that ends with `/index.html` (Protego,
    /// docs/semantics.md, section 3.6).
    HtmlStandsForFolder,
}

/// The treatment of `/robots.txt` itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnPath {
    /// `/robots.txt` is always allowed (RFC 9309, 2.2.2; docs/semantics.md, section 8.3).
    AlwaysAllowed,
    /// It is a path like any other (google/robotstxt leaves the exception to its caller;
    /// `WWW::RobotRules`).
    LikeAnyOther,
}

/// The groups whose `Crawl-delay` a robot applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DelayScope {
    /// The groups that it obeys.
    Group,
    /// The groups that it obeys; if they have none, the default groups, those of `*` (Bing,
    /// docs/semantics.md, section 2.4).
    GroupOrDefault,
}
