//! Many statements to one decision: the most restrictive counts.
//!
//! METAs named `robots` and METAs and headers for the robot itself are one list: the sum of the
//! negative directives holds, the least of the limits, the earliest of the dates (SEMANTICS 8.4,
//! the column of Google, Bing, Apple and the default). Linear in the statements for each field.

use crate::answer::{Index, Permission};
use crate::decision::Decision;
use crate::reason::{Effect, Field, Source, WarningKind};
use robots_meta::{Directive, DirectiveValue, Directives, ImagePreview, Limit, Timestamp};

/// A directive that concerns the robot, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) source: Source,
    pub(crate) directive: Directive<'a>,
}

impl Statement<'_> {
    fn has(&self, flags: Directives) -> bool {
        self.directive.flags().intersects(flags)
    }
}

/// How much of what a page says is among the statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// All of it.
    All,
    /// A part: what is forbidden stays so, and what is not may yet be.
    Part,
}

/// Decides every field that the page itself has a word in.
pub(crate) fn merge(
    decision: &mut Decision,
    statements: &[Statement<'_>],
    now: Option<Timestamp>,
    heard: Heard,
) {
    let mut merge = Merge {
        decision,
        statements,
    };
    let permission = |merge: &mut Merge<'_, '_>, field, no, yes| {
        let found = merge.strictest(field, |statement| {
            // `false` is the stricter: it comes first.
            if statement.has(no) {
                Some(false)
            } else if statement.has(yes) {
                Some(true)
            } else {
                None
            }
        });
        match found {
            Some(false) => Permission::No,
            _ => Permission::Yes,
        }
    };
    merge.decision.unavailable_after = merge.strictest(Field::UnavailableAfter, date);
    let index = merge.strictest(Field::Index, |statement| {
        let over = || date(statement).filter(|date| now.is_some_and(|now| now > *date));
        if statement.has(Directives::NOINDEX) || over().is_some() {
            Some(false)
        } else if statement.has(Directives::INDEX) {
            Some(true)
        } else {
            None
        }
    });
    merge.decision.index = if index == Some(false) {
        Index::No
    } else {
        Index::Yes
    };
    merge.decision.follow = permission(
        &mut merge,
        Field::Follow,
        Directives::NOFOLLOW,
        Directives::FOLLOW,
    );
    merge.decision.archive = permission(
        &mut merge,
        Field::Archive,
        Directives::NOARCHIVE | Directives::NOCACHE,
        Directives::ARCHIVE,
    );
    let none = Directives::empty();
    merge.decision.image_index = permission(
        &mut merge,
        Field::ImageIndex,
        Directives::NOIMAGEINDEX,
        none,
    );
    merge.decision.translate =
        permission(&mut merge, Field::Translate, Directives::NOTRANSLATE, none);
    // `nosnippet` is `max-snippet:0`, and no video preview either (SEMANTICS 5.1).
    let snippet = merge.strictest(Field::Snippet, |statement| {
        match statement.directive.value() {
            DirectiveValue::MaxSnippet(limit) => Some(limit),
            _ => no_snippet(statement),
        }
    });
    merge.decision.snippet = Some(snippet.unwrap_or(Limit::Unlimited));
    let video = merge.strictest(Field::VideoPreview, |statement| {
        match statement.directive.value() {
            DirectiveValue::MaxVideoPreview(limit) => Some(limit),
            _ => no_snippet(statement),
        }
    });
    merge.decision.video_preview = Some(video.unwrap_or(Limit::Unlimited));
    let image = merge.strictest(Field::ImagePreview, |statement| {
        match statement.directive.value() {
            DirectiveValue::MaxImagePreview(size) => Some(size),
            _ => None,
        }
    });
    merge.decision.image_preview = Some(image.unwrap_or(ImagePreview::Large));
    merge.embedded();
    for statement in statements {
        let kind = match statement.directive.value() {
            DirectiveValue::Invalid => WarningKind::InvalidDirective,
            DirectiveValue::Unknown => WarningKind::UnknownDirective,
            _ => continue,
        };
        merge.warn(kind, statement);
    }
    if heard == Heard::Part {
        leave_open(decision);
    }
}

/// Takes back what more statements could make stricter.
fn leave_open(decision: &mut Decision) {
    if decision.index == Index::Yes {
        decision.index = Index::Unknown;
    }
    for permission in [
        &mut decision.follow,
        &mut decision.archive,
        &mut decision.image_index,
        &mut decision.translate,
    ] {
        if *permission == Permission::Yes {
            *permission = Permission::Unknown;
        }
    }
    let none = Some(Limit::AtMost(0));
    decision.snippet = decision.snippet.filter(|_| decision.snippet == none);
    decision.video_preview = decision
        .video_preview
        .filter(|_| decision.video_preview == none);
    decision.image_preview = decision
        .image_preview
        .filter(|size| *size == ImagePreview::None);
}

/// Whether one of the statements forbids indexing, by name.
pub(crate) fn noindex<'a>(statements: &'a [Statement<'a>]) -> Option<&'a Statement<'a>> {
    statements
        .iter()
        .find(|statement| statement.has(Directives::NOINDEX))
}

fn date(statement: &Statement<'_>) -> Option<Timestamp> {
    match statement.directive.value() {
        DirectiveValue::UnavailableAfter(date) => Some(date),
        _ => None,
    }
}

fn no_snippet(statement: &Statement<'_>) -> Option<Limit> {
    statement
        .has(Directives::NOSNIPPET)
        .then_some(Limit::AtMost(0))
}

struct Merge<'d, 's> {
    decision: &'d mut Decision,
    statements: &'s [Statement<'s>],
}

impl Merge<'_, '_> {
    /// The least of what the statements say about a field, which is the strictest. Each statement
    /// that says something becomes a reason.
    fn strictest<T: Ord + Copy>(
        &mut self,
        field: Field,
        says: impl Fn(&Statement<'_>) -> Option<T>,
    ) -> Option<T> {
        let strictest = self.statements.iter().filter_map(&says).min()?;
        let mut effect_of_equal = Effect::Decides;
        for statement in self.statements {
            let Some(said) = says(statement) else {
                continue;
            };
            let mut effect = Effect::Overruled;
            if said == strictest {
                effect = effect_of_equal;
                effect_of_equal = Effect::Agrees;
            } else if matches!(field, Field::Index | Field::Follow | Field::Archive) {
                self.warn(WarningKind::Conflict, statement);
            }
            self.decision.give_reason(
                field,
                statement.source,
                statement.directive.text().to_owned(),
                effect,
            );
        }
        Some(strictest)
    }

    /// `indexifembedded` weakens `noindex` and says nothing without it.
    fn embedded(&mut self) {
        let statements = self.statements;
        let Some(embedded) = statements
            .iter()
            .find(|statement| statement.has(Directives::INDEXIFEMBEDDED))
        else {
            return;
        };
        if noindex(statements).is_none() {
            self.warn(WarningKind::EmbeddedWithoutNoindex, embedded);
            return;
        }
        self.decision.index_if_embedded = true;
        self.decision.give_reason(
            Field::IndexIfEmbedded,
            embedded.source,
            embedded.directive.text().to_owned(),
            Effect::Decides,
        );
    }

    fn warn(&mut self, kind: WarningKind, statement: &Statement<'_>) {
        self.decision
            .warn(kind, statement.source, statement.directive.text());
    }
}

#[cfg(test)]
mod tests {
    use crate::{Index, MAX_REASONS, MAX_STATEMENTS, MAX_WARNINGS, Page, Permission, Policy};

    #[test]
    fn reasons_and_warnings_are_capped_and_the_deciding_one_is_kept() {
        let decide = |count: usize| {
            let list = format!("{}noindex", "index, foo, ".repeat(count));
            let page =
                Page::new("https://example.com/").with_headers([("x-robots-tag", list.as_str())]);
            let decision = Policy::default().decide_page(&page.not_html());
            assert_eq!(decision.index, Index::No);
            let deciding = decision.reasons_for(crate::Field::Index).last().unwrap();
            assert_eq!(deciding.text, "noindex");
            (decision.reasons.len(), decision.warnings.len())
        };
        // Beside those of INDEX and NOINDEX there is the one for `fetch`.
        assert_eq!(decide(MAX_REASONS - 2), (MAX_REASONS, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS - 1), (MAX_REASONS + 1, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS), (MAX_REASONS + 1, MAX_WARNINGS));
        // `index` conflicts and `foo` is unknown.
        assert_eq!(decide(MAX_WARNINGS / 2 - 1).1, MAX_WARNINGS - 2);
        assert_eq!(decide(MAX_WARNINGS / 2).1, MAX_WARNINGS);
        assert_eq!(decide(MAX_WARNINGS / 2 + 1).1, MAX_WARNINGS);
    }

    #[test]
    fn of_too_many_directives_only_what_is_forbidden_counts() {
        let decide = |count: usize| {
            let list = format!("nofollow{}", ", foo".repeat(count - 1));
            let page =
                Page::new("https://example.com/").with_headers([("x-robots-tag", list.as_str())]);
            let decision = Policy::default().decide_page(&page.not_html());
            assert_eq!(decision.follow, Permission::No);
            (decision.index, decision.snippet.is_some())
        };
        assert_eq!(decide(MAX_STATEMENTS - 1), (Index::Yes, true));
        assert_eq!(decide(MAX_STATEMENTS), (Index::Unknown, false));
        assert_eq!(decide(MAX_STATEMENTS + 1), (Index::Unknown, false));
    }
}
