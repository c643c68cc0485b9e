//! A validator for the JSON Schemas of this project: it knows the keywords that they use, and rejects a schema with another.
//!
//! Published validators have many dependencies, some in versions that the workspace excludes.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a failure here fails the test"
)]

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The keywords that say nothing about whether a value is valid.
const ANNOTATIONS: [&str; 8] = [
    "$defs",
    "$id",
    "$schema",
    "default",
    "description",
    "format",
    "title",
    "examples",
];

/// Returns why a value is not valid under a schema, with the place of the fault; `None` if it is valid.
pub(crate) fn fault(schema: &Value, value: &Value) -> Option<String> {
    let mut evaluated = BTreeSet::new();
    Checker { root: schema }
        .check(schema, value, "", &mut evaluated)
        .err()
}

struct Checker<'s> {
    /// The whole schema, to which references are relative.
    root: &'s Value,
}

impl<'s> Checker<'s> {
    /// Checks a value at a place. Adds the keys of the object that the schema describes to `evaluated`.
    fn check(
        &self,
        schema: &'s Value,
        value: &Value,
        place: &str,
        evaluated: &mut BTreeSet<&'s str>,
    ) -> Result<(), String> {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(true) => return Ok(()),
            _ => return Err(format!("{place}: nothing is valid here")),
        };
        let fails = |what: &str| Err(format!("{place}: {value}: expected {what}"));
        for (keyword, argument) in schema {
            match keyword.as_str() {
                "$ref" => {
                    let reference = argument.as_str().unwrap();
                    let target = self.root.pointer(reference.strip_prefix('#').unwrap());
                    self.check(target.unwrap(), value, place, evaluated)?;
                }
                "type" => {
                    let types = argument
                        .as_array()
                        .map_or(std::slice::from_ref(argument), |all| all);
                    if !types
                        .iter()
                        .any(|name| is_of_type(value, name.as_str().unwrap()))
                    {
                        return fails(&argument.to_string());
                    }
                }
                "const" if value != argument => return fails(&argument.to_string()),
                "enum" if !argument.as_array().unwrap().contains(value) => {
                    return fails(&argument.to_string());
                }
                "minimum"
                    if value
                        .as_f64()
                        .is_some_and(|number| number < minimum(argument)) =>
                {
                    return fails(&format!("at least {argument}"));
                }
                "oneOf" | "anyOf" => {
                    let mut matches = 0;
                    for alternative in argument.as_array().unwrap() {
                        let mut of_alternative = BTreeSet::new();
                        if self
                            .check(alternative, value, place, &mut of_alternative)
                            .is_ok()
                        {
                            matches += 1;
                            evaluated.extend(of_alternative);
                        }
                    }
                    if matches == 0 || (keyword == "oneOf" && matches > 1) {
                        return fails(&format!("one of {}", argument.as_array().unwrap().len()));
                    }
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        let place = format!("{place}/{index}");
                        self.check(argument, item, &place, &mut BTreeSet::new())?;
                    }
                }
                "properties" => self.check_properties(argument, value, place, evaluated)?,
                "required" => {
                    let object = value.as_object();
                    for key in argument.as_array().unwrap() {
                        if object.is_some_and(|object| !object.contains_key(key.as_str().unwrap()))
                        {
                            return fails(&format!("the key {key}"));
                        }
                    }
                }
                // These are checked last, below.
                "unevaluatedProperties" => assert_eq!(argument, &Value::Bool(false)),
                "const" | "enum" | "minimum" => {}
                other => assert!(ANNOTATIONS.contains(&other), "unknown keyword {other}"),
            }
        }
        if schema.contains_key("unevaluatedProperties") {
            let mut keys = value.as_object().into_iter().flat_map(Map::keys);
            if let Some(key) = keys.find(|key| !evaluated.contains(key.as_str())) {
                return fails(&format!("no key {key:?}"));
            }
        }
        Ok(())
    }

    fn check_properties(
        &self,
        properties: &'s Value,
        value: &Value,
        place: &str,
        evaluated: &mut BTreeSet<&'s str>,
    ) -> Result<(), String> {
        let Some(object) = value.as_object() else {
            return Ok(());
        };
        for (key, property) in properties.as_object().unwrap() {
            evaluated.insert(key);
            if let Some(value) = object.get(key) {
                let place = format!("{place}/{key}");
                self.check(property, value, &place, &mut BTreeSet::new())?;
            }
        }
        Ok(())
    }
}

fn minimum(argument: &Value) -> f64 {
    argument.as_f64().unwrap()
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    }
}
