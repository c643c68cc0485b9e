//! Lists of sites: a line each.

use anyhow::{Context, Result};
use robots_policy::origins::Origin;
use std::collections::HashSet;
use std::io::{self, BufRead, Read};
use std::path::Path;

/// The maximum length of a line, in bytes: 8 KiB, as for an origin in a store.
const LINE_LIMIT: usize = 8 << 10;

/// The maximum number of invalid lines that are reported one by one.
const MAX_REPORTED: u64 = 20;

/// The sites of lists, each once, in order.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) origins: Vec<Origin>,
    /// The number of lines that are not sites.
    pub(super) refused: u64,
}

/// Reads lists. Reports lines that are not sites, with their numbers.
pub(super) fn read(lists: &[impl AsRef<Path>]) -> Result<Sites> {
    let mut sites = Sites::default();
    let mut seen = HashSet::new();
    for list in lists {
        let list = list.as_ref();
        let name = list.display();
        let mut lines = robots_pipeline::input::lines::open(list)?;
        for number in 1_u64.. {
            let line = read_line(&mut lines).with_context(|| format!("cannot read {name}"))?;
            let site = match line {
                Some(line) => site(&line),
                None => break,
            };
            match site {
                Ok(None) => {}
                Ok(Some(origin)) => {
                    if seen.insert(origin.clone()) {
                        sites.origins.push(origin);
                    }
                }
                Err(what) => {
                    sites.refused = sites.refused.saturating_add(1);
                    if sites.refused <= MAX_REPORTED {
                        message!("warning: {name}:{number}: {what}");
                    }
                }
            }
        }
    }
    if let more @ 1.. = sites.refused.saturating_sub(MAX_REPORTED) {
        message!("warning: and {more} more lines that are not sites");
    }
    Ok(sites)
}

/// Returns the next line without its end, or the start of a line that is too long; `None` at the end of the input.
fn read_line(lines: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let most = u64::try_from(LINE_LIMIT).map_or(u64::MAX, |limit| limit.saturating_add(1));
    let mut start = Read::take(&mut *lines, most);
    if start.read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > LINE_LIMIT {
        lines.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// Returns the site of a line: a URL, or a host with or without a port, for HTTPS. `None` if the line is empty or a comment.
fn site(line: &[u8]) -> Result<Option<Origin>, String> {
    if line.len() > LINE_LIMIT {
        return Err(format!("longer than {LINE_LIMIT} bytes"));
    }
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let text = str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let not_a_site = || format!("{text:?} is not a host or a URL");
    let url = if text.contains("://") {
        text.to_owned()
    } else if is_host(text) {
        format!("https://{text}")
    } else {
        return Err(not_a_site());
    };
    let parsed = url::Url::parse(&url).map_err(|error| format!("{text:?}: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("{text:?}: expected http or https"));
    }
    // The host of a URL may have other characters, a name in the DNS may not. A bare number is a host in a URL; in a list it
    // is a column of something else.
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._[:]".contains(c);
    let host = parsed.host_str().unwrap_or_default();
    let is_number = matches!(parsed.host(), Some(url::Host::Ipv4(_))) && !text.contains(host);
    if is_number || !host.chars().all(is_name) {
        return Err(not_a_site());
    }
    Origin::of(&url)
        .map(Some)
        .map_err(|error| format!("{text:?}: {error}"))
}

/// Returns whether a text without a scheme begins with a host, followed by a port if it has a colon.
fn is_host(text: &str) -> bool {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = text.get(..end).unwrap_or_default();
    let name_end = host.rfind(']').map_or(0, |at| at.saturating_add(1));
    let (name, port) = match host.get(name_end..).and_then(|rest| rest.split_once(':')) {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let has_name = name_end > 0 || !name.is_empty();
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    has_name && !host.contains('@') && port.is_none_or(is_port)
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
            ("\u{feff}http://example.com/a?b#c", "http://example.com"),
            ("https://user:word@example.com:443/", "https://example.com"),
            ("example.com/path", "https://example.com"),
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
        assert!(site(&[b'a'; LINE_LIMIT + 1]).is_err());
    }

    #[test]
    fn a_line_without_an_end_costs_no_memory() {
        let long = |bytes: usize| [vec![b'a'; bytes], b"\nb".to_vec()].concat();
        for (bytes, kept) in [
            (LINE_LIMIT - 1, LINE_LIMIT - 1),
            (LINE_LIMIT, LINE_LIMIT),
            (LINE_LIMIT + 1, LINE_LIMIT + 1),
            (LINE_LIMIT * 9, LINE_LIMIT + 1),
        ] {
            let text = long(bytes);
            let mut lines = &text[..];
            assert_eq!(read_line(&mut lines).unwrap().unwrap().len(), kept);
            assert_eq!(read_line(&mut lines).unwrap().unwrap(), b"b", "{bytes}");
            assert_eq!(read_line(&mut lines).unwrap(), None);
        }
    }
}
