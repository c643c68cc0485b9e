//! robots.txt files, wherever they are: a file, a folder of them, the responses of an archive,
//! standard input.

use crate::inputs;
use crate::progress::Progress;
use crate::robots_book::is_robots;
use crate::terminal::printable;
use anyhow::{Context, Result};
use robots_archive::Record;
use robots_archive::http::Response;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

/// How many bytes of a file are read: 64 MiB. Of a robots.txt a quarter of that is kept.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// A robots.txt that was found.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RobotsFile<'a> {
    /// The file that it is, or is in, as it was named; `-` is standard input.
    pub(crate) file: &'a str,
    /// Its URL, if it is a response in an archive.
    pub(crate) url: Option<&'a str>,
    /// Whether it is a file of its own, as it stands on the disk: it can be written anew.
    pub(crate) is_plain: bool,
    pub(crate) body: &'a [u8],
}

/// Shows each robots.txt that a path names to `visit`, in order: that of a file, those of a folder
/// (what ends with `robots.txt`, in it and below; if there is none, what ends with `.txt`), the responses with status 2xx to
/// /robots.txt of an archive. What cannot be read is told. Gives how many there were.
pub(crate) fn visit(
    path: &Path,
    progress: &Progress,
    visit: &mut dyn FnMut(RobotsFile<'_>) -> Result<()>,
) -> Result<u64> {
    let name = path.display().to_string();
    if path.as_os_str() != "-" && path.is_dir() {
        let mut paths = Vec::new();
        collect(path, progress, &mut paths);
        // Where there are files of that name, other texts are something else.
        if paths.iter().any(|path| is_robots_txt(path)) {
            paths.retain(|path| is_robots_txt(path));
        }
        paths.sort();
        let mut count = 0_u64;
        for path in paths {
            let name = path.display().to_string();
            match File::open(&path).and_then(|file| whole(&file)) {
                Ok(body) => {
                    visit(RobotsFile {
                        file: &name,
                        url: None,
                        is_plain: true,
                        body: &body,
                    })?;
                    count = count.saturating_add(1);
                }
                Err(error) => progress.say(&format!("warning: cannot read {name}: {error}")),
            }
        }
        return Ok(count);
    }
    let file = inputs::open_file(path)?;
    let mut count = 0_u64;
    let is_archive =
        inputs::visit_records(&name, &file, &|line| progress.say(line), &mut |record| {
            count = count.saturating_add(of_record(&name, &record, progress, visit)?);
            Ok(())
        })?;
    if is_archive {
        return Ok(count);
    }
    let length = file.metadata().map(|metadata| metadata.len());
    let body = body(&name, &file)?;
    // What was gzip is not written as text.
    let is_plain = name != "-" && length.is_ok_and(|length| length == body.len() as u64);
    visit(RobotsFile {
        file: &name,
        url: None,
        is_plain,
        body: &body,
    })?;
    Ok(1)
}

/// The bytes of an open file, from its start; inflated if they are gzip.
pub(crate) fn body(name: &str, file: &File) -> Result<Vec<u8>> {
    let bytes = whole(file).with_context(|| format!("cannot read {name}"))?;
    inputs::inflated(bytes).with_context(|| format!("cannot inflate {name}"))
}

fn whole(mut file: &File) -> io::Result<Vec<u8>> {
    file.rewind()?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Shows a response to /robots.txt with status 2xx; gives how many there were, which is one or none.
fn of_record(
    name: &str,
    record: &Record,
    progress: &Progress,
    visit: &mut dyn FnMut(RobotsFile<'_>) -> Result<()>,
) -> Result<u64> {
    let Some(url) = robots_url_of(record) else {
        return Ok(0);
    };
    let say = |what: &str| {
        let (at, url) = (record.offset, printable(url));
        progress.say(&format!("warning: {name}: at byte {at}: {url}: {what}"));
    };
    let Ok(response) = Response::parse(&record.block) else {
        say("not an HTTP response");
        return Ok(0);
    };
    if !(200..=299).contains(&response.status()) {
        return Ok(0);
    }
    if response.is_unread() {
        say("cannot be read");
        return Ok(0);
    }
    if record.cut.is_some() || response.is_cut() {
        say("not whole");
    }
    visit(RobotsFile {
        file: name,
        url: Some(url),
        is_plain: false,
        body: response.body(),
    })?;
    Ok(1)
}

/// The URL of a response to a request for a robots.txt.
pub(crate) fn robots_url_of(record: &Record) -> Option<&str> {
    let url = record
        .url
        .as_deref()
        .filter(|_| record.kind == "response")?;
    is_robots(url).then_some(url)
}

fn collect(folder: &Path, progress: &Progress, paths: &mut Vec<PathBuf>) {
    let tell = |error: io::Error| {
        progress.say(&format!(
            "warning: cannot read {}: {error}",
            folder.display()
        ));
    };
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return tell(error),
    };
    for entry in entries {
        // A link could lead back to where it stands: it is not followed.
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            Ok((path, kind)) if kind.is_dir() => collect(&path, progress, paths),
            Ok((path, kind)) if kind.is_file() && is_text(&path) => paths.push(path),
            Ok(_) => {}
            Err(error) => tell(error),
        }
    }
}

/// `robots.txt`, or what ends like that: `example.com-robots.txt`.
fn is_robots_txt(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.to_ascii_lowercase().ends_with("robots.txt"))
}

fn is_text(path: &Path) -> bool {
    path.extension()
        .is_some_and(|ending| ending.eq_ignore_ascii_case("txt"))
}
