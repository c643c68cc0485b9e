//! robots.txt files, and the rules of robots.

use crate::exchange::{Answer, Failure, Result, json, text};
use crate::object::{Object, Objects};
use robots_policy::Profile;
use robots_policy::profile::dialect_of_name;
use robots_txt::analysis::{self, PathVerdict};
use robots_txt::select::ProductTokenError;
use robots_txt::{Agent, Dialect, ProductToken, RobotsTxt, Rule, Target};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as value};

/// The arguments of a function that has none.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArguments {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileArguments {
    url: Option<String>,
}

pub(crate) fn parse(_: &mut Objects, _: u32, arguments: FileArguments, body: &[u8]) -> Result {
    let file = RobotsTxt::parse(body);
    Ok(Answer::Object(Object::File(match arguments.url {
        Some(url) => file.with_url(&url),
        None => file,
    })))
}

pub(crate) fn facts(objects: &mut Objects, object: u32, _: NoArguments, _: &[u8]) -> Result {
    let file = objects.file(object)?;
    let sitemaps: Vec<_> = file.sitemaps().map(|sitemap| sitemap.to_string()).collect();
    let hosts: Vec<_> = file.hosts().map(|host| host.to_string()).collect();
    json(&value!({
        "sitemaps": sitemaps,
        "hosts": hosts,
        "looks_like_html": file.looks_like_html(),
    }))
}

pub(crate) fn body(objects: &mut Objects, object: u32, _: NoArguments, _: &[u8]) -> Result {
    Ok(Answer::Bytes(objects.file(object)?.body().to_vec()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LineArguments {
    line: usize,
}

pub(crate) fn line(
    objects: &mut Objects,
    object: u32,
    arguments: LineArguments,
    _: &[u8],
) -> Result {
    let text = objects.file(object)?.line_text(arguments.line);
    json(&text.map(String::from_utf8_lossy))
}

/// A robot: its name, with the groups that its vendor documents, or names in the order in which groups are searched.
#[derive(Deserialize)]
#[serde(untagged)]
pub(crate) enum Robot {
    Name(String),
    Names {
        names: Vec<String>,
        obeys_star: bool,
    },
}

impl Robot {
    fn agent(self) -> Result<Agent<'static>> {
        match self {
            Self::Name(name) => {
                let name = ProductToken::parse(&name).map_err(|error| invalid_robot(&error))?;
                Ok(Agent::known(name.as_str().to_owned()))
            }
            Self::Names { names, obeys_star } => {
                let agent = Agent::of_names(names, obeys_star);
                agent.ok_or_else(|| Failure::new("invalid_robot", "the robot has no name"))
            }
        }
    }
}

/// Returns the failure for an invalid name of a robot.
pub(crate) fn invalid_robot(error: &ProductTokenError) -> Failure {
    Failure::new("invalid_robot", error)
}

fn dialect(name: &str) -> Result<Dialect> {
    dialect_of_name(name).map_err(|error| Failure::new("invalid_dialect", error))
}

pub(crate) fn profile(name: &str) -> Result<Profile> {
    name.parse()
        .map_err(|error: robots_policy::text::UnknownName| Failure::new("invalid_profile", error))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DiffArguments {
    other: u32,
    robots: Option<Vec<Robot>>,
    dialect: Option<String>,
}

fn path_verdict(verdict: &PathVerdict) -> Value {
    value!({
        "allowed": verdict.is_allowed(),
        "line": verdict.line(),
        "reason": verdict.reason_name(),
        "reason_text": verdict.reason(),
    })
}

pub(crate) fn diff(
    objects: &mut Objects,
    object: u32,
    arguments: DiffArguments,
    _: &[u8],
) -> Result {
    let before = objects.file(object)?.clone();
    let after = objects.file(arguments.other)?;
    let agents = match arguments.robots {
        Some(robots) => robots
            .into_iter()
            .map(Robot::agent)
            .collect::<Result<_>>()?,
        None => vec![Agent::new("*")],
    };
    if agents.is_empty() {
        return Err(Failure::argument(
            "no robots: pass one, or none for any that no group names",
        ));
    }
    let chosen = arguments.dialect.as_deref().map(dialect).transpose()?;
    let changes = analysis::diff(&before, after, &agents, |agent: &Agent<'_>| match &chosen {
        Some(dialect) => dialect,
        None => Profile::of_robot(agent.name()).dialect(),
    });
    let list = changes.iter().map(|change| {
        value!({
            "agent": change.agent(),
            "path": change.path(),
            "before": path_verdict(change.before()),
            "after": path_verdict(change.after()),
        })
    });
    json(&value!({ "changes": list.collect::<Vec<_>>(), "is_complete": changes.is_complete() }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RulesArguments {
    robot: Robot,
    dialect: Option<String>,
    profile: Option<String>,
}

pub(crate) fn rules(
    objects: &mut Objects,
    object: u32,
    arguments: RulesArguments,
    _: &[u8],
) -> Result {
    let file = objects.file(object)?.clone();
    let agent = arguments.robot.agent()?;
    let dialect = match (arguments.dialect, arguments.profile) {
        (Some(_), Some(_)) => {
            return Err(Failure::argument(
                "dialect and profile are both given: pass one of them",
            ));
        }
        (Some(name), None) => dialect(&name)?,
        (None, Some(name)) => *profile(&name)?.dialect(),
        (None, None) => *Profile::of_robot(agent.name()).dialect(),
    };
    let rules = file.rules(&agent, &dialect);
    Ok(Answer::Object(Object::Rules(rules, file, agent)))
}

pub(crate) fn allowed(objects: &mut Objects, object: u32, _: NoArguments, body: &[u8]) -> Result {
    let (rules, ..) = objects.rules(object)?;
    Ok(Answer::Number(
        rules.verdict(&Target::new(body)).is_allowed(),
    ))
}

/// A rule. Bytes that are not UTF-8 are replaced in its texts.
#[derive(Serialize)]
struct RuleFacts {
    kind: &'static str,
    line: usize,
    text: String,
    agent: String,
    agent_line: Option<usize>,
}

impl RuleFacts {
    fn new(rule: &Rule<'_>) -> Self {
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Self {
            kind: rule.kind().name(),
            line: rule.line(),
            text: text(rule.text()),
            agent: text(rule.agent()),
            agent_line: rule.agent_line(),
        }
    }
}

pub(crate) fn verdict(objects: &mut Objects, object: u32, _: NoArguments, body: &[u8]) -> Result {
    let (rules, ..) = objects.rules(object)?;
    let verdict = rules.verdict(&Target::new(body));
    json(&value!({
        "allowed": verdict.is_allowed(),
        "reason": verdict.reason().name(),
        "rule": verdict.rule().map(|rule| RuleFacts::new(&rule)),
        "explanation": verdict.to_string(),
    }))
}

pub(crate) fn matching(objects: &mut Objects, object: u32, _: NoArguments, body: &[u8]) -> Result {
    let (rules, ..) = objects.rules(object)?;
    let matching = rules.matching(&Target::new(body));
    json(
        &matching
            .map(|rule| RuleFacts::new(&rule))
            .collect::<Vec<_>>(),
    )
}

pub(crate) fn rules_facts(objects: &mut Objects, object: u32, _: NoArguments, _: &[u8]) -> Result {
    let (rules, file, agent) = objects.rules(object)?;
    let extensions = file.extensions_for(agent, rules.dialect());
    let rates = extensions.request_rates().map(|rate| {
        value!({
            "line": rate.line(),
            "documents": rate.documents().get(),
            "period": rate.period().as_secs(),
            "interval": rate.interval().as_secs_f64(),
            "window": rate.window().map(|window| window.to_string()),
        })
    });
    json(&value!({
        "dialect": rules.dialect().name(),
        "has_group": rules.has_group(),
        "crawl_delay": rules.crawl_delay().map(|delay| delay.delay().as_secs_f64()),
        "request_rates": rates.collect::<Vec<_>>(),
        "visit_time": extensions.visit_time().map(|time| time.window().to_string()),
        "rules": rules.iter().map(|rule| RuleFacts::new(&rule)).collect::<Vec<_>>(),
    }))
}

pub(crate) fn name(_: &mut Objects, _: u32, _: NoArguments, body: &[u8]) -> Result {
    let agent = Agent::from_user_agent(text(body, "the User-Agent value")?);
    json(&agent.as_ref().map(Agent::name))
}
