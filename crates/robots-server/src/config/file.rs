//! The TOML file: errors have the line and column of the key or value.

use super::{ConfigError, Setting, Settings, unknown_key};
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The longest file that is read, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Applies the settings of a file.
pub(super) fn apply(settings: &mut Settings, path: &Path) -> Result<(), ConfigError> {
    let name = path.display().to_string();
    let failed = |error| ConfigError {
        place: name.clone(),
        message: "cannot read the file".to_owned(),
        source: Some(error),
    };
    let size = std::fs::metadata(path).map_err(failed)?.len();
    if size > MAX_FILE_BYTES {
        let message = format!("the file has {size} bytes; up to {MAX_FILE_BYTES} are read");
        return Err(ConfigError::new(name, message));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    let file = File { name, text: &text };
    let table = DeTable::parse(&text).map_err(|error| {
        let span = error.span().unwrap_or_default();
        ConfigError::new(file.place(&span), error.message())
    })?;
    file.apply_table(settings, "", table.get_ref())
}

/// A file, for the places of errors.
struct File<'t> {
    name: String,
    text: &'t str,
}

impl File<'_> {
    /// Applies a table. The prefix is empty, or the name of the table with a point.
    fn apply_table(
        &self,
        settings: &mut Settings,
        prefix: &str,
        table: &DeTable<'_>,
    ) -> Result<(), ConfigError> {
        for (name, value) in table {
            let key = format!("{prefix}{}", name.get_ref());
            if let Some(setting) = Setting::find(&key) {
                let place = self.place(&value.span());
                let texts = texts(value.get_ref(), setting)
                    .map_err(|message| ConfigError::new(&place, message))?;
                settings.apply(setting, &texts, place)?;
                continue;
            }
            let inner = format!("{key}.");
            let is_table = Setting::ALL
                .iter()
                .any(|setting| setting.key.starts_with(&inner));
            match value.get_ref() {
                DeValue::Table(table) if is_table => self.apply_table(settings, &inner, table)?,
                _ if is_table => {
                    let place = self.place(&value.span());
                    let message = format!("invalid value for `{key}`: expected a table");
                    return Err(ConfigError::new(place, message));
                }
                _ => return Err(unknown_key(&self.place(&name.span()), &key)),
            }
        }
        Ok(())
    }

    /// Returns the name of the file with the 1-based line and column of an offset.
    fn place(&self, span: &Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line = before.matches('\n').count().saturating_add(1);
        let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
        let column = before.get(start..).unwrap_or_default().chars().count();
        format!(
            "{}: line {line}, column {}",
            self.name,
            column.saturating_add(1)
        )
    }
}

/// Returns the texts of a value: those of a list, or one.
fn texts(value: &DeValue<'_>, setting: &Setting) -> Result<Vec<String>, String> {
    let unexpected = || {
        format!(
            "unexpected {} for `{}`: expected {}",
            value.type_str(),
            setting.key,
            setting.form
        )
    };
    let one = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        DeValue::Boolean(is) => Some(is.to_string()),
        _ => None,
    };
    match value {
        DeValue::Array(list) if setting.is_list() => list
            .iter()
            .map(|item: &Spanned<DeValue<'_>>| one(item.get_ref()).ok_or_else(unexpected))
            .collect(),
        value => one(value).map(|text| vec![text]).ok_or_else(unexpected),
    }
}
