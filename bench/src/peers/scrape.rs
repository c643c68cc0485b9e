//! scraper: the whole page into a tree, then `head meta`.
//!
//! It parses as with scripting on, and has no option for it: what is in a NOSCRIPT in HEAD is text,
//! so METAs there are not found.

use super::Pair;
use scraper::{Html, Selector};
use std::sync::LazyLock;

static HEAD_META: LazyLock<Selector> =
    LazyLock::new(|| Selector::parse("head meta").expect("it is a selector of our own"));

/// The METAs in HEAD. scraper reads text that is decoded already.
pub fn metas(page: &str) -> Vec<Pair> {
    Html::parse_document(page)
        .select(&HEAD_META)
        .map(|meta| {
            let value = |name| meta.attr(name).unwrap_or_default();
            Pair::new(value("name"), value("content"))
        })
        .collect()
}
