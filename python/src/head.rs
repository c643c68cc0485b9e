//! The facts of a page's HEAD.

use crate::argument::{Content, OneOrMore, Text};
use crate::error::InputError;
use crate::fork;
use crate::word;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use robots_meta::directive::DirectiveValue;
use robots_meta::page::{self, Placement};
use robots_meta::{Facts, HeadOptions, Timestamp};
use robots_policy::text::printable;

/// Reads the HEAD of a page, no further than its end.
///
/// A page is bytes, or a text that was decoded. `charset` is the encoding that the response names. With
/// `document=True`, METAs in BODY are read, too. With `wanted`, only these facts are kept, which takes less time.
#[pyfunction]
#[pyo3(signature = (html, *, charset=None, document=false, wanted=None))]
pub(crate) fn read_head(
    py: Python<'_>,
    html: Content,
    charset: Option<Text>,
    document: bool,
    wanted: Option<PyRef<'_, Wanted>>,
) -> PyResult<PageFacts> {
    let mut options = HeadOptions::new();
    if let Some(wanted) = wanted {
        options = options.with_wanted(wanted.0.clone());
    }
    if let Some(label) = html.charset(charset.as_deref())? {
        options = options.with_charset(label);
    }
    Ok(PageFacts(fork::detached(py, || {
        if document {
            options.read_document(html.as_bytes())
        } else {
            options.read(html.as_bytes())
        }
    })))
}

/// The kinds of facts that `read_head` keeps: `Wanted(["robots", "title"], robots=["robots", "googlebot"])`.
///
/// Kinds are those of `Facts` in Rust, in lower case: `robots`, `description`, `keywords`, `revisit_after`, `title`,
/// `canonical`, `http_equiv`, `charset`, `open_graph`, `twitter`, `metas` (every META), `tdm`. `robots` are the names of the
/// METAs for robots. A fact that is not wanted is missing in what was read: its property is None or empty.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Wanted(robots_meta::Wanted);

#[pymethods]
impl Wanted {
    #[new]
    #[pyo3(signature = (facts, *, robots=None))]
    fn new(facts: OneOrMore<Text>, robots: Option<OneOrMore<Text>>) -> PyResult<Self> {
        let mut kinds = Facts::empty();
        for name in facts.0 {
            kinds |= fact(&name)?;
        }
        let wanted = robots_meta::Wanted::facts(kinds).for_robots(names_or_robots(robots));
        Ok(Self(wanted))
    }
}

/// Returns the kind of facts with this name, in lower case.
fn fact(name: &str) -> PyResult<Facts> {
    // Links and data-nosnippet are in BODY, and `PageFacts` does not show them.
    let kinds = Facts::all().difference(Facts::LINKS | Facts::NO_SNIPPETS);
    let kinds = kinds
        .iter_names()
        .map(|(of, fact)| (of.to_lowercase(), fact));
    let kinds: Vec<_> = kinds.collect();
    if let Some((_, fact)) = kinds.iter().find(|(of, _)| of == name) {
        return Ok(*fact);
    }
    let names: Vec<_> = kinds.iter().map(|(of, _)| of.as_str()).collect();
    let (name, names) = (printable(name), names.join(", "));
    Err(InputError::new_err(format!(
        "{name:?} is no kind of facts: {names}"
    )))
}

/// The facts of a page: its METAs in order, its title and canonical link. Offsets are in bytes; those of a text are in its
/// UTF-8.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct PageFacts(robots_meta::PageFacts);

#[pymethods]
impl PageFacts {
    /// Every META, in order.
    #[getter]
    fn metas(&self) -> Vec<Meta> {
        self.0.metas().map(Meta::new).collect()
    }

    /// Returns the METAs for a robot with one of these names, in order; by default `robots`.
    #[pyo3(signature = (names=None))]
    fn robots_metas(&self, names: Option<OneOrMore<Text>>) -> Vec<Meta> {
        let names = names_or_robots(names);
        self.0.robots_metas(&names).map(Meta::new).collect()
    }

    /// Returns the directives of those METAs, in order.
    #[pyo3(signature = (names=None))]
    fn directives(&self, names: Option<OneOrMore<Text>>) -> Vec<Directive> {
        let names = names_or_robots(names);
        self.0.directives(&names).map(Directive::new).collect()
    }

    /// Returns the content of the first META of this name in HEAD; ASCII case is ignored.
    fn content_of(&self, name: Text) -> Option<&str> {
        self.0.content_of(&name)
    }

    /// The text of the first TITLE of the HEAD, with each run of white space as one space.
    #[getter]
    fn title(&self) -> Option<String> {
        self.0.title().map(Into::into)
    }

    /// The page's description, with each run of white space as one space.
    #[getter]
    fn description(&self) -> Option<String> {
        self.0.description().map(Into::into)
    }

    /// The page's keywords.
    #[getter]
    fn keywords(&self) -> Vec<&str> {
        self.0.keywords()
    }

    /// The URL of the first link with `rel=canonical`, as written; it may be relative.
    #[getter]
    fn canonical(&self) -> Option<&str> {
        Some(self.0.canonical()?.href())
    }

    /// The time after which the author asks a robot to return, in days.
    #[getter]
    fn revisit_after(&self) -> Option<f64> {
        Some(self.0.revisit_after()?.0.days())
    }

    /// The name of the encoding in which the page was read, as in the Encoding Standard: `UTF-8`, `windows-1252`.
    #[getter]
    fn encoding(&self) -> &'static str {
        self.0.encoding()
    }

    /// The source of the encoding.
    #[getter]
    fn encoding_source(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::ENCODING_SOURCE.member(py, self.0.encoding_source().name())
    }

    /// The end of the HEAD.
    #[getter]
    fn end(&self) -> HeadEnd {
        HeadEnd(self.0.end().clone())
    }

    /// The number of bytes of the page that were read, up to the end of the tag that ended the HEAD. None if it is not
    /// known (UTF-16, ISO-2022-JP).
    #[getter]
    fn consumed(&self) -> Option<usize> {
        self.0.consumed()
    }

    fn __repr__(&self) -> String {
        format!("<PageFacts: {} METAs>", self.0.metas().len())
    }
}

/// Returns the names, by default `robots`.
fn names_or_robots(names: Option<OneOrMore<Text>>) -> Vec<String> {
    let robots = || vec!["robots".to_owned()];
    names.map_or_else(robots, |names| {
        names.0.iter().map(|name| name.to_string()).collect()
    })
}

/// The end of a HEAD: `by` is "tag", "text", "end_of_page" or "limit".
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HeadEnd(page::HeadEnd);

#[pymethods]
impl HeadEnd {
    /// What ended it: "tag", "text", "end_of_page", or "limit": the rest is unknown.
    #[getter]
    fn by(&self) -> &'static str {
        self.0.name()
    }

    /// The name of the tag, in lower case.
    #[getter]
    fn name(&self) -> Option<&str> {
        match &self.0 {
            page::HeadEnd::Tag { name, .. } => Some(name),
            _ => None,
        }
    }

    /// The offset of the tag in the page, in bytes.
    #[getter]
    fn offset(&self) -> Option<usize> {
        match self.0 {
            page::HeadEnd::Tag { offset, .. } => Some(offset),
            _ => None,
        }
    }

    /// The name of the limit.
    #[getter]
    fn limit(&self) -> Option<&'static str> {
        match self.0 {
            page::HeadEnd::Limit(limit) => Some(limit.name()),
            _ => None,
        }
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            page::HeadEnd::Tag { name, offset } => format!("<HeadEnd: {name} at byte {offset}>"),
            page::HeadEnd::Limit(limit) => format!("<HeadEnd: {limit}>"),
            _ => format!("<HeadEnd: {}>", self.by()),
        }
    }
}

/// A META of a page.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meta {
    /// The offset of its `<` in the page, in bytes.
    #[pyo3(get)]
    offset: usize,
    /// The offset after its `>`; None if it is not known (UTF-16, ISO-2022-JP).
    #[pyo3(get)]
    end: Option<usize>,
    placement: Placement,
    /// The value of `name`.
    #[pyo3(get)]
    name: Option<String>,
    /// The value of `content`; empty if there is none.
    #[pyo3(get)]
    content: String,
    attributes: Vec<(String, String)>,
    /// Its content as a list of directives.
    #[pyo3(get)]
    directives: Vec<Directive>,
}

impl Meta {
    fn new(meta: page::Meta<'_>) -> Self {
        let span = meta.span();
        let attributes = meta.attributes();
        Self {
            offset: meta.offset(),
            end: (!span.is_empty()).then_some(span.end),
            placement: meta.placement(),
            name: meta.name().map(str::to_owned),
            content: meta.content().to_owned(),
            attributes: attributes
                .map(|attribute| (attribute.name().to_owned(), attribute.value().to_owned()))
                .collect(),
            directives: meta.directives().map(Directive::new).collect(),
        }
    }
}

#[pymethods]
impl Meta {
    /// Whether it is in HEAD or in BODY.
    #[getter]
    fn placement(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::PLACEMENT.member(py, self.placement.name())
    }

    /// Its attributes in order: names in lower case, and values with character references resolved.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let attributes = PyDict::new(py);
        for (name, value) in &self.attributes {
            attributes.set_item(name, value)?;
        }
        Ok(attributes)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let name = self.name.as_deref().into_pyobject(py)?.repr()?;
        let content = PyString::new(py, &self.content).repr()?;
        let offset = self.offset;
        Ok(format!(
            "<Meta at byte {offset}: name={name}, content={content}>"
        ))
    }
}

/// A directive: one item of a list.
#[pyclass(frozen, eq, module = "robots_policy")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Directive {
    /// The item as written, without white space around it.
    #[pyo3(get)]
    text: String,
    /// The offset of the item in its list, in bytes.
    #[pyo3(get)]
    offset: usize,
    value: DirectiveValue,
}

impl Directive {
    fn new(directive: robots_meta::Directive<'_>) -> Self {
        Self {
            text: directive.text().to_owned(),
            offset: directive.offset(),
            value: directive.value(),
        }
    }
}

/// The value of a directive.
#[derive(IntoPyObject)]
enum Value {
    Text(String),
    Number(i64),
}

#[pymethods]
impl Directive {
    /// The kind of the directive: "flags" for those without a value, "max-snippet", "max-image-preview",
    /// "max-video-preview", "unavailable_after", "invalid" or "unknown".
    #[getter]
    fn kind(&self) -> &'static str {
        self.value.name()
    }

    /// The value: of flags their names, `noindex, nofollow` for `none`; of limits a number, -1 for no limit; of images
    /// the size; of times the seconds since 1970. None if it is unknown or invalid.
    #[getter]
    fn value(&self) -> Option<Value> {
        match self.value {
            DirectiveValue::Flags(flags) => Some(Value::Text(flags.to_string())),
            DirectiveValue::MaxSnippet(most) | DirectiveValue::MaxVideoPreview(most) => {
                Some(Value::Number(most.number()))
            }
            DirectiveValue::MaxImagePreview(size) => Some(Value::Text(size.name().to_owned())),
            DirectiveValue::UnavailableAfter(time) => {
                Some(Value::Number(Timestamp::as_seconds(time)))
            }
            _ => None,
        }
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("<Directive {}>", printable(&self.text))
    }
}
