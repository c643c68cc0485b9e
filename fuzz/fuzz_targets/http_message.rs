//! Fuzzes what `robots_tests::properties::http_message` checks.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| robots_tests::properties::http_message::check(data));
