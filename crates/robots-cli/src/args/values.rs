//! The parsers of the values of arguments. Their errors state the expected form.

use clap::builder::{PathBufValueParser, TypedValueParser};
use robots_cases::names;
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, Purpose, UnknownPurpose};
use robots_txt::Dialect;
use std::fmt::Write;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

/// Returns a parser of the path of a file to read. The error for a URL or a site ends with `hint`, which states how to read it
/// instead.
pub(super) fn input_file(hint: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| {
        if is_url(&path) {
            return Err(format!("expected a file, not a URL: {hint}"));
        }
        if is_site(&path) {
            return Err(format!("no such file; if this is a site: {hint}"));
        }
        Ok(path)
    })
}

/// Returns whether a path is the URL of a page or file on the Web, and no file has that name.
pub(crate) fn is_url(path: &Path) -> bool {
    let start = |scheme: &str| {
        let text = path.as_os_str().as_encoded_bytes();
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes()))
    };
    (start("http://") || start("https://")) && !path.exists()
}

/// The extensions of files that commands read or write. A missing file with one of them is not taken for a site.
const FILE_EXTENSIONS: [&str; 34] = [
    "arc", "arrow", "bak", "br", "bz2", "cdx", "cdxj", "conf", "csv", "feather", "gz", "htm",
    "html", "ipc", "journal", "json", "jsonl", "list", "log", "lst", "ndjson", "out", "parquet",
    "part", "redb", "tmp", "toml", "tsv", "txt", "warc", "xhtml", "xml", "xz", "zst",
];

/// Returns whether a path that no file has looks like a site, with or without a path: `example.com`, `example.com:8080/page`.
pub(crate) fn is_site(path: &Path) -> bool {
    let Some(text) = path.to_str().filter(|_| !path.exists()) else {
        return false;
    };
    let Some((host, name)) = host_of(text) else {
        return false;
    };
    let is_name = is_address(name) || name == "localhost" || is_domain(name);
    let top = name.rsplit('.').next().unwrap_or_default();
    let has_extension = host == text
        && FILE_EXTENSIONS
            .iter()
            .any(|known| top.eq_ignore_ascii_case(known));
    is_name
        && !has_extension
        // A folder may have the name of a site.
        && !Path::new(host).is_dir()
}

/// Returns the host at the start of a text without a scheme, with its port and without; `None` if the port is not a number.
pub(crate) fn host_of(text: &str) -> Option<(&str, &str)> {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = text.get(..end)?;
    // Colons within the brackets of an IPv6 address do not begin a port.
    let brackets = host.rfind(']').map_or(0, |at| at.saturating_add(1));
    let Some((name, port)) = host.get(brackets..)?.split_once(':') else {
        return Some((host, host));
    };
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = host.get(..brackets.saturating_add(name.len()))?;
    is_port.then_some((host, name))
}

/// Returns whether a text is an IPv4 address, or an IPv6 address in brackets.
fn is_address(text: &str) -> bool {
    let in_brackets = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    in_brackets.map_or_else(
        || text.parse::<Ipv4Addr>().is_ok(),
        |text| text.parse::<Ipv6Addr>().is_ok(),
    )
}

/// Returns whether a text has the form of a domain name with at least two labels. The last one is not a number.
fn is_domain(text: &str) -> bool {
    let text = text.strip_suffix('.').unwrap_or(text);
    let is_label =
        |label: &str| !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-');
    let top = text.rsplit('.').next().unwrap_or_default();
    let is_top = top.starts_with("xn--") || top.chars().all(char::is_alphabetic);
    text.contains('.') && text.split('.').all(is_label) && is_top && top.chars().nth(1).is_some()
}

/// Reads a table of robots from a TOML file.
pub(super) fn agent_table(path: &str) -> Result<AgentTable, String> {
    let toml = read_toml(Path::new(path))?;
    AgentTable::from_toml(&toml).map_err(|error| match std::error::Error::source(&error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    })
}

/// Reads the text of a TOML file.
fn read_toml(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| match error.kind() {
        io::ErrorKind::InvalidData => "not a TOML file: not UTF-8".to_owned(),
        _ => format!("cannot read the file: {error}"),
    })
}

/// Reads a number of MiB, and returns it in bytes.
pub(super) fn mebibytes(text: &str) -> Result<usize, String> {
    let bytes = text
        .parse()
        .ok()
        .and_then(|number: usize| number.checked_mul(1 << 20));
    bytes.ok_or_else(|| "expected a number of MiB".to_owned())
}

/// Returns a built-in profile, or reads one from a TOML file.
pub(super) fn profile(text: &str) -> Result<Profile, String> {
    let unknown = match text.parse() {
        Ok(profile) => return Ok(profile),
        Err(unknown) => unknown,
    };
    let path = Path::new(text);
    if path.extension().is_some_and(|ending| ending == "toml") {
        let toml = read_toml(path)?;
        return Profile::from_toml(&toml).map_err(|error| error.to_string());
    }
    Err(format!(
        "{unknown} (a file with a profile has a name that ends with .toml)"
    ))
}

/// Returns the long help of an option that takes a dialect. Begins with `about`, and lists dialects and switches.
pub(super) fn dialect_help(about: &str) -> String {
    let dialects: Vec<&str> = Dialect::ALL.iter().map(Dialect::name).collect();
    let mut help = format!(
        "{about}\n\nOne of {}.\n\nSwitches may follow, each after a plus sign, as in rfc9309+commas:",
        dialects.join(", ")
    );
    for (name, effect) in names::switches() {
        // Writing to a string cannot fail.
        let _ = write!(help, "\n  {name:<10}  {effect}");
    }
    help
}

/// Reads the name of a dialect, with switches after it: `rfc9309+commas`.
pub(super) fn dialect(name: &str) -> Result<Dialect, String> {
    names::dialect(name).map_err(|error| error.to_string())
}

/// Reads a time.
pub(super) fn moment(text: &str) -> Result<robots_meta::Timestamp, String> {
    robots_meta::Timestamp::parse(text)
        .ok_or_else(|| "expected a time, such as 2026-11-20T00:00:00Z".to_owned())
}

/// Reads the name of a purpose.
pub(super) fn purpose(text: &str) -> Result<Purpose, String> {
    text.parse()
        .map_err(|unknown: UnknownPurpose| unknown.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_dot_may_be_a_site() {
        for site in [
            "example.com",
            "www.Example.co.uk",
            "example.com:8080",
            "example.com/",
            "example.com/a/page.html",
            "xn--bcher-kva.example",
            "example.xn--p1ai",
            "b\u{fc}cher.example",
            "example.com.",
            "example.com?x",
            "192.0.2.1",
            "192.0.2.1:8080/x",
            "[2001:db8::1]",
            "[2001:db8::1]:8080",
            "localhost",
            "localhost:8080",
        ] {
            assert!(is_site(Path::new(site)), "{site}");
        }
        for file in [
            "robots.txt",
            "crawl.warc.gz",
            "page.HTML",
            "example",
            "a/example.com",
            "./example.com",
            "/example.com",
            ".com",
            "a.b",
            "a.123",
            "a b.com",
            "a_b.com",
            "example.com:",
            "1.2.3",
            "[2001:db8::1",
            "[x]",
            "-",
            "",
            // It exists.
            "Cargo.toml",
        ] {
            assert!(!is_site(Path::new(file)), "{file}");
        }
    }
}
