//! Pages that were saved to a folder, with the robots.txt of their site.

use super::run::Run;
use crate::inputs::Input;
use crate::output::Row;
use crate::summary::Skip;
use anyhow::Result;
use robots_policy::Page;
use std::borrow::Cow;
use std::path::Path;

impl Run<'_> {
    /// Enters the robots.txt of a folder.
    pub(super) fn enter_robots_of_folder(&mut self, input: &Input) {
        if let Input::Folder { root, .. } = input
            && let Some(base) = &self.args.base
            && let Ok(body) = std::fs::read(root.join("robots.txt"))
            && let Ok(url) = base.join("/robots.txt")
        {
            let rules = self.policies.compile(&body);
            self.book.enter_rules(&url, rules.into());
        }
    }

    /// Decides about the saved pages of the folder that an input is, but for those that are decided.
    pub(super) fn decide_folder(&mut self, input: usize) -> Result<()> {
        self.reach(input)?;
        let Some(Input::Folder {
            root,
            pages,
            unread,
            ..
        }) = self.inputs.get(input)
        else {
            return Ok(());
        };
        let decided = usize::try_from(self.place.pages).unwrap_or(usize::MAX);
        if decided == 0 {
            for error in unread {
                self.progress
                    .say(&format!("error: cannot read {error}; left out"));
                self.summary.skip(Skip::Unreadable);
            }
            if pages.is_empty() {
                let why = format!("{}: no .html files in this folder", root.display());
                self.progress.say(&format!("error: {why}"));
                self.summary.input_failed(why);
            }
        }
        for page in pages.iter().skip(decided) {
            self.check()?;
            self.place.pages = self.place.pages.saturating_add(1);
            self.decide_saved(root, page)?;
            self.settle_if_due()?;
        }
        Ok(())
    }

    /// A page saved in a folder; its URL is its path, joined to the base if one is given.
    fn decide_saved(&mut self, root: &Path, path: &Path) -> Result<()> {
        let name = path.display().to_string();
        let html = match std::fs::read(path) {
            Ok(html) => html,
            Err(error) => {
                self.progress
                    .say(&format!("error: cannot read {name}: {error}; left out"));
                self.summary.skip(Skip::Unreadable);
                return Ok(());
            }
        };
        let relative = path.strip_prefix(root).unwrap_or(path);
        let relative: Vec<Cow<'_, str>> =
            relative.iter().map(|part| part.to_string_lossy()).collect();
        let url = self.args.base.as_ref().and_then(|base| {
            let mut url = base.clone();
            url.path_segments_mut()
                .ok()?
                .pop_if_empty()
                .extend(&relative);
            Some(url)
        });
        let url = url.map_or_else(|| name.clone(), String::from);
        if !self.sample().has(&url) {
            return Ok(());
        }
        let row = Row {
            file: &name,
            offset: None,
            status: None,
        };
        let heads = self.policies.read(&html, None);
        self.decide(&url, None, &row, |policy| {
            let page = Page::new(&url);
            match heads.iter().nth(policy) {
                Some(head) => page.with_meta(head),
                None => page,
            }
        })
    }
}
