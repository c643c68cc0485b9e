//! Fuzzes what `robots_tests::properties::journal` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::journal::check(data));
