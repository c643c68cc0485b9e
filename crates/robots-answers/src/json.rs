//! Parts of answers as JSON.

use robots_txt::analysis::PathVerdict;
use serde_json::{Value, json};

/// Adds the keys of an object after those of another.
pub(crate) fn add(object: &mut Value, more: Value) {
    if let (Value::Object(object), Value::Object(more)) = (object, more) {
        object.extend(more);
    }
}

/// Returns the verdict on a path.
pub(crate) fn path_verdict(verdict: &PathVerdict) -> Value {
    json!({
        "allowed": verdict.is_allowed(),
        "line": verdict.line(),
        "reason": verdict.reason_name(),
        "reason_text": verdict.reason(),
    })
}
