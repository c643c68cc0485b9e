//! `robots headers`: what the headers of a response say to robots.

use super::{Page, decided, json, output, show};
use crate::args::Headers as Args;
use crate::observer::PrintWarnings;
use crate::terminal::printable;
use anyhow::Result;
use robots_archive::http::Response;
use robots_meta::HeadReader;
use robots_pipeline::input;
use std::io::{BufWriter, Write};
use std::process::ExitCode;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let name = args.file.display().to_string();
    let file = input::open_file(&args.file)?;
    let mut out = BufWriter::new(output(args.json));
    let mut responses = 0_u64;
    let is_archive = input::visit_records(&name, &file, &PrintWarnings, &mut |record| {
        if record.kind == "response"
            && let Ok(response) = Response::parse(&record.block)
        {
            let headers: Vec<(&str, &str)> = response.headers().collect();
            if responses > 0 && !args.json {
                writeln!(out)?;
            }
            one(
                &mut out,
                args,
                record.url.as_deref().unwrap_or_default(),
                &headers,
            )?;
            responses = responses.saturating_add(1);
        }
        anyhow::Ok(())
    })?;
    if !is_archive {
        let text = input::robots_files::body(&name, &file)?;
        let text = String::from_utf8_lossy(&text);
        let headers = lines(&text);
        if !headers.is_empty() {
            one(&mut out, args, &name, &headers)?;
            responses = 1;
        }
    }
    out.flush()?;
    if responses == 0 {
        anstream::eprintln!("error: {name}: no header lines");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Header lines, up to an empty one, as `curl -I` prints them. A line that begins with white space goes on
/// with the one before, and is no line of its own; a status line is none either.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().skip_while(|line| line.trim().is_empty());
    let lines = lines.take_while(|line| !line.trim().is_empty());
    lines
        .filter(|line| !line.starts_with([' ', '\t']))
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim(), value.trim()))
        .collect()
}

fn one(out: &mut impl Write, args: &Args, name: &str, headers: &[(&str, &str)]) -> Result<()> {
    let page = Page {
        name,
        html: b"",
        headers,
        said: HeadReader::read(b""),
    };
    let decided = decided::decided(None, headers, None);
    if args.json {
        writeln!(out, "{}", json::response(&page, &decided))?;
        return Ok(());
    }
    writeln!(out, "{}", printable(name))?;
    if !show::headers(out, &page)? {
        writeln!(out, "  no header for robots")?;
    }
    decided::show(out, &decided)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_curl_prints_them() {
        let text =
            "HTTP/2 200 \r\nX-Robots-Tag: noindex\r\n  folded: no\r\nLink: <a:b>\r\n\r\nbody: no";
        assert_eq!(
            lines(text),
            [("X-Robots-Tag", "noindex"), ("Link", "<a:b>")]
        );
        assert_eq!(lines("\nA: b"), [("A", "b")]);
        assert_eq!(lines(""), []);
    }
}
