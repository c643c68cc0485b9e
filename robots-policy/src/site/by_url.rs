//! Rules whose meaning depends on the URL of their file: absolute URLs, under a dialect that accepts them
//! ([`Dialect::depends_on_url`]; `docs/semantics.md`, section 3.4).
//!
//! Equal files of many sites are compiled once, without their URL. A file in which a rule may be an absolute URL also keeps
//! its text, and is compiled again for each of its URLs. The results for the last [`MAX_URLS`] of them are kept.

use super::SiteRules;
use robots_txt::parse::Field;
use robots_txt::{Agent, Dialect, RobotsTxt};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of URLs for which the compiled rules of a file are kept.
pub(super) const MAX_URLS: usize = 8;

/// A file whose rules may depend on its URL, with its rules at the last URLs.
#[derive(Debug, Clone)]
pub(super) struct RulesByUrl {
    robots: RobotsTxt,
    agent: Agent<'static>,
    /// By URL, the oldest first.
    compiled: Arc<Mutex<VecDeque<(String, SiteRules)>>>,
}

impl RulesByUrl {
    /// Returns the file if its rules may depend on its URL; otherwise `None`. They may if the dialect accepts absolute URLs in
    /// rules, and the value of a rule has a colon or two slashes. Under such a dialect, takes time linear in the lines.
    pub(super) fn of(
        robots: &RobotsTxt,
        agent: &Agent<'static>,
        dialect: &Dialect,
    ) -> Option<Self> {
        let may_be_url = |value: &[u8]| {
            value.contains(&b':') || value.windows(2).any(|slashes| slashes == b"//")
        };
        // A dialect that accepts names by their prefix reads `DisallowAITraining` as `Disallow`.
        let is_rule = |field| {
            use Field::{Allow, AllowAiTraining, Disallow, DisallowAiTraining};
            matches!(
                field,
                Allow | AllowAiTraining | Disallow | DisallowAiTraining
            )
        };
        let may_have_url = || {
            let mut lines = robots.lines();
            lines.any(|line| is_rule(line.field()) && may_be_url(line.value()))
        };
        (dialect.depends_on_url() && may_have_url()).then(|| Self {
            robots: robots.clone(),
            agent: agent.clone(),
            compiled: Arc::default(),
        })
    }

    /// Returns the rules of the file at a URL. Calls `compile` if they are not kept.
    pub(super) fn at(
        &self,
        url: &str,
        compile: impl FnOnce(&RobotsTxt, &Agent<'_>) -> SiteRules,
    ) -> SiteRules {
        let lock = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, rules)) = lock().iter().find(|(known, _)| known == url) {
            return rules.clone();
        }
        // The lock is not held during compilation: other threads need not wait for it.
        let rules = compile(&self.robots.clone().with_url(url), &self.agent);
        // Another thread may have added the same URL meanwhile. Two equal entries do no harm.
        let mut compiled = lock();
        if compiled.len() >= MAX_URLS {
            compiled.pop_front();
        }
        compiled.push_back((url.to_owned(), rules.clone()));
        rules
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decision::AiUse;
    use crate::origins::Origin;
    use crate::robots::RobotsState;
    use crate::{Fetch, Page, Policy, Profile, RobotsFetch};
    use robots_txt::Target;

    fn duckduckbot() -> Policy {
        Policy::under(&Profile::duckduckgo(), "DuckDuckBot").unwrap()
    }

    #[test]
    fn an_absolute_url_applies_to_its_own_site_at_every_entry_point() {
        let body = b"User-agent: *\nDisallow: http://a.example/x\nDisallow: //b.example/x\n";
        let sites = [
            ("http://a.example/x", Fetch::Disallow),
            ("https://a.example/x", Fetch::Allow),
            ("http://b.example/x", Fetch::Disallow),
            ("https://b.example/x", Fetch::Disallow),
            ("http://b.example:8080/x", Fetch::Allow),
            ("http://c.example/x", Fetch::Allow),
        ];
        let policy = duckduckbot();
        let compiled = RobotsState::Rules(policy.compile(body));
        let kept = policy.compile_to_bytes(body);
        let loaded = RobotsState::Rules(policy.load(&kept).unwrap());
        for (url, expected) in sites {
            let page = Page::new(url);
            policy.learn(url, RobotsFetch::Body(body)).unwrap();
            assert_eq!(policy.decide_page(&page).fetch, expected, "{url}");
            for robots in [&compiled, &loaded, &policy.robots(RobotsFetch::Body(body))] {
                assert_eq!(policy.decide_under(robots, &page).fetch, expected, "{url}");
            }
            // The file that is parsed with its URL gives the same answer.
            let origin = Origin::of(url).unwrap();
            let direct = RobotsTxt::parse(body)
                .with_url(&origin.robots_url())
                .rules("DuckDuckBot", &Dialect::WWW_ROBOT_RULES);
            let is_allowed = direct.verdict(&Target::new(url)).is_allowed();
            assert_eq!(is_allowed, expected == Fetch::Allow, "{url}");
        }
    }

    #[test]
    fn the_rules_of_usage_tokens_depend_on_the_site_too() {
        let body = b"User-agent: GPTBot\nDisallow: http://a.example/x\n";
        let policy = Policy::under(&Profile::any_ai_trainer(), "a").unwrap();
        let policy = policy.with_dialect(Dialect::WWW_ROBOT_RULES);
        let robots = RobotsState::Rules(policy.compile(body));
        let ai_train = |url| policy.decide_under(&robots, &Page::new(url)).ai_train;
        assert_eq!(ai_train("http://a.example/x"), AiUse::Disallow);
        assert_eq!(ai_train("http://b.example/x"), AiUse::Unknown);
    }

    #[test]
    fn a_file_is_kept_only_if_a_rule_may_be_a_url() {
        let is_kept = |policy: &Policy, body: &str| {
            let compiled = policy.compile(body.as_bytes());
            !compiled.is_rules_alone()
        };
        for (body, expected) in [
            ("User-agent: *\nDisallow: http://a.example/x", true),
            ("User-agent: *\nDisallow: //a.example/x", true),
            ("User-agent: *\nDisallow: <//a.example/x>", true),
            (
                "User-agent: *\nDisallow: /x\nSitemap: http://a.example/s",
                false,
            ),
            ("User-agent: *\nDisallow: x", false),
        ] {
            assert_eq!(is_kept(&duckduckbot(), body), expected, "{body}");
            assert!(!is_kept(&Policy::new("a").unwrap(), body), "{body}");
        }
    }

    #[test]
    fn the_rules_at_eight_urls_are_kept() {
        let compiled = duckduckbot().compile(b"User-agent: *\nDisallow: http://a.example/x");
        let rules_of = |site: usize| {
            let url = format!("http://s{site}.example/robots.txt");
            compiled.at_url(&url).rules().clone()
        };
        let kept = || {
            let by_url = compiled.by_url().unwrap();
            by_url.compiled.lock().unwrap().len()
        };
        for (sites, expected) in [
            (MAX_URLS - 1, MAX_URLS - 1),
            (MAX_URLS, MAX_URLS),
            (MAX_URLS + 1, MAX_URLS),
        ] {
            for site in 0..sites {
                let target = Target::new("/x");
                assert!(rules_of(site).verdict(&target).is_allowed());
            }
            assert_eq!(kept(), expected);
        }
    }
}
