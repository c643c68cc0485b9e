//! The page layer: whether the page's own statements were read (`docs/semantics.md`, sections 5.10
//! and 8.5).

use crate::answer::{Fetch, PageLayer};
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, NOT_FETCHED, Source, WarningKind};
use crate::input::page::{Content, Page};
use crate::limits::MAX_STATEMENTS;
use crate::observe::{Completeness, DecisionContext, Observations};
use robots_meta::page::HeadEnd;
use robots_meta::{PageFacts, robots_headers};

/// Decides whether the page's own statements were read.
pub(super) fn decide(draft: &mut Draft<'_>, page: &Page<'_>) {
    let fetch = draft.decision.fetch;
    let has_header = || {
        let mut headers = robots_headers(page.headers.iter().copied());
        page.has_cut_headers || headers.next().is_some()
    };
    let (layer, source) = match page.content {
        _ if fetch == Fetch::Disallow => (PageLayer::Unseen, Some(Source::RobotsFetch)),
        // The URL was not requested yet. Unless `fetch` permits it, it may not be requested now.
        Content::Unknown if !page.is_answered() => match fetch {
            Fetch::Allow | Fetch::NotApplicable => (PageLayer::Unknown, None),
            _ => (PageLayer::Unseen, None),
        },
        _ if !page.is_success() => (PageLayer::Absent, Some(Source::Status)),
        // Only the status or headers are known, and the content may be HTML.
        Content::Unknown if !page.has_other_type() => (PageLayer::Unknown, None),
        // The content is not HTML.
        Content::Unknown | Content::NotHtml if !has_header() => {
            (PageLayer::Absent, Some(Source::Page))
        }
        _ => (PageLayer::Seen, None),
    };
    draft.decision.page_layer = layer;
    if let Some(source) = source {
        let text = || match source {
            Source::RobotsFetch => NOT_FETCHED.to_owned(),
            Source::Status => page.status.unwrap_or_default().to_string(),
            _ => "neither HTML nor a header for robots".to_owned(),
        };
        draft.add_reason(Field::PageLayer, source, text, Effect::Decides);
    }
}

/// Returns whether the page was read completely; adds a warning if not.
pub(super) fn completeness(
    draft: &mut Draft<'_>,
    context: DecisionContext<'_>,
    observations: &Observations<'_>,
) -> Completeness {
    let mut completeness = Completeness::Whole;
    if observations.statements.len() >= MAX_STATEMENTS {
        completeness = Completeness::Partial;
        draft.warn(
            WarningKind::TooManyDirectives,
            Source::Page,
            &format!("{MAX_STATEMENTS} directives or more"),
        );
    }
    // In the other layers the page's statements are not read.
    if draft.decision.page_layer != PageLayer::Seen {
        return completeness;
    }
    if observations.page.has_cut_headers {
        completeness = Completeness::Partial;
        draft.warn(
            WarningKind::HeadIncomplete,
            Source::Page,
            "header lines (cut)",
        );
    }
    let is_cut = observations.page.is_cut;
    let missing = match observations.meta.map(PageFacts::end) {
        Some(HeadEnd::EndOfPage) if is_cut => "HEAD (cut)".to_owned(),
        // BODY is incomplete, and its METAs count.
        Some(_) if is_cut && context.reads_body() => "page (cut)".to_owned(),
        Some(HeadEnd::Limit(limit)) => format!("HEAD ({limit})"),
        _ => return completeness,
    };
    draft.warn(WarningKind::HeadIncomplete, Source::Page, &missing);
    Completeness::Partial
}
