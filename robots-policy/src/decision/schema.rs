//! The JSON Schema of decisions, made from the types.

use super::Decision;
use schemars::generate::SchemaSettings;

impl Decision {
    /// Returns the JSON Schema (draft 2020-12) of a serialised decision. The file `decision.schema.json` of
    /// the crate has the same schema.
    ///
    /// ```
    /// let schema = robots_policy::Decision::schema();
    /// assert_eq!(schema["properties"]["fetch"]["$ref"], "#/$defs/Fetch");
    /// ```
    pub fn schema() -> serde_json::Value {
        SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator()
            .into_root_schema_for::<Self>()
            .to_value()
    }
}
