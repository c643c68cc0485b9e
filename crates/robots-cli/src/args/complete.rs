//! The completion of values: names of profiles, dialects, findings, fields, purposes and robots.
//!
//! The completion scripts of shells run the program, which looks up the candidates here. Names match in any case.

use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use robots_lint::FindingKind;
use robots_pipeline::sink::columns::{Column, all_columns};
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, Purpose, dialect_switches};
use robots_txt::Dialect;
use std::ffi::OsStr;

/// Returns a completer whose candidates are names with descriptions.
fn names_of(names: fn() -> Vec<(String, String)>) -> ArgValueCompleter {
    ArgValueCompleter::new(move |current: &OsStr| matching(current, names()))
}

/// Returns the candidates that begin with a text, in any case.
fn matching(
    current: &OsStr,
    names: impl IntoIterator<Item = (String, String)>,
) -> Vec<CompletionCandidate> {
    let Some(current) = current.to_str() else {
        return Vec::new();
    };
    let begins = |name: &str| {
        let start = name.get(..current.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(current))
    };
    let names = names.into_iter().filter(|(name, _)| begins(name));
    let candidates = names.map(|(name, about)| {
        let about = (!about.is_empty()).then(|| about.into());
        CompletionCandidate::new(name).help(about)
    });
    candidates.collect()
}

/// Completes the name of a built-in profile, or the path of a TOML file.
pub(super) fn profiles() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let all = Profile::all();
        let names = all.map(|profile| (profile.name().to_owned(), profile.about().to_owned()));
        let mut candidates = matching(current, names);
        let is_profile = |path: &std::path::Path| {
            path.is_dir() || path.extension().is_some_and(|ending| ending == "toml")
        };
        candidates.extend(PathCompleter::any().filter(is_profile).complete(current));
        candidates
    })
}

/// Completes the name of a dialect, or of a switch after one.
pub(super) fn dialects() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let before = current.to_str().and_then(|text| text.rsplit_once('+'));
        let Some((before, _)) = before else {
            let names = Dialect::ALL.iter().map(Dialect::name);
            return matching(current, names.map(|name| (name.to_owned(), String::new())));
        };
        let switches = dialect_switches();
        let names = switches.map(|(name, effect)| (format!("{before}+{name}"), effect.to_owned()));
        matching(current, names)
    })
}

/// Returns the product tokens of known robots, with their operators.
fn known_robots() -> Vec<(String, String)> {
    let known = AgentTable::built_in().iter();
    known
        .map(|agent| (agent.token.clone(), agent.operator.clone()))
        .collect()
}

/// Returns the purposes of robots.
fn purpose_names() -> Vec<(String, String)> {
    let names = Purpose::ALL.iter().map(|purpose| purpose.name());
    names.map(|name| (name.to_owned(), String::new())).collect()
}

/// Completes the product token of a known robot.
pub(super) fn robots() -> ArgValueCompleter {
    names_of(known_robots)
}

/// Completes the code or the name of a kind of finding.
pub(super) fn finding_kinds() -> ArgValueCompleter {
    names_of(|| {
        let kinds = || FindingKind::ALL.iter();
        let codes = kinds().map(|kind| (kind.code().to_owned(), kind.name().to_owned()));
        let names = kinds().map(|kind| (kind.name().to_owned(), kind.code().to_owned()));
        codes.chain(names).collect()
    })
}

/// Completes the name of a column of decisions.
pub(super) fn fields() -> ArgValueCompleter {
    names_of(|| {
        all_columns()
            .map(|column: Column| (column.name().to_owned(), column.about().to_owned()))
            .collect()
    })
}

/// Completes a purpose of robots.
pub(super) fn purposes() -> ArgValueCompleter {
    names_of(purpose_names)
}

/// Completes a purpose of robots, or the product token of a known one.
pub(super) fn purposes_and_robots() -> ArgValueCompleter {
    names_of(|| [purpose_names(), known_robots()].concat())
}
