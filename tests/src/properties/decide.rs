//! A decision from four sources, under every profile. It is the same without reasons, and with rules from the store. A field
//! with statements has one that decides it. A page that may not be fetched may be indexed by its URL only.
//!
//! The input is four texts with NUL between them: robots.txt, header lines, HTML, tdmrep.json.
use robots_meta::Timestamp;
use robots_policy::decision::{Effect, Field};
use robots_policy::limits::{MAX_REASONS, MAX_WARNINGS};
use robots_policy::site::Tdmrep;
use robots_policy::{Decision, Fetch, Index, Page, Policy, Profile, RobotsFetch};

const URL: &str = "https://example.com/a/b?c=d";

/// Returns a decision without its reasons and warnings.
fn silent(decision: &Decision) -> Decision {
    let mut silent = decision.clone();
    silent.reasons.clear();
    silent.warnings.clear();
    silent
}

fn check_decision(decision: &Decision) {
    assert!(decision.reasons.len() <= MAX_REASONS + 64);
    assert!(decision.warnings.len() <= MAX_WARNINGS);
    for field in [Field::Fetch, Field::Index, Field::Follow, Field::AiTrain] {
        let of = |effect| {
            decision
                .reasons_for(field)
                .filter(|reason| reason.effect == effect)
                .count()
        };
        assert!(of(Effect::Decides) <= 1, "{field}: {}", decision.explain());
        let has_others = of(Effect::Agrees) + of(Effect::Overruled) > 0;
        assert!(
            !has_others || of(Effect::Decides) == 1,
            "{field}: {}",
            decision.explain()
        );
    }
    if decision.fetch == Fetch::Disallow {
        assert_eq!(decision.index, Index::UrlOnly);
    }
    let _ = decision.explain().to_string();
}

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut parts = data.splitn(4, |&byte| byte == 0);
    let mut part = || parts.next().unwrap_or_default();
    let (robots, headers, html, tdmrep) = (part(), part(), part(), part());
    let headers = String::from_utf8_lossy(headers);
    let tdmrep = Tdmrep::parse(tdmrep).ok();
    for profile in Profile::all() {
        let agent = profile.agent();
        let explained = Policy::under(&profile, agent).unwrap();
        let unexplained = Policy::under(&profile, agent).unwrap().without_reasons();
        let mut page = Page::new(URL)
            .with_status(200)
            .with_headers(headers.lines().filter_map(|line| line.split_once(": ")))
            .with_html(html)
            .at(Timestamp::from_seconds(1_800_000_000));
        if let Some(tdmrep) = &tdmrep {
            page = page.with_tdmrep(tdmrep);
        }
        let state = explained.robots(RobotsFetch::Body(robots));
        let decision = explained.decide_under(&state, &page);
        check_decision(&decision);
        let other = unexplained.decide_under(&state, &page);
        assert!(other.reasons.is_empty() && other.warnings.is_empty());
        assert_eq!(
            silent(&decision).explain().to_string(),
            other.explain().to_string()
        );
        // The store keeps the rules.
        explained.learn(URL, RobotsFetch::Body(robots)).unwrap();
        assert_eq!(explained.decide_page(&page), decision);
    }
}
