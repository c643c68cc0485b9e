//! A header and a page, split by the first NUL: every finding is in one of them, and within its line.
use robots_lint::{PageInput, PageLinter};
use robots_meta::Timestamp;

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let header = parts.next().unwrap_or_default();
    let html = parts.next().unwrap_or_default();
    let page = PageInput::new(html)
        .with_url("https://example.com/a")
        .with_headers([("X-Robots-Tag", header)]);
    let linter = PageLinter::new(&["robots", "googlebot"]);
    let linted = linter.lint(page, Timestamp::from_seconds(1_790_000_000));
    let findings = linted.findings();
    assert_eq!(findings.len(), linted.len());
    for finding in &findings {
        assert!(!finding.message.is_empty());
        let locations = [
            Some(&finding.location),
            finding.related.as_ref().map(|(location, _)| location),
        ];
        for location in locations.into_iter().flatten() {
            assert!(location.line > 0 && location.column > 0);
            assert!(location.end_column >= location.column);
            let text = std::str::from_utf8(&location.text).expect("lines are UTF-8");
            assert!(text.get(location.part.clone()).is_some());
            if !location.is_header {
                assert!(location.offset + location.length <= html.len());
            }
        }
    }
}
