//! Decisions as JSON Lines: one object each.

use super::columns::{evidence_columns, is_override, override_columns};
use super::{RowContext, Sink};
use crate::evidence::columns::{TERMS, TERMS_KEY};
use crate::json::write_line;
use robots_policy::decision::{Field, Value as Cell};
use robots_policy::{Decision, Policy};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value};
use std::io::{self, Write};

pub(super) struct JsonLines<W> {
    writer: W,
    /// The wanted keys, unless all are wanted.
    keys: Option<Vec<String>>,
    /// Whether rows have the keys of overrides.
    has_overrides: bool,
}

#[derive(serde::Serialize)]
struct JsonRow<'a> {
    #[serde(flatten)]
    row: &'a RowContext<'a>,
    #[serde(flatten)]
    decision: &'a Decision,
    #[serde(flatten)]
    more: MoreKeys<'a>,
}

/// The keys that rows have only on request, each with the name of its column.
struct MoreKeys<'a> {
    row: &'a RowContext<'a>,
    decision: &'a Decision,
    has_overrides: bool,
}

impl Serialize for MoreKeys<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let evidence = evidence_columns().filter(|_| self.row.evidence.is_some());
        let overrides = override_columns().filter(|_| self.has_overrides);
        for column in evidence.chain(overrides) {
            let name = column.name();
            if let (TERMS, Some(evidence)) = (name, &self.row.evidence) {
                map.serialize_entry(TERMS_KEY, &evidence.terms())?;
                continue;
            }
            match column.value(self.row, self.decision) {
                Cell::Text(text) => map.serialize_entry(name, &*text)?,
                Cell::Int(number) => map.serialize_entry(name, &number)?,
                Cell::Time(time) => map.serialize_entry(name, &time.to_string())?,
                Cell::List(items) => map.serialize_entry(name, &items)?,
                _ => map.serialize_entry(name, &())?,
            }
        }
        map.end()
    }
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(writer: W, keys: Option<Vec<String>>, has_overrides: bool) -> Self {
        let named = keys.iter().flatten().any(|key| is_override(key));
        Self {
            writer,
            keys,
            has_overrides: has_overrides || named,
        }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let more = MoreKeys {
            row,
            decision,
            has_overrides: self.has_overrides,
        };
        let row = JsonRow {
            row,
            decision,
            more,
        };
        match &self.keys {
            None => write_line(&mut self.writer, &row)?,
            Some(keys) => {
                let mut all = serde_json::to_value(&row)?;
                // Only the differences are left out, if there are none.
                let none = || Value::Array(Vec::new());
                let mut value = |key| all.get_mut(key).map_or_else(none, Value::take);
                let some = keys.iter().map(|key| (key.clone(), value(key)));
                let some: Map<String, Value> = some.collect();
                write_line(&mut self.writer, &some)?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Returns the keys of a row.
pub(super) fn keys() -> Vec<String> {
    // Without a field, the row would have no key for them.
    let row = &RowContext {
        differs: Field::ALL,
        ..RowContext::new("", None, None)
    };
    let decision = &Policy::default().decide("", "");
    let more = MoreKeys {
        row,
        decision,
        has_overrides: true,
    };
    let row = JsonRow {
        row,
        decision,
        more,
    };
    let keys = match serde_json::to_value(row) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    };
    let keys = keys.into_iter().map(|(key, _)| key);
    let evidence = evidence_columns().map(|column| match column.name() {
        TERMS => TERMS_KEY.to_owned(),
        name => name.to_owned(),
    });
    keys.chain(evidence).collect()
}
