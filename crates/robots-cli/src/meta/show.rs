//! A page for people: its title and other facts, then each META and header line for robots, with its meaning below.

use super::decisions;
use super::excerpt::Excerpt;
use crate::args::Meta as Args;
use crate::terminal::{counted, printable};
use robots_answers::page::words::{self, meaning, quoted};
use robots_answers::page::{Page, header_facts, robots_metas as robots_meta_names};
use robots_lint::Severity;
use robots_lint::list::{ListFinding, findings_in_content, findings_in_header};
use robots_lint::page::departures;
use robots_lint::report::lines::Lines;
use robots_meta::header::RobotsHeader;
use robots_meta::page::{HeadEnd, Meta, Placement};
use robots_meta::{PageFacts, robots_headers};
use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

/// The maximum number of findings about a list that are shown; the rest is counted.
const MAX_FINDINGS: usize = 10;

/// Writes a page.
pub(super) fn page(out: &mut impl Write, args: &Args, page: &Page<'_>) -> io::Result<()> {
    match page.input.filter(|input| *input != page.name) {
        Some(input) => writeln!(out, "{} (in {})", printable(page.name), printable(input))?,
        None => writeln!(out, "{}", printable(page.name))?,
    }
    let has_robots = page
        .facts
        .robots_metas(robots_meta_names())
        .next()
        .is_some();
    facts(out, &page.facts, has_robots)?;
    robots_metas(out, page)?;
    let has_misspelt = misspelt_metas(out, page)?;
    let has_headers = headers(out, page)?;
    if has_robots || has_misspelt || has_headers {
        writeln!(out)?;
    }
    if args.all {
        every_meta(out, &page.facts)?;
    }
    writeln!(out, "  {}", printable(&end_of_head(&page.facts)))?;
    if args.profiles {
        decisions::show(out, &page.decisions())?;
    }
    Ok(())
}

/// Writes the header lines for robots. Returns whether there are any.
pub(super) fn headers(out: &mut impl Write, page: &Page<'_>) -> io::Result<bool> {
    let has_directives = robots_lines(out, page)?;
    let has_facts = fact_lines(out, page)?;
    Ok(has_directives || has_facts)
}

/// Writes the title, description and other facts about the page.
fn facts(out: &mut impl Write, page: &PageFacts, has_robots: bool) -> io::Result<()> {
    let keywords = page.keywords().join(", ");
    let none = "no META for robots".to_owned();
    for (name, value) in [
        ("title", page.title().map(Cow::into_owned)),
        ("description", page.description().map(Cow::into_owned)),
        ("keywords", (!keywords.is_empty()).then_some(keywords)),
        (
            "revisit-after",
            page.revisit_after().map(|(revisit, _)| revisit.to_string()),
        ),
        (
            "canonical",
            page.canonical()
                .map(|canonical| canonical.href().to_owned()),
        ),
        ("encoding", Some(words::encoding(page))),
        ("robots", (!has_robots).then_some(none)),
    ] {
        if let Some(value) = value {
            writeln!(out, "  {name:<13} {}", printable(&value))?;
        }
    }
    Ok(())
}

fn robots_metas(out: &mut impl Write, page: &Page<'_>) -> io::Result<()> {
    let mut lines = Lines::new(page.html, page.encoding());
    for meta in page.facts.robots_metas(robots_meta_names()) {
        let name = meta.name().unwrap_or_default().trim_ascii();
        let place = in_body(meta);
        let offset = meta.offset();
        writeln!(out, "\nMETA {}{place}, at byte {offset}", printable(name))?;
        let excerpt = excerpt_of(page, meta, &mut lines);
        write_excerpt(out, page, &excerpt, &mut lines)?;
    }
    Ok(())
}

/// Writes an excerpt of the page, after its line and column.
fn write_excerpt(
    out: &mut impl Write,
    page: &Page<'_>,
    excerpt: &Excerpt<'_>,
    lines: &mut Lines<'_>,
) -> io::Result<()> {
    let at = excerpt.position(lines);
    let location = format!("{}:{}:{}", printable(page.name), at.line, at.column);
    writeln!(out, "{}", excerpt.render(Some(&location)))
}

/// Writes the METAs that address robots in ways that no engine is known to obey. Returns whether there are any.
fn misspelt_metas(out: &mut impl Write, page: &Page<'_>) -> io::Result<bool> {
    let mut lines = Lines::new(page.html, page.encoding());
    let mut has_some = false;
    for meta in page.facts.metas() {
        let Some(misspelling) = meta
            .departure(robots_meta_names())
            .filter(|how| !how.is_empty())
        else {
            continue;
        };
        has_some = true;
        let (offset, place) = (meta.offset(), in_body(meta));
        writeln!(out, "\nMETA without effect{place}, at byte {offset}")?;
        let tag = tag_span(page, meta);
        // Such a META may have no list: the whole tag takes its place.
        let mut excerpt = Excerpt::of_tag(&mut lines, tag.clone(), &tag);
        for (_, way) in departures(misspelling) {
            excerpt.note(true, format!("{way}: no engine is known to obey it"));
        }
        write_excerpt(out, page, &excerpt, &mut lines)?;
    }
    Ok(has_some)
}

/// Returns the range of a META's tag. In UTF-16 the end of the tag is not known: the range is that of its `<`, two bytes.
fn tag_span(page: &Page<'_>, meta: Meta<'_>) -> Range<usize> {
    let start = meta.offset();
    start..page.tag_end(meta).unwrap_or(start + 2)
}

/// Returns words for the place of a META, if it is in BODY.
fn in_body(meta: Meta<'_>) -> &'static str {
    match meta.placement() {
        Placement::Body => " in BODY",
        _ => "",
    }
}

/// Returns the lines of a META, with its directives and findings.
fn excerpt_of<'p>(page: &Page<'p>, meta: Meta<'_>, lines: &mut Lines<'p>) -> Excerpt<'p> {
    let tag = tag_span(page, meta);
    let content = meta
        .attribute("content")
        .and_then(|content| content.value_span());
    let list = content.unwrap_or_else(|| tag.clone());
    let mut excerpt = Excerpt::of_tag(lines, tag, &list);
    let start = meta.content_start_in(page.html);
    let mut is_empty = true;
    for directive in meta.directives() {
        is_empty = false;
        let text = meaning(directive);
        match start {
            Some(start) => {
                let span = directive.span();
                excerpt.mark(start + span.start..start + span.end, text);
            }
            None => excerpt.note(false, text),
        }
    }
    // Without directives, or with directives whose offsets are not known, one label marks the whole list.
    if !excerpt.has_marks() {
        let label = if is_empty {
            "no directive".to_owned()
        } else {
            format!("read as {}", quoted(meta.content().trim_ascii()))
        };
        excerpt.mark_always(list, label);
    }
    add_findings(&mut excerpt, &findings_in_content(meta.content()));
    excerpt
}

fn add_findings(excerpt: &mut Excerpt<'_>, findings: &[ListFinding<'_>]) {
    for finding in findings.iter().take(MAX_FINDINGS) {
        excerpt.note(
            finding.kind().severity() > Severity::Note,
            words::finding(finding),
        );
    }
    if let more @ 1.. = findings.len().saturating_sub(MAX_FINDINGS) {
        excerpt.note(
            true,
            format!("and {}", counted(more as u64, "more finding")),
        );
    }
}

/// Writes the header lines with directives. Returns whether there are any.
fn robots_lines(out: &mut impl Write, page: &Page<'_>) -> io::Result<bool> {
    let mut has_any = false;
    for header_line in page.headers {
        let Some(header) = RobotsHeader::from_name(header_line.name) else {
            continue;
        };
        has_any = true;
        let value = &*header_line.text;
        let marks = robots_headers([header_line.bytes()]).map(|header_directive| {
            let directive = header_directive.directive();
            let text = match header_directive.agent() {
                Some(agent) => format!("{} (for {})", meaning(directive), quoted(agent)),
                None => meaning(directive),
            };
            (directive.span(), text)
        });
        // Robots-Tag is a structured field: the findings are about the grammar of X-Robots-Tag.
        let findings = match header {
            RobotsHeader::XRobotsTag => findings_in_header(value),
            _ => Vec::new(),
        };
        write_header(out, &header.to_string(), value, marks.collect(), &findings)?;
    }
    Ok(has_any)
}

/// Writes the header lines with facts about the page. Returns whether there are any.
fn fact_lines(out: &mut impl Write, page: &Page<'_>) -> io::Result<bool> {
    let facts = header_facts::facts(page.headers);
    for of_line in facts.chunk_by(|one, next| one.line == next.line) {
        let first = &of_line[0];
        let value = &*page.headers[first.line].text;
        let marks = of_line.iter();
        let marks = marks.map(|fact| (fact.span.clone(), fact.meaning.clone()));
        write_header(out, &first.header.to_string(), value, marks.collect(), &[])?;
    }
    Ok(!facts.is_empty())
}

/// Writes a header line with labels below ranges of its value, and its findings.
fn write_header(
    out: &mut impl Write,
    header: &str,
    value: &str,
    marks: Vec<(Range<usize>, String)>,
    findings: &[ListFinding<'_>],
) -> io::Result<()> {
    let start = header.len() + 2;
    let line = format!("{header}: {value}");
    let mut excerpt = Excerpt::of_header(&line);
    let first = marks.first().map(|(_, label)| label.clone());
    for (span, label) in marks {
        excerpt.mark(start + span.start..start + span.end, label);
    }
    // There are none, or all are past the part of a long line in which ranges are marked.
    if !excerpt.has_marks() {
        let label = first.unwrap_or_else(|| "no directive".to_owned());
        excerpt.mark_always(start..line.len(), label);
    }
    add_findings(&mut excerpt, findings);
    writeln!(out, "\nheader {header}\n{}", excerpt.render(None))
}

/// Writes the attributes of every META.
fn every_meta(out: &mut impl Write, page: &PageFacts) -> io::Result<()> {
    for meta in page.metas() {
        write!(out, "  byte {}{}:", meta.offset(), in_body(meta))?;
        for attribute in meta.attributes() {
            let name = printable(attribute.name());
            write!(
                out,
                " {name}={}",
                printable(&format!("{:?}", attribute.value()))
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns the end of the HEAD in words, or the limit that stopped the reader.
fn end_of_head(page: &PageFacts) -> String {
    match page.end() {
        HeadEnd::Tag { name, offset } => format!("HEAD ends at <{name}> at byte {offset}"),
        HeadEnd::Text => "HEAD ends at text".to_owned(),
        HeadEnd::Limit(limit) => {
            let read = page.consumed().map_or_else(String::new, |bytes| {
                format!("; {} read", counted(bytes as u64, "byte"))
            });
            format!("not read completely: {limit}{read}")
        }
        _ => "the page ends within its HEAD".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::ScriptingArg;
    use robots_answers::page::HeaderLine;

    /// Returns header lines of text.
    fn header_lines<'a>(lines: &[(&'a str, &'a str)]) -> Vec<HeaderLine<'a>> {
        lines
            .iter()
            .map(|(name, value)| HeaderLine::new(name, value.as_bytes()))
            .collect()
    }

    /// Returns the arguments of `robots meta` without flags.
    fn args() -> Args {
        Args {
            files: Vec::new(),
            headers: false,
            all: false,
            document: false,
            scripting: ScriptingArg::default(),
            charset: None,
            profiles: false,
            json: false,
        }
    }

    fn shown(args: &Args, html: &[u8], headers: &[(&str, &str)]) -> String {
        let mut read = Page::read("a.html", html, None, args.options());
        let headers = header_lines(headers);
        read.headers = &headers;
        let mut text = Vec::new();
        page(&mut text, args, &read).unwrap();
        let text = String::from_utf8(text).unwrap();
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn directives_are_shown_below_their_line() {
        let html = b"<title>T</title>\n<meta name=robots content='noindex, noopd'>\n<body>";
        assert_eq!(
            shown(&args(), html, &[]),
            "\
a.html
  title         T
  encoding      windows-1252 (not named)

META robots, at byte 17
 --> a.html:2:28
  |
2 | <meta name=robots content='noindex, noopd'>
  |                            ^^^^^^^  ^^^^^ ignored: not a known directive
  |                            |
  |                            noindex: do not index
  |
  = warning: `noopd`: not a known directive; perhaps `noodp` is meant

  HEAD ends at <body> at byte 61
"
        );
    }

    #[test]
    fn headers_are_shown_with_their_meaning() {
        let headers = [
            ("server", "x"),
            ("x-robots-tag", "BadBot: noarchive"),
            ("tdm-reservation", "1"),
        ];
        assert_eq!(
            shown(&args(), b"<title>T</title>", &headers),
            "\
a.html
  title         T
  encoding      windows-1252 (not named)
  robots        no META for robots

header X-Robots-Tag
 |
 | X-Robots-Tag: BadBot: noarchive
 |                       ^^^^^^^^^ noarchive: do not show a copy (for `BadBot`)

header tdm-reservation
 |
 | tdm-reservation: 1
 |                  ^ rights to text and data mining are reserved

  the page ends within its HEAD
"
        );
    }

    #[test]
    fn a_list_with_character_references_is_marked_whole() {
        let text = shown(&args(), b"<meta name=robots content='no&#105;ndex'>", &[]);
        assert!(text.contains("^^^^^^^^^^^^ read as `noindex`"), "{text}");
        assert!(text.contains("= note: noindex: do not index"), "{text}");
        let text = shown(&args(), b"<meta name=robots>", &[]);
        assert!(text.contains("^^^^^^^^^^^^^^^^^^ no directive"), "{text}");
        assert!(text.contains("= note: no directive in the list"), "{text}");
    }

    #[test]
    fn utf_16_has_lines_and_columns() {
        let html: Vec<u8> = "\u{feff}\n<meta name=robots content=noindex>\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let text = shown(&args(), &html, &[]);
        assert!(text.contains("META robots, at byte 4\n"), "{text}");
        assert!(text.contains(" --> a.html:2:1\n"), "{text}");
        assert!(
            text.contains("2 | <meta name=robots content=noindex>\n"),
            "{text}"
        );
        assert!(text.contains("^ read as `noindex`"), "{text}");
    }

    #[test]
    fn metas_in_body_are_labelled() {
        let html = b"<p><meta name=robots content=noindex>";
        // Without `document`, the reader stops at the end of HEAD, before this META.
        assert!(shown(&args(), html, &[]).contains("no META for robots"));
        let document = Args {
            document: true,
            ..args()
        };
        let text = shown(&document, html, &[]);
        assert!(text.contains("META robots in BODY, at byte 3\n"), "{text}");
        assert!(text.contains("HEAD ends at <p> at byte 0"), "{text}");
    }

    #[test]
    fn noscript_is_text_with_scripting() {
        let html = b"<noscript><meta name=robots content=noindex></noscript>";
        assert!(shown(&args(), html, &[]).contains("noindex: do not index"));
        let scripting = Args {
            scripting: ScriptingArg { scripting: true },
            ..args()
        };
        assert!(shown(&scripting, html, &[]).contains("no META for robots"));
    }

    #[test]
    fn control_characters_are_escaped() {
        let all = Args {
            all: true,
            ..args()
        };
        for html in [
            &b"<title>\x1b[2J</title><meta name=robots \x1b[2J='\xc2\x9b' content='\x07, \xc2\x9b'>"[..],
            b"<meta charset=utf-8><title>\x1b[2J</title><meta name=robots content='\xc2\x9b\x1b[2J, \x07'>",
        ] {
            let headers = header_lines(&[("x-robots-tag", "\u{9b}: \u{7}, x\u{1b}[2J")]);
            let mut read = Page::read("\u{7}", html, None, all.options());
            read.headers = &headers;
            let mut text = Vec::new();
            page(&mut text, &all, &read).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains(['\u{7}', '\u{9b}']), "{text:?}");
            // The escapes that are left are colours of the output, not the `[2J` of the page.
            let mut escapes = text.split('\u{1b}').skip(1);
            assert!(
                escapes.all(|rest| rest.starts_with('[') && !rest.starts_with("[2")),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_long_line_is_cut() {
        let html = format!(
            "<style>{}</style><meta name=robots content=noindex>",
            "a".repeat(1 << 20)
        );
        let text = shown(&args(), html.as_bytes(), &[]);
        let column = html.find("noindex").unwrap() + 1;
        assert!(
            text.contains(&format!(" --> a.html:1:{column}\n")),
            "{text}"
        );
        assert!(text.contains("1 | ..."), "{text}");
        assert!(text.len() < 1_000, "{text}");
    }
}
