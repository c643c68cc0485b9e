//! `robots headers`: the headers of responses that concern robots.

use super::json::ResponseJson;
use super::{HeaderLine, Page, decisions, output, show};
use crate::args::Headers as Args;
use crate::observer::WarningPrinter;
use crate::terminal::printable;
use anyhow::{Context, Result, bail};
use robots_archive::http::Response;
use robots_meta::HeadReader;
use robots_pipeline::input::{self, lines};
use robots_pipeline::json::write_line;
use std::io::{BufWriter, Seek, Write};
use std::process::ExitCode;

/// The maximum size of a file of header lines, in bytes: 1 MiB. A larger one is an error, as a part could hide a directive.
const MAX_HEADER_BYTES: usize = 1024 * 1024;

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let name = args.file.display().to_string();
    let mut file = input::open_file(&args.file)?;
    let mut out = BufWriter::new(output(args.json));
    let mut responses = 0_u64;
    let is_archive = input::visit_records(&name, &file, &WarningPrinter, &mut |record| {
        if record.kind == "response"
            && let Ok(response) = Response::parse(&record.block)
        {
            let headers = HeaderLine::all_of(&response);
            if responses > 0 && !args.json {
                writeln!(out)?;
            }
            show_headers(
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
        file.rewind()
            .with_context(|| format!("cannot read {name}"))?;
        let text = lines::read_start(&name, &file, MAX_HEADER_BYTES.saturating_add(1))?;
        if text.len() > MAX_HEADER_BYTES {
            bail!("{name}: more than 1 MiB: expected header lines");
        }
        let headers = header_lines(&text);
        if !headers.is_empty() {
            show_headers(&mut out, args, &name, &headers)?;
            responses = 1;
        }
    }
    out.flush()?;
    if responses == 0 {
        message!("error: {name}: no header lines");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the names and values of header lines up to an empty one, as `curl -I` prints them. Skips status lines, and
/// lines that begin with white space: these continue the line before.
fn header_lines(text: &[u8]) -> Vec<HeaderLine<'_>> {
    let lines = text.split(|byte| *byte == b'\n');
    let lines = lines.skip_while(|line| line.trim_ascii().is_empty());
    lines
        .take_while(|line| !line.trim_ascii().is_empty())
        .filter(|line| !line.starts_with(b" ") && !line.starts_with(b"\t"))
        .filter_map(|line| {
            let colon = line.iter().position(|byte| *byte == b':')?;
            let (name, value) = line.split_at(colon);
            let name = std::str::from_utf8(name.trim_ascii()).ok()?;
            let value = value.strip_prefix(b":").unwrap_or_default();
            Some(HeaderLine::new(name, value.trim_ascii()))
        })
        .collect()
}

/// Shows the headers of one response.
fn show_headers(
    out: &mut impl Write,
    args: &Args,
    name: &str,
    headers: &[HeaderLine<'_>],
) -> Result<()> {
    let page = Page {
        name,
        html: b"",
        headers,
        meta: HeadReader::read(b""),
    };
    let decisions = decisions::decide(None, headers, None);
    if args.json {
        write_line(out, &ResponseJson::new(&page, &decisions))?;
        return Ok(());
    }
    writeln!(out, "{}", printable(name))?;
    if !show::headers(out, &page)? {
        writeln!(out, "  no header for robots")?;
    }
    decisions::show(out, &decisions)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_curl_prints_them() {
        let read = |text| -> Vec<_> { header_lines(text).iter().map(HeaderLine::bytes).collect() };
        let text =
            b"HTTP/2 200 \r\nX-Robots-Tag: noindex\r\n  folded: no\r\nLink: <a:b>\r\n\r\nbody: no";
        assert_eq!(
            read(text),
            [("X-Robots-Tag", &b"noindex"[..]), ("Link", b"<a:b>")]
        );
        assert_eq!(read(b"\nA: b"), [("A", &b"b"[..])]);
        assert_eq!(read(b"A: \xE9\n\xE9: b"), [("A", &b"\xE9"[..])]);
        assert_eq!(read(b""), []);
    }
}
