//! Finds the known directive that a misspelt one is similar to. Linear in the text.

use super::flags::TOKENS;
use super::names::parameter_names;
use std::sync::LazyLock;

/// The maximum length in bytes of a text that can be a misspelt name.
const MAX_MISSPELT: usize = 64;

/// A known name, and its letters without hyphens and underscores: these are compared.
struct KnownName {
    name: &'static str,
    letters: Vec<char>,
}

/// The names of directives without a value, and then of those with one.
static KNOWN_NAMES: LazyLock<Vec<KnownName>> = LazyLock::new(|| {
    let tokens = TOKENS.into_iter().map(|(name, _)| name);
    let names = tokens.chain(parameter_names()).map(|name| KnownName {
        name,
        letters: letters(name),
    });
    names.collect()
});

/// Returns the directive that a text is similar to.
pub(super) fn nearest(text: &str) -> Option<&'static str> {
    nearest_of(text, &KNOWN_NAMES)
}

/// Returns the directive with a value that a text is similar to.
pub(super) fn nearest_parameter(text: &str) -> Option<&'static str> {
    nearest_of(text, KNOWN_NAMES.get(TOKENS.len()..).unwrap_or_default())
}

/// Returns the directive with the same letters as a text.
pub(super) fn same_letters(text: &str) -> Option<&'static str> {
    let text = letters(text);
    let known = KNOWN_NAMES.iter().find(|known| text == known.letters);
    known.map(|known| known.name)
}

/// Returns the name that a text is near to. Of several, one with the same letters as the text is
/// preferred, and then the longest: `noindex` is more likely than `index`.
fn nearest_of(text: &str, names: &[KnownName]) -> Option<&'static str> {
    let text = letters(text);
    if text.is_empty() {
        return None;
    }
    names
        .iter()
        .filter(|known| is_near(&text, &known.letters))
        .max_by_key(|known| (text == known.letters, known.name.len()))
        .map(|known| known.name)
}

/// Returns the letters and digits of a text, in lower case; none if it is too long for a name.
fn letters(text: &str) -> Vec<char> {
    if text.len() > MAX_MISSPELT {
        return Vec::new();
    }
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

/// Returns whether two words are up to one edit apart: a letter more or less, another letter, or
/// two neighbours exchanged. Linear: compares only what is between the common start and end.
fn is_near(one: &[char], two: &[char]) -> bool {
    if one.len().abs_diff(two.len()) > 1 {
        return false;
    }
    let start = one.iter().zip(two).take_while(|(a, b)| a == b).count();
    let one = one.get(start..).unwrap_or_default();
    let two = two.get(start..).unwrap_or_default();
    let end = one
        .iter()
        .rev()
        .zip(two.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let one = one.get(..one.len().saturating_sub(end)).unwrap_or_default();
    let two = two.get(..two.len().saturating_sub(end)).unwrap_or_default();
    match (one, two) {
        ([] | [_], [] | [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_edit_is_near() {
        let cases = [
            ("noopd", Some("noodp")),
            ("no-index", Some("noindex")),
            ("No Index", Some("noindex")),
            ("no_follow", Some("nofollow")),
            ("nofolow", Some("nofollow")),
            ("nofollow.", Some("nofollow")),
            ("\u{201c}noindex\u{201d}", Some("noindex")),
            ("nindex", Some("noindex")),
            ("idnex", Some("index")),
            ("no-image-index", Some("noimageindex")),
            ("max_snipet", Some("max-snippet")),
            ("MaxImagePreview", Some("max-image-preview")),
            ("unavailable after", Some("unavailable_after")),
            ("disallow-ai-training", Some("disallowaitraining")),
            ("noidnx", None),
            ("no", None),
            ("", None),
            ("--", None),
            ("googlebot", None),
            ("width=device-width", None),
        ];
        for (text, expected) in cases {
            assert_eq!(nearest(text), expected, "{text}");
        }
        assert_eq!(
            nearest_parameter("unavailble_after"),
            Some("unavailable_after")
        );
        assert_eq!(nearest_parameter("noindx"), None);
        assert_eq!(same_letters("no index"), Some("noindex"));
        assert_eq!(same_letters("no indx"), None);
    }

    #[test]
    fn a_text_that_is_too_long_is_not_a_name() {
        let name = |length: usize| format!("no{}index", "-".repeat(length - "noindex".len()));
        assert_eq!(nearest(&name(MAX_MISSPELT - 1)), Some("noindex"));
        assert_eq!(nearest(&name(MAX_MISSPELT)), Some("noindex"));
        assert_eq!(nearest(&name(MAX_MISSPELT + 1)), None);
        assert_eq!(same_letters(&name(MAX_MISSPELT + 1)), None);
        let mut known = KNOWN_NAMES.iter();
        assert!(known.all(|known| known.name.len() < MAX_MISSPELT));
    }

    #[test]
    fn a_name_with_a_value_is_a_parameter() {
        for known in KNOWN_NAMES.iter() {
            let is_parameter = parameter_names().any(|name| name == known.name);
            let expected = is_parameter.then_some(known.name);
            assert_eq!(nearest_parameter(known.name), expected);
            assert_eq!(nearest(known.name), Some(known.name));
        }
    }

    /// Returns every word that is one edit away, by definition.
    fn edits(word: &[char]) -> Vec<Vec<char>> {
        let mut all = vec![word.to_vec()];
        for at in 0..=word.len() {
            for letter in ['a', 'b'] {
                let mut longer = word.to_vec();
                longer.insert(at, letter);
                all.push(longer);
            }
        }
        for at in 0..word.len() {
            let mut shorter = word.to_vec();
            shorter.remove(at);
            all.push(shorter);
            for letter in ['a', 'b'] {
                let mut other = word.to_vec();
                other[at] = letter;
                all.push(other);
            }
            if at + 1 < word.len() {
                let mut exchanged = word.to_vec();
                exchanged.swap(at, at + 1);
                all.push(exchanged);
            }
        }
        all
    }

    proptest! {
        #[test]
        fn nearness_is_that_of_the_definition(one in "[ab]{0,5}", two in "[ab]{0,5}") {
            let (one, two) = (letters(&one), letters(&two));
            prop_assert_eq!(is_near(&one, &two), edits(&one).contains(&two));
        }
    }
}
