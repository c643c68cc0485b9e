//! An archive: reading ends, and no response makes it fail.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_archive::{Item, Reader};
use robots_archive::http::Response;

fuzz_target!(|data: &[u8]| {
    let Ok(Some(mut reader)) = Reader::open(data) else {
        return;
    };
    // That this ends is what the fuzzer's time limit watches.
    while let Ok(Some(item)) = reader.next_item() {
        if let Item::Record(record) = item {
            let _ = Response::parse(&record.block);
        }
    }
});
