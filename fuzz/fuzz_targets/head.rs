//! A page, cut into chunks by its first byte: every chunking gives the same, and each META stands
//! at a `<`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_meta::{HeadReader, Progress};

fuzz_target!(|data: &[u8]| {
    let Some((&size, page)) = data.split_first() else {
        return;
    };
    let whole = HeadReader::read(page);
    let mut reader = HeadReader::new();
    for chunk in page.chunks(usize::from(size).max(1)) {
        if reader.feed(chunk) == Progress::Done {
            break;
        }
    }
    assert_eq!(reader.finish(), whole);
    for meta in whole.metas() {
        // In UTF-16BE the first byte of `<` is zero.
        assert!(matches!(page[meta.offset()], b'<' | 0));
        let _ = meta.directives().count();
    }
    let _ = (whole.description(), whole.keywords(), whole.revisit_after());
});
