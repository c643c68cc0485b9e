//! The arguments of `robots meta`, and of `robots headers`, another name of a part of it.

use clap::Args;
use robots_answers::page::PageOptions;
use std::path::PathBuf;

/// Show the META tags and headers of pages that concern robots
///
/// Reads HTML files, responses saved with their headers (curl -i), each HTML response of WARC and ARC files, and folders: their .html,
/// .htm and .xhtml files and archives. Shows the line of each META and header with the directives for robots, and below it the
/// meaning of each directive and its problems. Lines and offsets of METAs in a response count from the start of its body.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots meta page.html
  robots meta --json crawl.warc.gz > metas.jsonl
  robots meta --json site/ page.html > metas.jsonl
  robots meta --document page.html
  robots meta --profiles page.html
  curl -s https://example.com/ | robots meta --all -
  curl -si https://example.com/ | robots meta -
  curl -sI https://example.com/report.pdf | robots meta --headers -

Main keys of each object of --json; docs/page-json.md describes all:
  file                       the page or its archive; absent if the only input
                             is a file
  robots                     the METAs: offset, end, place, directives, findings
  headers, header_findings   directives of X-Robots-Tag and Robots-Tag, findings
  header_facts               links, reservations and preferences in headers
  head_end                   the end of HEAD
  left_out                   directives, findings and facts beyond the first
                             10,000 of each in a page; absent if there are none
With --headers, the keys are url, headers, header_findings, header_facts and decisions: for each profile and agent, the \
fields of a decision (`robots decide --json`) that depend on the page. A file of header lines may have up to 1 MiB.

Offsets and lengths are in bytes, from 0: in the page, or for headers in the value of the line. An offset is null where \
the text does not occur literally, because of character references or the encoding.

Exit codes:
  0  a page was read from each input
  2  an error, or an input without a page, or with --headers without a header
     line; the others were read

Damage in an archive is reported, and the rest of it is read.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Meta {
    /// HTML files, folders, WARC or ARC files, or - for standard input
    #[arg(required = true, value_name = "FILE", value_parser = super::input_file("download it, as with `curl -s URL | robots meta -`"))]
    pub(crate) files: Vec<PathBuf>,
    /// Show only headers, of each response, and what every robot decides
    ///
    /// Reads files of header lines as `curl -I` prints them, and each response of WARC or ARC files, whatever its type, but no folders. The decisions
    /// are those of every robot of every profile, as far as they depend on headers.
    #[arg(long, conflicts_with_all = ["all", "document", "scripting", "charset", "profiles"])]
    pub(crate) headers: bool,
    /// Show every META, in order, with its attributes and byte offset
    #[arg(long)]
    pub(crate) all: bool,
    /// Read the whole document: METAs in BODY too, marked as such
    ///
    /// Google obeys METAs for robots anywhere in a page. Slower than reading only HEAD.
    #[arg(long)]
    pub(crate) document: bool,
    #[command(flatten)]
    pub(crate) scripting: super::ScriptingArg,
    /// Set the encoding of an HTML file, like a server's charset
    #[arg(long, value_name = "LABEL", value_parser = robots_answers::charset)]
    pub(crate) charset: Option<String>,
    /// Also show the decision under every profile, ignoring robots.txt
    #[arg(long)]
    pub(crate) profiles: bool,
    /// Write a JSON object for each page
    #[arg(long)]
    pub(crate) json: bool,
}

impl Meta {
    /// Returns how pages are read, and what is shown of them.
    pub(crate) fn options(&self) -> PageOptions {
        PageOptions {
            all_metas: self.all,
            document: self.document,
            scripting: self.scripting.scripting,
            decisions: self.profiles,
        }
    }
}

/// Show the headers of responses: another name of `robots meta --headers`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  curl -sI https://example.com/report.pdf | robots headers -
  robots headers response.txt
  robots headers --json crawl.warc.gz > headers.jsonl

Exit codes:
  0  headers were shown
  2  an error, or there were no header lines")]
pub(crate) struct Headers {
    /// Header lines, a WARC or ARC file, or - for standard input
    #[arg(value_name = "FILE", value_parser = super::input_file("request it, as with `curl -sI URL | robots meta --headers -`"))]
    pub(crate) file: PathBuf,
    /// Write a JSON object for each response
    #[arg(long)]
    pub(crate) json: bool,
}
