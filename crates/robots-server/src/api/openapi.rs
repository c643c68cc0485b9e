//! The frame of the API's description, and what all its paths have in common; the routes add themselves.

use crate::front::PROBES;
use crate::problem::{MEDIA_TYPE, ProblemKind};
use serde_json::{Map, Value, json};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};

/// Returns a description without paths.
pub(super) fn frame() -> OpenApi {
    let tag = |name: &str, about: &str| {
        TagBuilder::new()
            .name(name)
            .description(Some(about))
            .build()
    };
    let info = InfoBuilder::new()
        .title("robots")
        .description(Some(
            "What robots may do with pages, with the statements that decide. Answers are those of the program `robots` \
             with `--json`; errors are problem documents (RFC 9457).",
        ))
        .version(env!("CARGO_PKG_VERSION"))
        .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").build()))
        .build();
    OpenApiBuilder::new()
        .info(info)
        .tags(Some([
            tag("decisions", "Questions about pages and robots.txt files."),
            tag(
                "knowledge",
                "Robots, profiles, and the robots.txt of sites.",
            ),
            tag("operation", "The state of the service."),
        ]))
        .build()
}

/// The JSON Schema of decisions. A test of robots-policy compares it with the type.
const DECISION_SCHEMA: &str = include_str!("../../../../robots-policy/decision.schema.json");

/// Completes a description: the schema of decisions and of problems, which are the default response of every operation, and the places of keys.
pub(super) fn complete(description: &mut Value) {
    let problem = problem_schema();
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
            let default = json!({"description": "A problem", "content": {MEDIA_TYPE: {}}});
            set(operation, &["responses", "default"], default);
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
    let schema = DECISION_SCHEMA.replace("#/$defs/", "#/components/schemas/");
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

/// Returns the schema of problem documents.
fn problem_schema() -> Value {
    let names = ProblemKind::ALL.iter().map(|kind| kind.name());
    let types: Vec<String> = names.map(|name| format!("/docs#problem-{name}")).collect();
    json!({
        "type": "object",
        "description": "An error (RFC 9457)",
        "properties": {
            "type": {"type": "string", "enum": types},
            "title": {"type": "string"},
            "status": {"type": "integer", "minimum": 400, "maximum": 599},
            "detail": {"type": "string"},
            "limit": {
                "type": "object",
                "description": "The limit that the request is over, as the configuration names it",
                "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
                "required": ["name", "value"],
            },
            "position": {
                "type": "object",
                "description": "The place in the body, from 1",
                "properties": {
                    "line": {"type": "integer", "minimum": 0},
                    "column": {"type": "integer", "minimum": 0},
                },
                "required": ["line", "column"],
            },
            "request_id": {"type": "string"},
        },
        "required": ["type", "title", "status", "detail"],
    })
}
