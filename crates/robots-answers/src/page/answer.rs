//! What a page, or the headers of a response, say to robots. docs/page-json.md describes the keys.

use super::decisions::decision_answer;
use super::headers::add_headers;
use super::lists::{directive, finding};
use super::quota::Quotas;
use super::{Page, PageOptions, robots_metas};
use crate::json::add;
use robots_lint::list::findings_in_content;
use robots_lint::page::departures;
use robots_meta::PageFacts;
use robots_meta::page::{HeadEnd, Link, Meta, Placement, ReadBy};
use robots_policy::Decision;
use serde_json::{Value, json};

/// Returns the statements of a page, and as much more as the options say.
pub fn page_answer(options: PageOptions, page: &Page<'_>) -> Value {
    let meta = &page.facts;
    let revisit = meta.revisit_after();
    let mut quotas = Quotas::default();
    let robots = meta.robots_metas(robots_metas());
    let robots: Vec<Value> = robots
        .map(|meta| robots_meta(options, page, meta, &mut quotas))
        .collect();
    let misspelt = meta.metas().filter_map(|meta| misspelt(page, meta));
    let mut answer = json!({"url": page.name});
    if let Some(file) = page.input {
        answer["file"] = file.into();
    }
    add(
        &mut answer,
        json!({
            "encoding": meta.encoding(),
            "encoding_source": meta.encoding_source().name(),
            "title": meta.title(),
            "title_offset": meta.title_offset(),
            "description": meta.description(),
            "description_offset": offset_of(meta, "description"),
            "keywords": meta.keywords(),
            "keywords_offset": offset_of(meta, "keywords"),
            "revisit_after": revisit.map(|(revisit, _)| revisit.days()),
            "revisit_after_offset": revisit.map(|(_, meta)| meta.offset()),
            "canonical": meta.canonical().map(|canonical| {
                json!({"href": canonical.href(), "offset": canonical.offset()})
            }),
            "robots": robots,
            "misspelt": misspelt.collect::<Vec<_>>(),
        }),
    );
    if options.document {
        answer["links"] = meta.links().map(link).collect();
        answer["no_snippets"] = meta.no_snippets().collect();
    }
    add_headers(&mut answer, page.headers, &mut quotas);
    answer["head_end"] = head_end(meta.end());
    answer["consumed"] = meta.consumed().into();
    answer["read_by"] = match meta.read_by() {
        ReadBy::Scanner => json!({"by": "scanner"}),
        ReadBy::TreeBuilder { from } => json!({"by": "html5ever", "from": from}),
        // `ReadBy` is non-exhaustive.
        _ => Value::Null,
    };
    if options.decisions {
        answer["decisions"] = page.decisions().iter().map(decision_answer).collect();
    }
    if options.all_metas {
        let metas = meta.metas().map(|meta| {
            let mut tag = tag(page, meta);
            tag["attributes"] = attributes(meta);
            tag
        });
        answer["metas"] = metas.collect();
    }
    quotas.add_left_out(&mut answer);
    answer
}

/// Returns the statements in the headers of a page, with its decisions.
pub fn response_answer(page: &Page<'_>, decisions: &[Decision]) -> Value {
    let mut quotas = Quotas::default();
    let mut answer = json!({"url": page.name});
    add_headers(&mut answer, page.headers, &mut quotas);
    answer["decisions"] = decisions.iter().map(decision_answer).collect();
    quotas.add_left_out(&mut answer);
    answer
}

/// Returns the offset of the first META of this name in HEAD.
fn offset_of(page: &PageFacts, name: &str) -> Option<usize> {
    page.metas()
        .find(|meta| meta.placement() == Placement::Head && meta.is_named(name))
        .map(|meta| meta.offset())
}

/// Returns the place of a META's tag.
fn tag(page: &Page<'_>, meta: Meta<'_>) -> Value {
    json!({
        "offset": meta.offset(),
        "end": page.tag_end(meta),
        "place": meta.placement().name(),
    })
}

/// Returns the names and values of attributes, and the offsets of the values.
fn attributes(meta: Meta<'_>) -> Value {
    let attributes = meta.attributes().map(|attribute| {
        let start = attribute.value_span().map(|span| span.start);
        json!([attribute.name(), attribute.value(), start])
    });
    attributes.collect()
}

/// Returns a META for robots.
fn robots_meta(
    options: PageOptions,
    page: &Page<'_>,
    meta: Meta<'_>,
    quotas: &mut Quotas,
) -> Value {
    let start = meta.content_start_in(page.html);
    let mut answer = tag(page, meta);
    answer["name"] = meta.name().into();
    answer["content"] = meta.content().into();
    if options.all_metas {
        answer["attributes"] = attributes(meta);
    }
    let directives = meta.directives().map(|found| directive(found, start));
    answer["directives"] = quotas.directives.list(directives);
    let findings = findings_in_content(meta.content());
    let findings = findings.iter().map(|found| finding(found, start));
    answer["findings"] = quotas.findings.list(findings);
    answer
}

/// Returns a META that addresses robots in a way that no engine is known to obey. `None` for one that is spelled as engines
/// document it, or does not address robots.
fn misspelt(page: &Page<'_>, meta: Meta<'_>) -> Option<Value> {
    let misspelling = meta
        .departure(robots_metas())
        .filter(|how| !how.is_empty())?;
    let mut answer = tag(page, meta);
    answer["ways"] = departures(misspelling).map(|(name, _)| name).collect();
    Some(answer)
}

fn link(link: Link<'_>) -> Value {
    json!({
        "offset": link.offset(),
        "href": link.href(),
        "rel": link.rel().tokens().collect::<Vec<_>>(),
    })
}

fn head_end(end: &HeadEnd) -> Value {
    let by = end.name();
    match end {
        HeadEnd::Tag { name, offset } => json!({"by": by, "name": name, "offset": offset}),
        HeadEnd::Limit(limit) => json!({"by": by, "limit": limit.name()}),
        _ => json!({"by": by}),
    }
}

#[cfg(test)]
mod tests {
    use super::super::quota::MAX_LISTED;
    use super::super::tests::header_lines;
    use super::*;

    fn object(options: PageOptions, page: &Page<'_>) -> Value {
        page_answer(options, page)
    }

    #[test]
    fn a_limit_has_its_name() {
        use robots_meta::head::{MAX_ATTRIBUTES, MAX_TEMPLATE_BYTES};
        for (name, html) in [
            // The limit counts 8 bytes for a tag, and those of its name: 9 for `</x>`. So an eighth of the limit is too many.
            (
                "template",
                format!("<template>{}", "</x>".repeat(MAX_TEMPLATE_BYTES / 8)),
            ),
            (
                "attributes",
                format!("<meta{}>", " a".repeat(MAX_ATTRIBUTES + 1)),
            ),
        ] {
            let page = Page::read("u", html.as_bytes(), None, PageOptions::default());
            let end = &object(PageOptions::default(), &page)["head_end"];
            assert_eq!(*end, json!({"by": "limit", "limit": name}));
        }
    }

    #[test]
    fn lists_have_a_limit_for_a_page() {
        // Returns the number of directives that are listed, and the number of those that are left out.
        let counts = |directives: usize| {
            let of = |count: usize| "x:y,".repeat(count);
            let (meta, header) = (of(directives / 2), of(directives - directives / 2));
            let html = format!("<meta name=robots content='{meta}'>");
            let mut page = Page::read("u", html.as_bytes(), None, PageOptions::default());
            let lines = header_lines(&[("x-robots-tag", &header)]);
            page.headers = &lines;
            let row = object(PageOptions::default(), &page);
            let listed = |list: &Value| list.as_array().unwrap().len();
            let number = listed(&row["robots"][0]["directives"]) + listed(&row["headers"]);
            (number, row["left_out"]["directives"].clone())
        };
        assert_eq!(counts(MAX_LISTED - 1), (MAX_LISTED - 1, Value::Null));
        assert_eq!(counts(MAX_LISTED), (MAX_LISTED, Value::Null));
        assert_eq!(counts(MAX_LISTED + 1), (MAX_LISTED, json!(1)));
        assert_eq!(counts(MAX_LISTED * 3), (MAX_LISTED, json!(MAX_LISTED * 2)));

        let link = "<a>;rel=license,".repeat(MAX_LISTED + 7);
        let index = "index,noindex,".repeat(MAX_LISTED);
        let lines = header_lines(&[("link", &link), ("x-robots-tag", &index)]);
        let mut page = Page::read("u", b"", None, PageOptions::default());
        page.headers = &lines;
        let decisions = page.decisions();
        let row = response_answer(&page, &decisions);
        assert_eq!(row["header_facts"].as_array().unwrap().len(), MAX_LISTED);
        assert_eq!(row["left_out"]["header_facts"], 7);
        let findings = row["header_findings"].as_array().unwrap().len();
        // The library has a lower limit on the findings of a line.
        assert!(findings <= MAX_LISTED, "{findings}");
    }

    #[test]
    fn every_fact_has_an_offset() {
        let html = b"<meta name=description content=D><link rel=canonical href=/c>\
            <meta name=robots content=' noindex, noopd, index'><body>";
        let mut page = Page::read("u", html, None, PageOptions::default());
        let headers = header_lines(&[
            ("link", "</l>; rel=license"),
            ("x-robots-tag", "a: nofollow"),
        ]);
        page.headers = &headers;
        let row = object(PageOptions::default(), &page);
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
    fn an_unknown_offset_is_null() {
        let html = b"<meta name=robots content='no&#105;ndex'>";
        let row = object(
            PageOptions::default(),
            &Page::read("u", html, None, PageOptions::default()),
        );
        let directive = &row["robots"][0]["directives"][0];
        assert_eq!(directive["text"], "noindex");
        assert_eq!(directive["offset"], Value::Null);
    }

    #[test]
    fn all_has_attributes_with_the_offsets_of_their_values() {
        let all = PageOptions {
            all_metas: true,
            ..PageOptions::default()
        };
        let html = b"<meta charset=utf-8><p>";
        let row = object(all, &Page::read("u", html, None, all));
        let expected = json!({
            "offset": 0, "end": 20, "place": "head", "attributes": [["charset", "utf-8", 14]],
        });
        assert_eq!(row["metas"], json!([expected]));
    }

    #[test]
    fn metas_in_body_are_read_on_request() {
        let html = b"<body><meta name=robots content=noindex>";
        let row = object(
            PageOptions::default(),
            &Page::read("u", html, None, PageOptions::default()),
        );
        assert_eq!(row["robots"], json!([]));
        let document = PageOptions {
            document: true,
            ..PageOptions::default()
        };
        let row = object(document, &Page::read("u", html, None, document));
        assert_eq!(row["robots"][0]["place"], "body");
        assert_eq!(row["read_by"]["by"], "html5ever");
    }
}
