//! Fuzzes what `robots_tests::properties::page_lint` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::page_lint::check(data));
