//! The saved pages of a folder.

use super::run::Run;
use crate::error::{Error, Halt};
use crate::extract::urls::Sample;
use crate::input::{lines, saved_page_url};
use crate::observer::Warning;
use crate::sink::RowContext;
use crate::summary::SkipReason;
use crate::text::path_text;
use robots_policy::Page;
use std::fs::File;
use std::io;
use std::path::Path;

impl Run<'_> {
    /// Decides the saved pages of the folder that is the input of this index, from the current position on.
    pub(super) fn decide_folder(&mut self, input: usize) -> Result<(), Halt> {
        self.reach(input)?;
        let inputs = self.inputs;
        let Some(folder) = inputs.get(input).and_then(|input| input.folder()) else {
            return Ok(());
        };
        if self.pages.is_some() {
            let error = Error::NotArchive(path_text(&folder.root));
            self.report_failed_input(Warning::NotRead(error));
            return Ok(());
        }
        let decided = usize::try_from(self.position.pages).unwrap_or(usize::MAX);
        // A run that resumes in the middle of the folder has reported these problems before.
        if decided == 0 {
            for (path, error) in &folder.unread {
                self.skip_unreadable(path, error);
            }
            if folder.pages.is_empty() {
                let error = Error::NoPages(folder.root.clone());
                self.report_failed_input(Warning::NotRead(error));
            }
        }
        for page in folder.pages.iter().skip(decided) {
            self.check_stop()?;
            self.position.pages = self.position.pages.saturating_add(1);
            self.decide_saved(&folder.root, page)?;
            self.checkpoint_if_due()?;
        }
        Ok(())
    }

    /// Decides a saved page. Its URL is the base, with the path from the folder to the page appended. Without a base, its path
    /// is its URL.
    fn decide_saved(&mut self, root: &Path, path: &Path) -> Result<(), Halt> {
        let name = path_text(path);
        let html = match File::open(path).and_then(lines::read_page) {
            Ok(html) => html,
            Err(error) => {
                self.skip_unreadable(path, &error);
                return Ok(());
            }
        };
        let relative = path.strip_prefix(root).unwrap_or(path);
        let base = self.options.base.as_ref();
        let url = base.and_then(|base| saved_page_url(base, relative));
        let url = url.map_or_else(|| name.clone(), String::from);
        if !Sample::new(self.options.sample).contains(&url) {
            return Ok(());
        }
        let heads = self.policies.read(&html, None);
        self.decide(&url, None, &RowContext::new(&name, None, None), |policy| {
            let page = Page::new(&url);
            match heads.iter().nth(policy) {
                Some(head) => page.with_meta(head),
                None => page,
            }
        })
    }

    fn skip_unreadable(&mut self, path: &Path, error: &io::Error) {
        self.observer.warn(&Warning::unreadable(path, error));
        self.counter.add_skip(SkipReason::Unreadable);
    }
}
