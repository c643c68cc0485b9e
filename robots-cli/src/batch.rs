//! `robots check --batch`: many questions to many robots.txt files, answered in order.

use crate::archive::{Item, Reader};
use crate::http::Response;
use crate::inputs::{self, Counted, Input};
use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;
use robots_txt::{Dialect, RobotsTxt, Rules, Target};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// Answers each row; says how many could not be answered.
pub(crate) fn run(questions: &Path, archives: &[PathBuf], dialect: &Dialect) -> Result<ExitCode> {
    let mut files = HashMap::new();
    for archive in archives {
        collect(archive, &mut files)?;
    }
    let mut answers = Answers {
        files,
        dialect: *dialect,
        last: None,
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut unanswered = 0_u64;
    for (number, line) in (1_u64..).zip(open_lines(questions)?.split(b'\n')) {
        let line = line.with_context(|| format!("cannot read {}", questions.display()))?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let row = match answers.answer(&line) {
            Ok(row) => row,
            Err((mut row, error)) => {
                unanswered = unanswered.saturating_add(1);
                let error = format!("line {number}: {error}");
                anstream::eprintln!("error: {}: {error}", questions.display());
                row.insert("allowed".to_owned(), Value::Null);
                row.insert("line".to_owned(), Value::Null);
                row.insert("error".to_owned(), Value::String(error));
                row
            }
        };
        serde_json::to_writer(&mut out, &row)?;
        out.write_all(b"\n")?;
    }
    out.flush()?;
    if unanswered > 0 {
        anstream::eprintln!("{unanswered} questions could not be answered");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// The robots.txt files of an archive, by URL; of several at one URL, the last.
fn collect(archive: &Path, files: &mut HashMap<String, RobotsTxt>) -> Result<()> {
    let name = archive.display();
    let Input::File { file, .. } = inputs::open(archive)? else {
        bail!("{name} is a folder; an archive is needed");
    };
    let about = || format!("cannot read {name}");
    let input = Counted::from_start(&file, &Arc::new(AtomicU64::new(0))).with_context(about)?;
    let Some(mut reader) = Reader::open(input).with_context(about)? else {
        bail!("{name}: neither a WARC nor an ARC file (plain or gzip)");
    };
    while let Some(item) = reader.next_item().with_context(about)? {
        match item {
            Item::Fault(fault) => anstream::eprintln!("warning: {name}: {fault}"),
            Item::Record(record) if record.kind == "response" => {
                if let Ok(response) = Response::parse(&record.block)
                    && let Some(url) = record.url
                {
                    files.insert(url, RobotsTxt::parse(response.body()));
                }
            }
            Item::Record(_) => {}
        }
    }
    Ok(())
}

/// Opens JSON Lines, plain or gzip.
fn open_lines(path: &Path) -> Result<Box<dyn BufRead>> {
    let input: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(io::stdin())
    } else {
        let file =
            std::fs::File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        Box::new(file)
    };
    let mut input = BufReader::new(input);
    let start = input
        .fill_buf()
        .with_context(|| format!("cannot read {}", path.display()))?;
    if start.starts_with(&[0x1F, 0x8B]) {
        return Ok(Box::new(BufReader::new(MultiGzDecoder::new(input))));
    }
    Ok(Box::new(input))
}

struct Answers {
    files: HashMap<String, RobotsTxt>,
    dialect: Dialect,
    /// The rules of the last question: questions to one file mostly come together.
    last: Option<(String, String, Rules)>,
}

type Row = Map<String, Value>;

impl Answers {
    /// The row with its answer, or with what is wrong.
    fn answer(&mut self, line: &[u8]) -> Result<Row, (Row, String)> {
        let mut row: Row = serde_json::from_slice(line)
            .map_err(|error| (Row::new(), format!("not a JSON object: {error}")))?;
        match self.verdict(&row) {
            Ok((allowed, line)) => {
                row.insert("allowed".to_owned(), Value::Bool(allowed));
                row.insert("line".to_owned(), Value::from(line));
                Ok(row)
            }
            Err(error) => Err((row, error)),
        }
    }

    fn verdict(&mut self, row: &Row) -> Result<(bool, usize), String> {
        let field = |name: &str| {
            row.get(name)
                .and_then(Value::as_str)
                .ok_or_else(|| format!("no text in \"{name}\""))
        };
        let (robots, agent, url) = (field("robots")?, field("agent")?, field("url")?);
        let is_last = self
            .last
            .as_ref()
            .is_some_and(|(last, last_agent, _)| last == robots && last_agent == agent);
        if !is_last {
            let rules = self
                .files
                .get(robots)
                .ok_or_else(|| format!("no response for {robots} in the archives"))?
                .rules(agent, &self.dialect);
            self.last = Some((robots.to_owned(), agent.to_owned(), rules));
        }
        let rules = self.last.as_ref().map(|(_, _, rules)| rules);
        let target = Target::new(url);
        let verdict = rules.map(|rules| rules.verdict(&target));
        Ok(verdict.map_or((true, 0), |verdict| {
            (verdict.is_allowed(), verdict.line().unwrap_or(0))
        }))
    }
}
