//! An archive: reading ends, and does not panic at any record or response.
use robots_archive::http::Response;
use robots_archive::{Item, Reader};

/// Checks one input.
pub fn check(data: &[u8]) {
    let Ok(Some(mut reader)) = Reader::open(data) else {
        return;
    };
    // The fuzzer's time limit checks that this ends.
    while let Ok(Some(item)) = reader.next_item() {
        if let Item::Record(record) = item {
            let _ = Response::parse(&record.block);
        }
    }
}
