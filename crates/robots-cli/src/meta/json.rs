//! A page as a JSON object. Its keys are described in the README.

use super::decided::{self, Decided};
use super::{Page, ROBOTS, headers, words};
use crate::args::Meta as Args;
use robots_meta::directive::{
    DirectiveValue, Finding, FindingKind, findings_in_content, findings_in_header,
};
use robots_meta::header::RobotsHeader;
use robots_meta::page::{HeadEnd, Meta, Placement, ReadBy};
use robots_meta::{Directive, PageMeta, robots_headers};
use serde_json::{Map, Value, json};

type Object = Map<String, Value>;

pub(super) fn page(args: &Args, page: &Page<'_>) -> Value {
    let mut row = facts(page);
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    let robots = page.said.robots_metas(&ROBOTS);
    put(
        "robots",
        robots.map(|meta| robots_meta(args, page, meta)).collect(),
    );
    put("misspelt", misspelt(page));
    if args.document {
        let links = page.said.links().map(|link| {
            let rel: Vec<&str> = words::rel(link.rel()).collect();
            json!({"offset": link.offset(), "href": link.href(), "rel": rel})
        });
        put("links", links.collect());
        put("no_snippets", page.said.no_snippets().collect());
    }
    put("headers", header_directives(page));
    put("header_findings", header_findings(page));
    put("header_facts", header_facts(page));
    put("head_end", head_end(page.said.end()));
    put("consumed", json!(page.said.consumed()));
    put("read_by", read_by(page.said.read_by()));
    if args.profiles {
        put("decisions", decided::json(&page.decided()));
    }
    if args.all {
        let metas = page.said.metas();
        put(
            "metas",
            metas
                .map(|meta| {
                    let mut row = tag(page, meta);
                    row.insert("attributes".to_owned(), attributes(meta));
                    Value::Object(row)
                })
                .collect(),
        );
    }
    Value::Object(row)
}

/// The headers of a response, and what is decided by them.
pub(super) fn response(page: &Page<'_>, decided: &[Decided]) -> Value {
    json!({
        "url": page.name,
        "headers": header_directives(page),
        "header_findings": header_findings(page),
        "header_facts": header_facts(page),
        "decisions": decided::json(decided),
    })
}

/// METAs that try to speak to robots, and how they depart from how they should.
fn misspelt(page: &Page<'_>) -> Value {
    page.said
        .metas()
        .filter_map(|meta| {
            let how = meta.departure(&ROBOTS).filter(|how| !how.is_empty())?;
            let mut row = tag(page, meta);
            let ways: Vec<&str> = words::misspelling(how).map(|(name, _)| name).collect();
            row.insert("ways".to_owned(), json!(ways));
            Some(Value::Object(row))
        })
        .collect()
}

/// What the page says of itself.
fn facts(page: &Page<'_>) -> Object {
    let said = &page.said;
    let revisit = said.revisit_after();
    object(json!({
        "url": page.name,
        "encoding": said.encoding(),
        "encoding_source": words::encoding_source(said.encoding_source()),
        "title": said.title(),
        "title_offset": said.title_offset(),
        "description": said.description(),
        "description_offset": offset_of(said, "description"),
        "keywords": said.keywords(),
        "keywords_offset": offset_of(said, "keywords"),
        "revisit_after": revisit.map(|(revisit, _)| revisit.days()),
        "revisit_after_offset": revisit.map(|(_, meta)| meta.offset()),
        "canonical": said.canonical().map(|found| {
            json!({"href": found.href(), "offset": found.offset()})
        }),
    }))
}

/// Where the first META of this name stands.
fn offset_of(said: &PageMeta, name: &str) -> Option<usize> {
    said.metas()
        .find(|meta| meta.placement() == Placement::Head && meta.is_named(name))
        .map(|meta| meta.offset())
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(row) => row,
        _ => Object::new(),
    }
}

/// Where a META stands.
fn tag(page: &Page<'_>, meta: Meta<'_>) -> Object {
    let place = match meta.placement() {
        Placement::Head => "head",
        Placement::Body => "body",
        _ => "other",
    };
    object(json!({
        "offset": meta.offset(),
        "end": page.tag_end(meta),
        "place": place,
    }))
}

fn robots_meta(args: &Args, page: &Page<'_>, meta: Meta<'_>) -> Value {
    let start = meta.content_start_in(page.html);
    let directives = meta
        .directives()
        .map(|found| Value::Object(directive(found, start)));
    let findings = findings_in_content(meta.content());
    let findings = findings
        .iter()
        .map(|found| Value::Object(finding(found, start)));
    let mut row = tag(page, meta);
    let mut put = |name: &str, value: Value| row.insert(name.to_owned(), value);
    put("name", json!(meta.name()));
    put("content", json!(meta.content()));
    if args.all {
        put("attributes", attributes(meta));
    }
    put("directives", directives.collect());
    put("findings", findings.collect());
    Value::Object(row)
}

/// Names, values and where the values stand, so that the order is kept by every reader.
fn attributes(meta: Meta<'_>) -> Value {
    meta.attributes()
        .map(|attribute| {
            let start = attribute.value_span().map(|span| span.start);
            json!([attribute.name(), attribute.value(), start])
        })
        .collect()
}

/// A directive of a list that begins at `start`, if that is known.
fn directive(found: Directive<'_>, start: Option<usize>) -> Object {
    let (kind, value) = match found.value() {
        DirectiveValue::Flags(flags) => ("flags", json!(flags.to_string())),
        DirectiveValue::MaxSnippet(limit) => ("max-snippet", json!(limit)),
        DirectiveValue::MaxImagePreview(size) => ("max-image-preview", json!(size)),
        DirectiveValue::MaxVideoPreview(limit) => ("max-video-preview", json!(limit)),
        DirectiveValue::UnavailableAfter(moment) => ("unavailable_after", json!(moment)),
        DirectiveValue::Invalid => ("invalid", Value::Null),
        _ => ("unknown", Value::Null),
    };
    object(json!({
        "text": found.text(),
        "kind": kind,
        "value": value,
        "offset": start.map(|start| start.saturating_add(found.offset())),
        "length": found.text().len(),
    }))
}

/// What is odd about a list that begins at `start`, if that is known.
fn finding(found: &Finding<'_>, start: Option<usize>) -> Object {
    let place = |offset: usize| start.map(|start| start.saturating_add(offset));
    let mut row = object(json!({
        "kind": words::finding_kind(found.kind()),
        "text": found.text(),
        "offset": place(found.span().start),
        "length": found.text().len(),
    }));
    if let FindingKind::Misspelt { meant } = found.kind() {
        row.insert("meant".to_owned(), json!(meant));
    }
    if let (Some(span), Some(text)) = (found.other_span(), found.other_text()) {
        let other = json!({"text": text, "offset": place(span.start), "length": text.len()});
        row.insert("other".to_owned(), other);
    }
    row
}

/// The header lines that have directives, with their indices among all.
fn robots_lines<'p>(
    page: &'p Page<'_>,
) -> impl Iterator<Item = (usize, RobotsHeader, &'p str, &'p str)> {
    let lines = page.headers.iter().enumerate();
    lines.filter_map(|(line, &(name, value))| {
        Some((line, RobotsHeader::from_name(name)?, name, value))
    })
}

fn header_directives(page: &Page<'_>) -> Value {
    robots_lines(page)
        .flat_map(|(line, header, name, value)| {
            robots_headers([(name, value)]).map(move |found| {
                let mut row = object(json!({
                    "name": header.to_string(),
                    "line": line,
                    "agent": found.agent(),
                    "may_have_leaked": found.may_have_leaked(),
                }));
                row.extend(directive(found.directive(), Some(0)));
                Value::Object(row)
            })
        })
        .collect()
}

fn header_findings(page: &Page<'_>) -> Value {
    let mut rows = Vec::new();
    for (line, header, _, value) in robots_lines(page) {
        if header != RobotsHeader::XRobotsTag {
            continue;
        }
        for found in findings_in_header(value) {
            let mut row = object(json!({"name": header.to_string(), "line": line}));
            row.extend(finding(&found, Some(0)));
            rows.push(Value::Object(row));
        }
    }
    Value::Array(rows)
}

fn header_facts(page: &Page<'_>) -> Value {
    headers::facts(page.headers)
        .into_iter()
        .map(|fact| {
            let mut row = object(json!({
                "name": fact.header.to_string(),
                "line": fact.line,
                "offset": fact.span.start,
                "length": fact.span.len(),
            }));
            row.extend(object(fact.values));
            Value::Object(row)
        })
        .collect()
}

fn head_end(end: &HeadEnd) -> Value {
    match end {
        HeadEnd::Tag { name, offset } => json!({"by": "tag", "name": name, "offset": offset}),
        HeadEnd::Text => json!({"by": "text"}),
        HeadEnd::EndOfPage => json!({"by": "end_of_page"}),
        HeadEnd::Limit(limit) => json!({"by": "limit", "limit": words::limit(*limit)}),
        _ => Value::Null,
    }
}

fn read_by(reader: ReadBy) -> Value {
    match reader {
        ReadBy::Scanner => json!({"by": "scanner"}),
        ReadBy::Authority { from } => json!({"by": "html5ever", "from": from}),
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::args;
    use super::*;

    #[test]
    fn every_fact_has_an_offset() {
        let html = b"<meta name=description content=D><link rel=canonical href=/c>\
            <meta name=robots content=' noindex, noopd, index'><body>";
        let mut page_of = Page::read(&args(), "u", html, None);
        page_of.headers = &[
            ("link", "</l>; rel=license"),
            ("x-robots-tag", "a: nofollow"),
        ];
        let row = page(&args(), &page_of);
        assert_eq!(row["encoding_source"], "fallback");
        assert_eq!(row["description_offset"], 0);
        assert_eq!(row["canonical"], json!({"href": "/c", "offset": 33}));
        let robots = &row["robots"][0];
        assert_eq!(robots["offset"], 61);
        assert_eq!(robots["end"], 112);
        assert_eq!(robots["place"], "head");
        assert!(robots.get("attributes").is_none());
        assert_eq!(
            robots["directives"][0],
            json!({
                "text": "noindex", "kind": "flags", "value": "noindex", "offset": 89, "length": 7,
            })
        );
        assert_eq!(
            robots["findings"],
            json!([
                {"kind": "misspelt", "text": "noopd", "offset": 98, "length": 5, "meant": "noodp"},
                {
                    "kind": "conflict", "text": "index", "offset": 105, "length": 5,
                    "other": {"text": "noindex", "offset": 89, "length": 7},
                },
            ])
        );
        assert_eq!(row["headers"][0]["line"], 1);
        assert_eq!(row["headers"][0]["offset"], 3);
        assert_eq!(row["headers"][0]["agent"], "a");
        assert_eq!(row["header_findings"], json!([]));
        assert_eq!(row["header_facts"][0]["href"], "/l");
        assert_eq!(row["header_facts"][0]["offset"], 0);
        assert_eq!(row["head_end"]["offset"], 112);
        assert_eq!(row["consumed"], 118);
        assert_eq!(row["read_by"], json!({"by": "scanner"}));
    }

    #[test]
    fn a_place_that_is_not_known_is_null() {
        let html = b"<meta name=robots content='no&#105;ndex'>";
        let row = page(&args(), &Page::read(&args(), "u", html, None));
        let directive = &row["robots"][0]["directives"][0];
        assert_eq!(directive["text"], "noindex");
        assert_eq!(directive["offset"], Value::Null);
    }

    #[test]
    fn all_has_attributes_with_the_places_of_their_values() {
        let all = Args {
            all: true,
            ..args()
        };
        let html = b"<meta charset=utf-8><p>";
        let row = page(&all, &Page::read(&all, "u", html, None));
        let expected = json!({
            "offset": 0, "end": 20, "place": "head", "attributes": [["charset", "utf-8", 14]],
        });
        assert_eq!(row["metas"], json!([expected]));
    }

    #[test]
    fn metas_in_body_are_read_on_request() {
        let html = b"<body><meta name=robots content=noindex>";
        let row = page(&args(), &Page::read(&args(), "u", html, None));
        assert_eq!(row["robots"], json!([]));
        let document = Args {
            document: true,
            ..args()
        };
        let row = page(&document, &Page::read(&document, "u", html, None));
        assert_eq!(row["robots"][0]["place"], "body");
        assert_eq!(row["read_by"]["by"], "html5ever");
    }
}
