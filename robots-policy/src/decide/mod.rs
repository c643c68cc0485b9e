//! The stages of a decision: `Page -> observations -> fetch -> page layer -> merge -> usage -> Decision`
//! (`docs/semantics.md`, section 8.5).
//!
//! Each stage reads [`Observations`] and a [`DecisionContext`] of the policy, and fills its fields of the
//! [`Draft`].
//!
//! A decision is linear in the header lines and METAs of the page, plus the cost of one verdict of robots.txt. If
//! the robots.txt must be compiled for the site of the page
//! ([`SiteRules::at_url`](crate::site::SiteRules::at_url)), it is also linear in the bytes of that file.

mod after_head;
mod fetch;
mod layer;
mod merge;

use crate::answer::{Fetch, Index, PageLayer, Permission};
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, NOT_FETCHED, Source, WarningKind};
use crate::decision::{Decision, UncomparedLinkRule};
use crate::input::page::{Content, Page};
use crate::input::{Origin, origin};
use crate::observe::statement::{self, Statements};
use crate::observe::{Completeness, DecisionContext, Observations};
use crate::profile::{Honours, NO_COPIES, Profile};
use crate::robots::RobotsState;
use crate::site::SiteRules;
use crate::usage;
use robots_meta::value::Limit;
use robots_meta::{Directives, PageFacts};
use std::borrow::Cow;

/// Decides about a page, given the state of its site's robots.txt.
pub(crate) fn decide(
    context: DecisionContext<'_>,
    robots: &RobotsState<SiteRules>,
    page: &Page<'_>,
) -> Decision {
    match page.content {
        Content::Html(html) => {
            let meta = context.read(html, page.encoding_label());
            decide_by(context, robots, page, Some(&meta))
        }
        Content::Read(meta) => decide_by(context, robots, page, Some(meta)),
        Content::Unknown | Content::NotHtml => decide_by(context, robots, page, None),
    }
}

/// Decides about a page, given its METAs, if it is HTML.
fn decide_by(
    context: DecisionContext<'_>,
    robots: &RobotsState<SiteRules>,
    page: &Page<'_>,
    meta: Option<&PageFacts>,
) -> Decision {
    let robots = robots_of_site(robots, page.url);
    let mut statements = Statements::new();
    statement::collect(&mut statements, context, page, meta);
    let observations = Observations {
        target: origin::requested_target(page.url),
        robots: &robots,
        page,
        meta,
        statements: &statements,
    };
    let mut decision = undecided(context, page.url);
    let mut draft = Draft {
        decision: &mut decision,
        is_explained: context.is_explained,
    };
    fetch::decide(&mut draft, context, &observations);
    layer::decide(&mut draft, page);
    after_head::warn(&mut draft, context, meta);
    let completeness = layer::completeness(&mut draft, context, &observations);
    decide_page_fields(&mut draft, context.profile, &observations, completeness);
    let inputs = usage_inputs(&draft, context, &observations, completeness);
    usage::decide(&mut draft, &context.profile.ai, &inputs);
    decision
}

/// Returns the state as it applies to the site of a page: rules may depend on the URL of their file.
fn robots_of_site<'r>(
    robots: &'r RobotsState<SiteRules>,
    url: &str,
) -> Cow<'r, RobotsState<SiteRules>> {
    match robots {
        RobotsState::Rules(site) if site.depends_on_url() => match Origin::of(url) {
            Ok(origin) => Cow::Owned(RobotsState::Rules(site.at_url(&origin.robots_url()))),
            Err(_) => Cow::Borrowed(robots),
        },
        _ => Cow::Borrowed(robots),
    }
}

/// Returns the decision before its fields are decided.
fn undecided(context: DecisionContext<'_>, url: &str) -> Decision {
    let mut decision = Decision::unknown(url, context.robot.name());
    decision.profile.clone_from(&context.profile.name);
    decision.link_rule = UncomparedLinkRule(Some(context.profile.links));
    decision
}

/// Decides the fields that the page's own statements concern, depending on whether these were read.
fn decide_page_fields(
    draft: &mut Draft<'_>,
    profile: &Profile,
    observations: &Observations<'_>,
    completeness: Completeness,
) {
    let page = observations.page;
    let statements = observations.statements;
    // A robots.txt that is not known may forbid what the page allows.
    let completeness = match draft.decision.fetch {
        Fetch::Unknown | Fetch::Defer => Completeness::Partial,
        _ => completeness,
    };
    match draft.decision.page_layer {
        PageLayer::Seen => {
            if let Some(meta) = observations.meta {
                decide_revisit(draft, meta);
            }
            merge::decide(draft, profile, statements, page.now, completeness);
        }
        // The page was fetched and has no statements: it allows everything.
        PageLayer::Absent if page.is_success() => {
            merge::decide(draft, profile, &[], page.now, completeness);
        }
        PageLayer::Absent if is_kept_out_by_status(profile, page) => {
            draft.decision.index = Index::No;
            let text = || page.status.unwrap_or_default().to_string();
            draft.add_reason(Field::Index, Source::Status, text, Effect::Decides);
        }
        // The page was not read, but its headers are known.
        PageLayer::Unknown if page.is_answered() => {
            merge::decide(draft, profile, statements, page.now, Completeness::Partial);
        }
        PageLayer::Unseen if draft.decision.fetch == Fetch::Disallow => {
            decide_without_page(draft);
            // Statements of a response that is not 2xx do not count.
            let hidden = merge::noindex(statements, profile).filter(|_| page.is_success());
            if let Some(hidden) = hidden {
                let text = hidden.directive.text();
                draft.warn(WarningKind::NoindexHidden, hidden.source, text);
            }
        }
        // The fields stay unknown.
        _ => {}
    }
}

/// Returns whether the status of the response keeps the page out of the index.
fn is_kept_out_by_status(profile: &Profile, page: &Page<'_>) -> bool {
    let honours = |status| profile.honours.contains(status);
    (honours(Honours::CLIENT_ERRORS) && page.is_client_error())
        || (honours(Honours::OTHER_STATUSES) && page.is_failure())
}

/// Decides the fields of a page that must not be fetched: it has a URL and no content
/// (`docs/semantics.md`, section 8.5).
fn decide_without_page(draft: &mut Draft<'_>) {
    draft.decision.index = Index::UrlOnly;
    draft.decision.archive = Permission::No;
    draft.decision.snippet = Some(Limit::AtMost(0));
    for field in [Field::Index, Field::Archive, Field::Snippet] {
        let text = || NOT_FETCHED.to_owned();
        draft.add_reason(field, Source::RobotsFetch, text, Effect::Decides);
    }
}

/// Copies the `revisit-after` of the page.
fn decide_revisit(draft: &mut Draft<'_>, meta: &PageFacts) {
    if let Some((revisit, statement)) = meta.revisit_after() {
        draft.decision.revisit_after = Some(revisit);
        draft.add_reason(
            Field::RevisitAfter,
            Source::Meta {
                offset: statement.offset(),
            },
            || statement.content().to_owned(),
            Effect::Decides,
        );
    }
}

/// Returns the part of the observations that concerns the use of content. An error page has no
/// statements about the page that was requested.
fn usage_inputs<'o>(
    draft: &Draft<'_>,
    context: DecisionContext<'o>,
    observations: &'o Observations<'_>,
    completeness: Completeness,
) -> usage::Inputs<'o> {
    let page = observations.page;
    let is_success = page.is_success();
    usage::Inputs {
        target: &observations.target,
        site: match observations.robots {
            RobotsState::Rules(site) => Some(site),
            _ => None,
        },
        statements: if is_success {
            observations.statements
        } else {
            &[]
        },
        robot: context.robot,
        in_force: in_force(draft.decision, context.profile.directives),
        headers: if is_success { &page.headers } else { &[] },
        meta: observations.meta.filter(|_| is_success),
        counts_body: context.reads_body(),
        tdmrep: page.tdmrep,
        url: page.url,
        rsl: page.rsl,
        completeness,
        is_robots_text_known: matches!(
            observations.robots,
            RobotsState::Rules(_) | RobotsState::AllowAll(_)
        ),
        is_page_known: match draft.decision.page_layer {
            PageLayer::Seen => true,
            // Without statements, there is nothing more to read. An error page is not the page that was requested.
            PageLayer::Absent => is_success,
            _ => false,
        },
    }
}

/// Returns the honoured directives that no other statement has overruled.
fn in_force(decision: &Decision, honoured: Directives) -> Directives {
    let mut in_force = honoured;
    if decision.index != Index::No {
        in_force.remove(Directives::NOINDEX);
    }
    if decision.archive != Permission::No {
        in_force.remove(NO_COPIES);
    }
    if decision.snippet != Some(Limit::AtMost(0)) {
        in_force.remove(Directives::NOSNIPPET);
    }
    in_force
}
