//! Directives that contradict or repeat each other: the one detector for METAs and headers. Each directive for a robot is
//! compared with those before it.

use robots_meta::Directives;
use robots_meta::directive::{Directive, DirectiveValue};
use robots_meta::value::Limit;

/// The maximum number of directives that are compared with each other. Unknown and invalid ones are not
/// compared and not counted. Directives past this number neither contradict nor repeat others.
pub(crate) const MAX_COMPARED_DIRECTIVES: usize = 256;

/// Returns the pairs of directives for one robot that contradict each other, as the indices of the earlier and of the later one,
/// in the order of the later ones.
///
/// The directives may come from several METAs and header lines; they must be known and valid. If a directive contradicts several
/// earlier ones for the same reason, only the first of them is returned: `index, index, noindex` is one contradiction. Only the
/// first [`MAX_COMPARED_DIRECTIVES`] are compared.
pub(crate) fn contradictions<'a>(
    directives: impl Iterator<Item = Directive<'a>>,
) -> Vec<(usize, usize)> {
    let mut comparison = Comparison::default();
    let mut found = Vec::new();
    for (later, directive) in directives.take(MAX_COMPARED_DIRECTIVES).enumerate() {
        if let Relation::Contradicts(others) = comparison.add(directive) {
            found.extend(others.into_iter().map(|earlier| (earlier, later)));
        }
    }
    found
}

/// The relation of a directive to those before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Relation {
    /// It only repeats earlier directives; the first of them has this index.
    Repeats(usize),
    /// It contradicts the directives of these indices; none, if the list is empty.
    Contradicts(Vec<usize>),
}

/// The known directives for one robot, compared one after the other.
#[derive(Debug, Default)]
pub(super) struct Comparison<'a> {
    directives: Vec<Directive<'a>>,
}

impl<'a> Comparison<'a> {
    /// Compares a directive with those before it, and adds it.
    pub(super) fn add(&mut self, directive: Directive<'a>) -> Relation {
        let relation = match self.repeated(directive.value()) {
            Some(repeated) => Relation::Repeats(repeated),
            None => Relation::Contradicts(self.contradicted(directive.value())),
        };
        self.directives.push(directive);
        relation
    }

    /// Returns the directive of this index.
    pub(super) fn get(&self, index: usize) -> Directive<'a> {
        self.directives[index]
    }

    /// Returns the bits that any of the directives sets.
    fn flags(&self) -> Directives {
        self.directives.iter().map(Directive::flags).collect()
    }

    fn position(&self, is: impl Fn(&Directive<'a>) -> bool) -> Option<usize> {
        self.directives.iter().position(is)
    }

    /// Returns the first directive that a value repeats.
    fn repeated(&self, value: DirectiveValue) -> Option<usize> {
        match value {
            // A value of several flags, such as `none`, is a repetition only if each of them was set before.
            DirectiveValue::Flags(flags) if !self.flags().contains(flags) => None,
            DirectiveValue::Flags(flags) => {
                self.position(|directive| directive.flags().intersects(flags))
            }
            _ => self.position(|directive| directive.value() == value),
        }
    }

    /// Returns the directives that contradict a value; of those with the same reason, the first.
    fn contradicted(&self, value: DirectiveValue) -> Vec<usize> {
        let mut found = Vec::new();
        let DirectiveValue::Flags(flags) = value else {
            // Two values of one kind contradict each other. Equal ones do not reach this: they are `repeated`.
            found.extend(self.position(|directive| {
                std::mem::discriminant(&directive.value()) == std::mem::discriminant(&value)
            }));
            if is_snippet(value) {
                found.extend(
                    self.position(|directive| directive.flags().contains(Directives::NOSNIPPET)),
                );
            }
            return found;
        };
        // Bits that were set before have been compared before.
        let flags = flags.difference(self.flags());
        let mut opposite = flags.opposite();
        for (index, directive) in self.directives.iter().enumerate() {
            let against = directive.flags().intersection(opposite);
            if !against.is_empty() {
                opposite.remove(against);
                found.push(index);
            }
        }
        if flags.contains(Directives::NOSNIPPET) {
            found.extend(self.position(|directive| is_snippet(directive.value())));
        }
        found
    }
}

/// Returns whether a value allows a snippet. `nosnippet` does not: it is the same as a length of 0
/// (docs/semantics.md, section 5.1).
fn is_snippet(value: DirectiveValue) -> bool {
    matches!(value, DirectiveValue::MaxSnippet(limit) if limit > Limit::AtMost(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_prohibition_of_copies_contradicts_archive() {
        use robots_meta::directive::{AgentPrefix, items};
        for (list, expected) in [
            ("archive, nocache", vec![(0, 1)]),
            ("nocache, noarchive, archive", vec![(0, 2), (1, 2)]),
            ("nocache, noarchive", vec![]),
        ] {
            let all = items(list, AgentPrefix::None).map(|item| item.directive);
            assert_eq!(contradictions(all), expected, "{list}");
        }
    }

    #[test]
    fn only_the_first_directives_are_compared() {
        use robots_meta::directive::{AgentPrefix, items};
        // `index` and this number of `noodp`: returns the index of the `noindex` after them, if it is compared.
        let found = |repeats: usize| {
            let list = format!("index{}, noindex", ", noodp".repeat(repeats));
            let all = items(&list, AgentPrefix::None).map(|item| item.directive);
            contradictions(all).first().map(|(_, later)| *later)
        };
        let most = MAX_COMPARED_DIRECTIVES - 2;
        assert_eq!(found(most - 1), Some(most));
        assert_eq!(found(most), Some(most + 1));
        assert_eq!(found(most + 1), None);
    }
}
