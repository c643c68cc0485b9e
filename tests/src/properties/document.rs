//! A whole page, with its BODY. The last four bytes of the input are the sizes of the chunks.
//!
//! The result does not depend on the chunks. Reading only wanted facts finds the same facts as reading all. METAs and values
//! are at their offsets. The METAs in HEAD are those that the reader of HEADs finds. METAs, links and elements with
//! `data-nosnippet` are those of a full parse.
use super::head::suits_oracle;
use super::page::{NAMES, check_places, check_wanted, in_chunks};
use crate::{if_needed, oracle};
use robots_meta::page::{HeadEnd, Placement};
use robots_meta::{Facts, HeadOptions, HeadReader, PageFacts, Wanted};

/// Compares the HEAD of a document with the result of the reader of HEADs.
fn check_head(head: &PageFacts, whole: &PageFacts) {
    let offsets = |page: &PageFacts| -> Vec<usize> {
        page.metas()
            .filter(|meta| meta.placement() == Placement::Head)
            .map(|meta| meta.offset())
            .collect()
    };
    assert_eq!(offsets(head), offsets(whole));
    assert_eq!(head.metas().len(), offsets(head).len());
    assert_eq!(head.end(), whole.end());
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((page, sizes)) = data.split_last_chunk::<4>() else {
        return;
    };
    let whole = HeadOptions::new().read_document(page);
    let mut reader = HeadOptions::new().document_reader();
    in_chunks(page, *sizes, |chunk| reader.feed(chunk));
    assert_eq!(reader.finish(), whole);
    check_places(page, &whole);
    assert_eq!(if_needed::compare_all(page), Ok(()));
    let head = HeadReader::read(page);
    // Facts that are unwanted or not read do not count for a limit.
    let has_limit = |page: &PageFacts| matches!(page.end(), HeadEnd::Limit(_));
    if has_limit(&whole) || has_limit(&head) {
        return;
    }
    let wanted = Wanted::facts(Facts::INDEXING).for_robots(NAMES);
    let options = HeadOptions::new().with_wanted(wanted);
    check_wanted(&options.read_document(page), &whole);
    check_head(&head, &whole);
    // The oracle reads the attributes of a tag of any length.
    if whole.overlong_tags() == 0 && suits_oracle(page, whole.encoding()) {
        let [found, expected] = oracle::elements(page, &whole);
        assert_eq!(found, expected);
    }
}
