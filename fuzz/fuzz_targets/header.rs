//! A header line for robots: every directive's text is where it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_meta::robots_headers;
use robots_policy::{Page, Policy};

fuzz_target!(|value: &str| {
    for name in ["X-Robots-Tag", "Robots-Tag"] {
        for found in robots_headers([(name, value)]) {
            let directive = found.directive();
            assert!(value[directive.offset()..].starts_with(directive.text()));
        }
        let page = Page::new("https://example.com/").with_headers([(name, value)]);
        let decision = Policy::new("Googlebot").decide_page(&page.not_html());
        let _ = decision.explain().to_string();
    }
});
