//! `robots decide`: decisions about the pages of a crawl.
//!
//! [`robots_pipeline`] does the work. This module turns arguments into its options, and shows warnings, progress and
//! the summary.

mod store;
mod summary;

use crate::args::Decide as Args;
use crate::chosen_robots;
use crate::interrupt::Interrupt;
use crate::observer::WarningPrinter;
use crate::progress::Progress;
use crate::standard_input;
use crate::terminal::{self, is_terminal};
use anyhow::{Context, Result, anyhow, bail};
use robots_answers::why::agents_under_profiles;
use robots_meta::Timestamp;
use robots_pipeline::input::is_saved_page;
use robots_pipeline::overrides::Overrides;
use robots_pipeline::sink::{Destination, Filter, Format, TableLayout};
use robots_pipeline::summary::End;
use robots_pipeline::text::{path_text, with_causes};
use robots_pipeline::{
    Error, FileOutput, Mismatch, Now, Observer, Options, Outcome, ResumeProblem, RobotsSource,
    Rows, Source, Warning, decide,
};
use robots_policy::profile::{AgentTable, Robot};
use robots_policy::{Policies, Policy, Profile};
use robots_txt::Dialect;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;
use store::Stored;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    standard_input::refuse_twice(args.files.iter().chain(&args.robots).chain(&args.index))?;
    let store = args.store.as_deref().map(Stored::open).transpose()?;
    let store = store.map(Arc::new);
    // The table of robots is read only if it is needed: reading it takes about a millisecond.
    if !args.agents.is_empty() {
        let of_profiles = args.profiles.iter().flat_map(|arg| arg.profile.robots());
        let names = of_profiles.map(Robot::name);
        chosen_robots::report(&args.agents, AgentTable::built_in(), [], names);
    }
    let policies = policies(args)?;
    if args.only.contains(&Filter::Overridden) && args.overrides.is_none() {
        bail!("--only overridden needs --overrides");
    }
    if args.only.contains(&Filter::Differs) && policies.len() < 2 {
        bail!("--only differs compares decisions: use several --profile or --agent options");
    }
    let output = output(args).map_err(with_hint)?;
    refuse_terminal(&output)?;
    let mut options = options(args, store.as_ref());
    options.overrides = args.overrides.as_deref().map(overrides).transpose()?;
    if let (Some(overrides), Now::At(now) | Now::Start(now)) = (&options.overrides, options.now) {
        report_expired(overrides, now);
    }
    let terminal = TerminalObserver::new(output.destination == Destination::Stdout);
    let source = Source::Files(&args.files);
    let result = decide(source, &policies, &options, Rows::Files(&output), &terminal);
    terminal.finish();
    let (summary, is_resumable) = match result.map_err(with_hint)? {
        Outcome::Ended {
            summary,
            is_resumable,
            ..
        } => (summary, is_resumable),
        Outcome::NothingLeft {
            output, journal, ..
        } => {
            let (output, journal) = (path_text(output), path_text(journal));
            notice!("nothing is left to do: {output} exists, and {journal} does not");
            return Ok(ExitCode::SUCCESS);
        }
        outcome => bail!("the run ended in an unknown way: {outcome:?}"),
    };
    let store_error = store.as_ref().and_then(|store| store.error());
    if let Some(error) = &store_error {
        message!("error: {error}; outcomes that could not be read count as unknown");
    }
    summary::print(&summary, !args.only.is_empty());
    let has_saved_pages = || {
        args.files
            .iter()
            .any(|path| is_saved_page(path) || path.is_dir())
    };
    if args.base.is_none() && summary.pages_without_robots_txt > 0 && has_saved_pages() {
        notice!(
            "note: saved pages have no URL, so no robots.txt applies to them: use --base, such as --base https://example.com/"
        );
    }
    if summary.end == End::Interrupted {
        notice!(
            "interrupted{}",
            if is_resumable {
                ": the same command with --resume continues"
            } else {
                ""
            }
        );
        // Only a signal interrupts a run, and it sets the exit code.
        return Ok(ExitCode::from(terminal.exit_code().unwrap_or(2)));
    }
    let has_failed = summary.has_failed();
    // If pages were decided, the messages about inputs and files are enough.
    if has_failed && summary.pages == 0 && summary.failed_inputs.is_empty() {
        message!("error: no page was decided, as the inputs are damaged or unreadable");
    }
    Ok(if has_failed || store_error.is_some() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

/// Reads a file of overrides.
///
/// # Errors
///
/// If it cannot be read, or is not valid.
pub(crate) fn overrides(path: &Path) -> Result<Arc<Overrides>> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("cannot read {}", path_text(path)))?;
    let overrides = Overrides::from_toml(&text).with_context(|| path_text(path))?;
    Ok(Arc::new(overrides))
}

/// Reports the overrides that have expired.
fn report_expired(overrides: &Overrides, now: Timestamp) {
    for expired in overrides.iter().filter(|found| found.has_expired(now)) {
        let (hosts, until) = (expired.hosts().join(", "), expired.until());
        notice!(
            "note: the override for {hosts} expired on {until}: {}",
            expired.why
        );
    }
}

/// The terminal: shows a bar and warnings, and receives signals.
pub(crate) struct TerminalObserver {
    bar: OnceLock<Progress>,
    writes_to_stdout: bool,
    /// Listens from the beginning of the run on. Before, while pipes are copied, a signal ends the program at once.
    interrupt: OnceLock<Interrupt>,
}

impl TerminalObserver {
    /// Returns the terminal of a run, which may write its results to standard output.
    pub(crate) fn new(writes_to_stdout: bool) -> Self {
        Self {
            bar: OnceLock::new(),
            writes_to_stdout,
            interrupt: OnceLock::new(),
        }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish();
        }
    }

    /// Returns the exit code of the run if a signal stopped it.
    pub(crate) fn exit_code(&self) -> Option<u8> {
        self.interrupt.get()?.exit_code()
    }
}

impl Observer for TerminalObserver {
    fn begin(&self, bytes: u64) {
        self.interrupt.get_or_init(Interrupt::listen);
        self.bar
            .get_or_init(|| Progress::new(bytes, self.writes_to_stdout));
    }

    fn progress(&self, stage: &'static str, bytes: u64) {
        if let Some(bar) = self.bar.get() {
            bar.progress(stage, bytes);
        }
    }

    fn warn(&self, warning: &Warning) {
        match self.bar.get() {
            Some(bar) => bar.warn(warning),
            None => WarningPrinter.warn(warning),
        }
    }

    fn is_stopped(&self) -> bool {
        self.exit_code().is_some()
    }
}

/// Returns a policy for each agent under each profile. Without `--agent`, the agent is the first robot of the profile; without
/// `--profile`, the profile is that of the robot's operator.
///
/// # Errors
///
/// If two different profiles have one name: their rows could not be distinguished.
fn policies(args: &Args) -> Result<Policies> {
    let mut policies: Vec<Policy> = Vec::new();
    // A robot or profile that is named twice is decided for once.
    let mut asked = HashSet::new();
    let mut named: HashMap<&str, &Profile> = HashMap::new();
    let profiles: Vec<&Profile> = args.profiles.iter().map(|arg| &arg.profile).collect();
    let agents: Vec<&str> = args.agents.iter().map(|agent| &*agent.token).collect();
    for (profile, agent) in agents_under_profiles(&profiles, &agents) {
        let name = profile.name();
        if named
            .insert(name, profile)
            .is_some_and(|other| other != profile)
        {
            bail!("two different profiles have the name {name:?}: set `name` in their files");
        }
        if !asked.insert((name, agent)) {
            continue;
        }
        let is_scripting = args.scripting.scripting;
        policies.push(policy(profile, agent, is_scripting, args.dialect));
    }
    Ok(Policies::new(policies))
}

/// Returns the policy of a robot under a profile, with the options of `robots decide` and `robots verify`.
pub(crate) fn policy(
    profile: &Profile,
    agent: &str,
    is_scripting: bool,
    dialect: Option<Dialect>,
) -> Policy {
    let policy = Policy::for_robot(profile, profile.robot(agent)).with_scripting(is_scripting);
    match dialect {
        Some(dialect) => policy.with_dialect(dialect),
        None => policy,
    }
}

/// Returns the options of the pipeline.
fn options(args: &Args, store: Option<&Arc<Stored>>) -> Options {
    let mut options = Options::new(Timestamp::from(SystemTime::now()));
    if let Some(store) = store {
        options.robots = RobotsSource::Known(store.clone());
    } else if !args.robots.is_empty() {
        options.robots = RobotsSource::Files(args.robots.clone());
    }
    options.index.clone_from(&args.index);
    options.verify_digests = args.verify_digests;
    options.base.clone_from(&args.base);
    options.all_types = args.all_types;
    if let Some(now) = args.now {
        options.now = Now::At(now);
    }
    options.limit = args.limit;
    options.sample = args.sample;
    options.threads = args.threads.number();
    options.hold_back = args.hold_back;
    options
}

/// Returns the output of the pipeline.
fn output(args: &Args) -> Result<FileOutput, Error> {
    let destination = match (&args.output, &args.output_folder) {
        (Some(path), _) if path.as_os_str() == "-" => Destination::Stdout,
        (Some(path), _) => Destination::File(path.clone()),
        (None, Some(folder)) => Destination::Folder(folder.clone()),
        (None, None) => Destination::Stdout,
    };
    let mut output = FileOutput::new(destination, args.format()?);
    if output.destination == Destination::Stdout {
        output.layout = TableLayout::terminal(terminal::width(), terminal::has_styles());
    }
    output.fields.clone_from(&args.fields);
    output.only.clone_from(&args.only);
    output.explain = args.explain;
    output.evidence = args.evidence;
    output.overrides = args.overrides.is_some();
    output.resume = args.resume;
    output.journal_interval = args.journal_every;
    output.summary.clone_from(&args.summary);
    // No output may overwrite a file that this program reads.
    let profiles = args.profiles.iter();
    let profiles = profiles.filter_map(|arg| arg.file.as_ref());
    let config = args.config.file.iter();
    output.other_inputs = profiles.chain(config).cloned().collect();
    // A run can only be resumed with the same store, in the same state.
    let store = args.store.as_ref();
    output.compared_inputs = store.into_iter().cloned().collect();
    output.settings = store
        .map(|store: &PathBuf| ("store".to_owned(), path_text(store)))
        .into_iter()
        .collect();
    Ok(output)
}

/// Returns an error if bytes that are not text would be written to a terminal.
fn refuse_terminal(output: &FileOutput) -> Result<()> {
    let path = match &output.destination {
        Destination::File(path) => Some(path.as_path()),
        Destination::Stdout => None,
        _ => return Ok(()),
    };
    if output.format.is_binary() && is_terminal(path) {
        let name = output.format.name();
        bail!(
            "cannot write {name} to a terminal: it is not text; use -o decisions.{name}, or a pipe"
        );
    }
    Ok(())
}

/// Adds a hint to the message of an error: the option that avoids the error, if there is one.
fn with_hint(error: Error) -> anyhow::Error {
    let hint = match &error {
        Error::CannotResume(ResumeProblem::StandardOutput) => "use -o or --output-folder",
        Error::CannotResume(ResumeProblem::SingleFile) => "use --output-folder",
        Error::OtherRun {
            source: Mismatch::Setting(_),
            ..
        } => "with --resume, the command must be the same",
        Error::DamagedJournal { .. }
        | Error::OtherRun {
            source: Mismatch::Version | Mismatch::InputCount { .. } | Mismatch::OtherInput { .. },
            ..
        } => "run the command without --resume to start again",
        Error::RobotsWithoutBase(_) => "use --base, such as --base https://example.com/",
        Error::UnknownExtension(_) => {
            let known: Vec<_> = Format::extensions()
                .map(|name| format!(".{name}"))
                .collect();
            return anyhow!("{error}; use --format, or one of {}", known.join(", "));
        }
        Error::FieldsOfTable => "use --format csv or --json with --fields",
        Error::TableWithout(_) => "use --format csv or --json",
        _ => return error.into(),
    };
    anyhow!("{}; {hint}", with_causes(&error))
}
