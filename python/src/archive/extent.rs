//! Parts and ranges of one archive: the arguments `offset`, `length` and `ranges`.

use super::file_object::{Input, Inputs, Interruption, SeekableObject, own_name};
use crate::argument::{ByteCount, OneOrMore, RecordPlace, Text};
use crate::error::InputError;
use pyo3::prelude::*;
use robots_archive::ReadAt;
use robots_pipeline::Error;
use robots_pipeline::extent::{ArchiveItems, Extent, FileInput, RecordRange};
use robots_pipeline::text::path_text;
use std::path::PathBuf;

/// The items of an extent of any input.
pub(super) type Items = ArchiveItems<Box<dyn ReadAt + Send>>;

/// Returns the extent that arguments name: a part, ranges, or the whole.
pub(super) fn extent(
    offset: Option<ByteCount>,
    length: Option<ByteCount>,
    ranges: Option<Vec<RecordPlace>>,
) -> PyResult<Extent> {
    match (offset, length, ranges) {
        (None, None, None) => Ok(Extent::Whole),
        (offset, length, None) => {
            let from = offset.map_or(0, |offset| offset.0);
            let until = length.map_or(u64::MAX, |length| from.saturating_add(length.0));
            Ok(Extent::part(from, until))
        }
        (None, None, Some(ranges)) => {
            let range = |RecordPlace(offset, length)| RecordRange {
                offset: offset.0,
                length: length.map(|length| length.0),
            };
            Ok(Extent::Ranges(ranges.into_iter().map(range).collect()))
        }
        _ => Err(InputError::new_err(
            "ranges have offsets and lengths: pass either, not both",
        )),
    }
}

/// An input, and the extent of it that is wanted.
pub(super) struct ExtentSource {
    /// The name for rows and messages.
    pub(super) name: String,
    input: Opener,
    extent: Extent,
}

enum Opener {
    Path(PathBuf),
    Object(SeekableObject),
}

impl ExtentSource {
    /// Returns the extent of the only input, and what will interrupt it.
    pub(super) fn new(
        py: Python<'_>,
        inputs: Inputs,
        names: Option<OneOrMore<Text>>,
        extent: Extent,
    ) -> PyResult<(Self, Interruption)> {
        let count = inputs.0.len();
        let Ok([input]) = <[Input; 1]>::try_from(inputs.0) else {
            return Err(InputError::new_err(format!(
                "expected one input for a part or ranges, got {count}"
            )));
        };
        let interruption = Interruption::default();
        let (name, input) = match input {
            Input::Path(path) => (path_text(&path), Opener::Path(path)),
            Input::File(file) => {
                let name = own_name(file.bind(py))?;
                let is_at_start = extent == Extent::Whole;
                let object = SeekableObject::new(file, is_at_start, interruption.clone());
                (name, Opener::Object(object))
            }
        };
        let name = match names.map(|names| names.0) {
            None => name,
            Some(names) => match &names[..] {
                [name] => name.to_string(),
                _ => return Err(InputError::new_err("expected one name for one input")),
            },
        };
        let source = Self {
            name,
            input,
            extent,
        };
        Ok((source, interruption))
    }

    /// Opens the input.
    pub(super) fn open(self) -> Result<Items, Error> {
        let input: Box<dyn ReadAt + Send> = match self.input {
            Opener::Path(path) => Box::new(FileInput::open(&path)?),
            Opener::Object(object) => Box::new(object),
        };
        Ok(ArchiveItems::new(self.name, input, self.extent))
    }
}
