//! `robots.toml`: the defaults of a project for options of `lint`, `check` and `decide`.

use crate::args::{
    AgentArg, Check, Cli, Command, ConfigArgs, Decide, Kinds, Level, Lint, ProfileArg, base, kinds,
    profile_arg,
};
use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use robots_pipeline::text::path_text;
use robots_policy::text::nearest;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use url::Url;

/// The name of the file.
const FILE: &str = "robots.toml";

/// The keys of the file.
const KEYS: [&str; 5] = ["agents", "base", "ignore", "level", "profile"];

/// The defaults in a file.
#[derive(Debug, Default)]
struct Config {
    agents: Vec<AgentArg>,
    base: Option<Url>,
    ignore: Vec<Kinds>,
    level: Option<Level>,
    profiles: Vec<ProfileArg>,
}

/// Reads the file for a command that has defaults in it, and applies them.
///
/// # Errors
///
/// If the file cannot be read, or has an unknown key or an invalid value.
pub(crate) fn apply(cli: &mut Cli) -> Result<()> {
    let is_verbose = cli.verbose;
    match &mut cli.command {
        Command::Lint(args) => {
            if let Some(config) = Config::load(&mut args.config, is_verbose)? {
                config.apply_to_lint(args);
            }
        }
        Command::Check(args) => {
            if let Some(config) = Config::load(&mut args.config, is_verbose)? {
                config.apply_to_check(args);
            }
        }
        Command::Decide(args) => {
            if let Some(config) = Config::load(&mut args.config, is_verbose)? {
                config.apply_to_decide(args);
            }
        }
        _ => {}
    }
    Ok(())
}

impl Config {
    /// Reads the file that the arguments name, or the next `robots.toml`, whose path is added to the arguments.
    fn load(args: &mut ConfigArgs, is_verbose: bool) -> Result<Option<Self>> {
        if args.no_config {
            return Ok(None);
        }
        if args.file.is_none() {
            args.file = find();
        }
        let Some(path) = &args.file else {
            if is_verbose {
                message!("note: no {FILE} in the working directory or above");
            }
            return Ok(None);
        };
        let name = path_text(path);
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
        let config = Self::parse(&text, path.parent().unwrap_or(Path::new("")))
            .with_context(|| name.clone())?;
        if is_verbose {
            message!("note: defaults are from {name}");
        }
        Ok(Some(config))
    }

    /// Reads the text of a file in this folder.
    fn parse(text: &str, folder: &Path) -> Result<Self> {
        let at = |span: &Range<usize>| place(text, span.start);
        let table = DeTable::parse(text).map_err(|error| {
            let place = at(&error.span().unwrap_or_default());
            anyhow!("{place}: {}", error.message())
        })?;
        let mut config = Self::default();
        for (key, value) in table.get_ref() {
            let name: &str = key.get_ref();
            match name {
                "agents" => config.agents = texts(text, name, value, AgentArg::parse)?,
                "base" => config.base = texts(text, name, value, base)?.pop(),
                "ignore" => config.ignore = texts(text, name, value, kinds)?,
                "level" => config.level = texts(text, name, value, level)?.pop(),
                "profile" => {
                    config.profiles = texts(text, name, value, |name| profile(name, folder))?;
                }
                _ => {
                    let place = at(&key.span());
                    return Err(anyhow!("{place}: unknown key `{name}`: {}", hint(name)));
                }
            }
        }
        Ok(config)
    }

    fn apply_to_lint(self, args: &mut Lint) {
        args.level = args.level.or(self.level);
        // Kinds that the command line asks for are not left out.
        if args.ignore.is_empty() && args.only.is_empty() {
            args.ignore = self.ignore;
        }
        // Only pages have a base.
        if args.meta && args.base.is_none() {
            args.base = self.base;
        }
    }

    fn apply_to_check(self, args: &mut Check) {
        let is_of_file = args.batch.is_none() && !args.fetch;
        if args.batch.is_none() && !args.all_agents && args.agents.is_empty() {
            args.agents = self.agents;
        }
        let has_reading = args.all_dialects || !args.dialects.is_empty();
        if is_of_file && !has_reading && args.profiles.is_empty() {
            let profiles = self.profiles.into_iter();
            args.profiles = profiles.map(|profile| profile.profile).collect();
        }
    }

    fn apply_to_decide(self, args: &mut Decide) {
        if args.agents.is_empty() {
            args.agents = self.agents;
        }
        if args.profiles.is_empty() {
            args.profiles = self.profiles;
        }
        if args.base.is_none() {
            args.base = self.base;
        }
    }
}

/// Returns the path of the next `robots.toml`, from the working directory upwards.
fn find() -> Option<PathBuf> {
    let folder = std::env::current_dir().ok()?;
    let paths = folder.ancestors().map(|folder| folder.join(FILE));
    paths.into_iter().find(|path| path.is_file())
}

/// Returns the 1-based line and column of an offset.
fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count().saturating_add(1);
    let start = before.rfind('\n').map_or(0, |at| at.saturating_add(1));
    let column = before.get(start..).unwrap_or_default().chars().count();
    format!("line {line}, column {}", column.saturating_add(1))
}

/// Returns the key that was probably meant, or all keys.
fn hint(name: &str) -> String {
    match nearest(name, KEYS) {
        Some(key) => format!("did you mean `{key}`?"),
        None => format!("expected one of {}", KEYS.join(", ")),
    }
}

/// Reads the texts of a value: one, or those of an array if the key may have several. The error has the place of the text.
fn texts<T, E: std::fmt::Display>(
    text: &str,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    read: impl Fn(&str) -> Result<T, E>,
) -> Result<Vec<T>> {
    let takes_several = !matches!(key, "base" | "level");
    let unexpected = |value: &Spanned<DeValue<'_>>| {
        let expected = if takes_several {
            "a text or a list of texts"
        } else {
            "a text"
        };
        let (place, found) = (place(text, value.span().start), value.get_ref().type_str());
        anyhow!("{place}: unexpected {found} for `{key}`: expected {expected}")
    };
    let one = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::String(word) => read(word).map_err(|error| {
            let place = place(text, value.span().start);
            anyhow!("{place}: invalid value \"{word}\" for `{key}`: {error}")
        }),
        _ => Err(unexpected(value)),
    };
    match value.get_ref() {
        DeValue::Array(list) if takes_several => list.iter().map(one).collect(),
        _ => Ok(vec![one(value)?]),
    }
}

fn level(text: &str) -> Result<Level, String> {
    let ignores_case = false;
    Level::from_str(text, ignores_case).map_err(|_| "expected note, warning or error".to_owned())
}

/// Reads the name of a built-in profile, or the path of a file, which is relative to the folder.
fn profile(text: &str, folder: &Path) -> Result<ProfileArg, String> {
    let path = Path::new(text);
    if path.extension().is_some_and(|ending| ending == "toml") {
        return profile_arg(&folder.join(path).to_string_lossy());
    }
    profile_arg(text)
}
