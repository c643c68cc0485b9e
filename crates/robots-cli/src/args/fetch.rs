//! The arguments of `robots fetch`.

use clap::Args;
use std::path::PathBuf;

/// Ask sites for their robots.txt, and keep what they answer as a WARC file
///
/// Each site is asked once. Redirects are followed, and what may be gone soon is tried again; of a file,
/// 500 KiB are read. Addresses that are not public are not asked. A request without an answer is kept
/// too, with its cause, so that `robots decide --robots` knows all that was learned.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots fetch sites.txt -o robots.warc.gz
  robots fetch sites.txt -o robots.warc.gz --user-agent 'ExampleBot/1.0 (+https://example.com/bot)'
  robots fetch --resume sites.txt -o robots.warc.gz
  robots fetch --json sites.txt -o robots.warc.gz > answers.jsonl
  robots fetch sites.txt -o robots.warc.gz --store origins.redb
  robots decide --robots robots.warc.gz crawl.warc.gz

A list has a line for each site: a host (example.com, example.com:8443), which is asked by HTTPS, or a URL,
whose origin is asked. Empty lines and lines that begin with # are passed over, and so is a site that was
named before. Lines that are no sites are told with their number. Lists may be gzip.

In the WARC file each response is a record, and a request without an answer, or with one redirect too many, is
a metadata record with the field robots-fault. Bodies are kept as they were read, decompressed; of other statuses than 2xx they are
not read. Of a body of more than 500 KiB the last line that is kept is blanked with #.

Exit codes: 0 all sites were asked, whatever they answered; 2 there is no site in the lists, or something could
not be written; 130 it was interrupted (a second time: at once).")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Fetch {
    /// Lists of sites, or - for standard input
    #[arg(required = true, value_name = "SITES")]
    pub(crate) sites: Vec<PathBuf>,
    /// The WARC file (gzip), or - for standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Go on with a file that an earlier run began: ask those sites that are not in it
    #[arg(long)]
    pub(crate) resume: bool,
    /// With --resume: also ask those that gave no answer
    #[arg(long, requires = "resume")]
    pub(crate) retry: bool,
    /// Also keep what is learned in this store, for `robots decide --store` and crawlers; it is made if it is not there
    #[arg(long, value_name = "FILE")]
    pub(crate) store: Option<PathBuf>,
    /// Who asks, as the User-Agent header says it
    #[arg(long, value_name = "TEXT", default_value = concat!("robots/", env!("CARGO_PKG_VERSION")))]
    pub(crate) user_agent: String,
    /// The address of who runs the robot, for the From header
    #[arg(long, value_name = "EMAIL")]
    pub(crate) from: Option<String>,
    /// How many sites are asked at once
    #[arg(long, value_name = "NUMBER", default_value_t = 64, value_parser = at_once)]
    pub(crate) at_once: usize,
    /// How long a site may take in all, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Also ask addresses that are not public, such as 127.0.0.1
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Nothing is told of each site: another command asks for it.
    #[arg(skip)]
    pub(crate) quiet: bool,
    /// Write a JSON object for each site
    #[arg(long)]
    pub(crate) json: bool,
}

/// How many sites may be asked at once at the most: each takes a connection, and memory for a body.
const MOST_AT_ONCE: usize = 10_000;

fn at_once(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=MOST_AT_ONCE) => Ok(number),
        _ => Err(format!("a number from 1 to {MOST_AT_ONCE} is needed")),
    }
}
