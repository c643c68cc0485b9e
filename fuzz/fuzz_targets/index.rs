//! Fuzzes what `robots_tests::properties::index` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::index::check(data));
