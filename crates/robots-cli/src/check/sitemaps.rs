//! `robots check --sitemaps`: the sitemaps that robots.txt files name.

use super::sites::Sites;
use super::{one_dialect, warn_of_truncation};
use crate::answer_output;
use crate::args::{Check as Args, ReportFormat};
use crate::robots_file;
use crate::terminal::printable;
use anyhow::{Context, Result, bail};
use robots_pipeline::json::write_line;
use robots_pipeline::text::{path_text, with_causes};
use robots_txt::parse::Field;
use robots_txt::{Dialect, RobotsTxt};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;
use url::Url;

/// A line that names a sitemap. `robots check --help` describes the keys.
#[derive(Serialize)]
struct SitemapLine<'a> {
    robots: &'a str,
    line: usize,
    url: &'a str,
    error: Option<String>,
}

/// The lists of sitemaps of a run.
struct Lists<W> {
    out: W,
    is_json: bool,
    dialect: Dialect,
    has_invalid: bool,
    has_failed: bool,
}

/// Lists the sitemaps of a file, or of the sites of URLs.
pub(super) fn run(args: &Args) -> Result<ExitCode> {
    if !matches!(args.format(), ReportFormat::Full | ReportFormat::Jsonl) {
        let format = args.format().name();
        bail!(
            "--format {format} is for verdicts on URLs: with --sitemaps, use --json or no format"
        );
    }
    let mut lists = Lists {
        out: answer_output::stdout(),
        is_json: args.is_json(),
        dialect: one_dialect(args, "--sitemaps")?.unwrap_or(Dialect::RFC9309),
        has_invalid: false,
        has_failed: false,
    };
    let path = args
        .robots_txt
        .as_deref()
        .context("expected a robots.txt")?;
    if args.fetch {
        let first = path.to_string_lossy();
        let mut sites = Sites::new(args, &[])?;
        for url in std::iter::once(&*first).chain(args.urls.iter().map(String::as_str)) {
            lists.add_site(&mut sites, url)?;
        }
        sites.end();
    } else {
        super::refuse_url(path)?;
        if let Some(url) = args.urls.first() {
            bail!("--sitemaps lists the sitemaps of a robots.txt: expected no URL, found {url:?}");
        }
        let robots = RobotsTxt::parse(&robots_file::read(path)?);
        lists.add(&path_text(path), &robots, false)?;
    }
    lists.out.flush()?;
    Ok(ExitCode::from(
        match (lists.has_failed, lists.has_invalid) {
            (true, _) => 2,
            (false, has_invalid) => u8::from(has_invalid),
        },
    ))
}

impl<W: Write> Lists<W> {
    /// Lists the sitemaps of the site of a URL. A robots.txt that could not be read is an error; the others are listed.
    fn add_site(&mut self, sites: &mut Sites<'_>, url: &str) -> Result<()> {
        let (fetched, robots) = match sites.response(url) {
            Ok(response) => response,
            Err(error) => {
                message!("error: {error:#}");
                self.has_failed = true;
                return Ok(());
            }
        };
        let name = fetched.url();
        // A body that breaks off has a status, too.
        let failure = match (fetched.fault(), fetched.status()) {
            (None, Some(200..=299)) => return self.add(name, robots, fetched.is_cut()),
            (None, Some(status @ 400..=499)) => {
                notice!("note: {name}: status {status}: no robots.txt");
                return Ok(());
            }
            (Some(fault), _) => with_causes(fault),
            (None, Some(status)) => format!("status {status}"),
            (None, None) => "no response".to_owned(),
        };
        message!("error: {name}: {failure}: the sitemaps are not known");
        self.has_failed = true;
        Ok(())
    }

    /// Lists the sitemaps of a file; `is_cut` states that its end was not received.
    fn add(&mut self, name: &str, robots: &RobotsTxt, is_cut: bool) -> Result<()> {
        let dialect = self.dialect;
        warn_of_truncation(name, robots, &dialect);
        if is_cut || robots.is_truncated_for(&dialect) {
            message!("error: {name}: not read to the end: more sitemaps may be there");
            self.has_failed = true;
        }
        let directives = robots.directives(&dialect);
        let mut is_empty = true;
        for directive in directives.filter(|directive| directive.field() == Field::Sitemap) {
            is_empty = false;
            let line = directive.line();
            let url = String::from_utf8_lossy(line.value());
            let error = fault(line.value());
            self.has_invalid |= error.is_some();
            let number = line.number();
            if self.is_json {
                let row = SitemapLine {
                    robots: name,
                    line: number,
                    url: &url,
                    error,
                };
                write_line(&mut self.out, &row)?;
                continue;
            }
            let (name, url) = (printable(name), printable(&url));
            match error {
                None => writeln!(self.out, "{name}:{number}: {url}")?,
                Some(error) => writeln!(self.out, "{name}:{number}: {url} (invalid: {error})")?,
            }
        }
        if is_empty {
            notice!("note: {name}: no sitemap");
        }
        Ok(())
    }
}

/// Returns why the value of a line is not the URL of a sitemap.
fn fault(value: &[u8]) -> Option<String> {
    if value.is_empty() {
        return Some("no URL".to_owned());
    }
    let Ok(text) = str::from_utf8(value) else {
        return Some("not UTF-8".to_owned());
    };
    if text.contains(char::is_whitespace) {
        return Some("white space in a URL".to_owned());
    }
    // The parser would read these as a slash, or leave them out.
    if let Some(wrong) = text.chars().find(|one| *one == '\\' || one.is_control()) {
        return Some(format!("{wrong:?} in a URL"));
    }
    match Url::parse(text) {
        Ok(url) if !matches!(url.scheme(), "http" | "https") => {
            Some("expected http or https".to_owned())
        }
        Ok(_) if has_host(text) => None,
        Ok(_) => Some("expected http:// or https:// and a host".to_owned()),
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            Some("expected a whole URL, with http or https".to_owned())
        }
        Err(error) => Some(error.to_string()),
    }
}

/// Returns whether a URL has two slashes and a host as written. The parser adds or leaves out slashes.
fn has_host(url: &str) -> bool {
    let rest = url
        .split_once(':')
        .and_then(|(_, rest)| rest.strip_prefix("//"));
    rest.is_some_and(|rest| !rest.starts_with(['/', '?', '#']) && !rest.is_empty())
}
