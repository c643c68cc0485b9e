//! The documents about the API.

use crate::client::start;
use serde_json::Value;

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
