//! Finds the known directive that a misspelt one is similar to. Linear in the text.

use robots_meta::directive::{names, parameter_names};
use std::sync::LazyLock;
use strsim::osa_distance;

/// The maximum length in bytes of a text that can be a misspelt name.
const MAX_MISSPELT: usize = 64;

/// A known name, and its letters without hyphens and underscores: these are compared.
struct KnownName {
    name: &'static str,
    letters: String,
}

/// The names of directives without a value, and then of those with one.
static KNOWN_NAMES: LazyLock<Vec<KnownName>> = LazyLock::new(|| {
    let names = names().chain(parameter_names()).map(|name| KnownName {
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
    nearest_of(text, &KNOWN_NAMES[names().count()..])
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

/// Returns whether a text is several names of directives that no comma separates: `noindex/nofollow`, `noindexnofollow`.
/// Linear in the text.
pub(super) fn is_joined(text: &str) -> bool {
    let letters = letters_of_any_length(text);
    let mut rest = letters.as_str();
    let mut names = 0;
    while !rest.is_empty() {
        // The longest: `indexifembedded`, not `index`.
        let at_start = KNOWN_NAMES
            .iter()
            .filter_map(|known| rest.strip_prefix(&known.letters));
        let Some(after) = at_start.min_by_key(|after| after.len()) else {
            return false;
        };
        rest = after;
        names += 1;
    }
    names > 1
}

/// Returns whether a text begins with the name of a directive.
pub(crate) fn begins_with_name(text: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_');
    let name = text.trim_start().split(is_end).next().unwrap_or_default();
    let mut known = KNOWN_NAMES.iter();
    known.any(|known| known.name.eq_ignore_ascii_case(name))
}

/// Returns the letters and digits of a text, in lower case; none if it is too long for a name.
fn letters(text: &str) -> String {
    if text.len() > MAX_MISSPELT {
        return String::new();
    }
    letters_of_any_length(text)
}

fn letters_of_any_length(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Returns whether two words are up to one edit apart: a letter more or less, another letter, or two neighbours exchanged.
fn is_near(one: &str, two: &str) -> bool {
    // The length of nearly all pairs is enough. A character has up to four bytes.
    one.len().abs_diff(two.len()) <= 4 && osa_distance(one, two) <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn names_without_a_comma_are_joined() {
        for text in [
            "noindex/nofollow",
            "NOINDEX | NOFOLLOW",
            "noindex\u{ff0c}nofollow\u{3001}noarchive",
            "noindexnofollow",
            "indexifembedded.noindex",
            "index/max-snippet",
        ] {
            assert!(is_joined(text), "{text}");
        }
        for text in [
            "",
            "noindex",
            "/",
            "noindex/",
            "noindexed",
            "noindex/x",
            "no",
            "index\u{e9}all",
        ] {
            assert!(!is_joined(text), "{text}");
        }
        assert!(is_joined(&"noindex/".repeat(1 << 16)));
        assert!(begins_with_name(" NoIndex, x"));
        assert!(begins_with_name("max-snippet:-1"));
        assert!(!begins_with_name("noindexed"));
        assert!(!begins_with_name(""));
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
}
