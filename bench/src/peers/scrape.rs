//! scraper: the whole page into a tree, then `head meta`.
//!
//! It parses with scripting on, and has no option for that. So the content of a NOSCRIPT in HEAD is text,
//! and METAs there are not found.

use super::Pair;
use scraper::{Html, Selector};
use std::sync::LazyLock;

static HEAD_META: LazyLock<Selector> =
    LazyLock::new(|| Selector::parse("head meta").expect("the selector is valid"));

/// Returns the METAs in HEAD. scraper reads decoded text.
pub fn metas(page: &str) -> Vec<Pair> {
    Html::parse_document(page)
        .select(&HEAD_META)
        .map(|meta| {
            let value = |name| meta.attr(name).unwrap_or_default();
            Pair::new(value("name"), value("content"))
        })
        .collect()
}
