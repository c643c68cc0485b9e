//! `robots decide`: the pages of a crawl, each with its decision.

use crate::archive::{Item, Reader, Record};
use crate::args::{Decide, Format};
use crate::fetch::KeptFault;
use crate::http::Response;
use crate::inputs::{self, Counted, Input};
use crate::output::{self, Output, Row};
use crate::progress::Progress;
use crate::robots_book::{RobotsBook, is_robots_url};
use crate::summary::{Skip, Summary};
use anyhow::{Context, Result, bail};
use robots_meta::{HeadEnd, PageMeta, Timestamp};
use robots_policy::{Decision, Origin, Page, Policy};
use robots_txt::RobotsTxt;
use std::borrow::Cow;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::SystemTime;

pub(crate) fn run(args: &Decide) -> Result<ExitCode> {
    let mut summary = Summary::default();
    let robots_inputs = open_all(&args.robots, &mut summary);
    let inputs = open_all(&args.files, &mut summary);
    if let Some(output) = &args.output {
        let named = args.files.iter().chain(&args.robots).map(PathBuf::as_path);
        let within = inputs.iter().chain(&robots_inputs).flat_map(Input::paths);
        output::refuse_to_overwrite(output, named.map(Cow::Borrowed).chain(within))?;
    }
    let total = |inputs: &[Input]| -> u64 { inputs.iter().map(bytes_of).sum() };
    let all_bytes = total(&inputs)
        .saturating_mul(2)
        .saturating_add(total(&robots_inputs));
    let format = if args.json {
        Format::Jsonl
    } else {
        args.format
    };
    let agent = args.agent.as_deref().unwrap_or(args.profile.agent());
    let mut policy = Policy::under(&args.profile, agent);
    if let Some(dialect) = args.dialect {
        policy = policy.with_dialect(dialect);
    }
    let mut run = Run {
        args,
        book: RobotsBook::new(policy.profile().dialect()),
        policy,
        now: args
            .now
            .unwrap_or_else(|| Timestamp::from(SystemTime::now())),
        progress: Progress::new(all_bytes, args.output.is_none()),
        output: Output::open(format, args.output.as_deref())?,
        summary,
    };
    // First every robots.txt, wherever it stands; then the pages.
    for input in &robots_inputs {
        run.read_robots(input, Report::Faults);
    }
    for input in &inputs {
        run.read_robots(input, Report::Nothing);
    }
    for input in &inputs {
        run.decide_input(input)?;
    }
    run.progress.finish();
    run.output.finish()?;
    run.summary.print(run.policy.agent());
    Ok(if run.summary.has_failed() {
        ExitCode::from(2)
    } else {
        ExitCode::SUCCESS
    })
}

/// Opens what can be opened; what cannot is reported.
fn open_all(paths: &[impl AsRef<Path>], summary: &mut Summary) -> Vec<Input> {
    paths
        .iter()
        .filter_map(|path| match inputs::open(path.as_ref()) {
            Ok(input) => Some(input),
            Err(error) => {
                anstream::eprintln!("error: {error:#}; left out");
                summary.input_failed();
                None
            }
        })
        .collect()
}

fn bytes_of(input: &Input) -> u64 {
    match input {
        Input::File { bytes, .. } => *bytes,
        Input::Folder { .. } => 0,
    }
}

/// Whether what is broken is told: in one of two readings of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Report {
    Faults,
    Nothing,
}

struct Run<'a> {
    args: &'a Decide,
    policy: Policy,
    now: Timestamp,
    book: RobotsBook,
    progress: Progress,
    output: Output,
    summary: Summary,
}

impl Run<'_> {
    /// Enters the robots.txt responses of an input into the book. What keeps a file from being
    /// read is told when its pages are.
    fn read_robots(&mut self, input: &Input, report: Report) {
        match input {
            Input::File { name, file, .. } => {
                let result =
                    self.each_record(name, file, report, "reading robots.txt", |run, record| {
                        run.enter_robots(name, &record, report);
                        Ok(())
                    });
                if let Err(error) = result
                    && report == Report::Faults
                {
                    self.progress.say(&format!("error: {error:#}"));
                    self.summary.input_failed();
                }
            }
            Input::Folder { root, .. } => {
                if self.args.base.is_none() && report == Report::Faults {
                    let root = root.display();
                    self.progress.say(&format!(
                        "error: {root}: of a folder, --base must say where its robots.txt is from; left out"
                    ));
                    self.summary.input_failed();
                }
                if let Some(base) = &self.args.base
                    && let Ok(body) = std::fs::read(root.join("robots.txt"))
                    && let Ok(url) = base.join("/robots.txt")
                {
                    self.book.enter_body(&url, &body);
                }
            }
        }
    }

    /// Enters a record into the book if it belongs there. What is odd about it is
    /// told here if the pages of the input are not decided; else it is told then.
    fn enter_robots(&mut self, name: &str, record: &Record, report: Report) {
        let url = record.url.as_deref().map(url::Url::parse);
        let Some(Ok(url)) = url else {
            return;
        };
        if !self.book.wants(&url) {
            return;
        }
        let date = record.date.as_deref().unwrap_or_default();
        if let Some(fault) = KeptFault::of(record) {
            self.book.enter_fault(&url, date, fault);
        }
        if record.kind != "response" {
            return;
        }
        match Response::parse(&record.block) {
            Ok(response) => {
                self.book.enter(&url, date, &response);
                if report == Report::Faults {
                    self.tell_robots(name, record, &response);
                }
            }
            Err(error) if report == Report::Faults => {
                self.warn(name, record, &format!("{error}; skipped"));
            }
            Err(_) => {}
        }
    }

    /// Tells what is odd about a response to /robots.txt.
    fn tell_robots(&mut self, name: &str, record: &Record, response: &Response) {
        for note in response.notes() {
            self.warn(name, record, &note.to_string());
        }
        let is_success = (200..=299).contains(&response.status());
        if is_success && (record.cut.is_some() || response.is_cut()) {
            self.warn(name, record, "robots.txt is not whole; its start was read");
        }
        if is_success && RobotsTxt::parse(response.body()).looks_like_html() {
            self.warn(
                name,
                record,
                "this robots.txt looks like an HTML page; only lines that are directives count",
            );
        }
    }

    /// Decides about the pages of an input. Only what cannot be written is an error.
    fn decide_input(&mut self, input: &Input) -> Result<()> {
        match input {
            Input::File { name, file, .. } => {
                let mut write_error = None;
                let result =
                    self.each_record(name, file, Report::Faults, "deciding", |run, record| {
                        if let Err(error) = run.decide_record(name, &record) {
                            write_error = Some(error);
                            bail!("stopped");
                        }
                        Ok(())
                    });
                if let Some(error) = write_error {
                    return Err(error);
                }
                if let Err(error) = result {
                    self.progress.say(&format!("error: {error:#}"));
                    self.summary.input_failed();
                }
                Ok(())
            }
            Input::Folder {
                root,
                pages,
                unread,
            } => {
                for error in unread {
                    self.progress
                        .say(&format!("error: cannot read {error}; left out"));
                    self.summary.skip(Skip::Unreadable);
                }
                if pages.is_empty() {
                    self.progress.say(&format!(
                        "error: {}: no .html files in this folder",
                        root.display()
                    ));
                    self.summary.input_failed();
                }
                for page in pages {
                    self.decide_saved(root, page)?;
                }
                Ok(())
            }
        }
    }

    /// Gives each record of a file to `take`; tells what is broken, if that is asked for.
    fn each_record(
        &mut self,
        name: &str,
        file: &File,
        report: Report,
        doing: &'static str,
        mut take: impl FnMut(&mut Self, Record) -> Result<()>,
    ) -> Result<()> {
        let input = Counted::from_start(file, self.progress.counter())
            .with_context(|| format!("cannot read {name}"))?;
        let Some(mut reader) =
            Reader::open(input).with_context(|| format!("cannot read {name}"))?
        else {
            if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                bail!("{name}: an empty file; left out");
            }
            bail!("{name}: neither a WARC nor an ARC file (plain or gzip); left out");
        };
        while let Some(item) = reader
            .next_item()
            .with_context(|| format!("cannot read on in {name}"))?
        {
            self.progress.show(doing);
            match item {
                Item::Fault(fault) => {
                    if report == Report::Faults {
                        self.progress.say(&format!("warning: {name}: {fault}"));
                        self.summary.fault();
                    }
                }
                Item::Record(record) => take(self, record)?,
            }
        }
        Ok(())
    }

    /// Decides about a record, or counts why not.
    fn decide_record(&mut self, name: &str, record: &Record) -> Result<()> {
        let skip = match record.kind.as_str() {
            "response" => None,
            "resource" => return self.decide_resource(name, record),
            "revisit" => Some(Skip::Revisit),
            "request" | "warcinfo" | "metadata" => Some(Skip::NoResponse),
            _ => Some(Skip::OtherKind),
        };
        if let Some(skip) = skip {
            self.summary.skip(skip);
            return Ok(());
        }
        let Some(url) = record.url.as_deref() else {
            self.warn(name, record, "a response without a URL; skipped");
            self.summary.skip(Skip::NoUrl);
            return Ok(());
        };
        let is_http = url.starts_with("http:") || url.starts_with("https:");
        if !is_http && !record.block.starts_with(b"HTTP/") {
            self.summary.skip(Skip::NotHttp);
            return Ok(());
        }
        let Ok(response) = Response::parse(&record.block) else {
            self.warn(name, record, "not an HTTP response; skipped");
            self.summary.skip(Skip::NotHttp);
            return Ok(());
        };
        if url::Url::parse(url).is_ok_and(|url| is_robots_url(&url)) {
            self.tell_robots(name, record, &response);
            self.summary.skip(Skip::RobotsTxt);
            return Ok(());
        }
        if !response.is_html() && !self.args.all_types {
            self.summary.skip(Skip::NotHtml);
            return Ok(());
        }
        for note in response.notes() {
            self.warn(name, record, &note.to_string());
        }
        if response.is_unread() && response.is_html() {
            self.summary.skip(Skip::Unread);
            return Ok(());
        }
        let media_type = response.media_type();
        let meta = response
            .is_html()
            .then(|| self.policy.read(response.body(), media_type.charset()));
        let is_cut = record.cut.is_some() || response.is_cut();
        let page = Page::new(url)
            .with_status(response.status())
            .with_headers(response.headers());
        let page = match &meta {
            Some(meta) => self.with_meta(name, record, page, meta, is_cut),
            None => page.not_html(),
        };
        let row = Row {
            file: name,
            offset: Some(record.offset),
            status: Some(response.status()),
        };
        self.decide(page, record.date.as_deref().unwrap_or_default(), &row)
    }

    /// The page with its HEAD; tells if that is cut.
    fn with_meta<'p>(
        &mut self,
        name: &str,
        record: &Record,
        page: Page<'p>,
        meta: &'p PageMeta,
        is_cut: bool,
    ) -> Page<'p> {
        if !is_cut {
            return page.with_meta(meta);
        }
        if *meta.end() == HeadEnd::EndOfPage {
            let what = "cut before the end of its HEAD; only what is forbidden is decided";
            self.warn(name, record, what);
        }
        page.with_meta(meta).cut_short()
    }

    /// A page that was kept without its response.
    fn decide_resource(&mut self, name: &str, record: &Record) -> Result<()> {
        let content_type = record.content_type.as_deref().unwrap_or_default();
        let media_type = robots_meta::MediaType::parse(content_type);
        let url = record.url.as_deref().unwrap_or_default();
        if !media_type.is_html() || !url.starts_with("http") {
            self.summary.skip(Skip::NotHtml);
            return Ok(());
        }
        let meta = self.policy.read(&record.block, media_type.charset());
        let page = Page::new(url);
        let page = self.with_meta(name, record, page, &meta, record.cut.is_some());
        let row = Row {
            file: name,
            offset: Some(record.offset),
            status: None,
        };
        let date = record.date.as_deref().unwrap_or_default();
        self.decide(page, date, &row)
    }

    /// A page saved in a folder; its URL is its path, joined to the base if one is given.
    fn decide_saved(&mut self, root: &Path, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let html = match std::fs::read(path) {
            Ok(html) => html,
            Err(error) => {
                self.progress
                    .say(&format!("error: cannot read {name}: {error}; left out"));
                self.summary.skip(Skip::Unreadable);
                return Ok(());
            }
        };
        let relative = path.strip_prefix(root).unwrap_or(path);
        let relative: Vec<Cow<'_, str>> =
            relative.iter().map(|part| part.to_string_lossy()).collect();
        let url = self.args.base.as_ref().and_then(|base| {
            let mut url = base.clone();
            url.path_segments_mut()
                .ok()?
                .pop_if_empty()
                .extend(&relative);
            Some(url)
        });
        let url = url.map_or_else(|| name.clone(), String::from);
        let row = Row {
            file: &name,
            offset: None,
            status: None,
        };
        self.decide(Page::new(&url).with_html(&html), "", &row)
    }

    fn decide(&mut self, page: Page<'_>, date: &str, row: &Row<'_>) -> Result<()> {
        let page = page.at(self.now);
        let decision: Decision = match Origin::of(page.url()) {
            Ok(origin) => {
                let robots = self.book.robots(&origin, date, &self.policy);
                if !robots.is_known() {
                    self.summary.without_robots();
                }
                self.policy.decide_under(&robots, &page)
            }
            Err(error) => {
                if row.offset.is_some() {
                    let at = row.offset.unwrap_or_default();
                    let line = format!("warning: {}: at byte {at}: {error}", row.file);
                    self.progress.say(&line);
                }
                self.summary.without_robots();
                self.policy.decide_page(&page)
            }
        };
        self.summary.count(&decision);
        self.output.write(row, &decision)
    }

    fn warn(&mut self, name: &str, record: &Record, what: &str) {
        let url = record.url.as_deref().unwrap_or("no URL");
        self.progress.say(&format!(
            "warning: {name}: at byte {}: {url}: {what}",
            record.offset
        ));
    }
}
