//! The configuration of the service: defaults, a TOML file, environment variables and arguments, each before the next.
//!
//! [`Setting::ALL`] declares every setting once, with its key, default and meaning. The key `limits.body-bytes` is `body-bytes`
//! in the table `limits` of the file, `ROBOTS_SERVE_LIMITS_BODY_BYTES` in the environment, and
//! `--set limits.body-bytes=1MiB` on the command line.

mod file;
mod limits;
mod setting;
mod value;

pub use limits::Limits;
pub use setting::Setting;
pub use value::{Bytes, ForwardedHeader, LogFormat, LogLevel, Secret};

pub(crate) use value::shown_time;

use ipnet::IpNet;
use robots_crawl::store::DEFAULT_PREFIX;
use robots_policy::text::nearest;
use std::collections::HashMap;
use std::ffi::OsString;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The start of the names of environment variables.
pub const ENVIRONMENT_PREFIX: &str = "ROBOTS_SERVE_";

/// The environment variable with the path of the TOML file.
pub const FILE_VARIABLE: &str = "ROBOTS_SERVE_SETTINGS";

/// The shortest API key, in bytes.
pub const MIN_API_KEY_BYTES: usize = 16;

/// The settings that require a key.
const KEY_SETTINGS: [&str; 2] = ["api-key", "api-key-file"];

/// The most rates that are kept: half a gigabyte.
const MAX_RATES: usize = 1 << 26;

/// The most URLs that `limits.urls` allows in a question.
pub const MAX_URLS: usize = 100_000;

/// The smallest limit of a request's head, in bytes: the smallest buffer of the HTTP library.
const MIN_HEAD_BYTES: usize = 8 << 10;

/// The configuration of a service.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// The store of what is known about origins; without one, it is in memory only.
    pub store: Option<PathBuf>,
    /// The URL of the Redis or Valkey that shares what is known with other processes.
    pub redis: Option<Secret>,
    /// The start of its keys.
    pub redis_prefix: String,
    /// The User-Agent header of requests to sites.
    pub user_agent: String,
    /// The From header of requests to sites.
    pub from: Option<String>,
    /// Whether requests may go to addresses that are not public.
    pub allow_private: bool,
    /// A key that requests must have.
    pub api_key: Option<Secret>,
    /// A file with keys, one a line.
    pub api_key_file: Option<PathBuf>,
    /// The proxies whose statements about the client are taken.
    pub trusted_proxies: Vec<IpNet>,
    /// The header in which they state it.
    pub forwarded_header: ForwardedHeader,
    /// The clients without limits per client.
    pub exempt_clients: Vec<IpNet>,
    /// The time that requests have to end once the service is asked to stop.
    pub shutdown_timeout: Duration,
    /// The form of log lines.
    pub log_format: LogFormat,
    /// The least severe log lines that are written.
    pub log_level: LogLevel,
    /// The limits.
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            store: None,
            redis: None,
            redis_prefix: DEFAULT_PREFIX.to_owned(),
            user_agent: concat!("robots/", env!("CARGO_PKG_VERSION")).to_owned(),
            from: None,
            allow_private: false,
            api_key: None,
            api_key_file: None,
            trusted_proxies: Vec::new(),
            forwarded_header: ForwardedHeader::XForwardedFor,
            exempt_clients: loopback(),
            shutdown_timeout: Duration::from_secs(20),
            log_format: LogFormat::Text,
            log_level: LogLevel::Info,
            limits: Limits::default(),
        }
    }
}

/// Returns the addresses of this machine.
fn loopback() -> Vec<IpNet> {
    let texts = ["127.0.0.0/8", "::1/128"];
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

/// An error in the configuration: its place (a file with line and column, a variable or an argument), and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {message}")]
pub struct ConfigError {
    place: String,
    message: String,
    source: Option<std::io::Error>,
}

impl ConfigError {
    fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            message: message.into(),
            source: None,
        }
    }
}

/// A configuration in the making, and the places of its values that are not defaults.
#[derive(Debug, Default)]
struct Settings {
    config: Config,
    places: HashMap<&'static str, String>,
}

impl Settings {
    /// Sets a value.
    fn apply(
        &mut self,
        setting: &'static Setting,
        texts: &[String],
        place: String,
    ) -> Result<(), ConfigError> {
        setting
            .apply(&mut self.config, texts)
            .map_err(|message| ConfigError::new(&place, message))?;
        self.places.insert(setting.key, place);
        Ok(())
    }

    /// Sets a value of an environment variable or argument. An empty key is an error: it may be a variable of a script that was not
    /// set, and without a key the service is open to everyone.
    fn apply_text(
        &mut self,
        setting: &'static Setting,
        value: &str,
        place: String,
    ) -> Result<(), ConfigError> {
        if value.is_empty() && KEY_SETTINGS.contains(&setting.key) {
            let key = setting.key;
            let message = format!(
                "invalid `{key}`: expected a value; to require no key, leave the setting out"
            );
            return Err(ConfigError::new(place, message));
        }
        self.apply(setting, &split(value, setting.is_list()), place)
    }

    fn apply_variable(&mut self, name: &str, value: OsString) -> Result<(), ConfigError> {
        let place = format!("environment variable {name}");
        let setting = Setting::ALL
            .iter()
            .find(|setting| setting.variable() == name)
            .ok_or_else(|| {
                let names: Vec<String> = Setting::ALL.iter().map(Setting::variable).collect();
                let near = nearest(name, names.iter().map(String::as_str));
                ConfigError::new(&place, format!("unknown setting{}", suggestion(near)))
            })?;
        let value = value
            .into_string()
            .map_err(|_| ConfigError::new(&place, "the value is not UTF-8"))?;
        self.apply_text(setting, &value, place)
    }

    /// Returns the configuration, if its values are valid together.
    fn finish(self) -> Result<Config, ConfigError> {
        let Err((keys, message)) = self.config.check() else {
            return Ok(self.config);
        };
        let key = keys.first().copied().unwrap_or_default();
        // One of them is not a default: defaults fit each other.
        let mut places = keys.iter().filter_map(|key| self.places.get(key));
        let place = places.next().map_or(key, String::as_str);
        let message = format!("invalid `{key}`: {message}");
        Err(ConfigError::new(place, message))
    }
}

impl Config {
    /// Returns the configuration of a file, the environment and arguments. Of several values for a key, that of the last of these
    /// sources counts.
    ///
    /// Without a path, the file is that of [`FILE_VARIABLE`] if it is set, or else none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, if a key is unknown, or if a value is invalid.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        arguments: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let mut settings = Settings::default();
        let mut variables = Vec::new();
        let mut file = path.map(Path::to_owned);
        for (name, value) in environment {
            let Some(name) = name
                .to_str()
                .filter(|name| name.starts_with(ENVIRONMENT_PREFIX))
            else {
                continue;
            };
            if name == FILE_VARIABLE {
                if value.is_empty() && path.is_none() {
                    let place = format!("environment variable {FILE_VARIABLE}");
                    return Err(ConfigError::new(place, "expected the path of a file"));
                }
                // An argument has precedence.
                file = file.or_else(|| Some(PathBuf::from(value)));
            } else {
                variables.push((name.to_owned(), value));
            }
        }
        if let Some(path) = &file {
            file::apply(&mut settings, path)?;
        }
        for (name, value) in variables {
            settings.apply_variable(&name, value)?;
        }
        for (key, value) in arguments {
            let place = format!("argument {key}");
            let setting = Setting::find(&key).ok_or_else(|| unknown_key(&place, &key))?;
            settings.apply_text(setting, &value, place)?;
        }
        settings.finish()
    }

    /// Checks values that are valid by their form. The error is a key, with the
    /// key of the setting that it does not fit if there is one, and what is wrong.
    fn check(&self) -> Result<(), (Vec<&'static str>, String)> {
        let limits = &self.limits;
        let at_least_one = [
            ("limits.connections", limits.connections),
            ("limits.requests-at-once", limits.requests_at_once),
            ("limits.header-lines", limits.header_lines),
            ("limits.rates", limits.rates),
            ("limits.url-bytes", limits.url_bytes.0),
            ("limits.fetches-at-once", limits.fetches_at_once),
            ("limits.fetches-per-address", limits.fetches_per_address),
            ("limits.fetches-waiting", limits.fetches_waiting),
        ];
        for (key, value) in at_least_one {
            if value == 0 {
                return Err((vec![key], "expected at least 1".to_owned()));
            }
        }
        let times = [
            ("limits.fetch-timeout", limits.fetch_timeout),
            ("limits.idle-timeout", limits.idle_timeout),
            ("limits.head-timeout", limits.head_timeout),
            ("limits.body-timeout", limits.body_timeout),
            ("limits.request-timeout", limits.request_timeout),
            ("limits.write-timeout", limits.write_timeout),
        ];
        for (key, time) in times {
            if time.is_zero() {
                return Err((vec![key], "expected more than 0".to_owned()));
            }
        }
        if limits.head_bytes.0 < MIN_HEAD_BYTES {
            let message = format!("expected at least {}", Bytes(MIN_HEAD_BYTES));
            return Err((vec!["limits.head-bytes"], message));
        }
        let at_most = [
            ("limits.rates", limits.rates, MAX_RATES),
            ("limits.urls", limits.urls, MAX_URLS),
        ];
        for (key, value, max) in at_most {
            if value > max {
                return Err((vec![key], format!("expected at most {max}")));
            }
        }
        if limits.rate_per_client > 0 && limits.burst_per_client == 0 {
            let message = "expected at least 1, as limits.rate-per-client is set";
            return Err((
                vec!["limits.burst-per-client", "limits.rate-per-client"],
                message.to_owned(),
            ));
        }
        if limits.bodies_bytes < limits.body_bytes {
            let message = "expected at least limits.body-bytes";
            return Err((
                vec!["limits.bodies-bytes", "limits.body-bytes"],
                message.to_owned(),
            ));
        }
        if let Some(key) = &self.api_key {
            check_key(key).map_err(|message| (vec!["api-key"], message))?;
        }
        Ok(())
    }

    /// Returns the API keys of `api-key` and `api-key-file`. Without keys, requests need none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has no key, or has one that is too short or has other characters than visible ASCII.
    pub fn api_keys(&self) -> Result<Vec<Secret>, ConfigError> {
        let mut keys: Vec<Secret> = self.api_key.iter().cloned().collect();
        let Some(path) = &self.api_key_file else {
            return Ok(keys);
        };
        let place = format!("api-key-file {}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| ConfigError {
            place: place.clone(),
            message: "cannot read the file".to_owned(),
            source: Some(error),
        })?;
        let before = keys.len();
        for (line, number) in text.lines().map(str::trim).zip(1_u64..) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let key = Secret::new(line);
            check_key(&key)
                .map_err(|message| ConfigError::new(format!("{place}: line {number}"), message))?;
            keys.push(key);
        }
        if keys.len() == before {
            return Err(ConfigError::new(place, "the file has no key"));
        }
        Ok(keys)
    }

    /// Returns the configuration as TOML, with a comment for each setting. The value of a key or password is not shown.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        let mut table = "";
        for setting in Setting::ALL {
            let (next, name) = setting.key.rsplit_once('.').unwrap_or(("", setting.key));
            // Writing to a string does not fail.
            if next != table {
                table = next;
                let _ = writeln!(text, "\n[{table}]");
            }
            let value = setting.shown(self);
            let _ = writeln!(text, "# {}\n{name} = {value}", setting.about);
        }
        text
    }
}

fn check_key(key: &Secret) -> Result<(), String> {
    let key = key.expose();
    if key.len() < MIN_API_KEY_BYTES {
        return Err(format!(
            "expected a key of at least {MIN_API_KEY_BYTES} bytes"
        ));
    }
    if !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("expected a key of visible ASCII characters".to_owned());
    }
    Ok(())
}

/// Returns the texts of a value in an environment variable or argument: those between commas for a list.
fn split(value: &str, is_list: bool) -> Vec<String> {
    if is_list {
        value
            .split(',')
            .map(|text| text.trim().to_owned())
            .collect()
    } else {
        vec![value.to_owned()]
    }
}

fn unknown_key(place: &str, key: &str) -> ConfigError {
    let near = nearest(key, Setting::ALL.iter().map(|setting| setting.key));
    ConfigError::new(place, format!("unknown key `{key}`{}", suggestion(near)))
}

fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(
        || ": `robots serve --print-settings` lists all settings".to_owned(),
        |near| format!(": did you mean `{near}`?"),
    )
}
