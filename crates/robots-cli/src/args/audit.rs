//! The arguments of `robots audit`.

use super::RobotsSource;
use clap::Args;
use ipnet::IpNet;
use robots_answers::forwarded::network;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Check in access logs whether robots obey robots.txt
///
/// Reports the requests of each robot: those for robots.txt, those that robots.txt forbade, and those that came sooner
/// than the Crawl-delay. The robots.txt that was in force at the time of a request applies to it.
///
/// With --hosts or --ranges, also reports whether requests came from an address of the robot's operator.
///
/// With --json, each share of requests (forbidden, too soon) has a 95 % confidence interval. Makes no network requests.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots audit --robots robots.txt access.log
  robots audit --robots robots.txt access.log access.log.*.gz
  robots audit --robots robots.warc.gz --host example.com access.log
  robots audit --ranges Googlebot=googlebot.json access.log
  robots audit --robots robots.txt --hosts names.txt access.log
  robots audit --robots robots.txt --html audit.html access.log
  zcat access.log.gz | robots audit --robots robots.txt --json -

Formats of logs, plain or gzip; a log may mix them:
  Common, Combined           either may begin each line with the host
  JSON                       one object per line, with the keys of nginx,
                             Apache, Caddy, Traefik, Cloudflare, CloudFront,
                             Google Cloud or Elastic
  W3C extended               of IIS or CloudFront, with a line #Fields that
                             names the columns
A line may follow the prefix of a syslog or a container, or be a value in JSON, as Docker writes it.
Unreadable lines are counted, and the first of each kind is shown.

A request is a robot's if its User-Agent
  - names a robot of the table (`robots agents`), or
  - contains crawl, spider, slurp or scrape, or
  - contains bot, unless a small letter follows (ExampleBot, Example-Bot2).
Common logs have no User-Agent: there the host name of the client identifies the robot.

Each known robot reads robots.txt as its operator does, any other robot as RFC 9309 says, unless --dialect names a dialect.

--robots takes one of these:
  a file                     for all hosts, or for one as HOST=FILE
  a folder                   of files whose paths have the host and the day:
                             example.com/robots.txt,
                             example.com-2026-11-01-robots.txt
  archives                   each response is in force from its date until the
                             next one, and the first one before its date, too:
                             a note counts the requests that it judges so

--hosts takes a file with an address and its reverse DNS name on each line, like /etc/hosts. A - in place of the name \
means that the address has none.

--ranges takes the name of a robot, and a JSON file in the format in which Google, Bing and OpenAI publish addresses:
  {\"prefixes\": [{\"ipv4Prefix\": \"192.0.2.0/24\"}]}
A request in the robot's name from one of these addresses is verified. From any other address it counts as a false use \
of the name, unless --hosts verifies it.

Behind proxies, the log must have the forwarded addresses: in quotes after the User-Agent (as nginx's \
\"$http_x_forwarded_for\"), in a column X-Forwarded-For, or in JSON. If a request comes from a proxy of --proxies, its \
client is the last forwarded address that is not one of these. A request whose client remains a proxy or a private \
address is not verified.

docs/tools.md describes the keys of --json.

Exit codes:
  0  no violation
  1  a robot made a forbidden request, came too soon although its vendor
     documents that it honours Crawl-delay, or used the name of another
  2  an error, or a log could not be read to its end")]
pub(crate) struct Audit {
    /// Access logs, plain or gzip, or - for standard input
    #[arg(required = true, value_name = "LOG", value_parser = super::input_file("download it first"))]
    pub(crate) logs: Vec<PathBuf>,
    /// Read robots.txt from a file, folder, WARC or ARC file; repeatable
    #[arg(long, value_name = "[HOST=]FILE", value_parser = super::robots_source("download it first, or fetch it with `robots fetch`"))]
    pub(crate) robots: Vec<RobotsSource>,
    /// Set the host of log lines without one
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// Let robots obey the previous robots.txt for TIME after a change
    ///
    /// TIME is a number with a unit: s, m, h or d. RFC 9309, section 2.4, lets robots use a cached file for a day.
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration)]
    // In milliseconds.
    pub(crate) grace: i64,
    /// Read the reverse DNS names of addresses from a file
    #[arg(long, value_name = "FILE", value_parser = super::input_file("download it first"))]
    pub(crate) hosts: Option<PathBuf>,
    /// Read the address ranges that an operator publishes; repeatable
    #[arg(long, value_name = "ROBOT=FILE", value_parser = RangesFile::parse)]
    pub(crate) ranges: Vec<RangesFile>,
    /// Trust the forwarded addresses of these proxies
    ///
    /// Takes networks or addresses, such as 10.0.0.0/8,203.0.113.7. Without it, the private, shared, loopback, link-local and
    /// unique-local networks are trusted.
    #[arg(long, value_name = "NETWORK,...", value_delimiter = ',', value_parser = proxy, default_value = PRIVATE_NETWORKS, hide_default_value = true)]
    pub(crate) proxies: Vec<IpNet>,
    /// Read robots.txt under this dialect for all robots
    ///
    /// `robots check --help` lists the dialects.
    #[arg(long, value_name = "NAME", value_parser = super::dialect, add = super::complete::dialects())]
    pub(crate) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(crate) reports: super::Reports,
    #[command(flatten)]
    pub(crate) known: super::AgentTableArg,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
}

/// The networks from which no request comes over the Internet: private (RFC 1918), shared (RFC 6598), loopback, link-local and
/// unique-local (RFC 4193).
pub(crate) const PRIVATE_NETWORKS: &str = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,100.64.0.0/10,127.0.0.0/8,169.254.0.0/16,::1,fe80::/10,fc00::/7";

fn proxy(text: &str) -> Result<IpNet, &'static str> {
    network(text.trim()).ok_or("expected networks or addresses, such as 10.0.0.0/8,203.0.113.7")
}

/// Reads a duration, and returns it in milliseconds.
fn duration(text: &str) -> Result<i64, String> {
    let wrong = || "expected a number with s, m, h or d, such as 24h".to_owned();
    let (number, unit) = text
        .split_at_checked(text.len().saturating_sub(1))
        .ok_or_else(wrong)?;
    let unit: u32 = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(wrong()),
    };
    let number: u32 = number.parse().map_err(|_| wrong())?;
    Ok(i64::from(number) * i64::from(unit))
}

/// A robot, and a file of its address ranges: `Googlebot=googlebot.json`.
#[derive(Debug, Clone)]
pub(crate) struct RangesFile {
    pub(crate) robot: String,
    pub(crate) path: PathBuf,
}

impl RangesFile {
    /// Reads `ROBOT=FILE`.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split_once('=');
        let (robot, path) = parts
            .filter(|(robot, path)| !robot.is_empty() && !path.is_empty())
            .ok_or("expected ROBOT=FILE, such as Googlebot=googlebot.json")?;
        if super::is_url(path.as_ref()) {
            return Err("expected a file, not a URL: download it first".to_owned());
        }
        Ok(Self {
            robot: robot.to_owned(),
            path: path.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("24h"), Ok(86_400_000));
        assert_eq!(duration("0s"), Ok(0));
        for wrong in ["", "h", "24", "-1h", "1w", "1.5h", "é"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
