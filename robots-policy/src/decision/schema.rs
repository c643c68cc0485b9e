//! The JSON Schema of decisions, made from the types.

use super::Decision;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The identifier of the schema.
const ID: &str =
    "https://github.com/robots-engine/robots/raw/main/robots-policy/decision.schema.json";

impl Decision {
    /// Returns the JSON Schema (draft 2020-12) of a serialised decision. [`SCHEMA`](super::SCHEMA)
    /// has the same schema as a text. Objects have no other keys than it names; a later version of the crate may add some.
    ///
    /// ```
    /// let schema = robots_policy::Decision::schema();
    /// assert_eq!(schema["properties"]["fetch"]["$ref"], "#/$defs/Fetch");
    /// ```
    pub fn schema() -> Value {
        let mut schema = SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<Self>()
            .to_value();
        close(&mut schema);
        if let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) {
            definitions.values_mut().for_each(close);
        }
        if let Some(keywords) = schema.as_object_mut() {
            keywords.insert("$id".to_owned(), ID.into());
        }
        schema
    }
}

/// Forbids other keys in an object than those of its schema, and of the alternatives in it.
fn close(schema: &mut Value) {
    if let Some(keywords) = schema.as_object_mut()
        && keywords.contains_key("properties")
    {
        keywords.insert("unevaluatedProperties".to_owned(), false.into());
    }
}
