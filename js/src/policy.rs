//! Policies and decisions.

use crate::exchange::{Answer, Failure, Result, json, text};
use crate::file::{NoArguments, invalid_robot, profile};
use crate::object::{Object, Objects};
use robots_meta::Timestamp;
use robots_meta::header::control_characters_as_spaces;
use robots_policy::origins::UrlError;
use robots_policy::profile::{AgentTable, Robot};
use robots_policy::robots::OutcomeOptions;
use robots_policy::site::{Rsl, RslDocuments, Tdmrep};
use robots_policy::{Decision, Page, Policy, Profile, RobotsFetch};
use serde::Deserialize;
use serde_json::{Value, json as value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyArguments {
    robot: String,
    profile: Option<String>,
    profile_toml: Option<String>,
    #[serde(default = "yes")]
    reasons: bool,
    #[serde(default)]
    scripting: bool,
    store_limit: Option<u64>,
}

fn yes() -> bool {
    true
}

pub(crate) fn create(_: &mut Objects, _: u32, arguments: PolicyArguments, _: &[u8]) -> Result {
    let profile = match (arguments.profile, arguments.profile_toml) {
        (Some(_), Some(_)) => {
            return Err(Failure::argument(
                "profile and its TOML are both given: pass one of them",
            ));
        }
        (Some(name), None) => Some(profile(&name)?),
        (None, Some(toml)) => {
            let profile = Profile::from_toml(&toml);
            Some(profile.map_err(|error| Failure::new("invalid_profile", error))?)
        }
        (None, None) => None,
    };
    let policy = match profile {
        Some(profile) => Policy::under(&profile, &arguments.robot),
        None => Policy::new(&arguments.robot),
    };
    let policy = policy.map_err(|error| invalid_robot(&error))?;
    let mut policy = policy.with_scripting(arguments.scripting);
    if !arguments.reasons {
        policy = policy.without_reasons();
    }
    if let Some(bytes) = arguments.store_limit {
        policy = policy.with_store_limit(bytes);
    }
    Ok(Answer::Object(Object::Policy(policy)))
}

pub(crate) fn facts(objects: &mut Objects, object: u32, _: NoArguments, _: &[u8]) -> Result {
    let policy = objects.policy(object)?;
    json(&value!({
        "agent": policy.agent(),
        "profile": policy.profile().name(),
        "meta_names": policy.meta_names(),
        "known_origins": policy.known_origins(),
    }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LearnArguments {
    url: String,
    #[serde(default)]
    has_body: bool,
    status: Option<u16>,
    content_type: Option<String>,
    fresh_for: Option<f64>,
    outcome: Option<String>,
    at: Option<i64>,
}

pub(crate) fn learn(
    objects: &mut Objects,
    object: u32,
    arguments: LearnArguments,
    body: &[u8],
) -> Result {
    let policy = objects.policy(object)?;
    let options = OutcomeOptions {
        body: arguments.has_body.then_some(body),
        status: arguments.status,
        content_type: arguments.content_type.as_deref(),
        fresh_for: arguments.fresh_for,
        outcome: arguments.outcome.as_deref(),
    };
    let fetch = RobotsFetch::try_from(options).map_err(Failure::argument)?;
    match arguments.at {
        Some(at) => policy.learn_at(&arguments.url, fetch, Timestamp::from_seconds(at)),
        None => policy.learn(&arguments.url, fetch),
    }
    .map_err(|error| invalid_url(&error))?;
    json(&())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TdmrepArguments {
    url: String,
}

pub(crate) fn learn_tdmrep(
    objects: &mut Objects,
    object: u32,
    arguments: TdmrepArguments,
    body: &[u8],
) -> Result {
    let policy = objects.policy(object)?;
    policy
        .learn_tdmrep(&arguments.url, Tdmrep::read(body))
        .map_err(|error| invalid_url(&error))?;
    json(&())
}

pub(crate) fn forget(objects: &mut Objects, object: u32, _: NoArguments, body: &[u8]) -> Result {
    let policy = objects.policy(object)?;
    policy
        .forget(text(body, "the URL")?)
        .map_err(|error| invalid_url(&error))?;
    json(&())
}

pub(crate) fn ask_again_at(
    objects: &mut Objects,
    object: u32,
    _: NoArguments,
    body: &[u8],
) -> Result {
    let policy = objects.policy(object)?;
    let time = policy.ask_again_at(text(body, "the URL")?);
    let time = time.map_err(|error| invalid_url(&error))?;
    json(&time.map(Timestamp::as_seconds))
}

fn invalid_url(error: &UrlError) -> Failure {
    Failure::new("invalid_url", error)
}

/// Header lines, with spaces for the control characters of their values.
#[derive(Deserialize)]
#[serde(from = "Vec<(String, String)>")]
pub(crate) struct Headers(pub(crate) Vec<(String, Vec<u8>)>);

impl From<Vec<(String, String)>> for Headers {
    fn from(lines: Vec<(String, String)>) -> Self {
        let cleaned = |value: String| control_characters_as_spaces(value.as_bytes()).into_owned();
        let lines = lines.into_iter();
        Self(lines.map(|(name, value)| (name, cleaned(value))).collect())
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideArguments {
    url: String,
    #[serde(default)]
    has_html: bool,
    #[serde(default)]
    not_html: bool,
    #[serde(default)]
    cut_short: bool,
    status: Option<u16>,
    headers: Option<Headers>,
    charset: Option<String>,
    at: Option<i64>,
    captured_at: Option<i64>,
    #[serde(default)]
    licenses: Vec<(String, String)>,
}

pub(crate) fn decide(
    objects: &mut Objects,
    object: u32,
    arguments: DecideArguments,
    body: &[u8],
) -> Result {
    let policy = objects.policy(object)?;
    let mut licenses = RslDocuments::default();
    for (url, document) in &arguments.licenses {
        let inserted = licenses.insert(url, Rsl::read(document.as_bytes()));
        inserted.map_err(|error| {
            Failure::new(
                "invalid_url",
                format!("invalid URL of a licence {url:?}: {error}"),
            )
        })?;
    }
    let mut page = Page::new(&arguments.url)
        .at(arguments.at.map(Timestamp::from_seconds))
        .with_rsl(&licenses);
    match (arguments.has_html, arguments.not_html) {
        (true, true) => {
            return Err(Failure::argument(
                "html is given, and marked as not HTML: pass one of them",
            ));
        }
        (true, false) => page = page.with_html(body),
        (false, true) => page = page.not_html(),
        (false, false) => {}
    }
    if let Some(label) = &arguments.charset {
        page = page.with_charset(label);
    }
    if let Some(status) = arguments.status {
        page = page.with_status(status);
    }
    if let Some(headers) = &arguments.headers {
        page = page.with_headers(headers.0.iter().map(|(name, value)| (name, value)));
    }
    if arguments.cut_short {
        page = page.cut_short();
    }
    json(&match arguments.captured_at {
        Some(time) => policy.decide_archived(&page, Some(Timestamp::from_seconds(time))),
        None => policy.decide_page(&page),
    })
}

pub(crate) fn explain(_: &mut Objects, _: u32, _: NoArguments, body: &[u8]) -> Result {
    let decision: Decision = serde_json::from_slice(body)
        .map_err(|error| Failure::argument(format!("not a decision: {error}")))?;
    json(&decision.explain().to_string())
}

pub(crate) fn profiles(_: &mut Objects, _: u32, _: NoArguments, _: &[u8]) -> Result {
    let all = Profile::all().map(|profile| {
        value!({
            "name": profile.name(),
            "about": profile.about(),
            "agent": profile.agent(),
            "dialect": profile.dialect().name(),
            "robots": profile.robots().iter().map(Robot::name).collect::<Vec<_>>(),
        })
    });
    json(&all.collect::<Vec<Value>>())
}

pub(crate) fn known(_: &mut Objects, _: u32, _: NoArguments, _: &[u8]) -> Result {
    json(&AgentTable::built_in().iter().collect::<Vec<_>>())
}
