//! `search=yes, ai-input=no, ai-train=no`: the value of `Content-Signal`, Cloudflare's Content Signals
//! (docs/semantics.md, section 4.5).
//!
//! A value is a list of members. A bad member does not spoil the others; keys and values are read in
//! any case. A use that no member names is neither granted nor restricted.

use crate::Preference;
use crate::content_usage::{Usage, UsageCategory};
use std::ops::Range;

/// The extent to which content may be used, least first: the value of `use=`, an experimental key.
/// It only informs: it neither grants nor forbids (docs/semantics.md, section 8.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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

impl ContentUse {
    /// All values, least first.
    const ALL: [Self; 3] = [Self::Immediate, Self::Reference, Self::Full];

    /// Returns the value of `use=`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Immediate => "immediate",
            Self::Reference => "reference",
            Self::Full => "full",
        }
    }
}

/// The statement of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Signal {
    /// `search`, `ai-input` or `ai-train`: a preference about a use.
    Preference(UsageCategory, Preference),
    /// `use`: the extent of use.
    Use(ContentUse),
    /// An unknown key, or an unknown value of a known one. It neither grants nor restricts.
    Unknown,
}

impl Signal {
    /// Reads a member: `ai-train=no`, in any case, with or without white space around its parts.
    fn read(member: &[u8]) -> Self {
        let mut parts = member.splitn(2, |&byte| byte == b'=');
        let mut part = || trimmed(parts.next().unwrap_or_default()).1;
        let (key, value) = (part(), part());
        let is = |name: &str| key.eq_ignore_ascii_case(name.as_bytes());
        let signal = if is("use") {
            let mut all = ContentUse::ALL.into_iter();
            let found = all.find(|known| value.eq_ignore_ascii_case(known.name().as_bytes()));
            found.map(Self::Use)
        } else {
            let mut all = UsageCategory::ALL.into_iter();
            let category = all.find(|category| is(category.signal_key()));
            let stated = category.zip(yes_or_no(value));
            stated.map(|(category, preference)| Self::Preference(category, preference))
        };
        signal.unwrap_or(Self::Unknown)
    }
}

fn yes_or_no(value: &[u8]) -> Option<Preference> {
    if value.eq_ignore_ascii_case(b"yes") {
        Some(Preference::Allow)
    } else if value.eq_ignore_ascii_case(b"no") {
        Some(Preference::Disallow)
    } else {
        None
    }
}

/// A member of a value, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member<'a> {
    offset: usize,
    text: &'a [u8],
    signal: Signal,
}

impl<'a> Member<'a> {
    /// Returns the offset of the member in the value, in bytes from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the member as written, without white space around it: `ai-train=no`.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Returns the range of the member in the value, in bytes from 0.
    pub fn range(&self) -> Range<usize> {
        self.offset..self.offset + self.text.len()
    }

    /// Returns the statement of the member.
    pub fn signal(&self) -> Signal {
        self.signal
    }
}

/// Reads the members of a value, in order. Empty members are left out.
pub fn members(value: &[u8]) -> impl Iterator<Item = Member<'_>> {
    let mut next = 0_usize;
    value.split(|&byte| byte == b',').filter_map(move |part| {
        let start = next;
        next = start + part.len() + 1;
        let (white_space, text) = trimmed(part);
        (!text.is_empty()).then(|| Member {
            offset: start + white_space,
            text,
            signal: Signal::read(text),
        })
    })
}

/// Returns the number of white space bytes at the start, and the bytes without white space at both ends.
/// White space is that of robots.txt: space, tab, LF, VT, FF and CR.
fn trimmed(bytes: &[u8]) -> (usize, &[u8]) {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t'..=b'\r');
    let start = bytes.iter().position(is_text).unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(is_text)
        .map_or(start, |last| last + 1);
    (start, &bytes[start..end])
}

/// The preferences that several signals state together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Signals {
    usage: Usage,
    content_use: Option<ContentUse>,
}

impl Signals {
    /// Returns the preferences about all uses.
    pub fn usage(self) -> Usage {
        self.usage
    }

    /// Returns the preference about building a search index from the content and linking to it. Summaries by a model are not
    /// included.
    pub fn search(self) -> Preference {
        self.usage.preference(UsageCategory::Search)
    }

    /// Returns the preference about giving the content to a model for an answer.
    pub fn ai_input(self) -> Preference {
        self.usage.preference(UsageCategory::AiUse)
    }

    /// Returns the preference about training or tuning models with the content.
    pub fn ai_train(self) -> Preference {
        self.usage.preference(UsageCategory::TrainAi)
    }

    /// Returns the value of `use=`, if one is known.
    pub fn content_use(self) -> Option<ContentUse> {
        self.content_use
    }

    /// Combines two statements about the same content: any `no` is no (see [`Preference::combine`]),
    /// and of two values of `use=` the lesser counts. Cloudflare's policy settles neither
    /// (docs/semantics.md, section 4.5).
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        Self {
            usage: self.usage.combine(other.usage),
            content_use: match (self.content_use, other.content_use) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            },
        }
    }
}

impl From<Signal> for Signals {
    fn from(signal: Signal) -> Self {
        let mut signals = Self::default();
        match signal {
            Signal::Preference(category, preference) => {
                *signals.usage.preference_mut(category) = preference;
            }
            Signal::Use(content_use) => signals.content_use = Some(content_use),
            Signal::Unknown => {}
        }
        signals
    }
}

impl FromIterator<Signal> for Signals {
    /// Combines signals: see [`Signals::combine`].
    fn from_iter<T: IntoIterator<Item = Signal>>(signals: T) -> Self {
        let signals = signals.into_iter().map(Self::from);
        signals.fold(Self::default(), Self::combine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    fn signals(value: &str) -> Vec<(&str, Signal)> {
        members(value.as_bytes())
            .map(|member| {
                let text = std::str::from_utf8(member.text()).unwrap();
                assert!(value[member.offset()..].starts_with(text));
                (text, member.signal())
            })
            .collect()
    }

    #[test]
    fn keys_and_values_are_read_in_any_case() {
        let stated = Signal::Preference;
        assert_eq!(
            signals(" search=yes, AI-Input = NO ,,ai-train=No, use=Reference"),
            [
                ("search=yes", stated(UsageCategory::Search, Allow)),
                ("AI-Input = NO", stated(UsageCategory::AiUse, Disallow)),
                ("ai-train=No", stated(UsageCategory::TrainAi, Disallow)),
                ("use=Reference", Signal::Use(ContentUse::Reference)),
            ]
        );
        assert_eq!(signals(" , "), []);
    }

    #[test]
    fn unknown_members_state_nothing() {
        // A path, as in the last one, is split off a line of robots.txt before its members are read.
        for member in [
            "search=maybe",
            "search=y",
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
            let signals = signals(value).into_iter();
            signals.map(|(_, signal)| signal).collect()
        };
        let found = together("search=yes, search=no, ai-train=yes, x, use=full, use=immediate");
        assert_eq!(found.search(), Disallow);
        assert_eq!(found.ai_input(), Unknown);
        assert_eq!(found.ai_train(), Allow);
        assert_eq!(found.content_use(), Some(ContentUse::Immediate));
        assert_eq!(together(""), Signals::default());
    }
}
