//! The arguments of `robots fetch`.

use clap::Args;
use robots_crawl::fetch::DEFAULT_PER_ADDRESS;
use std::path::PathBuf;

/// Fetch the robots.txt of sites; keep the responses as a WARC file
///
/// Follows redirects, retries failures that may be temporary, and reads up to 500 KiB of a file. Connects only to
/// public addresses.
///
/// Keeps requests without a response, too, with the cause. So `robots decide --robots` can use every outcome.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots fetch example.com
  robots fetch sites.txt -o robots.warc.gz
  robots fetch sites.txt -o robots.warc.gz --user-agent 'ExampleBot/1.0'
  robots fetch --resume sites.txt -o robots.warc.gz
  robots fetch --json sites.txt -o robots.warc.gz > responses.jsonl
  robots fetch sites.txt -o robots.warc.gz --store origins.sqlite
  robots decide --robots robots.warc.gz crawl.warc.gz

A site, as an argument or as a line of a list:
  example.com                a host, requested over HTTPS
  example.com:8443           a host with a port
  http://example.com/x       a URL, of which only the origin counts
A line of a list may have a rank before the site, as in the lists of Tranco and Umbrella: 1,example.com. A header such as \
rank,host may be its first line. In lists, empty lines, comments (#) and repeated sites are skipped. Invalid lines are reported with their number. Lists may \
be gzip. An argument that is the name of a file is a list.

Without -o, responses are reported and not kept, except in a store (--store).

In the WARC file each response is a record. A request without a response, or with too many redirects, is a metadata \
record with the field robots-fault.

Bodies are kept decoded, and only those with status 2xx are read. If a body has more than 500 KiB, its last line is \
incomplete, and is turned into a comment (#).

A store (--store) has every outcome that the WARC file has, those of earlier runs with --resume included.

Keys of each object of --json:
  site, url, at              the origin, the URL after all redirects, the time
  status                     the status of the response, or null
  fault, fault_text          the name of the failure (docs/fetching.md lists
                             them) and its text, or null
  content_type, bytes        the type of the body, and its length
  is_cut                     true if the body was longer than the limit
  redirects                  the responses before the last: url and status
  address, attempts          the address of the server; the number of attempts
  retry_after                the seconds that the server asks to wait, or null

Exit codes:
  0    every site was requested, whatever the response
  2    an error: the lists have no site, every host in them is unknown or
       private (--allow-private), or an output could not be written
  130  interrupted (SIGINT); a second signal stops at once
  143  terminated (SIGTERM), in the same way
  141  the reader of the output closed it before the end. With -o FILE or
       --store, the run continues to its end, with 0")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Fetch {
    /// Sites, or files with lists of sites, or - for standard input
    #[arg(required = true, value_name = "SITE")]
    pub(crate) sites: Vec<PathBuf>,
    /// Keep the responses in a WARC file (gzip); - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Continue an earlier file: request only sites that are not in it
    #[arg(long, requires = "output")]
    pub(crate) resume: bool,
    /// With --resume: also request sites that did not respond
    #[arg(long, requires = "resume")]
    pub(crate) retry: bool,
    /// Also keep the outcomes in a store, for `robots decide --store`
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) requests: super::RequestArgs,
    /// Request up to N sites at once
    #[arg(long, value_name = "N", default_value_t = DEFAULT_AT_ONCE, value_parser = at_once)]
    pub(crate) at_once: usize,
    /// Request up to N sites of one address at once, whatever their names
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PER_ADDRESS, value_parser = at_once)]
    pub(crate) per_address: usize,
    /// Give up on a site after SECONDS
    #[arg(long, value_name = "SECONDS", default_value_t = DEFAULT_TIMEOUT, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// True if `survey --sites` runs the fetch: nothing is printed.
    #[arg(skip)]
    pub(crate) quiet: bool,
    /// Write a JSON object for each site
    #[arg(long)]
    pub(crate) json: bool,
}

/// The number of sites at once, unless an option sets it.
pub(super) const DEFAULT_AT_ONCE: usize = 64;

/// The time after which a site is given up, in seconds, unless an option sets it.
pub(super) const DEFAULT_TIMEOUT: u64 = 30;

/// The maximum number of sites at once: each takes a connection, and memory for a body.
const AT_ONCE_LIMIT: usize = 10_000;

fn at_once(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=AT_ONCE_LIMIT) => Ok(number),
        _ => Err(format!("expected a number from 1 to {AT_ONCE_LIMIT}")),
    }
}
