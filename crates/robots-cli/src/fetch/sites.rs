//! The sites of a run: arguments, and the lines of lists.

use crate::args::is_site;
use crate::observer::is_shown;
use anyhow::{Context, Result, anyhow, bail};
use robots_answers::typed_url;
use robots_pipeline::input::lines;
use robots_pipeline::text::path_text;
use robots_policy::origins::{Origin, has_scheme};
use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

/// The maximum length of a line, in bytes: 8 KiB, as for an origin in a store.
const MAX_LINE_BYTES: usize = 8 << 10;

/// The first bytes of WARC and ARC files, some of whose lines have the form of a site.
const ARCHIVE_STARTS: [&[u8]; 2] = [b"WARC/", b"filedesc://"];

/// The sites of lists, each once, in order.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) origins: Vec<Origin>,
    /// The number of lines that are not sites.
    pub(super) refused: u64,
}

/// Reads arguments, each a site or a list. Reports lines of lists that are not sites, with their numbers.
pub(super) fn read(arguments: &[impl AsRef<Path>]) -> Result<Sites> {
    let mut sites = Sites::default();
    let mut seen = HashSet::new();
    for argument in arguments {
        let list = argument.as_ref();
        let name = path_text(list);
        if !list.exists() && (has_scheme(&name) || is_site(&name)) {
            let origin = site(name.as_bytes()).map_err(|what| anyhow!(what))?;
            let is_new = |origin: &Origin| seen.insert(origin.clone());
            sites.origins.extend(origin.filter(is_new));
            continue;
        }
        let mut input = lines::open(list)?;
        let start = input.fill_buf();
        let start = start.with_context(|| format!("cannot read {name}"))?;
        if ARCHIVE_STARTS
            .iter()
            .any(|archive| start.starts_with(archive))
        {
            bail!("{name} is a WARC or ARC file: expected a list of sites, one per line");
        }
        let mut may_be_header = true;
        for line in lines::numbered(input, MAX_LINE_BYTES, &name) {
            let (number, line) = line?;
            if std::mem::take(&mut may_be_header) && is_header(&line) {
                let header = String::from_utf8_lossy(line.trim_ascii());
                notice!("note: {name}:{number}: {header:?} is read as a header");
                continue;
            }
            match listed_site(&line) {
                Ok(None) => {}
                Ok(Some(origin)) => {
                    if seen.insert(origin.clone()) {
                        sites.origins.push(origin);
                    }
                }
                Err(what) => {
                    sites.refused += 1;
                    if is_shown("lines that are not sites") {
                        message!("warning: {name}:{number}: {what}");
                    }
                }
            }
        }
    }
    Ok(sites)
}

/// Returns the site of a line of a list: as [`site`], or that after a rank, as in the lists of Tranco and Umbrella: `1,example.com`.
fn listed_site(line: &[u8]) -> Result<Option<Origin>, String> {
    let Some([rank, host]) = two_columns(line) else {
        return site(line);
    };
    if !is_rank(rank) {
        return site(line);
    }
    match site(host.as_bytes())? {
        None => Err("a rank without a host".to_owned()),
        site => Ok(site),
    }
}

/// Returns whether the first line of a list names its columns: `rank,host`.
fn is_header(line: &[u8]) -> bool {
    let is_word = |text: &&str| {
        let is_letter = |byte: u8| byte.is_ascii_alphabetic() || matches!(byte, b' ' | b'_' | b'-');
        !text.is_empty() && text.bytes().all(is_letter)
    };
    two_columns(line).is_some_and(|columns| columns.iter().all(is_word))
}

fn is_rank(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the columns of a line that has two, with a comma between them. Each may be in quotes.
fn two_columns(line: &[u8]) -> Option<[&str; 2]> {
    let line = Some(line).filter(|line| line.len() <= MAX_LINE_BYTES)?;
    let (first, second) = str::from_utf8(line).ok()?.split_once(',')?;
    (!second.contains(',')).then(|| [first, second].map(unquoted))
}

/// Returns a text without white space and quotes around it.
fn unquoted(text: &str) -> &str {
    let text = text.trim();
    let inner = text
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or(text).trim()
}

/// Returns the site of a line: a URL, or a host with or without a port, for HTTPS. `None` if the line is empty or a comment.
fn site(line: &[u8]) -> Result<Option<Origin>, String> {
    if line.len() > MAX_LINE_BYTES {
        return Err(format!("longer than {MAX_LINE_BYTES} bytes"));
    }
    let text = str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let url = typed_url(text).map_err(|error| error.to_string())?;
    Origin::of(&url)
        .map(Some)
        .map_err(|error| format!("{text:?}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_site() {
        let of = |line: &str| site(line.as_bytes()).map(|origin| origin.map(|of| of.to_string()));
        for (line, expected) in [
            ("example.com", "https://example.com"),
            (" example.com:8080\r", "https://example.com:8080"),
            ("http://example.com/a?b#c", "http://example.com"),
            ("https://user:word@example.com:443/", "https://example.com"),
            ("example.com/path", "https://example.com"),
            (
                "example.com/?next=https://other.example",
                "https://example.com",
            ),
            ("b\u{fc}cher.example", "https://xn--bcher-kva.example"),
            ("127.0.0.1", "https://127.0.0.1"),
            ("[::1]:8443", "https://[::1]:8443"),
            ("a_b.example", "https://a_b.example"),
        ] {
            assert_eq!(of(line), Ok(Some(expected.to_owned())), "{line:?}");
        }
        for line in ["", " ", "\r", "# sites", "  # sites"] {
            assert_eq!(of(line), Ok(None), "{line:?}");
        }
        for line in [
            "ftp://example.com",
            "1,example.com",
            "a b",
            "https://",
            "://",
            "file:///x",
        ] {
            assert!(of(line).is_err(), "{line:?}: {:?}", of(line));
        }
        assert!(site(b"\xff.example").is_err());
        assert!(site(&[b'a'; MAX_LINE_BYTES + 1]).is_err());
    }
    #[test]
    fn a_line_may_begin_with_a_rank() {
        let of = |line: &str| {
            let site = listed_site(line.as_bytes());
            site.map(|origin| origin.map(|origin| origin.to_string()))
        };
        for line in [
            "1,example.com",
            "1,example.com\r",
            "\"1\",\"example.com\"",
            "1, \"example.com\" ",
            "000001,https://example.com/x",
        ] {
            let expected = Ok(Some("https://example.com".to_owned()));
            assert_eq!(of(line), expected, "{line:?}");
        }
        for line in [
            "1,",
            ",example.com",
            "1,a b",
            "one,example.com",
            "-1,example.com",
            "1.5,example.com",
            "1,example.com,x",
            "1;example.com",
            "1,2",
            "1,\"example.com",
            "1,# x",
        ] {
            assert!(of(line).is_err(), "{line:?}: {:?}", of(line));
        }
        for (line, expected) in [
            ("rank,host", true),
            ("\"Rank\",\"Domain Name\"\r", true),
            ("1,example.com", false),
            ("rank", false),
            ("one,example.com", false),
            ("a,b,c", false),
        ] {
            assert_eq!(is_header(line.as_bytes()), expected, "{line:?}");
        }
    }
}
