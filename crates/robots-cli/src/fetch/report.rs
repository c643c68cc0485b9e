//! The report of a run: a line for each site, and a summary.

use crate::terminal::{counted, printable};
use robots_crawl::{FetchFault, Fetched};
use robots_meta::Timestamp;
use robots_pipeline::json::write_line as write_row;
use robots_pipeline::text::with_causes;
use robots_policy::origins::Origin;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::{self, BufWriter, ErrorKind, Write};

/// A report, with a line for each site on standard output if requested, and counts.
pub(super) struct Report {
    /// The format and output of the lines; `None` without lines, or after a write error.
    lines: Option<(LineFormat, BufWriter<io::Stdout>)>,
    /// The number of sites with each outcome: a status, or the name of a fault.
    counts: BTreeMap<String, u64>,
    with_robots_txt: u64,
    with_other_response: u64,
    without_response: u64,
    /// The number of sites of which no host was asked.
    without_host: u64,
    has_lost_lines: bool,
    is_closed: bool,
}

/// The format of the line of a site.
#[derive(Debug, Clone, Copy)]
pub(super) enum LineFormat {
    /// A row of a table.
    Table,
    /// A JSON object.
    Json,
}

/// The columns of the table; the site follows them.
const TABLE_HEADER: &str = "response                   bytes  site";

impl Report {
    /// Creates a report with lines in this format; without a format, it has only counts.
    pub(super) fn new(format: Option<LineFormat>) -> Self {
        Self {
            lines: format.map(|format| (format, BufWriter::new(io::stdout()))),
            counts: BTreeMap::new(),
            with_robots_txt: 0,
            with_other_response: 0,
            without_response: 0,
            without_host: 0,
            has_lost_lines: false,
            is_closed: false,
        }
    }

    /// Counts a site, and writes its line. A write error is reported once, and no more lines are written. The run
    /// continues, because the archive is more important.
    pub(super) fn add(&mut self, origin: &Origin, fetched: &Fetched) {
        let is_first = self.counts.is_empty();
        let outcome = match (fetched.fault(), fetched.status()) {
            (Some(fault), _) => fault.name().to_owned(),
            (None, Some(status)) => status.to_string(),
            // Does not occur: a request without a fault has a response.
            (None, None) => "none".to_owned(),
        };
        let class = match (fetched.fault(), fetched.status()) {
            (None, Some(200..=299)) => &mut self.with_robots_txt,
            // A redirect is a response, although these faults end its request.
            (None, Some(_))
            | (
                Some(
                    FetchFault::TooManyRedirects
                    | FetchFault::RedirectToOther(_)
                    | FetchFault::RedirectWithoutTarget,
                ),
                _,
            ) => &mut self.with_other_response,
            _ => &mut self.without_response,
        };
        *class += 1;
        self.without_host += u64::from(fetched.host_fault().is_some());
        *self.counts.entry(outcome.clone()).or_default() += 1;
        let Some((format, out)) = &mut self.lines else {
            return;
        };
        let written = match format {
            LineFormat::Json => write_json(out, origin, fetched),
            LineFormat::Table => write_line(out, is_first, &outcome, origin, fetched),
        };
        // Flushed after each line, so that a user sees it at once.
        if let Err(error) = written.and_then(|()| out.flush()) {
            self.lines = None;
            // A closed pipe, as after `| head`, is not an error.
            self.is_closed = error.kind() == ErrorKind::BrokenPipe;
            if !self.is_closed {
                self.has_lost_lines = true;
                message!("error: cannot write to standard output: {error}; continuing");
            }
        }
    }

    /// Returns whether lines could not be written.
    pub(super) fn has_lost_lines(&self) -> bool {
        self.has_lost_lines
    }

    /// Returns whether sites were requested, and the host of each was not found, or has a private address.
    pub(super) fn has_no_hosts(&self) -> bool {
        let all = self.with_robots_txt + self.with_other_response + self.without_response;
        all > 0 && all == self.without_host
    }

    /// Returns whether the reader of the lines has closed standard output.
    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }

    /// Writes the summary to standard error.
    pub(super) fn summarise(&self, already_kept: usize, refused: u64) {
        let Self {
            with_robots_txt,
            with_other_response,
            without_response,
            ..
        } = self;
        let all = with_robots_txt + with_other_response + without_response;
        notice!(
            "{} requested: {with_robots_txt} with a robots.txt, {with_other_response} with another response, \
             {without_response} without a response",
            counted(all, "site")
        );
        let counts: Vec<String> = self
            .counts
            .iter()
            .map(|(outcome, count)| format!("{outcome} {count}"))
            .collect();
        if !counts.is_empty() {
            notice!("  {}", counts.join(", "));
        }
        if self.counts.contains_key("private_address") {
            notice!(
                "note: this program refused to connect to a private address: --allow-private permits it"
            );
        }
        if already_kept > 0 {
            notice!(
                "{} skipped: already in the file",
                counted(already_kept as u64, "site")
            );
        }
        if refused > 0 {
            notice!("{} skipped: not a site", counted(refused, "line"));
        }
    }
}

fn write_line(
    out: &mut impl Write,
    is_first: bool,
    outcome: &str,
    origin: &Origin,
    fetched: &Fetched,
) -> io::Result<()> {
    if is_first {
        writeln!(out, "{TABLE_HEADER}")?;
    }
    write!(out, "{outcome:<23} {:>8}  {origin}", fetched.body().len())?;
    if let Some(fault) = fetched.fault() {
        write!(out, "  ({})", printable(&with_causes(fault)))?;
    } else if !fetched.hops().is_empty() {
        write!(out, "  (from {})", printable(fetched.url()))?;
    }
    writeln!(out)
}

fn write_json(out: &mut impl Write, origin: &Origin, fetched: &Fetched) -> io::Result<()> {
    let redirects = fetched.hops().iter();
    let redirects = redirects.map(|hop| json!({"url": hop.url(), "status": hop.status()}));
    let row = json!({
        "site": origin.to_string(),
        "at": Timestamp::from(fetched.at()),
        "url": fetched.url(),
        "status": fetched.status(),
        "fault": fetched.fault().map(FetchFault::name),
        "fault_text": fetched.fault().map(|fault| with_causes(fault)),
        "content_type": fetched.content_type(),
        "bytes": fetched.body().len(),
        "is_cut": fetched.is_cut(),
        "redirects": redirects.collect::<Vec<_>>(),
        "address": fetched.address().map(|address| address.to_string()),
        "attempts": fetched.attempts(),
        "retry_after": fetched.retry_after().map(|wait| wait.as_secs()),
    });
    Ok(write_row(out, &row)?)
}
