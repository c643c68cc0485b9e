//! CDXJ indexes of the inputs, with which only the wanted records are read.

use super::stream_among;
use crate::error::Error;
use crate::input::{Input, lines, open_file};
use crate::observer::{Observer, Warning};
use crate::text::path_text;
use robots_archive::cdxj::{CdxjError, CdxjReader, Entry};
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufRead, Seek};
use std::path::{Path, PathBuf};

/// The indexes, and the inputs that they describe.
#[derive(Debug)]
pub(super) struct Index<'a> {
    files: Vec<IndexFile<'a>>,
    /// The position of each input among all, by its name without folders. Inputs with the same name are refused before an
    /// index is read.
    inputs: HashMap<&'a OsStr, usize>,
    input_count: usize,
}

/// The file of an index, which is read again for each search of the targets of redirects.
#[derive(Debug)]
struct IndexFile<'a> {
    path: &'a PathBuf,
    /// The open file, or the temporary copy of a pipe or of standard input.
    file: File,
}

impl IndexFile<'_> {
    /// Opens the file at its start.
    fn open(&self) -> Result<Box<dyn BufRead + Send>, Error> {
        let start = self.file.try_clone().and_then(|mut file| {
            file.rewind()?;
            lines::open_input(file)
        });
        start.map_err(Error::at("read", self.path))
    }
}

impl<'a> Index<'a> {
    /// Returns the indexes in these files. A pipe is read to its end.
    ///
    /// # Errors
    ///
    /// If the inputs cannot be read by an index, or if a file cannot be read.
    pub(super) fn new(files: &'a [PathBuf], inputs: &'a [Input]) -> Result<Self, Error> {
        if !files.is_empty() {
            check_indexed(inputs)?;
        }
        let names = inputs.iter().map(|input| input.path().file_name());
        let named = names.enumerate();
        let files = files.iter().map(|path| {
            let file = open_file(path)?;
            Ok(IndexFile { path, file })
        });
        Ok(Self {
            files: files.collect::<Result<_, Error>>()?,
            inputs: named.filter_map(|(at, name)| Some((name?, at))).collect(),
            input_count: inputs.len(),
        })
    }

    /// Returns whether there is no index.
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns the wanted records that the indexes list. Each takes eight bytes of memory.
    ///
    /// # Errors
    ///
    /// If an index cannot be read, or none of its lines is an entry.
    pub(super) fn find(
        &self,
        observer: &dyn Observer,
        mut is_wanted: impl FnMut(&Entry<'_>) -> bool,
    ) -> Result<Listing, Error> {
        let mut listing = Listing {
            offsets: vec![Vec::new(); self.input_count],
            in_other_files: 0,
        };
        for index in &self.files {
            let file = index.path;
            let mut entries = CdxjReader::new(index.open()?);
            let mut has_entries = false;
            loop {
                let entry = match entries.next_entry() {
                    Ok(Some(entry)) => entry,
                    Ok(None) => break,
                    // The other lines can be read.
                    Err(error @ CdxjError::Line(..)) => {
                        let file = file.clone();
                        observer.warn(&Warning::IndexLine { file, error });
                        continue;
                    }
                    Err(error) => {
                        return Err(Error::at("read", file)(io::Error::other(error)));
                    }
                };
                has_entries = true;
                if !is_wanted(&entry) {
                    continue;
                }
                let name = Path::new(&*entry.filename).file_name();
                let input = name.and_then(|name| self.inputs.get(name));
                match input.and_then(|&input| listing.offsets.get_mut(input)) {
                    Some(offsets) => offsets.push(entry.offset),
                    None => listing.in_other_files += 1,
                }
            }
            if !has_entries {
                return Err(Error::NotIndex(file.clone()));
            }
        }
        for offsets in &mut listing.offsets {
            offsets.sort_unstable();
            offsets.dedup();
        }
        Ok(listing)
    }
}

/// Checks that an index can distinguish the inputs, as it names files without their folders, and that parts of each can be read.
fn check_indexed(inputs: &[Input]) -> Result<(), Error> {
    if let Some(stream) = stream_among(inputs) {
        return Err(Error::IndexOfStream(stream.name.clone()));
    }
    let mut names = HashSet::new();
    for name in inputs.iter().filter_map(|input| input.path().file_name()) {
        if !names.insert(name) {
            return Err(Error::DuplicateInput(path_text(name)));
        }
    }
    Ok(())
}

/// The records that indexes list.
#[derive(Debug)]
pub(super) struct Listing {
    /// The offsets in each input, in order.
    pub(super) offsets: Vec<Vec<u64>>,
    /// The number of records in files that are not inputs.
    in_other_files: u64,
}

impl Listing {
    /// Reports records in other files, and archives without a listed record.
    ///
    /// # Errors
    ///
    /// If all records are in other files.
    pub(super) fn check(&self, inputs: &[Input], observer: &dyn Observer) -> Result<(), Error> {
        let records = self.in_other_files;
        let has_records = |offsets: &Vec<u64>| !offsets.is_empty();
        if records > 0 {
            if !self.offsets.iter().any(has_records) {
                return Err(Error::IndexOfOtherFiles(records));
            }
            observer.warn(&Warning::IndexOfOtherFiles { records });
        }
        for (input, offsets) in inputs.iter().zip(&self.offsets) {
            if let Some(archive) = input.archive()
                && !has_records(offsets)
            {
                let file = archive.name.clone();
                observer.warn(&Warning::NotInIndex { file });
            }
        }
        Ok(())
    }
}
