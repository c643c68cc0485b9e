//! Pages, wherever they are: an HTML file, a folder of them, a response as `curl -i` prints it, the
//! responses of an archive, standard input.

use crate::inputs::{self, Input};
use crate::progress::Progress;
use crate::robots_book::is_robots;
use crate::robots_files;
use crate::terminal::printable;
use anyhow::Result;
use robots_archive::Record;
use robots_archive::http::Response;
use robots_meta::Timestamp;
use std::path::Path;
use std::sync::Arc;
use url::Url;

/// A page, or another response with headers for robots.
pub(in crate::lint) struct PageInput {
    /// The file that it is, or is in, as it was named; `-` is standard input.
    pub(super) file: Arc<str>,
    /// Its URL, if that is known.
    pub(super) url: Option<String>,
    /// The encoding that its server names.
    pub(super) charset: Option<String>,
    /// When it was captured.
    pub(super) date: Option<Timestamp>,
    /// All header lines, in order.
    pub(super) headers: Vec<(String, String)>,
    /// Empty of what is no HTML.
    pub(super) html: Vec<u8>,
}

impl PageInput {
    /// How many bytes it has.
    pub(in crate::lint) fn len(&self) -> usize {
        self.html.len()
    }
}

/// Shows each page that a path names to `visit`, in order. What cannot be read is told.
pub(in crate::lint) fn visit(
    path: &Path,
    base: Option<&Url>,
    progress: &Progress,
    visit: &mut dyn FnMut(PageInput) -> Result<()>,
) -> Result<()> {
    let name = path.display().to_string();
    if path.as_os_str() != "-" && path.is_dir() {
        return folder(path, base, progress, visit);
    }
    let file = inputs::open_file(path)?;
    let shared: Arc<str> = name.as_str().into();
    let is_archive =
        inputs::visit_records(&name, &file, &|line| progress.say(line), &mut |record| {
            of_record(&shared, &record, progress).map_or(Ok(()), &mut *visit)
        })?;
    if is_archive {
        return Ok(());
    }
    let body = robots_files::body(&name, &file)?;
    visit(of_file(
        shared,
        body,
        base.map(ToString::to_string),
        progress,
    ))
}

fn folder(
    path: &Path,
    base: Option<&Url>,
    progress: &Progress,
    visit: &mut dyn FnMut(PageInput) -> Result<()>,
) -> Result<()> {
    let Input::Folder {
        root,
        pages,
        unread,
        ..
    } = inputs::open(path)?
    else {
        return Ok(());
    };
    for unread in unread {
        progress.say(&format!("warning: cannot read {unread}"));
    }
    for page in pages {
        let name = page.display().to_string();
        match std::fs::read(&page) {
            Ok(body) => {
                let within = page.strip_prefix(&root).unwrap_or(&page);
                let url = base.map(|base| url_below(base, within));
                visit(of_file(name.into(), body, url, progress))?;
            }
            Err(error) => progress.say(&format!("warning: cannot read {name}: {error}")),
        }
    }
    Ok(())
}

/// The URL of a file below a base.
fn url_below(base: &Url, within: &Path) -> String {
    let mut url = base.clone();
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.pop_if_empty();
        segments.extend(within.iter().map(|part| part.to_string_lossy()));
    }
    url.into()
}

/// A file: a page, or a response with its headers before it.
fn of_file(file: Arc<str>, body: Vec<u8>, url: Option<String>, progress: &Progress) -> PageInput {
    let page = PageInput {
        file,
        url,
        charset: None,
        date: None,
        headers: Vec::new(),
        html: Vec::new(),
    };
    let last = last_response(&body);
    if last.starts_with(b"HTTP/")
        && let Ok(response) = Response::parse(last)
    {
        if !(200..=299).contains(&response.status()) {
            let status = response.status();
            progress.say(&format!(
                "note: {}: status {status}: robots take nothing from this page",
                page.file
            ));
        }
        return with_response(page, &response);
    }
    PageInput { html: body, ..page }
}

/// The last of several responses, of which the others are a proxy's or redirects: behind their heads there is no body, as
/// `curl -iL` prints them.
fn last_response(mut text: &[u8]) -> &[u8] {
    while text.starts_with(b"HTTP/") {
        let ends = [&b"\r\n\r\n"[..], b"\n\n"];
        let ends = ends.map(|end| Some(memchr::memmem::find(text, end)?.saturating_add(end.len())));
        let behind = ends.into_iter().flatten().min();
        match behind.and_then(|behind| text.get(behind..)) {
            Some(next) if next.starts_with(b"HTTP/") => text = next,
            _ => break,
        }
    }
    text
}

/// A response with status 2xx that is no robots.txt: if it is a page, or has headers for robots.
fn of_record(file: &Arc<str>, record: &Record, progress: &Progress) -> Option<PageInput> {
    let url = record
        .url
        .as_deref()
        .filter(|url| record.kind == "response" && !is_robots(url))?;
    let say = |what: &str| {
        let (at, url) = (record.offset, printable(url));
        progress.say(&format!("warning: {file}: at byte {at}: {url}: {what}"));
    };
    let Ok(response) = Response::parse(&record.block) else {
        say("not an HTTP response");
        return None;
    };
    if !(200..=299).contains(&response.status()) {
        return None;
    }
    if response.is_unread() {
        say("cannot be read");
        return None;
    }
    let page = PageInput {
        file: Arc::clone(file),
        url: Some(url.to_owned()),
        charset: None,
        date: record.date.as_deref().and_then(Timestamp::parse),
        headers: Vec::new(),
        html: Vec::new(),
    };
    Some(with_response(page, &response))
}

fn with_response(page: PageInput, response: &Response<'_>) -> PageInput {
    let headers = response.headers();
    PageInput {
        charset: response.media_type().charset().map(str::to_owned),
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        html: if response.is_html() {
            response.body().to_vec()
        } else {
            Vec::new()
        },
        ..page
    }
}
