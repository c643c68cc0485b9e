//! Properties of decisions about the use of content. The cases by signal are in tests/cases/pages/usage.toml.

#![allow(clippy::unwrap_used, reason = "a failure here fails the test")]

use robots_policy::decision::{AiUse, Effect, Field, Value};
use robots_policy::limits::MAX_LICENSES;
use robots_policy::{Decision, Page, Permission, Policy, Profile, RobotsFetch};

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

/// What was not read may be stricter than a limit, and cannot lift it: the use is unknown, but training is refused.
#[test]
fn a_limit_refuses_training_whatever_was_not_read() {
    let policy = Policy::under(&Profile::bing(), "bingbot").unwrap();
    for (html, may_train) in [
        (&b"<meta name=robots content=nocache>"[..], Permission::No),
        (b"<title>a</title>", Permission::Unknown),
    ] {
        let page = Page::new(URL).with_status(200).with_html(html);
        let decision = policy.decide_page(&page);
        assert_eq!(decision.ai_train, AiUse::Unknown);
        assert_eq!(decision.may_train, may_train);
    }
}

#[test]
fn a_use_is_allowed_only_if_everything_was_read() {
    let headers = [("Content-Usage", "train-ai=y, search=n")];
    let without_content = || Page::new(URL).with_status(200).with_headers(headers);
    let whole = || without_content().with_html(b"<title>a</title>");
    let site_without_robots = policy();
    let status = RobotsFetch::Status(404);
    site_without_robots.learn(URL, status).unwrap();
    let site_not_asked = policy();

    let (allow, disallow, unknown) = (AiUse::Allow, AiUse::Disallow, AiUse::Unknown);
    let decision = site_without_robots.decide_page(&whole());
    assert_eq!(uses(&decision), [allow, unknown, disallow]);
    // The robots.txt, a part of the page, or its whole content is missing.
    for (policy, page, missing) in [
        (&site_not_asked, whole(), "robots.txt"),
        (&site_without_robots, whole().cut_short(), "the end"),
        (&site_without_robots, without_content(), "the page"),
    ] {
        let decision = policy.decide_page(&page);
        assert_eq!(uses(&decision), [unknown, unknown, disallow], "{missing}");
        assert_eq!(decision.may_train, Permission::Unknown, "{missing}");
        // No statement decides that an answer is not known.
        let stated = effects(&decision, Field::AiTrain);
        assert_eq!(stated, [(Effect::Overruled, "train-ai=y".to_owned())]);
        assert_eq!(effects(&decision, Field::MayTrain), []);
        let search = effects(&decision, Field::AiSearch);
        assert_eq!(search, [(Effect::Decides, "search=n".to_owned())]);
    }
}

/// The reasons of `may_train` are the statements that forbid or allow it, and no reason decides an unknown use.
#[test]
fn training_has_the_reasons_that_decide_it() {
    let (yes, no) = (Permission::Yes, Permission::No);
    let (decides, agrees) = (Effect::Decides, Effect::Agrees);
    for (profile, robots, html, may_train, reasons) in [
        ("neutral", "", "", yes, &[][..]),
        ("neutral", "", "tdm-reservation content=0", yes, &[]),
        ("neutral", "", "robots content=noimageai", yes, &[]),
        (
            "neutral",
            "",
            "robots content=noai",
            no,
            &[(decides, "noai")],
        ),
        (
            "neutral",
            "Content-Signal: ai-train=yes",
            "",
            yes,
            &[(decides, "Content-Signal: ai-train=yes")],
        ),
        (
            "neutral",
            "Content-Signal: ai-train=yes\nDisallowAITraining: /",
            "robots content=noai",
            no,
            &[(decides, "DisallowAITraining"), (agrees, "noai")],
        ),
        (
            "neutral",
            "Disallow: /",
            "robots content=noai",
            no,
            &[(decides, "not to be fetched")],
        ),
        (
            "any-ai-trainer",
            "Disallow: /b\nUser-agent: GPTBot\nDisallow: /a",
            "",
            no,
            &[(decides, "Disallow: /a (group of GPTBot)")],
        ),
        (
            "bing",
            "",
            "robots content=nocache",
            no,
            &[(decides, "nocache")],
        ),
    ] {
        let profile: Profile = profile.parse().unwrap();
        let policy = Policy::for_robot(&profile, profile.robot(profile.agent()));
        let robots = format!("User-agent: *\n{robots}\n");
        policy
            .learn(URL, RobotsFetch::Body(robots.as_bytes()))
            .unwrap();
        let html = format!("<meta name={html}>");
        let page = Page::new(URL).with_status(200).with_html(html.as_bytes());
        let decision = policy.decide_page(&page);
        assert_eq!(decision.may_train, may_train, "{robots}{html}");
        let reasons: Vec<_> = reasons
            .iter()
            .map(|(effect, text)| (*effect, (*text).to_owned()))
            .collect();
        assert_eq!(
            effects(&decision, Field::MayTrain),
            reasons,
            "{robots}{html}"
        );
        for (field, value) in [
            (Field::AiTrain, decision.ai_train),
            (Field::AiInput, decision.ai_input),
            (Field::AiSearch, decision.ai_search),
        ] {
            let is_decided = decision.deciding_reason(field).is_some();
            assert_eq!(
                is_decided,
                value != AiUse::Unknown,
                "{field} {robots}{html}"
            );
        }
        let column = Decision::columns().last().unwrap();
        let deciding = decision.deciding_reason(Field::MayTrain);
        let text = deciding.map(|reason| format!("{}: {}", reason.source, reason.text));
        assert_eq!(column.name(), "may_train_reason");
        assert_eq!(
            column.value(&decision),
            Value::Text(text.unwrap_or_default().into())
        );
    }
}

#[test]
fn the_number_of_licences_is_limited() {
    // A page of a site whose robots.txt has this many licences.
    let decision_with = |count: usize| {
        let lines: Vec<_> = (0..count)
            .map(|number| format!("License: https://example.com/{number}"))
            .collect();
        let robots = format!("User-agent: *\n{}", lines.join("\n"));
        let policy = policy();
        policy
            .learn(URL, RobotsFetch::Body(robots.as_bytes()))
            .unwrap();
        policy.decide_page(&Page::new(URL).with_html(b"<title>a</title>"))
    };
    for count in [
        MAX_LICENSES - 1,
        MAX_LICENSES,
        MAX_LICENSES + 1,
        2 * MAX_LICENSES,
    ] {
        let decision = decision_with(count);
        assert_eq!(decision.licenses.len(), count.min(MAX_LICENSES));
        let text = format!("more than {MAX_LICENSES} licences");
        let reasons = effects(&decision, Field::Licenses);
        let is_reported = reasons.last() == Some(&(Effect::Ignored, text));
        assert_eq!(is_reported, count > MAX_LICENSES, "{count}");
    }
}

/// A directive about AI counts in a header that the profile does not read as in one that it reads: a META with the robot's name may
/// overrule both.
#[cfg(feature = "toml")]
#[test]
fn headers_that_are_not_read_count_for_ai_as_others() {
    for honours in ["[]", "['x-robots-tag']"] {
        for (precedence, meta, expected) in [
            ("together", "examplebot", AiUse::Disallow),
            ("specific-overrides", "examplebot", AiUse::Unknown),
            ("specific-overrides", "robots", AiUse::Disallow),
            ("html-over-header", "robots", AiUse::Unknown),
        ] {
            let profile = format!("honours = {honours}\nprecedence = '{precedence}'");
            let profile = Profile::from_toml(&profile).unwrap();
            let policy = Policy::under(&profile, "ExampleBot").unwrap();
            let html = format!("<meta name={meta} content=index>");
            let page = Page::new(URL)
                .with_status(200)
                .with_headers([("X-Robots-Tag", "noai")])
                .with_html(html.as_bytes());
            policy.learn(URL, RobotsFetch::Status(404)).unwrap();
            let found = policy.decide_page(&page).ai_train;
            assert_eq!(found, expected, "{honours} {precedence} {meta}");
        }
    }
}
