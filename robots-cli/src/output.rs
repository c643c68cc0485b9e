//! Decisions written out: as a table, JSON Lines or CSV.

use crate::args::Format;
use crate::terminal::printable;
use anyhow::{Context, Result, bail};
use robots_policy::{Decision, Effect, Fetch, Field, Index, PageLayer, Permission};
use serde::Serialize;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Where the page of a decision comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) file: &'a str,
    pub(crate) offset: Option<u64>,
    pub(crate) status: Option<u16>,
}

/// The columns of the table; URL and reason follow them.
const TABLE_HEADER: &str = "fetch     index     follow   archive  url";

/// An output that is one of the inputs would be lost before it is read.
pub(crate) fn refuse_to_overwrite<'p>(
    output: &Path,
    inputs: impl Iterator<Item = Cow<'p, Path>>,
) -> Result<()> {
    let Ok(output) = output.canonicalize() else {
        return Ok(());
    };
    for input in inputs {
        if input.canonicalize().is_ok_and(|input| input == output) {
            bail!("{} is an input; nothing was written", input.display());
        }
    }
    Ok(())
}

/// Takes decisions one by one.
pub(crate) struct Output {
    sink: Sink,
    name: String,
}

enum Sink {
    Table { writer: Box<dyn Write>, rows: u64 },
    Jsonl(Box<dyn Write>),
    Csv(Box<csv::Writer<Box<dyn Write>>>),
}

impl Output {
    /// Opens a file, or standard output.
    pub(crate) fn open(format: Format, path: Option<&Path>) -> Result<Self> {
        let name = path.map_or_else(
            || "standard output".to_owned(),
            |path| path.display().to_string(),
        );
        let writer: Box<dyn Write> = match path {
            Some(path) => {
                let file = File::create(path).with_context(|| format!("cannot write {name}"))?;
                Box::new(BufWriter::new(file))
            }
            None => Box::new(BufWriter::new(io::stdout())),
        };
        let sink = match format {
            Format::Table => Sink::Table { writer, rows: 0 },
            Format::Jsonl => Sink::Jsonl(writer),
            Format::Csv => Sink::Csv(Box::new(csv::Writer::from_writer(writer))),
        };
        Ok(Self { sink, name })
    }

    pub(crate) fn write(&mut self, row: &Row<'_>, decision: &Decision) -> Result<()> {
        let result = match &mut self.sink {
            Sink::Table { writer, rows } => {
                let first = *rows == 0;
                *rows = rows.saturating_add(1);
                write_table(writer, first, decision)
            }
            Sink::Jsonl(writer) => write_json(writer, row, decision),
            Sink::Csv(writer) => writer
                .serialize(CsvRow::new(row, decision))
                .map_err(io_error),
        };
        result.with_context(|| format!("cannot write to {}", self.name))
    }

    /// Writes what is still held back.
    pub(crate) fn finish(&mut self) -> Result<()> {
        match &mut self.sink {
            Sink::Table { writer, .. } | Sink::Jsonl(writer) => writer.flush(),
            Sink::Csv(writer) => writer.flush(),
        }
        .with_context(|| format!("cannot write to {}", self.name))
    }
}

/// What kept a row from being written.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn write_table(writer: &mut dyn Write, first: bool, decision: &Decision) -> io::Result<()> {
    if first {
        writeln!(writer, "{TABLE_HEADER}")?;
    }
    write!(
        writer,
        "{:<9} {:<9} {:<8} {:<8} {}",
        decision.fetch,
        decision.index,
        decision.follow,
        decision.archive,
        printable(&decision.url)
    )?;
    if let Some(why) = headline(decision) {
        write!(writer, "  ({})", printable(&why))?;
    }
    writeln!(writer)
}

/// The reason that a person asks for first: that of what is forbidden, else of what is not known.
fn headline(decision: &Decision) -> Option<String> {
    let field = match decision {
        Decision {
            fetch: Fetch::Disallow | Fetch::Defer,
            ..
        } => Field::Fetch,
        Decision {
            index: Index::No, ..
        } => Field::Index,
        Decision {
            follow: Permission::No,
            ..
        } => Field::Follow,
        Decision {
            archive: Permission::No,
            ..
        } => Field::Archive,
        Decision {
            page_layer: PageLayer::Absent,
            index: Index::Unknown,
            ..
        } => Field::PageLayer,
        Decision {
            fetch: Fetch::Unknown,
            ..
        } => Field::Fetch,
        _ => return None,
    };
    let reason = deciding(decision, field)?;
    Some(format!("{}: {}", reason.source, reason.text))
}

fn deciding(decision: &Decision, field: Field) -> Option<&robots_policy::Reason> {
    decision
        .reasons_for(field)
        .find(|reason| reason.effect == Effect::Decides)
}

#[derive(Serialize)]
struct JsonRow<'a> {
    file: &'a str,
    offset: Option<u64>,
    status: Option<u16>,
    #[serde(flatten)]
    decision: &'a Decision,
}

fn write_json(writer: &mut dyn Write, row: &Row<'_>, decision: &Decision) -> io::Result<()> {
    let row = JsonRow {
        file: row.file,
        offset: row.offset,
        status: row.status,
        decision,
    };
    serde_json::to_writer(&mut *writer, &row)?;
    writer.write_all(b"\n")
}

/// The decision as columns: what JSON has, without reasons but those of `fetch` and `index`.
#[derive(Serialize)]
struct CsvRow<'a> {
    file: &'a str,
    offset: Option<u64>,
    status: Option<u16>,
    url: &'a str,
    agent: &'a str,
    profile: &'a str,
    fetch: &'static str,
    page_layer: &'static str,
    index: &'static str,
    index_if_embedded: bool,
    follow: &'static str,
    archive: &'static str,
    snippet: Option<robots_meta::Limit>,
    image_preview: Option<robots_meta::ImagePreview>,
    video_preview: Option<robots_meta::Limit>,
    image_index: &'static str,
    translate: &'static str,
    expires_at: Option<robots_meta::Timestamp>,
    crawl_delay: Option<f64>,
    request_rates: String,
    visit_time: Option<String>,
    revisit_after: Option<f64>,
    ai_train: &'static str,
    ai_input: &'static str,
    ai_search: &'static str,
    licenses: String,
    fetch_reason: String,
    index_reason: String,
    warnings: usize,
}

/// Several values in one cell.
fn joined(values: &[impl ToString]) -> String {
    let texts: Vec<String> = values.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

impl<'a> CsvRow<'a> {
    fn new(row: &Row<'a>, decision: &'a Decision) -> Self {
        let reason = |field| {
            deciding(decision, field).map_or_else(String::new, |reason| {
                format!("{}: {}", reason.source, reason.text)
            })
        };
        Self {
            file: row.file,
            offset: row.offset,
            status: row.status,
            url: &decision.url,
            agent: &decision.agent,
            profile: &decision.profile,
            fetch: decision.fetch.as_str(),
            page_layer: decision.page_layer.as_str(),
            index: decision.index.as_str(),
            index_if_embedded: decision.index_if_embedded,
            follow: decision.follow.as_str(),
            archive: decision.archive.as_str(),
            snippet: decision.snippet,
            image_preview: decision.image_preview,
            video_preview: decision.video_preview,
            image_index: decision.image_index.as_str(),
            translate: decision.translate.as_str(),
            expires_at: decision.expires_at,
            crawl_delay: decision.crawl_delay.map(|delay| delay.as_secs_f64()),
            request_rates: joined(&decision.request_rates),
            visit_time: decision.visit_time.map(|hours| hours.to_string()),
            revisit_after: decision.revisit_after.map(robots_meta::RevisitAfter::days),
            ai_train: decision.ai_train.as_str(),
            ai_input: decision.ai_input.as_str(),
            ai_search: decision.ai_search.as_str(),
            licenses: joined(&decision.licenses),
            fetch_reason: reason(Field::Fetch),
            index_reason: reason(Field::Index),
            warnings: decision.warnings.len(),
        }
    }
}
