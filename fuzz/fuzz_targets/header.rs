//! Fuzzes what `robots_tests::properties::header` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::header::check(data));
