//! The facts of a page's HEAD.

use crate::exchange::{Answer, Result, json};
use crate::file::NoArguments;
use crate::object::{Object, Objects, missing};
use robots_meta::directive::DirectiveValue;
use robots_meta::page::{HeadEnd, Meta};
use robots_meta::{Directive, DocumentReader, HeadOptions, HeadReader, PageFacts, Progress};
use serde::Deserialize;
use serde_json::{Map, Value, json as value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HeadArguments {
    charset: Option<String>,
    #[serde(default)]
    document: bool,
}

impl HeadArguments {
    fn options(&self) -> HeadOptions {
        match &self.charset {
            Some(label) => HeadOptions::new().with_charset(label),
            None => HeadOptions::new(),
        }
    }
}

pub(crate) fn read(_: &mut Objects, _: u32, arguments: HeadArguments, body: &[u8]) -> Result {
    let options = arguments.options();
    json(&facts(&if arguments.document {
        options.read_document(body)
    } else {
        options.read(body)
    }))
}

/// A reader of a page that arrives in parts.
pub(crate) enum Reader {
    Head(Box<HeadReader>),
    Document(Box<DocumentReader>),
}

pub(crate) fn reader(_: &mut Objects, _: u32, arguments: HeadArguments, _: &[u8]) -> Result {
    let options = arguments.options();
    Ok(Answer::Object(Object::Reader(if arguments.document {
        Reader::Document(Box::new(options.document_reader()))
    } else {
        Reader::Head(Box::new(options.reader()))
    })))
}

pub(crate) fn feed(objects: &mut Objects, object: u32, _: NoArguments, body: &[u8]) -> Result {
    let progress = match objects.get(object) {
        Some(Object::Reader(Reader::Head(reader))) => reader.feed(body),
        Some(Object::Reader(Reader::Document(reader))) => reader.feed(body),
        _ => return Err(missing("reader", object)),
    };
    Ok(Answer::Number(progress == Progress::Done))
}

pub(crate) fn finish(objects: &mut Objects, object: u32, _: NoArguments, _: &[u8]) -> Result {
    if !matches!(objects.get(object), Some(Object::Reader(_))) {
        return Err(missing("reader", object));
    }
    match objects.remove(object) {
        Some(Object::Reader(Reader::Head(reader))) => json(&facts(&reader.finish())),
        Some(Object::Reader(Reader::Document(reader))) => json(&facts(&reader.finish())),
        _ => Err(missing("reader", object)),
    }
}

fn facts(page: &PageFacts) -> Value {
    value!({
        "metas": page.metas().map(meta).collect::<Vec<_>>(),
        "title": page.title(),
        "description": page.description(),
        "keywords": page.keywords(),
        "canonical": page.canonical().map(|link| link.href()),
        "revisit_after": page.revisit_after().map(|(after, _)| after.days()),
        "encoding": page.encoding(),
        "encoding_source": page.encoding_source().name(),
        "end": end(page.end()),
        "consumed": page.consumed(),
    })
}

fn end(end: &HeadEnd) -> Value {
    let by = end.name();
    match end {
        HeadEnd::Tag { name, offset } => value!({ "by": by, "name": name, "offset": offset }),
        HeadEnd::Limit(limit) => value!({ "by": by, "limit": limit.name() }),
        _ => value!({ "by": by }),
    }
}

fn meta(meta: Meta<'_>) -> Value {
    let span = meta.span();
    let attributes = meta.attributes();
    let attributes: Map<String, Value> = attributes
        .map(|attribute| (attribute.name().to_owned(), attribute.value().into()))
        .collect();
    value!({
        "offset": meta.offset(),
        "end": (!span.is_empty()).then_some(span.end),
        "placement": meta.placement().name(),
        "name": meta.name(),
        "content": meta.content(),
        "attributes": attributes,
        "directives": meta.directives().map(directive).collect::<Vec<_>>(),
    })
}

fn directive(directive: Directive<'_>) -> Value {
    let item: Value = match directive.value() {
        DirectiveValue::Flags(flags) => flags.to_string().into(),
        DirectiveValue::MaxSnippet(most) | DirectiveValue::MaxVideoPreview(most) => {
            most.number().into()
        }
        DirectiveValue::MaxImagePreview(size) => size.name().into(),
        DirectiveValue::UnavailableAfter(time) => time.as_seconds().into(),
        _ => Value::Null,
    };
    value!({
        "text": directive.text(),
        "offset": directive.offset(),
        "kind": directive.value().name(),
        "value": item,
    })
}
