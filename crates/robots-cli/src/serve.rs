//! `robots serve`: the HTTP service.

use crate::args::Serve;
use crate::resources;
use anyhow::{Context, Result, ensure};
use robots_server::{Config, Ending};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

/// How long the service may take to accept a probe, and to answer it.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &Serve) -> Result<ExitCode> {
    let listen = args.listen.map(|address| ("listen", address.to_string()));
    let config = args.settings.config(listen)?;
    if args.print_settings {
        let mut out = anstream::stdout().lock();
        write!(out, "{}", config.to_toml())?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.probe {
        return probe(&config);
    }
    resources::check_for_threaded_runtime()?;
    Ok(match robots_server::run(config)? {
        Ending::Cut(signal) => ExitCode::from(signal.exit_code()),
        _ => ExitCode::SUCCESS,
    })
}

/// Asks the service that listens on the address of these settings for `/healthz`.
fn probe(config: &Config) -> Result<ExitCode> {
    let mut address = config.listen;
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    let ask = || {
        let mut stream = TcpStream::connect_timeout(&address, PROBE_TIMEOUT)?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        write!(stream, "GET /healthz HTTP/1.0\r\n\r\n")?;
        // Of the answer, the status line alone matters.
        let mut answer = [0; "HTTP/1.0 200".len()];
        stream.read_exact(&mut answer)?;
        Ok::<_, std::io::Error>(answer)
    };
    let answer = ask().with_context(|| format!("no service answers at {address}"))?;
    ensure!(
        answer.starts_with(b"HTTP/1.") && answer.ends_with(b" 200"),
        "what answers at {address} is not alive: {}",
        answer.escape_ascii()
    );
    Ok(ExitCode::SUCCESS)
}
