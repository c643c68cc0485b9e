//! `Content-Signal: [path] search=yes, ai-input=no, ai-train=no`: Cloudflare's Content Signals
//! (docs/semantics.md, section 4.5). Keys and values in any case.
//!
//! A line neither grants nor restricts the uses that it does not name. Cloudflare does not define which
//! of several lines decides; here the longest path does, as for `Content-Usage`. Linear in the value.

use super::path::{self, Statement};
use crate::dialect::{Dialect, Encoding};
use crate::target::Target;
use robots_usage::content_signal::{Signal, Signals, members};
use std::borrow::{Borrow, Cow};

/// One `Content-Signal` line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentSignal<'a> {
    line: usize,
    path: Option<&'a [u8]>,
    /// The value after the path.
    text: &'a [u8],
    signals: Signals,
}

impl<'a> ContentSignal<'a> {
    /// Reads a value; `None` if it has no signal, known or unknown.
    pub(crate) fn read(line: usize, value: &'a [u8]) -> Option<Self> {
        let (path, text) = path::split(value);
        members(text).next()?;
        Some(Self {
            line,
            path,
            text,
            signals: members(text).map(|member| member.signal()).collect(),
        })
    }

    /// Returns the number of the line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Returns the path pattern as written; `None` if the line applies to every path.
    pub fn path(&self) -> Option<&'a [u8]> {
        self.path
    }

    /// Returns the signals that are understood. A key that a line repeats is combined
    /// ([`Signals::combine`]).
    pub fn signals(&self) -> Signals {
        self.signals
    }

    /// Returns the members that are not understood, as written: an unknown key, or an unknown value of a
    /// known one.
    pub fn unknown_members(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        members(self.text)
            .filter(|member| member.signal() == Signal::Unknown)
            .map(|member| member.text())
    }

    /// Returns the line compiled; `None` if its path has no effect under the dialect.
    pub(crate) fn statement(&self, dialect: &Dialect) -> Option<Statement<Signals, Cow<'a, [u8]>>> {
        Statement::read(self.line, self.path, self.signals, dialect)
    }
}

/// The signals of `Content-Signal` lines for a target, and the lines that decided.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignalVerdict {
    signals: Signals,
    lines: Vec<usize>,
}

impl SignalVerdict {
    /// Returns the signals.
    pub fn signals(&self) -> Signals {
        self.signals
    }

    /// Returns the numbers of the lines that decided, from 1, in order; none if no line applies to
    /// the target.
    pub fn lines(&self) -> &[usize] {
        &self.lines
    }
}

/// Returns the signals of the chosen group's lines for a target: the longest path decides, and
/// several of that length are combined.
pub(crate) fn signals_for<F: AsRef<[u8]>>(
    statements: impl IntoIterator<Item = impl Borrow<Statement<Signals, F>>>,
    target: &Target<'_>,
    encoding: Encoding,
) -> SignalVerdict {
    let deciding = path::deciding(statements, target, encoding);
    SignalVerdict {
        signals: deciding
            .iter()
            .fold(Signals::default(), |all, (_, signals)| {
                all.combine(*signals)
            }),
        lines: deciding.iter().map(|(line, _)| *line).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robots_usage::Preference::{self, Allow, Disallow, Unknown};
    use robots_usage::content_signal::ContentUse;

    fn read(value: &str) -> ContentSignal<'_> {
        ContentSignal::read(1, value.as_bytes()).unwrap()
    }

    fn preferences(signals: Signals) -> [Preference; 3] {
        [signals.search(), signals.ai_input(), signals.ai_train()]
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
            assert_eq!(preferences(read(value).signals()), expected, "{value}");
        }
    }

    #[test]
    fn use_is_one_of_three() {
        let content_use = |value| read(value).signals().content_use();
        assert_eq!(content_use("use=immediate"), Some(ContentUse::Immediate));
        assert_eq!(
            content_use("search=yes, use=Reference"),
            Some(ContentUse::Reference)
        );
        assert_eq!(content_use("use=full"), Some(ContentUse::Full));
        assert_eq!(
            content_use("use=full, use=reference"),
            Some(ContentUse::Reference)
        );
        assert_eq!(content_use("use=yes"), None);
    }

    #[test]
    fn unknown_members_are_kept() {
        let found = read("/a b, search = yes, search=maybe,, x=1");
        let unknown: Vec<_> = found.unknown_members().collect();
        assert_eq!(unknown, [&b"b"[..], b"search=maybe", b"x=1"]);
        assert_eq!(found.path(), Some(&b"/a"[..]));
        assert_eq!(read("search=yes").unknown_members().count(), 0);
    }

    #[test]
    fn a_value_without_a_signal_cannot_be_read() {
        for value in ["", ",", " , ,", "/blog/", "/blog/ ,"] {
            assert_eq!(ContentSignal::read(1, value.as_bytes()), None, "{value:?}");
        }
    }

    #[test]
    fn the_longest_path_decides() {
        let values = [
            "search=yes, ai-train=no",
            "/blog/ ai-train=yes",
            "/blog/ ai-train=no, use=reference",
            "/blog/a search=no",
        ];
        let verdict = |url: &str| {
            let dialect = Dialect::RFC9309;
            let statements = values.iter().zip(1..).filter_map(|(value, line)| {
                let rule = ContentSignal::read(line, value.as_bytes()).unwrap();
                rule.statement(&dialect)
            });
            let verdict = signals_for(statements, &Target::new(url), dialect.encoding);
            (preferences(verdict.signals()), verdict.lines().to_vec())
        };
        assert_eq!(verdict("/"), ([Allow, Unknown, Disallow], vec![1]));
        assert_eq!(
            verdict("/blog/b"),
            ([Unknown, Unknown, Disallow], vec![2, 3])
        );
        assert_eq!(verdict("/blog/a"), ([Disallow, Unknown, Unknown], vec![4]));
    }
}
