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
use anyhow::{Context, Result};
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
use robots_policy::profile::AgentTable;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::ops::Range;
use std::process::ExitCode;
use std::sync::LazyLock;

/// The names of METAs for robots that vendors document.
pub(crate) static ROBOTS: LazyLock<Vec<&str>> =
    LazyLock::new(|| AgentTable::built_in().meta_names());

/// A page with its headers, and the contents of its HEAD.
struct Page<'a> {
    /// The name of its file, or its URL.
    name: &'a str,
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
    let name = args.file.display().to_string();
    let file = input::open_file(&args.file)?;
    let mut out = BufWriter::new(output(args.json));
    let (mut pages, mut skipped) = (0_u64, 0_u64);
    let is_archive = input::visit_records(&name, &file, &WarningPrinter, &mut |record| {
        if record.kind == "response" {
            let shown = show_response(&mut out, args, &name, &record, pages == 0)?;
            pages = pages.saturating_add(u64::from(shown));
            skipped = skipped.saturating_add(u64::from(!shown));
        }
        anyhow::Ok(())
    })?;
    if skipped > 0 {
        notice!(
            "{} skipped: not readable HTML",
            counted(skipped, "response")
        );
    }
    if !is_archive {
        show_file(&mut out, args, &name, &file)?;
        pages = 1;
    }
    out.flush()?;
    if pages == 0 {
        message!("error: {name}: no HTML page in this archive");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows one HTML file, plain or gzip.
fn show_file(out: &mut impl Write, args: &Args, name: &str, mut file: &File) -> Result<()> {
    file.rewind()
        .with_context(|| format!("cannot read {name}"))?;
    let bytes = saved_page::read(name, file, |warning| notice!("{warning}"))?;
    let page = Page::read(args, name, &bytes, args.charset.as_deref());
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
    write(out, args, &page)?;
    Ok(())
}

/// Shows a response of an archive, if it is HTML. Returns whether it was shown.
fn show_response(
    out: &mut impl Write,
    args: &Args,
    name: &str,
    record: &Record,
    is_first: bool,
) -> Result<bool> {
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
    let mut page = Page::read(args, url, response.body(), media_type.charset());
    page.headers = &headers;
    if !is_first && !args.json {
        writeln!(out)?;
    }
    write(out, args, &page)?;
    Ok(true)
}

/// Returns standard output, with colours unless JSON is written.
fn output(is_json: bool) -> Box<dyn Write> {
    if is_json {
        Box::new(io::stdout().lock())
    } else {
        Box::new(anstream::stdout().lock())
    }
}

fn write(out: &mut impl Write, args: &Args, page: &Page<'_>) -> io::Result<()> {
    if args.json {
        Ok(write_line(out, &PageJson::new(args, page))?)
    } else {
        show::page(out, args, page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

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
            file: PathBuf::new(),
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
