//! The command line of `robots decide`.

use super::{agent, base, dialect, mebibytes, moment, profile};
use clap::{Args, ValueEnum};
use robots_policy::{Decision, Fetch, Index, Permission, Profile};
use robots_txt::Dialect;
use std::path::PathBuf;

/// Decide for each page of a crawl: fetch, index, follow, archive
///
/// Reads WARC and ARC files, plain, gzip or zstd, and saved .html pages or folders of them, with all processors. A page is
/// decided by the robots.txt of its origin that was captured last before it, wherever that stands: pages are held
/// back until all inputs are read, as long as there is room for them (--hold-back); those for which there is none are
/// read a second time, as is all if there is what a robots.txt redirects to, other than a robots.txt. With --robots, the
/// robots.txt are those of these archives alone, with --store those of an earlier run, and pages are decided as they come.
/// What is broken is reported with file and offset, and the rest is read.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots decide crawl.warc.gz
  robots decide --profile google --json crawl.warc.gz > decisions.jsonl
  robots decide --profile google --profile bing --agent ExampleBot crawl.warc.gz
  robots decide --only noindex --fields url,index_reason --format csv crawl.warc.gz
  robots decide --robots robots.warc.gz --format parquet --output-folder decisions/ pages/*.warc.gz
  robots decide --robots robots.warc.gz --format parquet --output-folder decisions/ --resume pages/*.warc.gz
  robots decide --store origins.redb crawl.warc.gz
  robots decide --index crawl.cdxj crawl-*.warc.gz
  robots decide --base https://example.com/ saved-site/

With several --agent or --profile, a page is decided by each agent under each profile, in this
order, and each has a row.

With -o and --output-folder, a journal beside the output (FILE.journal, FOLDER/decide.journal) says how
far the run got; it goes when all is done. After a kill or an interrupt, the same command with --resume
goes on: nothing is lost or written twice. A read that fails is tried four times; then the input is set
aside, and listed at the end. Files of a folder, and those of Parquet and Arrow, are called .part until
they are whole.

Exit codes: 0 decisions were made, or there was no page (inputs that were set aside are in the summary);
2 nothing could be decided, or something could not be written; 130 it was interrupted (143: terminated),
and what was decided is written.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Decide {
    /// WARC or ARC files, saved .html pages or folders of them, or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// As which engines to decide: names that `robots profiles` lists, or TOML files
    #[arg(long = "profile", default_value = "neutral", value_name = "PROFILE", value_parser = chosen)]
    pub(crate) profiles: Vec<Chosen>,
    /// The robots' product tokens; * is a robot that nobody names [default: the first of each profile]
    #[arg(long = "agent", value_name = "NAME", value_parser = agent)]
    pub(crate) agents: Vec<String>,
    /// How robots.txt is read [default: as the profile has it]
    ///
    /// One of rfc9309, google, bing, yandex, baidu, seznam, apple, koster1994, koster1996,
    /// koster1996-draft, conner1996, www-robotrules, allow-first
    #[arg(long, value_name = "NAME", value_parser = dialect)]
    pub(crate) dialect: Option<Dialect>,
    /// Take responses to /robots.txt from these archives, and not from those with the pages
    #[arg(long, value_name = "FILE")]
    pub(crate) robots: Vec<PathBuf>,
    /// Take the robots.txt from a store that `robots fetch --store` or a crawler has made, and not from archives
    ///
    /// Pages are decided as they come. What failures mean was decided by the profile of who made it.
    #[arg(long, value_name = "FILE", conflicts_with = "robots")]
    pub(crate) store: Option<PathBuf>,
    /// Read only the records that this index of the archives (CDXJ) lists as pages: status 200 and HTML
    ///
    /// And responses to /robots.txt. Files are known by their names without folders. Records in zstd with a dictionary
    /// cannot be read so.
    #[arg(long, value_name = "FILE")]
    pub(crate) index: Vec<PathBuf>,
    /// Do not unpack pages behind their HEAD: look for the next record in the packed bytes
    ///
    /// Needs archives with a gzip member or zstd frame for each record, as crawlers write them; others are read as
    /// ever, as far as that is seen. What looks like the beginning of a record is taken for one: a page that is stored
    /// without being compressed, and has an archive in it, can so have decisions made about URLs that were never
    /// crawled, or hide a robots.txt or pages behind it. Wrong lengths and damage in what is not unpacked are not
    /// seen. For crawls that are trusted.
    #[arg(long)]
    pub(crate) skim: bool,
    /// Compare the digests that records state (SHA-1, SHA-256) with their bytes; others count as broken places
    #[arg(long, conflicts_with = "skim")]
    pub(crate) verify_digests: bool,
    /// The URL that saved pages were saved from
    #[arg(long, value_name = "URL", value_parser = base)]
    pub(crate) base: Option<url::Url>,
    /// Decide for every response, not only HTML: PDF and images by their headers
    #[arg(long)]
    pub(crate) all_types: bool,
    /// Decide as of this time, such as 2026-11-20T00:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) now: Option<robots_meta::Timestamp>,
    /// Decide about so many pages, and end
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u64>,
    /// Decide about a share of the pages, such as 1% or 0.01: always the same, by their URLs
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) sample: Option<f64>,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
    /// How much memory pages may take that are held back, in MiB
    ///
    /// Beside it, each thread has room for a record, of which it keeps up to 16 MiB, and for as much of its body.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = mebibytes)]
    pub(crate) hold_back: usize,
    /// How decisions are written
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub(crate) format: Format,
    /// The same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write these alone: with --format jsonl keys of the objects, else columns
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    pub(crate) fields: Option<Vec<String>>,
    /// Write only such decisions; of several kinds, those of any
    #[arg(long, value_enum, value_name = "KIND,...", value_delimiter = ',')]
    pub(crate) only: Vec<Only>,
    /// Write all reasons: below each page, or in the columns `reasons_json` and `warnings_json`
    ///
    /// JSON objects have them in any case.
    #[arg(long, conflicts_with = "fields")]
    pub(crate) explain: bool,
    /// Write to a file, not to standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a file for each input, to this folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub(crate) output_folder: Option<PathBuf>,
    /// Go on with a run that was killed or interrupted: the command must be the same
    #[arg(long)]
    pub(crate) resume: bool,
    /// How often the journal is written, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) journal_every: std::time::Duration,
    /// Also write the summary as JSON, to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
}

impl Decide {
    pub(crate) fn format(&self) -> Format {
        if self.json {
            Format::Jsonl
        } else {
            self.format
        }
    }
}

/// A profile, and the file that it is from, unless it is built in.
#[derive(Debug, Clone)]
pub(crate) struct Chosen {
    pub(crate) profile: Profile,
    pub(crate) file: Option<PathBuf>,
}

fn chosen(text: &str) -> Result<Chosen, String> {
    Ok(Chosen {
        profile: profile(text)?,
        file: Profile::by_name(text)
            .is_none()
            .then(|| PathBuf::from(text)),
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A line for each page, for people
    Table,
    /// A JSON object for each page, with reasons
    Jsonl,
    /// Comma-separated values with a header line
    Csv,
    /// A Parquet file with typed columns
    #[cfg(feature = "columnar")]
    Parquet,
    /// An Arrow IPC file with typed columns
    #[cfg(feature = "columnar")]
    Arrow,
}

/// A kind of decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// May be fetched
    Allowed,
    /// May not be fetched, or not now
    Denied,
    /// May be indexed
    Indexed,
    /// May not be indexed
    Noindex,
    /// Links may not be followed
    Nofollow,
    /// No copy may be kept
    Noarchive,
    /// Whether it may be fetched or indexed is not known
    Unknown,
    /// Something is odd
    Warnings,
}

impl Only {
    pub(crate) fn is(self, decision: &Decision) -> bool {
        match self {
            Self::Allowed => decision.fetch == Fetch::Allow,
            Self::Denied => matches!(decision.fetch, Fetch::Disallow | Fetch::Defer),
            Self::Indexed => decision.index == Index::Yes,
            Self::Noindex => matches!(decision.index, Index::No | Index::UrlOnly),
            Self::Nofollow => decision.follow == Permission::No,
            Self::Noarchive => decision.archive == Permission::No,
            Self::Unknown => decision.fetch == Fetch::Unknown || decision.index == Index::Unknown,
            Self::Warnings => !decision.warnings.is_empty(),
        }
    }
}

/// A part of one: `0.01`, `1%`.
fn share(text: &str) -> Result<f64, String> {
    let (number, of) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.parse::<f64>().map(|number| number / of) {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("a share is needed, such as 1% or 0.01".to_owned()),
    }
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse().ok();
    let duration = seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "a number of seconds is needed".to_owned())
}
