//! The verdict on a URL.

use super::outcome::Outcome;
use super::reading::AgentRules;
use robots_policy::Profile;
use robots_txt::dialect::Switch;
use robots_txt::{RobotsTxt, Rule, Target, Verdict};
use serde_json::{Value, json};
use std::cell::OnceCell;
use std::rc::Rc;

/// The verdict on a URL for a robot under a reading.
#[derive(Debug)]
#[non_exhaustive]
pub struct UrlVerdict<'a> {
    /// The rules of the robot.
    pub rules: &'a AgentRules<'a>,
    /// The verdict by the rules of the file.
    pub verdict: Verdict<'a>,
    /// What counts in place of this verdict, if the site has no rules.
    pub(super) outcome: Option<Outcome<'a>>,
    /// The switches that make the verdict differ from that of the first reading.
    pub differs_by: Vec<Switch>,
    /// The other rules that match, once they were needed. Verdicts for robots with the same rules share them.
    runners_up: Rc<OnceCell<Vec<Rule<'a>>>>,
}

impl<'a> UrlVerdict<'a> {
    /// Returns the verdict on a target.
    pub fn new(rules: &'a AgentRules<'a>, target: &Target<'_>) -> Self {
        Self {
            rules,
            verdict: rules.rules.verdict(target),
            outcome: None,
            differs_by: Vec::new(),
            runners_up: Rc::default(),
        }
    }

    /// Returns the verdict on the same target for another robot; `None` if its rules are others.
    pub(super) fn for_other(&self, rules: &'a AgentRules<'a>) -> Option<Self> {
        Some(Self {
            rules,
            verdict: rules.rules.verdict_as(&self.rules.rules, &self.verdict)?,
            outcome: None,
            differs_by: Vec::new(),
            runners_up: Rc::clone(&self.runners_up),
        })
    }

    /// Returns whether the URL may be fetched.
    pub fn is_allowed(&self) -> bool {
        let outcome = self.outcome.as_ref().map(|outcome| outcome.is_allowed);
        outcome.unwrap_or_else(|| self.verdict.is_allowed())
    }

    /// Returns whether the rules of a file decide, not the outcome of the request for it.
    pub fn is_of_file(&self) -> bool {
        self.outcome.is_none()
    }

    /// Returns the rule that decides; `None` if none does.
    pub fn rule(&self) -> Option<Rule<'a>> {
        self.verdict.rule().filter(|_| self.is_of_file())
    }

    /// Returns the reason in words; that of a rule has its line.
    pub fn reason(&self) -> String {
        let outcome = self.outcome.as_ref().map(Outcome::explanation);
        outcome.unwrap_or_else(|| self.verdict.reason().to_string())
    }

    /// Returns the other rules that match the target of the verdict, in the order in which they would decide. Tries every rule,
    /// unless none decides; once for all robots with the same rules.
    pub fn runners_up(&self, target: &Target<'_>) -> &[Rule<'a>] {
        self.runners_up.get_or_init(|| {
            // Without a rule that decides, no rule matches.
            let matching = self
                .verdict
                .rule()
                .map(|_| self.rules.rules.matching(target));
            matching.into_iter().flatten().skip(1).collect()
        })
    }

    /// Compares the verdict with that of the first reading for the same robot.
    pub(super) fn compare(&mut self, first: &Self, robots: &RobotsTxt, target: &Target<'_>) {
        let differs = first.verdict.is_allowed() != self.verdict.is_allowed();
        if differs && first.rules.agent == self.rules.agent {
            let dialects = [&first.rules.reading.dialect, &self.rules.reading.dialect];
            self.differs_by = robots.cause_of_divergence(&self.rules.agent, dialects, target);
        }
    }
}

/// Returns the answer about a URL that cannot be read, with the reason; without the URL if it is too long to be repeated.
pub fn url_error_answer(url: Option<&str>, error: &str) -> Value {
    json!({"url": url, "allowed": null, "error": error})
}

/// Returns a verdict on a URL with its question. `robots check --help` describes the keys.
pub fn url_verdict_answer(url: &str, url_verdict: &UrlVerdict<'_>, target: &Target<'_>) -> Value {
    let UrlVerdict { rules, verdict, .. } = url_verdict;
    let (agent, dialect) = (rules.agent.name(), rules.reading.dialect.name());
    let profile = rules.reading.profile.as_ref().map(Profile::name);
    if let Some(outcome) = &url_verdict.outcome {
        let (fault, fault_text) = outcome.fault.unzip();
        return json!({
            "url": url,
            "agent": agent,
            "dialect": dialect,
            "profile": profile,
            "allowed": outcome.is_allowed,
            "reason": outcome.reason,
            "cause": outcome.cause,
            "fault": fault,
            "fault_text": fault_text,
        });
    }
    let rule = verdict.rule();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let kind = |rule: &Rule<'_>| rule.kind().name();
    let runners_up = url_verdict
        .runners_up(target)
        .iter()
        .map(|rule| json!({"line": rule.line(), "rule": kind(rule), "pattern": text(rule.text())}));
    let mut answer = json!({
        "url": url,
        "agent": agent,
        "dialect": dialect,
        "profile": profile,
        "allowed": verdict.is_allowed(),
        "reason": verdict.reason().name(),
        "line": verdict.line(),
        "rule": rule.as_ref().map(kind),
        "pattern": rule.map(|rule| text(rule.text())),
        "group": rule.map(|rule| text(rule.agent())),
        "group_line": rule.and_then(|rule| rule.agent_line()),
        "runners_up": runners_up.collect::<Vec<_>>(),
    });
    let differs_by = url_verdict.differs_by.iter().map(|switch| switch.name());
    if !url_verdict.differs_by.is_empty() {
        answer["differs_by"] = differs_by.collect();
    }
    answer
}
