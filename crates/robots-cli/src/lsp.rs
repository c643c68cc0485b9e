//! `robots lsp`: a language server for editors.

use anyhow::Result;
use robots_lsp::{Ending, serve};
use std::io::{stdin, stdout};
use std::process::ExitCode;

pub(crate) fn run() -> Result<ExitCode> {
    let mut log = |note: &str| notice!("note: {note}");
    Ok(match serve(stdin(), stdout(), &mut log)? {
        Ending::AfterShutdown => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}
