//! The URLs to check: those of the command line, and those of `--urls`: lists, sitemaps, and the sitemaps of an index.

mod sitemap;
mod source;

pub(super) use sitemap::MAX_BYTES;

use super::checker::{Checker, Shown};
use crate::terminal::counted;
use anyhow::{Error, Result, anyhow};
use robots_pipeline::input::lines;
use sitemap::{Kind, MAX_URLS};
use source::{Opened, Source};
use std::collections::{HashSet, VecDeque};
use std::io::{BufRead, BufReader, Cursor, Read, Write};
use std::path::Path;

/// The maximum length of a line of a list, in bytes: 1 MiB.
const MAX_LINE_BYTES: usize = 1024 * 1024;

/// The number of bytes at the start of a file that show whether it is XML.
const START_BYTES: u64 = 512;

/// The error of a file that is longer than [`MAX_BYTES`].
const TOO_LONG: &str = "longer than 50 MB, the limit of the protocol: the rest was not read";

/// A file of URLs that is not read yet.
struct Listed {
    source: Source,
    /// Whether an index lists it.
    is_of_index: bool,
}

/// Checks the URLs of the command line, and then those of the files. A file that cannot be read, or has no URL, is an error, and the others are
/// read: a list that is empty by mistake would pass.
pub(super) fn check_all(
    checker: &mut Checker<'_, impl Write>,
    urls: &[String],
    files: &[impl AsRef<Path>],
) -> Result<()> {
    for url in urls {
        checker.check(None, Ok(url), Shown::All)?;
    }
    for file in files {
        let mut files = Files::default();
        files.add(Source::of_argument(file.as_ref()), false);
        while let Some(listed) = files.waiting.pop_front() {
            files.check(checker, &listed)?;
        }
    }
    Ok(())
}

/// The files of an option: one, and if it is an index, those that it lists.
#[derive(Default)]
struct Files {
    waiting: VecDeque<Listed>,
    /// The files that were added, and those to which redirects led.
    known: HashSet<String>,
    /// The number of files that were added.
    added: u64,
}

impl Files {
    /// Adds a file, unless it was added before. Returns whether it is new.
    fn add(&mut self, source: Source, is_of_index: bool) -> bool {
        let is_new = self.known.insert(source.identity());
        if is_new {
            self.added += 1;
            self.waiting.push_back(Listed {
                source,
                is_of_index,
            });
        }
        is_new
    }

    /// Checks the URLs of a file, or adds the sitemaps that it lists.
    fn check(&mut self, checker: &mut Checker<'_, impl Write>, listed: &Listed) -> Result<()> {
        let name = listed.source.name();
        let opened = listed.source.open(checker).and_then(|mut opened| {
            let mut start = Vec::new();
            let read = (&mut opened.input)
                .take(START_BYTES)
                .read_to_end(&mut start);
            read.map_err(|error| anyhow!("{name}: {error}"))?;
            Ok((start, opened))
        });
        let (start, opened) = match opened {
            Ok(opened) => opened,
            Err(error) => return checker.lose_file(None, &error),
        };
        let Opened {
            source,
            input,
            is_cut,
        } = opened;
        let identity = source.identity();
        if identity != listed.source.identity() && !self.known.insert(identity) {
            let target = source.name();
            notice!(
                "warning: {name}: redirects to {target}, which was listed before; it is read once"
            );
            return Ok(());
        }
        // The URLs of an index are relative to the place to which redirects led.
        let listed = &Listed { source, ..*listed };
        let is_xml = sitemap::is_xml(&start);
        let input = BufReader::new(Cursor::new(start).chain(input));
        let has_entry = if is_xml {
            self.check_sitemap(checker, listed, &name, input, is_cut)?
        } else {
            check_lines(checker, listed, &name, input, is_cut)?
        };
        if !has_entry {
            let error = anyhow!("no URL in this file of --urls");
            checker.lose_file(Some(&name), &error)?;
        }
        Ok(())
    }

    /// Checks the URLs of a sitemap, or adds the sitemaps of an index. Returns whether there was an entry, or another error was reported.
    fn check_sitemap(
        &mut self,
        checker: &mut Checker<'_, impl Write>,
        listed: &Listed,
        name: &str,
        input: impl Read,
        is_cut: bool,
    ) -> Result<bool> {
        let mut bytes = Vec::new();
        let read = input.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes);
        let mut error = read.err().map(Error::from);
        if is_cut || bytes.len() > MAX_BYTES {
            bytes.truncate(MAX_BYTES);
            error = Some(anyhow!(TOO_LONG));
        }
        let text = match sitemap::decoded(&bytes) {
            Ok(text) => text,
            Err(what) => {
                checker.lose_file(Some(name), &anyhow!(what))?;
                return Ok(true);
            }
        };
        let mut entries = 0;
        let damage = sitemap::read(&text, |kind, (line, url)| {
            entries += 1;
            let place = format!("{name}: line {line}");
            match (kind, url) {
                (Kind::Sitemap, Ok(url)) => {
                    checker.check(Some(&place), Ok(&url), Shown::Disallowed)
                }
                (Kind::Sitemap, Err(what)) => {
                    checker.check(Some(&place), Err(anyhow!(what)), Shown::Disallowed)
                }
                (Kind::Index, url) => self.add_sitemap(checker, listed, &place, url),
            }
        })?;
        if damage == Ok(Kind::Index) && listed.is_of_index {
            notice!(
                "warning: {name}: an index that is listed in an index: the protocol does not permit it, and search engines may ignore its sitemaps"
            );
        }
        if entries > MAX_URLS {
            let (entries, limit) = (counted(entries, "URL"), counted(MAX_URLS, "URL"));
            notice!(
                "warning: {name}: {entries}, more than the {limit} of the protocol: search engines may ignore the rest"
            );
        }
        match (error, damage) {
            (Some(error), _) => checker.lose_file(Some(name), &error)?,
            (None, Err(damage)) => {
                let place = format!("{name}: line {}, byte {}", damage.line, damage.byte);
                checker.lose_file(Some(&place), &anyhow!(damage.what))?;
            }
            (None, Ok(_)) => return Ok(entries > 0),
        }
        Ok(true)
    }

    /// Adds a sitemap that an index lists at a place.
    fn add_sitemap(
        &mut self,
        checker: &mut Checker<'_, impl Write>,
        index: &Listed,
        place: &str,
        url: Result<String, String>,
    ) -> Result<()> {
        let source = url.and_then(|url| index.source.listed(&url, checker.fetches()));
        match source {
            Ok(_) if self.added > MAX_URLS => {
                let error = anyhow!(
                    "left out, as more than {} were listed",
                    counted(MAX_URLS, "sitemap")
                );
                checker.lose_file(Some(place), &error)
            }
            Ok(source) => {
                let name = source.name();
                if !self.add(source, true) {
                    notice!("warning: {place}: {name} was listed before; it is read once");
                }
                Ok(())
            }
            Err(what) => checker.lose_file(Some(place), &anyhow!(what)),
        }
    }
}

/// Checks the URLs of a list, one per line. Returns whether there was one, or an error was reported. The last line of a list that is cut may be
/// a part of a URL, and is not checked.
fn check_lines(
    checker: &mut Checker<'_, impl Write>,
    listed: &Listed,
    name: &str,
    input: impl BufRead,
    is_cut: bool,
) -> Result<bool> {
    let shown = if listed.is_of_index {
        Shown::Disallowed
    } else {
        Shown::All
    };
    let mut has_url = false;
    let mut lines = lines::numbered(input, MAX_LINE_BYTES, name).peekable();
    while let Some(line) = lines.next() {
        let (number, line) = match line {
            Ok(line) => line,
            Err(error) => {
                checker.lose_file(None, &error.into())?;
                return Ok(true);
            }
        };
        let place = format!("{name}: line {number}");
        if is_cut && lines.peek().is_none() {
            checker.lose_file(Some(&place), &anyhow!(TOO_LONG))?;
            return Ok(true);
        }
        if line.len() > MAX_LINE_BYTES {
            has_url = true;
            checker.check(Some(&place), Err(anyhow!("longer than 1 MiB")), shown)?;
            continue;
        }
        let line = String::from_utf8_lossy(line.trim_ascii());
        if !line.is_empty() && !line.starts_with('#') {
            has_url = true;
            checker.check(Some(&place), Ok(&line), shown)?;
        }
    }
    Ok(has_url)
}
