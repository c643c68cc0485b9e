//! `robots.toml`: the defaults of a project for options of `lint`, `check` and `decide`.

use crate::args::{Check, Cli, Command, ConfigArgs, Decide, Kinds, Lint, ProfileArg, profile_arg};
use anyhow::{Error, Result};
use robots_answers::AgentName;
use robots_lint::project::{self, Config, ConfigError, FILE};
use robots_pipeline::text::path_text;
use std::path::Path;

/// A file, with its values that only the command line has.
#[derive(Debug)]
struct Defaults {
    config: Config,
    agents: Vec<AgentName>,
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
        Command::Lint(args) if args.explain.is_none() => {
            if let Some(defaults) = Defaults::load(&mut args.config, is_verbose)? {
                defaults.apply_to_lint(args);
            }
        }
        Command::Check(args) => {
            if let Some(defaults) = Defaults::load(&mut args.config, is_verbose)? {
                defaults.apply_to_check(args);
            }
        }
        Command::Decide(args) => {
            if let Some(defaults) = Defaults::load(&mut args.config, is_verbose)? {
                defaults.apply_to_decide(args);
            }
        }
        _ => {}
    }
    Ok(())
}

impl Defaults {
    /// Reads the file that the arguments name, or the next `robots.toml`, whose path is added to the arguments.
    fn load(args: &mut ConfigArgs, is_verbose: bool) -> Result<Option<Self>> {
        if args.no_config {
            return Ok(None);
        }
        if args.file.is_none() {
            // Without a working directory, there is no file.
            let folder = std::env::current_dir().unwrap_or_default();
            args.file = project::find(&folder);
        }
        let Some(path) = &args.file else {
            if is_verbose {
                message!("note: no {FILE} in the working directory or above");
            }
            return Ok(None);
        };
        let name = path_text(path);
        let folder = path.parent().unwrap_or(Path::new(""));
        let defaults = Config::load(path).and_then(|config| Self::new(config, folder));
        let defaults = defaults.map_err(|error| {
            let context = match error.place() {
                Some(_) => name.clone(),
                None => format!("cannot read {name}"),
            };
            Error::new(error).context(context)
        })?;
        if is_verbose {
            message!("note: defaults are from {name}");
        }
        Ok(Some(defaults))
    }

    /// Reads the values of a file in this folder that only the command line has.
    fn new(config: Config, folder: &Path) -> Result<Self, ConfigError> {
        let agents = config.agents.iter();
        let agents = agents.map(|setting| setting.read(str::parse::<AgentName>));
        let profiles = config.profiles.iter();
        let profiles = profiles.map(|setting| setting.read(|text| profile(text, folder)));
        Ok(Self {
            agents: agents.collect::<Result<_, _>>()?,
            profiles: profiles.collect::<Result<_, _>>()?,
            config,
        })
    }

    fn apply_to_lint(self, args: &mut Lint) {
        args.level = args.level.or(self.config.level);
        // Kinds that the command line asks for are not left out.
        if args.ignore.is_empty() && args.only.is_empty() {
            args.ignore = vec![Kinds(self.config.ignore)];
        }
        // Only pages have a base.
        if args.meta && args.base.is_none() {
            args.base = self.config.base;
        }
    }

    fn apply_to_check(self, args: &mut Check) {
        // Sitemaps are the same for all robots.
        if args.sitemaps {
            return;
        }
        if args.batch.is_some() {
            if !self.profiles.is_empty() {
                notice!("note: `profile` of {FILE} does not apply to --batch: use --dialect");
            }
            return;
        }
        if !args.all_agents && args.agents.is_empty() {
            args.agents = self.agents;
        }
        let has_reading = args.all_dialects || !args.dialects.is_empty();
        if !has_reading && args.profiles.is_empty() {
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
            args.base = self.config.base;
        }
    }
}

/// Reads the name of a built-in profile, or the path of a file, which is relative to the folder.
fn profile(text: &str, folder: &Path) -> Result<ProfileArg, String> {
    let path = Path::new(text);
    if path.extension().is_some_and(|ending| ending == "toml") {
        return profile_arg(&folder.join(path).to_string_lossy());
    }
    profile_arg(text)
}
