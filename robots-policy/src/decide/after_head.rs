//! Warnings of METAs after HEAD, which an engine that reads HEAD alone misses. Statements that the profile does not
//! honour are not missed.

use crate::answer::PageLayer;
use crate::decision::draft::Draft;
use crate::decision::reason::{Source, WarningKind};
use crate::observe::DecisionContext;
use crate::profile::{AI, Honours, NO_COPIES, Profile, SignalFamilies};
use robots_meta::directive::DirectiveValue;
use robots_meta::header::Reservation;
use robots_meta::page::{Meta, Placement};
use robots_meta::value::{ImagePreview, Limit};
use robots_meta::{Directive, Directives, PageFacts};
use std::cell::OnceCell;

/// Warns of METAs after HEAD that would forbid something in HEAD. Without effect where they count.
pub(super) fn warn(draft: &mut Draft<'_>, context: DecisionContext<'_>, meta: Option<&PageFacts>) {
    let Some(facts) = meta.filter(|_| draft.is_explained && !context.reads_body()) else {
        return;
    };
    // In the other layers the page's statements are not read.
    if draft.decision.page_layer != PageLayer::Seen {
        return;
    }
    let end = OnceCell::new();
    let late = facts.metas();
    for meta in late.filter(|meta| meta.placement() == Placement::Body) {
        if let Some((kind, text)) = prohibitions(meta, context) {
            let offset = meta.offset();
            let end = end.get_or_init(|| facts.end_place());
            let text =
                format!("a META for {kind} is in the source after HEAD ended {end} ({text})");
            draft.warn(WarningKind::AfterHead, Source::Meta { offset }, &text);
        }
    }
}

/// Returns what a META is for, and the statements in it that would forbid something in HEAD.
fn prohibitions(meta: Meta<'_>, context: DecisionContext<'_>) -> Option<(&'static str, String)> {
    let profile = context.profile;
    if meta.is_named("tdm-reservation") {
        let is_reserved = profile.ai.signals.contains(SignalFamilies::TDMREP)
            && Reservation::parse(meta.content()) == Some(Reservation::Reserved);
        return is_reserved.then(|| ("mining", "tdm-reservation: 1".to_owned()));
    }
    let mut names = context.robot.meta_names().iter();
    if !names.any(|name| meta.is_named(name)) {
        return None;
    }
    let forbidding = meta.directives();
    let forbidding = forbidding.filter(|directive| forbids(*directive, profile));
    let texts: Vec<&str> = forbidding.map(|directive| directive.text()).collect();
    (!texts.is_empty()).then(|| ("robots", texts.join(", ")))
}

/// Returns whether a directive that a profile honours forbids or limits something. Directives about AI count under every
/// profile: a statement of the owner counts for training wherever it is (`docs/semantics.md`, section 8.6).
fn forbids(directive: Directive<'_>, profile: &Profile) -> bool {
    let honours = |statement| profile.honours.contains(statement);
    match directive.value() {
        DirectiveValue::Flags(flags) => {
            flags.intersects(PROHIBITIONS.intersection(profile.directives.union(AI)))
        }
        DirectiveValue::MaxSnippet(limit) | DirectiveValue::MaxVideoPreview(limit) => {
            honours(Honours::LIMITS) && matches!(limit, Limit::AtMost(_))
        }
        DirectiveValue::MaxImagePreview(size) => {
            honours(Honours::LIMITS) && size != ImagePreview::Large
        }
        DirectiveValue::UnavailableAfter(_) => honours(Honours::UNAVAILABLE_AFTER),
        _ => false,
    }
}

/// The directives that forbid something.
const PROHIBITIONS: Directives = Directives::NONE
    .union(NO_COPIES)
    .union(Directives::NOSNIPPET)
    .union(Directives::NOIMAGEINDEX)
    .union(Directives::NOTRANSLATE)
    .union(AI.difference(Directives::ALLOW_AI_TRAINING));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::AiUse;
    use crate::{Decision, Index, Policies, Policy, RobotsFetch};

    const URL: &str = "https://example.com/";

    fn policy(profile: &Profile) -> Policy {
        let policy = Policy::under(profile, "ExampleBot").unwrap();
        policy.learn(URL, RobotsFetch::Status(404)).unwrap();
        policy
    }

    /// Returns the texts of the warnings of METAs after HEAD.
    fn texts(decision: &Decision) -> Vec<&str> {
        let warnings = decision.warnings.iter();
        warnings
            .filter(|warning| warning.kind == WarningKind::AfterHead)
            .map(|warning| warning.text.as_str())
            .collect()
    }

    #[test]
    fn a_meta_after_head_that_forbids_something_is_a_warning() {
        let noindex = "<meta name=robots content='index, noindex'>";
        // Each with the place where HEAD ended.
        for (before, end) in [
            ("<head><noscript><img></noscript>", "at byte 16, at <img>"),
            ("<noscript><p></noscript>", "at byte 10, at <p>"),
            (
                "<b>Warning</b>: x\n<!doctype html><head>",
                "at byte 0, at <b>",
            ),
            ("<br />\nWarning<html><head>", "at byte 0, at <br>"),
            (
                "Warning: x in /y.php\n<!doctype html>",
                "at byte 0, at text",
            ),
            ("<title>x</title> x", "at byte 17, at text"),
            ("<head>&nbsp;", "at byte 6, at text"),
            ("</head><body><p>x</p>", "at byte 7, at <body>"),
            ("<head><DIV></DIV></head>", "at byte 6, at <div>"),
            (
                "<template><p></template><iframe></iframe>",
                "at byte 24, at <iframe>",
            ),
        ] {
            let html = format!("{before}{noindex}</head><body>x");
            let decision = policy(&Profile::neutral()).decide(URL, &html);
            assert_eq!(decision.index, Index::Yes, "{html}");
            let text =
                format!("a META for robots is in the source after HEAD ended {end} (noindex)");
            assert_eq!(texts(&decision), [text], "{html}");
            // Where METAs in BODY count, nothing is missed.
            let decision = policy(&Profile::google()).decide(URL, &html);
            assert_eq!(decision.index, Index::No, "{html}");
            assert_eq!(texts(&decision), [""; 0], "{html}");
            // Policies that read a page together decide as each would alone.
            let together = Policies::new(vec![
                policy(&Profile::neutral()),
                policy(&Profile::google()),
                policy(&Profile::neutral()).without_reasons(),
            ]);
            together.learn(URL, RobotsFetch::Status(404)).unwrap();
            let together = together.decide(URL, &html);
            let found: Vec<_> = together
                .iter()
                .map(|decision| (decision.index, texts(decision).len()))
                .collect();
            let expected = [(Index::Yes, 1), (Index::No, 0), (Index::Yes, 0)];
            assert_eq!(found, expected, "{html}");
        }
    }

    #[test]
    fn statements_that_forbid_are_told_from_others() {
        let text = |meta: &str| {
            let html = format!("<title>x</title><p>{meta}");
            let decision = policy(&Profile::neutral()).decide(URL, html);
            let texts = texts(&decision);
            texts.first().map(|text| {
                let start = "a META for ";
                let middle = " is in the source after HEAD ended at byte 16, at <p> ";
                text.strip_prefix(start).unwrap().replacen(middle, " ", 1)
            })
        };
        for (meta, expected) in [
            ("name=robots content=noai", "robots (noai)"),
            ("name=Robots content='none, noai'", "robots (none, noai)"),
            ("name=examplebot content=nosnippet", "robots (nosnippet)"),
            (
                "name=robots content='max-snippet: 20'",
                "robots (max-snippet: 20)",
            ),
            (
                "name=robots content='unavailable_after: 2020-01-01'",
                "robots (unavailable_after: 2020-01-01)",
            ),
            (
                "name=tdm-reservation content=1",
                "mining (tdm-reservation: 1)",
            ),
        ] {
            assert_eq!(
                text(&format!("<meta {meta}>")).as_deref(),
                Some(expected),
                "{meta}"
            );
        }
        for other in [
            "<meta name=robots content='index, follow, max-snippet:-1, max-image-preview:large, all'>",
            "<meta name=otherbot content=noindex>",
            "<meta name=robots content=x>",
            "<meta name=tdm-reservation content=0>",
            "<!-- <meta name=robots content=noindex> -->",
            "<script>'<meta name=robots content=noindex>'</script>",
            "<textarea><meta name=robots content=noindex></textarea>",
            "<template><meta name=robots content=noindex></template>",
        ] {
            assert_eq!(text(other), None, "{other}");
        }
    }

    /// A statement without effect in HEAD is not missed after it. Statements about AI have an effect under every profile.
    #[test]
    fn only_statements_that_the_profile_honours_are_missed() {
        let list = "noindex, nofollow, noarchive, nosnippet, max-snippet: 0, max-image-preview: none, \
                    max-video-preview: 1, unavailable_after: 2020-01-01, noimageindex, notranslate, noai";
        let html = format!(
            "<title>x</title><p><meta name=robots content='{list}'><meta name=tdm-reservation content=1>"
        );
        let mut without_tdmrep = Profile::neutral();
        without_tdmrep.ai.signals.remove(SignalFamilies::TDMREP);
        let mining = "tdm-reservation: 1";
        let without_snippets = "noindex, nofollow, nosnippet, max-snippet: 0, max-image-preview: none, \
                                max-video-preview: 1, unavailable_after: 2020-01-01, noai";
        for (profile, expected) in [
            (Profile::neutral(), vec![list, mining]),
            (without_tdmrep, vec![list]),
            (Profile::apple(), vec![without_snippets, mining]),
            (
                Profile::yandex(),
                vec!["noindex, nofollow, noarchive, noai", mining],
            ),
            (
                Profile::amazon(),
                vec!["noindex, nofollow, noarchive, noai", mining],
            ),
            (Profile::seznam(), vec!["noindex, nofollow, noai", mining]),
            (Profile::baidu(), vec!["nofollow, noarchive, noai", mining]),
            (
                Profile::archiver(),
                vec![&list["noindex, ".len()..], mining],
            ),
        ] {
            let decision = policy(&profile).decide(URL, &html);
            let texts = texts(&decision).into_iter();
            let found: Vec<_> = texts
                .map(|text| text.split_once("<p> (").unwrap().1.trim_end_matches(')'))
                .collect();
            assert_eq!(found, expected, "{profile}");
        }
        // A META without any such statement is none to warn of.
        let html = "<title>x</title><p><meta name=robots content='max-snippet: 0, noindex'>";
        assert_eq!(texts(&policy(&Profile::baidu()).decide(URL, html)), [""; 0]);
    }

    /// Directives after HEAD take no room from those in HEAD, and limits of the reader that are exceeded after it change nothing.
    #[test]
    fn what_follows_head_changes_no_decision() {
        let noindex = "<meta name=robots content=noindex>";
        for after in [
            format!("<p>{}{noindex}", "<div>".repeat(2_000)),
            format!("<p>{}", noindex.repeat(crate::limits::MAX_STATEMENTS + 1)),
            format!("<p>{noindex}<meta{}>", " a".repeat(5_000)),
        ] {
            let html = format!("<meta name=robots content=nofollow>{after}");
            let neutral = policy(&Profile::neutral());
            let mut decision = neutral.decide(URL, &html);
            let mut alone = neutral.decide(URL, "<meta name=robots content=nofollow>");
            decision.warnings.clear();
            alone.warnings.clear();
            assert_eq!(decision, alone, "{after:.60}");
        }
    }

    #[test]
    fn a_statement_of_the_owner_counts_for_training_wherever_it_is() {
        let trainer = policy(&Profile::any_ai_trainer());
        for meta in [
            "<meta name=robots content=noai>",
            "<meta name=tdm-reservation content=1>",
        ] {
            let html = format!("<noscript><img></noscript>{meta}");
            let decision = trainer.decide(URL, &html);
            assert_eq!(decision.ai_train, AiUse::Disallow, "{meta}");
            assert_eq!(texts(&decision), [""; 0]);
            let decision = policy(&Profile::neutral()).decide(URL, &html);
            assert_eq!(decision.ai_train, AiUse::Unknown, "{meta}");
            assert_eq!(texts(&decision).len(), 1);
        }
    }
}
