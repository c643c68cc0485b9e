//! Directive lists: one grammar for META content and X-Robots-Tag (docs/semantics.md, sections 5.5
//! to 5.7).
//!
//! Items are separated by commas, or by semicolons, which some pages use. An item is a token
//! (`noindex`), a name with a value (`max-snippet: 20`) or, in a header, one of these after the
//! name of a robot (`googlebot: noindex`), which stays in force for the following items. White
//! space between known directives is a missing comma. Dates may have a comma.
//!
//! Linear in the text; no item is copied.

use super::flags::Directives;
use super::item::{Directive, DirectiveValue, Item, offset_in};
use super::names::{Parameter, begins_with_directive};
use crate::value::{ImagePreview, Limit, Timestamp};

/// Whether an item may begin with the name of a robot and a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::exhaustive_enums, reason = "a name may be accepted or not")]
pub enum AgentPrefix {
    /// It may: the name applies to this item and those after it. In a header.
    Accepted,
    /// It may not: such an item is an unknown directive. In META content, where the META's `name`
    /// names the robot.
    None,
}

impl Parameter {
    /// Reads the value after the name.
    fn value(self, text: &str) -> DirectiveValue {
        let value = match self {
            Self::UnavailableAfter => Timestamp::parse(text).map(DirectiveValue::UnavailableAfter),
            Self::MaxSnippet => limit(text).map(DirectiveValue::MaxSnippet),
            Self::MaxVideoPreview => limit(text).map(DirectiveValue::MaxVideoPreview),
            Self::MaxImagePreview => image_preview(text).map(DirectiveValue::MaxImagePreview),
        };
        value.unwrap_or(DirectiveValue::Invalid)
    }
}

/// Reads a limit: a number, with or without a `+`; or `-1`, which means unlimited. A number greater than
/// [`u32::MAX`] means unlimited too.
fn limit(text: &str) -> Option<Limit> {
    if text == "-1" {
        return Some(Limit::Unlimited);
    }
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().map_or(Limit::Unlimited, Limit::AtMost))
}

fn image_preview(text: &str) -> Option<ImagePreview> {
    let sizes = [
        ImagePreview::None,
        ImagePreview::Standard,
        ImagePreview::Large,
    ];
    sizes
        .into_iter()
        .find(|size| size.name().eq_ignore_ascii_case(text))
}

/// Returns the items of a list, in order.
pub fn items(list: &str, prefix: AgentPrefix) -> Items<'_> {
    Items {
        list,
        rest: Some(list),
        pending: "",
        unseparated: false,
        agent: None,
        prefix,
        last_digit: None,
        after_commas: [None; DATE_COMMAS],
    }
}

/// The iterator that [`items`] returns.
#[derive(Debug, Clone)]
pub struct Items<'a> {
    list: &'a str,
    /// The text after the separator that was reached last; `None` if no further item follows.
    rest: Option<&'a str>,
    /// The rest of an item in which commas are missing.
    pending: &'a str,
    /// True if `pending` is several items without separators. This is stored so that `pending` is examined once,
    /// not again for each of its items.
    unseparated: bool,
    /// The robot that the next items apply to; `None` for every robot.
    agent: Option<&'a str>,
    prefix: AgentPrefix,
    /// The last digit before the next separator; `None` if it has not been searched.
    last_digit: Option<LastDigit>,
    /// The texts after the next commas, as far as they have been searched. They are stored because
    /// many dates may be before one comma, and each looks past it.
    after_commas: [Option<AfterComma>; DATE_COMMAS],
}

/// The offset in the list of the last digit of a text; `None` if the text has no digit.
#[derive(Debug, Clone, Copy)]
struct LastDigit(Option<usize>);

/// A text between two separators, by its offsets in the list.
#[derive(Debug, Clone, Copy)]
struct AfterComma {
    start: usize,
    beginning: Beginning,
    /// The end of the text without its trailing white space.
    trimmed_end: usize,
    end: usize,
    /// The offset in the list of the last digit of the text; `None` if it has no digit.
    last_digit: Option<usize>,
}

/// The beginning of a text after a comma, which decides whether it can belong to a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beginning {
    Digit,
    /// The name of a month.
    Month,
    Other,
}

impl Beginning {
    fn of(text: &str) -> Self {
        let text = text.trim_start();
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            Self::Digit
        } else if Timestamp::begins_with_month(text) {
            Self::Month
        } else {
            Self::Other
        }
    }
}

impl<'a> Iterator for Items<'a> {
    type Item = Item<'a>;

    fn next(&mut self) -> Option<Item<'a>> {
        loop {
            while self.pending.is_empty() {
                self.unseparated = false;
                self.pending = self.split_off()?.trim();
            }
            if !self.unseparated {
                self.unseparated = is_unseparated(self.pending, self.prefix);
            }
            if self.unseparated
                && let Some(token) = self.leading_token()
            {
                return Some(token);
            }
            self.unseparated = false;
            let item = std::mem::take(&mut self.pending);
            let Some((key, value)) = item.split_once(':') else {
                return Some(self.token(item));
            };
            let (key, value) = (key.trim(), value.trim());
            if let Some(parameter) = Parameter::from_name(key) {
                return Some(self.parameter(item, parameter, value));
            }
            // `noindex: 1`: a directive that takes no value, with one. `noindex: nofollow`: a colon for a
            // comma. In a header, a robot's name may follow that colon too: `noindex: googlebot: nofollow`.
            if let Some(flags) = Directives::from_token(key) {
                if begins_with_directive(value)
                    || self.prefix == AgentPrefix::Accepted && value.contains(':')
                {
                    self.pending = value;
                    return Some(self.item(key, DirectiveValue::Flags(flags)));
                }
                return Some(self.item(item, DirectiveValue::Flags(flags)));
            }
            if self.prefix == AgentPrefix::None || !is_agent(key) {
                return Some(self.item(item, DirectiveValue::Unknown));
            }
            // A robot's name: it applies until the next name. The text after its colon is read next.
            self.agent = (key != "*").then(|| without_version(key));
            self.pending = value;
        }
    }
}

impl<'a> Items<'a> {
    /// Returns the items of `list`, the next part of the same header line. The robot's name that is in force at the
    /// end of this part still applies there.
    pub(crate) fn continue_in(&self, list: &'a str) -> Self {
        Self {
            agent: self.agent,
            ..items(list, self.prefix)
        }
    }

    /// Takes the text up to the next separator.
    fn split_off(&mut self) -> Option<&'a str> {
        let rest = self.rest?;
        let (item, after) = match rest.split_once([',', ';']) {
            Some((item, after)) => (item, Some(after)),
            None => (rest, None),
        };
        self.rest = after;
        self.last_digit = None;
        Some(item)
    }

    fn item(&self, text: &'a str, value: DirectiveValue) -> Item<'a> {
        Item {
            agent: self.agent,
            directive: Directive {
                text,
                offset: offset_in(self.list, text),
                value,
            },
        }
    }

    /// Returns the item of a token, known or not.
    fn token(&self, text: &'a str) -> Item<'a> {
        let flags = Directives::from_token(text);
        self.item(
            text,
            flags.map_or(DirectiveValue::Unknown, DirectiveValue::Flags),
        )
    }

    /// Takes the first word of `pending` as a token, unless a colon shows that it is the name of a value or a
    /// robot.
    fn leading_token(&mut self) -> Option<Item<'a>> {
        let end = self
            .pending
            .find(char::is_whitespace)
            .unwrap_or(self.pending.len());
        let (word, after) = self.pending.split_at_checked(end)?;
        let after = after.trim_start();
        if word.contains(':') || after.starts_with(':') {
            return None;
        }
        self.pending = after;
        Some(self.token(word))
    }

    /// Returns the item of a name with a value.
    fn parameter(&mut self, item: &'a str, parameter: Parameter, value: &'a str) -> Item<'a> {
        if parameter == Parameter::UnavailableAfter {
            return self.date(item, value);
        }
        // `max-snippet:-1 max-image-preview:large`: a missing comma.
        if let Some((first, after)) = value.split_once(char::is_whitespace)
            && begins_with_directive(after)
        {
            self.pending = after.trim_start();
            let length = item.len() - value.len() + first.len();
            let text = item.get(..length).unwrap_or(item);
            return self.item(text, parameter.value(first));
        }
        self.item(item, parameter.value(value))
    }

    /// Reads `unavailable_after`, whose date may contain commas: `Wed, 03 Dec 2025 13:09:53 GMT`,
    /// `December 31, 2027`.
    fn date(&mut self, item: &'a str, value: &'a str) -> Item<'a> {
        let start = offset_in(self.list, item);
        let value_start = offset_in(self.list, value);
        let end = self.date_end(value_start, value);
        let text = self.list.get(start..end).unwrap_or(item).trim_end();
        let value = self.list.get(value_start..end).unwrap_or(value).trim_end();
        // A missing comma: `... 10:00:00 GMT noindex`.
        if let Some((date, left)) = Timestamp::parse_start(value)
            && begins_with_directive(left)
        {
            self.pending = left;
            let length = offset_in(self.list, left) - start;
            let text = text.get(..length).unwrap_or(text).trim_end();
            return self.item(text, DirectiveValue::UnavailableAfter(date));
        }
        if let Some(date) = Timestamp::parse(value) {
            return self.item(text, DirectiveValue::UnavailableAfter(date));
        }
        // Not a date: a directive within the text is read next. The first word is the value, whatever it is.
        let words = value.split_whitespace().skip(1);
        let directive = words
            .filter_map(|word| value.get(offset_in(value, word)..))
            .find(|rest| begins_with_directive(rest));
        let mut text = text;
        if let Some(directive) = directive {
            self.pending = directive;
            let length = offset_in(self.list, directive) - start;
            text = text.get(..length).unwrap_or(text).trim_end();
        }
        self.item(text, DirectiveValue::Invalid)
    }
}

impl<'a> Items<'a> {
    /// Returns the offset of the end of a date, and takes the texts after commas that belong to it.
    ///
    /// `value` begins at `value_start` and ends at the first separator. A text after a comma can belong to the date
    /// only if it begins with a digit or, if `value` has no digit, with the name of a month. It belongs to the date
    /// if the date can be read with it, or if `value` has no digit.
    fn date_end(&mut self, value_start: usize, value: &'a str) -> usize {
        let mut end = value_start + value.len();
        let has_number = self.has_digit_after(value_start, value);
        let mut rest = self.rest;
        for comma in 0..DATE_COMMAS {
            let Some(next) = rest.map(|rest| self.after_comma(comma, rest)) else {
                break;
            };
            let can_belong = match next.beginning {
                Beginning::Digit => true,
                Beginning::Month => !has_number,
                Beginning::Other => false,
            };
            if !can_belong {
                break;
            }
            rest = self.list.get(next.end + 1..);
            let joined = value_start..next.trimmed_end;
            let joined = self.list.get(joined).unwrap_or_default();
            let is_date = Timestamp::parse_start(joined)
                .is_some_and(|(_, left)| left.is_empty() || begins_with_directive(left));
            if is_date || !has_number {
                end = next.end;
                self.rest = rest;
                // The item now ends with this text, which may have a later digit.
                let before = self.last_digit.and_then(|last| last.0);
                self.last_digit = Some(LastDigit(next.last_digit.or(before)));
            }
        }
        end
    }

    /// Returns whether `text`, which begins at `start` and ends at the next separator, has a digit.
    fn has_digit_after(&mut self, start: usize, text: &str) -> bool {
        let last = self
            .last_digit
            .get_or_insert_with(|| LastDigit(last_digit(start, text)));
        last.0.is_some_and(|last| last >= start)
    }

    /// Returns the start of `text` up to the next separator; `text` begins after the next comma
    /// (`comma` is 0), the one after that (1), and so on.
    fn after_comma(&mut self, comma: usize, text: &'a str) -> AfterComma {
        let start = offset_in(self.list, text);
        let known = self.after_commas.get(comma).copied().flatten();
        if let Some(known) = known.filter(|known| known.start == start) {
            return known;
        }
        let length = text.find([',', ';']).unwrap_or(text.len());
        let trimmed = text.get(..length).unwrap_or(text).trim_end();
        let found = AfterComma {
            start,
            beginning: Beginning::of(trimmed),
            trimmed_end: start + trimmed.len(),
            end: start + length,
            last_digit: last_digit(start, trimmed),
        };
        if let Some(slot) = self.after_commas.get_mut(comma) {
            *slot = Some(found);
        }
        found
    }
}

/// Returns the offset of the last digit of a text that begins at `start`.
fn last_digit(start: usize, text: &str) -> Option<usize> {
    let last = text.rfind(|c: char| c.is_ascii_digit())?;
    Some(start + last)
}

/// The number of commas that a date may have: after the weekday, the day of the month, and the
/// year.
const DATE_COMMAS: usize = 3;

/// Returns whether an item is several, with white space where commas belong: at least two known
/// tokens (`noindex nofollow`), or known tokens before the name of a value (`notranslate
/// unavailable_after: 25 Jun 2010`) or that of a robot (`noindex googlebot: nofollow`).
fn is_unseparated(item: &str, prefix: AgentPrefix) -> bool {
    let is_token = |word: &str| Directives::from_token(word).is_some();
    match item.split_once(':') {
        None => {
            item.split_whitespace()
                .filter(|word| is_token(word))
                .take(2)
                .count()
                == 2
        }
        Some((key, _)) => {
            key.trim_end()
                .rsplit_once(char::is_whitespace)
                .is_some_and(|(tokens, name)| {
                    let is_name = Parameter::from_name(name).is_some()
                        || prefix == AgentPrefix::Accepted && is_agent(name);
                    is_name && tokens.split_whitespace().all(is_token)
                })
        }
    }
}

/// Returns whether a key names a robot. A name may have any characters (docs/semantics.md, section 5.5).
/// A key that looks like an unknown directive with a value, or like the start of a time (`25 Jun
/// 2010 15`), is not a name: a name would apply to everything after it.
fn is_agent(key: &str) -> bool {
    let looks_like_parameter = ["max-", "unavailable"].iter().any(|start| {
        key.get(..start.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(start))
    });
    let name = without_version(key);
    let is_digit = |c: char| c.is_ascii_digit();
    let looks_like_time = name.starts_with(is_digit) && name.ends_with(is_digit);
    !name.is_empty() && !looks_like_parameter && !looks_like_time
}

/// Returns a robot's name without the version after it.
fn without_version(key: &str) -> &str {
    key.split('/').next().unwrap_or(key).trim_end()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str, prefix: AgentPrefix) -> Vec<(Option<&str>, &str, DirectiveValue)> {
        items(list, prefix)
            .map(|item| {
                let directive = item.directive;
                assert!(list[directive.offset..].starts_with(directive.text));
                (item.agent, directive.text, directive.value)
            })
            .collect()
    }

    fn meta(list: &str) -> Vec<(&str, DirectiveValue)> {
        read(list, AgentPrefix::None)
            .into_iter()
            .map(|(_, text, value)| (text, value))
            .collect()
    }

    fn flags(list: &str) -> Directives {
        items(list, AgentPrefix::None)
            .map(|item| item.directive.flags())
            .collect()
    }

    use DirectiveValue as Value;

    #[test]
    fn tokens_in_any_case_with_any_separator() {
        let both = Directives::NONE;
        for list in [
            "noindex,nofollow",
            "NOINDEX, NoFollow",
            " noindex ,, nofollow ,",
            "noindex;nofollow",
            "noindex nofollow",
            "none",
            "noindex\n\tnofollow",
            "noindex: 1, nofollow",
            "noindex: nofollow",
        ] {
            assert_eq!(flags(list), both, "{list:?}");
        }
        assert_eq!(
            flags("INDEX,NOINDEX,FOLLOW"),
            Directives::ALL | Directives::NOINDEX
        );
        assert_eq!(flags(""), Directives::empty());
        assert_eq!(meta("no index"), [("no index", Value::Unknown)]);
    }

    #[test]
    fn limits() {
        assert_eq!(
            meta(
                "max-snippet:20, MAX-SNIPPET : -1, max-snippet:abc, max-snippet:, max-video-preview:0"
            ),
            [
                ("max-snippet:20", Value::MaxSnippet(Limit::AtMost(20))),
                ("MAX-SNIPPET : -1", Value::MaxSnippet(Limit::Unlimited)),
                ("max-snippet:abc", Value::Invalid),
                ("max-snippet:", Value::Invalid),
                (
                    "max-video-preview:0",
                    Value::MaxVideoPreview(Limit::AtMost(0))
                ),
            ]
        );
        assert_eq!(
            meta("max-image-preview:None,max-image-preview: huge"),
            [
                (
                    "max-image-preview:None",
                    Value::MaxImagePreview(ImagePreview::None)
                ),
                ("max-image-preview: huge", Value::Invalid),
            ]
        );
        assert_eq!(
            meta("max-snippet:99999999999")[0].1,
            Value::MaxSnippet(Limit::Unlimited)
        );
        assert_eq!(meta("max-snippet:-2")[0].1, Value::Invalid);
    }

    #[test]
    fn missing_commas_are_seen() {
        assert_eq!(
            meta("index follow max-snippet:-1 max-image-preview:large"),
            [
                ("index", Value::Flags(Directives::INDEX)),
                ("follow", Value::Flags(Directives::FOLLOW)),
                ("max-snippet:-1", Value::MaxSnippet(Limit::Unlimited)),
                (
                    "max-image-preview:large",
                    Value::MaxImagePreview(ImagePreview::Large)
                ),
            ]
        );
        let date = Value::UnavailableAfter(Timestamp::parse("25 Jun 2010 15:00:00 PST").unwrap());
        assert_eq!(
            meta("nosnippet,notranslate unavailable_after: 25 Jun 2010 15:00:00 PST"),
            [
                ("nosnippet", Value::Flags(Directives::NOSNIPPET)),
                ("notranslate", Value::Flags(Directives::NOTRANSLATE)),
                ("unavailable_after: 25 Jun 2010 15:00:00 PST", date),
            ]
        );
        // A name of a robot, which lists in METAs have not.
        let list = "noindex googlebot: nofollow";
        assert_eq!(meta(list), [(list, Value::Unknown)]);
        let found = read(list, AgentPrefix::Accepted);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_date_may_have_a_comma() {
        let noindex = ("noindex", Value::Flags(Directives::NOINDEX));
        for (written, separator, date) in [
            (
                "Wed, 03 Dec 2025 13:09:53 GMT",
                ", ",
                "3 Dec 2025 13:09:53 GMT",
            ),
            ("December 31, 2027, 10:00", ", ", "31 Dec 2027 10:00"),
            ("Friday, December 31, 2027, 10:00", " ", "31 Dec 2027 10:00"),
            ("31 Dec 2027 10:00 GMT", " ", "31 Dec 2027 10:00"),
        ] {
            let directive = format!("unavailable_after: {written}");
            let list = format!("{directive}{separator}noindex");
            let date = Value::UnavailableAfter(Timestamp::parse(date).unwrap());
            assert_eq!(meta(&list), [(&*directive, date), noindex]);
        }
        assert_eq!(
            meta("unavailable_after: never, 20 things"),
            [("unavailable_after: never, 20 things", Value::Invalid),]
        );
        for list in [
            "unavailable_after: tomorrow noindex",
            "unavailable_after: 2027-12-31 10 noindex",
        ] {
            assert_eq!(meta(list)[1].0, "noindex");
            assert_eq!(meta(list)[0].1, Value::Invalid);
        }
        assert_eq!(meta("unavailable_after: 2020-01-01, noindex")[1], noindex);
    }

    #[test]
    fn a_robots_name_applies_to_all_items_after_it() {
        // Each item with the robot that it is for.
        let read = |list| {
            let items = read(list, AgentPrefix::Accepted).into_iter();
            let texts =
                items.map(|(agent, text, _)| format!("{text} ({})", agent.unwrap_or("all")));
            texts.collect::<Vec<_>>().join(" / ")
        };
        for (list, expected) in [
            (
                "nosnippet, BadBot: noindex, nofollow, googlebot: nofollow",
                "nosnippet (all) / noindex (BadBot) / nofollow (BadBot) / nofollow (googlebot)",
            ),
            (
                "googlebot: unavailable_after: Saturday, 01-Jul-00 07:00:00 PST, noindex",
                "unavailable_after: Saturday, 01-Jul-00 07:00:00 PST (googlebot) / noindex (googlebot)",
            ),
            ("otherbot:, noindex", "noindex (otherbot)"),
            ("a: *: noindex", "noindex (all)"),
            ("a:", ""),
            (
                "noindex nofollow bot/1.0: noarchive",
                "noindex (all) / nofollow (all) / noarchive (bot)",
            ),
            ("index: bot: noindex", "index (all) / noindex (bot)"),
            (
                "unavailable_after: December 31, 2027 23:59:59 GMT, noindex",
                "unavailable_after: December 31, 2027 23:59:59 GMT (all) / noindex (all)",
            ),
            ("max-snippet: 1:2", "max-snippet: 1:2 (all)"),
        ] {
            assert_eq!(read(list), expected);
        }
        // A key that cannot be a name captures nothing after it.
        for list in [
            "max-foo: 3, noindex",
            "unavailable-after: 31 Dec 2027, noindex",
            "unavailable_after: 99 Foo 2027, 23:59:59 GMT, noindex",
            "foo, 10:20, noindex",
        ] {
            assert!(read(list).ends_with(" / noindex (all)"), "{list}");
        }
    }

    #[test]
    fn a_robots_name_in_meta_content_is_unknown() {
        assert_eq!(
            meta("googlebot: noindex"),
            [("googlebot: noindex", Value::Unknown)]
        );
    }

    /// Each list would take seconds if every date read the rest of the list.
    #[test]
    fn long_lists_of_dates_are_read_once() {
        let count = |list: &str| {
            let mut counts = [0, 0, 0];
            for item in items(list, AgentPrefix::None) {
                counts[match item.directive.value {
                    DirectiveValue::UnavailableAfter(_) => 0,
                    DirectiveValue::Invalid => 1,
                    _ => 2,
                }] += 1;
            }
            counts
        };
        let many = 20_000;
        let spaces = " ".repeat(1 << 20);
        let letters = "x".repeat(1 << 20);
        for (word, others) in [("x", 0), ("1", 1)] {
            let invalid = format!("unavailable_after: {word} ").repeat(many);
            assert_eq!(count(&invalid), [0, many, 0]);
            // If no date has a number, the text after the comma belongs to the dates before it.
            let list = format!("{invalid}, 1{letters}");
            assert_eq!(count(&list), [0, many, others]);
            assert_eq!(count(&format!("{list}{spaces}")), [0, many, others]);
            assert_eq!(count(&format!("{invalid}, 1{spaces}x")), [0, many, others]);
            assert_eq!(count(&format!("{invalid}, {letters}")), [0, many, 1]);
            assert_eq!(count(&format!("{invalid},{spaces}x")), [0, many, 1]);
            assert_eq!(count(&format!("{invalid},{spaces}")), [0, many, 0]);
        }
        let invalid = "unavailable_after: x ".repeat(many);
        let months = ", Jan".repeat(3 * many);
        assert_eq!(count(&format!("{invalid}{months}")), [0, many, 0]);
        assert_eq!(count(&format!("unavailable_after: x{spaces}y")), [0, 1, 0]);
        assert_eq!(
            count(&format!("unavailable_after: x{spaces}noindex")),
            [0, 1, 1]
        );
        // The first date has no number, so it takes the text after the comma. The second date is a part of this longer
        // text, so it has a number.
        let list = "unavailable_after: Wed unavailable_after: Thu, 25 Jun 2010";
        assert_eq!(count(list), [1, 1, 0]);
    }
}
