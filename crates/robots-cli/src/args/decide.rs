//! The arguments of `robots decide`.

use super::{base, complete, dialect, mebibytes, moment, profile};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use robots_answers::AgentName;
use robots_pipeline::sink::{Filter, Format};
use robots_policy::Profile;
use robots_txt::Dialect;
use std::path::PathBuf;

/// Decide what robots may do with each page of a crawl
///
/// Decides whether to fetch a page, index it, follow its links, keep a copy and use its content.
///
/// Reads WARC and ARC files (plain, gzip or zstd), saved .html pages, and folders of pages. Uses all processors.
///
/// The robots.txt for a page is the last one of its origin that was captured before the page, or else the first one after.
/// It may be anywhere in the inputs. So pages wait until all inputs are read: in memory, and beyond the limit of
/// --hold-back in a temporary file.
///
/// With --robots or --store, robots.txt comes from elsewhere, and each page is decided when it is read.
///
/// Damage in an archive is reported with file and byte offset. Reading continues after it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots decide crawl.warc.gz
  robots decide --profile google --json crawl.warc.gz > decisions.jsonl
  robots decide --profile google --profile bing --agent ExampleBot crawl.warc.gz
  robots decide --only noindex --format csv --fields url,index crawl.warc.gz
  robots decide --profile google --profile mine.toml --only differs \\
      crawl.warc.gz
  robots decide --profile any-ai-trainer --only trainable --json crawl.warc.gz
  robots decide --format parquet --output-folder decisions/ pages/*.warc.gz
  robots decide --robots robots.warc.gz --json -o all.jsonl pages/*.warc.gz
  robots decide --robots robots.warc.gz --json -o all.jsonl --resume \\
      pages/*.warc.gz
  robots decide --store origins.sqlite crawl.warc.gz
  robots decide --index crawl.cdxj crawl-*.warc.gz
  robots decide --base https://example.com/ saved-site/
  robots decide --evidence --agent GPTBot -o decisions.csv crawl.warc.gz

With several --profile or --agent options, each page has one row for each pair: all agents under the first profile, \
then all under the second. With --only differs, rows also name the fields in which they differ (`differs`): those for one robot under the \
profiles are compared, or if each robot has one profile, those for all robots.

A run with -o or --output-folder keeps a journal of its progress next to the output: FILE.journal or \
FOLDER/decide.journal. After a kill or an interrupt, the same command with --resume continues: no row is lost or \
written twice. The journal is removed at the end, unless inputs could not be opened. Until a file is complete, .part \
is added to its name.

A read that fails is tried four times. Then the input is left out, and the summary lists it.

Exit codes:
  0    all inputs were read
  2    an error, or an input could not be read; the others were decided
  130  interrupted, and the decisions so far are written (143: terminated)
  141  the reader of the output closed it before the end")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Decide {
    /// WARC or ARC files, .html pages, folders of them, or - for stdin
    #[arg(required = true, value_name = "FILE", value_parser = super::input_file("download it first; `robots meta` reads a page, as with `curl -s URL | robots meta -`"))]
    pub(crate) files: Vec<PathBuf>,
    /// Decide under this profile; repeatable
    ///
    /// PROFILE is a name that `robots profiles` lists, or a TOML file. By default, a known robot has the profile of its operator,
    /// and any other robot neutral.
    #[arg(short, long = "profile", value_name = "PROFILE", value_parser = profile_arg, add = complete::profiles())]
    pub(crate) profiles: Vec<ProfileArg>,
    /// Decide for this robot; repeatable
    ///
    /// NAME is the product token: the name of the robot in robots.txt, such as Googlebot. It may also be the User-Agent header
    /// of the robot. * is any robot that robots.txt does not name. The default is the first robot of each profile, and * without
    /// profiles.
    #[arg(short, long = "agent", value_name = "NAME", value_parser = clap::value_parser!(AgentName), add = complete::robots())]
    pub(crate) agents: Vec<AgentName>,
    /// Read robots.txt under this dialect, not under that of the profile
    #[arg(long, value_name = "NAME", value_parser = dialect, add = complete::dialects(), long_help = super::dialect_help(
        "Read robots.txt under this dialect, not under that of the profile",
    ))]
    pub(crate) dialect: Option<Dialect>,
    /// Take robots.txt only from this file, folder or archive; repeatable
    ///
    /// A file applies to the site of --base. In a folder, the path of a file may name its host and its day:
    /// example.com/2026-11-01/robots.txt.
    ///
    /// A file or archive that cannot be read ends the run.
    #[arg(long, value_name = "FILE", value_parser = super::input_file("download it first, or fetch it with `robots fetch`"))]
    pub(crate) robots: Vec<PathBuf>,
    /// Take robots.txt only from this store (see `robots fetch --store`)
    ///
    /// The store has the outcome of each request for robots.txt; what a failed one means depends on the profile.
    #[arg(long, value_name = "FILE", conflicts_with = "robots", value_parser = super::input_file("download it first"))]
    pub(crate) store: Option<PathBuf>,
    /// Read only pages and robots.txt that this CDXJ index lists; repeatable
    ///
    /// Pages are the entries with status 200 and type HTML.
    ///
    /// An entry belongs to the input with the same file name; the folders in the index are ignored.
    ///
    /// Records in zstd with a dictionary cannot be read through an index.
    #[arg(long, value_name = "FILE", value_parser = super::input_file("download it first"))]
    pub(crate) index: Vec<PathBuf>,
    /// Verify SHA-1 and SHA-256 digests; count mismatches as damage
    #[arg(long)]
    pub(crate) verify_digests: bool,
    /// Set the URL of the folder of saved pages
    ///
    /// With --base `https://example.com/`, the input `site/` has the page `https://example.com/a/b.html` in the file
    /// site/a/b.html. If site/b.html is itself an input, it is the page `https://example.com/b.html`.
    ///
    /// Without --base, the URL of a saved page and its robots.txt are not known.
    #[arg(long, value_name = "URL", value_parser = base)]
    pub(crate) base: Option<url::Url>,
    /// Decide about responses of all types, not only HTML
    ///
    /// For other types, robots.txt and headers decide.
    #[arg(long)]
    pub(crate) all_types: bool,
    #[command(flatten)]
    pub(crate) scripting: super::ScriptingArg,
    /// Decide as of TIME, such as 2026-11-20T00:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = moment)]
    pub(crate) now: Option<robots_meta::Timestamp>,
    /// Stop after N pages
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<u64>,
    /// Decide only for a share of the pages, such as 1% or 0.01
    ///
    /// The URL of a page determines whether it is in the share: every run chooses the same pages.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) sample: Option<f64>,
    #[command(flatten)]
    pub(crate) threads: super::Threads,
    /// Keep up to MIB mebibytes of waiting pages in memory
    ///
    /// Further pages wait in a temporary file (in the folder of TMPDIR). A page takes some hundred bytes.
    ///
    /// In addition, each thread keeps up to 16 MiB of a record, and as much of its decoded body.
    #[arg(long, value_name = "MIB", default_value = "64", value_parser = mebibytes)]
    pub(crate) hold_back: usize,
    /// Write in this format [default: by the name of -o, else table]
    ///
    /// Without this option, the extension of the file of -o names the format: .txt is a table; .jsonl, .ndjson and .json are
    /// JSON Lines; .csv and .parquet are such files; .arrow, .feather and .ipc are Arrow IPC files. With this option, the
    /// extension does not matter.
    ///
    /// Parquet and Arrow are not written to a terminal. In a pipe, Arrow is an IPC stream.
    #[arg(short, long, value_name = "FORMAT", value_parser = format())]
    format: Option<Format>,
    /// Write JSON Lines, like --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Write only these columns (csv, parquet, arrow) or keys (jsonl)
    ///
    /// docs/columns.md lists the columns.
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', add = complete::fields())]
    pub(crate) fields: Option<Vec<String>>,
    /// Write only decisions of these kinds
    ///
    /// With several kinds, writes a decision that is of one of them.
    ///
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = filter())]
    pub(crate) only: Vec<Filter>,
    /// Write all reasons: below each page, or in additional columns
    ///
    /// The additional columns are `reasons_json` and `warnings_json`. JSON objects always have the reasons.
    #[arg(long, conflicts_with = "fields")]
    pub(crate) explain: bool,
    /// Write the evidence of each decision, for `robots verify`
    ///
    /// The time, digest and place of the robots.txt that was in force and of the page, and digests and versions of what decided: the
    /// last columns of docs/columns.md. The statements that decided are the reasons, as with --explain.
    #[arg(long, conflicts_with_all = ["fields", "store"])]
    pub(crate) evidence: bool,
    /// Write the overrides of a TOML file next to the decisions
    ///
    /// An override is a decision of your team, with who, why and until when: docs/evidence.md. It changes no other column.
    #[arg(long, value_name = "FILE", value_parser = super::input_file("write it as docs/evidence.md shows"))]
    pub(crate) overrides: Option<PathBuf>,
    /// Write to a file; - is standard output, the default
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write a file for each input to a folder
    #[arg(long, value_name = "FOLDER", conflicts_with = "output")]
    pub(crate) output_folder: Option<PathBuf>,
    /// Continue an interrupted run of the same command
    #[arg(long)]
    pub(crate) resume: bool,
    /// Write the journal of the progress every SECONDS
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) journal_every: std::time::Duration,
    /// Also write the summary as JSON to a file
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: super::ConfigArgs,
}

impl Decide {
    /// Returns the format that an option or the name of the output names, or else a table.
    ///
    /// # Errors
    ///
    /// If the name of the output has an extension that does not name a format.
    pub(crate) fn format(&self) -> Result<Format, robots_pipeline::Error> {
        if self.json {
            return Ok(Format::Jsonl);
        }
        if let Some(format) = self.format {
            return Ok(format);
        }
        let of_name = match &self.output {
            Some(path) => Format::of_file_name(path)?,
            None => None,
        };
        Ok(of_name.unwrap_or(Format::Table))
    }
}

/// A profile, with its file unless it is built in.
#[derive(Debug, Clone)]
pub(crate) struct ProfileArg {
    pub(crate) profile: Profile,
    pub(crate) file: Option<PathBuf>,
}

/// Returns a built-in profile, or reads one from a TOML file.
pub(crate) fn profile_arg(text: &str) -> Result<ProfileArg, String> {
    Ok(ProfileArg {
        profile: profile(text)?,
        // A text that is not the name of a built-in profile is the path of a file.
        file: text
            .parse::<Profile>()
            .is_err()
            .then(|| PathBuf::from(text)),
    })
}

/// Reads one of the values of a closed set. `--help` lists them with their descriptions.
fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: fn(T) -> &'static str,
    about: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all.iter();
    let values = values.map(|&value| PossibleValue::new(name(value)).help(about(value)));
    PossibleValuesParser::new(values).try_map(move |text| {
        let mut all = all.iter().copied();
        all.find(|&value| name(value) == text)
            .ok_or("unknown value")
    })
}

fn format() -> impl TypedValueParser<Value = Format> {
    one_of(Format::ALL, Format::name, Format::about)
}

fn filter() -> impl TypedValueParser<Value = Filter> {
    one_of(Filter::ALL, Filter::name, Filter::about)
}

/// Reads a share of one: `0.01`, `1%`.
fn share(text: &str) -> Result<f64, String> {
    let (number, of) = match text.strip_suffix('%') {
        Some(number) => (number, 100.0),
        None => (text, 1.0),
    };
    match number.parse::<f64>().map(|number| number / of) {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("expected a share of more than 0 and up to 1, such as 0.01 or 1%".to_owned()),
    }
}

fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let seconds = text.parse().ok();
    let duration = seconds.and_then(|seconds| std::time::Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "expected a number of seconds".to_owned())
}
