//! The robots.txt files of a run: those of archives and folders, and the targets of their redirects.

use super::consume::PageTreatment;
use super::index::Index;
use super::robots_inputs::RobotsInputs;
use super::run::Run;
use super::sources::sources;
use crate::error::Halt;
use crate::extent::ItemSource;
use crate::extract::urls::UrlFilter;
use crate::extract::{CaptureFilter, Extractor};
use crate::input::{Folder, Input, lines};
use crate::observer::Stage;
use crate::robots::book::MAX_REDIRECT_SEARCHES;
use crate::robots_url::normalized;
use std::collections::HashSet;
use url::Url;

impl Run<'_> {
    /// Enters the robots.txt files and captures of archives into the book.
    pub(super) fn read_robots(&mut self, inputs: &RobotsInputs) -> Result<(), Halt> {
        for file in &inputs.files {
            for url in &file.urls {
                self.book.enter_file(url, file.date, &file.body);
            }
        }
        self.read_captures(&inputs.archives, CaptureFilter::Robots)
    }

    /// Enters these captures of archives, and those of the targets of their redirects.
    pub(super) fn read_captures(
        &mut self,
        inputs: &[Input],
        captures: CaptureFilter<'_>,
    ) -> Result<(), Halt> {
        let urls = UrlFilter::new();
        let extractor = Extractor {
            pages: false,
            captures,
            urls: Some(&urls),
            ..self.extractor()
        };
        let first_input = 0;
        let all = sources(first_input, inputs, None);
        self.read(
            first_input,
            &all,
            &extractor,
            Stage::ReadRobots,
            PageTreatment::Drop,
        )?;
        self.find_redirects(inputs, &urls, None)
    }

    /// Enters these captures among some records.
    pub(super) fn note_items(
        &mut self,
        name: &str,
        items: &mut dyn ItemSource,
        captures: CaptureFilter<'_>,
    ) -> Result<(), Halt> {
        let extractor = Extractor {
            pages: false,
            captures,
            ..self.extractor()
        };
        let mut entries = Vec::new();
        while let Some(item) = self.next_of(items)? {
            self.check_stop()?;
            extractor.extract(name, &item, &mut entries);
            items.recycle(item);
            entries.drain(..).for_each(|entry| self.note(entry));
        }
        Ok(())
    }

    /// Reads archives again for the targets of redirects. `urls` are those of the records that were read; `index` lists more.
    pub(super) fn find_redirects(
        &mut self,
        inputs: &[Input],
        urls: &UrlFilter,
        index: Option<&Index<'_>>,
    ) -> Result<(), Halt> {
        for _ in 0..MAX_REDIRECT_SEARCHES {
            let mut wanted: HashSet<String> = self.book.take_missing();
            // With an index, records that were not read are missing in the filter.
            wanted.retain(|url| index.is_some() || urls.may_contain(url));
            if wanted.is_empty() {
                break;
            }
            // The first reading of the index reported its problems, so this one has no observer: `&()`.
            let listing = index.map(|index| {
                index.find(&(), |entry| {
                    let url = Url::parse(&entry.url);
                    url.is_ok_and(|url| wanted.contains(&*normalized(&url)))
                })
            });
            let listing = listing.transpose()?;
            let offsets = listing.as_ref().map(|listing| listing.offsets.as_slice());
            let extractor = Extractor {
                pages: false,
                captures: CaptureFilter::Urls(&wanted),
                reports: false,
                ..self.extractor()
            };
            let first_input = 0;
            let all = sources(first_input, inputs, offsets);
            self.read(
                first_input,
                &all,
                &extractor,
                Stage::FindRedirects,
                PageTreatment::Drop,
            )?;
        }
        Ok(())
    }

    /// Enters the robots.txt of a folder, if it can be read. Without a base URL, the site of the folder is not known, and the
    /// file is ignored.
    pub(super) fn enter_robots_of_folder(&mut self, folder: &Folder) {
        if let Some(base) = &self.options.base
            && let Ok(body) = lines::read_robots(&folder.root.join("robots.txt"))
            && let Ok(url) = base.join("/robots.txt")
        {
            self.book.enter_file(&url, None, &body);
        }
    }
}
