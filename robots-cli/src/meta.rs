//! `robots meta`: what pages say.

use crate::archive::{Item, Reader};
use crate::args::Meta as Args;
use crate::head::read_head;
use crate::http::Response;
use crate::inputs::{self, Counted};
use crate::terminal::printable;
use anyhow::{Context, Result};
use robots_meta::{
    Directive, DirectiveValue, HeadEnd, Meta, PageMeta, RobotsHeader, robots_headers,
};
use serde_json::{Map, Value, json};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The names of METAs that speak to robots, as the engines document them (SEMANTICS 2.4 to 2.8,
/// 5.1).
const ROBOTS: [&str; 15] = [
    "robots",
    "googlebot",
    "googlebot-news",
    "googlebot-image",
    "googlebot-video",
    "adsbot-google",
    "bingbot",
    "msnbot",
    "yandex",
    "yandexbot",
    "baiduspider",
    "applebot",
    "seznambot",
    "slurp",
    "duckduckbot",
];

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let name = args.file.display().to_string();
    let file = inputs::open_file(&args.file)?;
    let about = || format!("cannot read {name}");
    let input = Counted::from_start(&file, &Arc::new(AtomicU64::new(0))).with_context(about)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let pages = match Reader::open(input).with_context(about)? {
        Some(reader) => show_archive(&mut out, args, &name, reader)?,
        None => show_file(&mut out, args, &name, &file)?,
    };
    out.flush()?;
    if pages == 0 {
        anstream::eprintln!("error: {name}: no HTML page in this archive");
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows one HTML file, plain or gzip.
fn show_file(out: &mut impl Write, args: &Args, name: &str, mut file: &File) -> Result<u64> {
    let about = || format!("cannot read {name}");
    file.rewind().with_context(about)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).with_context(about)?;
    let bytes = inputs::inflated(bytes).with_context(about)?;
    let page = read_head(&bytes, args.charset.as_deref());
    let is_wide = page.encoding().starts_with("UTF-16");
    if bytes.contains(&0) && !is_wide {
        anstream::eprintln!("warning: {name}: has NUL bytes; is this HTML?");
    } else if page.metas().len() == 0
        && page.title().is_none()
        && !matches!(page.end(), HeadEnd::Tag { .. })
    {
        anstream::eprintln!("warning: {name}: has no HEAD; is this HTML?");
    }
    show(out, args, name, &page, &[])?;
    Ok(1)
}

/// Shows the HTML responses of an archive; gives their number.
fn show_archive<R: Read>(
    out: &mut impl Write,
    args: &Args,
    name: &str,
    mut reader: Reader<R>,
) -> Result<u64> {
    let mut pages = 0_u64;
    let mut skipped = 0_u64;
    while let Some(item) = reader
        .next_item()
        .with_context(|| format!("cannot read on in {name}"))?
    {
        let record = match item {
            Item::Fault(fault) => {
                anstream::eprintln!("warning: {name}: {fault}");
                continue;
            }
            Item::Record(record) if record.kind == "response" => record,
            Item::Record(_) => continue,
        };
        let url = record.url.as_deref().unwrap_or_default();
        let warn = |what: &str| {
            let (at, url) = (record.offset, printable(url));
            anstream::eprintln!("warning: {name}: at byte {at}: {url}: {what}");
        };
        let Ok(response) = Response::parse(&record.block) else {
            warn("not an HTTP response; skipped");
            skipped = skipped.saturating_add(1);
            continue;
        };
        if !response.is_html() {
            skipped = skipped.saturating_add(1);
            continue;
        }
        for note in response.notes() {
            warn(&note.to_string());
        }
        if response.is_unread() {
            skipped = skipped.saturating_add(1);
            continue;
        }
        if record.cut.is_some() {
            warn("the record is not whole; its start was read");
        }
        let page = read_head(response.body(), response.media_type().charset());
        let headers: Vec<(&str, &str)> = response
            .headers()
            .filter(|(name, _)| RobotsHeader::from_name(name).is_some())
            .collect();
        show(out, args, url, &page, &headers)?;
        pages = pages.saturating_add(1);
    }
    if skipped > 0 {
        anstream::eprintln!("{skipped} responses skipped: no HTML that can be read");
    }
    Ok(pages)
}

fn show(
    out: &mut impl Write,
    args: &Args,
    url: &str,
    page: &PageMeta,
    headers: &[(&str, &str)],
) -> io::Result<()> {
    if args.json {
        let row = Value::Object(json_page(args, url, page, headers));
        return writeln!(out, "{row}");
    }
    let mut text = Vec::new();
    write_page(&mut text, args, url, page, headers)?;
    for line in String::from_utf8_lossy(&text).lines() {
        writeln!(out, "{}", printable(line))?;
    }
    Ok(())
}

fn json_page(
    args: &Args,
    url: &str,
    page: &PageMeta,
    headers: &[(&str, &str)],
) -> Map<String, Value> {
    let robots: Vec<Value> = page
        .robots_metas(&ROBOTS)
        .map(|meta| {
            json!({
                "offset": meta.offset(),
                "name": meta.name(),
                "content": meta.content(),
                "directives": meta.directives().map(json_directive).collect::<Vec<_>>(),
            })
        })
        .collect();
    let tags: Vec<Value> = robots_headers(headers.iter().copied())
        .map(|found| {
            let mut row = json!({
                "name": found.header().to_string(),
                "line": found.line(),
                "agent": found.agent(),
            });
            if let (Value::Object(row), Value::Object(directive)) =
                (&mut row, json_directive(found.directive()))
            {
                row.extend(directive);
            }
            row
        })
        .collect();
    let mut row = Map::new();
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("url", json!(url));
    put("encoding", json!(page.encoding()));
    put("title", json!(page.title()));
    put("description", json!(page.description()));
    put("keywords", json!(page.keywords()));
    put(
        "revisit_after",
        json!(page.revisit_after().map(|(revisit, _)| revisit.days())),
    );
    put(
        "canonical",
        json!(page.canonical().map(|found| found.href())),
    );
    put("robots", json!(robots));
    put("headers", json!(tags));
    put("head_end", json_end(page.end()));
    if args.all {
        put(
            "metas",
            page.metas().map(json_meta).collect::<Vec<_>>().into(),
        );
    }
    row
}

fn json_meta(meta: Meta<'_>) -> Value {
    // Pairs, so that the order of the attributes is kept by every reader.
    let attributes: Vec<[&str; 2]> = meta
        .attributes()
        .map(|attribute| [attribute.name(), attribute.value()])
        .collect();
    json!({"offset": meta.offset(), "attributes": attributes})
}

fn json_end(end: &HeadEnd) -> Value {
    match end {
        HeadEnd::Tag { name, offset } => json!({"by": "tag", "name": name, "offset": offset}),
        HeadEnd::Text => json!({"by": "text"}),
        HeadEnd::EndOfPage => json!({"by": "end_of_page"}),
        HeadEnd::Limit(limit) => json!({"by": "limit", "name": limit.to_string()}),
        _ => Value::Null,
    }
}

fn json_directive(directive: Directive<'_>) -> Value {
    let (kind, value) = match directive.value() {
        DirectiveValue::Flags(flags) => ("flags", json!(flags.to_string())),
        DirectiveValue::MaxSnippet(limit) => ("max-snippet", json!(limit)),
        DirectiveValue::MaxImagePreview(size) => ("max-image-preview", json!(size)),
        DirectiveValue::MaxVideoPreview(limit) => ("max-video-preview", json!(limit)),
        DirectiveValue::UnavailableAfter(moment) => ("unavailable_after", json!(moment)),
        DirectiveValue::Invalid => ("invalid", Value::Null),
        _ => ("unknown", Value::Null),
    };
    json!({"text": directive.text(), "kind": kind, "value": value})
}

fn write_page(
    out: &mut impl Write,
    args: &Args,
    url: &str,
    page: &PageMeta,
    headers: &[(&str, &str)],
) -> io::Result<()> {
    writeln!(out, "{url}  ({})", page.encoding())?;
    let mut fact = |name: &str, value: Option<String>| match value {
        Some(value) => writeln!(out, "  {name:<13} {value}"),
        None => Ok(()),
    };
    fact("title", page.title())?;
    fact("description", page.description())?;
    let keywords = page.keywords().join(", ");
    fact("keywords", (!keywords.is_empty()).then_some(keywords))?;
    fact(
        "revisit-after",
        page.revisit_after().map(|(revisit, _)| revisit.to_string()),
    )?;
    fact(
        "canonical",
        page.canonical()
            .map(|canonical| canonical.href().to_owned()),
    )?;
    for header in headers {
        writeln!(out, "  {}: {}", header.0, header.1)?;
        for found in robots_headers([*header]) {
            let agent = found.agent().unwrap_or("*");
            writeln!(out, "    for {agent}: {}", meaning(found.directive()))?;
        }
    }
    for meta in page.robots_metas(&ROBOTS) {
        let name = meta.name().unwrap_or_default();
        writeln!(
            out,
            "  META at byte {}: {name}: {}",
            meta.offset(),
            meta.content()
        )?;
        for directive in meta.directives() {
            writeln!(out, "    {}", meaning(directive))?;
        }
    }
    if args.all {
        for meta in page.metas() {
            write!(out, "  byte {}:", meta.offset())?;
            for attribute in meta.attributes() {
                write!(out, " {}={:?}", attribute.name(), attribute.value())?;
            }
            writeln!(out)?;
        }
    }
    match page.end() {
        HeadEnd::Tag { name, offset } => {
            writeln!(out, "  HEAD ended by <{name}> at byte {offset}")
        }
        HeadEnd::Text => writeln!(out, "  HEAD ended by text"),
        HeadEnd::Limit(limit) => writeln!(out, "  HEAD not read to its end ({limit})"),
        _ => writeln!(out, "  the page ended before its HEAD did"),
    }
}

fn meaning(directive: Directive<'_>) -> String {
    match directive.value() {
        DirectiveValue::Flags(flags) => flags.to_string(),
        DirectiveValue::Invalid => format!("{} (its value cannot be read)", directive.text()),
        DirectiveValue::Unknown => format!("{} (not a known directive)", directive.text()),
        DirectiveValue::UnavailableAfter(moment) => format!("unavailable_after {moment}"),
        _ => directive.text().to_owned(),
    }
}
