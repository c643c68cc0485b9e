//! Reads pages: from HTML files, folders of them, responses as `curl -i` prints them, archives and standard input.

use crate::progress::Progress;
use crate::saved_page;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_lint::PageInput;
use robots_pipeline::input;
use robots_pipeline::input::documents::{Content, Document, InputPath, readable_response};
use robots_pipeline::robots_url::is_robots;
use robots_pipeline::{Observer, Warning};
use std::path::Path;
use url::Url;

/// A page, and the file that it is or is in.
pub(super) struct PageFile {
    pub(super) file: InputPath,
    pub(super) is_in_archive: bool,
    pub(super) page: PageInput,
}

/// Returns the page of a document; `None` if it has none, or is a file in a folder that cannot be read, which is reported. `root`
/// is the path of the input: the URL of a page in this folder is the base with the path to the page.
pub(super) fn of_document(
    document: Document,
    root: &Path,
    base: Option<&Url>,
    progress: &Progress,
) -> Result<Option<PageFile>> {
    let is_found = document.is_found;
    let file = document.file;
    let html = match document.content {
        Content::Record(record) => {
            let page = of_record(&file, &record, progress);
            return Ok(page.map(|page| PageFile {
                file,
                is_in_archive: true,
                page,
            }));
        }
        Content::File(html) => html,
    };
    let body = match saved_page::read(&file.text, html, |warning| progress.notice(warning)) {
        Ok(body) => body,
        Err(error) if is_found => {
            progress.warn(&Warning::Unreadable {
                path: file.path.to_path_buf(),
                error: error.root_cause().to_string(),
            });
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let within = file.path.strip_prefix(root).unwrap_or(&file.path);
    let url = match base {
        Some(base) if is_found => input::saved_page_url(base, within),
        base => base.cloned(),
    };
    Ok(Some(PageFile {
        page: of_file(&file.text, body, url, progress),
        file,
        is_in_archive: false,
    }))
}

/// Reads a file: a page, or a response that begins with its headers.
fn of_file(name: &str, body: Vec<u8>, url: Option<Url>, progress: &Progress) -> PageInput {
    let page = if let Some(response) = saved_page::parse(&body) {
        if !(200..=299).contains(&response.status()) {
            let status = response.status();
            progress.notice(&format!(
                "note: {name}: status {status}: robots ignore the directives of this page"
            ));
        }
        of_response(&response)
    } else {
        if memchr::memchr(b'<', &body).is_none() {
            progress.notice(&format!("warning: {name}: has no tag; is this HTML?"));
        }
        PageInput::new(body)
    };
    match url {
        Some(url) => page.with_url(url),
        None => page,
    }
}

/// Reads a response with status 2xx that is not a robots.txt.
fn of_record(file: &InputPath, record: &Record, progress: &Progress) -> Option<PageInput> {
    let url = record.url.as_deref().filter(|url| !is_robots(url))?;
    let warn = |problem| progress.warn(&Warning::of_record(&file.text, record, problem));
    let response = readable_response(record, false, |_| true, warn)?;
    let page = of_response(&response).with_url(url);
    Some(match record.captured_at() {
        Some(date) => page.with_capture_time(date),
        None => page,
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
