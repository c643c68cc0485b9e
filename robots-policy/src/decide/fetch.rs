//! The robots.txt layer: whether the URL may be fetched, when and how often (`docs/semantics.md`,
//! sections 8.1 to 8.3).

use crate::answer::Fetch;
use crate::decision::draft::Draft;
use crate::decision::reason::{Effect, Field, Source, WarningKind};
use crate::input::page::Page;
use crate::observe::{DecisionContext, Observations};
use crate::profile::{Honours, Profile};
use crate::robots::{Cause, RobotsState};
use crate::site::SiteRules;
use robots_meta::Timestamp;
use robots_txt::Target;
use robots_txt::extension::Window;

/// Decides whether the URL may be fetched.
pub(super) fn decide(
    draft: &mut Draft<'_>,
    context: DecisionContext<'_>,
    observations: &Observations<'_>,
) {
    let (page, target, profile) = (observations.page, &observations.target, context.profile);
    if !context.robot.fetches() {
        draft.decision.fetch = Fetch::NotApplicable;
        let text = || format!("{} fetches nothing", context.robot.name());
        draft.add_reason(Field::Fetch, Source::RobotsFetch, text, Effect::Decides);
        return;
    }
    // A robots.txt is always allowed, whatever the outcome: otherwise, no robot could ask for it again.
    if target.path() == b"/robots.txt" {
        draft.decision.fetch = Fetch::Allow;
        let text = || robots_txt::Reason::OwnPath.to_string();
        draft.add_reason(Field::Fetch, Source::RobotsFetch, text, Effect::Decides);
        return;
    }
    let (fetch, cause) = match observations.robots {
        RobotsState::Rules(site) => {
            // Visit times apply to pages that are not fetched yet.
            let visit = page.now.filter(|_| page.is_unfetched());
            decide_by_rules(draft, site, target, visit);
            // The headers of the robots.txt response are not known here, so the hours of the outcome table apply.
            warn_of_captures(draft, page, profile.outcomes.fresh_seconds(None));
            decide_pace(draft, profile, site);
            return;
        }
        RobotsState::AllowAll(cause) => (Fetch::Allow, cause),
        RobotsState::DenyAll(cause) => (Fetch::Disallow, cause),
        RobotsState::Defer(cause) => (Fetch::Defer, cause),
        RobotsState::Unknown(cause) => (Fetch::Unknown, cause),
    };
    if *cause == Cause::NoOrigin {
        draft.warn(WarningKind::NoOrigin, Source::Url, page.url);
    }
    draft.decision.fetch = fetch;
    let text = || cause.to_string();
    draft.add_reason(Field::Fetch, Source::RobotsFetch, text, Effect::Decides);
}

/// Decides by the winning rule. If `visit`, the time of the visit, is outside the visit time of the site, an
/// allowed URL is deferred.
fn decide_by_rules(
    draft: &mut Draft<'_>,
    site: &SiteRules,
    target: &Target<'_>,
    visit: Option<Timestamp>,
) {
    let verdict = site.rules().verdict(target);
    let closed = site
        .visit_time()
        .filter(|hours| verdict.is_allowed() && is_outside(hours.window(), visit));
    draft.decision.fetch = match (verdict.is_allowed(), closed) {
        (true, Some(_)) => Fetch::Defer,
        (true, None) => Fetch::Allow,
        (false, _) => Fetch::Disallow,
    };
    if let Some(hours) = closed {
        draft.add_reason(
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
    draft.add_reason(Field::Fetch, source, text, effect);
    for ineffective in site.ineffective_lines() {
        let source = Source::RobotsTxt {
            line: ineffective.line,
        };
        draft.warn(ineffective.kind, source, &ineffective.text);
    }
}

/// Warns if another robots.txt may have been in force when the page was fetched: this one was captured after the page,
/// or more than `max_seconds` before.
fn warn_of_captures(draft: &mut Draft<'_>, page: &Page<'_>, max_seconds: i64) {
    let Some(seconds) = page.seconds_after_robots else {
        return;
    };
    let (kind, relation) = if seconds < 0 {
        (WarningKind::RobotsLater, "after")
    } else if seconds > max_seconds {
        (WarningKind::RobotsOld, "before")
    } else {
        return;
    };
    let hours = seconds.unsigned_abs().div_ceil(3600);
    let unit = if hours == 1 { "hour" } else { "hours" };
    let text = format!("captured {hours} {unit} {relation} the page");
    draft.warn(kind, Source::RobotsFetch, &text);
}

/// Returns whether a time is outside the visit time; `false` for an unknown time.
fn is_outside(window: Window, now: Option<Timestamp>) -> bool {
    let minute = now.and_then(|now| {
        let minutes = now.as_seconds().div_euclid(60);
        let day = i64::from(Window::MINUTES_OF_DAY);
        u16::try_from(minutes.rem_euclid(day)).ok()
    });
    minute.is_some_and(|minute| !window.contains(minute))
}

/// Decides the delay, the request rates and the visit time.
fn decide_pace(draft: &mut Draft<'_>, profile: &Profile, site: &SiteRules) {
    if let Some(delay) = site.rules().crawl_delay() {
        let seconds = delay.delay().as_secs_f64();
        let effect = if profile.honours.contains(Honours::CRAWL_DELAY) {
            draft.decision.crawl_delay = Some(delay.delay());
            Effect::Decides
        } else {
            Effect::Ignored
        };
        draft.add_reason(
            Field::CrawlDelay,
            Source::RobotsTxt { line: delay.line() },
            || format!("Crawl-delay: {seconds}"),
            effect,
        );
    }
    // Unlike the delay, rates and hours were compiled only if the profile honours them.
    for rate in site.request_rates() {
        draft.decision.request_rates.push(*rate);
        draft.add_reason(
            Field::RequestRates,
            Source::RobotsTxt { line: rate.line() },
            || format!("Request-rate: {rate}"),
            Effect::Decides,
        );
    }
    if let Some(hours) = site.visit_time() {
        draft.decision.visit_time = Some(hours.window());
        draft.add_reason(
            Field::VisitTime,
            Source::RobotsTxt { line: hours.line() },
            || format!("Visit-time: {}", hours.window()),
            Effect::Decides,
        );
    }
}
