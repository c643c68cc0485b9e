//! `robots serve`: the HTTP service.

use crate::args::Serve;
use crate::resources;
use anyhow::Result;
use robots_server::{Config, Ending};
use std::io::Write;
use std::process::ExitCode;

pub(crate) fn run(args: &Serve) -> Result<ExitCode> {
    let options = [
        ("listen", args.listen.map(|address| address.to_string())),
        ("store", args.store.clone()),
        ("redis", args.redis.clone()),
    ];
    let options = options
        .into_iter()
        .filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let arguments = args.set.iter().cloned().chain(options);
    let config = Config::load(args.settings.as_deref(), std::env::vars_os(), arguments)?;
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
