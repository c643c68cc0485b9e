//! Many statements to one decision, as the profile says (SEMANTICS 8.4).
//!
//! METAs and headers that speak to the robot are one list of statements. The profile's
//! [`Precedence`] says which of them count, its directives and [`Honours`] which are heard, and its
//! [`Conflict`] which decides where they differ. Linear in the statements for each field.

use crate::answer::{Index, Permission};
use crate::decision::Decision;
use crate::decision::reason::{Effect, Field, Source, WarningKind};
use crate::profile::{Conflict, HONOURED, Honours, MergeRule, Precedence, Profile};
use robots_meta::{Directive, DirectiveValue, Directives, ImagePreview, Limit, Timestamp};

/// A directive that concerns the robot, and where it stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement<'a> {
    pub(crate) source: Source,
    pub(crate) directive: Directive<'a>,
    /// Whether it is said to the robot by name, and not to all.
    pub(crate) is_named: bool,
    /// Whether it counts under the profile's precedence.
    pub(crate) counts: bool,
}

/// How much of what a page says is among the statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Heard {
    /// All of it.
    All,
    /// A part: what is forbidden stays so, and what is not may yet be.
    Part,
}

/// What a statement says, as it is written or as the profile hears it.
#[derive(Debug, Clone, Copy)]
struct Said {
    flags: Directives,
    value: DirectiveValue,
}

impl Said {
    fn has(self, flags: Directives) -> bool {
        self.flags.intersects(flags)
    }

    fn date(self) -> Option<Timestamp> {
        match self.value {
            DirectiveValue::UnavailableAfter(date) => Some(date),
            _ => None,
        }
    }

    /// `nosnippet` is `max-snippet:0`, and no video preview either (SEMANTICS 5.1).
    fn no_snippet(self) -> Option<Limit> {
        let none = Limit::AtMost(0);
        let is_none = self.value == DirectiveValue::MaxSnippet(none);
        (is_none || self.has(Directives::NOSNIPPET)).then_some(none)
    }

    /// What is forbidden or allowed by these bits; what is forbidden comes first.
    fn allows(self, no: Directives, yes: Directives) -> Option<bool> {
        if self.has(no) {
            Some(false)
        } else if self.has(yes) {
            Some(true)
        } else {
            None
        }
    }
}

impl Statement<'_> {
    pub(crate) fn is_in_header(&self) -> bool {
        matches!(self.source, Source::Header { .. })
    }

    fn said(&self) -> Said {
        Said {
            flags: self.directive.flags(),
            value: self.directive.value(),
        }
    }

    /// What of it counts.
    fn heard(&self, profile: &Profile) -> Said {
        let honours = |what| profile.honours.contains(what);
        let said = self.said();
        if !self.counts {
            return Said {
                flags: Directives::empty(),
                value: DirectiveValue::Unknown,
            };
        }
        let mut flags = said.flags & profile.directives;
        if self.is_in_header() && !honours(Honours::HEADER_POSITIVES) {
            flags.remove(Directives::ALL | Directives::ARCHIVE);
        }
        let is_honoured = match said.value {
            DirectiveValue::MaxSnippet(_)
            | DirectiveValue::MaxImagePreview(_)
            | DirectiveValue::MaxVideoPreview(_) => honours(Honours::LIMITS),
            DirectiveValue::UnavailableAfter(_) => honours(Honours::UNAVAILABLE_AFTER),
            _ => true,
        };
        let value = if is_honoured {
            said.value
        } else {
            DirectiveValue::Unknown
        };
        Said { flags, value }
    }
}

/// Says of each statement whether it counts.
pub(crate) fn choose(statements: &mut [Statement<'_>], rule: MergeRule) {
    match rule.precedence() {
        Precedence::Together => {}
        Precedence::SpecificOverrides => {
            if statements
                .iter()
                .any(|statement| statement.counts && statement.is_named)
            {
                for statement in statements {
                    statement.counts &= statement.is_named;
                }
            }
        }
        Precedence::FirstMetaOnly => {
            let first = statements
                .iter()
                .find(|statement| {
                    statement.counts && !statement.is_in_header() && !statement.is_named
                })
                .map(|statement| statement.source);
            for statement in statements {
                let is_heard = statement.is_in_header() || Some(statement.source) == first;
                statement.counts &= is_heard && !statement.is_named;
            }
        }
        Precedence::HtmlOverHeader => {
            if statements
                .iter()
                .any(|statement| statement.counts && !statement.is_in_header())
            {
                for statement in statements {
                    statement.counts &= !statement.is_in_header();
                }
            }
        }
    }
}

/// Decides every field that the page itself has a word in.
pub(crate) fn merge(
    decision: &mut Decision,
    profile: &Profile,
    statements: &[Statement<'_>],
    now: Option<Timestamp>,
    heard: Heard,
) {
    let mut merge = Merge {
        decision,
        profile,
        statements,
    };
    let date = merge.decide(Field::ExpiresAt, Said::date);
    merge.decision.expires_at = date;
    let over = date.filter(|date| now.is_some_and(|now| now > *date));
    let index = merge.decide(Field::Index, |said| {
        if over.is_some() && said.date() == over {
            return Some(false);
        }
        said.allows(Directives::NOINDEX, Directives::INDEX)
    });
    merge.decision.index = if index == Some(false) {
        Index::No
    } else {
        Index::Yes
    };
    merge.decision.follow =
        merge.permission(Field::Follow, Directives::NOFOLLOW, Directives::FOLLOW);
    merge.decision.archive = merge.permission(
        Field::Archive,
        Directives::NOARCHIVE | Directives::NOCACHE,
        Directives::ARCHIVE,
    );
    let none = Directives::empty();
    merge.decision.image_index =
        merge.permission(Field::ImageIndex, Directives::NOIMAGEINDEX, none);
    merge.decision.translate = merge.permission(Field::Translate, Directives::NOTRANSLATE, none);
    let snippet = merge.decide(Field::Snippet, |said| match said.value {
        DirectiveValue::MaxSnippet(limit) => Some(limit),
        _ => said.no_snippet(),
    });
    merge.decision.snippet = Some(snippet.unwrap_or(Limit::Unlimited));
    let video = merge.decide(Field::VideoPreview, |said| match said.value {
        DirectiveValue::MaxVideoPreview(limit) => Some(limit),
        _ => said.no_snippet(),
    });
    merge.decision.video_preview = Some(video.unwrap_or(Limit::Unlimited));
    let image = merge.decide(Field::ImagePreview, |said| match said.value {
        DirectiveValue::MaxImagePreview(size) => Some(size),
        _ => None,
    });
    merge.decision.image_preview = Some(image.unwrap_or(ImagePreview::Large));
    merge.embedded(over.is_some());
    merge.tell_oddities();
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

/// The first statement that counts and forbids indexing, by name.
pub(crate) fn noindex<'s, 'a>(
    statements: &'s [Statement<'a>],
    profile: &Profile,
) -> Option<&'s Statement<'a>> {
    statements
        .iter()
        .find(|statement| statement.heard(profile).has(Directives::NOINDEX))
}

struct Merge<'d, 's> {
    decision: &'d mut Decision,
    profile: &'s Profile,
    statements: &'s [Statement<'s>],
}

impl Merge<'_, '_> {
    fn permission(&mut self, field: Field, no: Directives, yes: Directives) -> Permission {
        match self.decide(field, |said| said.allows(no, yes)) {
            Some(false) => Permission::No,
            _ => Permission::Yes,
        }
    }

    /// What the statements that are heard say about a field: of several things, that which the
    /// profile's rule chooses; what is less is stricter. Each statement that says something becomes
    /// a reason.
    fn decide<T: Ord + Copy>(
        &mut self,
        field: Field,
        says: impl Fn(Said) -> Option<T>,
    ) -> Option<T> {
        let profile = self.profile;
        let heard = |statement: &Statement<'_>| says(statement.heard(profile));
        let all = self.statements.iter().filter_map(heard);
        let decided = match profile.merge.conflict() {
            Conflict::Strictest => all.min(),
            Conflict::MostPermissive => all.max(),
            Conflict::LastWins => all.last(),
        };
        if !self.decision.is_explained {
            return decided;
        }
        let mut deciding: Option<&Statement<'_>> = None;
        for statement in self.statements {
            let effect = match heard(statement) {
                None if says(statement.said()).is_some() => Effect::Ignored,
                None => continue,
                said if said != decided => Effect::Overruled,
                _ if deciding.is_some() => Effect::Agrees,
                _ => {
                    deciding = Some(statement);
                    Effect::Decides
                }
            };
            self.decision.give_reason(
                field,
                statement.source,
                || statement.directive.text().to_owned(),
                effect,
            );
        }
        if let Some(deciding) = deciding
            && matches!(field, Field::Index | Field::Follow | Field::Archive)
        {
            self.tell_conflicts(deciding, decided, heard);
        }
        decided
    }

    /// Warns of each statement that says something else than the one that decides.
    fn tell_conflicts<T: PartialEq + Copy>(
        &mut self,
        deciding: &Statement<'_>,
        decided: Option<T>,
        heard: impl Fn(&Statement<'_>) -> Option<T>,
    ) {
        for statement in self.statements {
            let said = heard(statement);
            if said.is_none() || said == decided {
                continue;
            }
            let kind = if statement.is_in_header() == deciding.is_in_header() {
                WarningKind::Conflict
            } else {
                WarningKind::HeaderAgainstMeta
            };
            self.warn(kind, statement);
        }
    }

    /// `indexifembedded` weakens `noindex` and says nothing without it.
    fn embedded(&mut self, is_over: bool) {
        let (statements, profile) = (self.statements, self.profile);
        let Some(embedded) = statements
            .iter()
            .find(|statement| statement.heard(profile).has(Directives::INDEXIFEMBEDDED))
        else {
            return;
        };
        if noindex(statements, profile).is_none() {
            self.warn(WarningKind::EmbeddedWithoutNoindex, embedded);
            return;
        }
        // It lifts `noindex`, if that decides, and nothing else.
        if self.decision.index != Index::No || is_over {
            return;
        }
        self.decision.index_if_embedded = true;
        self.decision.give_reason(
            Field::IndexIfEmbedded,
            embedded.source,
            || embedded.directive.text().to_owned(),
            Effect::Decides,
        );
    }

    fn tell_oddities(&mut self) {
        for statement in self.statements {
            let kind = match statement.directive.value() {
                DirectiveValue::Invalid => WarningKind::InvalidDirective,
                DirectiveValue::Unknown => WarningKind::UnknownDirective,
                // What nobody honours any more (`noodp`) is no news.
                DirectiveValue::MaxSnippet(_)
                | DirectiveValue::MaxImagePreview(_)
                | DirectiveValue::MaxVideoPreview(_)
                | DirectiveValue::UnavailableAfter(_)
                    if statement.counts
                        && statement.heard(self.profile).value == DirectiveValue::Unknown =>
                {
                    WarningKind::NoEffect
                }
                DirectiveValue::Flags(flags)
                    if statement.counts
                        && flags.intersects(HONOURED)
                        && statement.heard(self.profile).flags.is_empty() =>
                {
                    WarningKind::NoEffect
                }
                _ => continue,
            };
            self.warn(kind, statement);
        }
    }

    fn warn(&mut self, kind: WarningKind, statement: &Statement<'_>) {
        self.decision
            .warn(kind, statement.source, statement.directive.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
        // Beside those of INDEX and NOINDEX there are those for `fetch` and `ai_search`.
        assert_eq!(decide(MAX_REASONS - 3), (MAX_REASONS, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS - 1), (MAX_REASONS + 2, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS), (MAX_REASONS + 2, MAX_WARNINGS));
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

    #[test]
    fn what_does_not_count_replaces_nothing() {
        // Seznam hears no headers, so that none can be more specific.
        let rule = MergeRule::new(Precedence::SpecificOverrides, Conflict::Strictest);
        let profile = Profile::seznam().with_merge(rule);
        let page = Page::new("https://example.com/")
            .with_headers([("X-Robots-Tag", "seznambot: nofollow")])
            .with_html(b"<meta name=robots content=noindex>");
        let decision = Policy::under(&profile, "SeznamBot").decide_page(&page);
        assert_eq!(
            (decision.index, decision.follow),
            (Index::No, Permission::Yes)
        );
    }
}
