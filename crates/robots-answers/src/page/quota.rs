//! The limits on the lists of an answer about a page.

use serde::Serialize;

/// The maximum number of directives of a page that its answer lists; also of findings, and of facts in headers. The others
/// are counted. Sixteen METAs of 1 MiB may have eight million directives, and would make gigabytes of JSON.
pub const MAX_LISTED: usize = 10_000;

/// The number of items that are not listed.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct LeftOut {
    directives: u64,
    findings: u64,
    header_facts: u64,
}

/// The quotas of a page: for each kind of item, one for all lists together.
#[derive(Debug, Default)]
pub(super) struct Quotas {
    pub(super) directives: Quota,
    pub(super) findings: Quota,
    pub(super) header_facts: Quota,
}

impl Quotas {
    /// Returns the number of items that are not listed; `None` if all are.
    pub(super) fn left_out(&self) -> Option<LeftOut> {
        let left_out = LeftOut {
            directives: self.directives.left_out,
            findings: self.findings.left_out,
            header_facts: self.header_facts.left_out,
        };
        (left_out != LeftOut::default()).then_some(left_out)
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
    pub(super) fn list<T>(&mut self, mut items: impl Iterator<Item = T>) -> Vec<T> {
        let left = MAX_LISTED - self.listed;
        let listed: Vec<T> = items.by_ref().take(left).collect();
        self.listed += listed.len();
        self.left_out += items.count() as u64;
        listed
    }
}
