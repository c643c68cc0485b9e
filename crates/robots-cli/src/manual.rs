//! Completions, man pages, the help of commands and the version, made from the definition of the command line.

use crate::args::{Cli, Completions, Man};
use anyhow::{Context, Result};
use clap::{ArgMatches, Command, CommandFactory};
use clap_complete::CompleteEnv;
use clap_complete::env::Shells;
use robots_pipeline::text::{path_text, printable};
use robots_policy::Decision;
use robots_policy::profile::AgentTable;
use robots_txt::Dialect;
use std::borrow::Cow;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::process::{self, ExitCode};

/// The environment variable with which a completion script runs the program.
const COMPLETION_VARIABLE: &str = "ROBOTS_COMPLETE";

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

/// The maximum width of the help, in columns.
const MAX_WIDTH: usize = 120;

/// The commands by their use, in the order of the help. Hidden ones are left out: other names, and what sets up a system.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Ask",
        &["why", "check", "decide", "meta", "agents", "profiles"],
    ),
    ("Maintain", &["lint", "diff", "block", "test"]),
    (
        "Collect and report",
        &["fetch", "survey", "audit", "verify", "usage"],
    ),
    ("Run", &["serve", "mcp", "lsp"]),
];

/// Returns the definition of the command line.
pub(crate) fn program() -> Command {
    let program = Cli::command().max_term_width(MAX_WIDTH);
    let template = help_template(&program);
    program.help_template(template)
}

/// Returns the template of the help, with the commands in groups: clap knows one heading for all commands.
fn help_template(program: &Command) -> String {
    let styles = program.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut list = Vec::new();
    for (heading, names) in GROUPS {
        // The service may be left out of a build.
        let commands = names
            .iter()
            .filter_map(|name| program.find_subcommand(name));
        let lines = commands.map(|command| {
            let about = command.get_about().cloned().unwrap_or_default();
            format!("  {literal}{:<8}{literal:#}  {about}\n", command.get_name())
        });
        list.push(format!("{header}{heading}:{header:#}\n"));
        list.extend(lines);
        list.push("\n".to_owned());
    }
    let list = list.concat();
    let options = format!("{header}Options:{header:#}\n{{options}}");
    format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{options}{{after-help}}"
    )
}

/// Returns the arguments of the process. Shows the help, the version or an error, and exits, if they ask for it or are not valid.
pub(crate) fn arguments() -> ArgMatches {
    // It needs the table of robots, which takes as long to read as a small archive.
    let asks_for_version = env::args_os().any(|word| word == "--version");
    let program = if asks_for_version {
        program().long_version(version())
    } else {
        program()
    };
    let matches = program.try_get_matches();
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
    let program = Cli::command();
    if let Some(folder) = &args.output_folder {
        let about = || format!("cannot write to {}", path_text(folder));
        fs::create_dir_all(folder).with_context(about)?;
        clap_mangen::generate_to(program, folder).with_context(about)?;
    } else {
        clap_mangen::Man::new(program).render(&mut io::stdout().lock())?;
    }
    Ok(ExitCode::SUCCESS)
}
