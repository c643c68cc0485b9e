//! Compares [`HeadOptions::read_document_if_needed`] with [`HeadOptions::read_document`], for several sets of wanted
//! facts.

use robots_meta::page::HeadEnd;
use robots_meta::{Facts, HeadOptions, PageFacts, Wanted};
use std::borrow::Cow;
use std::fmt::Debug;

/// The names of the wanted robots.
const NAMES: [&str; 2] = ["robots", "googlebot"];

/// The sets of wanted facts that differ in the tags that may be wanted.
const WANTED: [Facts; 4] = [
    Facts::ROBOTS,
    Facts::INDEXING,
    Facts::ROBOTS.union(Facts::NO_SNIPPETS),
    Facts::METAS,
];

/// Compares the readings of a page with each set of wanted facts.
///
/// # Errors
///
/// If two readings differ.
pub fn compare_all(page: &[u8]) -> Result<(), String> {
    WANTED
        .into_iter()
        .try_for_each(|facts| compare(page, None, facts).map(|_| ()))
}

/// Compares the two readings of a page. Returns whether the document had to be read. A page beyond a limit is not
/// compared.
///
/// # Errors
///
/// If the readings differ.
pub fn compare(page: &[u8], charset: Option<&str>, facts: Facts) -> Result<bool, String> {
    let wanted = Wanted::facts(facts).for_robots(NAMES);
    let options = HeadOptions::new()
        .with_wanted(wanted)
        .with_charset(charset.unwrap_or_default());
    let head = options.read(page);
    let document = options.read_document_if_needed(page, &head);
    let is_needed = document.is_some();
    let expected = options.read_document(page);
    if !matches!(expected.end(), HeadEnd::Limit(_)) {
        let found = document.unwrap_or(head);
        same(facts, &metas(&found), &metas(&expected))?;
        same(facts, &others(&found), &others(&expected))?;
    }
    Ok(is_needed)
}

/// Returns the METAs of a page.
fn metas(page: &PageFacts) -> impl PartialEq + Debug {
    let metas = page.metas().map(|meta| {
        let attributes: Vec<_> = meta
            .attributes()
            .map(|found| (found.name().to_owned(), found.value().to_owned()))
            .collect();
        (meta.span(), meta.placement(), attributes)
    });
    metas.collect::<Vec<_>>()
}

/// Returns the other facts of a page.
fn others(page: &PageFacts) -> impl PartialEq + Debug {
    let links = page.links().map(|link| (link.offset(), link.rel()));
    let no_snippets = page.no_snippets();
    let elsewhere = page.no_snippets_on_other_elements();
    (
        page.title().map(Cow::into_owned),
        page.canonical().map(|found| found.href().to_owned()),
        links.collect::<Vec<_>>(),
        no_snippets.chain(elsewhere).collect::<Vec<_>>(),
        (page.end().clone(), page.encoding()),
    )
}

fn same<T: PartialEq + Debug>(facts: Facts, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{facts:?} if needed: found {found:?}\nexpected {expected:?}"
    ))
}
