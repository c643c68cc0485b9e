//! Reads the keys and values of a file.

use crate::{Config, ConfigError, Place, Setting, base};
use robots_lint::{FindingKind, Severity};
use robots_policy::text::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The keys of the file.
const KEYS: [&str; 5] = ["agents", "base", "ignore", "level", "profile"];

pub(crate) fn config(text: &str) -> Result<Config, ConfigError> {
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
