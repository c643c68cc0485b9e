//! CDXJ indexes of the inputs, by which only the wanted records are read.

use crate::error::{Error, Operation};
use crate::input::{Input, lines};
use crate::observer::{Observer, Warning};
use robots_archive::cdxj::{CdxjReader, Entry};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// The maximum number of lines that are reported as invalid.
const REPORTED: usize = 100;

/// The indexes, and the inputs that they describe.
#[derive(Debug)]
pub(super) struct Index<'a> {
    files: &'a [PathBuf],
    /// The number of each input, by its name without folders.
    inputs: HashMap<&'a OsStr, usize>,
    input_count: usize,
}

impl<'a> Index<'a> {
    pub(super) fn new(files: &'a [PathBuf], inputs: &'a [Input]) -> Self {
        let names = inputs.iter().map(|input| input.path().file_name());
        let named = names.enumerate();
        Self {
            files,
            inputs: named.filter_map(|(at, name)| Some((name?, at))).collect(),
            input_count: inputs.len(),
        }
    }

    /// Returns whether there is no index.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the offsets of the wanted records, in order, for each input. Keeps eight bytes for each record.
    ///
    /// # Errors
    ///
    /// If an index cannot be read.
    pub(super) fn find(
        &self,
        observer: &dyn Observer,
        mut is_wanted: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<Vec<Vec<u64>>, Error> {
        let mut offsets = vec![Vec::new(); self.input_count];
        let mut invalid = 0_usize;
        let mut of_other_files = 0_u64;
        for file in self.files {
            let mut entries = CdxjReader::new(lines::open(file)?);
            loop {
                let entry = match entries.next_entry() {
                    Ok(Some(entry)) => entry,
                    Ok(None) => break,
                    Err(error) if error.line_number().is_some() => {
                        invalid = invalid.saturating_add(1_usize);
                        if invalid <= REPORTED {
                            let file = file.clone();
                            observer.warn(&Warning::IndexLine { file, error });
                        }
                        continue;
                    }
                    Err(error) => {
                        return Err(Error::at(Operation::Read, file)(io::Error::other(error)));
                    }
                };
                if !is_wanted(&entry) {
                    continue;
                }
                let name = Path::new(&*entry.filename).file_name();
                let input = name.and_then(|name| self.inputs.get(name));
                match input.and_then(|&input| offsets.get_mut(input)) {
                    Some(offsets) => offsets.push(entry.offset),
                    None => of_other_files = of_other_files.saturating_add(1),
                }
            }
        }
        if of_other_files > 0 {
            observer.warn(&Warning::IndexOfOtherFiles {
                records: of_other_files,
            });
        }
        for offsets in &mut offsets {
            offsets.sort_unstable();
            offsets.dedup();
        }
        Ok(offsets)
    }
}
