//! The steps of a decision, in the order of its layers: robots.txt, the page's own word, and what
//! both say of the use of content (SEMANTICS 8.5).

pub(crate) mod merge;

use self::merge::{Heard, Statement};
use crate::answer::{Fetch, Index, PageLayer, Permission};
use crate::decision::Decision;
use crate::decision::reason::{Effect, Field, Source, WarningKind};
use crate::input::origin;
use crate::input::page::{Content, Page};
use crate::policy::Policy;
use crate::profile::Honours;
use crate::robots::Cause;
use crate::site::{Robots, SiteRules};
use crate::usage;
use robots_meta::{
    Directives, HeadEnd, Limit, PageMeta, Place, RobotsHeader, Timestamp, robots_headers,
};
use robots_txt::{Target, Window};
use smallvec::SmallVec;

/// How many directives of a page are heard. Of a page that says more, only what it forbids is decided.
pub const MAX_STATEMENTS: usize = 10_000;

/// Decides about a page, under what is known of its origin's robots.txt.
pub(crate) fn decide(policy: &Policy, robots: &Robots, page: &Page<'_>) -> Decision {
    let mut decision = Decision::unknown(page.url, policy.agent());
    policy.profile().name().clone_into(&mut decision.profile);
    decision.links = policy.profile().links();
    decision.is_explained = policy.is_explained();
    let target = origin::target(page.url);
    // Hours are for what is yet to be fetched.
    let visit = page.now.filter(|_| page.is_unfetched());
    decide_fetch(&mut decision, policy, robots, &target, visit);
    decide_layer(&mut decision, page);
    let meta = page.meta(policy);
    let mut statements = statements(policy, page, meta.as_deref());
    merge::choose(&mut statements, policy.profile().merge());
    let reads_body = policy.reads_body();
    let heard = heard(
        &mut decision,
        page,
        meta.as_deref(),
        statements.len(),
        reads_body,
    );
    // What stands in an error page is nobody's word about a page.
    let is_page = is_page(page);
    match decision.page_layer {
        PageLayer::Seen => {
            if let Some(meta) = &meta {
                decide_from_page(&mut decision, meta);
            }
            merge::merge(
                &mut decision,
                policy.profile(),
                &statements,
                page.now,
                heard,
            );
        }
        PageLayer::Absent if is_page => {
            // Nothing was said: everything may be done.
            merge::merge(&mut decision, policy.profile(), &[], page.now, heard);
        }
        // Of a page that was not read, the headers are known.
        PageLayer::Unknown if page.is_answered() => {
            let part = Heard::Part;
            merge::merge(&mut decision, policy.profile(), &statements, page.now, part);
        }
        PageLayer::Unseen if decision.fetch == Fetch::Disallow => {
            decide_without_page(&mut decision);
            if let Some(hidden) = merge::noindex(&statements, policy.profile()) {
                let text = hidden.directive.text();
                decision.warn(WarningKind::NoindexHidden, hidden.source, text);
            }
        }
        _ => {}
    }
    let knows_page = match decision.page_layer {
        PageLayer::Seen => true,
        PageLayer::Absent => is_page,
        _ => false,
    };

    let in_force = in_force(&decision, policy.profile().directives());
    usage::decide(
        &mut decision,
        policy.profile().ai(),
        &usage::Inputs {
            target: &target,
            site: match robots {
                Robots::Rules(site) => Some(site),
                _ => None,
            },
            statements: if is_page { &statements } else { &[] },
            in_force,
            headers: if is_page { &page.headers } else { &[] },
            meta: meta.as_deref().filter(|_| is_page),
            tdmrep: page.tdmrep,
            heard,
            knows_robots: matches!(robots, Robots::Rules(_) | Robots::AllowAll(_)),
            knows_page,
        },
    );
    decision
}

/// Of the directives that are honoured, those that others have not overruled.
fn in_force(decision: &Decision, honoured: Directives) -> Directives {
    let mut in_force = honoured;
    if decision.index != Index::No {
        in_force.remove(Directives::NOINDEX);
    }
    if decision.archive != Permission::No {
        in_force.remove(Directives::NOARCHIVE | Directives::NOCACHE);
    }
    if decision.snippet != Some(Limit::AtMost(0)) {
        in_force.remove(Directives::NOSNIPPET);
    }
    in_force
}

/// Few pages say more; those that do cost an allocation.
type Statements<'a> = SmallVec<[Statement<'a>; 6]>;

/// The directives that concern the robot: headers first, then METAs.
fn statements<'a>(policy: &Policy, page: &Page<'a>, meta: Option<&'a PageMeta>) -> Statements<'a> {
    let honours = |what| policy.profile().honours().contains(what);
    let names = policy.meta_names();
    let is_named = |name: &str| {
        let name = name.trim_ascii();
        !name.eq_ignore_ascii_case("robots") && name != "*"
    };
    let headers = robots_headers(page.headers.iter().copied())
        .filter(|found| found.is_for(names))
        .map(|found| Statement {
            source: Source::Header {
                name: found.header(),
                line: found.line(),
                offset: found.directive().offset(),
            },
            directive: found.directive(),
            is_named: found.agent().is_some_and(is_named),
            counts: honours(match found.header() {
                RobotsHeader::RobotsTag => Honours::ROBOTS_TAG,
                _ => Honours::X_ROBOTS_TAG,
            }),
        });
    let metas = meta
        .into_iter()
        .flat_map(PageMeta::metas)
        .filter(|meta| names.iter().any(|name| meta.is_named(name)))
        .flat_map(|meta| {
            meta.directives().map(move |directive| Statement {
                source: Source::Meta {
                    offset: meta.offset(),
                },
                directive,
                is_named: meta.name().is_some_and(is_named),
                counts: meta.place() != Place::Body || honours(Honours::BODY_METAS),
            })
        });
    headers.chain(metas).take(MAX_STATEMENTS).collect()
}

/// How much of what the page says was heard; what was not is told.
fn heard(
    decision: &mut Decision,
    page: &Page<'_>,
    meta: Option<&PageMeta>,
    statements: usize,
    reads_body: bool,
) -> Heard {
    let mut heard = Heard::All;
    if statements >= MAX_STATEMENTS {
        heard = Heard::Part;
        decision.warn(
            WarningKind::TooManyDirectives,
            Source::Page,
            &format!("{MAX_STATEMENTS} directives or more"),
        );
    }
    if decision.page_layer != PageLayer::Seen {
        return heard;
    }
    match meta.map(PageMeta::end) {
        Some(HeadEnd::EndOfPage) if page.is_cut => {
            decision.warn(WarningKind::HeadIncomplete, Source::Page, "HEAD (cut)");
            Heard::Part
        }
        // What is missing is BODY, in which METAs may stand.
        Some(_) if page.is_cut && reads_body => {
            decision.warn(WarningKind::HeadIncomplete, Source::Page, "page (cut)");
            Heard::Part
        }
        Some(HeadEnd::Limit(limit)) => {
            let what = format!("HEAD ({limit})");
            decision.warn(WarningKind::HeadIncomplete, Source::Page, &what);
            Heard::Part
        }
        _ => heard,
    }
}

/// Whether the response, as far as it is known, is one that can be indexed.
fn is_page(page: &Page<'_>) -> bool {
    page.status
        .is_none_or(|status| (200..=299).contains(&status))
}

/// robots.txt decides whether the URL may be fetched (SEMANTICS 8.1 to 8.3).
fn decide_fetch(
    decision: &mut Decision,
    policy: &Policy,
    robots: &Robots,
    target: &Target<'_>,
    visit: Option<Timestamp>,
) {
    // It is always allowed, even where the library of Google leaves that to its callers (SEMANTICS 8.3).
    if target.path() == b"/robots.txt" {
        decision.fetch = Fetch::Allow;
        let text = || robots_txt::Reason::OwnPath.to_string();
        decision.give_reason(Field::Fetch, Source::RobotsFetch, text, Effect::Decides);
        return;
    }
    let (fetch, cause) = match robots {
        Robots::Rules(site) => {
            decide_by_rules(decision, site, target, visit);
            decide_pace(decision, policy, site);
            return;
        }
        Robots::AllowAll(cause) => (Fetch::Allow, cause),
        Robots::DenyAll(cause) => (Fetch::Disallow, cause),
        Robots::Defer(cause) => (Fetch::Defer, cause),
        Robots::Unknown(cause) => (Fetch::Unknown, cause),
    };
    if *cause == Cause::NoOrigin {
        let url = decision.url.clone();
        decision.warn(WarningKind::NoOrigin, Source::Url, &url);
    }
    decision.fetch = fetch;
    let text = || cause.to_string();
    decision.give_reason(Field::Fetch, Source::RobotsFetch, text, Effect::Decides);
}

/// The rule that wins decides; what it allows is put off outside the visit time.
fn decide_by_rules(
    decision: &mut Decision,
    site: &SiteRules,
    target: &Target<'_>,
    visit: Option<Timestamp>,
) {
    let verdict = site.rules().verdict(target);
    let closed = site
        .visit_time()
        .filter(|hours| verdict.is_allowed() && is_outside(hours.window(), visit));
    decision.fetch = match (verdict.is_allowed(), closed) {
        (true, Some(_)) => Fetch::Defer,
        (true, None) => Fetch::Allow,
        (false, _) => Fetch::Disallow,
    };
    if let Some(hours) = closed {
        decision.give_reason(
            Field::Fetch,
            Source::RobotsTxt { line: hours.line() },
            || format!("Visit-time: {}", hours.window()),
            Effect::Decides,
        );
    }
    let effect = match closed {
        Some(_) => Effect::Overruled,
        None => Effect::Decides,
    };
    let source = verdict
        .rule()
        .map_or(Source::RobotsFetch, |rule| Source::RobotsTxt {
            line: rule.line(),
        });
    let text = || match verdict.rule() {
        Some(rule) => rule.to_string(),
        None => verdict.reason().to_string(),
    };
    decision.give_reason(Field::Fetch, source, text, effect);
    for hidden in site.hidden() {
        let source = Source::RobotsTxt { line: hidden.line };
        decision.warn(WarningKind::HiddenByGroup, source, &hidden.text);
    }
}

/// Whether a time is outside the hours of a visit; one that is not known is not.
fn is_outside(window: Window, now: Option<Timestamp>) -> bool {
    let minute = now.and_then(|now| {
        let minutes = now.as_seconds().div_euclid(60);
        let day = i64::from(Window::MINUTES_OF_DAY);
        u16::try_from(minutes.rem_euclid(day)).ok()
    });
    minute.is_some_and(|minute| !window.contains(minute))
}

/// How often the robot may come, and when.
fn decide_pace(decision: &mut Decision, policy: &Policy, site: &SiteRules) {
    let honours_delay = policy.profile().honours().contains(Honours::CRAWL_DELAY);
    if let Some(delay) = site.rules().crawl_delay() {
        let seconds = delay.delay().as_secs_f64();
        let effect = if honours_delay {
            decision.crawl_delay = Some(delay.delay());
            Effect::Decides
        } else {
            Effect::Ignored
        };
        decision.give_reason(
            Field::CrawlDelay,
            Source::RobotsTxt { line: delay.line() },
            || format!("Crawl-delay: {seconds}"),
            effect,
        );
    }
    for rate in site.request_rates() {
        decision.request_rates.push(*rate);
        decision.give_reason(
            Field::RequestRates,
            Source::RobotsTxt { line: rate.line() },
            || format!("Request-rate: {rate}"),
            Effect::Decides,
        );
    }
    if let Some(hours) = site.visit_time() {
        decision.visit_time = Some(hours.window());
        decision.give_reason(
            Field::VisitTime,
            Source::RobotsTxt { line: hours.line() },
            || format!("Visit-time: {}", hours.window()),
            Effect::Decides,
        );
    }
}

/// Whether the page's own word was heard (SEMANTICS 5.10, 8.5).
fn decide_layer(decision: &mut Decision, page: &Page<'_>) {
    let has_header = || {
        let mut headers = robots_headers(page.headers.iter().copied());
        headers.next().is_some()
    };
    let (layer, source) = match page.content {
        _ if decision.fetch == Fetch::Disallow => (PageLayer::Unseen, Some(Source::RobotsFetch)),
        Content::Unfetched if !page.is_answered() => match decision.fetch {
            Fetch::Allow => (PageLayer::Unknown, None),
            _ => (PageLayer::Unseen, None),
        },
        _ if !is_page(page) => (PageLayer::Absent, Some(Source::Status)),
        Content::Unfetched if !page.has_other_type() => (PageLayer::Unknown, None),
        Content::Unfetched | Content::NotHtml if !has_header() => {
            (PageLayer::Absent, Some(Source::Page))
        }
        _ => (PageLayer::Seen, None),
    };
    decision.page_layer = layer;
    if let Some(source) = source {
        let text = || match source {
            Source::RobotsFetch => NOT_FETCHED.to_owned(),
            Source::Status => page.status.unwrap_or_default().to_string(),
            _ => "neither HTML nor a header for robots".to_owned(),
        };
        decision.give_reason(Field::PageLayer, source, text, Effect::Decides);
    }
}

/// The reason of what follows from a URL that is not to be fetched.
pub(crate) const NOT_FETCHED: &str = "not to be fetched";

/// What is not to be fetched has a URL and no content (SEMANTICS 8.5).
fn decide_without_page(decision: &mut Decision) {
    decision.index = Index::UrlOnly;
    decision.archive = Permission::No;
    decision.snippet = Some(Limit::AtMost(0));
    for field in [Field::Index, Field::Archive, Field::Snippet] {
        let text = || NOT_FETCHED.to_owned();
        decision.give_reason(field, Source::RobotsFetch, text, Effect::Decides);
    }
}

/// What the HEAD says beside directives.
fn decide_from_page(decision: &mut Decision, meta: &PageMeta) {
    if let Some((revisit, said)) = meta.revisit_after() {
        decision.revisit_after = Some(revisit);
        decision.give_reason(
            Field::RevisitAfter,
            Source::Meta {
                offset: said.offset(),
            },
            || said.content().to_owned(),
            Effect::Decides,
        );
    }
}
