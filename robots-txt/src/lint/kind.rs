//! The kinds of diagnostics: a code, a name, how bad it is, and what to do.

use std::fmt;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Well-formed and harmless, or a matter of taste; some reader may trip over it.
    Note,
    /// Robots read it in different ways, or it does less than it seems to.
    Warning,
    /// It does not do what it was written for.
    Error,
}

impl Severity {
    /// Its name: `note`, `warning`, `error`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is known of a kind.
struct Facts {
    code: &'static str,
    name: &'static str,
    severity: Severity,
    message: &'static str,
    help: &'static str,
    standard: &'static str,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $code:literal $name:literal $severity:ident
        $message:literal $help:literal $standard:literal;)*) => {
        /// What is odd. Codes and names are stable: a kind that is given up leaves its code unused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $($(#[$doc])* $kind,)*
        }

        impl DiagnosticKind {
            /// Every kind, by its code.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$kind => &Facts {
                        code: $code,
                        name: $name,
                        severity: Severity::$severity,
                        message: $message,
                        help: $help,
                        standard: $standard,
                    },)*
                }
            }
        }
    };
}

kinds! {
    // The whole body.

    /// The body begins as an HTML page does: a server answered with something else.
    HtmlBody "R001" "html-body" Error
        "this is an HTML page, not a robots.txt; only lines that are directives count"
        "answer /robots.txt with a text file, or with status 404 where there is none"
        "RFC 9309, 2.3; SEMANTICS 8.1";
    /// The body is larger than 500 KiB. The place is where the limit strikes.
    OverSizeLimit "R002" "over-size-limit" Error
        "the file is larger than 500 KiB; crawlers may ignore what follows"
        "join rules with wildcards, and leave out groups that say what `*` says"
        "RFC 9309, 2.5";
    /// There is no directive in the file.
    EmptyFile "R003" "empty-file" Note
        "no directive in this file: all is allowed to everyone"
        "say so with `User-agent: *` and `Disallow:`, if it is meant"
        "RFC 9309, 2.2.1; SEMANTICS 0.7";
    /// The first line begins with a byte order mark, or with a part of one.
    ByteOrderMark "R004" "byte-order-mark" Warning
        "a byte order mark, or a part of one, before the first line"
        "save the file as UTF-8 without a byte order mark: some robots do not know the first line by it"
        "SEMANTICS 1.8, 2.2";
    /// Lines end with CR alone.
    BareCr "R005" "bare-cr" Warning
        "lines that end with CR alone; robots that know LF alone read them as one"
        "end lines with LF, or with CR and LF"
        "RFC 9309, 2.2; SEMANTICS 0.7";
    /// The line has a NUL byte, where google/robotstxt stops reading it.
    NulByte "R006" "nul-byte" Error
        "a NUL byte; some robots ignore the rest of the line"
        "is this a text file? save it as UTF-8"
        "RFC 9309, 2.2; SEMANTICS 2.2";
    /// The line is longer than [`LONG_LINE`](crate::LONG_LINE) bytes, where google/robotstxt stops
    /// reading it.
    LongLine "R007" "long-line" Error
        "longer than 16,663 bytes; some robots ignore the rest of the line"
        "no path is as long: is a line end missing?"
        "SEMANTICS 2.2";

    // Lines.

    /// The line is neither blank nor a comment, and has no field and value.
    Junk "R010" "junk" Error
        "neither a directive nor a comment; ignored"
        "write `Field: value`, or begin the line with #"
        "RFC 9309, 2.2";
    /// Field and value are separated by white space: a colon is missing.
    MissingColon "R011" "missing-colon" Error
        "no colon between field and value; most robots ignore the line"
        "put a colon behind the field"
        "RFC 9309, 2.2; SEMANTICS 0.7";
    /// The field is misspelt in a way that google/robotstxt knows.
    MisspeltField "R012" "misspelt-field" Error
        "a misspelt field; most robots ignore the line"
        "Google reads it as the field that is meant, others do not"
        "SEMANTICS 2.2";
    /// No field is known by this name, but one is by nearly the same.
    NearField "R013" "near-field" Error
        "no field has this name; the line is ignored"
        "correct the name, if that is what is meant"
        "RFC 9309, 2.2.4";
    /// No field is known by this name.
    UnknownField "R014" "unknown-field" Note
        "no field is known by this name; most robots ignore the line"
        "begin the line with # if it is for people"
        "RFC 9309, 2.2.4; SEMANTICS 0.7";
    /// A rule stands before the first `User-agent` line and speaks to nobody.
    RuleWithoutGroup "R015" "rule-without-group" Error
        "a rule before the first User-agent line; ignored"
        "put a line `User-agent: *` before it"
        "RFC 9309, 2.2.1; SEMANTICS 0.7";
    /// White space stands before the field.
    LeadingSpace "R016" "leading-space" Note
        "white space before the field; robots of the first years do not know it then"
        "begin fields at the start of their lines"
        "SEMANTICS 0.7";
    /// A `#` within a value cuts it off.
    CutByHash "R017" "cut-by-hash" Warning
        "the value ends at the #, which begins a comment"
        "write %23 for a # that is a part of the path, or put a space before a comment"
        "RFC 9309, 2.2; SEMANTICS 1.1";

    // Groups.

    /// A `User-agent` line names nobody.
    EmptyAgent "R020" "empty-agent" Error
        "a User-agent line without a name; it speaks to nobody"
        "name a robot, or `*` for all others"
        "RFC 9309, 2.2.1; SEMANTICS 0.7";
    /// A group has no rule: its robots may fetch everything.
    GroupWithoutRules "R021" "group-without-rules" Warning
        "a group without a rule: the robot may fetch everything, and what is said to `*` does not count for it"
        "add `Disallow:` if that is meant"
        "RFC 9309, 2.2.1; SEMANTICS 0.7";
    /// A robot is named again.
    RepeatedAgent "R022" "repeated-agent" Warning
        "the robot is named before; robots of RFC 9309 join the groups, others obey the first alone"
        "join the groups"
        "RFC 9309, 2.2.1; SEMANTICS 0.7";
    /// The name of a robot has more than its product token.
    NotAToken "R023" "not-a-token" Warning
        "more than a product token; robots compare the token alone, or find no name that is equal"
        "write the token alone, without version and address"
        "RFC 9309, 2.2.1; SEMANTICS 1.3";
    /// Several robots are named in one line.
    AgentList "R024" "agent-list" Error
        "several robots in one line; most robots know the first alone, or none"
        "give each a User-agent line of its own, one under the other"
        "RFC 9309, 2.2.1; SEMANTICS 1.9";
    /// A blank line stands between a `User-agent` line and the first rule.
    BlankInGroup "R025" "blank-in-group" Note
        "a blank line within the group; to the standards of 1994 and 1996 the group ends there"
        "leave the line out"
        "SEMANTICS 8.2";
    /// A named group hides what is said to everyone else about content or delays.
    HidesEveryone "R026" "hides-everyone" Note
        "what is said to `*` does not count for this robot, as it has a group of its own"
        "repeat it in this group, if it is meant for this robot too"
        "RFC 9309, 2.2.1; SEMANTICS 4.1, 4.5";
    /// The name of a robot has digits or dots, which no token of RFC 9309 has.
    DigitsInAgent "R027" "digits-in-agent" Note
        "a token of RFC 9309 has letters, - and _ alone: to strict robots, and Google, the name ends before this"
        "nothing is wrong if the robot goes by this name"
        "RFC 9309, 2.2.1; SEMANTICS 1.3, 2.2";
    /// Another field stands between two `User-agent` lines that share a group.
    RunOnGroup "R028" "run-on-group" Warning
        "this robot shares the rules below with the one above: the line between ends no group"
        "give each its rules, such as `Disallow:`"
        "RFC 9309, 2.2.1; SEMANTICS 8.2";

    // Rules.

    /// The pattern begins neither with `/` nor with `*`.
    NoSlash "R030" "no-slash" Error
        "the path does not begin with /; it matches nothing, or anywhere, as the robot likes"
        "begin it with /, or with * if it may stand anywhere"
        "RFC 9309, 2.2.2; SEMANTICS 2.5, 2.6";
    /// The pattern is a URL with a host.
    AbsoluteUrl "R031" "absolute-url" Error
        "a URL, where a path belongs; it matches nothing"
        "leave out scheme and host: rules hold for the host that the file is on"
        "RFC 9309, 2.2.2";
    /// White space stands within the pattern.
    SpaceInPath "R032" "space-in-path" Warning
        "white space within the path: to RFC 9309 it is %20, to Google it matches nothing"
        "give each path a line of its own, or write %20"
        "RFC 9309, 2.2.2, 2.2.3";
    /// The pattern has characters beyond ASCII that are not escaped.
    NonAscii "R033" "non-ascii" Note
        "characters beyond ASCII that are not escaped"
        "write them as %XX of their UTF-8, as they stand in URLs"
        "RFC 9309, 2.2.2; SEMANTICS 10";
    /// A star at the end of the pattern says nothing.
    TrailingStar "R034" "trailing-star" Note
        "a * at the end says nothing, and is an ordinary character to robots of the first years"
        "leave it out"
        "RFC 9309, 2.2.3; SEMANTICS 0.2";
    /// A `$` stands within the pattern, where it is an ordinary character.
    InnerDollar "R035" "inner-dollar" Warning
        "a $ that is not at the end is an ordinary character"
        "put it at the end if the end of the URL is meant"
        "RFC 9309, 2.2.3";
    /// The same rule stands before.
    DuplicateRule "R036" "duplicate-rule" Note
        "the group says this before"
        "leave it out"
        "SEMANTICS 10";
    /// Other rules of the group decide wherever this one matches.
    ShadowedRule "R037" "shadowed-rule" Warning
        "never decides: wherever it matches, another rule of the group comes first"
        "leave it out, or make its path the longer one"
        "RFC 9309, 2.2.2; SEMANTICS 10";
    /// The pattern matches no path.
    NeverMatches "R038" "never-matches" Warning
        "decides nothing: it matches no path but /robots.txt, which is always allowed, or none"
        "correct it, or leave it out"
        "RFC 9309, 2.2.2";
    /// A `%` is not followed by two hexadecimal digits.
    BadEscape "R039" "bad-escape" Warning
        "a % that is no escape, as no two hexadecimal digits follow"
        "write %25 for a percent sign"
        "RFC 9309, 2.2.2; RFC 3986, 2.1";

    // Other directives.

    /// A sitemap is no absolute URL.
    RelativeSitemap "R040" "relative-sitemap" Error
        "not an absolute URL; robots may ignore it"
        "write the whole URL, with https:// and the host"
        "SEMANTICS 1.6, 2.1";
    /// `Noindex` is obeyed by no engine.
    NoindexField "R041" "noindex-field" Warning
        "no engine takes Noindex from robots.txt; Google did until 2019-09-01"
        "say noindex in a META tag or an X-Robots-Tag header, and allow the page to be fetched"
        "SEMANTICS 10";
    /// A crawl-delay is no number of seconds.
    BadDelay "R042" "bad-delay" Error
        "not a number of seconds; ignored"
        "write a decimal number, such as 10 or 0.5"
        "SEMANTICS 2.4, 8.5";
    /// A crawl-delay is longer than engines take.
    LongDelay "R043" "long-delay" Note
        "Bing takes 1 to 30 seconds; who obeys more fetches few pages a day"
        "ask for 30 seconds at most"
        "SEMANTICS 2.4";
    /// `Host` is of no effect any more.
    HostField "R044" "host-field" Note
        "a field of Yandex, which dropped it in March 2018"
        "redirect (301) to the host that is preferred"
        "SEMANTICS 2.5";
    /// A value cannot be read.
    UnreadableValue "R045" "unreadable-value" Warning
        "a value that cannot be read; the line says nothing"
        "correct it, or leave the line out"
        "SEMANTICS 2.5, 2.7, 3.3";
    /// Preferences are no dictionary.
    BadUsage "R046" "bad-usage" Error
        "not a dictionary of preferences, which leaves all unknown; keys are in lower case"
        "write `Content-Usage: train-ai=n`"
        "SEMANTICS 4.1";
    /// A licence is no absolute URI.
    RelativeLicense "R047" "relative-license" Warning
        "not an absolute URI"
        "write the whole URI, with its scheme"
        "SEMANTICS 4.7";
    /// A robot that trains models is let in, though everyone is told not to train.
    TrainerAllowed "R048" "trainer-allowed" Warning
        "collects for the training of models and is let in, though training is refused to `*`"
        "disallow it, or say the same in its group"
        "SEMANTICS 8.6";
    /// A signal that is not known.
    UnknownSignal "R049" "unknown-signal" Warning
        "nothing is known by this name or value; it says nothing"
        "a Content-Signal is search, ai-input or ai-train with yes or no; a Content-Usage train-ai or search with y or n"
        "SEMANTICS 4.1, 4.5";
    /// Google reads the field as the rule that its name begins with.
    TrainingField "R050" "training-field" Warning
        "Google reads this as the rule that its name begins with, and so for its search"
        "say it with Content-Usage or Content-Signal, or with groups for the robots that train"
        "SEMANTICS 2.2, 4.4";
}

impl DiagnosticKind {
    /// The kind of a code (`R014`) or a name (`unknown-field`); ASCII case is ignored.
    pub fn by_code_or_name(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| {
            text.eq_ignore_ascii_case(kind.code()) || text.eq_ignore_ascii_case(kind.name())
        })
    }

    /// Its code: `R` and three digits. The first digit is 0; of the second, 0 is the whole body, 1
    /// lines, 2 groups, 3 rules, 4 other directives.
    pub fn code(self) -> &'static str {
        self.facts().code
    }

    /// Its name, in lower case with hyphens.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// How bad it is.
    pub fn severity(self) -> Severity {
        self.facts().severity
    }

    /// What to do about it.
    pub fn help(self) -> &'static str {
        self.facts().help
    }

    /// Where it is written: sections of RFC 9309 and of the project's SEMANTICS.
    pub fn standard(self) -> &'static str {
        self.facts().standard
    }
}

impl fmt::Display for DiagnosticKind {
    /// What is odd, in a clause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.facts().message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_names_are_one_to_a_kind_and_in_order() {
        for pair in DiagnosticKind::ALL.windows(2) {
            assert!(pair[0].code() < pair[1].code(), "{pair:?}");
        }
        for kind in DiagnosticKind::ALL {
            assert_eq!(DiagnosticKind::by_code_or_name(kind.code()), Some(*kind));
            assert_eq!(DiagnosticKind::by_code_or_name(kind.name()), Some(*kind));
            assert!(kind.code().len() == 4 && kind.code().starts_with('R'));
        }
        assert_eq!(DiagnosticKind::by_code_or_name("R999"), None);
    }
}
