//! Completions, man pages, the help of commands and the version, made from the definition of the command line.

use crate::args::{Cli, Completions, Help, Man};
use anyhow::{Context, Result, bail};
use clap::{Command, CommandFactory};
use robots_pipeline::new_file::NewFile;
use robots_policy::Decision;
use robots_policy::profile::AgentTable;
use robots_txt::Dialect;
use std::fs;
use std::io::{self, Write};
use std::process::ExitCode;

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

/// Runs `robots completions`: writes a script for a shell.
pub(crate) fn completions(args: &Completions) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "robots", &mut script);
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
    let about = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(about)?;
    for command in std::iter::once(&program).chain(program.get_subcommands()) {
        let name = command.get_display_name().unwrap_or(command.get_name());
        NewFile::write(&folder.join(format!("{name}.1")), page(command)?).with_context(about)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Runs `robots help`: prints the help of the program, or of a command.
pub(crate) fn help(args: &Help) -> Result<ExitCode> {
    let program = Cli::command();
    if let Some(name) = &args.command
        && program.find_subcommand(name).is_none()
    {
        bail!("unknown command {name:?}; `robots help` lists them");
    }
    // With --help, the parser fails, and its error is the help.
    let command = args.command.as_deref();
    let words = ["robots"].into_iter().chain(command).chain(["--help"]);
    if let Err(help) = program.try_get_matches_from(words) {
        help.print()?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the man page of a command.
fn page(command: &Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}
