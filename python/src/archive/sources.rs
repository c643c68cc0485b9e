//! The sources of a run: whole inputs, or an extent of one archive.

use super::extent::{ExtentSource, extent};
use super::file_object::{Inputs, Interruption};
use crate::argument::{ByteCount, OneOrMore, RecordPlace, Text};
use pyo3::prelude::*;
use robots_pipeline::extent::Extent;
use robots_pipeline::input::InputSource;
use robots_pipeline::summary::{SkipReason, Summary};
use robots_pipeline::{Error, Source};

/// Returns the reason why the inputs of a run are an error, if they are one.
pub(super) type Failure = fn(&Summary) -> Option<String>;

/// A failure of whole archives: one without pages must not be damaged, though a part of one may be.
fn failure_of_whole(summary: &Summary) -> Option<String> {
    if summary.failed_inputs.is_empty() && summary.pages == 0 && summary.has_failed() {
        return Some("no page was decided, and the inputs are damaged".to_owned());
    }
    failure_of_part(summary)
}

/// A failure of parts of an archive.
fn failure_of_part(summary: &Summary) -> Option<String> {
    failed_inputs(summary).or_else(|| {
        let count = summary.skipped.get(&SkipReason::Unreadable)?;
        Some(format!("{}: {count}", SkipReason::Unreadable))
    })
}

/// The inputs that were left out.
pub(super) fn failed_inputs(summary: &Summary) -> Option<String> {
    let inputs = &summary.failed_inputs;
    (!inputs.is_empty()).then(|| inputs.join("; "))
}

/// The sources of a run.
pub(super) struct Sources {
    kind: SourceKind,
    /// What will interrupt the run.
    pub(super) interruption: Interruption,
}

enum SourceKind {
    Inputs(Vec<InputSource>),
    /// An extent of one archive.
    Extent(ExtentSource),
}

impl Sources {
    /// Returns the sources of whole inputs.
    pub(super) fn whole(
        py: Python<'_>,
        inputs: Inputs,
        names: Option<OneOrMore<Text>>,
    ) -> PyResult<Self> {
        let (sources, interruption) = inputs.sources(py, names)?;
        let kind = SourceKind::Inputs(sources);
        Ok(Self { kind, interruption })
    }

    /// Returns the sources that arguments name.
    pub(super) fn new(
        py: Python<'_>,
        inputs: Inputs,
        names: Option<OneOrMore<Text>>,
        offset: Option<ByteCount>,
        length: Option<ByteCount>,
        ranges: Option<Vec<RecordPlace>>,
    ) -> PyResult<Self> {
        let extent = extent(offset, length, ranges)?;
        if extent == Extent::Whole {
            return Self::whole(py, inputs, names);
        }
        let (source, interruption) = ExtentSource::new(py, inputs, names, extent)?;
        let kind = SourceKind::Extent(source);
        Ok(Self { kind, interruption })
    }

    /// Returns what makes a run of these sources fail.
    pub(super) fn failure(&self) -> Failure {
        match self.kind {
            SourceKind::Inputs(_) => failure_of_whole,
            SourceKind::Extent(_) => failure_of_part,
        }
    }

    /// Reads the sources.
    pub(super) fn read<T>(
        self,
        work: impl FnOnce(Source<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self.kind {
            SourceKind::Inputs(sources) => work(Source::Inputs(sources)),
            SourceKind::Extent(extent) => {
                let name = extent.name.clone();
                work(Source::Items {
                    name: &name,
                    items: &mut extent.open()?,
                })
            }
        }
    }
}
