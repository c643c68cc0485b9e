//! What a page, or the headers of a response, say to robots. docs/page-json.md describes the keys.

use super::decisions::RobotDecision;
use super::headers::HeadersAnswer;
use super::lists::{DirectiveAnswer, FindingAnswer};
use super::quota::{LeftOut, Quotas};
use super::{Page, PageOptions, robots_metas, words};
use robots_lint::list::findings_in_content;
use robots_meta::PageFacts;
use robots_meta::page::{HeadEnd, Link, Meta, Placement, ReadBy};
use serde::Serialize;
use std::borrow::Cow;

/// What a page says to robots.
#[derive(Debug, Serialize)]
pub struct PageAnswer<'p> {
    url: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'p str>,
    encoding: &'static str,
    encoding_source: &'static str,
    title: Option<Cow<'p, str>>,
    title_offset: Option<usize>,
    description: Option<Cow<'p, str>>,
    description_offset: Option<usize>,
    keywords: Vec<&'p str>,
    keywords_offset: Option<usize>,
    /// In days.
    revisit_after: Option<f64>,
    revisit_after_offset: Option<usize>,
    canonical: Option<CanonicalAnswer<'p>>,
    robots: Vec<RobotsMetaAnswer<'p>>,
    misspelt: Vec<MisspeltMetaAnswer>,
    #[serde(flatten)]
    document: Option<DocumentAnswer<'p>>,
    #[serde(flatten)]
    headers: HeadersAnswer<'p>,
    head_end: Option<HeadEndAnswer<'p>>,
    consumed: Option<usize>,
    read_by: Option<ReaderAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decisions: Option<Vec<RobotDecision>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metas: Option<Vec<MetaAnswer<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

/// What the headers of a response say to robots, with the decisions that depend on them.
#[derive(Debug, Serialize)]
pub struct ResponseAnswer<'p> {
    url: &'p str,
    #[serde(flatten)]
    headers: HeadersAnswer<'p>,
    decisions: &'p [RobotDecision],
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

#[derive(Debug, Serialize)]
struct CanonicalAnswer<'p> {
    href: &'p str,
    offset: usize,
}

/// The place of a META's tag.
#[derive(Debug, Serialize)]
struct TagPlace {
    offset: usize,
    end: Option<usize>,
    place: &'static str,
}

/// The name and value of an attribute, and the offset of the value: an array in JSON.
type AttributeAnswer<'p> = (&'p str, &'p str, Option<usize>);

/// A META for robots.
#[derive(Debug, Serialize)]
struct RobotsMetaAnswer<'p> {
    #[serde(flatten)]
    tag: TagPlace,
    name: Option<&'p str>,
    content: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    attributes: Option<Vec<AttributeAnswer<'p>>>,
    directives: Vec<DirectiveAnswer<'p>>,
    findings: Vec<FindingAnswer<'p>>,
}

/// A META that addresses robots in a way that no engine is known to obey.
#[derive(Debug, Serialize)]
struct MisspeltMetaAnswer {
    #[serde(flatten)]
    tag: TagPlace,
    ways: Vec<&'static str>,
}

/// Any META, for `--all`.
#[derive(Debug, Serialize)]
struct MetaAnswer<'p> {
    #[serde(flatten)]
    tag: TagPlace,
    attributes: Vec<AttributeAnswer<'p>>,
}

/// The parts of a document that only `--document` reads.
#[derive(Debug, Serialize)]
struct DocumentAnswer<'p> {
    links: Vec<LinkAnswer<'p>>,
    no_snippets: Vec<usize>,
}

#[derive(Debug, Serialize)]
struct LinkAnswer<'p> {
    offset: usize,
    href: &'p str,
    rel: Vec<&'static str>,
}

#[derive(Debug, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
enum HeadEndAnswer<'p> {
    Tag { name: &'p str, offset: usize },
    Text,
    EndOfPage,
    Limit { limit: &'static str },
}

#[derive(Debug, Serialize)]
#[serde(tag = "by", rename_all = "lowercase")]
enum ReaderAnswer {
    Scanner,
    Html5ever { from: Option<usize> },
}

impl<'p> PageAnswer<'p> {
    /// Returns the statements of a page, and as much more as the options say.
    pub fn new(options: PageOptions, page: &'p Page<'p>) -> Self {
        let meta = &page.facts;
        let revisit = meta.revisit_after();
        let mut quotas = Quotas::default();
        Self {
            url: page.name,
            file: page.input,
            encoding: meta.encoding(),
            encoding_source: meta.encoding_source().name(),
            title: meta.title(),
            title_offset: meta.title_offset(),
            description: meta.description(),
            description_offset: offset_of(meta, "description"),
            keywords: meta.keywords(),
            keywords_offset: offset_of(meta, "keywords"),
            revisit_after: revisit.map(|(revisit, _)| revisit.days()),
            revisit_after_offset: revisit.map(|(_, meta)| meta.offset()),
            canonical: meta.canonical().map(|canonical| CanonicalAnswer {
                href: canonical.href(),
                offset: canonical.offset(),
            }),
            robots: meta
                .robots_metas(robots_metas())
                .map(|meta| RobotsMetaAnswer::new(options, page, meta, &mut quotas))
                .collect(),
            misspelt: meta
                .metas()
                .filter_map(|meta| MisspeltMetaAnswer::new(page, meta))
                .collect(),
            document: options.document.then(|| DocumentAnswer {
                links: meta.links().map(LinkAnswer::new).collect(),
                no_snippets: meta.no_snippets().collect(),
            }),
            headers: HeadersAnswer::new(page.headers, &mut quotas),
            head_end: HeadEndAnswer::new(meta.end()),
            consumed: meta.consumed(),
            read_by: ReaderAnswer::new(meta.read_by()),
            decisions: options.decisions.then(|| page.decisions()),
            metas: options.all_metas.then(|| {
                meta.metas()
                    .map(|meta| MetaAnswer {
                        tag: TagPlace::new(page, meta),
                        attributes: attributes(meta),
                    })
                    .collect()
            }),
            left_out: quotas.left_out(),
        }
    }
}

impl<'p> ResponseAnswer<'p> {
    /// Returns the statements in the headers of a page, with its decisions.
    pub fn new(page: &'p Page<'p>, decisions: &'p [RobotDecision]) -> Self {
        let mut quotas = Quotas::default();
        Self {
            url: page.name,
            headers: HeadersAnswer::new(page.headers, &mut quotas),
            decisions,
            left_out: quotas.left_out(),
        }
    }
}

/// Returns the offset of the first META of this name in HEAD.
fn offset_of(page: &PageFacts, name: &str) -> Option<usize> {
    page.metas()
        .find(|meta| meta.placement() == Placement::Head && meta.is_named(name))
        .map(|meta| meta.offset())
}

impl TagPlace {
    fn new(page: &Page<'_>, meta: Meta<'_>) -> Self {
        Self {
            offset: meta.offset(),
            end: page.tag_end(meta),
            place: meta.placement().name(),
        }
    }
}

fn attributes(meta: Meta<'_>) -> Vec<AttributeAnswer<'_>> {
    meta.attributes()
        .map(|attribute| {
            let start = attribute.value_span().map(|span| span.start);
            (attribute.name(), attribute.value(), start)
        })
        .collect()
}

impl<'p> RobotsMetaAnswer<'p> {
    fn new(options: PageOptions, page: &Page<'_>, meta: Meta<'p>, quotas: &mut Quotas) -> Self {
        let start = meta.content_start_in(page.html);
        Self {
            tag: TagPlace::new(page, meta),
            name: meta.name(),
            content: meta.content(),
            attributes: options.all_metas.then(|| attributes(meta)),
            directives: quotas.directives.list(
                meta.directives()
                    .map(|directive| DirectiveAnswer::new(directive, start)),
            ),
            findings: quotas.findings.list(
                findings_in_content(meta.content())
                    .iter()
                    .map(|finding| FindingAnswer::new(finding, start)),
            ),
        }
    }
}

impl MisspeltMetaAnswer {
    /// Returns `None` for a META that is spelled as engines document it, or does not address robots.
    fn new(page: &Page<'_>, meta: Meta<'_>) -> Option<Self> {
        let misspelling = meta
            .departure(robots_metas())
            .filter(|how| !how.is_empty())?;
        Some(Self {
            tag: TagPlace::new(page, meta),
            ways: words::misspelling(misspelling)
                .map(|(name, _)| name)
                .collect(),
        })
    }
}

impl<'p> LinkAnswer<'p> {
    fn new(link: Link<'p>) -> Self {
        Self {
            offset: link.offset(),
            href: link.href(),
            rel: words::rel(link.rel()).collect(),
        }
    }
}

impl<'p> HeadEndAnswer<'p> {
    fn new(end: &'p HeadEnd) -> Option<Self> {
        match end {
            HeadEnd::Tag { name, offset } => Some(Self::Tag {
                name,
                offset: *offset,
            }),
            HeadEnd::Text => Some(Self::Text),
            HeadEnd::EndOfPage => Some(Self::EndOfPage),
            HeadEnd::Limit(limit) => Some(Self::Limit {
                limit: limit.name(),
            }),
            // `HeadEnd` is non-exhaustive.
            _ => None,
        }
    }
}

impl ReaderAnswer {
    fn new(reader: ReadBy) -> Option<Self> {
        match reader {
            ReadBy::Scanner => Some(Self::Scanner),
            ReadBy::TreeBuilder { from } => Some(Self::Html5ever { from }),
            // `ReadBy` is non-exhaustive.
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::quota::MAX_LISTED;
    use super::super::tests::header_lines;
    use super::*;
    use serde_json::{Value, json};

    fn object(options: PageOptions, page: &Page<'_>) -> Value {
        serde_json::to_value(PageAnswer::new(options, page)).unwrap()
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
        let row = serde_json::to_value(ResponseAnswer::new(&page, &decisions)).unwrap();
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
