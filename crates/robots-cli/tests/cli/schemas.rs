//! JSON Schemas, and the outputs that they describe.

#[path = "../../../../robots-policy/tests/json_schema/mod.rs"]
mod json_schema;

use crate::program::{copy, json_lines, robots, workspace};
use robots_pipeline::sink::columns::{evidence_columns, override_columns};
use robots_policy::decision::ValueType;
use serde_json::{Value, json};
use std::fs;

/// The schema of a decision.
const DECISION: &str = "robots-policy/decision.schema.json";

/// The schema of a row of `robots decide --format jsonl`.
const ROW: &str = "crates/robots-pipeline/row.schema.json";

fn schema(path: &str) -> Value {
    let text = fs::read_to_string(workspace().join(path)).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[track_caller]
fn assert_valid(schema: &Value, row: &Value) {
    assert_eq!(json_schema::fault(schema, row), None);
}

/// A row is a decision with three more keys, and on request those of evidence, whose order and descriptions are those of docs/columns.md.
#[test]
fn the_schema_of_rows_is_that_of_decisions_with_their_origin() {
    let mut row = schema(DECISION);
    row["$id"] = json!(
        "https://github.com/robots-engine/robots/raw/main/crates/robots-pipeline/row.schema.json"
    );
    row["title"] = json!("Row");
    row["description"] =
        json!("A row of `robots decide --format jsonl`: a decision, and the page it is about.");
    let number = json!(["integer", "null"]);
    let origin = [
        ("file", json!("string"), "The archive, or the saved page."),
        (
            "offset",
            number.clone(),
            "The offset of the record in the archive, in bytes.",
        ),
        ("status", number, "The HTTP status of the response."),
    ];
    for (name, kind, about) in origin {
        row["properties"][name] = json!({"type": kind, "description": about});
        row["required"].as_array_mut().unwrap().push(json!(name));
    }
    for column in evidence_columns().chain(override_columns()) {
        if column.name() == "terms_json" {
            let items = terms_schema();
            let about = column.about().replace(", as JSON: ", ": ");
            row["properties"]["terms"] =
                json!({"type": "array", "description": about, "items": items});
            continue;
        }
        let name = match column.value_type() {
            ValueType::List => "array",
            ValueType::Int => "integer",
            _ => "string",
        };
        let kind = if column.is_optional() {
            json!([name, "null"])
        } else {
            json!(name)
        };
        let key = &mut row["properties"][column.name()];
        *key = json!({"type": kind, "description": column.about()});
        if column.value_type() == ValueType::List {
            key["items"] = json!({"type": "string"});
        }
    }
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        let text = serde_json::to_string_pretty(&row).unwrap() + "\n";
        fs::write(workspace().join(ROW), text).unwrap();
    }
    assert_eq!(
        schema(ROW),
        row,
        "UPDATE_SCHEMA=1 cargo test -p robots-cli --test cli schemas"
    );
}

/// Returns the schema of a tdmrep.json or a licence in `terms`.
fn terms_schema() -> Value {
    let [text, number] = ["string", "integer"].map(|name| json!({"type": [name, "null"]}));
    json!({
        "type": "object",
        "properties": {
            "kind": {"enum": ["tdmrep", "license"]},
            "url": {"type": "string"},
            "status": number,
            "captured_at": text,
            "digest": text,
            "age": number,
        },
        "required": ["kind", "url", "status", "captured_at", "digest", "age"],
        "additionalProperties": false,
    })
}

#[test]
fn rows_and_recorded_decisions_are_valid() {
    let rows = schema(ROW);
    for profile in &profile_names() {
        let inputs = [
            "tests/fixtures/crawl.warc.gz",
            "tests/fixtures/sites/joes-hardware/pages",
        ];
        let args = [
            "decide",
            "--json",
            "--base",
            "http://www.joes-hardware.com/",
            "--profile",
            profile,
            "--evidence",
        ];
        let outcome = robots(args.into_iter().chain(inputs));
        outcome.assert_success();
        let decided = outcome.rows();
        assert!(decided.len() > 20, "{profile}");
        for row in &decided {
            assert_valid(&rows, row);
        }
    }
    let decisions = schema(DECISION);
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("site");
    copy(
        &workspace().join("tests/fixtures/sites/marys-antiques"),
        &site,
    );
    assert_eq!(robots(["test", "--accept", site.to_str().unwrap()]).code, 0);
    let recorded = fs::read_to_string(site.join("expected.jsonl")).unwrap();
    for decision in json_lines(&recorded) {
        assert_valid(&decisions, &decision);
        let fault = json_schema::fault(&rows, &decision);
        assert!(fault.is_some(), "a row has a file");
    }
}

/// Returns the names of the built-in profiles.
fn profile_names() -> Vec<String> {
    let all: Value = serde_json::from_str(&robots(["profiles", "--json"]).stdout).unwrap();
    let names = all
        .as_array()
        .unwrap()
        .iter()
        .map(|profile| &profile["name"]);
    names
        .map(|name| name.as_str().unwrap().to_owned())
        .collect()
}
