//! The inputs of the linter: robots.txt files, or with `--meta` pages and their headers.

use super::pages::{self, PageFile};
use crate::args::Lint as Args;
use crate::progress::Progress;
use anyhow::Result;
use robots_pipeline::input::documents::documents;
use robots_pipeline::input::is_saved_page;
use robots_pipeline::input::robots_files::{RobotsFile, robots_files};
use std::path::Path;

/// A robots.txt or a page.
pub(super) enum LintInput {
    Robots(RobotsFile),
    Page(PageFile),
}

impl LintInput {
    /// Returns the length in bytes.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Robots(file) => file.body.len(),
            Self::Page(file) => file.page.html().len(),
        }
    }
}

/// Returns each input at a path, in order, and warns about files in folders that cannot be read.
pub(super) fn inputs<'a>(
    path: &'a Path,
    args: &'a Args,
    progress: &'a Progress,
) -> Result<Box<dyn Iterator<Item = Result<LintInput>> + 'a>> {
    if !args.meta {
        let files = robots_files(path, args.folder_files.select(), progress)?;
        return Ok(Box::new(files.map(|file| Ok(LintInput::Robots(file?)))));
    }
    let documents = documents(path, is_saved_page, progress)?;
    Ok(Box::new(documents.filter_map(move |document| {
        let page = document
            .map_err(Into::into)
            .and_then(|document| pages::of_document(document, path, args.base.as_ref(), progress));
        Some(page.transpose()?.map(LintInput::Page))
    })))
}
