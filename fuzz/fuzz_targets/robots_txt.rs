//! Fuzzes what `robots_tests::properties::robots_txt` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::robots_txt::check(data));
