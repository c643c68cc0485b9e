//! What is linted, as it is read: robots.txt files, or with --meta pages and their headers.

use super::page::PageInput;
use crate::args::Lint as Args;
use crate::progress::Progress;
use crate::robots_files;
use anyhow::Result;
use std::path::Path;
use std::sync::Arc;

/// One thing to lint.
pub(super) enum Input {
    Robots(RobotsInput),
    Page(PageInput),
}

/// A robots.txt, with the names that [`RobotsFile`](robots_files::RobotsFile) has.
pub(super) struct RobotsInput {
    pub(super) file: Arc<str>,
    pub(super) url: Option<String>,
    pub(super) is_plain: bool,
    pub(super) body: Vec<u8>,
}

impl Input {
    /// How many bytes it has.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Robots(file) => file.body.len(),
            Self::Page(page) => page.len(),
        }
    }
}

/// Shows each input that a path names to `visit`, in order. What cannot be read is told.
pub(super) fn visit(
    path: &Path,
    args: &Args,
    progress: &Progress,
    visit: &mut dyn FnMut(Input) -> Result<()>,
) -> Result<()> {
    if args.meta {
        return super::page::visit(path, args.base.as_ref(), progress, &mut |page| {
            visit(Input::Page(page))
        });
    }
    robots_files::visit(path, progress, &mut |file| {
        visit(Input::Robots(RobotsInput {
            file: file.file.into(),
            url: file.url.map(str::to_owned),
            is_plain: file.is_plain,
            body: file.body.to_vec(),
        }))
    })?;
    Ok(())
}
