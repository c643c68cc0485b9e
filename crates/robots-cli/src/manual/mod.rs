//! Completions, man pages, the help of commands and the version, made from the definition of the command line.

mod page;
mod text;

use crate::args::{Cli, Completions, Help, Man};
use anyhow::{Context, Result, bail};
use clap::error::ErrorKind;
use clap::{ArgMatches, Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;
use page::page;
use robots_pipeline::new_file::NewFile;
use robots_pipeline::text::printable;
use robots_policy::Decision;
use robots_policy::profile::AgentTable;
use robots_policy::text::nearest;
use robots_txt::Dialect;
use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::process::{self, ExitCode};
use text::laid_out;

/// The environment variable with which a completion script runs the program.
const COMPLETION_VARIABLE: &str = "ROBOTS_COMPLETE";

/// The width of the help without a terminal, in columns.
const DEFAULT_WIDTH: usize = 100;

/// The minimum width of the help, in columns. A narrower terminal wraps the lines itself.
const MIN_WIDTH: usize = 20;

/// The maximum width of the help, in columns.
const MAX_WIDTH: usize = 120;

/// The indent of the help of an option, in columns.
const HELP_INDENT: usize = 10;

/// Returns the version of the program, and those of its dialects, its table of robots and its format of decisions.
pub(crate) fn version() -> String {
    let table = AgentTable::built_in();
    format!(
        "{}\ndialects  {} of robots.txt, by documentation read on {}\nrobots    {} known, as of {}\ndecisions version {} of their format",
        env!("CARGO_PKG_VERSION"),
        Dialect::ALL.len(),
        Dialect::READ_ON,
        table.iter().len(),
        table.date(),
        Decision::VERSION,
    )
}

/// Returns the arguments of the process. Shows the help, the version or an error, and exits, if they ask for it or are not valid.
pub(crate) fn arguments() -> ArgMatches {
    // The texts are laid out only if they are shown, as this takes longer than small commands. Errors have none of them.
    let matches = Cli::command().try_get_matches().or_else(|error| {
        let has_texts = !error.use_stderr()
            || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if has_texts {
            program().try_get_matches()
        } else {
            Err(error)
        }
    });
    matches.unwrap_or_else(|error| exit_with(&error))
}

/// Shows the help, the version or an error, and exits.
fn exit_with(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    // An error quotes arguments.
    let is_printable = text
        .lines()
        .all(|line| matches!(printable(line), Cow::Borrowed(_)));
    let shown = if is_printable {
        error.print()
    } else {
        message!("{text}");
        Ok(())
    };
    let code = match shown {
        Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe => {
            message!("error: cannot write to standard output: {failure}");
            2
        }
        _ => error.exit_code(),
    };
    process::exit(code)
}

/// Returns the definition of the command line, with its texts in the lines of the terminal.
pub(crate) fn program() -> Command {
    let width = width();
    let mut program = Cli::command()
        .long_version(version())
        .term_width(width)
        .mut_subcommands(move |command| with_layout(command, width));
    if let Some(text) = program.get_after_long_help().map(ToString::to_string) {
        program = program.after_long_help(laid_out(&text, width));
    }
    program
}

/// Returns the width of the help, in columns: that of the terminal, or of `COLUMNS`, up to a maximum.
fn width() -> usize {
    let of_terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    let of_environment = || std::env::var("COLUMNS").ok()?.parse().ok();
    let width = of_terminal.or_else(of_environment).unwrap_or(DEFAULT_WIDTH);
    width.clamp(MIN_WIDTH, MAX_WIDTH)
}

/// Lays out the lists in the texts of a command.
fn with_layout(command: Command, width: usize) -> Command {
    let after = command.get_after_help().map(ToString::to_string);
    let command = match after {
        Some(text) => command.after_help(laid_out(&text, width)),
        None => command,
    };
    command.mut_args(move |argument| {
        let text = argument.get_long_help().map(ToString::to_string);
        match text {
            Some(text) => argument.long_help(laid_out(&text, width.saturating_sub(HELP_INDENT))),
            None => argument,
        }
    })
}

/// Completes the words of a command line and exits, if a completion script runs the program for this.
pub(crate) fn complete() {
    CompleteEnv::with_factory(Cli::command)
        .var(COMPLETION_VARIABLE)
        .complete();
}

/// Runs `robots completions`: writes a script for a shell, which runs the program to complete words.
pub(crate) fn completions(args: &Completions) -> Result<ExitCode> {
    let shell = args.shell.to_string();
    let shells = Shells::builtins();
    let shell = shells.completer(&shell).context("unknown shell")?;
    let mut script = Vec::new();
    let name = "robots";
    shell.write_registration(COMPLETION_VARIABLE, name, name, name, &mut script)?;
    io::stdout().lock().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `robots man`: writes the page of the program, or one for each command.
pub(crate) fn man(args: &Man) -> Result<ExitCode> {
    let mut program = Cli::command();
    program.build();
    let Some(folder) = &args.output_folder else {
        io::stdout().lock().write_all(&page(&program)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    let about = || {
        format!(
            "cannot write to {}",
            robots_pipeline::text::path_text(folder)
        )
    };
    fs::create_dir_all(folder).with_context(about)?;
    for command in std::iter::once(&program).chain(program.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        NewFile::write(&folder.join(format!("{name}.1")), page(command)?).with_context(about)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `robots help`: prints the help of the program, or of a command.
pub(crate) fn help(args: &Help) -> Result<ExitCode> {
    let program = program();
    if let Some(name) = &args.command
        && program.find_subcommand(name).is_none()
    {
        match nearest(name, program.get_subcommands().map(Command::get_name)) {
            Some(near) => bail!("unknown command {name:?}; did you mean {near:?}?"),
            None => bail!("unknown command {name:?}; `robots help` lists them"),
        }
    }
    // With --help, the parser fails, and its error is the help.
    let command = args.command.as_deref();
    let words = ["robots"].into_iter().chain(command).chain(["--help"]);
    if let Err(help) = program.try_get_matches_from(words) {
        help.print()?;
    }
    Ok(ExitCode::SUCCESS)
}
