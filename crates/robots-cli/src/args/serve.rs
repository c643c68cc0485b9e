//! The arguments of `robots serve`.

use clap::{Args, ValueHint};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Answer questions over HTTP
///
/// Serves an API whose answers are those of this program with --json: what robots may do with pages, what is known about the
/// robots.txt of sites, known robots, and profiles. /docs has a page about the API, /openapi.json its description, /metrics counters for Prometheus.
///
/// Limits on clients, requests and times are settings. Each setting has a key in a TOML file (--settings), an environment
/// variable, and --set. Of several values, that on the command line counts, then the variable, then the file.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots serve
  robots serve --listen 0.0.0.0:80 --settings robots-serve.toml
  robots serve --store known.store --redis redis://cache:6379
  robots serve --set limits.body-bytes=1MiB --set log-format=json
  ROBOTS_SERVE_LIMITS_BODY_BYTES=1MiB robots serve
  robots serve --print-settings > robots-serve.toml

On SIGTERM or SIGINT, the service ends its requests and then itself, within the setting shutdown-timeout. A second signal ends it \
at once. docs/service.md in the project describes the settings, and how to run the service.

Exit codes:
  0         a signal stopped the service, and all requests were answered
  2         an error: a setting is not valid, or the address is in use
  130, 143  a signal ended the service before all requests were answered")]
pub(crate) struct Serve {
    /// Listen on this address and port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    /// Keep what is known about sites in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) store: Option<String>,
    /// Share what is known through the Redis or Valkey at this URL
    #[arg(long, value_name = "URL")]
    pub(crate) redis: Option<String>,
    /// Read settings from this TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) settings: Option<PathBuf>,
    /// Set a setting, such as limits.body-bytes=1MiB; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    pub(crate) set: Vec<(String, String)>,
    /// Print all settings as TOML, and end
    #[arg(long)]
    pub(crate) print_settings: bool,
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| "expected KEY=VALUE, such as limits.body-bytes=1MiB".to_owned())
}
