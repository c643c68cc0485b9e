//! The decisions of every robot of every profile about a page, as if its site had no robots.txt.

use super::HeaderLine;
use robots_policy::decision::Field;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use serde_json::{Map, Value, json};

/// The fields of a decision that depend on the page, in the order of an answer.
pub const PAGE_FIELDS: [Field; 12] = [
    Field::Index,
    Field::Follow,
    Field::Archive,
    Field::Snippet,
    Field::ImagePreview,
    Field::VideoPreview,
    Field::ImageIndex,
    Field::Translate,
    Field::ExpiresAt,
    Field::AiTrain,
    Field::AiInput,
    Field::AiSearch,
];

/// Returns the decision of a robot as a JSON object: its profile, its name and [`PAGE_FIELDS`].
pub(super) fn decision_answer(decision: &Decision) -> Value {
    let decision = json!(decision);
    let names = PAGE_FIELDS.iter().map(|field| field.name());
    let names = ["profile", "agent"].into_iter().chain(names);
    let fields = names.map(|name| (name.to_owned(), decision[name].clone()));
    fields.collect::<Map<String, Value>>().into()
}

/// Returns the decisions about a response of this status that is not HTML, in the order of the profiles.
pub fn of_headers(status: u16, headers: &[HeaderLine<'_>]) -> Vec<Decision> {
    decide(&response(status, headers).not_html(), false)
}

/// Returns a response. Any URL will do: without robots.txt, the fields do not depend on it.
pub(super) fn response<'a>(status: u16, headers: &'a [HeaderLine<'a>]) -> Page<'a> {
    Page::new("https://example.com/")
        .with_status(status)
        .with_headers(headers.iter().map(HeaderLine::bytes))
}

/// Returns the decisions about a page, in the order of the profiles.
pub(super) fn decide(page: &Page<'_>, has_scripting: bool) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for profile in Profile::all() {
        for robot in profile.robots() {
            let policy = Policy::for_robot(&profile, robot.clone())
                .with_scripting(has_scripting)
                .without_reasons();
            let no_robots_txt = policy.robots(RobotsFetch::Status(404));
            decisions.push(policy.decide_under(&no_robots_txt, page));
        }
    }
    decisions
}
