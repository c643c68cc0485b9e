//! The table of `docs/semantics.md`, section 8.6, cell by cell, and the vectors of section 9. Cells that are
//! our own decisions have a `[D]` in their names, as there.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a failure here fails the test"
)]

use robots_policy::decision::{AiUse, Effect, Field, WarningKind};
use robots_policy::limits::MAX_LICENSES;
use robots_policy::profile::{
    AiEffect, AiRules, Conflict, MergeRule, Precedence, SignalFamilies, UsageToken, Uses,
};
use robots_policy::robots_meta::Directives;
use robots_policy::site::Tdmrep;
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};

const A: AiUse = AiUse::Allow;
const L: AiUse = AiUse::Limited;
const D: AiUse = AiUse::Disallow;
const U: AiUse = AiUse::Unknown;

const URL: &str = "https://example.com/a";

/// What is known, and what is expected of training, input and search.
#[derive(Debug, Clone, Copy)]
struct Case {
    name: &'static str,
    who: fn() -> Policy,
    url: &'static str,
    robots: &'static str,
    headers: &'static [(&'static str, &'static str)],
    html: &'static str,
    tdmrep: &'static str,
    expected: [AiUse; 3],
}

/// To the robot `ExampleBot` under the neutral profile, with nothing said.
const fn case(name: &'static str, expected: [AiUse; 3]) -> Case {
    Case {
        name,
        who: neutral,
        url: URL,
        robots: "",
        headers: &[],
        html: "<title>a</title>",
        tdmrep: "[]",
        expected,
    }
}

impl Case {
    const fn to(mut self, who: fn() -> Policy) -> Self {
        self.who = who;
        self
    }

    const fn at(mut self, url: &'static str) -> Self {
        self.url = url;
        self
    }

    const fn robots(mut self, robots: &'static str) -> Self {
        self.robots = robots;
        self
    }

    const fn headers(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        self.headers = headers;
        self
    }

    const fn html(mut self, html: &'static str) -> Self {
        self.html = html;
        self
    }

    const fn tdmrep(mut self, tdmrep: &'static str) -> Self {
        self.tdmrep = tdmrep;
        self
    }

    fn decide(&self) -> Decision {
        let policy = (self.who)();
        policy
            .learn(self.url, RobotsFetch::Body(self.robots.as_bytes()))
            .unwrap();
        let tdmrep = Tdmrep::parse(self.tdmrep.as_bytes()).unwrap();
        let page = Page::new(self.url)
            .with_status(200)
            .with_headers(self.headers.iter().copied())
            .with_html(self.html.as_bytes())
            .with_tdmrep(&tdmrep);
        policy.decide_page(&page)
    }

    fn effects(&self, field: Field) -> Vec<(Effect, String)> {
        effects(&self.decide(), field)
    }
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

fn check(cases: &[Case]) {
    for case in cases {
        assert_eq!(uses(&case.decide()), case.expected, "{}", case.name);
    }
}

fn neutral() -> Policy {
    Policy::under(&Profile::neutral(), "ExampleBot").unwrap()
}

fn google() -> Policy {
    Policy::under(&Profile::google(), "Googlebot").unwrap()
}

fn bing() -> Policy {
    Policy::under(&Profile::bing(), "bingbot").unwrap()
}

fn apple() -> Policy {
    Policy::under(&Profile::apple(), "Applebot").unwrap()
}

fn gptbot() -> Policy {
    Policy::under(&Profile::neutral(), "GPTBot").unwrap()
}

fn with(rules: AiRules) -> Policy {
    Policy::under(&Profile::neutral().with_ai(rules), "ExampleBot").unwrap()
}

/// A vendor's token for training, which does not crawl.
fn with_token() -> Policy {
    with(AiRules::new().with_token(UsageToken::new("ExampleAI", Uses::TRAIN)))
}

fn with_token_or_star() -> Policy {
    with(AiRules::new().with_token(UsageToken::new("ExampleAI", Uses::TRAIN).or_star()))
}

fn unreserved_allows() -> Policy {
    with(AiRules::new().with_unreserved_allowed())
}

fn nocache_limits() -> Policy {
    let effect = AiEffect::new(Directives::NOCACHE, Uses::all(), AiUse::Limited);
    with(AiRules::new().with_effect(effect))
}

fn hearing_content_usage() -> Policy {
    with(AiRules::new().with_signals(SignalFamilies::CONTENT_USAGE))
}

const PREFERENCES: &[Case] = &[
    case("nothing", [U, U, U]),
    case("Content-Usage train-ai=y", [A, U, U]).robots("User-agent: *\nContent-Usage: train-ai=y"),
    case("Content-Usage train-ai=n", [D, U, U]).robots("User-agent: *\nContent-Usage: train-ai=n"),
    case("Content-Usage search=y", [U, U, A]).robots("User-agent: *\nContent-Usage: search=y"),
    case("Content-Usage search=n", [U, U, D]).robots("User-agent: *\nContent-Usage: search=n"),
    case("Content-Usage header train-ai=y", [A, U, U]).headers(&[("Content-Usage", "train-ai=y")]),
    case("Content-Usage header train-ai=n", [D, U, U]).headers(&[("Content-Usage", "train-ai=n")]),
    case("Content-Usage header search=y", [U, U, A]).headers(&[("Content-Usage", "search=y")]),
    case("Content-Usage header search=n", [U, U, D]).headers(&[("Content-Usage", "search=n")]),
    case("Content-Usage, the longest path", [D, U, U])
        .robots("User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: /a train-ai=n"),
    case(
        "Content-Usage, a path replaces what it leaves out [D]",
        [U, U, A],
    )
    .robots("User-agent: *\nContent-Usage: train-ai=n\nContent-Usage: /a search=y"),
    case("Content-Signal ai-train=yes", [A, U, U])
        .robots("User-agent: *\nContent-Signal: ai-train=yes"),
    case("Content-Signal ai-train=no", [D, U, U])
        .robots("User-agent: *\nContent-Signal: ai-train=no"),
    case("Content-Signal ai-input=yes", [U, A, U])
        .robots("User-agent: *\nContent-Signal: ai-input=yes"),
    case("Content-Signal ai-input=no", [U, D, U])
        .robots("User-agent: *\nContent-Signal: ai-input=no"),
    case("Content-Signal search=yes", [U, U, A])
        .robots("User-agent: *\nContent-Signal: search=yes"),
    case("Content-Signal search=no", [U, U, D]).robots("User-agent: *\nContent-Signal: search=no"),
    case("Content-Signal header yes", [A, A, A])
        .headers(&[("content-signal", "ai-train=yes, search=yes, ai-input=yes")]),
    case("Content-Signal header no", [D, D, D])
        .headers(&[("content-signal", "ai-train=no, search=no, ai-input=no")]),
    case("Content-Signal use=reference informs", [U, U, U])
        .robots("User-agent: *\nContent-Signal: use=reference"),
    case("Content-Signal header use=immediate informs", [U, U, U])
        .headers(&[("Content-Signal", "use=immediate")]),
    case("DisallowAITraining", [D, U, U]).robots("User-agent: *\nDisallowAITraining: /"),
    case("AllowAITraining", [A, U, U]).robots("User-agent: *\nAllowAITraining: /"),
    case("DisallowAITraining, another path", [U, U, U])
        .robots("User-agent: *\nDisallowAITraining: /b"),
    case("DisallowAITraining META", [D, U, U])
        .html("<meta name=robots content=DisallowAITraining>"),
    case("AllowAITraining META", [A, U, U]).html("<meta name=robots content=AllowAITraining>"),
    case("DisallowAITraining header", [D, U, U]).headers(&[("X-Robots-Tag", "disallowaitraining")]),
    case("DisallowAITraining header for another robot", [U, U, U])
        .headers(&[("X-Robots-Tag", "otherbot: disallowaitraining")]),
    case("noai META [D]", [D, D, U]).html("<meta name=robots content=noai>"),
    case("noai header [D]", [D, D, U]).headers(&[("X-Robots-Tag", "noai")]),
    case("noimageai is about images [D]", [U, U, U]).html("<meta name=robots content=noimageai>"),
    case("License says where terms are [D]", [U, U, U])
        .robots("User-agent: *\nLicense: https://example.com/license.xml"),
    case("no preference for what is not to be fetched", [U, U, U])
        .robots("User-agent: *\nDisallow: /\nContent-Usage: train-ai=n, search=y"),
    case("nor by headers", [U, U, U])
        .robots("User-agent: *\nDisallow: /")
        .headers(&[("Content-Signal", "ai-train=no")]),
];

const TOKENS: &[Case] = &[
    case("Google-Extended disallowed", [D, D, U])
        .to(google)
        .robots("User-agent: Google-Extended\nDisallow: /\n\nUser-agent: *\nDisallow: /x"),
    case("Google-Extended disallowed elsewhere", [U, U, U])
        .to(google)
        .robots("User-agent: Google-Extended\nDisallow: /b"),
    case("Google-Extended allowed is no consent", [U, U, U])
        .to(google)
        .robots("User-agent: Google-Extended\nAllow: /"),
    case("* does not speak to Google-Extended [D]", [U, U, U])
        .to(google)
        .robots("User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /"),
    case("Google-Extended is nothing to others", [U, U, U])
        .robots("User-agent: Google-Extended\nDisallow: /"),
    case("Applebot-Extended disallowed", [D, U, U])
        .to(apple)
        .robots("User-agent: Applebot-Extended\nDisallow: /"),
    case(
        "a token disallowed: a vendor's, or one that is shared",
        [D, U, U],
    )
    .to(with_token)
    .robots("User-agent: ExampleAI\nDisallow: /"),
    case("a token allowed", [U, U, U])
        .to(with_token)
        .robots("User-agent: ExampleAI\nAllow: /\nDisallow: /b"),
    case("* does not speak to a token [D]", [U, U, U])
        .to(with_token)
        .robots("User-agent: ExampleBot\nAllow: /\n\nUser-agent: *\nDisallow: /"),
    case("* speaks to a token that takes it [D]", [D, U, U])
        .to(with_token_or_star)
        .robots("User-agent: ExampleBot\nAllow: /\n\nUser-agent: *\nDisallow: /"),
    case("the robot's own token", [U, U, U])
        .to(gptbot)
        .robots("User-agent: GPTBot\nDisallow: /"),
];

const ALL_RESERVED: &str = r#"[{"location": "/", "tdm-reservation": 1}]"#;
const NONE_RESERVED: &str = r#"[{"location": "/", "tdm-reservation": 0}]"#;

const RESERVATIONS: &[Case] = &[
    case("tdmrep.json 1 [D]", [D, U, U]).tdmrep(ALL_RESERVED),
    case("tdmrep.json 0", [U, U, U]).tdmrep(NONE_RESERVED),
    case("tdmrep.json 0, which allows", [A, U, U])
        .to(unreserved_allows)
        .tdmrep(NONE_RESERVED),
    case("tdmrep.json, another location", [U, U, U])
        .tdmrep(r#"[{"location": "/b", "tdm-reservation": 1}]"#),
    case("tdm-reservation header 1 [D]", [D, U, U]).headers(&[("tdm-reservation", "1")]),
    case("tdm-reservation header 0", [U, U, U]).headers(&[("tdm-reservation", "0")]),
    case("tdm-reservation META 1 [D]", [D, U, U]).html("<meta name=tdm-reservation content=1>"),
    case("tdm-reservation META 0, which allows", [A, U, U])
        .to(unreserved_allows)
        .html("<meta name=TDM-Reservation content=' 0 '>"),
    case("tdm-reservation METAs, any reserves [D]", [D, U, U])
        .html("<meta name=tdm-reservation content=0><meta name=tdm-reservation content=1>"),
    case("tdm-reservation META in BODY", [U, U, U])
        .html("<title>a</title><body><meta name=tdm-reservation content=1>"),
    case("tdmrep.json 0, header 1", [D, U, U])
        .tdmrep(NONE_RESERVED)
        .headers(&[("tdm-reservation", "1")]),
    case("header 1, META 0", [U, U, U])
        .headers(&[("tdm-reservation", "1")])
        .html("<meta name=tdm-reservation content=0>"),
    case("tdmrep.json 1, META 0", [U, U, U])
        .tdmrep(ALL_RESERVED)
        .html("<meta name=tdm-reservation content=0>"),
    case("header 0, META 1", [D, U, U])
        .headers(&[("tdm-reservation", "0")])
        .html("<meta name=tdm-reservation content=1>"),
    case("tdmrep.json 1, a META that cannot be read", [D, U, U])
        .tdmrep(ALL_RESERVED)
        .html("<meta name=tdm-reservation content=no>"),
];

const DIRECTIVES: &[Case] = &[
    case("nosnippet, Google", [U, D, U])
        .to(google)
        .html("<meta name=robots content=nosnippet>"),
    case("max-snippet:0, Google", [U, D, U])
        .to(google)
        .html("<meta name=googlebot content=max-snippet:0>"),
    case("max-snippet:0 header, Google", [U, D, U])
        .to(google)
        .headers(&[("X-Robots-Tag", "max-snippet: 0")]),
    case("max-snippet:20, Google", [U, U, U])
        .to(google)
        .html("<meta name=robots content=max-snippet:20>"),
    case("nosnippet, Apple", [U, D, U])
        .to(apple)
        .headers(&[("X-Robots-Tag", "applebot: nosnippet")]),
    case("nosnippet, nobody in particular", [U, U, U]).html("<meta name=robots content=nosnippet>"),
    case("noarchive, Bing", [D, D, U])
        .to(bing)
        .html("<meta name=robots content=noarchive>"),
    case("noarchive, nobody in particular", [U, U, U]).html("<meta name=robots content=noarchive>"),
    case("nocache, Bing", [L, L, U])
        .to(bing)
        .html("<meta name=robots content=nocache>"),
    case("noindex, Google", [U, D, D])
        .to(google)
        .html("<meta name=robots content=noindex>"),
    case("noindex, Bing", [U, D, D])
        .to(bing)
        .headers(&[("X-Robots-Tag", "noindex")]),
    case("none is noindex", [U, D, D])
        .to(bing)
        .html("<meta name=robots content=none>"),
    case("noindex, nobody in particular", [U, U, D]).html("<meta name=robots content=noindex>"),
];

const COMBINATIONS: &[Case] = &[
    case("any that forbids: Content-Usage", [D, U, U])
        .robots("User-agent: *\nContent-Usage: train-ai=y")
        .headers(&[("Content-Signal", "ai-train=no")]),
    case("any that forbids: tdm-reservation", [D, U, U])
        .robots("User-agent: *\nAllowAITraining: /")
        .headers(&[("tdm-reservation", "1")]),
    case("any that forbids: search", [U, U, D])
        .robots("User-agent: *\nContent-Signal: search=yes")
        .html("<meta name=robots content=noindex>"),
    case("not reserved takes nothing back", [A, U, U])
        .robots("User-agent: *\nContent-Usage: train-ai=y")
        .headers(&[("tdm-reservation", "0")]),
    case("else any that limits", [L, L, L])
        .to(nocache_limits)
        .headers(&[("Content-Usage", "train-ai=y")])
        .html("<meta name=robots content=nocache>"),
    case("else any that limits: what forbids goes before", [L, L, D])
        .to(nocache_limits)
        .html("<meta name=robots content='nocache, noindex'>"),
    case("noarchive goes before nocache", [D, D, U])
        .to(bing)
        .html("<meta name=robots content='nocache, noarchive'>"),
    case("a family that is not heard", [A, U, U])
        .to(hearing_content_usage)
        .robots("User-agent: *\nContent-Usage: train-ai=y\nContent-Signal: ai-train=no")
        .headers(&[("tdm-reservation", "1")])
        .html("<meta name=robots content='noai, noindex'>"),
];

const DRAFT: &str = "User-agent: *\nAllow: /\nDisallow: /never/\n\
    Content-Usage: train-ai=n\nContent-Usage: /ai-ok/ train-ai=y";

const VECTORS: &[Case] = &[
    case("60: /test", [D, U, U])
        .robots(DRAFT)
        .at("https://example.com/test"),
    case("60: /never/test", [U, U, U])
        .robots(DRAFT)
        .at("https://example.com/never/test"),
    case("60: /ai-ok/test", [A, U, U])
        .robots(DRAFT)
        .at("https://example.com/ai-ok/test"),
    case("61", [U, U, U]).robots("User-agent: *\nContent-Usage: train-ai=y, train-ai"),
    case("61: header", [U, U, U]).headers(&[("Content-Usage", "train-ai=y, train-ai")]),
    case("62", [U, U, U]).robots("User-agent: *\nContent-Usage: Train-AI=n"),
    case("62: header", [U, U, U]).headers(&[("Content-Usage", "Train-AI=n")]),
    case("63", [D, U, U])
        .robots("User-agent: *\nContent-Usage: train-ai=y")
        .headers(&[("Content-Usage", "train-ai=n")]),
    case("64", [D, U, U])
        .robots("User-agent: *\nContent-Usage: /a train-ai=y\nContent-Usage: /a train-ai=n"),
    case("65", [U, U, U]).to(gptbot).robots(
        "User-agent: *\nDisallow:\nContent-Signal: ai-train=no\n\nUser-agent: GPTBot\nAllow: /",
    ),
    case("66: header 0", [U, U, U])
        .tdmrep(ALL_RESERVED)
        .headers(&[("tdm-reservation", "0")]),
    case("66: no header, no META [D]", [D, U, U]).tdmrep(ALL_RESERVED),
    // 67 is about licences: below.
    case("68", [D, D, U]).html("<meta name=robots content=noai>"),
];

#[test]
fn preferences_and_directives_about_ai() {
    check(PREFERENCES);
}

#[test]
fn tokens_object_and_do_not_consent() {
    check(TOKENS);
}

#[test]
fn a_later_carrier_of_a_reservation_overrides() {
    check(RESERVATIONS);
}

#[test]
fn directives_for_search_that_are_about_ai_too() {
    check(DIRECTIVES);
}

#[test]
fn the_most_restrictive_counts() {
    check(COMBINATIONS);
}

#[test]
fn the_vectors() {
    check(VECTORS);
    let hidden = VECTORS.iter().find(|case| case.name == "65").unwrap();
    let warnings = hidden.decide().warnings;
    let kinds: Vec<_> = warnings.iter().map(|warning| warning.kind).collect();
    assert_eq!(kinds, [WarningKind::HiddenByGroup]);
}

#[test]
fn what_replaces_a_statement_silences_it() {
    let rule = MergeRule::new(Precedence::SpecificOverrides, Conflict::Strictest);
    let policy = Policy::under(&Profile::neutral().with_merge(rule), "ExampleBot").unwrap();
    policy.learn(URL, RobotsFetch::Body(b"")).unwrap();
    let html = "<meta name=robots content=noai><meta name=examplebot content=AllowAITraining>";
    let decision = policy.decide(URL, html);
    assert_eq!(uses(&decision), [A, U, U]);
    let expected = [
        (Effect::Ignored, "noai"),
        (Effect::Decides, "AllowAITraining"),
    ];
    assert_eq!(
        effects(&decision, Field::AiTrain),
        expected.map(|(effect, text)| (effect, text.to_owned()))
    );
}

#[test]
fn each_signal_is_a_reason() {
    let case = case("each signal", [D, D, A])
        .robots(
            "User-agent: *\nContent-Usage: train-ai=y\nContent-Usage: search=y\n\
             Content-Signal: ai-train=no, use=full\nDisallowAITraining: /\n",
        )
        .tdmrep(ALL_RESERVED)
        .headers(&[
            ("tdm-reservation", "0"),
            ("Content-Usage", "train-ai=n;a"),
            ("Content-Signal", "AI-Train = yes"),
        ])
        .html("<meta name=robots content='noai, noimageai'>");
    check(&[case]);
    let expected = [
        (
            Effect::Overruled,
            "Content-Usage: train-ai=y (2 lines together)",
        ),
        (Effect::Decides, "Content-Signal: ai-train=no"),
        (Effect::Ignored, "Content-Signal: use=full"),
        (Effect::Agrees, "DisallowAITraining"),
        (Effect::Overruled, "tdm-reservation: 1"),
        (Effect::Overruled, "tdm-reservation: 0"),
        (Effect::Agrees, "train-ai=n;a"),
        (Effect::Overruled, "AI-Train = yes"),
        (Effect::Agrees, "noai"),
        (Effect::Ignored, "noimageai"),
    ];
    assert_eq!(
        case.effects(Field::AiTrain),
        expected.map(|(effect, text)| (effect, text.to_owned()))
    );
    let sources: Vec<_> = case
        .decide()
        .reasons_for(Field::AiTrain)
        .map(|reason| reason.source.to_string())
        .collect();
    assert_eq!(sources[0], "robots.txt line 2");
    assert_eq!(sources[3], "robots.txt line 5");
    assert_eq!(sources[4], "tdmrep.json entry 0");
    assert_eq!(sources[8], "META at byte 0");
}

#[test]
fn a_token_gives_its_rule_as_the_reason() {
    let case = case("", [D, U, U])
        .to(with_token)
        .robots("User-agent: ExampleAI\nDisallow: /");
    let text = "Disallow: / (group of ExampleAI)".to_owned();
    assert_eq!(case.effects(Field::AiTrain), [(Effect::Decides, text)]);
    assert_eq!(case.effects(Field::AiInput), []);
}

#[test]
fn what_is_not_heard_is_told_as_ignored() {
    let case = COMBINATIONS
        .iter()
        .find(|case| case.name == "a family that is not heard")
        .unwrap();
    let effects: Vec<_> = case
        .effects(Field::AiTrain)
        .iter()
        .map(|(effect, _)| *effect)
        .collect();
    let ignored = Effect::Ignored;
    assert_eq!(effects, [Effect::Decides, ignored, ignored, ignored]);
}

#[test]
fn that_nothing_is_reserved_leaves_the_question_open() {
    let case = case("", [U, U, U]).headers(&[("tdm-reservation", "0")]);
    let text = "tdm-reservation: 0".to_owned();
    assert_eq!(case.effects(Field::AiTrain), [(Effect::Decides, text)]);
}

#[test]
fn what_is_not_to_be_fetched_has_licences_and_no_preferences() {
    let case = case("", [U, U, U]).robots(
        "User-agent: *\nDisallow: /\nContent-Usage: train-ai=n\n\
         License: https://example.com/terms",
    );
    let decision = case.decide();
    assert_eq!(uses(&decision), case.expected);
    assert_eq!(decision.licenses, ["https://example.com/terms"]);
    let refused = [(Effect::Decides, "not to be fetched".to_owned())];
    for field in [Field::AiTrain, Field::AiInput, Field::AiSearch] {
        assert_eq!(effects(&decision, field), refused);
    }
    // Not even a default holds.
    let policy = with(AiRules::new().with_default(AiUse::Disallow));
    let robots = RobotsFetch::Body(b"User-agent: *\nDisallow: /");
    policy.learn(URL, robots).unwrap();
    assert_eq!(uses(&policy.decide_page(&Page::new(URL))), [U, U, U]);
}

#[test]
fn nothing_is_allowed_before_all_is_heard() {
    let said = [("Content-Usage", "train-ai=y, search=n")];
    let page = || {
        Page::new(URL)
            .with_status(200)
            .with_headers(said)
            .with_html(b"<title>a</title>")
    };
    let read = neutral();
    read.learn(URL, RobotsFetch::Status(404)).unwrap();
    assert_eq!(uses(&read.decide_page(&page())), [A, U, D]);
    let unknown = neutral().decide_page(&page());
    let cut = read.decide_page(&page().cut_short());
    let unread = Page::new(URL).with_status(200).with_headers(said);
    let unread = read.decide_page(&unread);
    for (decision, text) in [
        (unknown, "robots.txt is not known"),
        (cut, "not all of it was heard"),
        (unread, "not read"),
    ] {
        assert_eq!(uses(&decision), [U, U, D], "{text}");
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
fn a_default_holds_where_nobody_speaks() {
    let with_default = |default, headers: &[(&'static str, &'static str)], fetch| {
        let policy = with(AiRules::new().with_default(default));
        policy.learn(URL, fetch).unwrap();
        let page = Page::new(URL)
            .with_status(200)
            .with_headers(headers.iter().copied())
            .with_html(b"<title>a</title>");
        let decision = policy.decide_page(&page);
        (uses(&decision), effects(&decision, Field::AiInput).len())
    };
    let (known, unknown) = (RobotsFetch::Body(b""), RobotsFetch::NotFetched);
    assert_eq!(with_default(A, &[], known), ([A, A, A], 0));
    assert_eq!(with_default(D, &[], known), ([D, D, D], 0));
    let said = [("Content-Signal", "ai-train=no, ai-input=yes")];
    assert_eq!(with_default(A, &said, known), ([D, A, A], 1));
    assert_eq!(with_default(D, &said, known), ([D, A, D], 1));
    // What was not heard could forbid.
    assert_eq!(with_default(A, &[], unknown), ([U, U, U], 0));
    assert_eq!(with_default(D, &[], unknown), ([D, D, D], 0));
}

#[test]
fn licences_are_listed_once_in_the_order_of_their_carriers() {
    let case = case("67", [D, U, U])
        .robots(
            "License: https://example.com/all\nUser-agent: *\nLicense: https://example.com/some\n\
             Disallow: /x",
        )
        .headers(&[
            ("tdm-reservation", "1"),
            ("tdm-policy", "https://example.com/mining"),
            ("Link", "</terms.xml>; rel=license, <>; rel=license"),
            ("Link", "<https://example.com/some>; rel=\"license\""),
        ]);
    let decision = case.decide();
    assert_eq!(uses(&decision), case.expected);
    let licenses = [
        "https://example.com/some",
        "/terms.xml",
        "https://example.com/mining",
    ];
    assert_eq!(decision.licenses, licenses);
    let expected = [
        (Effect::Decides, "License: https://example.com/some"),
        (Effect::Decides, "/terms.xml"),
        (Effect::Agrees, "https://example.com/some"),
        (Effect::Decides, "tdm-policy: https://example.com/mining"),
    ];
    assert_eq!(
        effects(&decision, Field::Licenses),
        expected.map(|(effect, text)| (effect, text.to_owned()))
    );
    // A licence outside every group is for those that have none of their own.
    let global = "License: https://example.com/all\nUser-agent: *\nDisallow: /x";
    let decision = Case {
        robots: global,
        headers: &[],
        ..case
    }
    .decide();
    assert_eq!(decision.licenses, ["https://example.com/all"]);
}

/// What is said of mining by tdmrep.json, headers and METAs, and which policy is in force.
struct Mining {
    tdmrep: &'static str,
    headers: &'static [(&'static str, &'static str)],
    html: &'static str,
    policy: Option<&'static str>,
    is_warned: bool,
}

const MINING: &[Mining] = &[
    Mining {
        tdmrep: r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/file"}]"#,
        headers: &[],
        html: "<title>a</title>",
        policy: Some("/file"),
        is_warned: false,
    },
    // What a header leaves out stays.
    Mining {
        tdmrep: r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/file"}]"#,
        headers: &[("tdm-reservation", "1")],
        html: "<title>a</title>",
        policy: Some("/file"),
        is_warned: false,
    },
    Mining {
        tdmrep: ALL_RESERVED,
        headers: &[("tdm-policy", "/header")],
        html: "<title>a</title>",
        policy: Some("/header"),
        is_warned: false,
    },
    Mining {
        tdmrep: r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/file"}]"#,
        headers: &[("tdm-reservation", "1"), ("tdm-policy", "/header")],
        html: "<meta name=tdm-policy content=' /meta '>",
        policy: Some("/meta"),
        is_warned: false,
    },
    Mining {
        tdmrep: r#"[{"location": "/", "tdm-reservation": 1, "tdm-policy": "/file"}]"#,
        headers: &[],
        html: "<meta name=tdm-reservation content=0>",
        policy: None,
        is_warned: true,
    },
    // The policy of a carrier that reserves nothing is ignored.
    Mining {
        tdmrep: r#"[{"location": "/", "tdm-reservation": 0, "tdm-policy": "/file"}]"#,
        headers: &[("tdm-reservation", "1")],
        html: "<title>a</title>",
        policy: None,
        is_warned: true,
    },
    Mining {
        tdmrep: "[]",
        headers: &[("tdm-policy", "/header")],
        html: "<title>a</title>",
        policy: None,
        is_warned: true,
    },
];

#[test]
fn the_policy_in_force_is_a_licence_where_mining_is_reserved() {
    for (index, mining) in MINING.iter().enumerate() {
        let decision = case("", [U, U, U])
            .tdmrep(mining.tdmrep)
            .headers(mining.headers)
            .html(mining.html)
            .decide();
        let licenses: Vec<_> = mining.policy.into_iter().collect();
        assert_eq!(decision.licenses, licenses, "{index}");
        let is_warned = decision
            .warnings
            .iter()
            .any(|warning| warning.kind == WarningKind::PolicyWithoutReservation);
        assert_eq!(is_warned, mining.is_warned, "{index}");
        let deciding = effects(&decision, Field::Licenses)
            .iter()
            .filter(|(effect, _)| *effect == Effect::Decides)
            .count();
        assert_eq!(deciding, licenses.len(), "{index}");
    }
}

#[test]
fn a_policy_is_no_mistake_where_a_reservation_may_be_elsewhere() {
    let policy = neutral();
    policy.learn(URL, RobotsFetch::Body(b"")).unwrap();
    let page = Page::new(URL)
        .with_headers([("tdm-policy", "/header")])
        .with_html(b"<title>a</title>");
    // tdmrep.json is not known.
    let decision = policy.decide_page(&page);
    assert!(decision.licenses.is_empty());
    assert!(decision.warnings.is_empty());
    // A family that is not heard names no licences either.
    let policy = hearing_content_usage();
    policy.learn(URL, RobotsFetch::Body(b"")).unwrap();
    let tdmrep = Tdmrep::parse(ALL_RESERVED.as_bytes()).unwrap();
    let decision = policy.decide_page(&page.with_tdmrep(&tdmrep));
    assert!(decision.licenses.is_empty());
    assert!(decision.warnings.is_empty());
    let ignored = [(Effect::Ignored, "tdm-policy: /header".to_owned())];
    assert_eq!(effects(&decision, Field::Licenses), ignored);
}

#[test]
fn so_many_licences_are_listed_at_the_most() {
    let of = |count: usize| {
        let lines: Vec<_> = (0..count)
            .map(|number| format!("License: https://example.com/{number}"))
            .collect();
        let robots = format!("User-agent: *\n{}", lines.join("\n"));
        let policy = neutral();
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
    assert_eq!(of(MAX_LICENSES - 1), (MAX_LICENSES - 1, false));
    assert_eq!(of(MAX_LICENSES), (MAX_LICENSES, false));
    assert_eq!(of(MAX_LICENSES + 1), (MAX_LICENSES, true));
    assert_eq!(of(2 * MAX_LICENSES), (MAX_LICENSES, true));
}

#[test]
fn without_reasons_the_answers_are_the_same() {
    let tables = [
        PREFERENCES,
        TOKENS,
        RESERVATIONS,
        DIRECTIVES,
        COMBINATIONS,
        VECTORS,
    ];
    for case in tables.into_iter().flatten() {
        let policy = (case.who)().without_reasons();
        policy
            .learn(case.url, RobotsFetch::Body(case.robots.as_bytes()))
            .unwrap();
        let tdmrep = Tdmrep::parse(case.tdmrep.as_bytes()).unwrap();
        let page = Page::new(case.url)
            .with_status(200)
            .with_headers(case.headers.iter().copied())
            .with_html(case.html.as_bytes())
            .with_tdmrep(&tdmrep);
        let decision = policy.decide_page(&page);
        assert_eq!(uses(&decision), case.expected, "{}", case.name);
        assert!(decision.reasons.is_empty(), "{}", case.name);
        assert_eq!(decision.licenses, case.decide().licenses, "{}", case.name);
    }
}

#[test]
fn what_others_overrule_or_nobody_honours_says_nothing_of_ai_either() {
    let search = |profile: &Profile, html: &str| {
        let policy = Policy::under(profile, profile.agent()).unwrap();
        policy
            .learn("https://a.example/", RobotsFetch::Status(404))
            .unwrap();
        let page = Page::new("https://a.example/")
            .with_status(200)
            .with_html(html.as_bytes());
        policy.decide_page(&page).ai_search
    };
    let (noindex, both) = (
        "<meta name=robots content=noindex>",
        "<meta name=robots content='index, noindex'>",
    );
    assert_eq!(search(&Profile::neutral(), noindex), AiUse::Disallow);
    assert_eq!(search(&Profile::neutral(), both), AiUse::Disallow);
    assert_eq!(search(&Profile::yandex(), noindex), AiUse::Disallow);
    assert_eq!(search(&Profile::yandex(), both), AiUse::Unknown);
    assert_eq!(search(&Profile::baidu(), noindex), AiUse::Unknown);
}
