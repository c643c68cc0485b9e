//! The enums of the package. Their members are texts: the words of the enums in Rust.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use robots_lint::Severity;
use robots_policy::decision::{
    AiUse, Effect, Fetch, Field, FollowLink, Index, PageLayer, Permission, Source, WarningKind,
};
use robots_txt::Dialect;

/// An enum of `robots_policy._words`, imported when it is first used.
pub(crate) struct Words {
    name: &'static str,
    class: PyOnceLock<Py<PyAny>>,
}

impl Words {
    const fn new(name: &'static str) -> Self {
        Self {
            name,
            class: PyOnceLock::new(),
        }
    }

    /// Returns the member of a word.
    pub(crate) fn member<'py>(
        &self,
        py: Python<'py>,
        word: impl IntoPyObject<'py>,
    ) -> PyResult<Py<PyAny>> {
        let class = self.class.get_or_try_init(py, || {
            let class = py.import("robots_policy._words")?.getattr(self.name)?;
            Ok::<_, PyErr>(class.unbind())
        })?;
        class.call1(py, (word,))
    }
}

pub(crate) static AI_USE: Words = Words::new("AiUse");
pub(crate) static ALLOWED: Words = Words::new("Allowed");
pub(crate) static DIALECT: Words = Words::new("Dialect");
pub(crate) static EFFECT: Words = Words::new("Effect");
pub(crate) static ENCODING_SOURCE: Words = Words::new("EncodingSource");
pub(crate) static FETCH: Words = Words::new("Fetch");
pub(crate) static FIELD: Words = Words::new("Field");
pub(crate) static FOLLOW_LINK: Words = Words::new("FollowLink");
pub(crate) static IMAGE_PREVIEW: Words = Words::new("ImagePreview");
pub(crate) static INDEX: Words = Words::new("Index");
pub(crate) static PAGE_LAYER: Words = Words::new("PageLayer");
pub(crate) static PERMISSION: Words = Words::new("Permission");
pub(crate) static PLACEMENT: Words = Words::new("Placement");
pub(crate) static RULE_KIND: Words = Words::new("RuleKind");
pub(crate) static SEVERITY: Words = Words::new("Severity");
pub(crate) static SOURCE_KIND: Words = Words::new("SourceKind");
pub(crate) static VERDICT_REASON: Words = Words::new("VerdictReason");
pub(crate) static WARNING_KIND: Words = Words::new("WarningKind");

/// Returns the words of the enums that have a list of them in Rust, by the names of the enums. For tests.
#[pyfunction]
#[pyo3(name = "_words")]
pub(crate) fn words(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let severities = [Severity::Note, Severity::Warning, Severity::Error];
    let dialects = Dialect::ALL.iter().map(Dialect::name);
    let fields = Field::ALL.iter().map(|field| field.name());
    for (name, words) in [
        ("AiUse", AiUse::NAMES.to_vec()),
        ("Dialect", dialects.collect()),
        ("Effect", Effect::NAMES.to_vec()),
        ("Fetch", Fetch::NAMES.to_vec()),
        ("Field", fields.collect()),
        ("FollowLink", FollowLink::NAMES.to_vec()),
        ("Index", Index::NAMES.to_vec()),
        ("PageLayer", PageLayer::NAMES.to_vec()),
        ("Permission", Permission::NAMES.to_vec()),
        ("Severity", severities.map(Severity::name).to_vec()),
        ("SourceKind", Source::KINDS.to_vec()),
        ("WarningKind", WarningKind::NAMES.to_vec()),
    ] {
        all.set_item(name, words)?;
    }
    Ok(all)
}
