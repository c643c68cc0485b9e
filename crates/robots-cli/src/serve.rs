//! `robots serve`: the HTTP service.

use crate::args::Serve;
use anyhow::Result;
use robots_server::{Config, Ending};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Serve) -> Result<ExitCode> {
    let listen = args
        .listen
        .map(|address| ("listen".to_owned(), address.to_string()));
    let arguments = args.set.iter().cloned().chain(listen);
    let config = Config::load(args.settings.as_deref(), std::env::vars_os(), arguments)?;
    if args.print_settings {
        let mut out = anstream::stdout().lock();
        write!(out, "{}", config.to_toml())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(match robots_server::run(config)? {
        Ending::Cut(signal) => ExitCode::from(signal.exit_code()),
        _ => ExitCode::SUCCESS,
    })
}
