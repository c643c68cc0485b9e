//! `Content-Signal: search=yes, ai-train=no`: Cloudflare's Content Signals, as a response header
//! (SEMANTICS 4.5).
//!
//! A value becomes members with their places, of which each counts alone. What is not named is
//! neither granted nor restricted. A header has no paths: it speaks about the response. Linear in
//! the value.

use super::usage::Preference;
use crate::directive::offset_in;

/// How far content may be used, least first: the value of `use=`, which is a trial. It informs; it
/// grants and forbids nothing (SEMANTICS 8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum ContentUse {
    /// `immediate`.
    Immediate,
    /// `reference`.
    Reference,
    /// `full`.
    Full,
}

/// What one member of a `Content-Signal` line says: Cloudflare's Content Signals (SEMANTICS 4.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// `search`: a search index may be built from it and link to it, or not; summaries by a model
    /// are not meant.
    Search(Preference),
    /// `ai-input`: it may be given to a model for an answer, or not.
    AiInput(Preference),
    /// `ai-train`: models may be trained or tuned with it, or not.
    AiTrain(Preference),
    /// `use`: how far it may be used.
    Use(ContentUse),
    /// An unknown key, or an unknown value of a known one. It neither grants nor restricts.
    Unknown,
}

impl Signal {
    /// A member: `ai-train=no`, in any case, with white space around its parts or without.
    fn read(member: &str) -> Self {
        let (key, value) = member.split_once('=').unwrap_or((member, ""));
        let (key, value) = (key.trim_ascii(), value.trim_ascii());
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        let signal = if is("search") {
            yes_or_no(value).map(Self::Search)
        } else if is("ai-input") {
            yes_or_no(value).map(Self::AiInput)
        } else if is("ai-train") {
            yes_or_no(value).map(Self::AiTrain)
        } else if is("use") {
            content_use(value).map(Self::Use)
        } else {
            None
        };
        signal.unwrap_or(Self::Unknown)
    }
}

fn yes_or_no(value: &str) -> Option<Preference> {
    if value.eq_ignore_ascii_case("yes") {
        Some(Preference::Allow)
    } else if value.eq_ignore_ascii_case("no") {
        Some(Preference::Disallow)
    } else {
        None
    }
}

fn content_use(value: &str) -> Option<ContentUse> {
    [
        ("immediate", ContentUse::Immediate),
        ("reference", ContentUse::Reference),
        ("full", ContentUse::Full),
    ]
    .into_iter()
    .find(|(name, _)| value.eq_ignore_ascii_case(name))
    .map(|(_, content_use)| content_use)
}

/// One member of a `Content-Signal` line, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentSignal<'a> {
    line: usize,
    offset: usize,
    text: &'a str,
    signal: Signal,
}

impl<'a> ContentSignal<'a> {
    /// The members of a line, in order; empty ones are left out.
    pub(super) fn read(line: usize, value: &'a str) -> impl Iterator<Item = Self> {
        value
            .split(',')
            .map(str::trim_ascii)
            .filter(|member| !member.is_empty())
            .map(move |text| Self {
                line,
                offset: offset_in(value, text),
                text,
                signal: Signal::read(text),
            })
    }

    /// The index of the line among all that were given, from 0.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where the member begins in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The member as written, without white space around it: `ai-train=no`.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// What it says.
    pub fn signal(&self) -> Signal {
        self.signal
    }
}

/// What several signals say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signals {
    search: Preference,
    ai_input: Preference,
    ai_train: Preference,
    content_use: Option<ContentUse>,
}

impl Signals {
    /// Whether a search index may be built from it and link to it.
    pub fn search(self) -> Preference {
        self.search
    }

    /// Whether it may be given to a model for an answer.
    pub fn ai_input(self) -> Preference {
        self.ai_input
    }

    /// Whether models may be trained or tuned with it.
    pub fn ai_train(self) -> Preference {
        self.ai_train
    }

    /// The value of `use=`, if there is one that is known.
    pub fn content_use(self) -> Option<ContentUse> {
        self.content_use
    }
}

impl FromIterator<Signal> for Signals {
    /// Any `no` is no (see [`Preference::combine`]), and of several values of `use=` the least
    /// counts. The policy settles neither (SEMANTICS 4.5).
    fn from_iter<T: IntoIterator<Item = Signal>>(signals: T) -> Self {
        let mut all = Self::default();
        for signal in signals {
            match signal {
                Signal::Search(preference) => all.search = all.search.combine(preference),
                Signal::AiInput(preference) => all.ai_input = all.ai_input.combine(preference),
                Signal::AiTrain(preference) => all.ai_train = all.ai_train.combine(preference),
                Signal::Use(found) => {
                    let least = all.content_use.map_or(found, |before| before.min(found));
                    all.content_use = Some(least);
                }
                Signal::Unknown => {}
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    fn signals(value: &str) -> Vec<(&str, Signal)> {
        ContentSignal::read(0, value)
            .map(|found| {
                assert!(value[found.offset()..].starts_with(found.text()));
                (found.text(), found.signal())
            })
            .collect()
    }

    #[test]
    fn signals_are_read_in_any_case() {
        assert_eq!(
            signals(" search=yes, AI-Input = NO ,,ai-train=No, use=Reference"),
            [
                ("search=yes", Signal::Search(Allow)),
                ("AI-Input = NO", Signal::AiInput(Disallow)),
                ("ai-train=No", Signal::AiTrain(Disallow)),
                ("use=Reference", Signal::Use(ContentUse::Reference)),
            ]
        );
        assert_eq!(signals(" , "), []);
    }

    #[test]
    fn what_is_not_understood_says_nothing() {
        // A path belongs into robots.txt.
        for member in [
            "search=maybe",
            "ai-input",
            "use=yes",
            "x=1",
            "=",
            "/a ai-train=no",
        ] {
            assert_eq!(signals(member), [(member, Signal::Unknown)], "{member}");
        }
    }

    #[test]
    fn the_least_of_several_signals_counts() {
        let together = |value| -> Signals {
            signals(value)
                .into_iter()
                .map(|(_, signal)| signal)
                .collect()
        };
        let found = together("search=yes, search=no, ai-train=yes, x, use=full, use=immediate");
        assert_eq!(found.search(), Disallow);
        assert_eq!(found.ai_input(), Unknown);
        assert_eq!(found.ai_train(), Allow);
        assert_eq!(found.content_use(), Some(ContentUse::Immediate));
        assert_eq!(together(""), Signals::default());
    }
}
