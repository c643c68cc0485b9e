//! Properties of decisions about the use of content. The cases by signal are in tests/cases/pages/usage.toml.

#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]

use robots_policy::decision::{AiUse, Effect, Field};
use robots_policy::limits::MAX_LICENSES;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};

const URL: &str = "https://example.com/a";

fn policy() -> Policy {
    Policy::under(&Profile::neutral(), "ExampleBot").unwrap()
}

fn effects(decision: &Decision, field: Field) -> Vec<(Effect, String)> {
    let reasons = decision.reasons_for(field);
    reasons
        .map(|reason| (reason.effect, reason.text.clone()))
        .collect()
}

fn uses(decision: &Decision) -> [AiUse; 3] {
    [decision.ai_train, decision.ai_input, decision.ai_search]
}

#[test]
fn a_use_is_allowed_only_if_everything_was_read() {
    let headers = [("Content-Usage", "train-ai=y, search=n")];
    let unread = || Page::new(URL).with_status(200).with_headers(headers);
    let page = || unread().with_html(b"<title>a</title>");
    let without_robots = policy();
    without_robots.learn(URL, RobotsFetch::Status(404)).unwrap();
    let decision = without_robots.decide_page(&page());
    let (allow, disallow, unknown) = (AiUse::Allow, AiUse::Disallow, AiUse::Unknown);
    assert_eq!(uses(&decision), [allow, unknown, disallow]);
    for (decision, text) in [
        (policy().decide_page(&page()), "its text is not known"),
        (
            without_robots.decide_page(&page().cut_short()),
            "not read completely",
        ),
        (without_robots.decide_page(&unread()), "not read"),
    ] {
        assert_eq!(uses(&decision), [unknown, unknown, disallow], "{text}");
        let expected = [(Effect::Overruled, "train-ai=y"), (Effect::Decides, text)];
        assert_eq!(
            effects(&decision, Field::AiTrain),
            expected.map(|(effect, text)| (effect, text.to_owned()))
        );
        let search = effects(&decision, Field::AiSearch);
        assert_eq!(search, [(Effect::Decides, "search=n".to_owned())]);
    }
}

#[test]
fn the_number_of_licences_is_limited() {
    let licences = |count: usize| {
        let lines: Vec<_> = (0..count)
            .map(|number| format!("License: https://example.com/{number}"))
            .collect();
        let robots = format!("User-agent: *\n{}", lines.join("\n"));
        let policy = policy();
        policy
            .learn(URL, RobotsFetch::Body(robots.as_bytes()))
            .unwrap();
        let page = Page::new(URL).with_html(b"<title>a</title>");
        let decision = policy.decide_page(&page);
        let cut = (
            Effect::Ignored,
            format!("more than {MAX_LICENSES} licences"),
        );
        let last = effects(&decision, Field::Licenses).pop();
        (decision.licenses.len(), last == Some(cut))
    };
    assert_eq!(licences(MAX_LICENSES - 1), (MAX_LICENSES - 1, false));
    assert_eq!(licences(MAX_LICENSES), (MAX_LICENSES, false));
    assert_eq!(licences(MAX_LICENSES + 1), (MAX_LICENSES, true));
    assert_eq!(licences(2 * MAX_LICENSES), (MAX_LICENSES, true));
}
