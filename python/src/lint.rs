//! Findings on robots.txt files, pages and headers.

use crate::argument::{Content, Headers, Moment, OneOrMore, Text};
use crate::error::LoadError;
use crate::interrupt;
use crate::pickle::{self, Reduced};
use crate::word;
use pyo3::prelude::*;
use robots_lint::robots_txt::locate;
use robots_lint::{FindingKind, LocatedFinding, PageInput, PageLinter, RobotsTxtLinter};
use robots_policy::profile::AgentTable;
use robots_txt::RobotsTxt;
use std::collections::BTreeMap;

/// Returns the findings on a robots.txt, in the order of lines: up to 100 of each kind.
#[pyfunction]
pub(crate) fn lint(py: Python<'_>, body: Content) -> PyResult<Vec<Finding>> {
    interrupt::detached(py, body.as_bytes().len(), move || {
        let robots = RobotsTxt::parse(body.as_bytes());
        let linter = RobotsTxtLinter::new().with_known_robots(AgentTable::built_in());
        let findings = linter.lint(&robots);
        let counts = findings.counts().collect();
        let located = findings.iter().map(|finding| locate(&robots, finding));
        located
            .map(|finding| Finding::new(&finding, &counts))
            .collect()
    })
}

/// Returns the findings on a page and its headers: those in headers, then those in the page, up to 100 of each kind.
///
/// `names` are the names of METAs to examine, in addition to `robots`; the default are those of all known robots. `headers`
/// are all header lines of the response. Dates before `at` have passed; the default is the time of the call. With None, none has. robots.txt does not count.
#[pyfunction]
#[pyo3(signature = (html, *, url=None, headers=None, charset=None, names=None, at=Moment::now()), text_signature = "(html, *, url=None, headers=None, charset=None, names=None, at='now')")]
pub(crate) fn lint_page(
    py: Python<'_>,
    html: Content,
    url: Option<Text>,
    headers: Option<Headers>,
    charset: Option<Text>,
    names: Option<OneOrMore<Text>>,
    at: Moment,
) -> PyResult<Vec<Finding>> {
    let label = html.charset(charset.as_deref())?.map(str::to_owned);
    interrupt::detached(py, html.as_bytes().len(), move || {
        let mut page = PageInput::new(html.as_bytes());
        if let Some(url) = url {
            page = page.with_url(&*url);
        }
        if let Some(label) = &label {
            page = page.with_charset(label);
        }
        if let Some(headers) = headers {
            let lines = headers.lines();
            page =
                page.with_headers(lines.map(|(name, value)| {
                    (String::from_utf8_lossy(name).into_owned(), value.to_vec())
                }));
        }
        let names: Vec<&str> = match &names {
            None => AgentTable::built_in().meta_names(),
            Some(OneOrMore(names)) => {
                let names = names.iter().map(|name| &**name);
                std::iter::once("robots").chain(names).collect()
            }
        };
        let linted = PageLinter::new(&names).lint(page, at.0);
        let counts = linted.counts().collect();
        let findings = linted.findings();
        findings
            .iter()
            .map(|finding| Finding::new(finding, &counts))
            .collect()
    })
}

/// A finding: a mistake in a robots.txt, a page or a header line.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Finding {
    kind: FindingKind,
    /// The problem: a clause.
    #[pyo3(get)]
    message: String,
    /// Whether it is in a header line of the response, rather than in the body.
    #[pyo3(get, name = "header")]
    is_header: bool,
    /// The number of the line, from 1; header lines are counted without the status line.
    #[pyo3(get)]
    line: usize,
    /// The column of the first character, from 1.
    #[pyo3(get)]
    column: usize,
    /// The offset in the body or in the header line, in bytes.
    #[pyo3(get)]
    offset: usize,
    /// The length, in bytes.
    #[pyo3(get)]
    length: usize,
    /// Another line that the finding is about, from 1.
    #[pyo3(get)]
    related_line: Option<usize>,
    /// The number of findings of the kind, with those that are not listed.
    #[pyo3(get)]
    findings_of_kind: usize,
    /// The edits that fix it, each with offset, length in bytes and replacement; None if a person must decide.
    #[pyo3(get)]
    fix: Option<Vec<Edit>>,
}

/// An edit: offset and length in bytes, and the replacement.
type Edit = (usize, usize, Vec<u8>);

/// The state of a pickled finding: the code of its kind, and its fields.
type State = (
    String,
    String,
    bool,
    usize,
    usize,
    usize,
    usize,
    Option<usize>,
    usize,
    Option<Vec<Edit>>,
);

impl Finding {
    fn new(finding: &LocatedFinding<'_>, counts: &BTreeMap<FindingKind, usize>) -> Self {
        let LocatedFinding {
            kind,
            message,
            location,
            related,
            fix,
            ..
        } = finding;
        let edits = fix.map(|fix| {
            let edits = fix.edits();
            let edits = edits.map(|edit| {
                (
                    edit.span().start,
                    edit.span().len(),
                    edit.replacement().to_vec(),
                )
            });
            edits.collect()
        });
        Self {
            kind: *kind,
            message: message.clone(),
            is_header: location.is_header,
            line: location.line,
            column: location.column,
            offset: location.offset,
            length: location.length,
            related_line: related.as_ref().map(|(location, _)| location.line),
            findings_of_kind: counts.get(kind).copied().unwrap_or_default(),
            fix: edits,
        }
    }
}

#[pymethods]
impl Finding {
    /// The code of its kind: `R` (robots.txt) or `M` (pages and headers) and three digits.
    #[getter]
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    /// The name of its kind, in lower case with hyphens.
    #[getter]
    fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// The severity of its kind.
    #[getter]
    fn severity(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        word::SEVERITY.member(py, self.kind.severity().name())
    }

    /// The advice: one sentence.
    #[getter]
    fn help(&self) -> &'static str {
        self.kind.help()
    }

    /// The sections of RFCs and of docs/semantics.md that the kind rests on.
    #[getter]
    fn standard(&self) -> String {
        self.kind.standard()
    }

    fn __str__(&self) -> String {
        let place = if self.is_header {
            "header line"
        } else {
            "line"
        };
        format!(
            "{} {place} {}: {}",
            self.kind.code(),
            self.line,
            self.message
        )
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(state: State) -> PyResult<Self> {
        let (code, message, is_header, line, column, offset, length, related_line, count, fix) =
            state;
        let kind = FindingKind::by_code_or_name(&code);
        let kind =
            kind.ok_or_else(|| LoadError::new_err(format!("unknown kind of finding {code:?}")))?;
        Ok(Self {
            kind,
            message,
            is_header,
            line,
            column,
            offset,
            length,
            related_line,
            findings_of_kind: count,
            fix,
        })
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (State,)>> {
        let state = (
            self.kind.code().to_owned(),
            self.message.clone(),
            self.is_header,
            self.line,
            self.column,
            self.offset,
            self.length,
            self.related_line,
            self.findings_of_kind,
            self.fix.clone(),
        );
        pickle::reduced::<Self, _>(py, (state,))
    }

    fn __repr__(&self) -> String {
        format!("<Finding {}>", self.__str__())
    }
}
