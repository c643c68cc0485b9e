//! The description of the API: `/openapi.json`, and `/docs`, the same as a page without scripts and resources of others.

use super::openapi;
use crate::problem::ProblemKind;
use crate::state::AppState;
use axum::Router;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use maud::{DOCTYPE, Markup, html};
use serde_json::Value;

/// The policy of the documents: the style sheet of the page, and nothing else.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The style sheet of the page.
const STYLE: &str = include_str!("documents.css");

/// Returns the routes of the documents about this API.
pub(super) fn routes() -> Router<AppState> {
    let value = openapi::description();
    let json = serde_json::to_string_pretty(&value).unwrap_or_default();
    let page = page(&value).into_string();
    Router::new()
        .route(
            "/openapi.json",
            get(async || document("application/json", json)),
        )
        .route(
            "/docs",
            get(async || document("text/html; charset=utf-8", page)),
        )
        .route(
            "/docs/style.css",
            get(async || document("text/css; charset=utf-8", STYLE)),
        )
}

fn document(media_type: &'static str, text: impl IntoResponse) -> Response {
    let headers = [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, "max-age=300"),
        (CONTENT_SECURITY_POLICY, POLICY),
    ];
    (headers, text).into_response()
}

/// Returns the page of a description.
fn page(description: &Value) -> Markup {
    let info = &description["info"];
    let title = format!("{} API {}", text(&info["title"]), text(&info["version"]));
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href="/docs/style.css";
            }
            body {
                main {
                    h1 { (title) }
                    p { (prose(text(&info["description"]))) }
                    p { "The same as " a href="/openapi.json" { "OpenAPI document" } "." }
                    (contents(description))
                    @for tag in list(&description["tags"]) {
                        (section(description, tag))
                    }
                    (problems())
                }
            }
        }
    }
}

/// Returns the operations of a tag: path, method, operation.
fn operations<'d>(
    description: &'d Value,
    tag: &'d Value,
) -> impl Iterator<Item = (&'d str, &'d str, &'d Value)> {
    let paths = description["paths"].as_object().into_iter().flatten();
    paths.flat_map(move |(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.filter_map(move |(method, operation)| {
            let has_tag = list(&operation["tags"]).contains(&tag["name"]);
            has_tag.then_some((path.as_str(), method.as_str(), operation))
        })
    })
}

fn contents(description: &Value) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for tag in list(&description["tags"]) {
                    @for (path, method, operation) in operations(description, tag) {
                        li {
                            a href={ "#" (anchor(method, path)) } { (method.to_uppercase()) " " (path) }
                            " " (prose(text(&operation["summary"])))
                        }
                    }
                }
                li { a href="#problems" { "Problems" } " The kinds of errors." }
            }
        }
    }
}

fn section(description: &Value, tag: &Value) -> Markup {
    let mut operations = operations(description, tag).peekable();
    html! {
        @if operations.peek().is_some() {
            h2 { (text(&tag["description"]).trim_end_matches('.')) }
            @for (path, method, operation) in operations {
                (operation_section(path, method, operation))
            }
        }
    }
}

fn operation_section(path: &str, method: &str, operation: &Value) -> Markup {
    let parameters = list(&operation["parameters"]);
    let body = &operation["requestBody"];
    html! {
        section id=(anchor(method, path)) {
            h3 { code { (method.to_uppercase()) " " (path) } }
            p { (prose(text(&operation["summary"]))) }
            @if let Some(about) = operation["description"].as_str() {
                p { (prose(about)) }
            }
            @if !parameters.is_empty() {
                h4 { "Parameters" }
                dl {
                    @for parameter in parameters {
                        dt { code { (text(&parameter["name"])) } " in the " (text(&parameter["in"])) }
                        dd {
                            (prose(text(&parameter["description"])))
                            @if let Some(example) = parameter["example"].as_str() {
                                ", such as " code { (example) }
                            }
                        }
                    }
                }
            }
            @if body.is_object() {
                h4 { "Body" }
                @if let Some(about) = body["description"].as_str() {
                    p { (prose(about)) }
                }
                (examples(&body["content"]))
            }
            h4 { "Answers" }
            dl {
                @for (status, response) in operation["responses"].as_object().into_iter().flatten() {
                    dt { (status) }
                    dd {
                        p { (prose(text(&response["description"]))) }
                        (examples(&response["content"]))
                    }
                }
            }
        }
    }
}

/// Returns the media types of a body, with their examples.
fn examples(content: &Value) -> Markup {
    html! {
        @for (media_type, body) in content.as_object().into_iter().flatten() {
            p { code { (media_type) } }
            @if !body["example"].is_null() {
                (example(&body["example"]))
            }
            @for (_, named) in body["examples"].as_object().into_iter().flatten() {
                @if let Some(about) = named["summary"].as_str() {
                    p { (prose(about)) }
                }
                (example(&named["value"]))
            }
        }
    }
}

fn example(value: &Value) -> Markup {
    let text = match value {
        Value::String(text) => text.clone(),
        value => serde_json::to_string_pretty(value).unwrap_or_default(),
    };
    // A region that scrolls can be reached by the keyboard.
    html! { pre tabindex="0" { code { (text) } } }
}

fn problems() -> Markup {
    html! {
        h2 id="problems" { "Problems" }
        p {
            "Errors have the type " code { "application/problem+json" } " (RFC 9457). The member " code { "limit" }
            " names the limit that the request is over, as in the configuration; " code { "position" }
            " is the 1-based line and column in the body."
        }
        dl {
            @for kind in ProblemKind::ALL {
                dt id={ "problem-" (kind.name()) } { code { (kind.name()) } ", " (kind.status().as_u16()) }
                dd { (kind.title()) }
            }
        }
    }
}

fn anchor(method: &str, path: &str) -> String {
    let words = path.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("{method}-{}", words.join("-"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Returns a text whose parts between backticks are code.
fn prose(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
