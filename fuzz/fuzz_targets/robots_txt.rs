//! A robots.txt and a URL, split by the first NUL: nothing fails, and what can be said twice is
//! said the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use robots_txt::{Dialect, RobotsTxt, Target};

fuzz_target!(|data: &[u8]| {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let url = parts.next().unwrap_or_default();
    let body = parts.next().unwrap_or_default();
    let robots = RobotsTxt::parse(body);
    assert!(robots.diagnostics().len() <= robots_txt::MAX_DIAGNOSTICS);
    let target = Target::new(url);
    // What begins with two slashes is an authority.
    if !target.path().starts_with(b"//") {
        assert_eq!(Target::new(target.path()).path(), target.path());
    }
    for dialect in Dialect::ALL {
        for agent in ["*", "a", "Googlebot"] {
            let rules = robots.rules(agent, dialect);
            let verdict = rules.verdict(&target);
            // The line that decides is one of the robot's rules.
            if let Some(line) = verdict.line() {
                assert!(rules.iter().any(|rule| rule.line() == line));
                assert!(robots.line_text(line).is_some());
            }
            let _ = verdict.to_string();
        }
        let _ = robots.sitemaps(dialect).count();
    }
});
