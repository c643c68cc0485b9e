//! A robots.txt file, plain, or gzip with a name that says so, for `robots check` and `robots diff`.

use anyhow::{Result, bail};
use robots_archive::Reader;
use robots_pipeline::input::lines;
use robots_pipeline::text::path_text;
use std::path::Path;

/// Reads a robots.txt; `-` is standard input. An archive is an error: its lines are not those of a robots.txt.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    let body = lines::read_robots(path)?;
    if Reader::open(&body[..]).is_ok_and(|reader| reader.is_some()) {
        bail!(
            "{} is a WARC or ARC file: expected a robots.txt; `robots check --batch`, `robots lint` and `robots survey` read archives",
            path_text(path)
        );
    }
    Ok(body)
}
