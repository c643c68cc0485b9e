//! The list of all settings.

use super::Config;
use super::value::Value;

/// A setting of the service.
#[derive(Debug)]
#[non_exhaustive]
pub struct Setting {
    /// The key in the file; a point divides the name of a table from that of the setting.
    pub key: &'static str,
    /// What the setting does.
    pub about: &'static str,
    /// The form of its values.
    pub form: &'static str,
    is_list: bool,
    is_secret: bool,
    set: fn(&mut Config, &[String]) -> Option<()>,
    toml: fn(&Config) -> String,
}

/// Declares settings: key, field, meaning. The type of the field determines the form of values.
macro_rules! settings {
    ($($key:literal $(.$field:ident)+ $about:literal $($is:ident)?;)+) => {
        &[$(Setting {
            key: $key,
            about: $about,
            form: form_of(|config: &Config| &config$(.$field)+),
            is_list: settings!(@list $($is)?),
            is_secret: settings!(@secret $($is)?),
            set: |config, texts| {
                config$(.$field)+ = Value::read(texts)?;
                Some(())
            },
            toml: |config| config$(.$field)+.toml(),
        }),+]
    };
    (@list list) => { true };
    (@list $($other:ident)?) => { false };
    (@secret secret) => { true };
    (@secret $($other:ident)?) => { false };
}

/// Returns the form of a field's values.
const fn form_of<T: Value>(_: fn(&Config) -> &T) -> &'static str {
    T::FORM
}

impl Setting {
    /// All settings. Those of one table follow each other.
    pub const ALL: &'static [Self] = settings! {
        "listen" .listen "Listen on this address and port";
        "store" .store "Keep what is known about the robots.txt of sites in this file";
        "redis" .redis "Share what is known with other processes through Redis or Valkey: redis://user:password@host:6379/0, or redis+unix:///path" secret;
        "redis-prefix" .redis_prefix "The start of the keys in Redis; processes with different ones share nothing";
        "user-agent" .user_agent "Send this User-Agent header to sites";
        "from" .from "Send this From header to sites: the email address of the operator";
        "allow-private" .allow_private "Request from addresses that are not public, too: only where every client and site is trusted";
        "api-key" .api_key "Require this key; better kept in a file or the environment" secret;
        "api-key-file" .api_key_file "Require one of the keys in this file, one a line";
        "trusted-proxies" .trusted_proxies "Take the client's address from the header that these proxies send" list;
        "forwarded-header" .forwarded_header "The header in which trusted proxies name the client";
        "exempt-clients" .exempt_clients "Apply no limit per client to these; requests with a header of an unnamed proxy are not exempt" list;
        "shutdown-timeout" .shutdown_timeout "After SIGTERM or SIGINT, let requests end within this time";
        "log-format" .log_format "The form of log lines on standard error";
        "log-level" .log_level "The least severe log lines; a line for each request is info";
        "limits.connections" .limits.connections "Open connections";
        "limits.connections-per-client" .limits.connections_per_client "Open connections of a client; 0 is no limit";
        "limits.requests-at-once" .limits.requests_at_once "Requests that are answered at once";
        "limits.requests-per-client" .limits.requests_per_client "Requests of a client that are answered at once; 0 is no limit";
        "limits.rate-per-client" .limits.rate_per_client "Requests of a client per second on average; 0 is no limit";
        "limits.burst-per-client" .limits.burst_per_client "Requests of a client that may come without a pause";
        "limits.rates" .limits.rates "Rates that are kept; clients are divided among them by a secret hash";
        "limits.url-bytes" .limits.url_bytes "The path and query of a request";
        "limits.head-bytes" .limits.head_bytes "The request line and header lines of a request, at least 8KiB";
        "limits.header-lines" .limits.header_lines "The header lines of a request";
        "limits.body-bytes" .limits.body_bytes "The body of a request";
        "limits.bodies-bytes" .limits.bodies_bytes "Memory for bodies of requests, fetched files and pages, and answers, of all requests";
        "limits.known-bytes" .limits.known_bytes "What is known about sites in memory; those not asked for recently are dropped";
        "limits.fetches-at-once" .limits.fetches_at_once "Requests to sites at once";
        "limits.fetches-per-address" .limits.fetches_per_address "Requests to one address of sites at once";
        "limits.fetches-per-client" .limits.fetches_per_client "Requests to sites for a client at once, and its others wait; 0 is no limit";
        "limits.fetches-waiting" .limits.fetches_waiting "Questions that wait for the robots.txt of a site";
        "limits.fetches-waiting-per-address" .limits.fetches_waiting_per_address "Requests to sites that wait for their turn at one address";
        "limits.fetch-timeout" .limits.fetch_timeout "The time of a request to a site, with redirects and retries";
        "limits.page-pause" .limits.page_pause "The time between requests for pages of one site";
        "limits.line-bytes" .limits.line_bytes "Bytes of a line of /v1/decide/bulk";
        "limits.answer-bytes" .limits.answer_bytes "Bytes of the answer to a question";
        "limits.work-at-once" .limits.work_at_once "Questions about more than 1 MiB that are worked on at once, and as many searches over all paths; others wait; 0 is the number of processors, at least 2";
        "limits.urls" .limits.urls "URLs in a question";
        "limits.robots" .limits.robots "Robots under profiles in a question about a page";
        "limits.checked-robots" .limits.checked_robots "Robots under profiles or dialects in a question to /v1/check or /v1/diff; all_agents counts those of the file";
        "limits.idle-timeout" .limits.idle_timeout "Close a connection that has no request for this time";
        "limits.head-timeout" .limits.head_timeout "The time from the first to the last byte of a request's head";
        "limits.body-timeout" .limits.body_timeout "The time to receive the whole body of a request, or each line of /v1/decide/bulk";
        "limits.request-timeout" .limits.request_timeout "The time until the answer begins, the body included; in /v1/decide/bulk for each line";
        "limits.write-timeout" .limits.write_timeout "The time in which a client must read 64 KiB of an answer, or the rest of it";
    };

    /// Returns the setting with a key.
    pub fn find(key: &str) -> Option<&'static Self> {
        Self::ALL.iter().find(|setting| setting.key == key)
    }

    /// Returns the name of the environment variable.
    pub fn variable(&self) -> String {
        let name = self.key.replace(['.', '-'], "_").to_ascii_uppercase();
        format!("{}{name}", super::ENVIRONMENT_PREFIX)
    }

    /// Returns whether the value is a list: in the environment and on the command line, its parts are divided by commas.
    pub fn is_list(&self) -> bool {
        self.is_list
    }

    /// Returns the value as TOML. A [`Secret`](super::Secret) is replaced by a word.
    pub fn shown(&self, config: &Config) -> String {
        (self.toml)(config)
    }

    /// Sets the value. The error says what was expected.
    pub(super) fn apply(&self, config: &mut Config, texts: &[String]) -> Result<(), String> {
        (self.set)(config, texts).ok_or_else(|| {
            // The value of a secret may be in no message.
            let value = if self.is_secret {
                String::new()
            } else {
                format!(" {:?}", texts.join(", "))
            };
            format!(
                "invalid value{value} for `{}`: expected {}",
                self.key, self.form
            )
        })
    }
}
