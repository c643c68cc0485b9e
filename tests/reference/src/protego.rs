//! Names of fields and forms as in Protego (docs/semantics.md, section 3.6).

use crate::form::{Part, escape, is_unreserved, parts};

/// Returns whether a name in small letters is one of the misspellings of the first name.
pub(crate) fn is_misspelt(name: &[u8], of: &str) -> bool {
    let typos: &[&str] = match of {
        "user-agent" => &["useragent", "user agent"],
        "disallow" => &["dissallow", "dissalow", "disalow", "diasllow", "disallaw"],
        "sitemap" => &["sitemaps", "site-map"],
        "crawl-delay" => &["crawl delay"],
        "request-rate" => &["request rate"],
        "visit-time" => &["visit time"],
        _ => &[],
    };
    typos.iter().any(|typo| name == typo.as_bytes())
}

/// Returns a pattern with a slash before it if it is an absolute URL.
pub(crate) fn with_slash(text: &[u8]) -> Vec<u8> {
    let is_url = text.starts_with(b"http://") || text.starts_with(b"https://");
    let slash: &[u8] = if is_url { b"/" } else { b"" };
    [slash, text].concat()
}

/// Returns the form of a pattern.
pub(crate) fn pattern(text: &[u8], has_wildcards: bool) -> Vec<u8> {
    let anchor = has_wildcards && text.ends_with(b"$");
    let text = if anchor {
        &text[..text.len() - 1]
    } else {
        text
    };
    let mut form = requoted(text, b"/%*", if has_wildcards { b"*" } else { b"" });
    form.extend(anchor.then_some(b'$'));
    form
}

/// Returns the form of path and query of a URL.
pub(crate) fn path(text: &[u8]) -> Vec<u8> {
    requoted(text, b"/%", b"")
}

/// Decodes the escapes, but those of `kept`, and encodes all characters, but unreserved ones, `/`, `=`, `%` and `bare`.
fn requoted(text: &[u8], kept: &[u8], bare: &[u8]) -> Vec<u8> {
    let decoded: Vec<u8> = parts(text)
        .into_iter()
        .flat_map(|part| match part {
            Part::Escape(octet, _) if kept.contains(&octet) => escape(octet),
            Part::Escape(octet, _) | Part::Byte(octet) => vec![octet],
        })
        .collect();
    let text = String::from_utf8_lossy(&decoded);
    text.bytes()
        .flat_map(|byte| {
            if is_unreserved(byte) || b"/=%".contains(&byte) || bare.contains(&byte) {
                vec![byte]
            } else {
                escape(byte)
            }
        })
        .collect()
}
