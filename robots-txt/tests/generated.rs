//! Compiled rules agree with the reference, verdict and line, under every dialect, on files that
//! resemble real files.
//!
//! A few thousand cases are generated from a fixed seed. `ROBOTS_CASES=1000000` sets their number for
//! each dialect (use `--release`); `ROBOTS_SEED` sets another seed.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test: an overflow or a panic fails it"
)]

mod generator;

use generator::FileGenerator;
use proptest::prelude::*;
use robots_txt::dialect::{
    AgentList, AgentMatch, AllowRules, ByteOrderMark, EmptyPattern, Encoding, FieldNames,
    GroupChoice, GroupEnd, IndexPage, LineEnd, NulByte, PatternSyntax, RuleOrder, RulesBeforeAgent,
    Separator,
};
use robots_txt::robots_usage::Preference;
use robots_txt::{Agent, Dialect, RobotsTxt, Rules, Target};

/// The greatest number of rules that are sorted when they are compiled: that of the crate's rule index.
const FEW_RULES: usize = 12;

/// The number of targets after which more rules than [`FEW_RULES`] are sorted: that of the crate's rule
/// index.
const UNSORTED_SEARCHES: usize = 16;

/// Returns the number in an environment variable, or `default` if it is not set.
fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => default,
    }
}

/// Asserts that the compiled rules have the verdict of the reference. Returns whether the URL is allowed,
/// and whether a line decides.
fn check(
    robots: &RobotsTxt,
    agent: &Agent<'_>,
    dialect: &Dialect,
    url: &(impl AsRef<[u8]> + ?Sized),
) -> (bool, bool) {
    let url = url.as_ref();
    let target = Target::new(url);
    let rules = robots.rules(agent, dialect);
    let verdict = rules.verdict(&target);
    let expected = robots_reference::verdict(robots, agent, dialect, url);
    assert!(
        (verdict.is_allowed(), verdict.line()) == (expected.is_allowed, expected.line),
        "{} on {} for {agent:?}: {verdict}, expected {expected:?}\n{}",
        dialect.name(),
        url.escape_ascii(),
        robots.body().escape_ascii()
    );
    // Ask until many rules are sorted: the verdict must stay.
    if rules.iter().len() > FEW_RULES {
        for _ in 0..UNSORTED_SEARCHES {
            assert_eq!(rules.verdict(&target), verdict);
        }
    }
    // The first rule that matches decides.
    let first = rules.matching(&target).next().map(|rule| rule.line());
    assert_eq!(first, verdict.line());
    // Rules loaded from bytes agree.
    let loaded = Rules::from_bytes(rules.to_bytes(), dialect).expect("they were just written");
    let loaded = loaded.verdict(&target);
    assert_eq!(
        (loaded.is_allowed(), loaded.line()),
        (verdict.is_allowed(), verdict.line())
    );
    (expected.is_allowed, expected.line.is_some())
}

/// Dialects that are not constants: they combine switches that the constants set separately.
fn custom() -> [Dialect; 11] {
    [
        Dialect::RFC9309
            .with_agent_list(AgentList::Commas)
            .with_encoding(Encoding::RfcTable)
            .with_line_end(LineEnd::LineFeed)
            .with_size_limit(Some(200)),
        Dialect::GOOGLE
            .with_line_limit(Some(24))
            .with_rule_order(RuleOrder::First)
            .with_agent_match(AgentMatch::RfcToken),
        Dialect::CONNER_1996
            .with_group_choice(GroupChoice::All)
            .with_encoding(Encoding::Decoded),
        Dialect::WWW_ROBOT_RULES
            .with_pattern_syntax(PatternSyntax::Wildcards)
            .with_allow_rules(AllowRules::Obeyed)
            .with_rule_order(RuleOrder::Longest),
        Dialect::BAIDU
            .with_rule_order(RuleOrder::AllowFirst)
            .with_index_page(IndexPage::StandsForFolder)
            .with_separator(Separator::ColonOrSpace),
        Dialect::YANDEX
            .with_size_limit(Some(400))
            .with_byte_order_mark(ByteOrderMark::Keep)
            .with_empty_pattern(EmptyPattern::Ignored),
        Dialect::PYTHON_ROBOTPARSER
            .with_byte_order_mark(ByteOrderMark::Skip)
            .with_rules_before_agent(RulesBeforeAgent::DefaultGroup)
            .with_agent_list(AgentList::Commas)
            .with_pattern_syntax(PatternSyntax::Wildcards)
            .with_index_page(IndexPage::StandsForFolder)
            .with_rule_order(RuleOrder::Longest),
        Dialect::BING
            .with_group_end(GroupEnd::AgentOrEmptyLine)
            .with_size_limit(Some(300))
            .with_encoding(Encoding::Quoted)
            .with_nul_byte(NulByte::EndsText)
            .with_empty_pattern(EmptyPattern::Ignored),
        Dialect::PROTEGO
            .with_agent_list(AgentList::Commas)
            .with_agent_match(AgentMatch::LineInName)
            .with_field_names(FieldNames::PrefixesAndTypos)
            .with_rules_before_agent(RulesBeforeAgent::DefaultGroup)
            .with_encoding(Encoding::Exact),
        Dialect::BAIDU
            .with_agent_match(AgentMatch::LineInWords)
            .with_field_names(FieldNames::Typos)
            .with_pattern_syntax(PatternSyntax::WildcardsOrDollar)
            .with_index_page(IndexPage::HtmlStandsForFolder),
        Dialect::GOOGLE
            .with_separator(Separator::ColonOrWords)
            .with_group_choice(GroupChoice::LongestName)
            .with_pattern_syntax(PatternSyntax::Prefix)
            .with_encoding(Encoding::Requoted),
    ]
}

#[test]
fn compiled_rules_agree_with_the_reference() {
    let cases = number("ROBOTS_CASES", 4_000);
    let seed = number("ROBOTS_SEED", 1);
    for dialect in Dialect::ALL.iter().chain(&custom()) {
        let mut generator = FileGenerator::new(seed);
        let (mut asked, mut denied, mut decided) = (0, 0, 0);
        while asked < cases {
            let file = generator.file();
            let robots = RobotsTxt::parse(&file.body).with_url("https://example.com/robots.txt");
            for _ in 0..8 {
                let agent = generator.agent();
                let url = generator.url(&file);
                let (is_allowed, has_line) = check(&robots, &agent, dialect, &url);
                asked += 1;
                denied += u64::from(!is_allowed);
                decided += u64::from(has_line);
            }
        }
        println!(
            "{}: {asked} cases, {denied} disallowed, {decided} decided by a line",
            dialect.name()
        );
        // At least one case in 40 must be disallowed: cases that are all allowed would test nothing.
        assert!(denied * 40 > asked, "{}: {denied}", dialect.name());
    }
}

/// docs/semantics.md, section 1.4: an octet and its escapes are one, in rules and in URLs, but for eleven reserved ones.
#[test]
fn an_octet_and_its_escapes_are_one() {
    let octet_forms = |octet: u8| {
        let escape = format!("%{octet:02X}");
        let lower_case = escape.to_ascii_lowercase();
        [vec![octet], escape.into_bytes(), lower_case.into_bytes()]
    };
    let is_reading = |dialect: &&Dialect| {
        matches!(
            dialect.encoding(),
            Encoding::Unreserved | Encoding::RfcTable
        )
    };
    let agent = Agent::from("a");
    let customs = custom();
    let dialects: Vec<&Dialect> = Dialect::ALL
        .iter()
        .chain(&customs)
        .filter(is_reading)
        .collect();
    assert!(dialects.len() >= 7, "{}", dialects.len());
    for octet in 0..=u8::MAX {
        for (of_rule, in_rule) in octet_forms(octet).iter().enumerate() {
            // It would end the line, begin a comment, or match anything.
            if of_rule == 0 && b"\n\r#*".contains(&octet) {
                continue;
            }
            for (of_url, in_url) in octet_forms(octet).iter().enumerate() {
                // It would begin a fragment.
                if of_url == 0 && octet == b'#' {
                    continue;
                }
                for start in [&b"/a"[..], b"/q?a", b"/q?a=b"] {
                    let rule = [b"User-agent: *\nDisallow: ", start, in_rule, b"z"].concat();
                    let url = [start, in_url, b"z"].concat();
                    let robots = RobotsTxt::parse(&rule);
                    for dialect in &dialects {
                        let is_two = b":/?@!&'()+,;=".contains(&octet)
                            // The table of the RFC encodes these two where they are data.
                            && !(dialect.encoding() == Encoding::RfcTable
                                && start.contains(&b'=')
                                && b":/".contains(&octet));
                        let matches = !is_two || (of_rule == 0) == (of_url == 0);
                        let (is_allowed, _) = check(&robots, &agent, dialect, &url);
                        let case = [&rule[..], b" and ", &url].concat();
                        assert_eq!(
                            is_allowed,
                            !matches,
                            "{}: {}",
                            dialect.name(),
                            case.escape_ascii()
                        );
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1024, failure_persistence: None, ..ProptestConfig::default() })]

    /// The lines about training decide as those about fetching with the same paths do.
    #[test]
    fn training_is_decided_as_fetching_is(
        lines in prop::collection::vec("(Allow|Disallow)AITraining: /[ab*]{0,3}\\$?", 0..8),
        url in "/[ab]{0,4}",
    ) {
        let body = format!("User-agent: *\n{}", lines.join("\n"));
        let robots = RobotsTxt::parse(&body);
        let extensions = robots.extensions_for("ExampleBot", &Dialect::RFC9309);
        let found = extensions.preferences().ai_training(&Target::new(&url));
        let rules = RobotsTxt::parse(body.replace("AITraining", ""));
        let expected = robots_reference::verdict(&rules, "ExampleBot", &Dialect::RFC9309, &url);
        prop_assert_eq!(found.map(|(line, _)| line), expected.line);
        let is_allowed = found.is_none_or(|(_, preference)| preference == Preference::Allow);
        prop_assert_eq!(is_allowed, expected.is_allowed);
    }
}
