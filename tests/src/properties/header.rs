//! A header line for robots: every directive, fact and finding is at its offset in the line.
use robots_lint::list::{MAX_FINDINGS, findings_in_content, findings_in_header};
use robots_meta::robots_usage::content_usage::UsageCategory;
use robots_meta::{page_headers, robots_headers};
use robots_policy::{Page, Policy};

/// The headers that have no directives.
const FACTS: [&str; 5] = [
    "Link",
    "tdm-reservation",
    "tdm-policy",
    "Content-Usage",
    "Content-Signal",
];

/// Reads directives.
fn check_directives(value: &str) {
    for name in ["X-Robots-Tag", "Robots-Tag"] {
        for found in robots_headers([(name, value)]) {
            let directive = found.directive();
            assert!(value[directive.offset()..].starts_with(directive.text()));
        }
        let page = Page::new("https://example.com/").with_headers([(name, value)]);
        let decision = Policy::new("Googlebot")
            .unwrap()
            .decide_page(&page.not_html());
        let _ = decision.explain().to_string();
    }
}

/// Reads facts.
fn check_facts(value: &str) {
    let found = page_headers(FACTS.map(|name| (name, value)));
    for link in found.links() {
        assert!(value[link.offset()..].starts_with('<'));
    }
    let reservations = found.tdm_reservations().iter();
    let policies = found.tdm_policies().iter();
    let signals = found.content_signals().iter();
    let categories = UsageCategory::ALL.into_iter();
    let statements = categories.filter_map(|category| found.content_usage()?.statement(category));
    let texts = reservations
        .map(|found| (found.offset(), found.text()))
        .chain(policies.map(|found| (found.offset(), found.text())))
        .chain(signals.map(|found| (found.offset(), found.text())))
        .chain(statements.map(|found| (found.offset(), found.text())));
    for (offset, text) in texts {
        assert!(value[offset..].starts_with(text));
    }
    let _ = (found.canonical(), found.licenses().count());
    let _ = (found.tdm_reservation(), found.signals());
}

/// Checks the findings.
fn check_findings(value: &str) {
    for findings in [findings_in_header(value), findings_in_content(value)] {
        assert!(findings.len() <= MAX_FINDINGS);
        for finding in findings {
            assert_eq!(&value[finding.span()], finding.text());
            let other = finding.other_span().map(|span| &value[span]);
            assert_eq!(other, finding.other_text());
            let _ = finding.about();
        }
    }
}

/// Checks one input: the value of a header line, in UTF-8.
pub fn check(value: &[u8]) {
    let Ok(value) = std::str::from_utf8(value) else {
        return;
    };
    check_directives(value);
    check_facts(value);
    check_findings(value);
}
