//! Findings on rules about a parameter of a URL that match it only in the first place, after `?`.
//!
//! Most files with such a rule need no other: the finding is only on files that have both rules for another parameter.

use super::audience::Audience;
use super::ignore::Collector;
use crate::catalogue::FindingKind as Kind;
use robots_txt::parse::{Field, Line};
use std::collections::{HashMap, HashSet};

/// A rule for a parameter: its text before the `?` or `&`, and the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ParameterRule<'b> {
    before: &'b str,
    mark: char,
    name: &'b str,
}

pub(super) fn examine(audiences: &[Audience<'_, '_>], findings: &mut Collector) {
    let mut reported = HashSet::new();
    for audience in audiences {
        let rules: Vec<(Line<'_>, ParameterRule<'_>)> = audience
            .patterns(Field::Disallow)
            .filter_map(|line| Some((line, parameter_rule(line.value())?)))
            .collect();
        // For each text before the mark, the names with `?`, and the first line with `&` for one of these names.
        let first: HashSet<(&str, &str)> = rules
            .iter()
            .filter(|(_, rule)| rule.mark == '?')
            .map(|(_, rule)| (rule.before, rule.name))
            .collect();
        let mut both: HashMap<&str, usize> = HashMap::new();
        for (line, rule) in &rules {
            if rule.mark == '&' && first.contains(&(rule.before, rule.name)) {
                both.entry(rule.before).or_insert(line.number());
            }
        }
        if both.is_empty() {
            continue;
        }
        for (line, rule) in rules.iter().filter(|(_, rule)| rule.mark == '?') {
            let Some(example) = both.get(rule.before) else {
                continue;
            };
            let before = rule.before.replace('*', "a");
            let slash = if before.starts_with('/') { "" } else { "/" };
            let alone = format!("{slash}{before}?a=a");
            let second = format!("{alone}&{}=", rule.name);
            // If the path without the parameter is closed, too, another rule decides.
            if audience.allows(&second) && audience.allows(&alone) && reported.insert(line.number())
            {
                findings.add_on_value(Kind::FirstParameterOnly, line, |found| {
                    found
                        .with_detail(format!("`&{}=` is open", rule.name))
                        .with_related(*example)
                });
            }
        }
    }
}

/// Reads a pattern that ends with a parameter, such as `/*?sort=`; a star may follow.
fn parameter_rule(pattern: &[u8]) -> Option<ParameterRule<'_>> {
    let text = str::from_utf8(pattern).ok()?;
    let text = text.strip_suffix('*').unwrap_or(text);
    let text = text.strip_suffix('=')?;
    let at = text.rfind(['?', '&'])?;
    let (before, name) = text.split_at_checked(at)?;
    let mark = name.chars().next()?;
    let name = name.get(1..)?;
    // Before `&`, a rule may have the question mark and a star: `/*?*&sort=`.
    let before = match mark {
        '&' => before.strip_suffix("?*").unwrap_or(before),
        _ => before,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '[' | ']');
    let is_simple = !name.is_empty() && name.chars().all(is_name) && !before.contains(['?', '&']);
    is_simple.then_some(ParameterRule { before, mark, name })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_parameters_are_read() {
        let rule = |pattern: &'static str| {
            parameter_rule(pattern.as_bytes()).map(|rule| (rule.before, rule.mark, rule.name))
        };
        assert_eq!(rule("/*?sort="), Some(("/*", '?', "sort")));
        assert_eq!(rule("/*&sort=*"), Some(("/*", '&', "sort")));
        assert_eq!(rule("/*?*&sort="), Some(("/*", '&', "sort")));
        for other in ["/*?sort", "/*?=", "/*?a=b", "/*?a=b&c=", "/a=", "/*?a*="] {
            assert_eq!(rule(other), None, "{other}");
        }
    }
}
