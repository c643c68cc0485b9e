//! Reads the keys and values of a file.

use super::{Config, ConfigError, Place, Setting, base};
use crate::{FindingKind, Severity};
use robots_policy::text::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of the file.
const KEYS: [&str; 5] = ["agents", "base", "ignore", "level", "profile"];

pub(super) fn config(text: &str) -> Result<Config, ConfigError> {
    let table = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        ConfigError::new(Place::of(text, span.start), error.message().to_owned())
    })?;
    let mut config = Config::default();
    for (key, value) in table.get_ref() {
        let name: &str = key.get_ref();
        let Some(known) = KEYS.into_iter().find(|known| *known == name) else {
            let place = Place::of(text, key.span().start);
            let message = format!("unknown key `{name}`: {}", hint(name));
            return Err(ConfigError::new(place, message));
        };
        let settings = settings(text, known, value)?;
        match known {
            "agents" => config.agents = settings,
            "profile" => config.profiles = settings,
            "base" => config.base = all(&settings, base)?.pop(),
            "level" => config.level = all(&settings, str::parse::<Severity>)?.pop(),
            _ => config.ignore = all(&settings, FindingKind::matching)?.concat(),
        }
    }
    Ok(config)
}

/// Returns the key that was probably meant, or all keys.
fn hint(name: &str) -> String {
    match nearest(name, KEYS) {
        Some(key) => format!("did you mean `{key}`?"),
        None => format!("expected one of {}", KEYS.join(", ")),
    }
}

fn all<T, E: std::fmt::Display>(
    settings: &[Setting],
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>, ConfigError> {
    settings.iter().map(|setting| setting.read(&read)).collect()
}

/// Reads the texts of a value: one, or those of an array if the key may have several.
fn settings(
    text: &str,
    key: &'static str,
    value: &Spanned<DeValue<'_>>,
) -> Result<Vec<Setting>, ConfigError> {
    let takes_several = !matches!(key, "base" | "level");
    let one = |value: &Spanned<DeValue<'_>>| {
        let place = Place::of(text, value.span().start);
        match value.get_ref() {
            DeValue::String(word) => Ok(Setting {
                key,
                text: word.to_string(),
                place,
            }),
            other => {
                let expected = if takes_several {
                    "a text or a list of texts"
                } else {
                    "a text"
                };
                let found = other.type_str();
                let message = format!("unexpected {found} for `{key}`: expected {expected}");
                Err(ConfigError::new(place, message))
            }
        }
    };
    match value.get_ref() {
        DeValue::Array(list) if takes_several => list.iter().map(one).collect(),
        _ => Ok(vec![one(value)?]),
    }
}

impl Place {
    /// Returns the place of an offset in bytes.
    fn of(text: &str, offset: usize) -> Self {
        // Editors show no byte order mark.
        let before = text[..offset].trim_start_matches('\u{feff}');
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;

    #[test]
    fn columns_are_those_of_an_editor() {
        for (text, offset, line, column) in [
            ("a\n\u{e9}x", 4, 2, 2),
            ("", 0, 1, 1),
            ("\u{feff}ab", 4, 1, 2),
            ("\u{feff}", 0, 1, 1),
            ("\u{feff}\nab", 5, 2, 2),
        ] {
            let place = Place::of(text, offset);
            assert_eq!((place.line, place.column), (line, column), "{text:?}");
        }
    }
}
