//! `robots meta`: the METAs and headers of pages that concern robots.
//!
//! [`show`] writes a page for people: parts of it ([`excerpt`]) and facts in its headers, with their meaning below.
//! [`decisions`] writes the decisions of all robots. [`headers`] shows headers alone.

mod decisions;
mod excerpt;
pub(crate) mod headers;
mod show;

use crate::args::Meta as Args;
use crate::observer::{LostParts, WarningPrinter, is_shown};
use crate::saved_page;
use crate::standard_input;
use crate::terminal::{counted, printable};
use anyhow::{Result, anyhow, bail};
use robots_answers::page::{HeaderLine, Page, page_answer};
use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::page::HeadEnd;
use robots_pipeline::input::documents::{Content, documents};
use robots_pipeline::input::is_saved_page;
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_pipeline::{Observer, RecordProblem, Warning};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    if args.headers {
        return headers::run(&args.files, args.json);
    }
    standard_input::refuse_twice(&args.files)?;
    let mut printer = PagePrinter {
        args,
        out: BufWriter::new(output(args.json)),
        names_inputs: args.files.len() > 1 || args.files.iter().any(|path| path.is_dir()),
        pages: 0,
        skipped: 0,
        has_failed: false,
        write_error: None,
    };
    for path in &args.files {
        let result = printer.show_input(path);
        if let Some(error) = printer.write_error.take() {
            return Err(error.into());
        }
        if let Err(error) = result {
            printer.report(&error);
        }
    }
    printer.out.flush()?;
    if printer.skipped > 0 {
        notice!(
            "{} skipped: not readable HTML",
            counted(printer.skipped, "response")
        );
    }
    LostParts::of_process().report();
    Ok(ExitCode::from(if printer.has_failed { 2 } else { 0 }))
}

/// A writer of the pages of all inputs.
struct PagePrinter<'a> {
    args: &'a Args,
    out: BufWriter<Box<dyn Write>>,
    /// Whether the output names the input of each page, as there are several.
    names_inputs: bool,
    /// The number of pages that were written.
    pages: u64,
    /// The number of responses that are not pages.
    skipped: u64,
    /// Whether an input, or a part of it, could not be read.
    has_failed: bool,
    /// The error that ends the run: the output cannot be written.
    write_error: Option<io::Error>,
}

impl PagePrinter<'_> {
    /// Shows the pages of an input: a file, a folder or an archive.
    fn show_input(&mut self, path: &Path) -> Result<()> {
        let unread = UnreadPaths(AtomicBool::new(false));
        let before = self.pages;
        let (mut has_files, mut has_failed) = (false, false);
        for document in documents(path, is_saved_page, &unread)? {
            let document = match document {
                Ok(document) => document,
                // The other files of a folder are still read.
                Err(error) => {
                    self.report(&error.into());
                    has_failed = true;
                    continue;
                }
            };
            let name = &document.file.text;
            match document.content {
                Content::Record(record) => {
                    if let Some(response) = record.http_response()
                        && !self.show_response(name, &record, response.ok())?
                    {
                        self.skipped += 1;
                    }
                }
                Content::File(file) => {
                    has_files = true;
                    match self.show_file(name, file) {
                        // The other files of a folder are still read.
                        Err(error) if document.is_found && self.write_error.is_none() => {
                            self.report(&error);
                        }
                        shown => shown?,
                    }
                }
            }
        }
        let has_unread = unread.0.into_inner();
        self.has_failed |= has_unread;
        if self.pages > before || has_files || has_unread || has_failed {
            return Ok(());
        }
        let name = path_text(path);
        if path.is_dir() {
            bail!(
                "{name}: no .html, .htm or .xhtml files in this folder, and no archive with a page"
            );
        }
        bail!("{name}: no HTML page in this archive");
    }

    /// Reports an input, or a part of it, that could not be read. The others are still read.
    fn report(&mut self, error: &anyhow::Error) {
        message!("error: {error:#}");
        self.has_failed = true;
    }

    /// Shows one HTML file, plain or gzip, or a response that begins with its headers.
    fn show_file(&mut self, name: &str, file: File) -> Result<()> {
        let bytes = saved_page::read(name, file, |warning| notice!("{warning}"))?;
        if let Some(response) = saved_page::parse(&bytes) {
            return self.show_saved_response(name, &response);
        }
        let page = Page::read(
            name,
            &bytes,
            self.args.charset.as_deref(),
            self.args.options(),
        );
        let meta = &page.facts;
        let is_wide = meta.encoding().starts_with("UTF-16");
        // Only a HEAD has METAs or a title, ends at a tag, or reaches a limit.
        let has_head = meta.metas().len() > 0
            || meta.title().is_some()
            || matches!(meta.end(), HeadEnd::Tag { .. } | HeadEnd::Limit(_));
        // NUL bytes after the HEAD are not suspicious.
        let read = match meta.consumed() {
            Some(read) if has_head => bytes.get(..read).unwrap_or(&bytes),
            _ => &bytes,
        };
        if read.contains(&0) && !is_wide {
            notice!("warning: {name}: has NUL bytes; is this HTML?");
        } else if !has_head {
            notice!("warning: {name}: has no HEAD; is this HTML?");
        }
        self.write(name, page)
    }

    /// Shows a response that begins with its headers, as `curl -i` prints it. Of one that is not HTML, only the headers count.
    fn show_saved_response(&mut self, name: &str, response: &Response<'_>) -> Result<()> {
        for note in response.notes() {
            notice!("warning: {name}: {note}");
        }
        let media_type = response.media_type();
        let is_html = media_type.may_be_html();
        if !is_html {
            let essence = printable(media_type.essence());
            notice!("note: {name}: of a response of type {essence}, only the headers count");
        }
        let is_read = is_html && !response.is_unread();
        let charset = self.args.charset.as_deref().or(media_type.charset());
        let body = if is_read { response.body() } else { b"" };
        let page = Page::read(name, body, charset, self.args.options());
        self.write_response(name, page, response)
    }

    /// Shows a response of an archive, if it is HTTP and HTML. Returns whether it was shown.
    fn show_response(
        &mut self,
        name: &str,
        record: &Record,
        response: Option<Response<'_>>,
    ) -> Result<bool> {
        let url = record.url.as_deref().unwrap_or_default();
        let warn = |problem| WarningPrinter.warn(&Warning::of_record(name, record, problem));
        let Some(response) = response else {
            let loses_decision = true;
            warn(RecordProblem::NotHttp { loses_decision });
            return Ok(false);
        };
        if !response.is_html() {
            return Ok(false);
        }
        for note in response.notes() {
            warn(RecordProblem::Http(*note));
        }
        if response.is_unread() {
            return Ok(false);
        }
        if record.cut.is_some() && is_shown("records that are not whole") {
            let at = record.offset;
            notice!(
                "warning: {name}: at byte {at}: {url}: the record is incomplete; only its start was read"
            );
        }
        let media_type = response.media_type();
        let page = Page::read(
            url,
            response.body(),
            media_type.charset(),
            self.args.options(),
        );
        self.write_response(name, page, &response)?;
        Ok(true)
    }

    /// Writes the page of a response, with its status and headers.
    fn write_response(
        &mut self,
        input: &str,
        page: Page<'_>,
        response: &Response<'_>,
    ) -> Result<()> {
        let headers = header_lines(response);
        let mut page = page;
        page.status = response.status();
        page.headers = &headers;
        self.write(input, page)
    }

    /// Writes a page of the input with this name.
    fn write<'p>(&mut self, input: &'p str, mut page: Page<'p>) -> Result<()> {
        page.input = self.names_inputs.then_some(input);
        let (out, args) = (&mut self.out, self.args);
        let written = if args.json {
            write_line(out, &page_answer(args.options(), &page)).map_err(io::Error::from)
        } else {
            let gap = if self.pages > 0 { "\n" } else { "" };
            out.write_all(gap.as_bytes())
                .and_then(|()| show::page(out, args, &page))
        };
        self.pages += 1;
        written.map_err(|error| {
            self.write_error = Some(error);
            anyhow!("cannot write the pages")
        })
    }
}

/// An observer that reports what cannot be read in a folder as an error, and prints the other warnings.
struct UnreadPaths(AtomicBool);

impl Observer for UnreadPaths {
    fn warn(&self, warning: &Warning) {
        if let Warning::Unreadable { path, error } = warning {
            message!("error: cannot read {}: {error}", path_text(path));
            self.0.store(true, Ordering::Relaxed);
        } else {
            WarningPrinter.warn(warning);
        }
    }
}

/// Returns standard output, with colours unless JSON is written.
fn output(is_json: bool) -> Box<dyn Write> {
    if is_json {
        Box::new(io::stdout().lock())
    } else {
        Box::new(anstream::stdout().lock())
    }
}

/// Returns the header lines of a response.
fn header_lines<'a>(response: &'a Response<'_>) -> Vec<HeaderLine<'a>> {
    let lines = response.header_bytes();
    lines
        .map(|(name, value)| HeaderLine::new(name, value))
        .collect()
}
