//! The source of a run: whole inputs, or an extent of one archive.

use super::extent::{ExtentSource, extent};
use super::file_object::{Inputs, Interruption};
use crate::argument::{ByteCount, OneOrMore, RecordPlace, Text};
use pyo3::prelude::*;
use robots_pipeline::extent::Extent;
use robots_pipeline::input::InputSource;
use robots_pipeline::{Error, Source};

/// The source of a run.
pub(super) enum Sources {
    Inputs(Vec<InputSource>),
    /// An extent of one archive.
    Extent(ExtentSource),
}

impl Sources {
    /// Returns the source that arguments name, and what will interrupt it.
    pub(super) fn new(
        py: Python<'_>,
        inputs: Inputs,
        names: Option<OneOrMore<Text>>,
        offset: Option<ByteCount>,
        length: Option<ByteCount>,
        ranges: Option<Vec<RecordPlace>>,
    ) -> PyResult<(Self, Interruption)> {
        let extent = extent(offset, length, ranges)?;
        if extent == Extent::Whole {
            let (sources, interruption) = inputs.sources(py, names)?;
            return Ok((Self::Inputs(sources), interruption));
        }
        let (source, interruption) = ExtentSource::new(py, inputs, names, extent)?;
        Ok((Self::Extent(source), interruption))
    }

    /// Returns whether whole archives are read.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, Self::Inputs(_))
    }

    /// Reads the source.
    pub(super) fn read<T>(
        self,
        work: impl FnOnce(Source<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        match self {
            Self::Inputs(sources) => work(Source::Inputs(sources)),
            Self::Extent(extent) => {
                let name = extent.name.clone();
                work(Source::Items {
                    name: &name,
                    items: &mut extent.open()?,
                })
            }
        }
    }
}
