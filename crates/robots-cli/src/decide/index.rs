//! Indexes of archives in CDXJ, by which only the records are read that are wanted.
//!
//! A line is a key, a time and a JSON object: `com,example)/ 20261120000000 {"url": ..., "mime": ..., "status": ...,
//! "offset": ..., "filename": ...}`, as Common Crawl and pywb write them; numbers may be texts. A line whose key
//! begins with `!` describes the index.

use crate::inputs::{self, Input};
use anyhow::{Context, Result};
use robots_meta::MediaType;
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io::{BufRead, Read};
use std::path::{Path, PathBuf};

/// How long a line may be: 1 MiB.
const LINE_LIMIT: u64 = 1 << 20;

/// What an index says of a record.
#[derive(Debug, Deserialize)]
pub(super) struct Listed<'a> {
    #[serde(borrow)]
    pub(super) url: Cow<'a, str>,
    #[serde(borrow, default)]
    mime: Option<Cow<'a, str>>,
    /// What Common Crawl found it to be.
    #[serde(borrow, default, rename = "mime-detected")]
    detected: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "number_or_none")]
    status: Option<u64>,
    #[serde(deserialize_with = "number")]
    offset: u64,
    #[serde(borrow)]
    filename: Cow<'a, str>,
}

impl Listed<'_> {
    /// Whether it is an answer with status 200, and HTML unless all types are wanted.
    pub(super) fn is_page(&self, all_types: bool) -> bool {
        let is_html = |mime: &Option<Cow<'_, str>>| {
            mime.as_ref()
                .is_some_and(|mime| MediaType::parse(mime).is_html())
        };
        self.status == Some(200) && (all_types || is_html(&self.mime) || is_html(&self.detected))
    }
}

/// A number, or a text that is one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number<'a> {
    Number(u64),
    Text(#[serde(borrow)] Cow<'a, str>),
}

fn number_or_none<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    Ok(match Option::<Number<'d>>::deserialize(deserializer)? {
        Some(Number::Number(number)) => Some(number),
        Some(Number::Text(text)) => text.parse().ok(),
        None => None,
    })
}

fn number<'d, D: Deserializer<'d>>(deserializer: D) -> Result<u64, D::Error> {
    number_or_none(deserializer)?.ok_or_else(|| serde::de::Error::custom("a number is needed"))
}

/// Indexes, and the inputs that they are of.
#[derive(Debug)]
pub(super) struct Index<'a> {
    files: &'a [PathBuf],
    /// The index of each input, by its name without folders.
    inputs: HashMap<&'a OsStr, usize>,
    /// How many inputs there are.
    count: usize,
}

/// What was found in indexes.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Where the records begin that are wanted, in order, for each input.
    pub(super) offsets: Vec<Vec<u64>>,
    /// Lines that cannot be read.
    pub(super) odd: Vec<String>,
    /// How many lines are of files that are no inputs.
    pub(super) of_others: u64,
}

/// How many lines are told that cannot be read.
const TOLD: usize = 100;

impl<'a> Index<'a> {
    pub(super) fn new(files: &'a [PathBuf], inputs: &'a [Input]) -> Self {
        let names = inputs.iter().map(|input| input.path().file_name());
        let named = names.enumerate();
        Self {
            files,
            inputs: named.filter_map(|(at, name)| Some((name?, at))).collect(),
            count: inputs.len(),
        }
    }

    /// Reads the indexes for what is wanted. Keeps eight bytes for each record.
    ///
    /// # Errors
    ///
    /// If an index cannot be read.
    pub(super) fn find(&self, mut wants: impl FnMut(&Listed<'_>) -> bool) -> Result<Found> {
        let mut found = Found {
            offsets: vec![Vec::new(); self.count],
            ..Found::default()
        };
        for file in self.files {
            self.find_in(file, &mut wants, &mut found)?;
        }
        for offsets in &mut found.offsets {
            offsets.sort_unstable();
            offsets.dedup();
        }
        Ok(found)
    }

    fn find_in(
        &self,
        file: &Path,
        wants: &mut impl FnMut(&Listed<'_>) -> bool,
        found: &mut Found,
    ) -> Result<()> {
        let cannot = || format!("cannot read {}", file.display());
        let mut lines = inputs::open_lines(file)?;
        let mut line = Vec::new();
        for number in 1_u64.. {
            line.clear();
            let read = lines.by_ref().take(LINE_LIMIT).read_until(b'\n', &mut line);
            if read.with_context(cannot)? == 0 {
                break;
            }
            let text = line.trim_ascii();
            if text.is_empty() || text.starts_with(b"!") {
                continue;
            }
            let start = memchr::memchr(b'{', text).unwrap_or(text.len());
            let listed =
                match serde_json::from_slice::<Listed<'_>>(text.get(start..).unwrap_or_default()) {
                    Ok(listed) => listed,
                    Err(error) => {
                        if found.odd.len() < TOLD {
                            let file = file.display();
                            found
                                .odd
                                .push(format!("{file}:{number}: no line of an index: {error}"));
                        }
                        continue;
                    }
                };
            if !wants(&listed) {
                continue;
            }
            let name = Path::new(&*listed.filename).file_name();
            let input = name.and_then(|name| self.inputs.get(name));
            match input.and_then(|&input| found.offsets.get_mut(input)) {
                Some(offsets) => offsets.push(listed.offset),
                None => found.of_others = found.of_others.saturating_add(1),
            }
        }
        Ok(())
    }
}
