//! Text for messages: input made safe to show or cut short, numbers with their nouns, and suggestions for unknown names.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write;
use thiserror::Error;

/// Returns whether a character is not shown as it is, or changes how its neighbours are shown.
///
/// These are control characters (Unicode's general category Cc), format characters (Cf) such as those that
/// reverse the direction of text, the line and paragraph separators U+2028 and U+2029 (Zl, Zp), and
/// noncharacters such as U+FFFE, which XML does not allow.
pub fn is_unprintable(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    // Unicode 17.0, section 23.7: U+FDD0 to U+FDEF, and the last two code points of each plane.
    let is_noncharacter = matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xFFFE == 0xFFFE;
    let category = CodePointMapData::<GeneralCategory>::new().get(c);
    is_noncharacter
        || matches!(
            category,
            GeneralCategory::Control
                | GeneralCategory::Format
                | GeneralCategory::LineSeparator
                | GeneralCategory::ParagraphSeparator
        )
}

/// Returns a number with its noun, in the plural if needed: `1 page`, `2,345 pages`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", thousands(&number.to_string()))
}

/// Returns the numbers of lines, up to `max` of them: `line 4`, `lines 4, 7 and 2 more`.
pub fn line_list(lines: &BTreeSet<usize>, max: usize) -> String {
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    let shown: Vec<String> = lines.iter().take(max).map(usize::to_string).collect();
    let shown = shown.join(", ");
    match lines.len().saturating_sub(max) {
        0 => format!("{noun} {shown}"),
        more => format!("{noun} {shown} and {more} more"),
    }
}

/// Returns decimal digits with commas between thousands: `1,234,567`.
pub fn thousands(digits: &str) -> String {
    let mut text = String::with_capacity(2 * digits.len());
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns names in a sentence.
///
/// ```
/// use robots_policy::text::joined;
///
/// assert_eq!(joined(&["a"]), "a");
/// assert_eq!(joined(&["a", "b", "c"]), "a, b and c");
/// ```
pub fn joined(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Returns the whole characters at the start of a text that have up to `max` bytes.
///
/// ```
/// use robots_policy::text::prefix;
///
/// assert_eq!(prefix("caf\u{e9}", 4), "caf");
/// assert_eq!(prefix("caf\u{e9}", 5), "caf\u{e9}");
/// ```
pub fn prefix(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns a text of up to `max_chars` characters. A longer text is cut, and ends with `…`.
///
/// ```
/// use robots_policy::text::shortened;
///
/// assert_eq!(shortened("caf\u{e9}", 4), "caf\u{e9}");
/// assert_eq!(shortened("caf\u{e9}s", 4), "caf…");
/// ```
pub fn shortened(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.char_indices().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let end = text.char_indices().nth(max_chars.saturating_sub(1));
    let start = end.and_then(|(end, _)| text.get(..end));
    Cow::Owned(format!("{}…", start.unwrap_or_default()))
}

/// The maximum length of an unknown name that is compared with the known ones, in bytes. The time grows with the length.
const MAX_COMPARED_NAME: usize = 100;

/// Returns the known name that is nearest to an unknown one, if one is near: if up to a third of its characters, and at most
/// two, are added, missing, wrong or exchanged with the next. ASCII case is ignored. Of several, the first is returned.
///
/// ```
/// use robots_policy::text::nearest;
///
/// assert_eq!(nearest("Gogle", ["bing", "google"]), Some("google"));
/// assert_eq!(nearest("altavista", ["bing", "google"]), None);
/// ```
pub fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    if name.len() > MAX_COMPARED_NAME {
        return None;
    }
    let name = name.to_ascii_lowercase();
    let edits = (name.chars().count() / 3).clamp(1, 2);
    let distances = known
        .into_iter()
        .map(|known| {
            let distance = strsim::osa_distance(&name, &known.to_ascii_lowercase());
            (distance, known)
        })
        // A name of which nothing is left is not near.
        .filter(|(distance, known)| *distance <= edits && *distance < known.chars().count());
    distances
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known)
}

/// Returns the end of a message about an unknown name: the [`nearest`] known name, or else all known names.
///
/// ```
/// use robots_policy::text::expected_name;
///
/// let known = ["bing", "google"];
/// assert_eq!(expected_name("gogle", &known), "; did you mean \"google\"?");
/// assert_eq!(expected_name("altavista", &known), ": expected one of bing, google");
/// ```
pub fn expected_name<S: AsRef<str>>(name: &str, known: &[S]) -> String {
    let known: Vec<&str> = known.iter().map(AsRef::as_ref).collect();
    match nearest(name, known.iter().copied()) {
        Some(near) => format!("; did you mean {near:?}?"),
        None => format!(": expected one of {}", known.join(", ")),
    }
}

/// A name that nothing of its kind has, such as the built-in profiles. Its message ends as [`expected_name`] does.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {kind} {name:?}{}", expected_name(name, known))]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: Vec<&'static str>,
}

impl UnknownName {
    /// Creates the error of a name; `kind` says what has names, in the singular: `profile`.
    pub fn new(
        kind: &'static str,
        name: &str,
        known: impl IntoIterator<Item = &'static str>,
    ) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            known: known.into_iter().collect(),
        }
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Returns the known key that is [`nearest`] to the unknown one of an error of serde, if the error is about one.
///
/// ```
/// use robots_policy::text::near_key;
///
/// assert_eq!(near_key("unknown field `uls`, expected one of `urls`, `agents`"), Some("urls"));
/// assert_eq!(near_key("missing field `urls`"), None);
/// ```
pub fn near_key(error: &str) -> Option<&str> {
    let rest = error.strip_prefix("unknown field `")?;
    let (unknown, rest) = rest.split_once("`, expected ")?;
    nearest(unknown, rest.split('`').skip(1).step_by(2))
}

/// Returns whether a text has an [unprintable](is_unprintable) character. Linear; a text of printable ASCII is seen at once.
pub fn has_unprintable(text: &str) -> bool {
    // Without an early end, several bytes are compared at once. Most texts need no look at each character.
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~');
    let is_all_plain = text.bytes().fold(true, |all, byte| all & is_plain(byte));
    !is_all_plain && text.contains(is_unprintable)
}

/// Returns a text with its [unprintable](is_unprintable) characters as escapes of Rust: `\n`, `\u{202e}`.
///
/// The result is one line, and can neither control a terminal nor reorder the text around it.
pub fn printable(text: &str) -> Cow<'_, str> {
    if !has_unprintable(text) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if is_unprintable(c) {
            // Writing to a string cannot fail.
            let _ = write!(escaped, "{}", c.escape_default());
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

/// Returns a JSON text, or a part of one, with the same value and without [unprintable](is_unprintable) characters in its
/// strings.
///
/// White space between values stays as it is. JSON itself requires escapes for all ASCII control characters in strings
/// except DEL, so only DEL and characters beyond ASCII are escaped.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    let needs_escape = |c| c > '\u{7e}' && is_unprintable(c);
    if json.bytes().all(|byte| byte < 0x7F) || !json.contains(needs_escape) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if needs_escape(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_after_few_edits() {
        let known = ["bing", "google", "rfc9309", "shadowed-rule"];
        for (name, near) in [
            ("gogle", Some("google")),
            ("GOOGLE", Some("google")),
            ("bnig", Some("bing")),
            ("bi", None),
            ("bang", Some("bing")),
            ("bong1", None),
            ("shadwed-rul", Some("shadowed-rule")),
            ("shdwed-rul", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known), near, "{name}");
        }
        assert_eq!(nearest("a", ["b"]), None);
        for (length, is_near) in [(99, true), (100, true), (101, false)] {
            let name = "a".repeat(length);
            assert_eq!(nearest(&name, [&*"a".repeat(100)]).is_some(), is_near);
        }
    }

    #[test]
    fn things_are_counted() {
        assert_eq!(counted(0, "page"), "0 pages");
        assert_eq!(counted(1, "page"), "1 page");
        assert_eq!(counted(999, "page"), "999 pages");
        assert_eq!(counted(1_234_567, "byte"), "1,234,567 bytes");
    }

    #[test]
    fn lines_are_listed_up_to_a_number() {
        for (lines, max, text) in [
            (&[4][..], 2, "line 4"),
            (&[7, 4], 2, "lines 4, 7"),
            (&[7, 4, 9], 2, "lines 4, 7 and 1 more"),
        ] {
            let lines = lines.iter().copied().collect();
            assert_eq!(line_list(&lines, max), text);
        }
    }

    #[test]
    fn unprintable_characters_are_escaped() {
        for (text, shown) in [
            ("", ""),
            (
                "caf\u{e9} \u{1f600} \u{3000}",
                "caf\u{e9} \u{1f600} \u{3000}",
            ),
            ("e\u{301} \u{fe0f}", "e\u{301} \u{fe0f}"),
            ("a\n  b\x1b[2K\u{85}", "a\\n  b\\u{1b}[2K\\u{85}"),
            ("\r\n\t\x7f", "\\r\\n\\t\\u{7f}"),
            ("\u{202e}moc.elpmaxe", "\\u{202e}moc.elpmaxe"),
            ("\u{2028}\u{2029}", "\\u{2028}\\u{2029}"),
            ("a\u{ad}b\u{200b}c\u{feff}", "a\\u{ad}b\\u{200b}c\\u{feff}"),
            (
                "\u{fffe}\u{fdd0}\u{10ffff}\u{fffd}",
                "\\u{fffe}\\u{fdd0}\\u{10ffff}\u{fffd}",
            ),
        ] {
            assert_eq!(printable(text), shown);
        }
    }

    /// The bidirectional controls of Unicode Standard Annex 9, section 2, and the tag characters.
    #[test]
    fn invisible_controls_are_unprintable() {
        let marks = ['\u{61c}', '\u{200e}', '\u{200f}'];
        let others = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        let tags = '\u{e0020}'..='\u{e007f}';
        for c in marks.into_iter().chain(others).chain(tags) {
            assert!(is_unprintable(c), "{c:?}");
        }
    }

    #[test]
    fn a_text_has_what_its_characters_are() {
        for c in ('\0'..='\u{ff}').chain(['\u{202e}', '\u{3000}', '\u{fffe}']) {
            assert_eq!(
                has_unprintable(&format!("a{c}b")),
                is_unprintable(c),
                "{c:?}"
            );
        }
        assert!(!has_unprintable(""));
    }

    #[test]
    fn json_keeps_its_value() {
        let value =
            serde_json::json!(["\x7f\u{202e}\u{e0041}\u{85}\n\"", {"caf\u{e9}\u{feff}": 1}]);
        for json in [value.to_string(), format!("{value:#}")] {
            let shown = printable_json(&json);
            assert!(
                !shown.contains(|c| c != '\n' && is_unprintable(c)),
                "{shown}"
            );
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&shown).unwrap(),
                value
            );
        }
        assert_eq!(printable_json("\"\u{e0041}\""), r#""\udb40\udc41""#);
        assert_eq!(printable_json("\"\x7f\""), r#""\u007f""#);
        assert_eq!(printable_json("[\n]"), "[\n]");
    }
}
