//! What a directive has to do with those before it, for the same robot. Linear in them.

use super::flags::Directives;
use super::item::{Directive, DirectiveValue};
use crate::value::Limit;

/// Which of the directives said it first, if all of it has been said.
pub(super) fn repeated<'a>(
    before: &[Directive<'a>],
    value: DirectiveValue,
) -> Option<Directive<'a>> {
    let found = match value {
        DirectiveValue::Flags(flags) => {
            let said: Directives = before.iter().map(Directive::flags).collect();
            if !said.contains(flags) {
                return None;
            }
            before
                .iter()
                .find(|directive| directive.flags().intersects(flags))
        }
        _ => before.iter().find(|directive| directive.value == value),
    };
    found.copied()
}

/// The directives that contradict a value; for one reason, the first.
pub(super) fn conflicts<'a>(before: &[Directive<'a>], value: DirectiveValue) -> Vec<Directive<'a>> {
    let mut found = Vec::new();
    let DirectiveValue::Flags(flags) = value else {
        let is_alike = |directive: &&Directive<'a>| {
            std::mem::discriminant(&directive.value) == std::mem::discriminant(&value)
        };
        found.extend(before.iter().find(is_alike).copied());
        if is_snippet(value) {
            let is_nosnippet =
                |directive: &&Directive<'a>| directive.flags().contains(Directives::NOSNIPPET);
            found.extend(before.iter().find(is_nosnippet).copied());
        }
        return found;
    };
    // What was said before has been compared before.
    let said: Directives = before.iter().map(Directive::flags).collect();
    let flags = flags.difference(said);
    let mut opposite = opposite(flags);
    for directive in before {
        let against = directive.flags().intersection(opposite);
        if !against.is_empty() {
            opposite.remove(against);
            found.push(*directive);
        }
    }
    if flags.contains(Directives::NOSNIPPET) {
        let is_limit = |directive: &&Directive<'a>| is_snippet(directive.value);
        found.extend(before.iter().find(is_limit).copied());
    }
    found
}

/// Whether a value allows a snippet of some length, which `nosnippet` does not (SEMANTICS 5.1: it
/// is the same as a length of 0).
fn is_snippet(value: DirectiveValue) -> bool {
    matches!(value, DirectiveValue::MaxSnippet(limit) if limit > Limit::AtMost(0))
}

/// What contradicts these bits.
fn opposite(flags: Directives) -> Directives {
    let pairs = [
        (Directives::INDEX, Directives::NOINDEX),
        (Directives::FOLLOW, Directives::NOFOLLOW),
        (Directives::ARCHIVE, Directives::NOARCHIVE),
        (
            Directives::ALLOW_AI_TRAINING,
            Directives::DISALLOW_AI_TRAINING,
        ),
    ];
    pairs
        .into_iter()
        .flat_map(|(one, two)| [(one, two), (two, one)])
        .filter(|(one, _)| flags.contains(*one))
        .map(|(_, two)| two)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opposites_go_both_ways() {
        assert_eq!(opposite(Directives::ALL), Directives::NONE);
        assert_eq!(opposite(Directives::NONE), Directives::ALL);
        assert_eq!(opposite(Directives::NOARCHIVE), Directives::ARCHIVE);
        assert_eq!(
            opposite(Directives::ALLOW_AI_TRAINING),
            Directives::DISALLOW_AI_TRAINING
        );
        let alone = Directives::NOSNIPPET | Directives::NOAI | Directives::NOCACHE;
        assert_eq!(opposite(alone), Directives::empty());
        for (_, flag) in Directives::all().iter_names() {
            let back = opposite(opposite(flag));
            assert!(back.is_empty() || back == flag, "{flag}");
        }
    }
}
