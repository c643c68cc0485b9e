//! The limits on the lists of an answer about a page.

use serde_json::{Value, json};

/// The maximum number of directives of a page that its answer lists; also of findings, and of facts in headers. The others
/// are counted. Sixteen METAs of 1 MiB may have eight million directives, and would make gigabytes of JSON.
pub const MAX_LISTED: usize = 10_000;

/// The quotas of a page: for each kind of item, one for all lists together.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    pub(super) directives: Quota,
    pub(super) findings: Quota,
    pub(super) header_facts: Quota,
}

impl Quotas {
    /// Adds the numbers of items that are not listed, unless all are.
    pub(super) fn add_left_out(&self, answer: &mut Value) {
        let kinds = [&self.directives, &self.findings, &self.header_facts];
        let [directives, findings, header_facts] = kinds.map(|quota| quota.left_out);
        if [directives, findings, header_facts] != [0; 3] {
            answer["left_out"] = json!({
                "directives": directives,
                "findings": findings,
                "header_facts": header_facts,
            });
        }
    }
}

/// The number of items of a kind that are listed, and of those that are not.
#[derive(Debug, Default)]
pub(super) struct Quota {
    listed: usize,
    left_out: u64,
}

impl Quota {
    /// Lists items up to [`MAX_LISTED`] in all lists, and counts the others.
    pub(super) fn list(&mut self, mut items: impl Iterator<Item = Value>) -> Value {
        let left = MAX_LISTED - self.listed;
        let listed: Vec<Value> = items.by_ref().take(left).collect();
        self.listed += listed.len();
        self.left_out += items.count() as u64;
        Value::Array(listed)
    }
}
