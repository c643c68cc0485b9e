//! `robots meta --headers`: the headers of responses that concern robots.

use super::{decisions, header_lines, output, show};
use crate::observer::{LostParts, WarningPrinter};
use crate::saved_page::without_mark;
use crate::standard_input;
use crate::terminal::printable;
use anyhow::{Context, Result, anyhow, bail};
use robots_answers::page::decisions::of_headers;
use robots_answers::page::{HeaderLine, OK, Page, response_answer};
use robots_archive::http::{Head, HeaderLines, Note, Response};
use robots_pipeline::input::{self, lines};
use robots_pipeline::json::write_line;
use robots_pipeline::text::path_text;
use robots_pipeline::{Observer, RecordProblem, Warning};
use std::borrow::Cow;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The maximum size of a file of header lines, in bytes: 1 MiB. A larger one is an error: the part after the limit could have
/// a directive.
const MAX_HEADER_BYTES: usize = 1024 * 1024;

/// Shows the headers of files. One that cannot be read, or has none, is an error, and the others are still read.
pub(crate) fn run(files: &[PathBuf], is_json: bool) -> Result<ExitCode> {
    standard_input::refuse_twice(files)?;
    let mut printer = ResponsePrinter {
        is_json,
        out: BufWriter::new(output(is_json)),
        responses: 0,
        write_error: None,
    };
    let mut has_failed = false;
    for path in files {
        if let Err(error) = show_file(&mut printer, path) {
            if let Some(error) = printer.write_error.take() {
                return Err(error.into());
            }
            message!("error: {error:#}");
            has_failed = true;
        }
    }
    printer.out.flush()?;
    LostParts::of_process().report();
    Ok(ExitCode::from(if has_failed { 2 } else { 0 }))
}

/// Shows the headers of a file: header lines, or the responses of an archive.
fn show_file(printer: &mut ResponsePrinter, path: &Path) -> Result<()> {
    let name = path_text(path);
    let mut file = input::open_file(path)?;
    let before = printer.responses;
    let is_archive = input::visit_records(&name, &file, &WarningPrinter, &mut |record| {
        if record.kind != "response" {
            return Ok(());
        }
        let url = record.url.as_deref().unwrap_or_default();
        let Ok(response) = Response::parse(&record.block) else {
            let loses_decision = true;
            let problem = RecordProblem::NotHttp { loses_decision };
            WarningPrinter.warn(&Warning::of_record(&name, &record, problem));
            return Ok(());
        };
        let headers = header_lines(&response);
        printer.show(url, response.status(), &headers)
    })?;
    if !is_archive {
        file.rewind()
            .with_context(|| format!("cannot read {name}"))?;
        let text = lines::read_start(&name, &file, MAX_HEADER_BYTES + 1)?;
        if text.len() > MAX_HEADER_BYTES {
            bail!("{name}: more than 1 MiB: expected header lines");
        }
        let text = without_mark(&text).unwrap_or(Cow::Borrowed(&text));
        if text.trim_ascii_start().starts_with(b"<") {
            bail!(
                "{name}: expected header lines, as `curl -I` prints them, not a page: `robots meta` reads pages"
            );
        }
        for (status, lines) in heads(&text) {
            if lines
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("disallow"))
            {
                notice!(
                    "warning: {name}: this looks like a robots.txt: `robots check` and `robots lint` read those"
                );
            }
            warn_of(&name, &lines);
            let headers: Vec<_> = lines
                .iter()
                .map(|(name, value)| HeaderLine::new(name, value))
                .collect();
            printer.show(&name, status, &headers)?;
        }
    }
    if printer.responses == before {
        bail!("{name}: no header lines, such as `curl -I` prints");
    }
    Ok(())
}

/// A writer of the headers of responses.
struct ResponsePrinter {
    is_json: bool,
    out: BufWriter<Box<dyn Write>>,
    /// The number of responses that were written.
    responses: u64,
    /// The error that ends the run: the output cannot be written.
    write_error: Option<io::Error>,
}

impl ResponsePrinter {
    /// Shows the headers of a response, for people after an empty line if it is not the first.
    fn show(&mut self, name: &str, status: u16, headers: &[HeaderLine<'_>]) -> Result<()> {
        self.write(name, status, headers).map_err(|error| {
            self.write_error = Some(error);
            anyhow!("cannot write the headers")
        })
    }

    fn write(&mut self, name: &str, status: u16, headers: &[HeaderLine<'_>]) -> io::Result<()> {
        let out = &mut self.out;
        let page = Page::of_headers(name, headers);
        let decisions = of_headers(status, headers);
        let is_first = self.responses == 0;
        self.responses += 1;
        if self.is_json {
            return Ok(write_line(out, &response_answer(&page, &decisions))?);
        }
        let gap = if is_first { "" } else { "\n" };
        writeln!(out, "{gap}{}", printable(name))?;
        if !show::headers(out, &page)? {
            writeln!(out, "  no header for robots")?;
        }
        decisions::show(out, &decisions)
    }
}

/// Returns the status and the header lines of each response. The text is as `curl -I` and `curl -IL` print it; the
/// first status line may be missing. After a response, text that does not begin with a status line is its body, which is not
/// read. Interim responses are left out.
fn heads(text: &[u8]) -> Vec<(u16, HeaderLines<'_>)> {
    let mut heads = Vec::new();
    let mut rest = text.trim_ascii_start();
    let mut is_first = true;
    while !rest.is_empty() {
        let (status, lines, length) = match Head::read(rest) {
            Some(head) => (head.status, head.headers, head.length),
            None if is_first || rest.starts_with(b"HTTP/") => {
                let lines = HeaderLines::read(rest);
                let length = lines.length();
                (OK, lines, length)
            }
            None => break,
        };
        is_first = false;
        rest = rest[length..].trim_ascii_start();
        if lines.iter().next().is_some() {
            heads.push((status, lines));
        }
    }
    heads
}

/// Reports lines that were not read.
fn warn_of(name: &str, lines: &HeaderLines<'_>) {
    let warn = |text: &str| notice!("warning: {name}: {text}");
    if lines.invalid_lines() > 0 {
        warn(&Note::InvalidHeaderLine.to_string());
    }
    if lines.is_over_limit() {
        warn(&Note::HeadLimit.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_curl_prints_them() {
        let read = |text: &[u8]| -> Vec<Vec<(String, Vec<u8>)>> {
            let heads = heads(text);
            let lines = heads.iter().map(|(_, lines)| lines.iter());
            lines
                .map(|lines| {
                    let owned = |(name, value): (&str, &[u8])| (name.to_owned(), value.to_vec());
                    lines.map(owned).collect()
                })
                .collect()
        };
        let line = |name: &str, value: &[u8]| (name.to_owned(), value.to_vec());
        let text =
            b"HTTP/2 200 \r\nX-Robots-Tag: noindex,\r\n  nofollow\r\nLink: <a:b>\r\n\r\nbody: no";
        let tag = line("X-Robots-Tag", b"noindex, nofollow");
        assert_eq!(read(text), [[tag, line("Link", b"<a:b>")]]);
        let text = b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n";
        assert_eq!(read(text), [[line("Location", b"/")], [line("A", b"b")]]);
        // An interim response is not the answer.
        let text = b"HTTP/2 103\r\nX-Robots-Tag: none\r\n\r\nHTTP/2 200\r\nA: b\r\n\r\n";
        assert_eq!(read(text), [[line("A", b"b")]]);
        // A status line without a status ends nothing.
        let text = b"HTTP/2 301\r\nA: b\r\n\r\nHTTP/2\r\nC: d\r\n\r\n";
        assert_eq!(read(text), [[line("A", b"b")], [line("C", b"d")]]);
        // Control characters become spaces, which are trimmed.
        assert_eq!(read(b"\nA: b\x01\x7F"), [[line("A", b"b")]]);
        assert_eq!(read(b"A: \xE9"), [[line("A", b"\xE9")]]);
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\n"), [[]; 0]);
        // A body.
        assert_eq!(read(b"HTTP/1.1 200 OK\r\n\r\nA: b"), [[]; 0]);
        assert_eq!(read(b""), [[]; 0]);
    }
}
