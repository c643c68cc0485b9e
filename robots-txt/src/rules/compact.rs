//! The rules as bytes, small enough to keep for every host.
//!
//! The format has the names of the groups, and the lines, kinds and texts of the rules in file order. A
//! text that begins as the text before it does is stored without the common start. The index is not
//! stored: loading compiles the rules again, so any bytes result in valid rules or an error.
//!
//! ```text
//! "r", version (1), checksum of the dialect (4), flags (1)
//! delay, if flagged:  line, seconds, nanoseconds
//! groups:             number, then each: line of name (0: none), step to first rule, length of name, name
//! rules:              number, then each: step to line with flags, common bytes (1), length, rest of text
//! ```
//!
//! A step is the number of lines after the first rule of the group before, or after the rule before.
//! Sizes in parentheses are in bytes. All other numbers are varints: seven bits a byte, the lowest bits
//! first.
//!
//! Writing sorts the rules by line. Loading costs as much as compiling.

use super::compile::RulesBuilder;
use super::entry::MAX_FORM;
use super::{GroupName, Rule, RuleKind, Rules};
use crate::dialect::{Dialect, PatternSyntax};
use crate::extension::crawl_delay::CrawlDelay;
use crate::limits::MAX_BODY;
use crate::pattern::{PatternContext, Shape, form_of};
use std::fmt;
use std::ops::Range;
use std::time::Duration;

/// The version that is written, and the only one that can be read.
const VERSION: u8 = 1;

/// The first byte of all rules.
const MAGIC: u8 = b'r';

/// The flags of a set of rules.
const HAS_GROUP: u8 = 1;
const HAS_DELAY: u8 = 1 << 1;
/// The types of patterns decide: a group has Conner's version 2.0.
const IS_BY_TYPE: u8 = 1 << 2;

/// The flags of a rule, in the lowest bits of the number with the step to its line.
const IS_ALLOW: usize = 1;
/// The group of the rule has Conner's version 2.0.
const IS_VERSION_2: usize = 1 << 1;
/// The text is not as written, but the path to which the URL of the file resolved it.
const IS_RESOLVED: usize = 1 << 2;
/// The number of these flags.
const FLAG_BITS: u32 = 3;

/// The maximum number of bytes that a text shares with the one before it. It limits how much a few
/// bytes expand.
const MAX_SHARED: usize = u8::MAX as usize;

/// The maximum length of all texts together, in bytes: a path kept in its form may be three times
/// as long as written.
const MAX_TEXTS: usize = MAX_BODY * 3;

/// The reason why bytes cannot be loaded as rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadError {
    what: &'static str,
    at: usize,
}

/// The bytes contain an impossible value.
const DAMAGED: &str = "the rules are damaged";

impl LoadError {
    /// Returns the offset in bytes at which the error was found.
    pub fn offset(&self) -> usize {
        self.at
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.what, self.at)
    }
}

impl std::error::Error for LoadError {}

impl Rules {
    /// Returns the rules as bytes, for [`from_bytes`](Self::from_bytes). Equal rules of one dialect
    /// have equal bytes, regardless of their file.
    ///
    /// A rule that was written as an absolute URL is kept as its path. The bytes can serve as a
    /// key to store equal rules of many hosts once. Hosts control them: use a keyed or
    /// cryptographic hash.
    ///
    /// ```
    /// use robots_txt::{Dialect, RobotsTxt, Rules, Target};
    ///
    /// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nDisallow: /private-too");
    /// let bytes = robots.rules("ExampleBot", &Dialect::RFC9309).to_bytes();
    /// assert_eq!(bytes.len(), 31);
    ///
    /// let rules = Rules::from_bytes(&bytes, &Dialect::RFC9309)?;
    /// assert_eq!(
    ///     rules.verdict(&Target::new("/private/x")).to_string(),
    ///     "disallowed by line 2: Disallow: /private (group of *)"
    /// );
    /// # Ok::<(), robots_txt::rules::LoadError>(())
    /// ```
    pub fn to_bytes(&self) -> Vec<u8> {
        let compiled = &*self.compiled;
        let mut out = vec![MAGIC, VERSION];
        out.extend(compiled.dialect.checksum().to_le_bytes());
        let flag = |is: bool, bit: u8| if is { bit } else { 0 };
        out.push(
            flag(compiled.has_group, HAS_GROUP)
                | flag(self.crawl_delay().is_some(), HAS_DELAY)
                | flag(compiled.index.is_by_type(), IS_BY_TYPE),
        );
        if let Some(delay) = self.crawl_delay() {
            put(&mut out, delay.line() as u64);
            put(&mut out, delay.delay().as_secs());
            put(&mut out, u64::from(delay.delay().subsec_nanos()));
        }
        self.put_groups(&mut out);
        self.put_rules(&mut out);
        out
    }

    /// Writes the groups.
    fn put_groups(&self, out: &mut Vec<u8>) {
        put(out, self.groups().len() as u64);
        let mut before = 0;
        for group in self.groups() {
            put(out, u64::from(group.line));
            put(out, u64::from(group.first_rule.wrapping_sub(before)));
            before = group.first_rule;
            let body = &self.compiled.texts.body;
            let name = body.get(group.start as usize..group.end as usize);
            let name = name.unwrap_or_default();
            put(out, name.len() as u64);
            out.extend(name);
        }
    }

    /// Writes the rules, in file order.
    fn put_rules(&self, out: &mut Vec<u8>) {
        let rules = self.iter();
        put(out, rules.len() as u64);
        let (mut line, mut text): (usize, &[u8]) = (0, &[]);
        for rule in rules {
            let step = rule.line() - line;
            let (next, is_resolved) = self.stored_text(&rule);
            let flag = |is: bool, bit: usize| if is { bit } else { 0 };
            let flags = flag(rule.kind() == RuleKind::Allow, IS_ALLOW)
                | flag(self.is_version_2(&rule), IS_VERSION_2)
                | flag(is_resolved, IS_RESOLVED);
            put(out, (step << FLAG_BITS | flags) as u64);
            let shared = shared_start(text, next).min(MAX_SHARED);
            out.push(u8::try_from(shared).unwrap_or(u8::MAX));
            let rest = &next[shared..];
            put(out, rest.len() as u64);
            out.extend(rest);
            (line, text) = (rule.line(), next);
        }
    }

    /// Returns the text from which loading compiles the same pattern without the URL of the file, and
    /// whether it must be marked as resolved: the text as written if possible, otherwise the form.
    fn stored_text<'r>(&self, rule: &Rule<'r>) -> (&'r [u8], bool) {
        let dialect = self.dialect();
        if !dialect.depends_on_url() {
            return (rule.text(), false);
        }
        let has_form = |text| {
            let form = form_of(text, dialect, &PatternContext::default());
            form.as_deref() == Some(rule.pattern())
        };
        if has_form(rule.text()) {
            (rule.text(), false)
        } else {
            (rule.pattern(), !has_form(rule.pattern()))
        }
    }

    /// Returns whether the group of a rule has Conner's version 2.0, as far as it changes the pattern. In
    /// such a group, every prefix but the empty one ends with a star.
    fn is_version_2(&self, rule: &Rule<'_>) -> bool {
        let reading = rule.entry.reading();
        self.dialect().pattern_syntax == PatternSyntax::Typed
            && match reading.shape {
                // The star is not compared: it is the tail.
                Shape::Prefix => reading.tail > 0,
                // In other groups, every pattern is a prefix.
                _ => true,
            }
    }

    /// Returns the rules that [`to_bytes`](Self::to_bytes) wrote under the same dialect.
    ///
    /// The verdicts are the same, with lines and texts; the rules have no
    /// [`span`](crate::Rule::span). Loaded texts have at most three times [`MAX_BODY`] bytes, and their
    /// forms at most three times as many. A short input can reach this limit: a rule of four bytes may
    /// repeat 255 of the one before. A form of 64 MiB or more is an error, as no file has one.
    ///
    /// # Errors
    ///
    /// Returns an error if the bytes have another version or dialect, or are damaged. Damage that
    /// still reads as rules is not detected: the format has no checksum of its contents.
    pub fn from_bytes(bytes: impl AsRef<[u8]>, dialect: &Dialect) -> Result<Self, LoadError> {
        let bytes = bytes.as_ref();
        let mut reader = Reader { bytes, at: 0 };
        if reader.byte()? != MAGIC {
            return Err(reader.error_before("the bytes are not compiled rules"));
        }
        if reader.byte()? != VERSION {
            return Err(reader
                .error_before("the rules have another version of the format: compile them again"));
        }
        if reader.take(4)? != dialect.checksum().to_le_bytes() {
            return Err(reader.error_before("the rules were compiled under another dialect"));
        }
        let flags = reader.byte()?;
        if flags & !(HAS_GROUP | HAS_DELAY | IS_BY_TYPE) != 0 {
            return Err(reader.error_before(DAMAGED));
        }
        let mut builder = RulesBuilder::new(dialect, None);
        builder.has_group = flags & HAS_GROUP != 0;
        builder.is_version_2 = flags & IS_BY_TYPE != 0;
        if flags & HAS_DELAY != 0 {
            builder.crawl_delay = Some(reader.delay()?);
        }
        let mut body = Vec::new();
        reader.groups(&mut builder, &mut body)?;
        reader.rules(&mut builder, &mut body, dialect)?;
        if reader.at < bytes.len() {
            return Err(reader.error_before("other bytes follow the rules"));
        }
        builder.is_loaded = true;
        Ok(builder.finish(body.into()))
    }
}

/// Writes a number.
fn put(out: &mut Vec<u8>, mut number: u64) {
    while number > 0x7F {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

/// Returns the number of bytes at the start that both texts have in common.
fn shared_start(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// A reader of the format.
struct Reader<'b> {
    bytes: &'b [u8],
    /// The offset of the next byte.
    at: usize,
}

/// Returns whether writing can store this text. It marks a path as resolved only if reading the path as a
/// pattern, without the URL of the file, would change it or fail.
fn is_possible(stored: &[u8], is_resolved: bool, dialect: &Dialect) -> bool {
    let form = form_of(stored, dialect, &PatternContext::default());
    match form.as_deref() {
        Some(form) if form.len() > MAX_FORM => false,
        Some(form) => !is_resolved || dialect.depends_on_url() && form != stored,
        None => is_resolved,
    }
}

impl<'b> Reader<'b> {
    /// Reads the groups into a builder, and their names into the texts.
    fn groups(
        &mut self,
        builder: &mut RulesBuilder<'_>,
        body: &mut Vec<u8>,
    ) -> Result<(), LoadError> {
        let mut first_rule = 0_usize;
        for _ in 0..self.number()? {
            let line = self.number()?;
            first_rule = first_rule.saturating_add(self.number()?);
            let length = self.number()?;
            let name = self.take(length)?;
            let range = self.append(body, 0..0, name)?;
            builder.groups.push(GroupName::at(first_rule, line, range));
        }
        Ok(())
    }

    /// Reads the rules into a builder, and their texts after the others.
    fn rules(
        &mut self,
        builder: &mut RulesBuilder<'_>,
        body: &mut Vec<u8>,
        dialect: &Dialect,
    ) -> Result<(), LoadError> {
        let mut line = 0_usize;
        let mut before: Range<usize> = 0..0;
        for _ in 0..self.number()? {
            let head = self.number()?;
            let step = head >> FLAG_BITS;
            line = line.saturating_add(step);
            // A line has one rule, and its number has 32 bits.
            if step == 0 || line > u32::MAX as usize {
                return Err(self.error_before(DAMAGED));
            }
            let kind = if head & IS_ALLOW == 0 {
                RuleKind::Disallow
            } else {
                RuleKind::Allow
            };
            let text = self.text(body, &before)?;
            let stored = &body[text.clone()];
            let is_resolved = head & IS_RESOLVED != 0;
            if !is_possible(stored, is_resolved, dialect) {
                return Err(self.error_before(DAMAGED));
            }
            builder.add_rule(
                kind,
                line,
                stored,
                text.start,
                &PatternContext {
                    is_version_2: head & IS_VERSION_2 != 0,
                    own_url: None,
                    is_resolved,
                },
            );
            before = text;
        }
        Ok(())
    }

    /// Reads the text of a rule. `before` is the range of the text of the rule before it.
    fn text(
        &mut self,
        body: &mut Vec<u8>,
        before: &Range<usize>,
    ) -> Result<Range<usize>, LoadError> {
        let shared = usize::from(self.byte()?);
        let length = self.number()?;
        let rest = self.take(length)?;
        let start = before.start..before.start + shared;
        if start.end > before.end {
            return Err(self.error_before(DAMAGED));
        }
        self.append(body, start, rest)
    }

    /// Returns an error that was found before the next byte, with the offset of that byte.
    fn error_before(&self, what: &'static str) -> LoadError {
        LoadError { what, at: self.at }
    }

    /// Reads this number of bytes.
    fn take(&mut self, length: usize) -> Result<&'b [u8], LoadError> {
        let end = self.at.saturating_add(length);
        let taken = self.bytes.get(self.at..end);
        let taken = taken.ok_or(self.error_before("the rules end too early"))?;
        self.at = end;
        Ok(taken)
    }

    /// Reads one byte.
    fn byte(&mut self) -> Result<u8, LoadError> {
        Ok(self.take(1)?[0])
    }

    /// Reads a number of up to 64 bits.
    fn long(&mut self) -> Result<u64, LoadError> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7F);
            if part << shift >> shift != part {
                // More than 64 bits.
                break;
            }
            number |= part << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(self.error_before(DAMAGED))
    }

    /// Reads a number that fits `usize`.
    fn number(&mut self) -> Result<usize, LoadError> {
        let long = self.long()?;
        usize::try_from(long).map_err(|_| self.error_before(DAMAGED))
    }

    /// Reads a delay: its line, seconds and nanoseconds.
    fn delay(&mut self) -> Result<CrawlDelay, LoadError> {
        let line = self.number()?;
        let seconds = self.long()?;
        let nanos = u32::try_from(self.long()?).ok();
        let delay = nanos
            .filter(|&nanos| nanos < 1_000_000_000)
            .map(|nanos| Duration::new(seconds, nanos))
            .and_then(|delay| CrawlDelay::from_stored(line, delay));
        delay.ok_or(self.error_before(DAMAGED))
    }

    /// Appends a text to the texts, up to their limit, and returns its range. Its first bytes are a copy of
    /// the range `start` of the texts, the others are `rest`.
    fn append(
        &self,
        body: &mut Vec<u8>,
        start: Range<usize>,
        rest: &[u8],
    ) -> Result<Range<usize>, LoadError> {
        let at = body.len();
        let end = at + start.len() + rest.len();
        if end > MAX_TEXTS || start.end > at {
            return Err(self.error_before(DAMAGED));
        }
        body.extend_from_within(start);
        body.extend(rest);
        Ok(at..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RobotsTxt, Target};
    use proptest::prelude::*;

    fn rules(body: &str, dialect: &Dialect) -> Rules {
        RobotsTxt::parse(body.as_bytes())
            .with_url("http://a.example/robots.txt")
            .rules("a", dialect)
    }

    #[test]
    fn only_equal_rules_have_equal_bytes() {
        let of = |body: &str, dialect: &Dialect| {
            let bytes = RobotsTxt::parse(body.as_bytes())
                .rules("a", dialect)
                .to_bytes();
            let loaded = Rules::from_bytes(&bytes, dialect).unwrap();
            assert_eq!(loaded.to_bytes(), bytes);
            bytes
        };
        let rfc = Dialect::RFC9309;
        let one = of("User-agent: *\nDisallow: /a\n", &rfc);
        assert_eq!(of("user-agent:*\r\ndisallow:/a#x", &rfc), one);
        for other in [
            "User-agent: *\nDisallow: /b\n",
            "User-agent: *\nAllow: /a\n",
            "User-agent: *\n\nDisallow: /a\n",
            "User-agent: a\nDisallow: /a\n",
            "User-agent: *\nDisallow: /a\nCrawl-delay: 1",
        ] {
            assert_ne!(of(other, &rfc), one, "{other}");
        }
        assert_ne!(of("User-agent: *\nDisallow: /a\n", &Dialect::GOOGLE), one);
    }

    #[test]
    fn written_rules_are_loaded() {
        let body = "User-agent: *\nCrawl-delay: 2.5\nDisallow: /%7ea\nAllow: /%7eab*c$\n\
                    Disallow: http://a.example/y\nDisallow: http://a.example//z\nDisallow: ?q\n\
                    Disallow: http://a.example?q\nDisallow: a/../b c\nDisallow: http:y\n\n\
                    Disallow:\nUser-agent: b\nUser-agent: * x\nAllow: /index.html\n";
        for dialect in Dialect::ALL {
            let rules = rules(body, dialect);
            let bytes = rules.to_bytes();
            let loaded = Rules::from_bytes(&bytes, dialect).unwrap();
            assert_eq!(loaded.to_bytes(), bytes, "{}", dialect.name());
            assert_eq!(loaded.crawl_delay(), rules.crawl_delay());
            assert_eq!(loaded.has_group(), rules.has_group());
            for path in ["/", "/~a", "/~abc", "/%7Ea/x", "/y", "/index.html"] {
                let target = Target::new(path);
                assert_eq!(
                    loaded
                        .verdict(&target)
                        .to_string()
                        .replace("http://a.example", ""),
                    rules
                        .verdict(&target)
                        .to_string()
                        .replace("http://a.example", ""),
                    "{}",
                    dialect.name()
                );
            }
            assert!(loaded.iter().all(|rule| rule.span().is_none()));
        }
    }

    #[test]
    fn invalid_bytes_are_rejected() {
        let dialect = Dialect::RFC9309;
        let bytes = rules("User-agent: *\nDisallow: /a", &dialect).to_bytes();
        let what = |bytes: &[u8]| Rules::from_bytes(bytes, &dialect).unwrap_err().what;
        assert_eq!(what(b""), "the rules end too early");
        assert_eq!(what(b"x"), "the bytes are not compiled rules");
        assert_eq!(
            what(b"r\x02"),
            "the rules have another version of the format: compile them again"
        );
        let google = rules("User-agent: *\nDisallow: /a", &Dialect::GOOGLE).to_bytes();
        assert_eq!(
            what(&google),
            "the rules were compiled under another dialect"
        );
        for end in 0..bytes.len() {
            assert_eq!(what(&bytes[..end]), "the rules end too early");
        }
        assert_eq!(
            what(&[&bytes[..], b"x"].concat()),
            "other bytes follow the rules"
        );
        // The flags are after the first byte, the version (1 byte) and the checksum of the dialect (4).
        let mut flags = bytes.clone();
        flags[6] |= 0x80;
        assert_eq!(what(&flags), DAMAGED);
        // A text that shares more bytes than the text before it has. The rule ends with the number of common bytes,
        // the length of the rest, and `/a`.
        let mut shared = bytes.clone();
        let at = bytes.len() - 4;
        shared[at] = 1;
        assert_eq!(what(&shared), DAMAGED);
        // After the flags, a number of more than 64 bits.
        let number = [&bytes[..7], &[0xFF; 11]].concat();
        assert_eq!(what(&number), DAMAGED);
    }

    #[test]
    fn a_pattern_with_too_long_a_form_is_damage() {
        let dialect = Dialect::RFC9309;
        let empty = rules("", &dialect).to_bytes();
        let (head, numbers) = empty.split_at(empty.len() - 2);
        assert_eq!(numbers, [0, 0]);
        // One rule, one line after the start, with this number of bytes that are escaped.
        let load = |length: usize| {
            let mut bytes = [head, &[0, 1, 1 << FLAG_BITS, 0]].concat();
            put(&mut bytes, length as u64);
            bytes.resize(bytes.len() + length, 0xFF);
            Rules::from_bytes(&bytes, &dialect).map_err(|error| error.what)
        };
        let longest = MAX_FORM / 3;
        assert_eq!(load(longest).unwrap().iter().len(), 1);
        assert_eq!(load(longest + 1).unwrap_err(), DAMAGED);
    }

    #[test]
    fn only_patterns_that_depend_on_the_url_are_resolved() {
        let dialect = Dialect::WWW_ROBOT_RULES;
        let written = rules("User-agent: *\nDisallow: /a", &dialect).to_bytes();
        let (head, rule) = written.split_at(written.len() - 5);
        assert_eq!(rule[1..], *b"\x00\x02/a");
        let kind = rule[0];
        // Without the URL of the file, `/a` can be read as a pattern. `//`, which begins an authority, cannot.
        let resolved = kind | u8::try_from(IS_RESOLVED).unwrap();
        for (kind, text, is_valid) in [
            (kind, b"/a", true),
            (resolved, b"/a", false),
            (kind, b"//", false),
            (resolved, b"//", true),
        ] {
            let bytes = [head, &[kind, 0, 2], text].concat();
            assert_eq!(Rules::from_bytes(&bytes, &dialect).is_ok(), is_valid);
        }
    }

    #[test]
    fn a_changed_switch_is_another_dialect() {
        let bytes = rules("User-agent: *\nDisallow: /a", &Dialect::RFC9309).to_bytes();
        let other = Dialect::RFC9309.with_size_limit(Some(500));
        assert!(Rules::from_bytes(&bytes, &other).is_err());
        // Names make no difference.
        assert!(Rules::from_bytes(&bytes, &Dialect::SEZNAM).is_ok());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn changed_bytes_are_rejected_or_load_consistently(
            at in 0_usize..64,
            byte in any::<u8>(),
            cut in 0_usize..32,
        ) {
            let dialect = Dialect::KOSTER_1996;
            let body = "User-agent: a\nDisallow: /a/b/c\nAllow: /a/b/d*\nDisallow: /a%2f\n";
            let mut bytes = rules(body, &dialect).to_bytes();
            if let Some(changed) = bytes.get_mut(at) {
                *changed = byte;
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            if let Ok(rules) = Rules::from_bytes(&bytes, &dialect) {
                rules.verdict(&Target::new("/a/b/c"));
                let again = rules.to_bytes();
                let loaded = Rules::from_bytes(&again, &dialect).unwrap();
                prop_assert_eq!(loaded.to_bytes(), again);
            }
        }
    }
}
