//! Reads pages: from HTML files, folders of them, responses as `curl -i` prints them, archives and standard input.

use super::input::InputPath;
use crate::observer::{NOT_HTTP, UNREADABLE_BODY, warn_of_record};
use crate::progress::Progress;
use crate::saved_page::{self, Saved};
use anyhow::{Context, Result};
use robots_archive::Record;
use robots_archive::http::Response;
use robots_lint::PageInput;
use robots_pipeline::input;
use robots_pipeline::record_date::captured_at;
use robots_pipeline::robots_url::is_robots;
use robots_pipeline::{Observer, Warning};
use std::fs::File;
use std::io::Seek;
use std::path::Path;
use url::Url;

/// A page, and the file that it is or is in.
pub(super) struct PageFile {
    pub(super) file: InputPath,
    pub(super) is_in_archive: bool,
    pub(super) page: PageInput,
}

/// Calls `receive` with each page at a path, in order, and warns about pages that cannot be read.
pub(super) fn visit(
    path: &Path,
    base: Option<&Url>,
    progress: &Progress,
    receive: &mut dyn FnMut(PageFile) -> Result<()>,
) -> Result<()> {
    if path.as_os_str() != "-" && path.is_dir() {
        return visit_folder(path, base, progress, receive);
    }
    let mut file = input::open_file(path)?;
    let source = InputPath::new(path);
    let name = &source.text;
    let is_archive = input::visit_records(name, &file, progress, &mut |record| {
        of_record(&source, &record, progress).map_or(Ok(()), &mut *receive)
    })?;
    if is_archive {
        return Ok(());
    }
    file.rewind()
        .with_context(|| format!("cannot read {name}"))?;
    let body = saved_page::read(name, file, |warning| progress.notice(warning))?;
    receive(of_file(
        source.clone(),
        body,
        base.map(ToString::to_string),
        progress,
    ))
}

fn visit_folder(
    path: &Path,
    base: Option<&Url>,
    progress: &Progress,
    receive: &mut dyn FnMut(PageFile) -> Result<()>,
) -> Result<()> {
    let opened = input::open(path)?;
    let Some(folder) = opened.folder() else {
        // Not expected, unless the path was just replaced by a file.
        return Ok(());
    };
    let warn = |path: &Path, error: String| {
        let path = path.to_owned();
        progress.warn(&Warning::Unreadable { path, error });
    };
    for (path, error) in &folder.unread {
        warn(path, error.to_string());
    }
    for page in &folder.pages {
        let source = InputPath::new(page);
        let name = &source.text;
        let file = File::open(page).map_err(anyhow::Error::from);
        match file.and_then(|file| saved_page::read(name, file, |warning| progress.notice(warning)))
        {
            Ok(body) => {
                let within = page.strip_prefix(&folder.root).unwrap_or(page);
                let url = base.and_then(|base| input::saved_page_url(base, within));
                let url = url.map(String::from);
                receive(of_file(source, body, url, progress))?;
            }
            Err(error) => warn(page, error.root_cause().to_string()),
        }
    }
    Ok(())
}

/// Reads a file: a page, or a response that begins with its headers.
fn of_file(file: InputPath, body: Vec<u8>, url: Option<String>, progress: &Progress) -> PageFile {
    let with_url = |page: PageInput| match url {
        Some(url) => page.with_url(url),
        None => page,
    };
    if let Saved::Response(response) = saved_page::parse(&body) {
        if !(200..=299).contains(&response.status()) {
            let status = response.status();
            progress.notice(&format!(
                "note: {}: status {status}: robots ignore the directives of this page",
                file.text
            ));
        }
        let page = with_url(of_response(&response));
        return PageFile {
            file,
            is_in_archive: false,
            page,
        };
    }
    if memchr::memchr(b'<', &body).is_none() {
        let name = &file.text;
        progress.notice(&format!("warning: {name}: has no tag; is this HTML?"));
    }
    let page = with_url(PageInput::new(body));
    PageFile {
        file,
        is_in_archive: false,
        page,
    }
}

/// Reads a response with status 2xx that is not a robots.txt.
fn of_record(file: &InputPath, record: &Record, progress: &Progress) -> Option<PageFile> {
    let url = record
        .url
        .as_deref()
        .filter(|url| record.kind == "response" && !is_robots(url))?;
    let warn = |group, what| warn_of_record(progress, group, &file.text, record, what);
    let Ok(response) = Response::parse(&record.block) else {
        warn(NOT_HTTP, "not an HTTP response");
        return None;
    };
    if !(200..=299).contains(&response.status()) {
        return None;
    }
    if response.is_unread() {
        warn(UNREADABLE_BODY, "cannot be read");
        return None;
    }
    let mut page = of_response(&response).with_url(url);
    if let Some(date) = captured_at(record) {
        page = page.with_capture_time(date);
    }
    Some(PageFile {
        file: file.clone(),
        is_in_archive: true,
        page,
    })
}

/// Returns the headers of a response, and its body if it is HTML.
fn of_response(response: &Response<'_>) -> PageInput {
    let html = if response.is_html() {
        response.body()
    } else {
        &[]
    };
    let page = PageInput::new(html).with_headers(response.header_bytes());
    match response.media_type().charset() {
        Some(charset) => page.with_charset(charset),
        None => page,
    }
}
