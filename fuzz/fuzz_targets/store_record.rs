//! Fuzzes what `robots_tests::properties::store_record` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::store_record::check(data));
