//! The arguments of `robots audit`.

use clap::Args;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Say what robots asked for, by access logs, and whether they kept to robots.txt
///
/// Which robot asked for what; whether it asks for robots.txt; what it asked for though the file that was in
/// force then forbade it; whether it keeps to Crawl-delay; and, with --hosts, whether it is whose name it goes by.
/// Shares have an interval of 95 %. Nothing is asked of the network.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots audit --robots robots.txt access.log
  robots audit --robots robots.txt access.log access.log.*.gz
  robots audit --robots robots.warc.gz --host example.com access.log
  robots audit --robots robots.txt --hosts names.txt --html audit.html access.log
  zcat access.log.gz | robots audit --robots robots.txt --json -

Logs are Common, Combined (either with the host before each line) or JSON with an object on each line, plain or gzip;
of JSON the keys of nginx, Apache, Caddy, Traefik, Cloudflare, Google Cloud and Elastic are known. Lines of several forms may
be in one log. Lines that cannot be read are counted, and the first of each kind is told.

Robots are told by the table (`robots agents`); those that it does not know by a name that ends with bot, or has crawl,
spider, slurp or scrape in it. Common logs have no User-Agent: there robots are told by the names of their hosts. Each reads robots.txt
as its engine does where there is a profile for it, or as RFC 9309 has it.

robots.txt is one file for all hosts; or a folder of files whose paths tell host and day (example.com/robots.txt,
example.com-2026-11-01-robots.txt); or archives, of which each answer holds from its date until the next.

--hosts names a file with an address and its name in reverse DNS on each line, as /etc/hosts has them; - for no name.

Exit codes: 0 all was as it should be, 1 a robot asked for what was forbidden, came too soon though its makers say that
it honours Crawl-delay, or goes by another's name, 2 an error, or a log could not be read to its end.")]
pub(crate) struct Audit {
    /// Access logs, plain or gzip, or - for standard input
    #[arg(required = true, value_name = "LOG")]
    pub(crate) logs: Vec<PathBuf>,
    /// What robots.txt said: a file, a folder, a WARC or ARC file; any number of times
    #[arg(long, value_name = "FILE")]
    pub(crate) robots: Vec<PathBuf>,
    /// The host of lines that name none
    #[arg(long, value_name = "HOST")]
    pub(crate) host: Option<String>,
    /// How long what an older robots.txt allowed is still allowed: a number with s, m, h or d
    ///
    /// RFC 9309 lets robots keep a file for a day.
    #[arg(long, value_name = "TIME", default_value = "24h", value_parser = duration)]
    pub(crate) grace: i64,
    /// The names of addresses
    #[arg(long, value_name = "FILE")]
    pub(crate) hosts: Option<PathBuf>,
    /// How all robots read robots.txt (see `robots check --help`)
    #[arg(long, value_name = "NAME", value_parser = super::dialect)]
    pub(crate) dialect: Option<Dialect>,
    #[command(flatten)]
    pub(crate) reports: super::Reports,
    #[command(flatten)]
    pub(crate) known: super::KnownRobots,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
}

/// A time, in milliseconds.
fn duration(text: &str) -> Result<i64, String> {
    let wrong = || "a number with s, m, h or d is needed, such as 24h".to_owned();
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
    Ok(i64::from(number).saturating_mul(i64::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_a_unit() {
        assert_eq!(duration("24h"), Ok(86_400_000));
        assert_eq!(duration("0s"), Ok(0));
        for wrong in ["", "h", "24", "-1h", "1w", "1.5h", "é"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
