//! The program `robots`: a command line over the libraries of this workspace.
#![forbid(unsafe_code)]

// The modules declared after this one can use its macros `message!` and `notice!`.
#[macro_use]
mod terminal;

mod agents;
mod answer_output;
mod args;
mod audit;
mod block;
mod check;
mod chosen_robots;
mod config;
mod decide;
mod diff;
mod fetch;
mod fetcher;
mod interrupt;
mod lint;
mod manual;
mod markdown;
#[cfg(feature = "serve")]
mod mcp;
mod meta;
mod observer;
mod profiles;
mod progress;
mod report;
mod resources;
mod robots_file;
mod saved_page;
#[cfg(feature = "serve")]
mod serve;
mod source_line;
mod standard_input;
mod statistics;
mod survey;
mod table;
mod test;
mod text_diff;
mod usage;
mod verify;
mod why;

#[cfg(unix)]
pub use resources::note_standard_output;

use args::{Cli, Color, Command};
use clap::FromArgMatches;
use robots_lsp::{Ending, serve_stdio};
use std::error::Error;
use std::io;
use std::process::ExitCode;
use std::slice;

/// The exit code of a run whose output was closed by its reader before the end: 128 plus the number of SIGPIPE, 13.
const OUTPUT_CLOSED: u8 = 141;

/// Runs the program on the arguments of the process, and returns its exit code: 0 for success, 1 if something is
/// disallowed or was found, 2 for an error, 130 or 143 if a signal ended the run (SIGINT, SIGTERM), and 141 if the reader of standard
/// output closed it before the end of the work.
pub fn run() -> ExitCode {
    if let Err(error) = resources::check() {
        message!("error: {error:#}");
        return ExitCode::from(2);
    }
    manual::complete();
    let matches = manual::arguments();
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    match cli.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    if cli.quiet {
        terminal::be_quiet();
    }
    if cli.verbose {
        terminal::be_verbose();
    }
    let configured = config::apply(&mut cli);
    let result = configured.and_then(|()| match &cli.command {
        Command::Decide(args) => decide::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Usage(args) => usage::run(args),
        Command::Check(args) => check::run(args),
        Command::Fetch(args) => fetch::run(args),
        Command::Meta(args) => meta::run(args),
        Command::Headers(args) => meta::headers::run(slice::from_ref(&args.file), args.json),
        Command::Diff(args) => diff::run(args),
        Command::Block(args) => block::run(args),
        Command::Lint(args) => lint::run(args),
        Command::Explain(args) => lint::explain::run(args.kind, args.format()),
        Command::Lsp(_) => lsp(),
        Command::Survey(args) => survey::run(args),
        Command::Audit(args) => audit::run(args),
        Command::Why(args) => why::run(args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => serve::run(args),
        #[cfg(feature = "serve")]
        Command::Mcp(args) => mcp::run(args),
        Command::Profiles(args) => profiles::run(args),
        Command::Agents(args) => agents::run(args),
        Command::Test(args) => test::run(args),
        Command::Completions(args) => manual::completions(args),
        Command::Man(args) => manual::man(args),
    });
    observer::report_hidden_warnings();
    result.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            // The reader of the output wants no more: there is no message. But the work is not done.
            return ExitCode::from(OUTPUT_CLOSED);
        }
        let context = if is_full_output(&error) {
            "cannot write to standard output: "
        } else {
            ""
        };
        message!("error: {context}{error:#}");
        ExitCode::from(2)
    })
}

/// Returns the definition of the command line.
pub fn command_line() -> clap::Command {
    manual::program()
}

/// Runs `robots lsp`: a language server for editors.
fn lsp() -> anyhow::Result<ExitCode> {
    Ok(match serve_stdio(&mut |note| notice!("note: {note}"))? {
        Ending::AfterShutdown => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}

/// Returns whether an error means that standard output is full. Only the outermost error is examined: an error about a file has
/// a context around it, which names the file.
fn is_full_output(error: &anyhow::Error) -> bool {
    matches!(
        io_kind(error.as_ref()),
        Some(io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::WriteZero)
    )
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let mut causes = error.chain();
    causes.any(|cause| io_kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

/// Returns the kind of an I/O error, or of the I/O error that a JSON error reports.
fn io_kind(error: &(dyn Error + 'static)) -> Option<io::ErrorKind> {
    let json = error.downcast_ref::<serde_json::Error>();
    let io = error.downcast_ref().map(io::Error::kind);
    io.or_else(|| json.and_then(serde_json::Error::io_error_kind))
}
