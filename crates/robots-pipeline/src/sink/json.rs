//! Decisions as JSON Lines: one object each.

use super::{RowContext, Sink};
use crate::json::write_line;
use robots_policy::decision::Field;
use robots_policy::{Decision, Policy};
use serde::Serialize;
use serde_json::{Map, Value};
use std::io::{self, Write};

pub(super) struct JsonLines<W> {
    writer: W,
    /// The wanted keys, unless all are wanted.
    keys: Option<Vec<String>>,
}

#[derive(Serialize)]
struct JsonRow<'a> {
    #[serde(flatten)]
    row: &'a RowContext<'a>,
    #[serde(flatten)]
    decision: &'a Decision,
}

impl<W: Write> JsonLines<W> {
    pub(super) fn new(writer: W, keys: Option<Vec<String>>) -> Self {
        Self { writer, keys }
    }
}

impl<W: Write> Sink for JsonLines<W> {
    fn write(&mut self, row: &RowContext<'_>, decision: &Decision) -> io::Result<()> {
        let row = JsonRow { row, decision };
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
    match serde_json::to_value(JsonRow { row, decision }) {
        Ok(Value::Object(keys)) => keys.into_iter().map(|(key, _)| key).collect(),
        _ => Vec::new(),
    }
}
