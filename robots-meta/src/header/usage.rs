//! `Content-Usage: train-ai=n`: what may be done with the content of a response. IETF AIPREF, drafts
//! attach and vocab as read on 2026-11-20 (SEMANTICS 4.1).
//!
//! The lines become preferences with their places. They are a Dictionary (RFC 9651), which counts as
//! a whole or not at all, and which has no paths: it speaks about the response. Linear in the values.

use super::cursor::Cursor;
use super::trimmed;
use sfv::Parser;
use sfv::visitor::Ignored;

/// What is preferred, of one kind of use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Preference {
    /// The use is welcome.
    Allow,
    /// The use is not wanted.
    Disallow,
    /// Nothing is said. No standard says what follows from that.
    #[default]
    Unknown,
}

impl Preference {
    /// Two statements about one thing: either may disallow; else either may allow
    /// (SEMANTICS 4.1, 8.6).
    ///
    /// ```
    /// use robots_meta::Preference;
    ///
    /// let file = Preference::Allow;
    /// assert_eq!(file.combine(Preference::Unknown), Preference::Allow);
    /// assert_eq!(file.combine(Preference::Disallow), Preference::Disallow);
    /// ```
    #[must_use]
    pub fn combine(self, other: Self) -> Self {
        match (self, other) {
            (Self::Disallow, _) | (_, Self::Disallow) => Self::Disallow,
            (Self::Allow, _) | (_, Self::Allow) => Self::Allow,
            (Self::Unknown, Self::Unknown) => Self::Unknown,
        }
    }
}

/// A kind of use in the vocabulary of IETF AIPREF (SEMANTICS 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum UsageCategory {
    /// `train-ai`: training models that generate content.
    TrainAi,
    /// `search`: finding it with a search engine, which links to it and summarises nothing.
    Search,
}

/// What a member of a `Content-Usage` line says about a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UsageStatement<'a> {
    line: usize,
    offset: usize,
    text: &'a str,
    category: UsageCategory,
    preference: Preference,
}

impl<'a> UsageStatement<'a> {
    /// The index of the line among all that were given, from 0.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where the member begins in the value of its line, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The member as written, with its parameters: `train-ai=n`.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// What it is about.
    pub fn category(&self) -> UsageCategory {
        self.category
    }

    /// What it says: the token `y` allows, `n` disallows, anything else is unknown.
    pub fn preference(&self) -> Preference {
        self.preference
    }

    /// A member of a Dictionary; `None` if it is about nothing that is known.
    fn read(line: usize, offset: usize, text: &'a str) -> Option<Self> {
        let end = text.find(['=', ';']).unwrap_or(text.len());
        let (key, value) = text.split_at_checked(end)?;
        let category = match key {
            "train-ai" => UsageCategory::TrainAi,
            "search" => UsageCategory::Search,
            _ => return None,
        };
        let value = value
            .strip_prefix('=')
            .and_then(|value| value.split(';').next());
        let preference = match value {
            Some("y") => Preference::Allow,
            Some("n") => Preference::Disallow,
            _ => Preference::Unknown,
        };
        Some(Self {
            line,
            offset,
            text,
            category,
            preference,
        })
    }
}

/// What the `Content-Usage` lines of a response say, all of them together.
///
/// The lines are one Dictionary (RFC 9651, 4.2): of several members with one key the last counts,
/// and one that cannot be read leaves everything unknown. Not as in a joined field, a line without
/// a member is passed over, and no member goes on in the next line, where RFC 9651 calls the
/// outcome unpredictable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContentUsage<'a> {
    train_ai: Option<UsageStatement<'a>>,
    search: Option<UsageStatement<'a>>,
    unreadable_line: Option<usize>,
}

impl<'a> ContentUsage<'a> {
    /// Whether models that generate content may be trained with the response.
    pub fn train_ai(&self) -> Preference {
        self.preference(UsageCategory::TrainAi)
    }

    /// Whether it may be found with a search engine.
    pub fn search(&self) -> Preference {
        self.preference(UsageCategory::Search)
    }

    /// What is preferred of a category.
    pub fn preference(&self, category: UsageCategory) -> Preference {
        self.statement(category)
            .map(UsageStatement::preference)
            .unwrap_or_default()
    }

    /// The member that counts for a category, if there is one; its preference may be unknown.
    pub fn statement(&self, category: UsageCategory) -> Option<&UsageStatement<'a>> {
        match category {
            UsageCategory::TrainAi => self.train_ai.as_ref(),
            UsageCategory::Search => self.search.as_ref(),
        }
    }

    /// The index, among all that were given, of the first line that is no Dictionary; a key with an
    /// upper-case letter is enough. If there is one, nothing is known.
    pub fn unreadable_line(&self) -> Option<usize> {
        self.unreadable_line
    }

    /// Adds a line to those before it.
    pub(super) fn add(&mut self, line: usize, value: &'a str) {
        if self.unreadable_line.is_some() {
            return;
        }
        let (start, text) = trimmed(value);
        let dictionary = Parser::new(text).parse_dictionary_with_visitor(Ignored);
        if dictionary.is_err() {
            *self = Self {
                unreadable_line: Some(line),
                ..Self::default()
            };
            return;
        }
        for (offset, member) in dictionary_members(text) {
            let offset = start.saturating_add(offset);
            let statement = UsageStatement::read(line, offset, member);
            match statement.map(|statement| statement.category) {
                Some(UsageCategory::TrainAi) => self.train_ai = statement,
                Some(UsageCategory::Search) => self.search = statement,
                None => {}
            }
        }
    }
}

/// What stands between the commas of a text that is a Dictionary, each with its offset. In a string
/// a comma is text; elsewhere none can stand but between members.
fn dictionary_members(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut cursor = Cursor::new(text);
    std::iter::from_fn(move || {
        cursor.skip(", \t");
        if cursor.is_at_end() {
            return None;
        }
        let start = cursor.at();
        loop {
            cursor.take(|c| c != ',' && c != '"');
            // In a display string a backslash is text.
            let is_display = cursor.since(start).ends_with('%');
            if !cursor.eat('"') {
                break;
            }
            loop {
                cursor.take(|c| c != '"' && (is_display || c != '\\'));
                if !cursor.eat('\\') {
                    break;
                }
                // What is escaped does not end the string.
                cursor.take_one();
            }
            cursor.eat('"');
        }
        Some((start, cursor.since(start).trim_end_matches([' ', '\t'])))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};
    use proptest::prelude::*;

    fn usage<'a>(lines: &[&'a str]) -> ContentUsage<'a> {
        let mut usage = ContentUsage::default();
        for (line, value) in lines.iter().copied().enumerate() {
            usage.add(line, value);
        }
        usage
    }

    fn preferences(lines: &[&str]) -> (Preference, Preference) {
        let usage = usage(lines);
        (usage.train_ai(), usage.search())
    }

    #[test]
    fn only_the_tokens_y_and_n_say_anything() {
        let cases = [
            ("train-ai=y, search=n", (Allow, Disallow)),
            (" train-ai=n\t", (Disallow, Unknown)),
            ("train-ai;allow=n, train-ai=y", (Allow, Unknown)),
            ("train-ai=y;search=n", (Allow, Unknown)),
            ("train-ai=y;a=\"b;c, train-ai=n\"", (Allow, Unknown)),
            ("train-ai=Y, search=no", (Unknown, Unknown)),
            ("train-ai=?0, search=\"n\"", (Unknown, Unknown)),
            ("train-ai=(n), search=0", (Unknown, Unknown)),
            ("bots=n, train-genai=n", (Unknown, Unknown)),
            ("", (Unknown, Unknown)),
            ("train-ai=y, train-ai", (Unknown, Unknown)),
            (
                "train-ai=y, train-ai, search=n, search=\"n\"",
                (Unknown, Unknown),
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(preferences(&[text]), expected, "{text}");
            assert_eq!(usage(&[text]).unreadable_line(), None, "{text}");
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
            assert_eq!(preferences(&[text]), (Unknown, Unknown), "{text}");
            let lines = ["search=n", text, "train-ai=n", text];
            assert_eq!(preferences(&lines), (Unknown, Unknown), "{text}");
            assert_eq!(usage(&lines).unreadable_line(), Some(1));
        }
    }

    #[test]
    fn lines_are_one_dictionary() {
        assert_eq!(
            preferences(&["train-ai=n", "", "search=y, train-ai=y"]),
            (Allow, Allow)
        );
        assert_eq!(preferences(&["train-ai=n", "train-ai"]), (Unknown, Unknown));
    }

    #[test]
    fn a_statement_has_a_place() {
        let value = "  a=\"x, \\\", y\", b=%\"\\\", train-ai=n;c=1 , search";
        let usage = usage(&["search=y", value]);
        let train_ai = usage.statement(UsageCategory::TrainAi).unwrap();
        assert_eq!(train_ai.text(), "train-ai=n;c=1");
        assert_eq!(train_ai.preference(), Disallow);
        let search = usage.statement(UsageCategory::Search).unwrap();
        assert_eq!((search.text(), search.preference()), ("search", Unknown));
        for statement in [train_ai, search] {
            assert_eq!(statement.line(), 1);
            assert!(value[statement.offset()..].starts_with(statement.text()));
        }
    }

    proptest! {
        /// As the library for structured fields reads a whole dictionary.
        #[test]
        fn members_are_those_of_the_dictionary(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "train-ai", "search", "=", "y", "n", "=n", ", ", ",", ";a", "=\"", "\"", "\\\"",
                    "=%\"", "\\", "(n y)", " ", "=y, search",
                ]),
                0..12,
            ),
        ) {
            let text = parts.concat();
            let expected = Parser::new(&text).parse::<sfv::Dictionary>().ok();
            let preference = |key: &str| {
                let Some(sfv::ListEntry::Item(item)) = expected.as_ref()?.get(key) else {
                    return None;
                };
                item.bare_item.as_token().map(|token| token.as_str().to_owned())
            };
            let as_preference = |token: Option<String>| match token.as_deref() {
                Some("y") => Allow,
                Some("n") => Disallow,
                _ => Unknown,
            };
            let found = usage(&[text.as_str()]);
            prop_assert_eq!(found.unreadable_line().is_none(), expected.is_some());
            prop_assert_eq!(found.train_ai(), as_preference(preference("train-ai")));
            prop_assert_eq!(found.search(), as_preference(preference("search")));
        }
    }
}
