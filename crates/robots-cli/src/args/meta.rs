//! The arguments of `robots meta` and `robots headers`.

use clap::Args;
use std::path::PathBuf;

/// Show what pages say: robots META tags, X-Robots-Tag, description, canonical
///
/// Reads an HTML file, or each HTML response of a WARC or ARC file. Each directive is shown under its
/// line, with what it means and what is odd about it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  robots meta page.html
  robots meta --json crawl.warc.gz > metas.jsonl
  robots meta --document page.html
  robots meta --profiles page.html
  curl -s https://example.com/ | robots meta --all -

Each object of --json has \"robots\": METAs with \"offset\", \"end\", \"place\", \"directives\" and
\"findings\"; \"headers\", \"header_findings\" and \"header_facts\", with the index of their \"line\"
among the response's header lines; and \"head_end\". Offsets and lengths are in bytes, from 0: of
METAs in the page, of headers in the value of the line. What has no place of its own has null:
where character references are, and in UTF-16. The README describes every key.

Exit codes: 0 a page was read, 2 there was none.")]
#[allow(clippy::struct_excessive_bools, reason = "one for each flag")]
pub(crate) struct Meta {
    /// An HTML file, a WARC or ARC file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Show every META, in order, with its attributes and byte offset
    #[arg(long)]
    pub(crate) all: bool,
    /// Read all of the document: METAs in BODY too, which are marked as such
    ///
    /// Google obeys METAs for robots wherever they stand. Slower than reading HEAD alone.
    #[arg(long)]
    pub(crate) document: bool,
    /// Read pages as a browser does that runs scripts: what is in NOSCRIPT is not read
    #[arg(long)]
    pub(crate) scripting: bool,
    /// The encoding of an HTML file, as its server would name it
    #[arg(long, value_name = "LABEL", value_parser = charset)]
    pub(crate) charset: Option<String>,
    /// Also say what every robot of every profile makes of it, robots.txt aside
    #[arg(long)]
    pub(crate) profiles: bool,
    /// Write a JSON object for each page
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show what the headers of a response say to robots
///
/// X-Robots-Tag, Link, Content-Usage and others, of header lines as `curl -I` prints them, or of each response of a WARC or ARC file, of whatever type. Each directive is
/// shown under its line, and then what every robot of every profile makes of it, robots.txt aside.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  curl -sI https://example.com/report.pdf | robots headers -
  robots headers response.txt
  robots headers --json crawl.warc.gz > headers.jsonl

Each object of --json has \"url\", \"headers\", \"header_findings\" and \"header_facts\" as those of `robots meta`, and
\"decisions\": for each \"profile\" and \"agent\" the fields of a decision (`robots decide --json`) that a page decides.

Exit codes: 0 headers were shown, 2 there were none.")]
pub(crate) struct Headers {
    /// Header lines, a WARC or ARC file, or - for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write a JSON object for each response
    #[arg(long)]
    pub(crate) json: bool,
}

fn charset(label: &str) -> Result<String, String> {
    encoding_rs::Encoding::for_label(label.as_bytes())
        .map(|_| label.to_owned())
        .ok_or_else(|| "not an encoding, such as utf-8 or windows-1252".to_owned())
}
