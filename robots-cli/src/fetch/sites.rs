//! Lists of sites: a line each.

use crate::inputs;
use crate::terminal::printable;
use anyhow::{Context, Result};
use robots_policy::Origin;
use std::collections::HashSet;
use std::io::BufRead;
use std::path::Path;

/// How many bytes a line may have: 8 KiB, as much as an origin that is kept.
const LINE_LIMIT: usize = 8 << 10;

/// How many lines that are no sites are told one by one.
const TOLD: u64 = 20;

/// The sites of lists, each once, in the order in which they are named.
#[derive(Debug, Default)]
pub(super) struct Sites {
    pub(super) origins: Vec<Origin>,
    /// How many lines are no sites.
    pub(super) refused: u64,
}

/// Reads lists; tells with its position what is no site.
pub(super) fn read(lists: &[impl AsRef<Path>]) -> Result<Sites> {
    let mut sites = Sites::default();
    let mut seen = HashSet::new();
    for list in lists {
        let list = list.as_ref();
        let name = list.display();
        for (number, line) in (1_u64..).zip(inputs::open_lines(list)?.split(b'\n')) {
            let line = line.with_context(|| format!("cannot read {name}"))?;
            match site(&line) {
                Ok(None) => {}
                Ok(Some(origin)) => {
                    if seen.insert(origin.clone()) {
                        sites.origins.push(origin);
                    }
                }
                Err(what) => {
                    sites.refused = sites.refused.saturating_add(1);
                    if sites.refused <= TOLD {
                        anstream::eprintln!("warning: {name}:{number}: {}", printable(&what));
                    }
                }
            }
        }
    }
    if let more @ 1.. = sites.refused.saturating_sub(TOLD) {
        anstream::eprintln!("warning: and {more} more lines that are no sites");
    }
    Ok(sites)
}

/// The site of a line: a URL, or a host with or without a port, which is asked by HTTPS. `None` if the
/// line is empty or a comment.
fn site(line: &[u8]) -> Result<Option<Origin>, String> {
    if line.len() > LINE_LIMIT {
        return Err(format!("a line of {} bytes", line.len()));
    }
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    let text = str::from_utf8(line).map_err(|_| "not UTF-8".to_owned())?;
    let text = text.trim();
    if text.is_empty() || text.starts_with('#') {
        return Ok(None);
    }
    let has_scheme = text.contains("://");
    let url = if has_scheme {
        text.to_owned()
    } else {
        format!("https://{text}")
    };
    let parsed = url::Url::parse(&url).map_err(|error| format!("{text:?}: {error}"))?;
    if !matches!(parsed.scheme(), "http" | "https") {
        return Err(format!("{text:?}: only http and https can be asked"));
    }
    // A URL's host may have them, and a name in the DNS does not.
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-._[:]".contains(c);
    if !parsed.host_str().unwrap_or_default().chars().all(is_name) {
        return Err(format!("{text:?}: neither a host nor a URL"));
    }
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
}
