//! The parsers of the values of arguments. Their errors state the expected form.

use clap::builder::{PathBufValueParser, TypedValueParser};
use robots_answers::host_of;
use robots_pipeline::text::with_causes;
use robots_policy::Profile;
use robots_policy::profile::{AgentTable, Purpose, dialect_switches, dialect_with_switches};
use robots_policy::text::UnknownName;
use robots_txt::Dialect;
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use url::Url;

/// Returns a parser of the path of a file to read. The error for a URL ends with `hint`, which states how to read it instead.
pub(super) fn input_file(hint: &'static str) -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(move |path| not_url(path, hint))
}

fn not_url(path: PathBuf, hint: &str) -> Result<PathBuf, String> {
    if is_url(&path) {
        return Err(format!("expected a file, not a URL: {hint}"));
    }
    Ok(path)
}

/// A source of robots.txt files: a file, a folder or an archive.
#[derive(Debug, Clone)]
pub(crate) struct RobotsSource {
    /// The host of files whose paths name none.
    pub(crate) host: Option<String>,
    pub(crate) path: PathBuf,
}

impl RobotsSource {
    pub(crate) fn parts(&self) -> (Option<&str>, &Path) {
        (self.host.as_deref(), &self.path)
    }
}

/// Returns a parser of a source of robots.txt files: `FILE`, or `HOST=FILE` unless a file has that name. The error for a URL ends
/// with `hint`.
pub(super) fn robots_source(hint: &'static str) -> impl TypedValueParser<Value = RobotsSource> {
    PathBufValueParser::new().try_map(move |path| {
        let text = path.to_str().filter(|_| !path.exists());
        let parts = text.and_then(|text| text.split_once('='));
        let (host, path) = match parts.filter(|(host, _)| is_host(host)) {
            Some((host, file)) => (Some(host.to_owned()), file.into()),
            None => (None, path),
        };
        let path = not_url(path, hint)?;
        Ok::<_, String>(RobotsSource { host, path })
    })
}

fn is_host(text: &str) -> bool {
    let is_whole = host_of(text).is_some_and(|(host, name)| host == text && !name.is_empty());
    is_whole && !text.contains(['@', '\\']) && Url::parse(&format!("http://{text}/")).is_ok()
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

/// Returns whether the name of a missing file has the form of a site, with or without a path: `example.com:8080/page`.
pub(crate) fn is_site(name: &str) -> bool {
    host_of(name).is_some_and(|(host, name)| {
        let is_name = name == "localhost" || name.contains(['.', '[']);
        is_name && !name.starts_with('.') && !Path::new(host).is_dir()
    })
}

/// Reads a table of robots from a TOML file.
pub(super) fn agent_table(path: &str) -> Result<AgentTable, String> {
    let toml = read_toml(Path::new(path))?;
    AgentTable::from_toml(&toml).map_err(|error| with_causes(&error))
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
    for (name, effect) in dialect_switches() {
        // Writing to a string cannot fail.
        let _ = write!(help, "\n  {name:<10}  {effect}");
    }
    help
}

/// Reads the name of a dialect, with switches after it: `rfc9309+commas`.
pub(super) fn dialect(name: &str) -> Result<Dialect, String> {
    dialect_with_switches(name).map_err(|error| error.to_string())
}

/// Reads a time.
pub(super) fn moment(text: &str) -> Result<robots_meta::Timestamp, String> {
    robots_meta::Timestamp::parse(text)
        .ok_or_else(|| "expected a time, such as 2026-11-20T00:00:00Z".to_owned())
}

/// Reads the name of a purpose.
pub(super) fn purpose(text: &str) -> Result<Purpose, String> {
    text.parse()
        .map_err(|unknown: UnknownName| unknown.to_string())
}
