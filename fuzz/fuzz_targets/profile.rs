//! Fuzzes what `robots_tests::properties::profile` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::profile::check(data));
