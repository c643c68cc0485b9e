//! The description of the API: that of its routes, their examples, and what all have in common.

use super::PROBES;
use crate::problem::{MEDIA_TYPE, ProblemDocument};
use robots_policy::decision::SCHEMA;
use serde_json::{Map, Value, json};
use utoipa::{OpenApi, PartialSchema};

/// The description as the routes have it.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "robots",
        description = "What robots may do with pages, with the statements that decide. Answers are those of the program `robots` with `--json`; errors are problem documents (RFC 9457).",
        license(name = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "decisions", description = "Questions about pages and robots.txt files."),
        (name = "knowledge", description = "Robots, profiles, and the robots.txt of sites."),
        (name = "operation", description = "The state of the service."),
    ),
    paths(
        super::check::check,
        super::decide::decide,
        super::bulk::bulk,
        super::why::why,
        super::lint::lint,
        super::diff::diff,
        super::meta::meta,
        super::agents::agents,
        super::agents::agent,
        super::profiles::profiles,
        super::profiles::profile,
        super::robots::robots,
        super::health::healthz,
        super::health::readyz,
        super::health::metrics,
    )
)]
struct OfRoutes;

/// Returns the whole description.
pub(super) fn description() -> Value {
    // A description has only texts and numbers.
    let mut value = serde_json::to_value(OfRoutes::openapi()).unwrap_or_default();
    add_examples(&mut value);
    complete(&mut value);
    value
}

/// Completes a description: the schema of decisions and of problems, which are the default response of every operation, and the places of keys.
fn complete(description: &mut Value) {
    // Schemas have only texts and numbers.
    let problem = serde_json::to_value(ProblemDocument::schema()).unwrap_or_default();
    set(description, &["components", "schemas", "Problem"], problem);
    add_decisions(description);
    let keys = json!({
        "bearer": {"type": "http", "scheme": "bearer"},
        "header": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
        "basic": {
            "type": "http", "scheme": "basic",
            "description": "The key is the password; the user name may be any.",
        },
    });
    set(description, &["components", "securitySchemes"], keys);
    // A service may have no keys: the last one is none.
    let keys = json!([{"bearer": []}, {"header": []}, {"basic": []}, {}]);
    set(description, &["security"], keys);
    let schema = json!({"$ref": "#/components/schemas/Problem"});
    let paths = description.get_mut("paths").and_then(Value::as_object_mut);
    for (path, item) in paths.into_iter().flatten() {
        for operation in item.as_object_mut().into_iter().flat_map(Map::values_mut) {
            if PROBES.contains(&&**path) {
                set(operation, &["security"], json!([]));
            }
            let problem = |about| json!({"description": about, "content": {MEDIA_TYPE: {}}});
            if operation
                .pointer("/requestBody/content/application~1json")
                .is_some()
            {
                let invalid = problem("A key or value is invalid");
                set(operation, &["responses", "422"], invalid);
            }
            set(operation, &["responses", "default"], problem("A problem"));
            let responses = operation.get_mut("responses");
            let responses = responses.and_then(Value::as_object_mut);
            for response in responses.into_iter().flat_map(Map::values_mut) {
                let of_problem = response
                    .pointer("/content")
                    .and_then(|content| content.get(MEDIA_TYPE));
                if of_problem.is_some() {
                    set(response, &["content", MEDIA_TYPE, "schema"], schema.clone());
                }
            }
        }
    }
}

/// Sets the value at a place, whose objects are created.
fn set(value: &mut Value, place: &[&str], new: Value) {
    let mut at = value;
    for key in place {
        let Some(object) = at.as_object_mut() else {
            return;
        };
        at = object.entry(*key).or_insert_with(|| json!({}));
    }
    *at = new;
}

/// Adds the schema of decisions, and names it in the answers that have some.
fn add_decisions(description: &mut Value) {
    // The definitions are components here.
    let schema = SCHEMA.replace("#/$defs/", "#/components/schemas/");
    // A test reads it.
    let mut schema: Map<String, Value> = serde_json::from_str(&schema).unwrap_or_default();
    let definitions = schema.shift_remove("$defs");
    for keyword in ["$schema", "$id"] {
        schema.shift_remove(keyword);
    }
    let definitions = definitions.and_then(|all| serde_json::from_value(all).ok());
    let definitions: Map<String, Value> = definitions.unwrap_or_default();
    let decision = ("Decision".to_owned(), schema.into());
    for (name, schema) in definitions.into_iter().chain([decision]) {
        set(description, &["components", "schemas", &name], schema);
    }
    let decisions = json!({"type": "array", "items": {"$ref": "#/components/schemas/Decision"}});
    let line = json!({
        "type": "object",
        "description": "A line: decisions, or an error in their place",
        "properties": {
            "line": {"type": "integer", "minimum": 1},
            "decisions": decisions,
            "error": {"$ref": "#/components/schemas/Problem"},
        },
        "required": ["line"],
    });
    for (path, media_type, schema) in [
        ("/v1/decide", "application/json", decisions),
        ("/v1/decide/bulk", "application/x-ndjson", line),
    ] {
        let place = [
            "paths",
            path,
            "post",
            "responses",
            "200",
            "content",
            media_type,
            "schema",
        ];
        set(description, &place, schema);
    }
}

/// The examples, for which a test asks the service and compares the answers: objects with `path`, `question` and `answer`. A question or answer that is a string is NDJSON.
const EXAMPLES: &str = include_str!("examples.json");

/// Adds the examples to a description.
fn add_examples(description: &mut Value) {
    // A test reads them all.
    let examples: Vec<Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for example in &examples {
        let operation =
            &mut description["paths"][example["path"].as_str().unwrap_or_default()]["post"];
        for (place, key) in [("/requestBody", "question"), ("/responses/200", "answer")] {
            let contents = operation.pointer_mut(&format!("{place}/content"));
            let contents = contents.and_then(Value::as_object_mut);
            for content in contents.into_iter().flat_map(Map::values_mut) {
                content["example"] = example[key].clone();
            }
        }
    }
}
