//! The configuration of the service: defaults, a TOML file, environment variables and arguments, each before the next.
//!
//! The comments of fields are the meanings that `--print-settings` shows. The key `limits.body-bytes` is
//! `body-bytes` in the table `limits` of the file, `ROBOTS_SERVE_LIMITS_BODY_BYTES` in the environment, and
//! `--set limits.body-bytes=1MiB` on the command line.

mod limits;
mod value;

pub use limits::Limits;
pub use value::{Bytes, ForwardedHeader, LogLevel, LogStyle, Network, Secret, Time};

use robots_crawl::store::DEFAULT_PREFIX;
use robots_policy::text::nearest;
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toml::{Table, Value};
use utoipa::{PartialSchema, ToSchema};

/// The start of the names of environment variables.
const ENVIRONMENT_PREFIX: &str = "ROBOTS_SERVE_";

/// The environment variable with the path of the TOML file.
const FILE_VARIABLE: &str = "ROBOTS_SERVE_SETTINGS";

/// The shortest API key, in bytes.
const MIN_API_KEY_BYTES: usize = 16;

/// The settings that require a key.
const KEY_SETTINGS: [&str; 2] = ["api-key", "api-key-file"];

/// The most URLs that `limits.urls` allows in a question.
pub(crate) const MAX_URLS: usize = 100_000;

/// The smallest limit of a request's head, in bytes: the smallest buffer of the HTTP library.
const MIN_HEAD_BYTES: Bytes = Bytes(8 << 10);

/// The configuration of a service. An empty text or path is none.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[non_exhaustive]
pub struct Config {
    /// Listen on this address and port
    #[schema(value_type = String)]
    pub listen: SocketAddr,
    /// Keep what is known about the robots.txt of sites in this file
    #[schema(value_type = String)]
    pub store: PathBuf,
    /// Share what is known with other processes through Redis or Valkey: `redis://user:password@host:6379/0`, or `redis+unix:///path`
    pub redis: Secret,
    /// The start of the keys in Redis; processes with different ones share nothing
    pub redis_prefix: String,
    /// Send this User-Agent header to sites
    pub user_agent: String,
    /// Send this From header to sites: the email address of the operator
    pub from: String,
    /// Request from addresses that are not public, too: only where every client and site is trusted
    pub allow_private: bool,
    /// Request the tdmrep.json of a site with its robots.txt, and decide by it
    pub request_tdmrep: bool,
    /// Require this key; better kept in a file or the environment
    pub api_key: Secret,
    /// Require one of the keys in this file, one a line
    #[schema(value_type = String)]
    pub api_key_file: PathBuf,
    /// Take the client's address from the header that these proxies send
    pub trusted_proxies: Vec<Network>,
    /// The header in which trusted proxies name the client
    pub forwarded_header: ForwardedHeader,
    /// Apply no limit per client to these; requests with a header of an unnamed proxy are not exempt
    pub exempt_clients: Vec<Network>,
    /// Answer requests for these hosts alone, without ports; none allows any host
    pub allowed_hosts: Vec<String>,
    /// After SIGTERM or SIGINT, let requests end within this time
    pub shutdown_timeout: Time,
    /// The form of log lines on standard error
    pub log_format: LogStyle,
    /// The least severe log lines; a line for each request is info
    pub log_level: LogLevel,
    /// The limits
    pub limits: Limits,
}

impl Default for Config {
    fn default() -> Self {
        let loopback = ["127.0.0.0/8", "::1/128"].map(str::to_owned);
        Self {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            store: PathBuf::new(),
            redis: Secret::default(),
            redis_prefix: DEFAULT_PREFIX.to_owned(),
            user_agent: concat!("robots/", env!("CARGO_PKG_VERSION")).to_owned(),
            from: String::new(),
            allow_private: false,
            request_tdmrep: false,
            api_key: Secret::default(),
            api_key_file: PathBuf::new(),
            trusted_proxies: Vec::new(),
            forwarded_header: ForwardedHeader::XForwardedFor,
            exempt_clients: loopback.into_iter().flat_map(Network::try_from).collect(),
            allowed_hosts: Vec::new(),
            shutdown_timeout: Time(Duration::from_secs(20)),
            log_format: LogStyle::Text,
            log_level: LogLevel::Info,
            limits: Limits::default(),
        }
    }
}

/// An error in the configuration: its place (a file with line and column, a variable, an argument or a key), and what is wrong.
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

    fn unread(place: String, error: std::io::Error) -> Self {
        Self {
            source: Some(error),
            ..Self::new(place, "cannot read the file")
        }
    }
}

impl Config {
    /// Returns the configuration of a file, the environment and arguments. Of several values for a key, that of the last of these
    /// sources counts.
    ///
    /// Without a path, the file is that of `ROBOTS_SERVE_SETTINGS` if it is set, or else none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, if a key is unknown, or if a value is invalid.
    pub fn load(
        path: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
        arguments: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        let keys = Self::keys();
        let mut file = path.map(Path::to_owned);
        let mut values: Vec<(String, String, String)> = Vec::new();
        for (name, value) in environment {
            let name = name.to_str().unwrap_or_default();
            if !name.starts_with(ENVIRONMENT_PREFIX) {
                continue;
            }
            let place = format!("environment variable {name}");
            if name == FILE_VARIABLE {
                if value.is_empty() && path.is_none() {
                    return Err(ConfigError::new(place, "expected the path of a file"));
                }
                // An argument has precedence.
                file = file.or_else(|| Some(PathBuf::from(value)));
                continue;
            }
            let Some(key) = keys.iter().find(|key| variable(key) == name) else {
                let names: Vec<String> = keys.iter().map(|key| variable(key)).collect();
                let near = nearest(name, names.iter().map(String::as_str));
                let message = format!("unknown setting{}", suggestion(near));
                return Err(ConfigError::new(place, message));
            };
            let Ok(value) = value.into_string() else {
                return Err(ConfigError::new(place, "the value is not UTF-8"));
            };
            values.push((place, key.clone(), value));
        }
        let arguments = arguments.into_iter();
        values.extend(arguments.map(|(key, value)| (format!("argument {key}"), key, value)));
        let mut config = match &file {
            Some(path) => Self::read(path)?,
            None => Self::default(),
        };
        for (place, key, value) in values {
            let is_set = config.set(&key, &value);
            is_set.map_err(|message| ConfigError::new(place, message))?;
        }
        config.check()?;
        Ok(config)
    }

    /// Reads a file.
    fn read(path: &Path) -> Result<Self, ConfigError> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|error| ConfigError::unread(place.clone(), error))?;
        toml::from_str(&text).map_err(|error| {
            let before = &text[..error.span().map_or(0, |span| span.start)];
            let line = before.matches('\n').count() + 1;
            let last = before.rsplit('\n').next().unwrap_or_default();
            let column = last.chars().count() + 1;
            let place = format!("{place}: line {line}, column {column}");
            ConfigError::new(place, in_words(&error))
        })
    }

    /// Sets the value of a key, as an environment variable or argument has it. The parts of a list are divided by commas. An empty
    /// key is an error: it may be a variable of a script that was not set, and without a key the service is open to everyone.
    fn set(&mut self, key: &str, text: &str) -> Result<(), String> {
        if text.is_empty() && KEY_SETTINGS.contains(&key) {
            return Err(format!(
                "invalid `{key}`: expected a value; to require no key, leave the setting out"
            ));
        }
        let mut table = Table::try_from(&*self).map_err(|error| error.to_string())?;
        let (outer, name) = key.split_once('.').unwrap_or(("", key));
        let inner = match table.get_mut(outer) {
            Some(Value::Table(inner)) => inner,
            _ => &mut table,
        };
        let Some(value) = inner.get_mut(name).filter(|value| !value.is_table()) else {
            return Err(unknown_key(key));
        };
        let invalid = |form| format!("invalid value {text:?} for `{key}`: expected {form}");
        *value = match value {
            Value::Integer(_) => text
                .parse()
                .map(Value::Integer)
                .map_err(|_| invalid("a number"))?,
            Value::Boolean(_) => {
                let is = text.parse().map(Value::Boolean);
                is.map_err(|_| invalid("true or false"))?
            }
            Value::Array(_) => {
                let parts = text.split(',').map(str::trim);
                let parts = parts.filter(|part| !part.is_empty());
                Value::Array(parts.map(Value::from).collect())
            }
            _ => text.into(),
        };
        *self = table.try_into().map_err(|error: toml::de::Error| {
            format!("invalid value for `{key}`: {}", in_words(&error))
        })?;
        Ok(())
    }

    /// Checks values that are valid by their form.
    fn check(&self) -> Result<(), ConfigError> {
        let limits = &self.limits;
        let at_least_one = [
            ("redis-prefix", self.redis_prefix.trim().len()),
            ("user-agent", self.user_agent.trim().len()),
            ("limits.connections", limits.connections),
            ("limits.requests-at-once", limits.requests_at_once),
            ("limits.burst-per-client", limits.burst_per_client),
            ("limits.header-lines", limits.header_lines),
            ("limits.url-bytes", limits.url_bytes.0),
            ("limits.bodies-at-once", limits.bodies_at_once),
            ("limits.fetches-at-once", limits.fetches_at_once),
            ("limits.fetches-per-address", limits.fetches_per_address),
            ("limits.fetches-waiting", limits.fetches_waiting),
        ];
        if let Some((key, _)) = at_least_one.iter().find(|(_, value)| *value == 0) {
            return Err(ConfigError::new(*key, "expected at least 1"));
        }
        let times = [
            ("limits.fetch-timeout", limits.fetch_timeout),
            ("limits.head-timeout", limits.head_timeout),
            ("limits.body-timeout", limits.body_timeout),
            ("limits.request-timeout", limits.request_timeout),
            ("limits.write-timeout", limits.write_timeout),
        ];
        if let Some((key, _)) = times.iter().find(|(_, time)| time.0.is_zero()) {
            return Err(ConfigError::new(*key, "expected more than 0"));
        }
        if limits.head_bytes < MIN_HEAD_BYTES {
            let message = format!("expected at least {MIN_HEAD_BYTES}");
            return Err(ConfigError::new("limits.head-bytes", message));
        }
        if limits.urls > MAX_URLS {
            return Err(ConfigError::new(
                "limits.urls",
                format!("expected at most {MAX_URLS}"),
            ));
        }
        if !self.api_key.is_empty() {
            check_key(&self.api_key).map_err(|message| ConfigError::new("api-key", message))?;
        }
        Ok(())
    }

    /// Returns the API keys of `api-key` and `api-key-file`. Without keys, requests need none.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has no key, or has one that is too short or has other characters than visible ASCII.
    pub fn api_keys(&self) -> Result<Vec<Secret>, ConfigError> {
        let mut keys = Vec::new();
        if !self.api_key.is_empty() {
            keys.push(self.api_key.clone());
        }
        if self.api_key_file.as_os_str().is_empty() {
            return Ok(keys);
        }
        let place = format!("api-key-file {}", self.api_key_file.display());
        let text = std::fs::read_to_string(&self.api_key_file)
            .map_err(|error| ConfigError::unread(place.clone(), error))?;
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

    /// Returns the settings: the key of each, its value as TOML and its meaning. The value of a secret is not shown.
    pub fn settings(&self) -> Vec<(String, String, String)> {
        let mut shown = self.clone();
        for secret in [&mut shown.redis, &mut shown.api_key] {
            if !secret.is_empty() {
                *secret = Secret::new("(not shown)");
            }
        }
        // Settings are texts, numbers and lists of them.
        let table = Table::try_from(shown).unwrap_or_default();
        let mut settings = Vec::new();
        for (prefix, table, schema) in [
            ("", Some(&table), Self::schema()),
            ("limits.", table["limits"].as_table(), Limits::schema()),
        ] {
            let schema = serde_json::to_value(schema).unwrap_or_default();
            let properties = schema["properties"].as_object().into_iter().flatten();
            for (name, property) in properties {
                let value = table.and_then(|table| table.get(name));
                if let Some(value) = value.filter(|value| !value.is_table()) {
                    let about = property["description"].as_str().unwrap_or_default();
                    settings.push((
                        format!("{prefix}{name}"),
                        value.to_string(),
                        about.to_owned(),
                    ));
                }
            }
        }
        settings
    }

    /// Returns the key of each setting.
    fn keys() -> Vec<String> {
        let settings = Self::default().settings().into_iter();
        settings.map(|(key, _, _)| key).collect()
    }

    /// Returns the configuration as TOML, with a comment for each setting. The value of a secret is not shown.
    pub fn to_toml(&self) -> String {
        let mut text = String::new();
        for (key, value, about) in self.settings() {
            let name = key.strip_prefix("limits.").unwrap_or(&key);
            if name != key && !text.contains("[limits]") {
                text.push_str("\n[limits]\n");
            }
            // Writing to a string does not fail.
            let _ = writeln!(text, "# {about}\n{name} = {value}");
        }
        text
    }
}

/// Returns the name of the environment variable of a setting.
pub fn variable(key: &str) -> String {
    let name = key.replace(['.', '-'], "_").to_ascii_uppercase();
    format!("{ENVIRONMENT_PREFIX}{name}")
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

/// Returns the message of an error about a value. That about an unknown key names the nearest one in place of all.
fn in_words(error: &toml::de::Error) -> String {
    let message = error.message();
    let unknown = message.strip_prefix("unknown field `");
    match unknown.and_then(|rest| rest.split_once('`')) {
        Some((key, _)) => unknown_key(key),
        None => message.trim_end().to_owned(),
    }
}

fn unknown_key(key: &str) -> String {
    let keys = Config::keys();
    let short = || keys.iter().filter_map(|key| key.strip_prefix("limits."));
    if short().any(|limit| limit == key) {
        return format!("unknown key `{key}`: it belongs to `[limits]`, or is `limits.{key}`");
    }
    let near = nearest(key, keys.iter().map(String::as_str).chain(short()));
    format!("unknown key `{key}`{}", suggestion(near))
}

fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(
        || ": `robots serve --print-settings` lists all settings".to_owned(),
        |near| format!(": did you mean `{near}`?"),
    )
}
