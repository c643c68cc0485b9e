//! The inputs of the linter: robots.txt files, or with `--meta` pages and their headers.

use super::pages::{self, PageFile};
use crate::args::Lint as Args;
use crate::progress::Progress;
use anyhow::Result;
use robots_pipeline::input::robots_files;
use robots_pipeline::text::path_text;
use std::path::Path;
use std::sync::Arc;

/// A robots.txt or a page.
pub(super) enum LintInput {
    Robots(RobotsInput),
    Page(PageFile),
}

/// The path of a file, or of the archive that has a response.
#[derive(Debug, Clone)]
pub(super) struct InputPath {
    /// The path as the user named it, or below a folder that the user named; `-` is standard input.
    pub(super) path: Arc<Path>,
    /// The path as text, by the rule of [`path_text`].
    pub(super) text: Arc<str>,
}

impl InputPath {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            text: path_text(path).into(),
        }
    }

    /// Returns whether this is standard input.
    pub(super) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

/// A robots.txt: an owned [`RobotsFile`](robots_files::RobotsFile).
pub(super) struct RobotsInput {
    pub(super) file: InputPath,
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
    let folder_files = args.folder_files.select();
    robots_files::visit(path, folder_files, progress, &mut |file| {
        receive(LintInput::Robots(RobotsInput {
            file: InputPath::new(file.path),
            url: file.url.map(str::to_owned),
            is_rewritable: file.is_rewritable,
            body: file.body.to_vec(),
        }))
    })?;
    Ok(())
}
