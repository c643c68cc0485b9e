//! `Content-Usage: train-ai=n`: preferences about the use of the content of a response. IETF
//! AIPREF, drafts attach and vocab (docs/semantics.md, section 4.1).
//!
//! The lines become preferences with their places. Together they are one Dictionary (RFC 9651), which
//! counts as a whole or not at all. It has no paths: it applies to the response. Linear in the values.

use super::facts::HeaderFact;
use super::trimmed;
use robots_usage::Preference;
use robots_usage::content_usage::{UsageCategory, members};

/// The `Content-Usage` lines of a response, combined.
///
/// The lines are one Dictionary (RFC 9651, section 4.2): the last of several members with one key
/// counts, and a line that cannot be read leaves everything unknown. Two things differ from reading
/// the lines joined by commas. A line without a member is skipped. No member continues in the next line; RFC 9651,
/// section 4.2, calls the result of a string in several lines unpredictable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContentUsage<'a> {
    train_ai: Option<HeaderFact<'a, Preference>>,
    ai_use: Option<HeaderFact<'a, Preference>>,
    search: Option<HeaderFact<'a, Preference>>,
    invalid_index: Option<usize>,
}

impl<'a> ContentUsage<'a> {
    /// Returns the preference about a category.
    pub fn preference(&self, category: UsageCategory) -> Preference {
        self.statement(category)
            .map(HeaderFact::meaning)
            .unwrap_or_default()
    }

    /// Returns the member that counts for a category, if there is one; its preference may be
    /// unknown.
    pub fn statement(&self, category: UsageCategory) -> Option<&HeaderFact<'a, Preference>> {
        match category {
            UsageCategory::TrainAi => self.train_ai.as_ref(),
            UsageCategory::AiUse => self.ai_use.as_ref(),
            UsageCategory::Search => self.search.as_ref(),
            _ => None,
        }
    }

    /// Returns the index, among all header lines from 0, of the first that is not a valid Dictionary. A
    /// key with an upper-case letter makes a line invalid. If a line is invalid, every preference is
    /// unknown.
    pub fn invalid_index(&self) -> Option<usize> {
        self.invalid_index
    }

    /// Adds a line to those before it.
    pub(super) fn add(&mut self, index: usize, value: &'a [u8]) {
        if self.invalid_index.is_some() {
            return;
        }
        let text = str::from_utf8(value).ok().map(trimmed);
        let dictionary = text.and_then(|(start, text)| Some((start, members(text)?)));
        let Some((start, members)) = dictionary else {
            *self = Self {
                invalid_index: Some(index),
                ..Self::default()
            };
            return;
        };
        for member in members {
            let statement = HeaderFact {
                index,
                offset: start + member.offset(),
                text: member.text(),
                // The token `y` allows, `n` disallows, anything else is unknown.
                meaning: member.preference(),
            };
            match member.category() {
                UsageCategory::TrainAi => self.train_ai = Some(statement),
                UsageCategory::AiUse => self.ai_use = Some(statement),
                UsageCategory::Search => self.search = Some(statement),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Preference::{Allow, Disallow, Unknown};

    fn usage<'a>(lines: &[&'a str]) -> ContentUsage<'a> {
        let mut usage = ContentUsage::default();
        for (line, value) in lines.iter().copied().enumerate() {
            usage.add(line, value.as_bytes());
        }
        usage
    }

    fn preferences(lines: &[&str]) -> (Preference, Preference, Preference) {
        let usage = usage(lines);
        let [train_ai, ai_use, search] = UsageCategory::ALL.map(|one| usage.preference(one));
        (train_ai, ai_use, search)
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
            assert_eq!(preferences(&[text]), (Unknown, Unknown, Unknown), "{text}");
            let lines = ["search=n", text, "train-ai=n", text];
            assert_eq!(preferences(&lines), (Unknown, Unknown, Unknown), "{text}");
            assert_eq!(usage(&lines).invalid_index(), Some(1));
        }
    }

    #[test]
    fn lines_are_one_dictionary() {
        assert_eq!(
            preferences(&["train-ai=n", "", "search=y, train-ai=y"]),
            (Allow, Unknown, Allow)
        );
        assert_eq!(
            preferences(&["ai-use=y", "ai-use=n"]),
            (Unknown, Disallow, Unknown)
        );
        assert_eq!(
            preferences(&["train-ai=n", "train-ai"]),
            (Unknown, Unknown, Unknown)
        );
    }

    #[test]
    fn a_statement_has_a_place() {
        let value = "  a=\"x, \\\", y\", b=%\"\\\", train-ai=n;c=1 , search";
        let usage = usage(&["search=y", value]);
        let train_ai = usage.statement(UsageCategory::TrainAi).unwrap();
        assert_eq!(train_ai.text(), "train-ai=n;c=1");
        assert_eq!(train_ai.meaning(), Disallow);
        let search = usage.statement(UsageCategory::Search).unwrap();
        assert_eq!((search.text(), search.meaning()), ("search", Unknown));
        for statement in [train_ai, search] {
            assert_eq!(statement.header_index(), 1);
            assert!(value[statement.offset()..].starts_with(statement.text()));
        }
    }
}
