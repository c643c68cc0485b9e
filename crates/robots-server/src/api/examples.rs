//! The examples of the API's description. A test asks the service each question, and compares the answer.

use serde_json::Value;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{Content, OpenApi, RefOr};

/// The examples: objects with `path`, `question` and `answer`. A question or answer that is a string is NDJSON.
const EXAMPLES: &str = include_str!("examples.json");

/// Adds the examples to a description.
pub(super) fn add(description: &mut OpenApi) {
    // A test reads them all.
    let examples: Vec<Value> = serde_json::from_str(EXAMPLES).unwrap_or_default();
    for example in &examples {
        let path = example["path"].as_str().unwrap_or_default();
        let item = description.paths.paths.get_mut(path);
        if let Some(operation) = item.and_then(|item| item.post.as_mut()) {
            add_to(operation, example);
        }
    }
}

fn add_to(operation: &mut Operation, example: &Value) {
    if let Some(RefOr::T(body)) = &mut operation.request_body {
        add_to_contents(body.content.values_mut(), &example["question"]);
    }
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut("200") {
        add_to_contents(response.content.values_mut(), &example["answer"]);
    }
}

fn add_to_contents<'c>(contents: impl Iterator<Item = &'c mut RefOr<Content>>, example: &Value) {
    for content in contents {
        if let RefOr::T(content) = content {
            content.example = Some(example.clone());
        }
    }
}
