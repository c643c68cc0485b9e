//! The headline of a survey, and its main findings in words. Every number is computed from the survey.

use crate::report::number::{counted, counted_share, percent_of, whole};
use crate::survey::facts::{Agent, Survey};
use std::cmp::Reverse;

/// Returns the restrictions of robots that a file does not name.
pub(super) fn everyone(survey: &Survey) -> Option<&Agent> {
    let mut known = survey.robots.known_agents.iter();
    known.find(|agent| agent.name == "*")
}

/// Returns the known robots, for AI or others, without `*`: those with the most closed sites first.
pub(super) fn most_closed(survey: &Survey, ai: bool) -> Vec<&Agent> {
    let known = survey.robots.known_agents.iter();
    let mut robots: Vec<&Agent> = known
        .filter(|agent| agent.ai == ai && agent.name != "*")
        .collect();
    robots.sort_by_key(|agent| (Reverse(agent.all), Reverse(agent.files), &agent.name));
    robots
}

/// Returns the main finding.
pub(super) fn headline(survey: &Survey) -> String {
    let (files, pages) = (survey.text_files(), &survey.pages);
    if files == 0 && pages.count > 0 {
        return format!(
            "{} of pages have a robots META",
            percent_of(pages.with_robots_meta, pages.count)
        );
    }
    if files == 0 {
        return format!(
            "No robots.txt in {}",
            counted(survey.all_responses(), "response")
        );
    }
    let closed = everyone(survey).map_or(0, |everyone| everyone.all);
    let ai = most_closed(survey, true);
    match ai.first() {
        Some(most) if most.all > closed => format!(
            "{} of robots.txt files close the whole site to {}",
            percent_of(most.all, most.with_known_restriction()),
            most.name
        ),
        _ if closed > 0 => format!(
            "{} of robots.txt files close the whole site to robots that they do not name",
            percent_of(closed, files)
        ),
        _ if files == 1 => {
            "The only robots.txt file does not close the whole site to a known AI robot".to_owned()
        }
        _ => format!(
            "None of {} closes the whole site to a known AI robot",
            counted(files, "robots.txt file")
        ),
    }
}

/// Returns how many files close the whole site to robots without a group, and to how many AI robots more files close it.
pub(super) fn closed(survey: &Survey) -> String {
    let ai = most_closed(survey, true);
    let Some(everyone) = everyone(survey) else {
        return String::new();
    };
    let more = ai.iter().filter(|agent| agent.all > everyone.all).count() as u64;
    format!(
        "{} close the whole site to robots that they do not name. {} of {} {} closed out by more files.",
        counted_share(everyone.all, everyone.with_known_restriction(), "file"),
        whole(more),
        counted(ai.len() as u64, "known AI robot"),
        if more == 1 { "is" } else { "are" },
    )
}

/// Returns the most frequent finding of the linter that is an error.
pub(super) fn most_frequent_error(survey: &Survey) -> Option<String> {
    let errors = survey.robots.findings.iter().filter(|kind| kind.is_error());
    let most = errors.max_by_key(|kind| (kind.files, Reverse(&kind.code)))?;
    Some(format!(
        "The most frequent error is {} {}, in {}.",
        most.code,
        most.name,
        counted_share(most.files, survey.text_files(), "file")
    ))
}

/// Returns the number of responses with status 2xx.
pub(super) fn success(survey: &Survey) -> String {
    let all = survey.all_responses();
    let success = survey.responses.get("2xx").copied().unwrap_or_default();
    format!(
        "{} of {} to a request for /robots.txt ({}) had status 2xx.",
        whole(success),
        counted(all, "response"),
        percent_of(success, all)
    )
}

/// Returns the number of pages with statements for robots.
pub(super) fn pages(survey: &Survey) -> String {
    let pages = &survey.pages;
    format!(
        "{} of {} have a robots META, {} the header X-Robots-Tag.",
        percent_of(pages.with_robots_meta, pages.count),
        counted(pages.count, "page"),
        percent_of(pages.with_x_robots_tag, pages.count)
    )
}
