//! `robots agents`: groups for robots.txt.

use crate::program::{robots, robots_on};
use robots_policy::profile::{AgentTable, KnownAgent, Purpose};
use robots_policy::robots_txt::{Dialect, RobotsTxt, Target};

/// Returns whether a robots.txt allows a robot to fetch a page.
fn may_fetch(file: &str, robot: &KnownAgent) -> bool {
    let robots = RobotsTxt::parse(file.as_bytes());
    let rules = robots.rules(robot.agent(), &Dialect::RFC9309);
    rules
        .verdict(&Target::new("https://example.com/page"))
        .is_allowed()
}

/// Returns the output of `robots agents --robots-txt` for these purposes, with more options.
fn group(purposes: &[Purpose], more: &[&str]) -> String {
    let mut words = vec!["agents", "--robots-txt"];
    for purpose in purposes {
        words.extend(["--purpose", purpose.name()]);
    }
    words.extend(more);
    let outcome = robots(&words);
    outcome.assert_success();
    outcome.stdout
}

#[test]
fn a_group_disallows_robots_with_the_purposes_and_no_others() {
    let has = |robot: &KnownAgent, purposes: &[Purpose]| {
        robot.purposes.iter().any(|own| purposes.contains(own))
    };
    for purposes in [
        &[Purpose::AiTrain][..],
        &[Purpose::AiTrain, Purpose::Dataset],
        &[Purpose::Seo],
        &[Purpose::Search],
        Purpose::ALL,
    ] {
        let forbids_search = purposes.contains(&Purpose::Search);
        for unverified in [false, true] {
            let more: &[&str] = if unverified { &["--unverified"] } else { &[] };
            let file = group(purposes, more);
            for robot in AgentTable::built_in().iter() {
                // A robot that also serves search stays allowed, unless search itself is disallowed. A robot without a
                // source is named only with --unverified.
                let is_named = has(robot, purposes)
                    && (forbids_search || !robot.purposes.contains(&Purpose::Search))
                    && (unverified || robot.is_sourced());
                for token in robot.tokens() {
                    let mut lines = file.lines();
                    let has_line = lines.any(|line| line == format!("User-agent: {token}"));
                    assert_eq!(has_line, is_named, "{token} {file}");
                }
                // A robot that the file does not name may obey the group of another one, which the file names.
                let obeys_a_named_one = robot
                    .agent()
                    .names()
                    .any(|name| file.contains(&format!("User-agent: {name}\n")));
                assert_eq!(
                    may_fetch(&file, robot),
                    !obeys_a_named_one,
                    "{}",
                    robot.token
                );
            }
        }
    }
}

#[test]
fn a_group_is_without_findings() {
    for purposes in [&[Purpose::AiTrain, Purpose::Dataset][..], Purpose::ALL] {
        for more in [&[][..], &["--unverified"]] {
            let file = group(purposes, more);
            let outcome = robots_on(["lint", "-"], file.as_bytes());
            assert_eq!((outcome.code, &*outcome.stdout), (0, ""), "{file}");
        }
    }
}

#[test]
fn a_group_names_the_table_and_the_robots_that_it_leaves_out() {
    let file = group(&[Purpose::AiTrain], &[]);
    let table = AgentTable::built_in();
    let first = file.lines().next().unwrap();
    assert!(
        first.contains(table.date()) && first.contains("ai-train"),
        "{first}"
    );
    let left_out = table
        .iter()
        .filter(|robot| robot.has_purpose(&[Purpose::AiTrain]) && !robot.is_sourced());
    for robot in left_out {
        assert!(file.contains(&robot.token), "{}", robot.token);
    }
    // Comments are wrapped.
    assert!(
        file.lines().all(|line| line.chars().count() <= 100),
        "{file}"
    );
    assert!(file.ends_with("\nDisallow: /\n"));
}

#[test]
fn options_that_do_not_fit_together_are_refused() {
    // A group needs a purpose.
    assert_eq!(robots(["agents", "--robots-txt"]).code, 2);
    // Only a group leaves out robots without a source, so only it accepts --unverified.
    assert_eq!(
        robots(["agents", "--unverified", "--purpose", "seo"]).code,
        2
    );
    // A group is not JSON.
    assert_eq!(
        robots(["agents", "--robots-txt", "--json", "--purpose", "seo"]).code,
        2
    );
}
