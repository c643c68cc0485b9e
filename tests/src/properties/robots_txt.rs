//! A URL and a robots.txt, split by the first NUL: nothing panics, and functions with the same result agree.
use robots_txt::parse::Field;
use robots_txt::{Dialect, RobotsTxt, Target};

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(2, |&byte| byte == 0);
    let url = parts.next().unwrap_or_default();
    let body = parts.next().unwrap_or_default();
    let robots = RobotsTxt::parse(body);
    let lint = robots_lint::RobotsTxtLinter::new().lint(&robots);
    let kinds = robots_lint::FindingKind::ALL.len();
    assert!(lint.iter().len() <= kinds * robots_lint::MAX_PER_KIND);
    for found in lint.iter() {
        // A finding is in the body, on its line.
        assert!(robots.body().get(found.span()).is_some());
        assert!(robots.line_text(found.line()).is_some());
        assert!(!found.message().is_empty());
    }
    let _ = robots_lint::apply_fixes(robots.body(), lint.iter().filter_map(|found| found.fix()));
    let target = Target::new(url);
    // Two slashes at the start begin an authority.
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
        let _ = robots.sitemaps_under(dialect).count();
        let _ = robots.groups(dialect).len();
        // Every directive is a name, a rule or an extension.
        let names_and_rules = robots.directives(dialect).filter(|directive| {
            matches!(
                directive.field(),
                Field::UserAgent | Field::Allow | Field::Disallow
            )
        });
        assert_eq!(
            names_and_rules.count() + robots.extensions(dialect).count(),
            robots.directives(dialect).count()
        );
        let extensions = robots.extensions_for("Googlebot", dialect);
        let preferences = extensions.preferences();
        let _ = (
            preferences.content_usage(&target),
            preferences.content_signals(&target),
            preferences.ai_training(&target),
        );
        let _ = (extensions.licenses(), extensions.without_clean_params(url));
    }
}
