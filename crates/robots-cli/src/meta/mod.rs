//! `robots meta`: the METAs and headers of pages that concern robots.
//!
//! [`show`] writes a page for people: parts of it ([`excerpt`]) and facts in its headers ([`header_facts`]), with their
//! meaning below ([`words`]). [`json`], [`list_json`] and [`header_json`] write it as JSON. [`decisions`] has the decisions
//! of all robots. [`headers`] is `robots headers`, for headers alone.

mod decisions;
mod excerpt;
mod header_facts;
mod header_json;
pub(crate) mod headers;
mod json;
mod list_json;
mod quota;
mod show;
mod words;

use crate::args::Meta as Args;
use crate::observer::{INCOMPLETE, NOT_HTTP, OTHER_BODY, WarningPrinter, is_shown};
use crate::saved_page;
use crate::terminal::counted;
use anyhow::{Context, Result, anyhow, bail};
use decisions::RobotDecision;
use encoding_rs::{Encoding, UTF_8};
use json::PageJson;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_lint::page::header_text;
use robots_meta::page::{HeadEnd, Meta};
use robots_meta::{HeadOptions, PageFacts};
use robots_pipeline::input;
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_policy::profile::AgentTable;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::ops::Range;
use std::path::Path;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The names of METAs for robots that vendors document.
pub(crate) static ROBOTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| AgentTable::built_in().meta_names());

/// A page with its headers, and the contents of its HEAD.
struct Page<'a> {
    /// The name of its file, or its URL.
    name: &'a str,
    /// The name of its file, or of the archive that has it, if the output names it.
    input: Option<&'a str>,
    html: &'a [u8],
    /// All header lines of its response, in order.
    headers: &'a [HeaderLine<'a>],
    meta: PageFacts,
}

/// A header line.
#[derive(Debug)]
struct HeaderLine<'a> {
    name: &'a str,
    /// The value as it was received.
    value: &'a [u8],
    /// The value as text with the same offsets.
    text: Cow<'a, str>,
}

impl<'a> HeaderLine<'a> {
    fn new(name: &'a str, value: &'a [u8]) -> Self {
        Self {
            name,
            value,
            text: header_text(value),
        }
    }

    /// Returns the name and the value, as libraries read them.
    fn bytes(&self) -> (&'a str, &'a [u8]) {
        (self.name, self.value)
    }

    /// Returns the lines of a response.
    fn all_of(response: &'a Response<'_>) -> Vec<Self> {
        let lines = response.header_bytes();
        lines.map(|(name, value)| Self::new(name, value)).collect()
    }
}

impl<'a> Page<'a> {
    /// Reads a page as the options say, in the encoding that its server or the user names.
    fn read(args: &Args, name: &'a str, html: &'a [u8], charset: Option<&str>) -> Self {
        let options = HeadOptions::new()
            .with_scripting(args.scripting)
            .with_charset(charset.unwrap_or_default());
        Self {
            name,
            input: None,
            html,
            headers: &[],
            meta: if args.document {
                options.read_document(html)
            } else {
                options.read(html)
            },
        }
    }

    /// Returns the decision of every robot of every profile, without robots.txt.
    fn decisions(&self) -> Vec<RobotDecision> {
        decisions::decide(Some(self.html), self.headers, Some(self.meta.encoding()))
    }

    fn encoding(&self) -> &'static Encoding {
        Encoding::for_label(self.meta.encoding().as_bytes()).unwrap_or(UTF_8)
    }

    /// Returns the end of the tag of a META, in bytes. In encodings such as UTF-16 it is not known.
    fn tag_end(&self, meta: Meta<'_>) -> Option<usize> {
        self.encoding()
            .is_ascii_compatible()
            .then_some(meta.span().end)
    }
}

/// Returns the range of a text that begins at an offset.
fn span_of(offset: usize, text: &str) -> Range<usize> {
    offset..offset.saturating_add(text.len())
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
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
        if path.as_os_str() != "-" && path.is_dir() {
            return self.show_folder(path);
        }
        let name = path_text(path);
        let file = input::open_file(path)?;
        let before = self.pages;
        let is_archive = input::visit_records(&name, &file, &WarningPrinter, &mut |record| {
            if record.kind == "response" && !self.show_response(&name, &record)? {
                self.skipped = self.skipped.saturating_add(1);
            }
            anyhow::Ok(())
        })?;
        if !is_archive {
            return self.show_file(&name, &file);
        }
        if self.pages == before {
            bail!("{name}: no HTML page in this archive");
        }
        Ok(())
    }

    /// Shows the pages of a folder: the files with the name of a page.
    fn show_folder(&mut self, path: &Path) -> Result<()> {
        let opened = input::open(path)?;
        let Some(folder) = opened.folder() else {
            // Not expected, unless the path was just replaced by a file.
            return Ok(());
        };
        if folder.pages.is_empty() && folder.unread.is_empty() {
            bail!("{}: no .html files in this folder", path_text(path));
        }
        for (path, error) in &folder.unread {
            self.report(&anyhow!("cannot read {}: {error}", path_text(path)));
        }
        for page in &folder.pages {
            let name = path_text(page);
            let file = File::open(page).with_context(|| format!("cannot read {name}"));
            if let Err(error) = file.and_then(|file| self.show_file(&name, &file)) {
                if self.write_error.is_some() {
                    return Err(error);
                }
                self.report(&error);
            }
        }
        Ok(())
    }

    /// Reports an input, or a part of it, that could not be read. The others are still read.
    fn report(&mut self, error: &anyhow::Error) {
        message!("error: {error:#}");
        self.has_failed = true;
    }

    /// Shows one HTML file, plain or gzip.
    fn show_file(&mut self, name: &str, mut file: &File) -> Result<()> {
        file.rewind()
            .with_context(|| format!("cannot read {name}"))?;
        let bytes = saved_page::read(name, file, |warning| notice!("{warning}"))?;
        let page = Page::read(self.args, name, &bytes, self.args.charset.as_deref());
        let meta = &page.meta;
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

    /// Shows a response of an archive, if it is HTML. Returns whether it was shown.
    fn show_response(&mut self, name: &str, record: &Record) -> Result<bool> {
        let url = record.url.as_deref().unwrap_or_default();
        let warn = |group: &'static str, what: &str| {
            if is_shown(group) {
                let at = record.offset;
                notice!("warning: {name}: at byte {at}: {url}: {what}");
            }
        };
        let Ok(response) = Response::parse(&record.block) else {
            warn(NOT_HTTP, "not an HTTP response; skipped");
            return Ok(false);
        };
        if !response.is_html() {
            return Ok(false);
        }
        for note in response.notes() {
            warn(OTHER_BODY, &note.to_string());
        }
        if response.is_unread() {
            return Ok(false);
        }
        if record.cut.is_some() {
            warn(
                INCOMPLETE,
                "the record is incomplete; only its start was read",
            );
        }
        let headers = HeaderLine::all_of(&response);
        let media_type = response.media_type();
        let mut page = Page::read(self.args, url, response.body(), media_type.charset());
        page.headers = &headers;
        self.write(name, page)?;
        Ok(true)
    }

    /// Writes a page of the input with this name.
    fn write<'p>(&mut self, input: &'p str, mut page: Page<'p>) -> Result<()> {
        page.input = self.names_inputs.then_some(input);
        let (out, args) = (&mut self.out, self.args);
        let written = if args.json {
            write_line(out, &PageJson::new(args, &page)).map_err(io::Error::from)
        } else {
            let gap = if self.pages > 0 { "\n" } else { "" };
            out.write_all(gap.as_bytes())
                .and_then(|()| show::page(out, args, &page))
        };
        self.pages = self.pages.saturating_add(1);
        written.map_err(|error| {
            self.write_error = Some(error);
            anyhow!("cannot write the pages")
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns header lines of text.
    pub(super) fn header_lines<'a>(lines: &[(&'a str, &'a str)]) -> Vec<HeaderLine<'a>> {
        lines
            .iter()
            .map(|(name, value)| HeaderLine::new(name, value.as_bytes()))
            .collect()
    }

    /// Returns the arguments of `robots meta` without flags.
    pub(super) fn args() -> Args {
        Args {
            files: Vec::new(),
            all: false,
            document: false,
            scripting: false,
            charset: None,
            profiles: false,
            json: false,
        }
    }

    #[test]
    fn content_has_an_offset_if_its_bytes_are_its_text() {
        let start = |html: &[u8]| {
            let page = Page::read(&args(), "", html, None);
            page.meta
                .metas()
                .next()
                .and_then(|meta| meta.content_start_in(page.html))
        };
        assert_eq!(start(b"<meta name=robots content=noai>"), Some(26));
        assert_eq!(start(b"<meta name=robots content='&amp;'>"), None);
        assert_eq!(start(b"<meta name=robots content='\xe9'>"), None);
        assert_eq!(start(b"<meta name=robots>"), None);
    }
}
