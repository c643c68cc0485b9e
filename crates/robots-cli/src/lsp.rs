//! `robots lsp`: a language server for editors.

use anyhow::Result;
use robots_lsp::{Ending, serve_stdio};
use std::process::ExitCode;

pub(crate) fn run() -> Result<ExitCode> {
    Ok(match serve_stdio(&mut |note| notice!("note: {note}"))? {
        Ending::AfterShutdown => ExitCode::SUCCESS,
        _ => ExitCode::from(1),
    })
}
