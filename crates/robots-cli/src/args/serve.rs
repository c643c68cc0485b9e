//! The arguments of `robots serve`.

use clap::{Args, ValueHint};
use robots_server::{Config, ConfigError};
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
  0         a signal stopped the service, and all requests were answered;
            with --probe, the service is alive
  2         an error: a setting is not valid, or the address is in use;
            with --probe, no service answered
  130, 143  a signal ended the service before all requests were answered")]
pub(crate) struct Serve {
    /// Listen on this address and port [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print all settings as TOML, and end
    #[arg(long)]
    pub(crate) print_settings: bool,
    /// Ask the service at the address whether it is alive, and end
    ///
    /// This is the health check of a container.
    #[arg(long, conflicts_with = "print_settings")]
    pub(crate) probe: bool,
}

/// The arguments for settings.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Keep what is known about sites in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    store: Option<String>,
    /// Share what is known through the Redis or Valkey at this URL
    #[arg(long, value_name = "URL")]
    redis: Option<String>,
    /// Read settings from this TOML file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    settings: Option<PathBuf>,
    /// Set a setting, such as limits.body-bytes=1MiB; repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_and_value)]
    set: Vec<(String, String)>,
}

impl SettingsArgs {
    /// Returns the configuration: the settings of the file, the environment and the arguments, and those of other arguments.
    pub(crate) fn config(
        &self,
        others: impl IntoIterator<Item = (&'static str, String)>,
    ) -> Result<Config, ConfigError> {
        let options = [("store", &self.store), ("redis", &self.redis)].into_iter();
        let options = options.filter_map(|(key, value)| Some((key, value.clone()?)));
        let options = options.chain(others);
        let options = options.map(|(key, value)| (key.to_owned(), value));
        let arguments = self.set.iter().cloned().chain(options);
        Config::load(self.settings.as_deref(), std::env::vars_os(), arguments)
    }
}

fn key_and_value(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.to_owned()))
        .ok_or_else(|| "expected KEY=VALUE, such as limits.body-bytes=1MiB".to_owned())
}
