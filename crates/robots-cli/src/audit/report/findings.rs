//! The headline of an audit, and its main findings in words. Every number is computed from the audit.

use crate::audit::facts::{Audit, Identity, Robot};
use crate::report::number::{counted, counted_share, listed, part_of, percent_of, whole};
use robots_policy::profile::Obeys;
use std::cmp::Reverse;

/// Returns the number of judged requests.
pub(super) fn judged(audit: &Audit) -> u64 {
    let judged = audit.robots.iter().map(|robot| robot.judged);
    judged.sum()
}

/// Returns the number of forbidden requests.
pub(super) fn forbidden(audit: &Audit) -> u64 {
    let forbidden = audit.robots.iter().map(|robot| robot.forbidden.requests);
    forbidden.sum()
}

/// Returns the robots with forbidden requests, those with the most first.
pub(super) fn offenders(audit: &Audit) -> Vec<&Robot> {
    let robots = audit.robots.iter();
    let mut robots: Vec<&Robot> = robots
        .filter(|robot| robot.forbidden.requests > 0)
        .collect();
    robots.sort_by_key(|robot| Reverse(robot.forbidden.requests));
    robots
}

/// Returns the requesters that falsely use the name of a robot.
pub(super) fn impostors(audit: &Audit) -> Vec<&Robot> {
    audit.robots.iter().filter(|robot| robot.refuted).collect()
}

/// Returns the robots that came too soon although their vendors document that they honour Crawl-delay, those with the most such
/// requests first.
pub(super) fn hasty(audit: &Audit) -> Vec<&Robot> {
    let robots = audit.robots.iter().filter(|robot| robot.is_hasty());
    let mut robots: Vec<&Robot> = robots.collect();
    robots.sort_by_key(|robot| Reverse(robot.crawl_delay.too_soon.requests));
    robots
}

/// Returns the main finding.
pub(super) fn headline(audit: &Audit) -> String {
    let requests = &audit.requests;
    let all = forbidden(audit);
    match offenders(audit).as_slice() {
        [] if judged(audit) > 0 => format!(
            "robots.txt forbids none of the {} of robots that could be judged",
            counted(judged(audit), "request")
        ),
        [] => format!(
            "Robots made {} of {}",
            percent_of(requests.robots, requests.all),
            counted(requests.all, "request")
        ),
        [only] if all == 1 => {
            format!(
                "{} made the only request that robots.txt forbids",
                subject(only)
            )
        }
        [only] => format!(
            "{} made all {} that robots.txt forbids",
            subject(only),
            counted(all, "request")
        ),
        [most, ..] => format!(
            "{} made {} of the {} that robots.txt forbids",
            subject(most),
            whole(most.forbidden.requests),
            counted(all, "request")
        ),
    }
}

/// Returns a robot as the subject of a sentence.
fn subject(robot: &Robot) -> String {
    if robot.refuted {
        format!("False {}", robot.name)
    } else if robot.doubt().is_some() {
        format!("Clients in the name of {}", robot.title())
    } else {
        robot.name.clone()
    }
}

/// Returns a remark for the end of brackets if requests of a robot are not verified.
fn doubt(robot: &Robot) -> String {
    robot
        .doubt()
        .map_or(String::new(), |doubt| format!(", {doubt}"))
}

/// Returns the number of robots and requests that violate robots.txt.
pub(super) fn violations(audit: &Audit) -> String {
    let judged_requests = judged(audit);
    let judged_robots = audit.robots.iter().filter(|robot| robot.judged > 0).count() as u64;
    format!(
        "The names of {} of {} have forbidden requests: {} of {} ({}).",
        whole(offenders(audit).len() as u64),
        counted(judged_robots, "judged robot"),
        whole(forbidden(audit)),
        counted(judged_requests, "judged request"),
        percent_of(forbidden(audit), judged_requests)
    )
}

/// Returns how many requests of robots are verified.
pub(super) fn identity(audit: &Audit) -> String {
    let Identity {
        verified,
        unverified,
        refuted,
    } = audit.identity;
    if verified + refuted == 0 {
        return "No address was verified: a robot's name is only what the User-Agent states."
            .to_owned();
    }
    format!(
        "By their addresses, {} in the names of robots are verified, {} not verified, and {} false.",
        counted(verified, "request"),
        whole(unverified),
        whole(refuted)
    )
}

/// Returns the robots with forbidden requests whose vendors document that they obey robots.txt.
pub(super) fn broken_promises(audit: &Audit) -> Option<String> {
    let offenders = offenders(audit).into_iter();
    let names: Vec<String> = offenders
        .filter(|robot| !robot.refuted && robot.obeys == Some(Obeys::Yes))
        .map(|robot| {
            let requests = whole(robot.forbidden.requests);
            format!("{} ({requests}{})", robot.name, doubt(robot))
        })
        .collect();
    let (vendors, obey) = if names.len() == 1 {
        ("its vendor", "obeys")
    } else {
        ("their vendors", "obey")
    };
    (!names.is_empty()).then(|| {
        format!(
            "According to {vendors}, {} of these robots {obey} robots.txt: {}.",
            whole(names.len() as u64),
            listed(&names)
        )
    })
}

/// Returns the robots that came too soon although their vendors document that they honour Crawl-delay.
pub(super) fn too_soon(audit: &Audit) -> Option<String> {
    let names: Vec<String> = hasty(audit)
        .into_iter()
        .enumerate()
        .map(|(index, robot)| {
            let thing = if index == 0 { " requests" } else { "" };
            let delay = &robot.crawl_delay;
            let part = part_of(delay.too_soon.requests, delay.judged);
            format!("{} ({part}{thing}{})", robot.name, doubt(robot))
        })
        .collect();
    let vendors = if names.len() == 1 {
        "its vendor documents that it honours"
    } else {
        "their vendors document that they honour"
    };
    (!names.is_empty()).then(|| {
        format!(
            "{} came too soon, although {vendors} Crawl-delay: {}.",
            counted(names.len() as u64, "robot"),
            listed(&names)
        )
    })
}

/// Returns the false uses of the names of robots.
pub(super) fn false_names(audit: &Audit) -> Option<String> {
    let impostors = impostors(audit);
    let requests = impostors.iter().map(|robot| robot.requests);
    let requests: u64 = requests.sum();
    let names: Vec<String> = impostors.iter().map(|robot| robot.name.clone()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "{} falsely {} the name of {}.",
            counted(requests, "request"),
            if requests == 1 { "uses" } else { "use" },
            listed(&names)
        )
    })
}

/// Returns the share of requests by robots.
pub(super) fn requests(audit: &Audit) -> String {
    let requests = &audit.requests;
    format!(
        "Robots made {}, AI robots {}.",
        counted_share(requests.robots, requests.all, "request"),
        counted_share(requests.ai, requests.all, "request")
    )
}
