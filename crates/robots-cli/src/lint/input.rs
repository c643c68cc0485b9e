//! The inputs of the linter: robots.txt files, or with `--meta` pages and their headers.

use super::pages::{self, PageFile};
use crate::args::Lint as Args;
use crate::progress::Progress;
use anyhow::Result;
use robots_pipeline::input::robots_files;
use std::path::Path;
use std::sync::Arc;

/// A robots.txt or a page.
pub(super) enum LintInput {
    Robots(RobotsInput),
    Page(PageFile),
}

/// A robots.txt: an owned [`RobotsFile`](robots_files::RobotsFile).
pub(super) struct RobotsInput {
    /// The path of the file, or of the archive that has it; `-` is standard input.
    pub(super) file: Arc<str>,
    /// The URL of a response in an archive.
    pub(super) url: Option<String>,
    /// Whether the bytes are a whole file on disk, which can be rewritten.
    pub(super) is_rewritable: bool,
    pub(super) body: Vec<u8>,
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

/// Calls `receive` with each input at a path, in order, and warns about inputs that cannot be read.
pub(super) fn visit(
    path: &Path,
    args: &Args,
    progress: &Progress,
    receive: &mut dyn FnMut(LintInput) -> Result<()>,
) -> Result<()> {
    if args.meta {
        return pages::visit(path, args.base.as_ref(), progress, &mut |page| {
            receive(LintInput::Page(page))
        });
    }
    robots_files::visit(path, progress, &mut |file| {
        receive(LintInput::Robots(RobotsInput {
            file: file.file.into(),
            url: file.url.map(str::to_owned),
            is_rewritable: file.is_rewritable,
            body: file.body.to_vec(),
        }))
    })?;
    Ok(())
}
