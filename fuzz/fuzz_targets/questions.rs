//! Fuzzes what `robots_tests::properties::questions` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::questions::check(data));
