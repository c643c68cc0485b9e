//! Decisions.

use crate::argument::Text;
use crate::error::{InputError, LoadError};
use crate::pickle::{self, Reduced};
use crate::reason::{Reason, Warning};
use crate::rules::RequestRate;
use crate::word;
use pyo3::prelude::*;
use robots_meta::Timestamp;
use robots_meta::value::{Limit, Rel, RevisitAfter};
use robots_policy::decision::Field;
use robots_policy::text::printable;
use robots_txt::extension;
use std::hash::{Hash, Hasher};

/// A decision: the permissions of a robot for a page, with reasons.
///
/// `to_dict()` has every field as plain values: the object that `robots decide --json` writes, without its `file`, `offset` and `status`.
#[pyclass(frozen, eq, hash, module = "robots_policy")]
pub(crate) struct Decision(pub(crate) robots_policy::Decision);

impl PartialEq for Decision {
    /// Compares what the properties return: `revisit_after` has no unit.
    fn eq(&self, other: &Self) -> bool {
        let same_days = |one: RevisitAfter, other: RevisitAfter| one.days() == other.days();
        match (self.0.revisit_after, other.0.revisit_after) {
            (Some(one), Some(days)) if one != days && same_days(one, days) => {
                let mut own = self.0.clone();
                own.revisit_after = Some(days);
                own == other.0
            }
            _ => self.0 == other.0,
        }
    }
}

impl Eq for Decision {}

impl Hash for Decision {
    /// The other fields are compared: these differ between most decisions.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(decision) = self;
        decision.url.hash(state);
        decision.agent.hash(state);
        decision.profile.hash(state);
        decision.fetch.hash(state);
        decision.index.hash(state);
        decision.reasons.hash(state);
    }
}

type Member = PyResult<Py<PyAny>>;

#[pymethods]
impl Decision {
    /// The version of the serialised form.
    #[getter]
    fn version(&self) -> u32 {
        self.0.version
    }

    /// The URL, as it was given.
    #[getter]
    fn url(&self) -> &str {
        &self.0.url
    }

    /// The robot.
    #[getter]
    fn agent(&self) -> &str {
        &self.0.agent
    }

    /// The profile of the decision.
    #[getter]
    fn profile(&self) -> &str {
        &self.0.profile
    }

    /// Whether the URL may be fetched.
    #[getter]
    fn fetch(&self, py: Python<'_>) -> Member {
        word::FETCH.member(py, self.0.fetch.name())
    }

    /// Whether the page's own statements were read.
    #[getter]
    fn page_layer(&self, py: Python<'_>) -> Member {
        word::PAGE_LAYER.member(py, self.0.page_layer.name())
    }

    /// Whether the page may be indexed.
    #[getter]
    fn index(&self, py: Python<'_>) -> Member {
        word::INDEX.member(py, self.0.index.name())
    }

    /// Whether the page may be indexed as a part of a page that embeds it, though not by itself.
    #[getter]
    fn index_if_embedded(&self) -> bool {
        self.0.index_if_embedded
    }

    /// Whether the links of the page may be followed.
    #[getter]
    fn follow(&self, py: Python<'_>) -> Member {
        word::PERMISSION.member(py, self.0.follow.name())
    }

    /// Whether a copy may be kept and shown.
    #[getter]
    fn archive(&self, py: Python<'_>) -> Member {
        word::PERMISSION.member(py, self.0.archive.name())
    }

    /// The number of characters of its text that may be shown; -1 for no limit, None if that is not known.
    #[getter]
    fn snippet(&self) -> Option<i64> {
        self.0.snippet.map(Limit::number)
    }

    /// The maximum size of a preview image; None if that is not known.
    #[getter]
    fn image_preview(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let size = self.0.image_preview;
        size.map(|size| word::IMAGE_PREVIEW.member(py, size.name()))
            .transpose()
    }

    /// The number of seconds of its videos that may be shown; -1 for no limit, None if that is not known.
    #[getter]
    fn video_preview(&self) -> Option<i64> {
        self.0.video_preview.map(Limit::number)
    }

    /// Whether its images may be indexed.
    #[getter]
    fn image_index(&self, py: Python<'_>) -> Member {
        word::PERMISSION.member(py, self.0.image_index.name())
    }

    /// Whether a translation may be offered.
    #[getter]
    fn translate(&self, py: Python<'_>) -> Member {
        word::PERMISSION.member(py, self.0.translate.name())
    }

    /// The moment after which the page must not be shown (`unavailable_after`), in seconds since 1970.
    #[getter]
    fn expires_at(&self) -> Option<i64> {
        self.0.expires_at.map(Timestamp::as_seconds)
    }

    /// The seconds between two requests that robots.txt asks for.
    #[getter]
    fn crawl_delay(&self) -> Option<f64> {
        self.0.crawl_delay.map(|delay| delay.as_secs_f64())
    }

    /// The rates at which robots.txt allows requests; several may apply at different hours.
    #[getter]
    fn request_rates(&self) -> Vec<RequestRate> {
        self.0
            .request_rates
            .iter()
            .copied()
            .map(RequestRate)
            .collect()
    }

    /// The hours in which robots.txt allows visits, in UTC: `2200-0400`.
    #[getter]
    fn visit_time(&self) -> Option<String> {
        self.0.visit_time.map(|window| window.to_string())
    }

    /// The time after which the author asks the robot to come back, in days.
    #[getter]
    fn revisit_after(&self) -> Option<f64> {
        Some(self.0.revisit_after?.days())
    }

    /// Whether statements allow training models with the page; unknown if there are none.
    #[getter]
    fn ai_train(&self, py: Python<'_>) -> Member {
        word::AI_USE.member(py, self.0.ai_train.name())
    }

    /// Whether the page may be input to a model that answers.
    #[getter]
    fn ai_input(&self, py: Python<'_>) -> Member {
        word::AI_USE.member(py, self.0.ai_input.name())
    }

    /// Whether search may find the page, by the statements that concern AI.
    #[getter]
    fn ai_search(&self, py: Python<'_>) -> Member {
        word::AI_USE.member(py, self.0.ai_search.name())
    }

    /// The URLs of terms of use, as written.
    #[getter]
    fn licenses(&self) -> Vec<String> {
        self.0.licenses.clone()
    }

    /// Whether models may be trained with the page: yes if it may be fetched and was read, and nothing forbids it.
    #[getter]
    fn may_train(&self, py: Python<'_>) -> Member {
        word::PERMISSION.member(py, self.0.may_train.name())
    }

    /// Whether the URL may be fetched now. False if that is not known, or not yet.
    #[getter]
    fn may_fetch(&self) -> bool {
        self.0.may_fetch()
    }

    /// Whether the page may be indexed, with its content. False if that is not known.
    #[getter]
    fn may_index(&self) -> bool {
        self.0.may_index()
    }

    /// Whether the links of the page may be followed. False if that is not known.
    #[getter]
    fn may_follow(&self) -> bool {
        self.0.may_follow()
    }

    /// Whether a copy may be kept and shown. False if that is not known.
    #[getter]
    fn may_archive(&self) -> bool {
        self.0.may_archive()
    }

    /// The reasons, field by field.
    #[getter]
    fn reasons(&self) -> Vec<Reason> {
        self.0.reasons.iter().cloned().map(Reason).collect()
    }

    /// The warnings.
    #[getter]
    fn warnings(&self) -> Vec<Warning> {
        self.0.warnings.iter().cloned().map(Warning).collect()
    }

    /// Returns the reasons of one field, in order; the field is a Field or its name.
    fn reasons_for(&self, field: Text) -> PyResult<Vec<Reason>> {
        let known = Field::ALL.iter().find(|known| known.name() == &*field);
        let field = known.ok_or_else(|| {
            InputError::new_err(format!("unknown field {:?}: expected a Field", &*field))
        })?;
        Ok(self.0.reasons_for(*field).cloned().map(Reason).collect())
    }

    /// Returns whether a link of the page may be followed, by the value of its `rel` attribute.
    #[pyo3(signature = (rel=None))]
    fn follow_link(&self, py: Python<'_>, rel: Option<Text>) -> Member {
        let rel = rel.map_or(Rel::empty(), |rel| Rel::parse(&rel));
        word::FOLLOW_LINK.member(py, self.0.follow_link(rel).name())
    }

    /// Returns the decision for people: a line for each field with its reasons below it, then the warnings.
    fn explain(&self) -> String {
        self.0.explain().to_string()
    }

    /// Returns the decision as JSON: the object that `robots decide --json` writes, without its `file`, `offset` and `status`.
    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|error| InputError::new_err(error.to_string()))
    }

    /// Returns the decision that `to_json` wrote. It is equal, except for the line numbers of request rates.
    ///
    /// Raises LoadError if the text is not a decision.
    #[staticmethod]
    fn from_json(text: Text) -> PyResult<Self> {
        let read = serde_json::from_str(&text);
        read.map(Self)
            .map_err(|error| LoadError::new_err(format!("not a decision: {error}")))
    }

    /// Returns the decision as a dict of plain values: that of `to_json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        py.import("json")?.call_method1("loads", (self.to_json()?,))
    }

    /// A decision does not change: a copy is the same one.
    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    #[staticmethod]
    #[pyo3(name = "_load")]
    fn load(json: Text, rate_lines: Vec<usize>) -> PyResult<Self> {
        let mut decision = Self::from_json(json)?;
        for (rate, line) in decision.0.request_rates.iter_mut().zip(rate_lines) {
            *rate = rate.in_line(line);
        }
        Ok(decision)
    }

    /// JSON does not have the lines of rates.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (String, Vec<usize>)>> {
        let rates = self.0.request_rates.iter();
        let lines = rates.map(extension::RequestRate::line).collect();
        pickle::reduced::<Self, _>(py, (self.to_json()?, lines))
    }

    fn __repr__(&self) -> String {
        let Self(decision) = self;
        format!(
            "<Decision: fetch {}, index {}, follow {}, archive {}: {}>",
            decision.fetch,
            decision.index,
            decision.follow,
            decision.archive,
            printable(&decision.url)
        )
    }
}
