//! The merge of statements into the page's fields, under the profile's rules (`docs/semantics.md`,
//! section 8.4).
//!
//! The directives of METAs and headers are one list of statements. The profile's directives and
//! [`Honours`] choose those that count; its [`Conflict`] chooses the one that decides. Each field costs one pass over
//! the statements.

use crate::answer::{Index, Permission};
use crate::decision::Decision;
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, WarningKind};
use crate::observe::Completeness;
use crate::observe::statement::Statement;
use crate::profile::{Conflict, HONOURED, Honours, NO_COPIES, Profile};
use robots_meta::directive::DirectiveValue;
use robots_meta::value::{ImagePreview, Limit};
use robots_meta::{Directives, Timestamp};
use std::mem;

/// The meaning of a statement: as written, or the part that the profile honours.
#[derive(Debug, Clone, Copy)]
struct Meaning {
    flags: Directives,
    value: DirectiveValue,
}

impl Meaning {
    /// Returns the meaning of a statement as it is written.
    fn written(statement: &Statement<'_>) -> Self {
        Self {
            flags: statement.flags,
            value: statement.directive.value(),
        }
    }

    /// Returns the part of the meaning that the profile honours.
    fn honoured(statement: &Statement<'_>, profile: &Profile) -> Self {
        let honours = |flags| profile.honours.contains(flags);
        let written = Self::written(statement);
        if !statement.counts {
            return Self {
                flags: Directives::empty(),
                value: DirectiveValue::Unknown,
            };
        }
        let mut flags = written.flags & profile.directives;
        if statement.is_in_header() && !honours(Honours::HEADER_POSITIVES) {
            // `ALL` is `index` and `follow`.
            flags.remove(Directives::ALL | Directives::ARCHIVE);
        }
        let is_honoured = match written.value {
            DirectiveValue::MaxSnippet(_)
            | DirectiveValue::MaxImagePreview(_)
            | DirectiveValue::MaxVideoPreview(_) => honours(Honours::LIMITS),
            DirectiveValue::UnavailableAfter(_) => honours(Honours::UNAVAILABLE_AFTER),
            _ => true,
        };
        let value = if is_honoured {
            written.value
        } else {
            DirectiveValue::Unknown
        };
        Self { flags, value }
    }

    fn has(self, flags: Directives) -> bool {
        self.flags.intersects(flags)
    }

    fn date(self) -> Option<Timestamp> {
        match self.value {
            DirectiveValue::UnavailableAfter(date) => Some(date),
            _ => None,
        }
    }

    /// Returns the limit 0 for `nosnippet` and `max-snippet:0`, which forbid video previews too
    /// (`docs/semantics.md`, section 5.1).
    fn no_snippet(self) -> Option<Limit> {
        let none = Limit::AtMost(0);
        let is_none = self.value == DirectiveValue::MaxSnippet(none);
        (is_none || self.has(Directives::NOSNIPPET)).then_some(none)
    }

    /// Returns whether the statement allows; `None` if it has no such directive. A prohibition wins over a
    /// permission in the same statement.
    fn allows(self, no: Directives) -> Option<bool> {
        if self.has(no) {
            Some(false)
        } else if self.has(no.opposite()) {
            Some(true)
        } else {
            None
        }
    }
}

/// Decides every field that the page's own statements concern.
pub(super) fn decide(
    draft: &mut Draft<'_>,
    profile: &Profile,
    statements: &[Statement<'_>],
    now: Option<Timestamp>,
    completeness: Completeness,
) {
    let mut merge = Merge {
        draft,
        profile,
        statements,
    };
    let date = merge.decide(Field::ExpiresAt, Meaning::date);
    merge.draft.decision.expires_at = date;
    let expired = date.filter(|date| now.is_some_and(|now| now > *date));
    // A statement with the deciding date counts as `noindex` once the date has passed.
    let indexes = |meaning: Meaning, expired: Option<Timestamp>| {
        if expired.is_some() && meaning.date() == expired {
            return Some(false);
        }
        meaning.allows(Directives::NOINDEX)
    };
    let index = merge.decide(Field::Index, |meaning| indexes(meaning, expired));
    if now.is_none()
        && date.is_some()
        && merge.draft.is_explained
        && merge.value(|meaning| indexes(meaning, date)) != index
    {
        merge.warn_of_date(date);
    }
    merge.draft.decision.index = if index == Some(false) {
        Index::No
    } else {
        Index::Yes
    };
    merge.draft.decision.follow = merge.permission(Field::Follow, Directives::NOFOLLOW);
    merge.draft.decision.archive = merge.permission(Field::Archive, NO_COPIES);
    merge.draft.decision.image_index =
        merge.permission(Field::ImageIndex, Directives::NOIMAGEINDEX);
    merge.draft.decision.translate = merge.permission(Field::Translate, Directives::NOTRANSLATE);
    let snippet = merge.decide(Field::Snippet, |meaning| match meaning.value {
        DirectiveValue::MaxSnippet(limit) => Some(limit),
        _ => meaning.no_snippet(),
    });
    merge.draft.decision.snippet = Some(snippet.unwrap_or(Limit::Unlimited));
    let video = merge.decide(Field::VideoPreview, |meaning| match meaning.value {
        DirectiveValue::MaxVideoPreview(limit) => Some(limit),
        _ => meaning.no_snippet(),
    });
    merge.draft.decision.video_preview = Some(video.unwrap_or(Limit::Unlimited));
    let image = merge.decide(Field::ImagePreview, |meaning| match meaning.value {
        DirectiveValue::MaxImagePreview(size) => Some(size),
        _ => None,
    });
    merge.draft.decision.image_preview = Some(image.unwrap_or(ImagePreview::Large));
    merge.decide_embedded(expired.is_some());
    merge.warn_of_ineffective();
    if completeness == Completeness::Partial {
        set_permissions_unknown(draft.decision);
    }
}

/// Sets the fields that allow something to unknown: a source that was not read could forbid it. No statement decides
/// such a field.
fn set_permissions_unknown(decision: &mut Decision) {
    if decision.index == Index::Yes {
        decision.index = Index::Unknown;
    }
    decision.index_if_embedded = false;
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
    for limit in [&mut decision.snippet, &mut decision.video_preview] {
        *limit = limit.filter(|limit| *limit == Limit::AtMost(0));
    }
    decision.image_preview = decision
        .image_preview
        .filter(|size| *size == ImagePreview::None);
    let mut reasons = mem::take(&mut decision.reasons);
    for reason in &mut reasons {
        let is_unknown = match reason.field {
            // The stage before decided it.
            Field::Fetch => false,
            Field::IndexIfEmbedded => true,
            field => field.text(decision) == "unknown",
        };
        if is_unknown && matches!(reason.effect, Effect::Decides | Effect::Agrees) {
            reason.effect = Effect::Overruled;
        }
    }
    decision.reasons = reasons;
}

/// Returns the first statement that counts and contains `noindex`.
pub(super) fn noindex<'s, 'a>(
    statements: &'s [Statement<'a>],
    profile: &Profile,
) -> Option<&'s Statement<'a>> {
    statements
        .iter()
        .find(|statement| Meaning::honoured(statement, profile).has(Directives::NOINDEX))
}

struct Merge<'d, 's> {
    draft: &'s mut Draft<'d>,
    profile: &'s Profile,
    statements: &'s [Statement<'s>],
}

impl Merge<'_, '_> {
    fn permission(&mut self, field: Field, no: Directives) -> Permission {
        match self.decide(field, |meaning| meaning.allows(no)) {
            Some(false) => Permission::No,
            _ => Permission::Yes,
        }
    }

    /// Returns the one of the values of the honoured statements that the profile's rule chooses; the lowest is the
    /// strictest.
    fn value<T: Ord>(&self, value_of: impl Fn(Meaning) -> Option<T>) -> Option<T> {
        let statements = self.statements.iter();
        let all = statements.filter_map(|one| value_of(Meaning::honoured(one, self.profile)));
        match self.profile.conflict {
            Conflict::Strictest => all.min(),
            Conflict::MostPermissive => all.max(),
            Conflict::LastWins => all.last(),
        }
    }

    /// Decides a field. Each statement with a value becomes a reason.
    fn decide<T: Ord + Copy>(
        &mut self,
        field: Field,
        value_of: impl Fn(Meaning) -> Option<T>,
    ) -> Option<T> {
        let profile = self.profile;
        let decided = self.value(&value_of);
        let honoured = |statement: &Statement<'_>| value_of(Meaning::honoured(statement, profile));
        // The rest only collects reasons and warnings.
        if !self.draft.is_explained {
            return decided;
        }
        let mut deciding: Option<&Statement<'_>> = None;
        for statement in self.statements {
            let effect = match honoured(statement) {
                None if value_of(Meaning::written(statement)).is_some() => Effect::Ignored,
                None => continue,
                value if value != decided => Effect::Overruled,
                _ if deciding.is_some() => Effect::Agrees,
                _ => {
                    deciding = Some(statement);
                    Effect::Decides
                }
            };
            self.draft.add_reason(
                field,
                statement.source,
                || statement.directive.text().to_owned(),
                effect,
            );
        }
        // Only these fields have two opposite directives, such as `index` and `noindex`.
        if let Some(deciding) = deciding
            && matches!(field, Field::Index | Field::Follow | Field::Archive)
        {
            self.warn_of_conflicts(deciding, decided, honoured);
        }
        decided
    }

    /// Warns of the statement whose date would decide, if the decision had a time.
    fn warn_of_date(&mut self, date: Option<Timestamp>) {
        let (statements, profile) = (self.statements, self.profile);
        let dated = |one: &&Statement<'_>| Meaning::honoured(one, profile).date() == date;
        if let Some(statement) = statements.iter().find(dated) {
            self.warn(WarningKind::NoTime, statement);
        }
    }

    /// Warns of each statement that contradicts the deciding one.
    fn warn_of_conflicts<T: PartialEq + Copy>(
        &mut self,
        deciding: &Statement<'_>,
        decided: Option<T>,
        honoured: impl Fn(&Statement<'_>) -> Option<T>,
    ) {
        for statement in self.statements {
            let value = honoured(statement);
            if value.is_none() || value == decided {
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

    /// Decides `indexifembedded`, which weakens `noindex` and has no effect without a `noindex`.
    fn decide_embedded(&mut self, is_expired: bool) {
        let (statements, profile) = (self.statements, self.profile);
        let Some(embedded) = statements.iter().find(|statement| {
            Meaning::honoured(statement, profile).has(Directives::INDEXIFEMBEDDED)
        }) else {
            return;
        };
        if noindex(statements, profile).is_none() {
            // A `noindex` that the profile does not honour is one, too.
            let is_noindex = |statement: &Statement<'_>| {
                statement.counts && Meaning::written(statement).has(Directives::NOINDEX)
            };
            if !statements.iter().any(is_noindex) {
                self.warn(WarningKind::EmbeddedWithoutNoindex, embedded);
            }
            return;
        }
        // It weakens only a `noindex` that decides, not a date that has passed.
        if self.draft.decision.index != Index::No || is_expired {
            return;
        }
        self.draft.decision.index_if_embedded = true;
        self.draft.add_reason(
            Field::IndexIfEmbedded,
            embedded.source,
            || embedded.directive.text().to_owned(),
            Effect::Decides,
        );
    }

    /// Warns of invalid and unknown directives, and of those that the profile does not honour.
    fn warn_of_ineffective(&mut self) {
        for statement in self.statements {
            if let Some(kind) = statement.ignored {
                self.warn(kind, statement);
                continue;
            }
            let kind = match statement.directive.value() {
                DirectiveValue::Invalid => WarningKind::InvalidDirective,
                DirectiveValue::Unknown => WarningKind::UnknownDirective,
                DirectiveValue::MaxSnippet(_)
                | DirectiveValue::MaxImagePreview(_)
                | DirectiveValue::MaxVideoPreview(_)
                | DirectiveValue::UnavailableAfter(_)
                    if statement.counts
                        && Meaning::honoured(statement, self.profile).value
                            == DirectiveValue::Unknown =>
                {
                    WarningKind::NoEffect
                }
                // Obsolete directives, such as `noodp`, are not in `HONOURED`: they cause no warning.
                DirectiveValue::Flags(flags)
                    if statement.counts
                        && flags.intersects(HONOURED)
                        && Meaning::honoured(statement, self.profile).flags.is_empty() =>
                {
                    WarningKind::NoEffect
                }
                _ => continue,
            };
            self.warn(kind, statement);
        }
    }

    fn warn(&mut self, kind: WarningKind, statement: &Statement<'_>) {
        self.draft
            .warn(kind, statement.source, statement.directive.text());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::{MAX_REASONS, MAX_STATEMENTS, MAX_WARNINGS};
    use crate::profile::Precedence;
    use crate::{Page, Policy, RobotsFetch};

    /// Decides about a page of a site without a robots.txt.
    fn decide(policy: &Policy, page: &Page<'_>) -> Decision {
        policy.decide_under(&policy.robots(RobotsFetch::Status(404)), page)
    }

    #[test]
    fn metas_after_the_page_limit_of_google_are_ignored() {
        let page = |before: usize| {
            let filler = " ".repeat(before);
            format!("<title>a</title>{filler}<meta name=robots content=noindex>")
        };
        let limit = usize::try_from(Profile::google().page_limit.unwrap()).unwrap();
        let others = page(0).len();
        let decide = |profile: &Profile, before: usize| {
            let policy = Policy::under(profile, "Googlebot").unwrap();
            let html = page(before);
            let page = Page::new("https://example.com/").with_html(html.as_bytes());
            let decision = decide(&policy, &page);
            let warnings = decision.warnings.iter();
            let kinds: Vec<_> = warnings.map(|warning| warning.kind).collect();
            (decision.index, kinds)
        };
        let google = Profile::google();
        let beyond = vec![WarningKind::BeyondPageLimit];
        assert_eq!(decide(&google, limit - others - 1), (Index::No, vec![]));
        assert_eq!(decide(&google, limit - others), (Index::No, vec![]));
        // The limit cuts the tag.
        assert_eq!(
            decide(&google, limit - others + 1),
            (Index::Yes, beyond.clone())
        );
        assert_eq!(decide(&google, limit), (Index::Yes, beyond));
        assert_eq!(decide(&Profile::neutral(), limit), (Index::No, vec![]));
    }

    #[test]
    fn captures_that_are_apart_in_time_are_reported() {
        let kinds_under = |profile: &Profile, robots: i64, page: i64| {
            let time = Timestamp::from_seconds;
            let page = Page::new("https://example.com/x").with_captures(time(robots), time(page));
            let policy = Policy::under(profile, "a").unwrap();
            policy
                .learn("https://example.com/", crate::RobotsFetch::Body(b""))
                .unwrap();
            let decision = policy.decide_page(&page);
            let warnings = decision.warnings.iter();
            warnings.map(|warning| warning.kind).collect::<Vec<_>>()
        };
        let day = 24 * 60 * 60;
        let kinds = |robots, page| kinds_under(&Profile::neutral(), robots, page);
        assert_eq!(kinds(0, 0), []);
        assert_eq!(kinds(0, day), []);
        assert_eq!(kinds(0, day + 1), [WarningKind::RobotsOld]);
        // The draft of 1996 uses a copy for a week.
        let koster = Profile::koster1996();
        assert_eq!(kinds_under(&koster, 0, 7 * day), []);
        assert_eq!(
            kinds_under(&koster, 0, 7 * day + 1),
            [WarningKind::RobotsOld]
        );
        assert_eq!(kinds(1, 0), [WarningKind::RobotsLater]);
    }

    #[test]
    fn reasons_and_warnings_are_capped_and_the_deciding_one_is_kept() {
        let decide = |count: usize| {
            let list = format!("{}noindex", "index, foo, ".repeat(count));
            let page =
                Page::new("https://example.com/").with_headers([("x-robots-tag", list.as_str())]);
            let decision = Policy::default().decide_page(&page.not_html());
            assert_eq!(decision.index, Index::No);
            let deciding = decision
                .reasons_for(crate::decision::Field::Index)
                .last()
                .unwrap();
            assert_eq!(deciding.text, "noindex");
            (decision.reasons.len(), decision.warnings.len())
        };
        // In addition to those of INDEX and NOINDEX there is one for `fetch` and one for `ai_search`. Those that decide are
        // added past the limit, too: at most the ones of NOINDEX and `ai_search`.
        assert_eq!(decide(MAX_REASONS - 3), (MAX_REASONS, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS - 1), (MAX_REASONS + 2, MAX_WARNINGS));
        assert_eq!(decide(MAX_REASONS), (MAX_REASONS + 2, MAX_WARNINGS));
        // `index` conflicts and `foo` is unknown.
        assert_eq!(decide(MAX_WARNINGS / 2 - 1).1, MAX_WARNINGS - 2);
        assert_eq!(decide(MAX_WARNINGS / 2).1, MAX_WARNINGS);
        assert_eq!(decide(MAX_WARNINGS / 2 + 1).1, MAX_WARNINGS);
    }

    #[test]
    fn too_many_directives_decide_only_prohibitions() {
        let decide = |count: usize| {
            let list = format!("nofollow{}", ", foo".repeat(count - 1));
            let page =
                Page::new("https://example.com/").with_headers([("x-robots-tag", list.as_str())]);
            let decision = decide(&Policy::default(), &page.not_html());
            assert_eq!(decision.follow, Permission::No);
            (decision.index, decision.snippet.is_some())
        };
        assert_eq!(decide(MAX_STATEMENTS - 1), (Index::Yes, true));
        // A page that reaches the limit may have more directives, which are not read.
        assert_eq!(decide(MAX_STATEMENTS), (Index::Unknown, false));
        assert_eq!(decide(MAX_STATEMENTS + 1), (Index::Unknown, false));
    }

    #[test]
    fn ignored_statements_do_not_replace_others() {
        // Seznam ignores headers, so a header cannot be more specific.
        let mut profile = Profile::seznam();
        profile.precedence = Precedence::SpecificOverrides;
        let page = Page::new("https://example.com/")
            .with_headers([("X-Robots-Tag", "seznambot: nofollow")])
            .with_html(b"<meta name=robots content=noindex>");
        let decision = decide(&Policy::under(&profile, "SeznamBot").unwrap(), &page);
        assert_eq!(
            (decision.index, decision.follow),
            (Index::No, Permission::Yes)
        );
    }
}
