//! The documents about the API.

use crate::client::{cases, start};
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn the_description_has_every_route() {
    let service = start(&[]);
    let answer = service.get("/openapi.json", "");
    let description = answer.json();
    assert!(description["openapi"].as_str().unwrap().starts_with("3."));
    let paths: Vec<&String> = description["paths"].as_object().unwrap().keys().collect();
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/v1/agents",
        "/v1/profiles/{name}",
    ] {
        assert!(paths.iter().any(|known| *known == path), "{paths:?}");
    }
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            for key in ["summary", "tags", "responses"] {
                assert_ne!(operation[key], Value::Null, "{method} {path} {key}");
            }
        }
    }
}

/// Returns what is wrong with a value by a schema: the keywords that the description uses.
fn mistakes(description: &Value, schema: &Value, value: &Value) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = description.pointer(reference.strip_prefix('#').unwrap());
        return mistakes(description, target.unwrap(), value);
    }
    let mut found = Vec::new();
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    let has_type = |name: &&str| match *name {
        "null" => value.is_null(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other}"),
    };
    if !types.is_empty() && !types.iter().any(has_type) {
        found.push(format!("{value}: not of {types:?}"));
    }
    if let Some(expected) = schema.get("const").filter(|expected| *expected != value) {
        found.push(format!("{value}: not {expected}"));
    }
    if let Some(schemas) = schema["oneOf"].as_array() {
        let valid = schemas
            .iter()
            .filter(|one| mistakes(description, one, value).is_empty());
        let valid = valid.count();
        if valid != 1 {
            found.push(format!("{value}: {valid} of {schema}"));
        }
    }
    if let Some(items) = value.as_array() {
        let within = |key, is_over: fn(u64, u64) -> bool| {
            schema[key]
                .as_u64()
                .is_some_and(|limit| is_over(u64::try_from(items.len()).unwrap(), limit))
        };
        if within("minItems", |len, min| len < min) || within("maxItems", |len, max| len > max) {
            found.push(format!("{value}: {} items", items.len()));
        }
        for item in items {
            found.extend(mistakes(description, &schema["items"], item));
        }
    }
    if let Some(members) = value.as_object() {
        for (key, member) in members {
            match schema["properties"].get(key) {
                Some(schema) => found.extend(mistakes(description, schema, member)),
                None if schema["additionalProperties"] == Value::Bool(false) => {
                    found.push(format!("{key} is unknown"));
                }
                None => {}
            }
        }
        for required in schema["required"].as_array().into_iter().flatten() {
            if !members.contains_key(required.as_str().unwrap()) {
                found.push(format!("{required} is missing"));
            }
        }
    }
    if let (Some(names), false) = (schema["enum"].as_array(), value.is_null())
        && !names.contains(value)
    {
        found.push(format!("{value}: not of {names:?}"));
    }
    if let Some(number) = value.as_i64() {
        let bound = |key| schema[key].as_i64();
        if bound("minimum").is_some_and(|min| number < min)
            || bound("maximum").is_some_and(|max| number > max)
        {
            found.push(format!("{number}: not within bounds"));
        }
    }
    found
}

/// Questions, and whether they are valid.
const QUESTIONS: &str = r#"
/v1/lint {"robots_txt": {"base64": "VXNlci1hZ2VudDogKgo="}} | valid
/v1/lint {"robots_txt": "User-agent: *\n"} | valid
/v1/lint {"robots_txt": {"base65": ""}} | invalid
/v1/lint {"robots_txt": {}} | invalid
/v1/lint {"robots_txt": 7} | invalid
/v1/lint {"robots_txt": null, "html": ""} | valid
/v1/diff {"old": {"base64": ""}, "new": ""} | valid
/v1/diff {"old": null, "new": ""} | invalid
/v1/check {"robots_txt": {"base64": ""}, "urls": ["/"]} | valid
/v1/check {"robots_txt": {"base64": ""}, "url": ["/"]} | invalid
/v1/meta {"html": {"base64": ""}, "headers": [["a", "b"]]} | valid
/v1/decide {"url": "https://example.com/", "html": {"base64": ""}} | valid
/v1/decide {"url": "https://example.com/", "headers": [["a", "b"]]} | valid
/v1/decide {"url": "https://example.com/", "headers": [["a"]]} | invalid
/v1/decide {"url": "https://example.com/", "headers": [["a", "b", "c"]]} | invalid
/v1/decide {"url": "https://example.com/", "headers": [["a", 1]]} | invalid
/v1/decide {"html": ""} | invalid
/v1/why {"url": "https://example.com/", "headers": [["a", "b", "c", "d"]]} | invalid
/v1/why {"url": "https://example.com/", "robots_txt": {"base64": ""}} | valid
/v1/why {"url": "https://example.com/", "status": 99} | invalid
/v1/why {"url": "https://example.com/", "status": 100} | valid
/v1/why {"url": "https://example.com/", "robots_status": 999} | valid
/v1/why {"url": "https://example.com/", "robots_status": 1000} | invalid
/v1/decide {"url": "https://example.com/", "status": 70000} | invalid
/v1/decide {"url": "https://example.com/", "robots_status": 0} | invalid
/v1/decide {"url": "https://example.com/", "status": null, "robots_status": null} | valid
"#;

#[test]
fn questions_fit_their_schemas_as_the_service_reads_them() {
    let service = start(&[]);
    let description = service.get("/openapi.json", "").json();
    for (path, question, validity) in cases(QUESTIONS) {
        let is_valid = validity == "valid";
        let answer = service.ask(path, &question);
        let operation = &description["paths"][path]["post"];
        let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
        let found = mistakes(&description, schema, &question);
        assert_eq!(found.is_empty(), is_valid, "{path} {question}: {found:?}");
        if is_valid {
            assert_eq!(answer.status, 200, "{answer:?}");
            continue;
        }
        answer.assert_problem(422, "invalid-value", None);
        let schema =
            &operation["responses"]["422"]["content"]["application/problem+json"]["schema"];
        let found = mistakes(&description, schema, &answer.json());
        assert_eq!(found, [""; 0]);
    }
}

/// Collects the references of a schema, and of those in it.
fn references<'d>(value: &'d Value, found: &mut Vec<&'d str>) {
    found.extend(value.get("$ref").and_then(Value::as_str));
    let members = value
        .as_object()
        .into_iter()
        .flat_map(|object| object.values());
    for inner in members.chain(value.as_array().into_iter().flatten()) {
        references(inner, found);
    }
}

#[test]
fn decisions_are_described() {
    let service = start(&[]);
    let description = service.get("/openapi.json", "").json();
    let mut all = Vec::new();
    references(&description, &mut all);
    assert!(all.len() > 30, "{all:?}");
    for reference in all {
        let target = description.pointer(reference.strip_prefix('#').unwrap());
        assert!(target.is_some(), "{reference}");
    }
    let schema = &description["paths"]["/v1/decide"]["post"]["responses"]["200"]["content"]["application/json"]
        ["schema"];
    let decision = &description["components"]["schemas"]["Decision"];
    let keys: BTreeSet<&String> = decision["properties"].as_object().unwrap().keys().collect();
    for explain in [true, false] {
        let question =
            json!({"url": "https://example.com/", "robots_status": 404, "explain": explain});
        let answer = service.ask("/v1/decide", &question).json();
        assert_eq!(mistakes(&description, schema, &answer), [""; 0]);
        let found: BTreeSet<&String> = answer[0].as_object().unwrap().keys().collect();
        assert_eq!(found, keys);
    }
}

#[test]
fn problems_and_keys_are_described() {
    let service = start(&[]);
    let description = service.get("/openapi.json", "").json();
    let problem = json!({"$ref": "#/components/schemas/Problem"});
    for (path, item) in description["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let default = &operation["responses"]["default"];
            let schema = &default["content"]["application/problem+json"]["schema"];
            assert_eq!(schema, &problem, "{method} {path}");
            let is_probe = ["/healthz", "/readyz"].contains(&path.as_str());
            assert_eq!(operation["security"] == json!([]), is_probe, "{path}");
        }
    }
    let document = service.get("/none", "").json();
    assert_eq!(mistakes(&description, &problem, &document), [""; 0]);
    for requirement in description["security"].as_array().unwrap() {
        for name in requirement.as_object().unwrap().keys() {
            assert!(description["components"]["securitySchemes"][name].is_object());
        }
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let service = start(&[]);
    let page = service.get("/docs", "");
    assert_eq!(page.status, 200);
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        !policy.contains("unsafe") && !policy.contains("http"),
        "{policy}"
    );
    for part in [
        "<script",
        "style=",
        "<style",
        "src=",
        "href=\"http",
        "href=\"//",
    ] {
        assert!(!page.body.contains(part), "{part}");
    }
    assert!(page.body.contains("GET /v1/agents/{name}"));
    // Each problem has the place that its type names.
    assert!(page.body.contains("id=\"problem-body-too-large\""));
    let style = service.get("/docs/style.css", "");
    assert_eq!(
        style.header("content-type"),
        Some("text/css; charset=utf-8")
    );
}
