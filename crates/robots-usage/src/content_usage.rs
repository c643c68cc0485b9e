//! `train-ai=n, search=y`: the value of `Content-Usage`, IETF AIPREF, drafts attach and vocab (docs/semantics.md, section
//! 4.1), with the labels of the vocabulary of August 2026.
//!
//! A value is a Dictionary (RFC 9651), which counts as a whole or not at all. In it the token `y`
//! allows and `n` disallows; any other value is unknown; other keys and all parameters have no
//! meaning. The last of several members with one key counts.

use crate::Preference;

/// A kind of use in the vocabulary of IETF AIPREF. Content Signals have [other names](Self::signal_key) for two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum UsageCategory {
    /// `train-ai`: training models that generate content.
    TrainAi,
    /// `ai-use`: giving the content to a model that generates content, where its user did not provide it.
    AiUse,
    /// `search`: finding the content with a search engine, which links to it and does not summarise
    /// it. It overrides the others for this use.
    Search,
}

impl UsageCategory {
    /// All categories.
    pub const ALL: [Self; 3] = [Self::TrainAi, Self::AiUse, Self::Search];

    /// Returns the label: the key in a Dictionary.
    pub const fn label(self) -> &'static str {
        match self {
            Self::TrainAi => "train-ai",
            Self::AiUse => "ai-use",
            Self::Search => "search",
        }
    }

    /// Returns the key in a `Content-Signal`.
    pub const fn signal_key(self) -> &'static str {
        match self {
            Self::TrainAi => "ai-train",
            Self::AiUse => "ai-input",
            Self::Search => "search",
        }
    }
}

/// The preferences of the AIPREF vocabulary, one for each category, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Usage([Preference; UsageCategory::ALL.len()]);

impl Usage {
    /// Reads the text of a Dictionary. Returns `None` if it is not a valid one (a key with an
    /// upper-case letter is enough), which leaves every preference unknown.
    pub fn from_dictionary(text: &[u8]) -> Option<Self> {
        let mut usage = Self::default();
        // A valid Dictionary is ASCII, so text that is not UTF-8 is not valid.
        for member in members(std::str::from_utf8(text).ok()?)? {
            *usage.preference_mut(member.category()) = member.preference();
        }
        Some(usage)
    }

    /// Returns the preference about a kind of use.
    pub fn preference(self, category: UsageCategory) -> Preference {
        self.0[category as usize]
    }

    pub(crate) fn preference_mut(&mut self, category: UsageCategory) -> &mut Preference {
        &mut self.0[category as usize]
    }

    /// Combines two statements about the same content: see [`Preference::combine`].
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        Self(UsageCategory::ALL.map(|one| self.preference(one).combine(other.preference(one))))
    }
}

/// A member of a Dictionary about a known category, with its text and place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Member<'a> {
    offset: usize,
    text: &'a str,
    category: UsageCategory,
    preference: Preference,
}

impl<'a> Member<'a> {
    /// Returns the offset of the member in the value, in bytes from 0.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the member as written, with its parameters: `train-ai=n;c=1`.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the kind of use that the member is about.
    pub fn category(&self) -> UsageCategory {
        self.category
    }

    /// Returns the preference: the token `y` allows, `n` disallows, anything else is unknown.
    pub fn preference(&self) -> Preference {
        self.preference
    }

    /// Reads a member of a valid Dictionary. Returns `None` for an unknown key.
    fn read(offset: usize, text: &'a str) -> Option<Self> {
        let end = text.find(['=', ';']).unwrap_or(text.len());
        let (key, value) = text.split_at(end);
        let mut categories = UsageCategory::ALL.into_iter();
        let category = categories.find(|category| category.label() == key)?;
        let value = value
            .strip_prefix('=')
            .and_then(|value| value.split(';').next());
        let preference = match value {
            Some("y") => Preference::Allow,
            Some("n") => Preference::Disallow,
            _ => Preference::Unknown,
        };
        Some(Self {
            offset,
            text,
            category,
            preference,
        })
    }
}

/// Reads the members of a Dictionary that are about known categories, in order, repeated keys
/// included. Returns `None` if the text is not a valid Dictionary.
pub fn members(text: &str) -> Option<impl Iterator<Item = Member<'_>>> {
    let all = valid_members(text)?;
    Some(all.filter_map(|(offset, member)| Member::read(offset, member)))
}

/// Returns the members of a Dictionary that state nothing, in order, with their offsets: those with an unknown key, and those
/// with another value than the tokens `y` and `n`. Returns `None` if the text is not a valid Dictionary.
///
/// ```
/// use robots_usage::content_usage::unknown_members;
///
/// let unknown: Vec<_> = unknown_members("train-ai=n, serach=n").unwrap().collect();
/// assert_eq!(unknown, [(12, "serach=n")]);
/// ```
pub fn unknown_members(text: &str) -> Option<impl Iterator<Item = (usize, &str)>> {
    let states_nothing = |(offset, text): &(usize, &str)| {
        let member = Member::read(*offset, text);
        member.is_none_or(|member| member.preference == Preference::Unknown)
    };
    Some(valid_members(text)?.filter(states_nothing))
}

/// Returns all members of a Dictionary with their offsets; `None` if it is not valid.
fn valid_members(text: &str) -> Option<impl Iterator<Item = (usize, &str)>> {
    use sfv::Parser;
    use sfv::visitor::Ignored;

    let dictionary = Parser::new(text).parse_dictionary_with_visitor(Ignored);
    dictionary.ok()?;
    Some(all_members(text))
}

/// The kind of a quoted text in a Dictionary.
#[derive(Clone, Copy)]
enum Quoted {
    /// A string: `"a\"b"`, in which a backslash escapes the next character.
    String,
    /// A display string: `%"a\b"`, in which a backslash is text.
    DisplayString,
}

/// Cuts a valid Dictionary into its members, with their offsets. The library's parser does not
/// report offsets.
fn all_members(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_between = |byte: &u8| matches!(byte, b' ' | b'\t' | b',');
        let rest = bytes.get(at..)?;
        let start = at + rest.iter().position(|byte| !is_between(byte))?;
        at = start;
        let mut quoted = None;
        while let Some(&byte) = bytes.get(at) {
            match (byte, quoted) {
                (b',', None) => break,
                (b'"', None) if text.get(..at)?.ends_with('%') => {
                    quoted = Some(Quoted::DisplayString);
                }
                (b'"', None) => quoted = Some(Quoted::String),
                (b'"', Some(_)) => quoted = None,
                // Skip the escaped character: a quotation mark does not end the string.
                (b'\\', Some(Quoted::String)) => at += 1,
                _ => {}
            }
            at += 1;
        }
        let member = text.get(start..at.min(text.len()))?;
        Some((start, member.trim_end_matches([' ', '\t'])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};
    use proptest::prelude::*;

    fn usage(text: &str) -> Option<(Preference, Preference, Preference)> {
        let usage = Usage::from_dictionary(text.as_bytes())?;
        let [train_ai, ai_use, search] = UsageCategory::ALL.map(|one| usage.preference(one));
        Some((train_ai, ai_use, search))
    }

    #[test]
    fn only_the_tokens_y_and_n_state_a_preference() {
        let cases = [
            ("train-ai=y, search=n", (Allow, Unknown, Disallow)),
            ("train-ai=n", (Disallow, Unknown, Unknown)),
            ("train-ai;allow=n, train-ai=y", (Allow, Unknown, Unknown)),
            ("train-ai=y;search=n", (Allow, Unknown, Unknown)),
            (
                "train-ai=y;a=\"b;c, train-ai=n\"",
                (Allow, Unknown, Unknown),
            ),
            ("train-ai=Y, search=no", (Unknown, Unknown, Unknown)),
            ("train-ai=?0, search=\"n\"", (Unknown, Unknown, Unknown)),
            ("train-ai=(n), search=0", (Unknown, Unknown, Unknown)),
            ("bots=n, train-genai=n", (Unknown, Unknown, Unknown)),
            ("ai-use=n, search=y", (Unknown, Disallow, Allow)),
            ("ai-use=y, ai-use=yes", (Unknown, Unknown, Unknown)),
            ("", (Unknown, Unknown, Unknown)),
            ("train-ai=y, train-ai", (Unknown, Unknown, Unknown)),
            (
                "train-ai=y, train-ai, search=n, search=\"n\"",
                (Unknown, Unknown, Unknown),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(usage(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn one_bad_byte_makes_everything_unknown() {
        for text in [
            "Train-AI=n",
            "train-ai=n,",
            "train-ai=n search=n",
            "/a train-ai=n",
            "train-ai=n, é",
        ] {
            assert_eq!(usage(text), None, "{text}");
        }
        assert_eq!(Usage::from_dictionary(b"train-ai=n, \xFF=y"), None);
    }

    #[test]
    fn members_that_state_nothing() {
        let unknown = |text| -> Option<Vec<&str>> {
            let members = unknown_members(text)?;
            Some(members.map(|(_, member)| member).collect())
        };
        let cases: [(&str, &[&str]); 5] = [
            ("train-ai=n, search=y;a=1", &[]),
            ("train-ai=no, search=y", &["train-ai=no"]),
            ("trian-ai=n, search", &["trian-ai=n", "search"]),
            ("a=\"x, train-ai=n\"", &["a=\"x, train-ai=n\""]),
            ("", &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(unknown(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(unknown("Train-AI=n"), None);
    }

    #[test]
    fn a_member_has_a_place() {
        let value = "  a=\"x, \\\", y\", b=%\"\\\", train-ai=n;c=1 , search";
        let found: Vec<_> = members(value).unwrap().collect();
        let texts = found
            .iter()
            .map(|member| (member.text(), member.preference()));
        let expected = [("train-ai=n;c=1", Disallow), ("search", Unknown)];
        assert_eq!(texts.collect::<Vec<_>>(), expected);
        for member in found {
            assert!(value[member.offset()..].starts_with(member.text()));
        }
    }

    proptest! {
        #[test]
        fn members_are_those_of_the_dictionary(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "train-ai", "ai-use", "search", "=", "y", "n", "=n", ", ", ",", ";a", "=\"", "\"", "\\\"",
                    "=%\"", "\\", "(n y)", " ", "=y, search",
                ]),
                0..12,
            ),
        ) {
            let text = parts.concat();
            let expected = sfv::Parser::new(&text).parse::<sfv::Dictionary>().ok();
            let preference = |dictionary: &sfv::Dictionary, key: &str| {
                let token = match dictionary.get(key) {
                    Some(sfv::ListEntry::Item(item)) => item.bare_item.as_token(),
                    _ => None,
                };
                match token.map(sfv::TokenRef::as_str) {
                    Some("y") => Allow,
                    Some("n") => Disallow,
                    _ => Unknown,
                }
            };
            let expected = expected.map(|found| {
                let [train_ai, ai_use, search] =
                    UsageCategory::ALL.map(|one| preference(&found, one.label()));
                (train_ai, ai_use, search)
            });
            prop_assert_eq!(usage(&text), expected);
        }
    }
}
