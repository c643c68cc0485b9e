//! Statements about the use of content: the lines of a file that depend on a path, and the choice among several of them for
//! a target.
//!
//! * `Content-Usage: [path] preferences`: IETF AIPREF, drafts attach and vocab as read on 2026-11-20 (docs/semantics.md,
//!   section 4.1). The preferences that a line omits are unknown.
//! * `Content-Signal: [path] search=yes, ai-input=no, ai-train=no`: Cloudflare's Content Signals (docs/semantics.md,
//!   section 4.5). A line neither grants nor restricts the uses that it does not name.
//! * `DisallowAITraining: path` and `AllowAITraining: path`: draft-canel-robots-ai-control-00, which has expired
//!   (docs/semantics.md, section 4.4).
//!
//! In all of them the longest path that matches decides, compared as the paths of `Allow` and `Disallow`: Cloudflare does not
//! define which of several lines decides. Reading is linear in the value; a choice is linear in the target and the path for
//! each line.

use super::Extension;
use super::path_pattern::PathPattern;
use super::set::Extensions;
use crate::dialect::{Dialect, Encoding};
use crate::target::Target;
use memchr::memchr2;
use robots_usage::Preference;
use robots_usage::content_signal::{Signals, members};
use robots_usage::content_usage::Usage;
use smallvec::SmallVec;
use std::sync::Arc;

/// The statement of a line about the paths of a pattern, or about every path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Statement<'a, S> {
    line: usize,
    path: Option<&'a [u8]>,
    text: &'a [u8],
    value: S,
}

impl<'a, S: Copy> Statement<'a, S> {
    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the path pattern as written; `None` if the line applies to every path.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    /// Returns the value after the path, as written.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the statement.
    pub fn value(&self) -> S {
        self.value
    }

    /// Returns the statement with its pattern read; `None` if the pattern has no effect under the dialect.
    fn compile<C>(&self, value: C, dialect: &Dialect) -> Option<Compiled<C>> {
        let path = match self.path {
            Some(text) => Some(PathPattern::new(text, dialect)?),
            None => None,
        };
        Some(Compiled {
            line: self.line,
            path,
            value,
        })
    }
}

impl<'a> Statement<'a, Option<Usage>> {
    /// Reads the value of `Content-Usage`; `None` if it is empty, which states nothing.
    pub(super) fn usage(line: usize, value: &'a [u8]) -> Option<Self> {
        let (path, text) = split(value);
        (!value.is_empty()).then(|| Self {
            line,
            path,
            text,
            value: Usage::from_dictionary(text),
        })
    }
}

impl<'a> Statement<'a, Signals> {
    /// Reads the value of `Content-Signal`; `None` if it has no signal, known or unknown.
    pub(super) fn signals(line: usize, value: &'a [u8]) -> Option<Self> {
        let (path, text) = split(value);
        members(text).next()?;
        Some(Self {
            line,
            path,
            text,
            value: members(text).map(|member| member.signal()).collect(),
        })
    }
}

impl<'a> Statement<'a, Preference> {
    /// Reads the path of a field that states a preference about training; `None` if it is empty, which has no effect, like
    /// an empty `Disallow`.
    pub(super) fn training(line: usize, path: &'a [u8], preference: Preference) -> Option<Self> {
        (!path.is_empty()).then_some(Self {
            line,
            path: Some(path),
            text: &[],
            value: preference,
        })
    }
}

/// Returns a value's path, if it begins with one, and the rest: a path begins with `/` and ends
/// before the first space or tab (docs/semantics.md, section 4.1).
fn split(value: &[u8]) -> (Option<&[u8]>, &[u8]) {
    if !value.starts_with(b"/") {
        return (None, value);
    }
    let end = memchr2(b' ', b'\t', value).unwrap_or(value.len());
    let (path, rest) = value.split_at(end);
    let blanks = rest.iter().take_while(|byte| b" \t".contains(byte)).count();
    (Some(path), &rest[blanks..])
}

/// The preferences that the lines of one field state together for a target, and the lines that decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stated<S> {
    value: S,
    lines: Vec<usize>,
}

impl<S: Copy> Stated<S> {
    /// Returns the preferences.
    pub fn value(&self) -> S {
        self.value
    }

    /// Returns the numbers of the lines that decided, from 1, in order; none if no line applies to
    /// the target.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }
}

/// A statement whose pattern is read.
#[derive(Debug)]
struct Compiled<S> {
    line: usize,
    path: Option<PathPattern>,
    value: S,
}

impl<S> Compiled<S> {
    /// Returns the weight of the statement for a path, given in the form of the pattern; `None` if the
    /// statement does not apply. A statement without a path applies to everything, with less weight than any path.
    fn weight(&self, path: &[u8]) -> Option<usize> {
        match &self.path {
            Some(pattern) => pattern.matches_form(path).then(|| pattern.length()),
            None => Some(0),
        }
    }
}

/// Returns the line and the value of each statement that decides about a target, in order: those that
/// apply to it, and have the longest path pattern of these. The patterns are in the form of `encoding`.
fn deciding<S: Copy>(
    statements: &[Compiled<S>],
    target: &Target<'_>,
    encoding: Encoding,
) -> SmallVec<[(usize, S); 2]> {
    let path = target.form(encoding);
    let mut longest = 0;
    let mut found = SmallVec::new();
    for statement in statements {
        let Some(weight) = statement.weight(&path) else {
            continue;
        };
        if weight > longest {
            longest = weight;
            found.clear();
        }
        if weight == longest {
            found.push((statement.line, statement.value));
        }
    }
    found
}

/// Returns the combination of the statements that decide about a target.
fn stated<S: Copy + Default>(
    statements: &[Compiled<S>],
    target: &Target<'_>,
    encoding: Encoding,
    combine: fn(S, S) -> S,
) -> Stated<S> {
    let deciding = deciding(statements, target, encoding);
    let values = deciding.iter().map(|(_, value)| *value);
    Stated {
        value: values.fold(S::default(), combine),
        lines: deciding.iter().map(|(line, _)| *line).collect(),
    }
}

/// The preferences of a file for the use of its content by one robot: its `Content-Usage`,
/// `Content-Signal`, `AllowAITraining` and `DisallowAITraining` lines. See
/// [`Extensions::preferences`].
///
/// It owns its data and is cheap to clone, so it can be kept next to the
/// [`Rules`](crate::Rules). Without any such line it allocates nothing.
///
/// ```
/// use robots_txt::robots_usage::Preference;
/// use robots_txt::{Dialect, RobotsTxt, Target};
///
/// let robots = RobotsTxt::parse(b"\
/// User-agent: *
/// Content-Signal: ai-train=no
/// Content-Signal: /free/ ai-train=yes
/// ");
/// let preferences = robots
///     .extensions_for("ExampleBot", &Dialect::RFC9309)
///     .preferences();
/// drop(robots);
///
/// let signals = preferences.content_signals(&Target::new("/free/books"));
/// assert_eq!(signals.value().ai_train(), Preference::Allow);
/// assert_eq!(signals.lines(), [3]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Preferences {
    statements: Option<Arc<Statements>>,
}

#[derive(Debug)]
struct Statements {
    encoding: Encoding,
    usage: Vec<Compiled<Usage>>,
    signals: Vec<Compiled<Signals>>,
    training: Vec<Compiled<Preference>>,
}

impl Extensions<'_> {
    /// Returns the preferences for the use of content. Linear in the bytes of the lines.
    pub fn preferences(&self) -> Preferences {
        let dialect = &self.dialect;
        let mut all = Statements {
            encoding: dialect.encoding,
            usage: Vec::new(),
            signals: Vec::new(),
            training: Vec::new(),
        };
        for extension in self.of_groups() {
            match extension {
                Extension::ContentUsage(line) => {
                    let usage = line.value.unwrap_or_default();
                    all.usage.extend(line.compile(usage, dialect));
                }
                Extension::ContentSignal(line) => {
                    all.signals.extend(line.compile(line.value, dialect));
                }
                Extension::AiTraining(line) => {
                    all.training.extend(line.compile(line.value, dialect));
                }
                _ => {}
            }
        }
        let is_empty = all.usage.is_empty() && all.signals.is_empty() && all.training.is_empty();
        Preferences {
            statements: (!is_empty).then(|| Arc::new(all)),
        }
    }
}

impl Preferences {
    /// Returns whether no line applies to any target.
    pub fn is_empty(&self) -> bool {
        self.statements.is_none()
    }

    /// Returns the preferences of the `Content-Usage` lines for a target: the longest path decides, counted in the bytes that
    /// are compared. Several of that length are combined, and the most restrictive wins.
    ///
    /// Does not check that the target may be fetched: a disallowed target has no preference (docs/semantics.md, section
    /// 4.1).
    pub fn content_usage(&self, target: &Target<'_>) -> Stated<Usage> {
        let all = self.statements.as_ref();
        all.map_or_else(Stated::default, |all| {
            stated(&all.usage, target, all.encoding, Usage::combine)
        })
    }

    /// Returns the signals of the `Content-Signal` lines for a target: the longest path decides, and
    /// several of that length are combined.
    pub fn content_signals(&self, target: &Target<'_>) -> Stated<Signals> {
        let all = self.statements.as_ref();
        all.map_or_else(Stated::default, |all| {
            stated(&all.signals, target, all.encoding, Signals::combine)
        })
    }

    /// Returns the number, from 1, of the `AllowAITraining` or `DisallowAITraining` line that
    /// decides about a target, and its preference; never [`Preference::Unknown`]. It is the line with the
    /// longest path. In a tie it is the first that allows, or else the first (docs/semantics.md, section 1.4).
    pub fn ai_training(&self, target: &Target<'_>) -> Option<(usize, Preference)> {
        let all = self.statements.as_ref()?;
        let deciding = deciding(&all.training, target, all.encoding);
        let allows = |(_, preference): &&(usize, Preference)| *preference == Preference::Allow;
        deciding.iter().find(allows).or(deciding.first()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RobotsTxt;
    use Preference::{Allow, Disallow, Unknown};
    use robots_usage::content_signal::ContentUse;
    use robots_usage::content_usage::UsageCategory;

    fn preferences(body: &str, agent: &str) -> Preferences {
        RobotsTxt::parse(body.as_bytes())
            .extensions_for(agent, &Dialect::RFC9309)
            .preferences()
    }

    /// Returns the preferences of lines with one field, for every robot. The first is line 2.
    fn of_lines(field: &str, values: &[&str]) -> Preferences {
        let lines = values.iter().map(|value| format!("{field}: {value}\n"));
        let body = format!("User-agent: *\n{}", lines.collect::<String>());
        preferences(&body, "ExampleBot")
    }

    fn usage(values: &[&str], url: &str) -> (Preference, Preference, Vec<usize>) {
        let found = of_lines("Content-Usage", values).content_usage(&Target::new(url));
        (
            found.value().preference(UsageCategory::TrainAi),
            found.value().preference(UsageCategory::Search),
            found.lines,
        )
    }

    fn read_signals(value: &str) -> Statement<'_, Signals> {
        Statement::signals(1, value.as_bytes()).unwrap()
    }

    fn each(signals: Signals) -> [Preference; 3] {
        [signals.search(), signals.ai_input(), signals.ai_train()]
    }

    #[test]
    fn a_path_ends_at_white_space() {
        assert_eq!(split(b"a=b"), (None, &b"a=b"[..]));
        assert_eq!(split(b"*/a b"), (None, &b"*/a b"[..]));
        assert_eq!(split(b"/a b=c"), (Some(&b"/a"[..]), &b"b=c"[..]));
        assert_eq!(split(b"/a\t  b c"), (Some(&b"/a"[..]), &b"b c"[..]));
        assert_eq!(split(b"/a"), (Some(&b"/a"[..]), &b""[..]));
        assert_eq!(split(b""), (None, &b""[..]));
    }

    #[test]
    fn the_longest_path_that_matches_decides() {
        let lines = |values: &[&str], url| usage(values, url).2;
        let values = ["search=y", "/", "/ab", "/a*", "/b/c/d", "train-ai=y"];
        assert_eq!(lines(&values, "/abc"), [4, 5]);
        assert_eq!(lines(&values, "/a"), [5]);
        assert_eq!(lines(&values, "/x"), [3]);
        assert_eq!(lines(&["search=y", "/b", "search=n"], "/a"), [2, 4]);
        assert!(lines(&["/b"], "/a").is_empty());
        // The length is that of the compared form.
        assert_eq!(lines(&["/%61%62*", "/abc"], "/abc"), [2, 3]);
    }

    #[test]
    fn a_path_of_content_usage_is_split_off() {
        let read = |value: &'static str| {
            let line = Statement::usage(1, value.as_bytes()).unwrap();
            (
                line.path(),
                line.value()
                    .map(|usage| usage.preference(UsageCategory::TrainAi)),
            )
        };
        assert_eq!(read("/a train-ai=n"), (Some(&b"/a"[..]), Some(Disallow)));
        let path = &b"/a,b=c"[..];
        assert_eq!(read("/a,b=c\ttrain-ai=n"), (Some(path), Some(Disallow)));
        assert_eq!(read("train-ai=n"), (None, Some(Disallow)));
        assert_eq!(read("/a"), (Some(&b"/a"[..]), Some(Unknown)));
        assert_eq!(read("*/a train-ai=n"), (None, None));
        assert_eq!(Statement::usage(1, b""), None);
    }

    #[test]
    fn a_longer_path_replaces_and_leaves_the_rest_unknown() {
        let rules = ["search=n, train-ai=n", "/a train-ai=y", "/a/b Search=y"];
        assert_eq!(usage(&rules, "/"), (Disallow, Disallow, vec![2]));
        assert_eq!(usage(&rules, "/a"), (Allow, Unknown, vec![3]));
        assert_eq!(usage(&rules, "/a/b"), (Unknown, Unknown, vec![4]));
        assert_eq!(usage(&rules[1..], "/x"), (Unknown, Unknown, vec![]));
    }

    #[test]
    fn the_same_path_twice_is_as_restrictive_as_either() {
        let rules = ["/a train-ai=y", "/a train-ai=n", "/a search=y"];
        assert_eq!(usage(&rules, "/a"), (Disallow, Allow, vec![2, 3, 4]));
    }

    #[test]
    fn signals_are_read_in_any_case() {
        let cases = [
            (
                "search=yes, ai-input=no, ai-train=no",
                [Allow, Disallow, Disallow],
            ),
            ("search=yes,ai-train=no", [Allow, Unknown, Disallow]),
            (" AI-Train = NO ,", [Unknown, Unknown, Disallow]),
            ("search=maybe, ai-input", [Unknown, Unknown, Unknown]),
            ("search=yes, search=no", [Disallow, Unknown, Unknown]),
            ("search=y", [Unknown, Unknown, Unknown]),
        ];
        for (value, expected) in cases {
            assert_eq!(each(read_signals(value).value()), expected, "{value}");
        }
        let content_use = |value| read_signals(value).value().content_use();
        assert_eq!(
            content_use("use=full, use=Reference"),
            Some(ContentUse::Reference)
        );
    }

    #[test]
    fn a_value_without_a_signal_cannot_be_read() {
        for value in ["", ",", " , ,", "/blog/", "/blog/ ,"] {
            assert_eq!(Statement::signals(1, value.as_bytes()), None, "{value:?}");
        }
        let line = read_signals("/a b, search = yes");
        assert_eq!(line.path(), Some(&b"/a"[..]));
        assert_eq!(line.text(), b"b, search = yes");
    }

    #[test]
    fn signals_of_the_longest_path_are_combined() {
        let values = [
            "search=yes, ai-train=no",
            "/blog/ ai-train=yes",
            "/blog/ ai-train=no, use=reference",
            "/blog/a search=no",
        ];
        let verdict = |url: &str| {
            let found = of_lines("Content-Signal", &values).content_signals(&Target::new(url));
            (each(found.value()), found.lines)
        };
        assert_eq!(verdict("/"), ([Allow, Unknown, Disallow], vec![2]));
        assert_eq!(
            verdict("/blog/b"),
            ([Unknown, Unknown, Disallow], vec![3, 4])
        );
        assert_eq!(verdict("/blog/a"), ([Disallow, Unknown, Unknown], vec![5]));
    }

    #[test]
    fn the_longest_path_about_training_decides_and_a_tie_allows() {
        let lines = "AllowAITraining: /a\nDisallowAITraining: /a\nDisallowAITraining: /a/*.png$\n";
        let verdict = |first: &str, url: &str| {
            let body = format!("User-agent: *\n{first}\n{lines}");
            preferences(&body, "ExampleBot").ai_training(&Target::new(url))
        };
        let all = "DisallowAITraining: /";
        assert_eq!(verdict(all, "/x"), Some((2, Disallow)));
        assert_eq!(verdict(all, "/a/b"), Some((3, Allow)));
        assert_eq!(verdict(all, "/a/b.png"), Some((5, Disallow)));
        assert_eq!(verdict("", "/x"), None);
        // An empty path has no effect.
        assert_eq!(verdict("DisallowAITraining:", "/x"), None);
    }

    #[test]
    fn the_example_of_the_draft() {
        let body = "User-agent: *\n\
            Allow: /\n\
            Disallow: /never/\n\
            Content-Usage: train-ai=n\n\
            Content-Usage: /ai-ok/ train-ai=y\n";
        let preferences = preferences(body, "ExampleBot");
        let usage_of = |url: &str| {
            let found = preferences.content_usage(&Target::new(url));
            (
                found.value().preference(UsageCategory::TrainAi),
                found.lines,
            )
        };
        assert_eq!(usage_of("/test"), (Disallow, vec![4]));
        assert_eq!(usage_of("/ai-ok/test"), (Allow, vec![5]));
        // Permission to fetch is up to the caller.
        assert_eq!(usage_of("/never/test"), (Disallow, vec![4]));
    }

    #[test]
    fn each_kind_of_line_answers_for_itself() {
        let body = "User-agent: *\n\
            Content-Signal: search=yes, ai-train=no\n\
            Content-Signal: /blog/ use=reference\n\
            DisallowAITraining: /\n\
            AllowAITraining: /%62log/*.txt$\n\
            User-agent: GPTBot\n\
            Disallow: /x\n";
        let everyone = preferences(body, "ExampleBot");
        assert!(!everyone.is_empty());
        let target = Target::new("https://a.example/blog/a.txt");
        let signals = everyone.content_signals(&target);
        assert_eq!(signals.lines(), [3]);
        assert_eq!(signals.value().ai_train(), Unknown);
        assert_eq!(everyone.ai_training(&target), Some((5, Allow)));
        assert_eq!(
            everyone.ai_training(&Target::new("/a")),
            Some((4, Disallow))
        );
        assert_eq!(everyone.content_usage(&target), Stated::default());
        // The default group does not apply to a robot with a group of its own.
        assert!(preferences(body, "GPTBot").is_empty());
    }

    #[test]
    fn a_file_without_such_lines_has_no_preferences() {
        let target = Target::new("/a");
        for body in ["", "User-agent: *\nDisallow: /\nCrawl-delay: 1"] {
            assert!(preferences(body, "ExampleBot").is_empty());
        }
        let empty = Preferences::default();
        assert!(empty.is_empty());
        assert_eq!(empty.content_usage(&target), Stated::default());
        assert_eq!(empty.content_signals(&target), Stated::default());
        assert_eq!(empty.ai_training(&target), None);
    }

    #[test]
    fn a_pattern_without_effect_is_omitted() {
        // WWW::RobotRules ignores a URL of another origin.
        let robots = RobotsTxt::parse(b"User-agent: *\nDisallowAITraining: http://b.example/");
        let dialect = Dialect::WWW_ROBOT_RULES;
        let extensions = robots.extensions_for("ExampleBot", &dialect);
        assert!(extensions.preferences().is_empty());
    }
}
