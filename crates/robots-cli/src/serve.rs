//! `robots serve`: the HTTP service.

use crate::args::Serve;
use crate::resources;
use anyhow::Result;
use robots_server::Ending;
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Serve) -> Result<ExitCode> {
    let listen = args.listen.map(|address| ("listen", address.to_string()));
    let config = args.settings.config(listen)?;
    if args.print_settings {
        let mut out = anstream::stdout().lock();
        write!(out, "{}", config.to_toml())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    resources::check_for_threaded_runtime()?;
    Ok(match robots_server::run(config)? {
        Ending::Cut(signal) => ExitCode::from(signal.exit_code()),
        _ => ExitCode::SUCCESS,
    })
}
