//! Fuzzes what `robots_tests::properties::decide` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::decide::check(data));
