//! Fuzzes what `robots_tests::properties::head` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::head::check(data));
