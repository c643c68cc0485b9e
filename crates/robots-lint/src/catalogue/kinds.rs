//! The table of all kinds of findings.

use super::Severity;
use super::citation::Citation::{self, Rfc, Semantics};

/// The facts of a kind.
pub(super) struct Facts {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) severity: Severity,
    pub(super) message: &'static str,
    pub(super) help: &'static str,
    pub(super) citations: &'static [Citation],
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $code:literal $name:literal $severity:ident
        $message:literal $help:literal [$($citation:expr),+];)*) => {
        /// A kind of finding. Codes and names are stable: the code of a kind that is removed stays unused.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum FindingKind {
            $($(#[$doc])* $kind,)*
        }

        impl FindingKind {
            /// Every kind: those of robots.txt files, then those of pages, each in the order of their codes.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            pub(super) const fn facts(self) -> &'static Facts {
                match self {
                    $(Self::$kind => &Facts {
                        code: $code,
                        name: $name,
                        severity: Severity::$severity,
                        message: $message,
                        help: $help,
                        citations: &[$($citation),+],
                    },)*
                }
            }
        }
    };
}

kinds! {
    // robots.txt: the whole body (R00x).

    /// The body begins like an HTML page: the server returned something else.
    HtmlBody "R001" "html-body" Error
        "this is an HTML page, not a robots.txt; only lines that are directives count"
        "answer /robots.txt with a text file, or with status 404 where there is none"
        [Rfc(9309, "2.3"), Semantics("8.1")];
    /// The body is larger than 500 KiB. The finding is about the line at the limit.
    OverSizeLimit "R002" "over-size-limit" Error
        "the file is larger than 500 KiB; robots may ignore the rest"
        "replace many rules by one with wildcards, and leave out groups that repeat the group of `*`"
        [Rfc(9309, "2.5")];
    /// There is no directive in the file.
    EmptyFile "R003" "empty-file" Note
        "the file has no directive: every robot may fetch everything"
        "write `User-agent: *` and `Disallow:` if that is intended"
        [Rfc(9309, "2.2.1"), Semantics("0.7")];
    /// The first line begins with a byte order mark, with a part of one, or with one that was encoded twice.
    ByteOrderMark "R004" "byte-order-mark" Warning
        "a byte order mark, or a part of one, is before the first line"
        "save the file as UTF-8 without a byte order mark: some robots do not recognise the field after it"
        [Semantics("1.8"), Semantics("2.2")];
    /// Lines end with CR alone.
    BareCr "R005" "bare-cr" Warning
        "lines end with CR alone; robots that accept only LF read them as one line"
        "end lines with LF, or with CR and LF"
        [Rfc(9309, "2.2"), Semantics("0.7")];
    /// A line has a NUL byte, at which google/robotstxt stops reading the line.
    NulByte "R006" "nul-byte" Error
        "the line has a NUL byte; some robots ignore the rest of the line"
        "save the file as UTF-8, and remove the byte"
        [Rfc(9309, "2.2"), Semantics("2.2")];
    /// A line is longer than 16,663 bytes, after which google/robotstxt stops reading the line.
    LongLine "R007" "long-line" Error
        "the line is longer than 16,663 bytes; some robots ignore the rest of it"
        "restore the line ends: no path is this long"
        [Semantics("2.2")];
    /// The body is in UTF-16. No other finding is reported.
    Utf16 "R008" "utf-16" Error
        "the file is in UTF-16; robots read UTF-8, and recognise no line of it"
        "save the file as UTF-8 without a byte order mark"
        [Rfc(9309, "2.2"), Semantics("1.8")];
    /// The body is gzip. No other finding is reported.
    Gzip "R009" "gzip" Error
        "the file is gzip, not text; robots recognise no line of it"
        "send `Content-Encoding: gzip` with it, or the text itself"
        [Rfc(9309, "2.3"), Rfc(9110, "8.4")];

    // robots.txt: lines (R01x).

    /// A line is neither blank nor a comment, and has no field and value.
    Junk "R010" "junk" Error
        "the line is neither a directive nor a comment; robots ignore it"
        "write `Field: value`, or begin the line with #"
        [Rfc(9309, "2.2")];
    /// Field and value are separated by white space: a colon is missing.
    MissingColon "R011" "missing-colon" Error
        "there is no colon between field and value; most robots ignore the line"
        "put a colon after the field"
        [Rfc(9309, "2.2"), Semantics("0.7")];
    /// A field is misspelt in a way that google/robotstxt accepts.
    MisspeltField "R012" "misspelt-field" Error
        "the field is misspelt; most robots ignore the line"
        "correct the name: only Google and similar parsers accept the misspelling"
        [Semantics("2.2")];
    /// A field is not known, but its name is nearly that of a known field.
    NearField "R013" "near-field" Error
        "no field has this name; robots ignore the line"
        "correct the name, if that field is intended"
        [Rfc(9309, "2.2.4")];
    /// A field is not known.
    UnknownField "R014" "unknown-field" Note
        "the field is unknown; most robots ignore the line"
        "begin the line with # if it is for people"
        [Rfc(9309, "2.2.4"), Semantics("0.7")];
    /// A rule is before the first `User-agent` line, and applies to no robot.
    RuleWithoutGroup "R015" "rule-without-group" Error
        "the rule is before the first User-agent line; most robots ignore it"
        "put a line `User-agent: *` before it"
        [Rfc(9309, "2.2.1"), Semantics("0.7")];
    /// There is white space before a field.
    LeadingSpace "R016" "leading-space" Note
        "there is white space before the field; old robots do not recognise the field"
        "begin fields at the start of their lines"
        [Semantics("0.7")];
    /// A `#` cuts a value off.
    CutByHash "R017" "cut-by-hash" Warning
        "the value ends at the #, which begins a comment"
        "write %23 for a # that is a part of the path, or put a space before a comment"
        [Rfc(9309, "2.2"), Semantics("1.1")];
    /// A field that applies to the robots of a group is before the first `User-agent` line.
    FieldWithoutGroup "R018" "field-without-group" Warning
        "the field is before the first User-agent line, where it applies to no robot"
        "put it into the group of `*`, and into each other group for which it is intended"
        [Rfc(9309, "2.2.1"), Semantics("4.1")];
    /// A field that is known, and that robots for search do not read.
    IgnoredField "R019" "ignored-field" Note
        "robots of search engines ignore this known field"
        "nothing is wrong if it is for other readers"
        [Rfc(9309, "2.2.4"), Semantics("1.6")];

    // robots.txt: groups (R02x).

    /// A `User-agent` line has no name.
    EmptyAgent "R020" "empty-agent" Error
        "the User-agent line has no name and applies to no robot"
        "write the name of a robot, or `*` for all others"
        [Rfc(9309, "2.2.1"), Semantics("0.7")];
    /// A group has no rule: its robots may fetch everything.
    GroupWithoutRules "R021" "group-without-rules" Warning
        "the group has no rule, so its robots may fetch everything"
        "add `Disallow:` if that is intended"
        [Rfc(9309, "2.2.1"), Semantics("0.7")];
    /// A robot is named again.
    RepeatedAgent "R022" "repeated-agent" Warning
        "an earlier line names the same robot; robots of RFC 9309 join the groups, others obey only the first"
        "join the groups"
        [Rfc(9309, "2.2.1"), Semantics("0.7")];
    /// The name of a robot has more than its product token.
    NotAToken "R023" "not-a-token" Warning
        "the line has more than a product token; robots compare only the token, or find no equal name"
        "write the token alone, without version and address"
        [Rfc(9309, "2.2.1"), Semantics("1.3")];
    /// Several robots are named in one line.
    AgentList "R024" "agent-list" Error
        "the line names several robots; most robots read only the first name, or none"
        "give each a User-agent line of its own, one after the other"
        [Rfc(9309, "2.2.1"), Semantics("1.9")];
    /// A blank line is between the `User-agent` lines of a group, or before its first rule.
    BlankInGroup "R025" "blank-in-group" Note
        "there is a blank line within the group; under the standards of 1994 and 1996 the group ends there"
        "remove the blank line"
        [Semantics("8.2")];
    /// A group for a robot lacks content preferences or delays that the group of `*` has, or rules, if their absence is
    /// probably intended.
    HidesStar "R026" "hides-star" Note
        "lines in the group of `*` do not apply to this robot, which has a group of its own"
        "repeat them in this group if they are also intended for this robot"
        [Rfc(9309, "2.2.1"), Semantics("4.1"), Semantics("4.5")];
    /// The name of a robot has digits or dots, which a token of RFC 9309 never has.
    DigitsInAgent "R027" "digits-in-agent" Note
        "a product token has only letters, - and _: for strict robots and for Google, the name ends before this"
        "nothing is wrong if this is the robot's name"
        [Rfc(9309, "2.2.1"), Semantics("1.3"), Semantics("2.2")];
    /// Another field is between two `User-agent` lines that share a group.
    RunOnGroup "R028" "run-on-group" Warning
        "this robot shares the rules below with the one above: the line between them does not end the group"
        "give each robot rules of its own, such as `Disallow:`"
        [Rfc(9309, "2.2.1"), Semantics("8.2")];
    /// A group for a robot opens paths that the group of `*` closes.
    LosesRules "R029" "loses-rules" Warning
        "this robot may fetch what `*` may not: with a group of its own, it does not obey the rules of `*`"
        "repeat those rules in this group, or add `Disallow:` if it may fetch everything else"
        [Rfc(9309, "2.2.1"), Semantics("1.3")];

    // robots.txt: rules (R03x).

    /// A pattern begins neither with `/` nor with `*`.
    NoSlash "R030" "no-slash" Error
        "the path does not begin with /; it matches nothing, or anywhere, depending on the robot"
        "begin it with /, or with * if it may match anywhere"
        [Rfc(9309, "2.2.2"), Semantics("2.5"), Semantics("2.6")];
    /// A pattern is a URL with a host.
    AbsoluteUrl "R031" "absolute-url" Error
        "the value is a whole URL, not a path; it matches nothing"
        "leave out scheme and host: rules apply to the host of the file"
        [Rfc(9309, "2.2.2")];
    /// A pattern has white space.
    SpaceInPath "R032" "space-in-path" Warning
        "the path has white space: RFC 9309 reads it as %20, and for Google the rule matches nothing"
        "give each path a line of its own, or write %20"
        [Rfc(9309, "2.2.2"), Rfc(9309, "2.2.3")];
    /// A pattern has characters outside ASCII that are not escaped.
    NonAscii "R033" "non-ascii" Note
        "the path has characters outside ASCII that are not escaped"
        "write each as %XX of its UTF-8, as in URLs"
        [Rfc(9309, "2.2.2"), Semantics("10")];
    /// A star is at the end of a pattern, where it matches nothing more.
    TrailingStar "R034" "trailing-star" Note
        "the * at the end matches nothing more, and is an ordinary character for old robots"
        "leave it out, unless the longer path must win against another rule"
        [Rfc(9309, "2.2.3"), Semantics("0.2")];
    /// A `$` is inside a pattern, where it is an ordinary character.
    InnerDollar "R035" "inner-dollar" Warning
        "the $ is not at the end, so it is an ordinary character"
        "put it at the end if it should mean the end of the URL"
        [Rfc(9309, "2.2.3")];
    /// The group has the same rule earlier.
    DuplicateRule "R036" "duplicate-rule" Note
        "the group already has this rule"
        "leave it out"
        [Semantics("10")];
    /// Other rules of the group decide wherever a rule matches.
    ShadowedRule "R037" "shadowed-rule" Warning
        "the rule never decides: wherever it matches, another rule of the group has precedence"
        "leave it out, or make its path the longer one"
        [Rfc(9309, "2.2.2"), Semantics("10")];
    /// A pattern matches no path that rules decide about.
    NeverMatches "R038" "never-matches" Warning
        "the rule decides nothing: it matches no path, or only /robots.txt, which is always allowed"
        "correct it, or leave it out"
        [Rfc(9309, "2.2.2")];
    /// A `%` is not followed by two hexadecimal digits.
    BadEscape "R039" "bad-escape" Warning
        "the % begins no escape: two hexadecimal digits must follow"
        "write %25 for a percent sign"
        [Rfc(9309, "2.2.2"), Rfc(3986, "2.1")];

    // robots.txt: other fields (R04x, R05x).

    /// A sitemap is not an absolute URL.
    RelativeSitemap "R040" "relative-sitemap" Error
        "the sitemap is not an absolute URL; robots may ignore it"
        "write the whole URL, with https:// and the host"
        [Semantics("1.6"), Semantics("2.1")];
    /// `Noindex` is a field that no engine obeys.
    NoindexField "R041" "noindex-field" Warning
        "no engine honours Noindex in robots.txt; Google did until 2019-09-01"
        "put noindex into a META tag or an X-Robots-Tag header, and allow the page to be fetched"
        [Semantics("10")];
    /// A crawl-delay is not a number of seconds.
    BadDelay "R042" "bad-delay" Error
        "the delay is not a number of seconds; robots ignore the line"
        "write a decimal number, such as 10 or 0.5"
        [Semantics("2.4"), Semantics("8.5")];
    /// A crawl-delay is longer than engines accept.
    LongDelay "R043" "long-delay" Note
        "the delay is over 30 seconds, the most that Bing accepts; a robot that obeys it fetches few pages a day"
        "ask for 30 seconds or less"
        [Semantics("2.4")];
    /// `Host` is a field that no engine obeys any more.
    HostField "R044" "host-field" Note
        "Host was a field of Yandex, which dropped it in March 2018"
        "redirect (301) to the preferred host"
        [Semantics("2.5")];
    /// A value cannot be read.
    UnreadableValue "R045" "unreadable-value" Warning
        "the value is invalid, so the line has no effect"
        "correct it, or leave the line out"
        [Semantics("2.5"), Semantics("2.7"), Semantics("3.3")];
    /// Content preferences are not a valid dictionary.
    BadUsage "R046" "bad-usage" Error
        "the value is not a valid dictionary, so all its preferences are unknown"
        "write it as `Content-Usage: train-ai=n`: keys are in lower case"
        [Semantics("4.1")];
    /// A licence is not an absolute URI.
    RelativeLicense "R047" "relative-license" Warning
        "the licence is not an absolute URI"
        "write the whole URI, with its scheme"
        [Semantics("4.7")];
    /// A robot that collects for training is allowed, though the group of `*` refuses training.
    TrainerAllowed "R048" "trainer-allowed" Warning
        "this robot collects for training and is allowed, though the group of `*` refuses training"
        "disallow it, or repeat the refusal in its group"
        [Semantics("8.6")];
    /// A signal is not known.
    UnknownSignal "R049" "unknown-signal" Warning
        "the line has an unknown name or value, which has no effect"
        "a Content-Signal is search, ai-input or ai-train with yes or no; a Content-Usage is train-ai, ai-use or search with y or n"
        [Semantics("4.1"), Semantics("4.5")];
    /// `DisallowAITraining` or `AllowAITraining`: Google reads it as `Disallow` or `Allow`, with which its name begins.
    TrainingField "R050" "training-field" Warning
        "Google reads this field as the rule that its name begins with, and applies it to its search"
        "use Content-Usage or Content-Signal, or groups for the robots that train"
        [Semantics("2.2"), Semantics("4.4")];
    /// A `Content-Signal` allows a use, and rules keep out the robots that fetch for it.
    SignalAndClosed "R051" "signal-and-closed" Warning
        "a Content-Signal allows a use, but rules keep out a robot that fetches for it"
        "allow the robot, or leave out the signal"
        [Semantics("4.5")];
    /// Two preferences about the same use of the same paths are opposite.
    PreferencesDisagree "R052" "preferences-differ" Warning
        "this preference is the opposite of another one about the same use; readers of both take the stricter one"
        "leave one of them out"
        [Semantics("4.1"), Semantics("4.5"), Semantics("8.6")];
    /// A block that a service manages and the owner's part of the file decide differently about a robot.
    ManagedBlock "R053" "managed-block" Warning
        "the managed block and the rest of the file decide differently about this robot"
        "change the settings of the service, or the group: robots of RFC 9309 join both"
        [Rfc(9309, "2.2.1"), Semantics("4.5")];
    /// A crawl-delay or the period of a rate is at least the longest that is applied.
    LongestTime "R054" "longest-time" Warning
        "30 days or more are read as 30 days: a robot that obeys this line fetches next to nothing"
        "write a shorter time; to keep a robot away, write `Disallow: /` in a group of its own"
        [Semantics("2.4"), Semantics("3.3")];
    /// A value has another directive, or `\n` as two characters.
    MissingLineBreak "R055" "missing-line-break" Error
        "a line break is missing within the value; robots read one directive in a line"
        "begin each directive in a line of its own"
        [Rfc(9309, "2.2")];
    /// The URL of a sitemap has a private host or a placeholder.
    UnreachableSitemap "R056" "unreachable-sitemap" Error
        "no search engine can fetch this sitemap: its URL has a private host or a placeholder"
        "write the public URL of the sitemap"
        [Semantics("1.6"), Semantics("2.1")];
    /// The group of `*` closes a sitemap of the file.
    ClosedSitemap "R057" "closed-sitemap" Warning
        "rules for `*` close this sitemap, which the file itself announces"
        "allow it: robots that obey these rules cannot read it"
        [Rfc(9309, "2.2.2"), Semantics("2.1")];

    /// The name of the file is nearly `robots.txt`. Only inputs with a name have this finding.
    MisnamedFile "R058" "misnamed-file" Warning
        "no robot reads a file of this name: robots request /robots.txt, in lower case"
        "name it robots.txt, in the top folder of the site"
        [Rfc(9309, "2.3"), Semantics("1.7")];
    /// A group names a token that several operators share.
    SharedToken "R059" "shared-token" Note
        "this token of a draft is for all who train AI, and they have yet to support it"
        "name the robots that train, too: `robots block ai-train` writes their group"
        [Semantics("4.3")];

    // robots.txt: names of robots, and paths (R06x).

    /// The name of a robot is nearly that of a known one.
    MisspeltRobot "R060" "misspelt-robot" Warning
        "no known robot has this name"
        "correct the name, if the known robot is intended"
        [Rfc(9309, "2.2.1"), Semantics("2.9")];
    /// The group of `*` closes every path, and no other group opens one.
    ClosedSite "R061" "closed-site" Note
        "the whole site is closed to every robot"
        "nothing is wrong if that is intended; otherwise name the paths to close"
        [Rfc(9309, "2.2.2"), Semantics("8.7")];
    /// A rule closes /robots.txt, which is always allowed.
    ClosesItself "R062" "closes-itself" Warning
        "robots may always fetch /robots.txt: the rule does not hide the file"
        "leave it out"
        [Rfc(9309, "2.2.2")];
    /// A rule closes style sheets or scripts to robots of search engines.
    ClosedResources "R063" "closed-resources" Warning
        "the rule closes style sheets or scripts to search engines, which need them to render pages"
        "allow them, such as with `Allow: /*.css` and `Allow: /*.js`"
        [Semantics("2.1")];
    /// A field, or a value that robots compare, has an invisible character.
    InvisibleCharacter "R064" "invisible-character" Error
        "the line has an invisible character or a wide space, which robots compare like any other"
        "type the line again, or write the character as %XX of its UTF-8 if the URLs have it"
        [Rfc(9309, "2.2.2"), Semantics("10")];
    /// `*` is in a group with named robots that was probably not meant for both.
    JoinedStar "R065" "joined-star" Warning
        "`*` shares a group with a named robot, so every robot obeys the rules below"
        "give `*` rules of its own, such as `Disallow:`; if every robot is meant, name only `*`"
        [Rfc(9309, "2.2.1"), Semantics("8.2")];
    /// A path is written as a regular expression.
    RegularExpression "R066" "regular-expression" Error
        "the path is a regular expression; a rule has only `*` for any characters, and `$` at the end"
        "write `*` for any characters, and a rule for each alternative"
        [Rfc(9309, "2.2.3")];
    /// A value has several paths or URLs.
    SeveralValues "R067" "several-values" Error
        "the value has several paths or URLs, which robots read as one"
        "give each a line of its own"
        [Rfc(9309, "2.2.2")];
    /// A rule closes a parameter only where it is the first of a URL.
    FirstParameterOnly "R068" "first-parameter-only" Note
        "the rule matches this parameter only where it is the first of the URL"
        "add a rule with & in place of the ?, as the file has for other parameters"
        [Rfc(9309, "2.2.3")];
    /// A rule closes every path that begins with one or two letters.
    ShortPath "R069" "short-path" Note
        "the rule closes every path that begins with these letters, not only the folder or page"
        "end it with `/` for a folder, or with `$` for one page"
        [Rfc(9309, "2.2.2"), Rfc(9309, "2.2.3")];

    // robots.txt: comments that ignore findings (R07x).

    /// A comment ignores a kind of finding that does not occur in its line or the next.
    UnusedIgnore "R070" "unused-ignore" Warning
        "the comment ignores a finding that is not there"
        "leave the code out, or the whole comment"
        [Rfc(9309, "2.2")];
    /// A comment that ignores findings is not valid.
    InvalidIgnore "R071" "invalid-ignore" Error
        "the comment ignores nothing"
        "write `# robots: ignore CODE -- REASON`, in the line or in one of its own before it"
        [Rfc(9309, "2.2")];

    // robots.txt: the whole file, continued (R08x).

    /// Bytes outside of comments are not UTF-8.
    NotUtf8 "R080" "not-utf-8" Warning
        "the file has bytes that are not UTF-8; robots may ignore such lines, or match other paths"
        "save the file as UTF-8"
        [Rfc(9309, "2.2"), Semantics("1.8")];
    /// Lines end with two CR and LF.
    DoubledCr "R081" "doubled-cr" Warning
        "lines end with CR CR LF, which robots may read as a line and a blank one"
        "end lines with LF, or with CR and LF; the likely cause is a transfer in text mode"
        [Rfc(9309, "2.2"), Semantics("8.2")];

    // Pages (M00x).

    /// A META for robots is in BODY.
    MetaInBody "M001" "meta-in-body" Warning
        "the META for robots is in BODY; Google obeys it there, others may not"
        "put it into HEAD, before anything that is shown"
        [Semantics("5.1"), Semantics("5.7")];
    /// A META for robots is written in a way that no engine obeys.
    UnsupportedMeta "M002" "unsupported-meta" Error
        "no engine is known to obey this META"
        "write `<meta name=\"robots\" content=\"...\">`, or send an X-Robots-Tag header"
        [Semantics("5.7")];
    /// Two lists of directives for the same robot contradict each other.
    ListsDisagree "M003" "lists-disagree" Warning
        "two lists for the same robot contradict each other"
        "write one list: engines differ in which of the two applies"
        [Semantics("8.4"), Semantics("10")];
    /// robots.txt does not allow to fetch a page that has `noindex`.
    HiddenNoindex "M004" "hidden-noindex" Error
        "robots that obey this rule of robots.txt never see this noindex"
        "allow the page in robots.txt until it has left the index, or drop the noindex"
        [Semantics("5.10"), Semantics("10")];
    /// A page has `noindex` and a canonical link to another page.
    NoindexAndCanonical "M005" "noindex-and-canonical" Warning
        "noindex and a canonical link to another page contradict each other"
        "keep the link if the other page replaces this one, otherwise the noindex"
        [Semantics("5.8")];
    /// robots.txt does not allow to fetch a page that has a canonical link to another page.
    UnseenCanonical "M006" "unseen-canonical" Note
        "robots that obey this rule of robots.txt never see this canonical link"
        "allow the page in robots.txt if the other page is to replace it"
        [Semantics("10")];
    /// The date of `unavailable_after` has passed.
    DateHasPassed "M007" "date-has-passed" Warning
        "the date of unavailable_after has passed: Google treats the page as noindex"
        "drop the directive if search results should show the page"
        [Semantics("5.1"), Semantics("10")];
    /// `noarchive` names Google or every robot.
    NoarchiveAtGoogle "M008" "noarchive-at-google" Note
        "noarchive has no effect at Google, which no longer shows copies"
        "nothing is wrong if it is for other engines"
        [Semantics("5.1"), Semantics("10")];
    /// `data-nosnippet` is on an element on which Google ignores it, or misspelt.
    NoSnippetElement "M009" "nosnippet-element" Warning
        "Google ignores this: it honours `data-nosnippet` on span, div and section with an end tag"
        "put the text into a `<span data-nosnippet>`, or the element into a `<div data-nosnippet>`"
        [Semantics("5.1"), Semantics("2.4")];

    // Lists of directives in METAs and headers (M01x, M02x).

    /// A directive contradicts another one of its list.
    ConflictingDirectives "M010" "conflict" Warning
        "the directive contradicts another one of the list; engines differ in which applies"
        "leave one of them out"
        [Semantics("0.6"), Semantics("8.4")];
    /// A directive repeats earlier directives of its list.
    RepeatedDirective "M011" "repeated" Note
        "the directive repeats earlier ones"
        "leave it out"
        [Semantics("0.6")];
    /// A directive is not known.
    UnknownDirective "M012" "unknown" Note
        "the directive is unknown; engines ignore it"
        "leave it out, unless a robot is known to read it"
        [Semantics("5.1")];
    /// A directive is not known, but its name is nearly that of a known one.
    MisspeltDirective "M013" "misspelt" Error
        "the directive is misspelt; engines ignore it"
        "correct the name"
        [Semantics("5.7")];
    /// A directive has no value, or an invalid one.
    InvalidValue "M014" "invalid-value" Error
        "the value is missing or invalid; engines ignore the directive"
        "write a number, a size or a date, as the directive requires"
        [Semantics("5.1"), Semantics("5.6")];
    /// A list has no directive.
    EmptyList "M015" "empty-list" Note
        "the list has no directive, so it has no effect"
        "leave it out: robots do the same without it"
        [Semantics("5.7")];
    /// A directive that takes no value has one.
    ValueOnFlag "M016" "value-on-flag" Warning
        "the directive takes no value; it applies whatever the value is"
        "leave out the value, or the whole directive"
        [Semantics("5.5")];
    /// A directive has an effect only next to `noindex`, which is absent.
    WithoutEffect "M017" "without-effect" Warning
        "the directive does nothing without noindex"
        "add noindex, or leave it out"
        [Semantics("5.1")];
    /// There is no comma before a directive.
    MissingComma "M018" "missing-comma" Warning
        "there is no comma before the directive; not every robot reads it"
        "put a comma between the directives"
        [Semantics("5.5"), Semantics("5.7")];
    /// A directive in a header follows another one for a named robot.
    PrefixLeak "M019" "prefix-leak" Note
        "the directive applies to the robot named before it; if a proxy joined header lines, it may be for every robot"
        "send a header line for each robot"
        [Semantics("5.4"), Semantics("5.5")];
    /// A date has no time zone.
    NoZone "M020" "no-zone" Note
        "the date has no time zone; it is read as UTC"
        "add the zone: `GMT`"
        [Semantics("5.6")];
    /// A date has a time zone that is not known.
    UnknownZone "M021" "unknown-zone" Warning
        "the time zone of the date is unknown; it is read as UTC"
        "write the zone as `GMT` or `+0100`"
        [Semantics("5.6")];
    /// A list has an invisible character.
    InvisibleInList "M022" "invisible-in-list" Error
        "the list has an invisible character, so engines may not know the directive"
        "type the list again"
        [Semantics("5.7"), Semantics("10")];
    /// Something other than a comma is between directives, or nothing.
    WrongSeparator "M023" "wrong-separator" Error
        "no comma separates the directives; engines read one that is unknown, and ignore it"
        "put commas between the directives"
        [Semantics("5.5")];
    /// A name that is not one of a robot here is before a directive.
    NameInList "M024" "name-in-list" Error
        "the name hides the directives after it from engines"
        "leave it out, or correct it; the robot of a META is its `name`"
        [Semantics("5.5")];
    /// A header for robots has a name that no engine reads.
    UnsupportedHeader "M025" "unsupported-header" Error
        "no engine is known to read this header"
        "send `X-Robots-Tag`"
        [Semantics("5.1"), Semantics("5.5")];
    /// A `Content-Usage` header is not a valid dictionary.
    BadUsageHeader "M026" "bad-usage-header" Error
        "the value is not a valid dictionary, so all its preferences are unknown"
        "write it as `Content-Usage: train-ai=n`: keys are in lower case"
        [Semantics("4.1")];
    /// A statement about AI in a header or META has an unknown name or value.
    UnknownStatement "M027" "unknown-statement" Warning
        "the statement has an unknown name or value, which has no effect"
        "tdm-reservation is 0 or 1; a Content-Signal is search, ai-input or ai-train with yes or no; a Content-Usage is train-ai, ai-use or search with y or n"
        [Semantics("4.1"), Semantics("4.5"), Semantics("4.6")];
    /// Directives of a META are outside of its content.
    LostDirective "M028" "lost-directive" Error
        "directives outside of the first `content` are lost"
        "put the whole list into one `content`, in quotes"
        [Semantics("5.7")];
}
